//! One project of each ecosystem with a real dependency, as two tasks of one repository: the first
//! finds every cache empty, the second what the first has installed.
//!
//! The person's home is a folder that cannot be made, let alone written: whatever a program wants to
//! keep there must have found another place. A mode that forbids writing would not stop root.

use std::collections::BTreeMap;

use super::{
    case::{Case, Ecosystem},
    dressed, play,
};
use crate::{
    failure::Failure,
    liars::outcome::{TaskEnd, table},
    process::Process,
    stage::{Cast, World},
};

/// A home that no program can make.
const NO_HOME: &str = "/proc/no-home";
/// Rows of the table that no case stands for, and why.
const NOT_TRIED: &str = "not tried: Maven, Gradle, Bundler, Composer, NuGet";

/// Runs the cases that stand for an ecosystem.
pub(super) fn run(cases: &BTreeMap<String, Case>, cast: &Cast) -> Result<(), Failure> {
    let heads = ["ecosystem", "version", "cold", "warm", "size", ""];
    let mut lines = vec![heads.map(str::to_owned)];
    let mut wrong = Vec::new();
    for (name, case) in cases {
        let Some(ecosystem) = &case.ecosystem else { continue };
        let line = match both(name, case, &dressed(case, cast)) {
            Ok((version, [cold, warm])) => {
                if !cold.is_right(case, Found::Installed) || !warm.is_right(case, Found::Reused) {
                    wrong.push(name.as_str());
                }
                line(ecosystem, &version, &cold, &warm)
            }
            Err(failure) => {
                wrong.push(name);
                let said = failure.to_string().replace('\n', " ");
                [&ecosystem.name, "", "", "", "", &said].map(str::to_owned)
            }
        };
        println!("  {}", line.join("  "));
        lines.push(line);
    }
    print!("{}", table(&lines));
    println!("{NOT_TRIED}");
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::Refused(format!("not as expected: {}", wrong.join(", "))))
}

/// What one of the two tasks came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tried {
    end: TaskEnd,
    prepared: Option<Prepared>,
}

/// What provost says of the preparation.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Prepared {
    /// As it is printed.
    seconds: String,
    megabytes: String,
    found: Found,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Installed,
    Reused,
}

impl Tried {
    fn is_right(&self, case: &Case, found: Found) -> bool {
        let is_prepared = self.prepared.as_ref().is_some_and(|it| it.found == found);
        is_prepared && self.end.has_passed() && self.end.label.as_ref() == Some(&case.proof)
    }

    fn said(&self) -> String {
        let label = self.end.label.clone().unwrap_or_default();
        if self.end.has_passed() { label } else { self.end.why().replace('\n', " ") }
    }
}

/// Runs two tasks in one world.
fn both(name: &str, case: &Case, cast: &Cast) -> Result<(String, [Tried; 2]), Failure> {
    let play = play(name, case);
    let world = play.world(cast, name)?;
    let version = case.ecosystem.as_ref().map_or("true", |it| it.version.as_str());
    let version = Process::new("sh", &["-c", version]);
    let version = number(&world.dressed(version, cast).capture()?.stdout);
    let mut tried = [Tried::default(), Tried::default()];
    for (it, task) in tried.iter_mut().zip(["cold", "warm"]) {
        let spec = format!("{task}.json");
        world.write(&spec, &play.spec(&world.text("repo"), task).to_string())?;
        *it = one(&world, cast, &spec, task)?;
    }
    if cast.keep {
        println!("  {name}: {}", world.folder.display());
    }
    Ok((version, tried))
}

fn one(world: &World, cast: &Cast, spec: &str, task: &str) -> Result<Tried, Failure> {
    let process = Process::new(&cast.provost, &["--json", "run", &world.text(spec)]);
    let process = world.dressed(process, cast);
    let process =
        process.environment("HOME", NO_HOME).environment("XDG_STATE_HOME", &world.text("state"));
    let ended = process.capture()?;
    Ok(Tried { end: world.read(&ended, task)?, prepared: ended.stderr.lines().find_map(prepared) })
}

/// Reads `prepare     0.3 s  environment reused, 12 MB`.
fn prepared(line: &str) -> Option<Prepared> {
    let rest = line.trim_start().strip_prefix("prepare ")?;
    let (seconds, said) = rest.trim_start().split_once(" s  ")?;
    let (what, size) = said.split_once(", ")?;
    let found = match what {
        "dependencies installed" => Found::Installed,
        "environment reused" => Found::Reused,
        _ => return None,
    };
    let megabytes = size.strip_suffix(" MB")?.to_owned();
    Some(Prepared { seconds: seconds.to_owned(), megabytes, found })
}

/// The first word that begins with a digit, or has one after a `v` or `go`.
fn number(said: &str) -> String {
    let bare = |it: &str| it.trim_start_matches("go").trim_start_matches('v').to_owned();
    let words = said.split_whitespace().map(bare);
    let mut numbers = words.filter(|it| it.starts_with(|first: char| first.is_ascii_digit()));
    numbers.next().unwrap_or_else(|| "unknown".to_owned()).trim_end_matches([')', ',']).to_owned()
}

fn line(ecosystem: &Ecosystem, version: &str, cold: &Tried, warm: &Tried) -> [String; 6] {
    let seconds = |it: &Tried| {
        it.prepared.as_ref().map_or_else(|| "none".to_owned(), |it| format!("{} s", it.seconds))
    };
    let size = cold.prepared.as_ref().map_or_else(String::new, |it| format!("{} MB", it.megabytes));
    let said = if cold.said() == warm.said() {
        cold.said()
    } else {
        format!("{}, then {}", cold.said(), warm.said())
    };
    [ecosystem.name.clone(), version.to_owned(), seconds(cold), seconds(warm), size, said]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_the_preparation_is_read() {
        let of = |seconds: &str, megabytes: &str, found| {
            let (seconds, megabytes) = (seconds.to_owned(), megabytes.to_owned());
            Some(Prepared { seconds, megabytes, found })
        };
        let line = "  prepare    12.4 s  dependencies installed, 120 MB";
        assert_eq!(prepared(line), of("12.4", "120", Found::Installed));
        let line = "  prepare     0.3 s  environment reused, 1 MB";
        assert_eq!(prepared(line), of("0.3", "1", Found::Reused));
        assert_eq!(prepared("  test        0.3 s  green"), None);
    }

    #[test]
    fn a_version_is_found_in_what_a_program_says() {
        for (said, version) in [
            ("10.9.2\n", "10.9.2"),
            ("go version go1.19.8 linux/amd64", "1.19.8"),
            ("Poetry (version 1.8.5)", "1.8.5"),
            ("pip 24.0 from /x/lib/python3.11 (python 3.11)", "24.0"),
            ("", "unknown"),
        ] {
            assert_eq!(number(said), version, "{said}");
        }
    }
}
