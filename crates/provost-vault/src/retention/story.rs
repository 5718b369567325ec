//! What looks at stories leave behind: what commands printed, and the folders of looks that were
//! not ended.

use std::time::Duration;

use provost_kernel::Millis;

use super::{Expired, Retention, Swept, Why, names};
use crate::{Disk, Kind, Layout, Location, Stat};

/// How long the folder of a look is taken to be in use: no look lasts that long.
const IN_USE: Duration = Duration::from_hours(24);

/// Finds what looks at stories left behind, and touches nothing.
///
/// The newest look at a story stays, and so does every other one of which `is_kept` says that
/// something stands on it, by its path from the home.
pub fn sweep_stories<D: Disk>(
    disk: &D,
    layout: &Layout,
    now: Millis,
    retention: &Retention,
    is_kept: &dyn Fn(&str) -> bool,
) -> Swept {
    let mut sweep = Sweep { disk, now, retention, swept: Swept::default() };
    for execution in sweep.folders(&layout.story_evidence()) {
        for story in sweep.folders(&execution) {
            let mut looks: Vec<(Millis, Location)> = sweep
                .folders(&story)
                .into_iter()
                .filter_map(|it| Some((Millis(it.name().parse().ok()?), it)))
                .collect();
            looks.sort_by_key(|it| it.0);
            let newest = looks.pop();
            for (moment, look) in looks {
                let is_old = now.since(moment) > retention.evidence;
                if is_old && !is_kept(&format!("{}/", from_home(&look, layout))) {
                    sweep.old_look(look);
                } else {
                    sweep.captures(&look);
                }
            }
            if let Some((_, look)) = newest {
                sweep.captures(&look);
            }
        }
    }
    sweep.work(&layout.story_work());
    let mut swept = sweep.swept;
    swept.expired.sort_by_key(|it| it.at.path());
    swept
}

/// One sweep under way.
struct Sweep<'a, D: Disk> {
    disk: &'a D,
    now: Millis,
    retention: &'a Retention,
    swept: Swept,
}

impl<D: Disk> Sweep<'_, D> {
    fn old_look(&mut self, at: Location) {
        let len = self.list(&at).iter().map(|it| it.1.len).sum();
        self.swept.expired.push(Expired { at, len, why: Why::Evidence });
    }

    /// Notes the unredacted output of a look that did not live to redact it.
    fn captures(&mut self, look: &Location) {
        for (at, stat) in self.list(look) {
            let is_old = self.now.since(stat.modified) > self.retention.temporaries;
            let is_raw = at.name().rsplit_once('.').is_some_and(|it| it.1 == "raw");
            if stat.kind == Kind::File && is_raw && is_old {
                self.swept.expired.push(Expired { at, len: stat.len, why: Why::Capture });
            }
        }
    }

    /// Notes the folders of checks that were not ended.
    fn work(&mut self, folder: &Location) {
        for (at, stat) in self.list(folder) {
            let is_old = self.now.since(stat.modified) > IN_USE;
            if stat.kind == Kind::Folder && at.name().starts_with("look-") && is_old {
                self.swept.expired.push(Expired { at, len: 0, why: Why::Look });
            }
        }
    }

    fn folders(&mut self, folder: &Location) -> Vec<Location> {
        let all = self.list(folder);
        all.into_iter().filter(|it| it.1.kind == Kind::Folder).map(|it| it.0).collect()
    }

    /// What lies in a folder; one that cannot be looked into is noted.
    fn list(&mut self, folder: &Location) -> Vec<(Location, Stat)> {
        let names = names(self.disk, folder).unwrap_or_else(|error| {
            self.swept.unreadable.push(error);
            Vec::new()
        });
        let found = names.iter().map(|it| folder.join(it));
        // A file may end while we look: that is not an error.
        found.filter_map(|at| self.disk.stat(&at).ok().map(|stat| (at, stat))).collect()
    }
}

fn from_home(at: &Location, layout: &Layout) -> String {
    let (path, home) = (at.path(), layout.home().path());
    path.strip_prefix(&home).map_or_else(|_| path.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::{StepFile, sim::SimDisk, write_atomic};

    const HOUR: u64 = 60 * 60 * 1000;
    const DAY: u64 = 24 * HOUR;

    /// The files of this world were all written at time 0; the looks say themselves when they were.
    #[track_caller]
    fn check(now: u64, kept: &str, expected: &[&str]) {
        let disk = SimDisk::default();
        let layout = Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"));
        let (execution, story) = ("e1".parse().unwrap(), "US-001".parse().unwrap());
        for look in [100, 20, 3] {
            for file in [StepFile::Stdout, StepFile::StdoutRaw] {
                let at = layout.story_output(&execution, &story, Millis(look), 1, file);
                write_atomic(&disk, &at, b"x").unwrap();
            }
        }
        let work = layout.story_work();
        for at in [work.join("look-a").join("git"), work.join("other").join("x")] {
            write_atomic(&disk, &at, b"x").unwrap();
        }
        let is_kept = |path: &str| format!("see {kept}").contains(path);
        let retention = Retention::default();
        let swept = sweep_stories(&disk, &layout, Millis(now), &retention, &is_kept);
        assert!(swept.unreadable.is_empty(), "{swept:?}");
        let shown: Vec<String> = swept
            .expired
            .iter()
            .map(|it| format!("{:?} {}", it.why, it.at.path().file_name().unwrap()))
            .collect();
        assert_eq!(shown, expected, "at {now}");
    }

    /// What the newest verdict stands on stays, and so does the newest look.
    #[test]
    fn old_looks_go_and_what_something_stands_on_stays() {
        let raw = "Capture 1-stdout.raw";
        check(HOUR, "", &[]);
        check(HOUR + 1, "", &[raw, raw, raw]);
        check(DAY + 1, "", &[raw, raw, raw, "Look look-a"]);
        check(30 * DAY, "", &[raw, raw, raw, "Look look-a"]);
        let all = &[raw, "Evidence 20", "Evidence 3", "Look look-a"];
        check(31 * DAY, "", all);
        let kept = "stories/evidence/e1/US-001/3/1-stdout";
        check(31 * DAY, kept, &[raw, "Evidence 20", raw, "Look look-a"]);
        check(31 * DAY, "stories/evidence/e1/US-001/30/1-stdout", all);
    }
}
