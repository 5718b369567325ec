//! Cheats, each beside its honest twin: what provost catches, and whom it accuses.
//!
//! Every case of `fixtures/cheats` is a task in a world of its own, with real runners and real
//! packages. A twin that many cases share is run once.

pub(crate) mod case;
pub(crate) mod outcome;
mod packages;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fs,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    thread,
};

use serde::Deserialize;

use self::{
    case::{Case, Level, Request, SETS},
    outcome::{Mechanism, Row, TaskEnd},
};
use crate::{
    build::{self, Alongside},
    failure::Failure,
    ground::cannot,
    install, project,
    stage::{self, Cast, Play},
};

const CASES: &str = "fixtures/cheats";
const LATEST: &str = "target/liars/latest.json";
/// How many worlds there are at a time.
const JOBS: usize = 2;
/// The variable by which a binary that was built for it leaves a mechanism out.
const OFF: &str = "PROVOST_PROOF_OFF";
const OFF_FEATURE: &str = "provost-engine/proof-off";

#[derive(Debug, Deserialize)]
struct ProjectFile {
    test: String,
}

/// Something to run in a world: its name, for messages, and whether provost is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    Provost,
    ExitCode,
}

/// What came of it.
#[derive(Clone, Debug)]
enum Came {
    End(TaskEnd),
    Green(bool),
}

/// What there is to run, in the order of the cases; a play that several share stands there once.
type Plays = VecDeque<((Asked, Play), String)>;
type Ends = BTreeMap<(Asked, Play), Result<Came, Failure>>;

/// Runs the cases that were asked for.
pub(crate) fn run(options: &[&str]) -> Result<(), Failure> {
    let request = case::request(options)?;
    let cases = case::choose(load()?, &request)?;
    install::ensure(&install::LIARS)?;
    let tests = project_tests(&cases)?;
    let cast = cast(&request)?;
    packages::ensure(&cast, cases.values().map(|it| it.project.as_str()))?;
    let (mut plays, mut known) = (Plays::new(), BTreeSet::new());
    for (name, case) in &cases {
        for (part, asked) in [
            (Part::Cheat, Asked::ExitCode),
            (Part::Cheat, Asked::Provost),
            (Part::Twin, Asked::Provost),
        ] {
            let key = (asked, play(case, &tests, &request, part));
            if known.insert(key.clone()) {
                plays.push_back((key, format!("{name}-{}", part.text())));
            }
        }
    }
    let ends = all(plays, &cast);
    let (mut rows, mut broken) = (Vec::new(), Ok(()));
    for (name, case) in &cases {
        // The others are told all the same.
        match row((name, case), &tests, &request, &ends) {
            Ok(row) => rows.push(row),
            Err(failure) => broken = Err(failure.within(name)),
        }
    }
    print!("{}", outcome::report(&rows));
    if request.off.is_none() && request.level.is_none() {
        keep(&rows)?;
    }
    outcome::judge(&rows).and(broken)
}

/// Writes the newest row of every case, and says what all of them come to: the table is long, and
/// may be run in parts.
fn keep(rows: &[Row]) -> Result<(), Failure> {
    let known = project::read_if_present(LATEST)?.unwrap_or_default();
    let known: Vec<Row> = serde_json::from_str(&known).unwrap_or_default();
    let mut all: BTreeMap<String, Row> =
        known.into_iter().map(|it| (it.name.clone(), it)).collect();
    all.extend(rows.iter().map(|it| (it.name.clone(), it.clone())));
    let all: Vec<Row> = all.into_values().collect();
    println!("\nthe newest row of every case, in `{LATEST}`:\n{}", outcome::totals(&all));
    let text = serde_json::to_string_pretty(&all)
        .map_err(|error| Failure::Unable(format!("cannot write `{LATEST}`: {error}")))?;
    project::write(LATEST, &text)
}

/// Every case, by its set and its name.
fn load() -> Result<BTreeMap<String, Case>, Failure> {
    let mut cases = BTreeMap::new();
    for set in SETS {
        let folder = project::root().join(CASES).join(set);
        // A set may not be there.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let entry = entry.map_err(|error| cannot("list", &folder.to_string_lossy(), &error))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(stem) = name.strip_suffix(".toml") else { continue };
            let path = format!("{CASES}/{set}/{name}");
            cases.insert(format!("{set}/{stem}"), case::parse(&path, &project::read(&path)?)?);
        }
    }
    Ok(cases)
}

/// The test commands of the projects.
fn project_tests(cases: &BTreeMap<String, Case>) -> Result<BTreeMap<String, String>, Failure> {
    let mut tests = BTreeMap::new();
    for case in cases.values() {
        let path = format!("{CASES}/projects/{}.toml", case.project);
        let file: ProjectFile = toml::from_str(&project::read(&path)?)
            .map_err(|error| Failure::Unable(format!("cannot read `{path}`: {error}")))?;
        tests.insert(case.project.clone(), file.test);
    }
    Ok(tests)
}

/// The binary. Only one that is built for this can leave a mechanism out; the one that is shipped
/// cannot, whatever its environment says.
fn cast(request: &Request) -> Result<Cast, Failure> {
    let mut variables = stage::variables()?;
    let provost = match (&request.provost, request.off) {
        (Some(path), None) => {
            return Ok(Cast { provost: PathBuf::from(path), variables, keep: request.keep });
        }
        (None, None) => build::provost(Alongside::Nothing)?,
        (_, Some(off)) => {
            variables.push((OFF.to_owned(), off.text().to_owned()));
            let words = ["build", "--package", "provost", "--features", OFF_FEATURE];
            build::executable("provost", &words, &[])?
        }
    };
    // The next build replaces it, with another feature or none.
    let own = project::root().join("target/liars/provost");
    project::copy(&provost, &own)?;
    Ok(Cast { provost: own, variables, keep: request.keep })
}

/// The two halves of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Cheat,
    Twin,
}

impl Part {
    fn text(self) -> &'static str {
        match self {
            Self::Cheat => "cheat",
            Self::Twin => "twin",
        }
    }
}

fn play(case: &Case, tests: &BTreeMap<String, String>, request: &Request, part: Part) -> Play {
    let config = format!("[proof]\nlevel = \"{}\"\n", case.level(request).text());
    let test = case.test.as_ref().or_else(|| tests.get(&case.project));
    let (script, leave, permits) = match part {
        Part::Cheat => (&case.cheat, Vec::new(), Vec::new()),
        Part::Twin => (&case.honest, case.tests_may_change.clone(), case.permits.clone()),
    };
    Play {
        sources: vec![format!("{CASES}/projects/{}", case.project)],
        base: case.base.clone(),
        config: match &case.require {
            Some(require) => format!("{config}require = \"{require}\"\n"),
            None => config,
        },
        test: test.cloned().unwrap_or_default(),
        shell: script.shell.clone(),
        tests_may_change: leave,
        permits,
    }
}

/// Runs everything, a few at a time.
fn all(plays: Plays, cast: &Cast) -> Ends {
    let n_plays = plays.len();
    let left = Mutex::new(plays);
    let ends = Mutex::new(Ends::new());
    let work = || {
        loop {
            let next = left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(((asked, play), name)) = next else { break };
            let came = match asked {
                Asked::Provost => play.run(cast, &name).map(Came::End),
                Asked::ExitCode => {
                    play.is_green(cast, packages::of(&play).as_deref()).map(Came::Green)
                }
            };
            let mut ends = ends.lock().unwrap_or_else(PoisonError::into_inner);
            println!("  {:>3} of {n_plays}: {name} {}", ends.len() + 1, said(&came));
            ends.insert((asked, play), came);
        }
    };
    thread::scope(|scope| {
        for _ in 0..JOBS {
            scope.spawn(work);
        }
    });
    ends.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn said(came: &Result<Came, Failure>) -> String {
    match came {
        Ok(Came::Green(true)) => "is green by itself".to_owned(),
        Ok(Came::Green(false)) => "is red by itself".to_owned(),
        Ok(Came::End(end)) if end.has_passed() => {
            format!("passed as {} in {} s", end.label.as_deref().unwrap_or("nothing"), end.seconds)
        }
        Ok(Came::End(end)) => format!("was stopped in {} s: {}", end.seconds, end.why()),
        Err(failure) => format!("could not be run: {failure}"),
    }
}

fn row(
    (name, case): (&str, &Case),
    tests: &BTreeMap<String, String>,
    request: &Request,
    ends: &Ends,
) -> Result<Row, Failure> {
    let came = |part, asked| -> Result<Came, Failure> {
        match ends.get(&(asked, play(case, tests, request, part))) {
            Some(Ok(came)) => Ok(came.clone()),
            Some(Err(Failure::Refused(text) | Failure::Unable(text))) => {
                Err(Failure::Unable(text.clone()))
            }
            None => Err(Failure::Unable("it was not run".to_owned())),
        }
    };
    let end = |part| -> Result<TaskEnd, Failure> {
        match came(part, Asked::Provost)? {
            Came::End(end) => Ok(end),
            Came::Green(_) => Err(Failure::Unable("provost was not asked".to_owned())),
        }
    };
    let is_green = matches!(came(Part::Cheat, Asked::ExitCode)?, Came::Green(true));
    let off: (Level, Option<Mechanism>) = (case.level(request), request.off);
    Ok(Row::new((name, case), off, is_green, (end(Part::Cheat)?, end(Part::Twin)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every file of the catalogue can be read, and names a project that exists.
    #[test]
    fn every_case_is_well_formed() {
        let cases = load().unwrap();
        let tests = project_tests(&cases).unwrap();
        assert!(cases.values().all(|it| tests.contains_key(&it.project)));
    }

    /// PROOF-1: nothing that is shipped can leave a part of the proof out.
    #[test]
    fn no_manifest_turns_the_switch_on() {
        let (_, feature) = OFF_FEATURE.split_once('/').unwrap();
        let is_manifest = |it: &project::File| it.path.ends_with("Cargo.toml");
        let files = project::files().unwrap();
        let lines = files.iter().filter(|it| is_manifest(it)).flat_map(|it| it.text.lines());
        let named: Vec<&str> = lines.filter(|it| it.contains(feature)).collect();
        assert_eq!(named, [format!("{feature} = []")]);
    }

    #[test]
    fn leave_is_for_the_twin() {
        let case = case::parse(
            "a.toml",
            "project = \"python\"\nabout = \"x\"\nby = [\"square\"]\nproof = \"SHOWN\"\n\
             tests_may_change = [\"tests/a.py\"]\npermits = [\".npmrc\"]\n[cheat]\nshell = \"true\"\n[honest]\nshell = \"fix\"\n",
        )
        .unwrap();
        let tests = [("python".to_owned(), "python3 -m unittest".to_owned())].into();
        let request = Request::default();
        let cheat = play(&case, &tests, &request, Part::Cheat);
        let twin = play(&case, &tests, &request, Part::Twin);
        assert_eq!((cheat.tests_may_change.len(), twin.tests_may_change.len()), (0, 1));
        assert_eq!((cheat.permits.len(), twin.permits.len()), (0, 1));
        assert_eq!((cheat.shell.as_str(), twin.shell.as_str()), ("true", "fix"));
        assert_eq!(twin.test, "python3 -m unittest");
        assert!(twin.config.ends_with("[proof]\nlevel = \"standard\"\n"));
    }
}
