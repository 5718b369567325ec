//! Honest work, as projects of every kind do it: none of it may be refused.
//!
//! Every folder of `fixtures/honest` is a repository with a `task.toml`, run like the cheats' twins
//! with real tools and packages from their registries.

mod case;
pub(crate) mod tools;
mod warm;

use std::{
    collections::BTreeMap,
    fs,
    sync::{Mutex, PoisonError},
    thread,
};

use self::case::{Case, Row};
use crate::{
    build::{self, Alongside},
    failure::Failure,
    ground::cannot,
    install,
    liars::outcome::{TaskEnd, table},
    project,
    stage::{self, Cast, Play},
};

const CASES: &str = "fixtures/honest";
const PROJECTS: &str = "fixtures/cheats/projects";
const LATEST: &str = "target/honest/latest.json";
/// How many worlds there are at a time.
const JOBS: usize = 2;

/// Runs the cases whose names begin with one of these words; all of them without any.
pub(crate) fn run(options: &[&str]) -> Result<(), Failure> {
    let request = request(options)?;
    let cases = choose(load()?, &request.names)?;
    install::ensure(&install::LIARS)?;
    let mut variables = stage::variables()?;
    tools::ensure(cases.values().flat_map(|it| it.tools.iter().map(String::as_str)), &variables)?;
    tools::add_to_path(&mut variables, &[]);
    let provost = project::root().join("target/honest/provost");
    let built = match request.provost {
        Some(path) => path.into(),
        None => build::provost(Alongside::Nothing)?,
    };
    project::copy(&built, &provost)?;
    let cast = Cast { provost, variables, keep: request.keep };
    if request.warm {
        return warm::run(&cases, &cast);
    }
    let ends = all(&cases, &cast);
    let mut rows = Vec::new();
    for (name, case) in &cases {
        let end = ends.get(name).cloned().unwrap_or_default();
        rows.push(Row::new(name, case, end));
    }
    print!("{}", table(&case::lines(&rows)));
    keep(&rows)?;
    case::judge(&rows)
}

/// Writes the newest row of every case: the table is long, and may be run in parts.
fn keep(rows: &[Row]) -> Result<(), Failure> {
    let known = project::read_if_present(LATEST)?.unwrap_or_default();
    let known: Vec<Row> = serde_json::from_str(&known).unwrap_or_default();
    let mut all: BTreeMap<String, Row> =
        known.into_iter().map(|it| (it.name().to_owned(), it)).collect();
    all.extend(rows.iter().map(|it| (it.name().to_owned(), it.clone())));
    let all: Vec<Row> = all.into_values().collect();
    println!("the newest row of every case, in `{LATEST}`: {}", case::total(&all));
    let text = serde_json::to_string_pretty(&all)
        .map_err(|error| Failure::Unable(format!("cannot write `{LATEST}`: {error}")))?;
    project::write(LATEST, &text)
}

/// What was asked for on the command line.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request<'a> {
    names: Vec<&'a str>,
    /// The binary, where it is built already.
    provost: Option<&'a str>,
    keep: bool,
    /// Whether each ecosystem is tried twice in one repository.
    warm: bool,
}

fn request<'a>(options: &[&'a str]) -> Result<Request<'a>, Failure> {
    let mut request = Request::default();
    let mut left = options.iter().copied();
    while let Some(word) = left.next() {
        match word {
            "--keep" => request.keep = true,
            "--warm" => request.warm = true,
            "--provost" => {
                let missing = || Failure::Unable("`--provost` needs a path".to_owned());
                request.provost = Some(left.next().ok_or_else(missing)?);
            }
            other if other.starts_with('-') => {
                return Err(Failure::Unable(format!("`honest` does not understand `{other}`")));
            }
            name => request.names.push(name),
        }
    }
    Ok(request)
}

fn load() -> Result<BTreeMap<String, Case>, Failure> {
    let folder = project::root().join(CASES);
    let entries =
        fs::read_dir(&folder).map_err(|error| cannot("list", &folder.to_string_lossy(), &error))?;
    let mut cases = BTreeMap::new();
    for entry in entries {
        let entry = entry.map_err(|error| cannot("list", &folder.to_string_lossy(), &error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{CASES}/{name}/task.toml");
        if let Some(text) = project::read_if_present(&path)? {
            cases.insert(name, case::parse(&path, &text)?);
        }
    }
    Ok(cases)
}

fn choose(
    cases: BTreeMap<String, Case>,
    names: &[&str],
) -> Result<BTreeMap<String, Case>, Failure> {
    let is_unknown = |it: &&&str| !cases.keys().any(|name| name.starts_with(**it));
    if let Some(name) = names.iter().find(is_unknown) {
        return Err(Failure::Unable(format!("no case is called `{name}`, or begins with it")));
    }
    let is_chosen = |name: &str| names.is_empty() || names.iter().any(|it| name.starts_with(it));
    Ok(cases.into_iter().filter(|(name, _)| is_chosen(name)).collect())
}

fn play(name: &str, case: &Case) -> Play {
    let project = case.project.iter().map(|it| format!("{PROJECTS}/{it}"));
    Play {
        sources: project.chain([format!("{CASES}/{name}")]).collect(),
        base: case.base.clone(),
        config: String::new(),
        test: case.test.clone(),
        shell: case.shell.clone(),
        tests_may_change: case.tests_may_change.clone(),
        permits: Vec::new(),
    }
}

/// The programs of a run, those of a case before the others.
fn dressed(case: &Case, cast: &Cast) -> Cast {
    let mut cast = cast.clone();
    tools::add_to_path(&mut cast.variables, &case.tools);
    cast.variables.extend(case.variables.clone());
    cast
}

/// Runs everything, a few at a time. What could not be run says so in place of its end.
fn all(cases: &BTreeMap<String, Case>, cast: &Cast) -> BTreeMap<String, TaskEnd> {
    let left = Mutex::new(cases.iter());
    let ends = Mutex::new(BTreeMap::new());
    let work = || {
        loop {
            let next = left.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((name, case)) = next else { break };
            let end = play(name, case).run(&dressed(case, cast), name).unwrap_or_else(|failure| {
                TaskEnd {
                    state: "NOT_RUN".to_owned(),
                    message: failure.to_string(),
                    ..TaskEnd::default()
                }
            });
            println!("  {name}: {} after {} s", end.state, end.seconds);
            ends.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone(), end);
        }
    };
    thread::scope(|scope| {
        for _ in 0..JOBS {
            scope.spawn(work);
        }
    });
    ends.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every case can be read, and begins with a project that exists.
    #[test]
    fn every_honest_case_is_well_formed() {
        let cases = load().unwrap();
        assert!(cases.len() >= 30, "{}", cases.len());
        for (name, case) in &cases {
            let play = play(name, case);
            let is_there = |it: &String| project::root().join(it).is_dir();
            assert!(play.sources.iter().all(is_there), "{name}");
        }
    }

    #[test]
    fn cases_are_chosen_by_how_they_begin() {
        let cases = load().unwrap();
        let chosen = choose(cases.clone(), &["pytest-"]).unwrap();
        assert!(!chosen.is_empty() && chosen.len() < cases.len());
        assert!(chosen.keys().all(|it| it.starts_with("pytest-")));
        let message = "no case is called `cobol`, or begins with it";
        assert_eq!(choose(cases, &["cobol"]).unwrap_err().to_string(), message);
        let asked = request(&["npm-", "--keep", "--provost", "p"]).unwrap();
        assert_eq!(
            asked,
            Request { names: vec!["npm-"], provost: Some("p"), keep: true, warm: false }
        );
        assert!(request(&["--provost"]).is_err() && request(&["--fast"]).is_err());
    }
}
