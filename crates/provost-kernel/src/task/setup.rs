//! What `provost init` wrote for a project, so that it can be taken out again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Record;

/// The keys that were added to the project's configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct ProjectSetup {
    /// Keys of `[task]`, with the values that were written.
    pub keys: BTreeMap<String, String>,
    /// Whether the file was not there before.
    pub created: bool,
}

impl Record for ProjectSetup {
    const SCHEMA: &'static str = "provost.project-setup/1";
    const KEYS: &'static [&'static str] = &["keys", "created"];
}
