//! What becomes of a branch that is verified without a task.

use serde::{Deserialize, Serialize};

use crate::words::words;

words! {
    /// Whether a branch may be merged, as far as its facts say.
    pub enum VerifyOutcome {
        Passed = "passed",
        Refused = "refused",
        /// In a task, a person would be asked.
        NeedsPerson = "needs_person",
    }
}

/// What has to be verified for a branch to pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strictness {
    /// What a task has to show.
    #[default]
    AsTask,
    /// No gap is left.
    NoGaps,
}
