//! What provost knows about ecosystems, as one table: `ecosystems.toml`.
//!
//! An entry says how a project is found, built and tested, which files configure its test runners,
//! and what its tests look like. How dependencies are installed stands in `installs.toml`. Judgements ask this table and know no ecosystem by
//! name. CONTRIBUTING.md shows how to add an entry.

mod detect;
mod install;
mod pattern;
mod project;
mod runner;
mod syntax;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use serde::Deserialize;

pub use self::{
    detect::{DetectedProject, ProjectFiles, Purpose, projects},
    install::{FileText, Install, Manifest, Members, Requirements, Sources, Workspace, installs},
    pattern::{FilePattern, Pattern, is_like},
    project::{Case, CheckFile, Project, Tool, Where},
    runner::{Reads, Runner, RunnerFile, TomlKeys},
    syntax::TestSyntax,
};

/// One entry of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ecosystem {
    pub name: String,
    /// The extensions of its programs, without the dot. No two entries share one.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Lock files whose names do not end with `.lock`.
    #[serde(default)]
    pub lock_files: Vec<String>,
    /// Folders of generated files.
    #[serde(default)]
    pub generated_folders: Vec<String>,
    /// Folders into which dependencies are installed.
    #[serde(default)]
    pub dependency_folders: Vec<String>,
    /// Compiled files that would be run in place of their source.
    #[serde(default)]
    pub compiled: Vec<FilePattern>,
    /// Programs that run checks.
    #[serde(default)]
    pub programs: Vec<String>,
    /// Those of the programs that hand the arguments after `--` to another runner.
    #[serde(default)]
    pub forwards_arguments: Vec<String>,
    /// Subcommands that run the product, so that later flags are the product's.
    #[serde(default)]
    pub runs_product: Vec<String>,
    /// Flags with which a program runs no test, or accepts that none ran.
    #[serde(default)]
    pub lenient_flags: Vec<String>,
    /// Variables that make a command run something else than it names.
    #[serde(default)]
    pub replacing_variables: Vec<String>,
    /// Variables that make a runner ignore failures.
    #[serde(default)]
    pub lenient_variables: Vec<String>,
    /// Files that are loaded in place of a runner when the repository has them.
    #[serde(default)]
    pub replaces_runner: Vec<FilePattern>,
    /// Files of the home directory that configure a runner, whatever they contain.
    #[serde(default)]
    pub home_files: Vec<String>,
    /// Files that decide what the checks besides the test say.
    #[serde(default)]
    pub check_files: Vec<CheckFile>,
    #[serde(default, rename = "project")]
    pub projects: Vec<Project>,
    #[serde(default, rename = "runner_file")]
    pub runner_files: Vec<RunnerFile>,
    #[serde(default, rename = "runner")]
    pub runners: Vec<Runner>,
    pub tests: Option<TestSyntax>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    ecosystem: Vec<Ecosystem>,
}

/// Every entry, in the order of the table.
pub fn all() -> &'static [Ecosystem] {
    static TABLE: LazyLock<Table> = LazyLock::new(parse);
    &TABLE.ecosystem
}

#[expect(clippy::expect_used, reason = "the table is part of the program, and a test reads it")]
fn parse() -> Table {
    toml::from_str(include_str!("ecosystem/ecosystems.toml")).expect("ecosystems.toml")
}

/// The entry for a program file, by its extension.
pub fn of_program(path: &str) -> Option<&'static Ecosystem> {
    let (_, extension) = path.rsplit_once('.')?;
    all().iter().find(|it| it.extensions.iter().any(|it| it == extension))
}

/// What tests look like in a program file, by its extension.
pub fn test_syntax(path: &str) -> Option<&'static TestSyntax> {
    of_program(path)?.tests.as_ref()
}

/// The configuration of a test runner at this path.
pub fn runner_file(path: &str) -> Option<&'static RunnerFile> {
    let mut files = all().iter().flat_map(|it| &it.runner_files);
    files.find(|it| it.files.iter().any(|it| it.matches(path)))
}

/// The configuration that a file of the home directory stands for.
pub fn home_file(path: &str) -> Option<&'static RunnerFile> {
    let mut files = all().iter().flat_map(|it| &it.runner_files);
    files.find(|it| it.home.iter().any(|it| it == path))
}

/// The files of a home directory that configure runners.
pub fn home_files() -> impl Iterator<Item = &'static str> {
    let home = |it: &'static Ecosystem| {
        it.runner_files.iter().flat_map(|it| &it.home).chain(&it.home_files)
    };
    all().iter().flat_map(home).map(String::as_str)
}

/// Whether a list of any entry has this word.
pub fn any(list: impl Fn(&'static Ecosystem) -> &'static [String], word: &str) -> bool {
    all().iter().any(|it| list(it).iter().any(|it| it == word))
}

/// The entry whose runner a program is.
pub fn of_runner(program: &str) -> Option<&'static Ecosystem> {
    all().iter().find(|it| it.programs.iter().any(|it| it == program))
}
