//! How a project is found, and how it is type-checked, built and tested.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{FilePattern, Pattern};

/// A kind of project. Its folder has one of the manifests.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// How its gates are called.
    pub name: String,
    pub manifests: Vec<String>,
    /// The first manifest that is there is the only one that is read.
    #[serde(default)]
    pub first_manifest_only: bool,
    /// It counts only where no other project is found.
    #[serde(default)]
    pub only_alone: bool,
    /// It counts for tasks only, and where no other row of its ecosystem does: too little is known
    /// about it for a gate, which would then pass.
    pub tasks_only: Option<Where>,
    /// What `{word}` in a command stands for; the first that applies.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// The command that checks types: the first case that applies. Without one, nothing is needed.
    #[serde(default)]
    pub typecheck: Vec<Case>,
    #[serde(default)]
    pub build: Vec<Case>,
    #[serde(default)]
    pub test: Vec<Case>,
    #[serde(default)]
    pub lint: Vec<Case>,
}

/// Where a kind of project counts.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Where {
    Anywhere,
    /// At the root of a repository.
    Root,
}

/// A command, and what must be in the folder: any of these, or nothing where none is given. In
/// names of files, `*` stands for any characters but a slash.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub run: String,
    /// The command of a task, where it differs: the runner is recorded, so it need not be verbose.
    pub brief: Option<String>,
    /// It checks less than its kind says, and is for a gate only.
    #[serde(default)]
    pub gates_only: bool,
    /// Files.
    #[serde(default)]
    pub has: Vec<String>,
    /// A script of a manifest in JSON.
    pub script: Option<String>,
    /// A target of a makefile.
    pub target: Option<String>,
    /// Files with a text that matches.
    #[serde(default)]
    pub text: BTreeMap<String, Pattern>,
    /// A text in one of the test files of the folder.
    pub tests_say: Option<Pattern>,
    /// Files of which none may be there, whatever else is.
    #[serde(default)]
    pub lacks: Vec<String>,
}

/// A file that decides what a check says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckFile {
    pub file: FilePattern,
    /// The keys of it that do, with dots between names; the whole file, where none is given.
    #[serde(default)]
    pub keys: Vec<String>,
}

/// Words for the commands of a project that has one of the files.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    #[serde(default)]
    pub has: Vec<String>,
    pub words: BTreeMap<String, String>,
}

impl Case {
    pub fn is_unconditional(&self) -> bool {
        self.has.is_empty()
            && self.text.is_empty()
            && self.script.is_none()
            && self.tests_say.is_none()
            && self.target.is_none()
    }
}
