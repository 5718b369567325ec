//! How a repository keeps its files on the disk, where that is not how git stores them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::words::words;

words! {
    /// What git's `core.autocrlf` says, where it says something.
    pub enum LineEndings {
        Windows = "true",
        Input = "input",
    }
}

/// The settings of the person and what filters of the person had written, when a plan started. An agent
/// can change the settings afterwards; these stay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct DiskRules {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_endings: Option<LineEndings>,
    /// Whether the modes of files mean nothing, as `core.fileMode=false` says.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ignores_modes: bool,
    /// Whether files are left out of the worktree, as a sparse checkout does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_sparse: bool,
    /// Files that a filter had written: the id of what lay on the disk, by path.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub filtered: BTreeMap<String, String>,
}

impl DiskRules {
    /// Whether files lie on the disk as git stores them.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}
