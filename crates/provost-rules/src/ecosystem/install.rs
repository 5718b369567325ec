//! How dependencies are installed, and what could make an installation run delivered code.

use serde::Deserialize;

use super::Pattern;

/// A lock file, the command that installs what it names, and what could make that command run
/// something that was delivered.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Install {
    pub lock_file: String,
    /// The command, with the network on; it must run no code of a package.
    pub command: String,
    /// Folders that the command creates in the checkout and that may stay.
    #[serde(default)]
    pub brings: Vec<String>,
    /// Files that configure the package manager and must be those of the base.
    #[serde(default)]
    pub settings: Vec<String>,
    pub manifest: Option<Manifest>,
    pub sources: Option<Sources>,
    pub workspace: Option<Workspace>,
    /// The lock file is a list of Python requirements, of which only plain ones are installed.
    #[serde(default)]
    pub requirement_lines: bool,
}

/// A manifest in JSON, with the keys that select or configure a package manager.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub file: String,
    pub keys: Vec<String>,
}

/// Lock files, with the sources that are not fetched unless the base has them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sources {
    pub files: Vec<String>,
    pub refused: Pattern,
}

/// A workspace file in YAML, with the keys that run nothing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workspace {
    pub file: String,
    pub harmless: Vec<String>,
}
