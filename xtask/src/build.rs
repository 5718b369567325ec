//! Builds of our own binaries for the tasks that then run them.

use std::path::PathBuf;

use crate::{failure::Failure, metadata, process::Process};

/// What a binary is built together with.
///
/// Cargo chooses the features of shared dependencies by what is built in one go. Within the test
/// command the binary must come from the build of the tests, or half of the tree is built twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alongside {
    Nothing,
    Tests,
}

/// Builds `provost` with the profile of the tests and says where it is.
pub(crate) fn provost(alongside: Alongside) -> Result<PathBuf, Failure> {
    match alongside {
        Alongside::Nothing => executable("provost", &["build", "--package", "provost"], &[]),
        Alongside::Tests => executable("provost", &["test", "--workspace", "--no-run"], &[]),
    }
}

/// Runs a cargo command that builds the binary `name`, and says where it is. `flags` go to the
/// compiler, for the binary alone.
pub(crate) fn executable(name: &str, words: &[&str], flags: &[&str]) -> Result<PathBuf, Failure> {
    executable_with(name, words, flags, &[])
}

/// The same, with variables for cargo.
pub(crate) fn executable_with(
    name: &str,
    words: &[&str],
    flags: &[&str],
    variables: &[(&str, &str)],
) -> Result<PathBuf, Failure> {
    let mut arguments = words.to_vec();
    arguments.extend(["--quiet", "--message-format=json-render-diagnostics"]);
    if !flags.is_empty() {
        arguments.push("--");
        arguments.extend(flags);
    }
    let cargo = Process::new("cargo", &arguments);
    let cargo = variables.iter().fold(cargo, |it, (name, value)| it.environment(name, value));
    let messages = cargo.text()?;
    metadata::find_executable(&messages, name)
        .ok_or_else(|| Failure::Unable(format!("cargo built no binary named `{name}`")))
}
