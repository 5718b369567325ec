//! Test runners: the files that configure them, and the summaries that they print.

use serde::Deserialize;

use super::{FilePattern, Pattern};

/// Files that say how tests are run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunnerFile {
    pub files: Vec<FilePattern>,
    /// The part of the file that runs checks.
    pub reads: Reads,
    /// What leaves tests out, or runs something else, when it is added.
    #[serde(default)]
    pub narrows: Pattern,
    /// A new file counts if `narrows` matches its text.
    #[serde(default)]
    pub when_new: bool,
    /// Files of the home directory that mean the same; they count if `narrows` matches.
    #[serde(default)]
    pub home: Vec<String>,
}

/// Which edits of a runner's configuration count.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reads {
    /// Every edit.
    Whole,
    /// The scripts of a `package.json` that run checks, and these keys.
    PackageScripts(Vec<String>),
    /// Values of a TOML file; a new one counts if `narrows` matches `key = value`.
    TomlKeys(TomlKeys),
    /// Tables of a TOML file; a new one counts if `narrows` matches.
    TomlTables(Vec<String>),
    /// Sections of an INI file; a new one counts if `narrows` matches.
    IniSections(Pattern),
    /// Recipes of targets that run checks, and what configures make itself.
    MakeTargets,
    /// A file that a runner loads: lines that match `narrows`, and every edit of a file with one.
    Hooks,
    /// A file that is loaded before everything else: every edit, and a new file.
    Preloaded,
    /// An edit after which `narrows` matches.
    Settings,
    /// An edit after which `narrows` matches more often.
    Switches,
}

/// Keys of a TOML file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TomlKeys {
    /// Keys, with everything below them.
    pub keys: Vec<String>,
    /// Arrays of tables that have a `name`.
    #[serde(default)]
    pub targets: Vec<String>,
    /// Keys of those tables.
    #[serde(default)]
    pub target_keys: Vec<String>,
}

/// How a runner says how many tests there are.
///
/// The groups of `summary`: `ran` and `failed` are added up with `skipped`, `total` stands for
/// itself, `parts` is a list such as `3 passed, 1 skipped`. A match with `one` is one test, one with
/// `none` says that there is no test, one with `unknown` that their number is not shown.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runner {
    pub name: String,
    pub summary: Pattern,
    /// The words of `parts` that count tests that ran.
    #[serde(default)]
    pub counted: Vec<String>,
    /// The words of `parts` that count tests that did not.
    #[serde(default)]
    pub skipped: Vec<String>,
}

impl Runner {
    /// The groups that a summary may have.
    pub const GROUPS: [&str; 8] =
        ["ran", "failed", "skipped", "total", "parts", "one", "none", "unknown"];
}
