//! How dependencies are installed, and what could make an installation run delivered code.
//!
//! The rows stand in `installs.toml`.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use super::Pattern;

/// One way to install the dependencies of a folder.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Install {
    pub name: String,
    /// Of the rows of one ecosystem, the first applies to a folder.
    pub ecosystem: String,
    /// The program that all of its commands need.
    pub program: String,
    /// The files by which a folder is known to need it; one is enough.
    pub found_by: Vec<String>,
    /// What a file of the folder must say besides.
    pub only_if: Option<FileText>,
    /// Commands with the network on; they run no code of a package.
    pub fetch: Vec<String>,
    /// Commands with the network off, which may run code of packages.
    #[serde(default)]
    pub build: Vec<String>,
    /// What a file of the folder must say for the build.
    pub build_if: Option<FileText>,
    /// Whether a build that fails leaves the rest usable.
    #[serde(default)]
    pub build_may_fail: bool,
    /// Variables of every job, for private caches.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// Whether tests read the cache, too.
    #[serde(default)]
    pub cache_stays: bool,
    /// Variables of its own commands besides.
    #[serde(default)]
    pub own_variables: BTreeMap<String, String>,
    /// Folders that the commands create in the checkout and that may stay.
    #[serde(default)]
    pub brings: Vec<String>,
    /// Files that the commands create and that may stay.
    #[serde(default)]
    pub brings_files: Vec<String>,
    /// The folder of a virtual environment of Python among them.
    pub environment: Option<String>,
    /// Files that configure the package manager and must be those of the base; with a slash at the
    /// end, everything in a folder. They are looked for in the folder and in those above it.
    #[serde(default)]
    pub settings: Vec<String>,
    pub manifest: Option<Manifest>,
    pub sources: Option<Sources>,
    pub workspace: Option<Workspace>,
    /// How the folders are named that belong to the same installation.
    #[serde(default)]
    pub members: Vec<Members>,
    pub requirements: Option<Requirements>,
    /// Whether it was never tried: it may fail.
    #[serde(default)]
    pub untried: bool,
}

/// A file of the folder, and a pattern in its text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileText {
    pub file: String,
    pub text: Pattern,
}

/// A manifest in JSON or TOML, with the keys that select or configure a package manager.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub file: String,
    /// Dots lead into tables.
    pub keys: Vec<String>,
}

/// Lock files, with the sources that are not fetched unless the base has them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sources {
    pub files: Vec<String>,
    pub refused: Pattern,
    /// What is refused even if the base has it: a folder of the repository would be built.
    #[serde(default)]
    pub always_refused: Pattern,
}

/// A workspace file in YAML, with the keys that run nothing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workspace {
    pub file: String,
    pub harmless: Vec<String>,
}

/// A list of patterns of folders in a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Members {
    pub file: String,
    /// Dots lead into tables.
    pub key: String,
}

/// What stands for `{requirements}` in a command.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Requirements {
    /// Files of requirements, of which only plain ones are installed.
    Files,
    /// What `pyproject.toml` asks for.
    Project,
    /// What `pyproject.toml` needs to be built.
    BuildSystem,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    install: Vec<Install>,
}

/// Every row, in the order of the table.
pub fn installs() -> &'static [Install] {
    static TABLE: LazyLock<Table> = LazyLock::new(parse);
    &TABLE.install
}

#[expect(clippy::expect_used, reason = "the table is part of the program, and a test reads it")]
fn parse() -> Table {
    toml::from_str(include_str!("installs.toml")).expect("installs.toml")
}
