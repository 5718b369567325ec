//! How a project is found, and how it is type-checked, built and tested.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Pattern;

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
}

/// A command, and what must be in the folder: any of these, or nothing where none is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub run: String,
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
            && self.target.is_none()
    }
}
