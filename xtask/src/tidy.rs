//! What no compiler checks: layers, requirements, ignore rules, dependencies, sources.
//!
//! This file gathers the facts. Each check is a pure function from facts to problems, in a file
//! of its own, with a test that shows it going red.

mod dependencies;
mod ignore;
mod layers;
mod lints;
mod modules;
mod no_llm;
mod requirements;
mod source;
mod test_code;
mod vendored;

use std::fmt;

use crate::{failure::Failure, metadata::Metadata, process::Process, project, vendor};

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem {
    /// The file, crate or id it is about.
    subject: String,
    message: String,
}

impl Problem {
    fn new(subject: impl Into<String>, message: impl Into<String>) -> Self {
        Self { subject: subject.into(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.message)
    }
}

/// Runs every check and prints every problem.
pub(crate) fn run() -> Result<(), Failure> {
    let problems = gather()?;
    if problems.is_empty() {
        println!("tidy: no problem");
        return Ok(());
    }
    for problem in &problems {
        eprintln!("{problem}");
    }
    Err(Failure::Refused(match problems.len() {
        1 => "tidy found 1 problem".to_owned(),
        count => format!("tidy found {count} problems"),
    }))
}

fn gather() -> Result<Vec<Problem>, Failure> {
    let files = project::files()?;
    let workspace = Metadata::of_workspace()?;
    let everything = Metadata::of_everything()?;
    let clippy = project::read("clippy.toml")?;
    let manifest = project::read("Cargo.toml")?;
    let lock = project::read("Cargo.lock")?;
    let record = project::read("docs/decisions/0002-dependencies.md")?;
    let table = project::read(requirements::TABLE)?;
    let vendored = project::read(vendor::RECORD)?;

    Ok([
        layers::check(&workspace.packages),
        no_llm::check(&everything),
        requirements::check(&table, &files),
        ignore::check(&ignore_facts()?),
        modules::check(&files),
        source::check(&files),
        lints::check_clippy(&clippy),
        lints::check_manifests(&files),
        dependencies::check_budget(&lock),
        dependencies::check_licences(&everything.packages),
        dependencies::check_manifest(&manifest, &record),
        vendored::check(&vendored, &files),
    ]
    .concat())
}

fn ignore_facts() -> Result<ignore::Facts, Failure> {
    let is_ignored = |path: &str| Process::new("git", &["check-ignore", "--quiet", path]).answers();
    let mut listing = vec!["ls-files", "-z", "--"];
    listing.extend(ignore::FOLDERS);
    Ok(ignore::Facts {
        rules: project::read(".gitignore")?,
        not_ignored: ignore::PROBES.into_iter().filter(|it| !is_ignored(it)).collect(),
        tracked: Process::new("git", &listing)
            .text()?
            .split_terminator('\0')
            .map(str::to_owned)
            .collect(),
    })
}

/// A file for the tests of the checks.
#[cfg(test)]
fn file(path: &str, text: &str) -> project::File {
    project::File { path: path.to_owned(), text: text.to_owned() }
}

/// Compares problems as the lines that a person sees.
#[cfg(test)]
#[track_caller]
fn assert_problems(actual: &[Problem], expected: &[&str]) {
    let actual: Vec<String> = actual.iter().map(ToString::to_string).collect();
    assert_eq!(actual, expected);
}
