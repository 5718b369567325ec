//! What has had its time: replay files, temporary files of writers that died, old evidence.

mod story;

use std::time::Duration;

use provost_kernel::{Millis, TaskId};
use serde::Serialize;

use crate::{
    Action, Disk, FileError, Kind, Layout, Location, ProcessIdentity, Stat,
    atomic::is_temporary,
    disk::read_all,
    lock::{Holder, STALE_AFTER},
    read::QUARANTINE_COPIES,
};

pub use self::story::sweep_stories;

/// How long things are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Replay files hold what agents said and did: never longer than 7 days (HOOK-2.6).
    pub replays: Duration,
    /// A temporary file this old has no writer any more.
    pub temporaries: Duration,
    /// How many corrupt copies are kept of each file.
    pub quarantine_copies: usize,
    /// What commands printed that provost ran for a story, unless a verdict stands on it.
    pub evidence: Duration,
}

/// A file, or a folder of a look, that has had its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expired {
    pub at: Location,
    pub len: u64,
    pub why: Why,
}

/// What a sweep found.
#[derive(Debug, Default)]
pub struct Swept {
    pub expired: Vec<Expired>,
    /// Folders that could not be looked into; the others were.
    pub unreadable: Vec<FileError>,
}

/// Why a file is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    Replay,
    /// Output of a job that was never redacted, because the coordinator did not live to do it.
    Capture,
    Temporary,
    Quarantine,
    /// What the commands of an older look at a story printed.
    Evidence,
    /// The folder of a check of a story that was not ended.
    Look,
    /// Dependencies that no task has used for the longest time, or that are not whole.
    Environment,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            replays: Duration::from_hours(7 * 24),
            temporaries: Duration::from_hours(1),
            quarantine_copies: QUARANTINE_COPIES,
            evidence: Duration::from_hours(30 * 24),
        }
    }
}

impl Expired {
    /// Removes the file or the folder; one that is gone already is what was wanted.
    pub fn remove(&self, disk: &impl Disk) -> Result<(), FileError> {
        match self.why {
            Why::Evidence | Why::Look => return crate::remove(&self.at),
            Why::Environment => return crate::layer::discard(&self.at),
            Why::Replay | Why::Capture | Why::Temporary | Why::Quarantine => {}
        }
        match disk.remove(&self.at) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(FileError::on(Action::Remove, &self.at)(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// Finds what has had its time, and touches nothing.
///
/// Only four kinds of name are ever found: replay files in the replay folder, unredacted output of
/// attempts (at once if no process runs the task), temporary files of
/// [`write_atomic`](crate::write_atomic), and copies in quarantine. Links are not followed, and a
/// folder of tasks outside the home is entered only where a task or provost itself has its place:
/// the rest of it may be anybody's.
pub fn sweep<D: Disk>(disk: &D, layout: &Layout, now: Millis, retention: &Retention) -> Swept {
    let Swept { mut expired, mut unreadable } = Swept::default();
    let mut folders = vec![layout.home()];
    if !layout.out().path().starts_with(layout.home().path()) {
        folders.push(layout.out());
    }
    while let Some(folder) = folders.pop() {
        let mut copies = Vec::new();
        let names = names(disk, &folder).unwrap_or_else(|error| {
            unreadable.push(error);
            Vec::new()
        });
        for name in names {
            if folder == layout.out() && !is_ours(&name) {
                continue;
            }
            let at = folder.join(&name);
            // A file may end while we look: that is not an error.
            let Ok(stat) = disk.stat(&at) else { continue };
            let age = now.since(stat.modified);
            match stat.kind {
                Kind::Folder => folders.push(at),
                Kind::Other => {}
                Kind::File => {
                    let found = |why| Expired { at: at.clone(), len: stat.len, why };
                    if is_temporary(&name) && age > retention.temporaries {
                        expired.push(found(Why::Temporary));
                    } else if folder == layout.replays() && is_replay(&name) {
                        expired.extend(old_replay(&at, stat, now, retention));
                    } else if let Some(lock) = lock_of_capture(&at, layout) {
                        // The output of a task that no process runs will not be redacted any more.
                        let is_over = age > retention.replays || !may_be_run(disk, &lock, now);
                        expired.extend(is_over.then(|| found(Why::Capture)));
                    } else if folder == layout.quarantine() {
                        copies.push(found(Why::Quarantine));
                    }
                }
            }
        }
        expired.extend(surplus(copies, retention.quarantine_copies));
    }
    expired.sort_by_key(|it| it.at.path());
    Swept { expired, unreadable }
}

/// Finds the replays that have had their time and looks nowhere else: cheap enough for a hook.
pub fn sweep_replays<D: Disk>(
    disk: &D,
    layout: &Layout,
    now: Millis,
    retention: &Retention,
) -> Swept {
    let folder = layout.replays();
    let names = match names(disk, &folder) {
        Ok(names) => names,
        Err(error) => return Swept { expired: Vec::new(), unreadable: vec![error] },
    };
    let replays = names.iter().filter(|it| is_replay(it)).map(|it| folder.join(it));
    let old = |at: Location| old_replay(&at, disk.stat(&at).ok()?, now, retention);
    Swept { expired: replays.filter_map(old).collect(), unreadable: Vec::new() }
}

/// The one judgement of a replay's age.
fn old_replay(at: &Location, stat: Stat, now: Millis, retention: &Retention) -> Option<Expired> {
    let is_old = stat.kind == Kind::File && now.since(stat.modified) > retention.replays;
    is_old.then(|| Expired { at: at.clone(), len: stat.len, why: Why::Replay })
}

/// Whether a name in the folder of tasks is a task's, or one that provost keeps for itself.
fn is_ours(name: &str) -> bool {
    matches!(name, "_index" | "_audit") || name.parse::<TaskId>().is_ok()
}

/// The lock of the task, if this is the unredacted output of a step of one of its attempts.
fn lock_of_capture(at: &Location, layout: &Layout) -> Option<Location> {
    let path = at.path();
    let below = path.strip_prefix(layout.out().path()).ok()?;
    let names: Vec<&str> = below.components().map(|it| it.as_str()).collect();
    let [task, attempt, _, "stdout.raw" | "stderr.raw"] = *names else { return None };
    let task = task.parse::<TaskId>().ok().filter(|_| attempt.starts_with("attempt_"))?;
    Some(layout.task_lock(&task))
}

/// Whether a coordinator may be at work on a task, as far as its lock says. Nothing is locked.
fn may_be_run<D: Disk>(disk: &D, lock: &Location, now: Millis) -> bool {
    let bytes = match disk.open(lock).and_then(|file| read_all(disk, &file)) {
        Ok(bytes) => bytes,
        Err(error) => return error.kind() != std::io::ErrorKind::NotFound,
    };
    match serde_json::from_slice::<Holder>(&bytes) {
        Ok(holder) if holder.released || !holder.process.is_running() => false,
        // Of a process on another host, only its silence is known.
        Ok(holder) => {
            holder.process.host == ProcessIdentity::current().host
                || now.since(holder.heartbeat) <= STALE_AFTER
        }
        // It is being written, or was when the machine stopped.
        Err(_) => true,
    }
}

fn names<D: Disk>(disk: &D, folder: &Location) -> Result<Vec<String>, FileError> {
    match disk.list(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        listed => listed.map_err(FileError::on(Action::List, folder)),
    }
}

fn is_replay(name: &str) -> bool {
    name.strip_prefix("agent-replay-").is_some_and(|rest| rest.strip_suffix(".jsonl").is_some())
}

/// The copies beyond the newest ones of each file. Names end in the time, so they sort by it.
fn surplus(mut copies: Vec<Expired>, keep: usize) -> Vec<Expired> {
    copies.sort_by(|a, b| b.at.name().cmp(a.at.name()));
    let mut of_this_file = 0;
    let mut last = String::new();
    copies.retain(|copy| {
        let file = copy.at.name().rsplit_once('.').map_or("", |(file, _)| file);
        if file != last {
            (of_this_file, last) = (0, file.to_owned());
        }
        of_this_file += 1;
        of_this_file > keep
    });
    copies
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::{Step, StepFile, sim::SimDisk, write_atomic, write_json};

    const HOUR: u64 = 60 * 60 * 1000;
    const DAY: u64 = 24 * HOUR;

    fn holder(process: ProcessIdentity, heartbeat: u64, released: bool) -> Holder {
        Holder {
            schema: "provost.lock/1".to_owned(),
            process,
            since: provost_kernel::Timestamp::EPOCH,
            heartbeat: Millis(heartbeat),
            released,
        }
    }

    /// The files of this world were all written at time 0.
    #[track_caller]
    fn check(now: u64, expected: &[&str]) {
        let disk = SimDisk::default();
        let layout = Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"));
        let task = "t1".parse().unwrap();
        let first = provost_kernel::AttemptNumber::FIRST;
        let temporary = ".status.json.tmp.8c0f5b9e-2f0a-4bb0-9a53-0a3a9a3f1c11";
        let mut places = vec![
            layout.replay(&"s1".parse().unwrap()),
            layout.replays().join("notes.txt"),
            layout.status(&task),
            layout.task(&task).join(temporary),
            layout.step_file(&task, first, Step::Coder, StepFile::StdoutRaw),
            layout.step_file(&task, first, Step::Coder, StepFile::Stdout),
        ];
        places.extend((1..=4).map(|n| layout.quarantine().join(format!("a.json.0011.{n}"))));
        places.push(layout.quarantine().join("b.json.0022.1"));
        for at in &places {
            write_atomic(&disk, at, b"x").unwrap();
        }
        let running = holder(ProcessIdentity::current(), 0, false);
        write_json(&disk, &layout.task_lock(&task), &running).unwrap();
        let expired = sweep(&disk, &layout, Millis(now), &Retention::default()).expired;
        let names: Vec<&str> = expired.iter().map(|it| it.at.name()).collect();
        assert_eq!(names, expected, "at {now}");
        let replays = sweep_replays(&disk, &layout, Millis(now), &Retention::default()).expired;
        let expected: Vec<_> = expired.iter().filter(|it| it.why == Why::Replay).cloned().collect();
        assert_eq!(replays, expected, "both sweeps judge alike");
        for it in &expired {
            it.remove(&disk).unwrap();
            it.remove(&disk).unwrap();
        }
        let again = sweep(&disk, &layout, Millis(now), &Retention::default());
        assert!(again.expired.is_empty() && again.unreadable.is_empty(), "{again:?}");
        assert!(disk.stat(&layout.status(&task)).is_ok());
    }

    /// HOOK-2.6: seven days, then removed; nothing else ever is.
    #[test]
    fn only_what_has_had_its_time_is_found() {
        let temporary = ".status.json.tmp.8c0f5b9e-2f0a-4bb0-9a53-0a3a9a3f1c11";
        check(0, &["a.json.0011.1"]);
        check(HOUR, &["a.json.0011.1"]);
        check(HOUR + 1, &[temporary, "a.json.0011.1"]);
        check(7 * DAY, &[temporary, "a.json.0011.1"]);
        let old = &["agent-replay-s1.jsonl", temporary, "stdout.raw", "a.json.0011.1"];
        check(7 * DAY + 1, old);
    }

    /// Unredacted output goes at once when no process is left to redact it, and only that.
    #[test]
    fn a_capture_of_a_task_that_nobody_runs_is_found_at_once() {
        let me = ProcessIdentity::current();
        let gone = ProcessIdentity { started: me.started.map(|it| it + 1), ..me.clone() };
        let elsewhere = ProcessIdentity { host: "elsewhere".to_owned(), ..me.clone() };
        let half_an_hour = HOUR / 2;
        for (lock, expected) in [
            (None, true),
            (Some(holder(me.clone(), 0, false)), false),
            (Some(holder(me, 0, true)), true),
            (Some(holder(gone, half_an_hour, false)), true),
            (Some(holder(elsewhere.clone(), 0, false)), false),
            (Some(holder(elsewhere, 0, true)), true),
        ] {
            let disk = SimDisk::default();
            let layout = Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"));
            let task = "t1".parse().unwrap();
            let first = provost_kernel::AttemptNumber::FIRST;
            let raw = layout.step_file(&task, first, Step::Test, StepFile::StderrRaw);
            let artifact = layout.artifact(&task, first, "x/stdout.raw").unwrap();
            for at in [&raw, &artifact, &layout.artifact(&task, first, "stdout.raw").unwrap()] {
                write_atomic(&disk, at, b"x").unwrap();
            }
            if let Some(lock) = &lock {
                write_json(&disk, &layout.task_lock(&task), lock).unwrap();
            }
            let now = Millis(half_an_hour);
            let found = sweep(&disk, &layout, now, &Retention::default()).expired;
            let found: Vec<_> = found.into_iter().map(|it| it.at.path()).collect();
            assert_eq!(found == [raw.path()], expected, "{lock:?}: {found:?}");
            assert!(expected || found.is_empty(), "{lock:?}: {found:?}");
        }
        let disk = SimDisk::default();
        let lock = Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
            .task_lock(&"t1".parse().unwrap());
        let silent = ProcessIdentity { host: "elsewhere".to_owned(), ..ProcessIdentity::current() };
        write_json(&disk, &lock, &holder(silent, 0, false)).unwrap();
        assert!(may_be_run(&disk, &lock, Millis(half_an_hour)));
        assert!(!may_be_run(&disk, &lock, Millis(half_an_hour + 1)));
        write_atomic(&disk, &lock, b"half a rec").unwrap();
        assert!(may_be_run(&disk, &lock, Millis(0)), "what cannot be read is not free");
    }

    /// A folder of tasks that a person chose may hold other things.
    #[test]
    fn only_tasks_are_looked_at_in_a_folder_outside_the_home() {
        let disk = SimDisk::default();
        let out = Utf8Path::new("/elsewhere");
        let layout = Layout::new(Utf8Path::new("/h"), Some(out), Utf8Path::new("/s"));
        let temporary = ".x.tmp.8c0f5b9e-2f0a-4bb0-9a53-0a3a9a3f1c11";
        for folder in ["t1", "_audit", "not a task", "_other"] {
            write_atomic(&disk, &layout.out().join(folder).join(temporary), b"x").unwrap();
        }
        write_atomic(&disk, &layout.out().join(temporary), b"x").unwrap();
        let expired = sweep(&disk, &layout, Millis(2 * HOUR), &Retention::default()).expired;
        let folders: Vec<_> = expired.iter().map(|it| it.at.folder().unwrap()).collect();
        assert_eq!(folders, [layout.out().join("_audit"), layout.out().join("t1")]);
    }
}
