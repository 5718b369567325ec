//! The session of an agent that the next attempt may go on in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AttemptNumber, Digest, Record, SessionId, TaskId, model::Usage};

/// What is kept beside the transcript of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionRecord {
    pub task_id: TaskId,
    /// The attempt whose files it belongs to.
    pub attempt: AttemptNumber,
    pub agent: SessionAgent,
    pub session: SessionId,
    /// The name of the transcript, as the program knows it.
    pub file: String,
    /// The digest of the transcript.
    pub digest: Digest,
    /// What the program said of the whole session: some go on counting from there.
    #[serde(default)]
    pub spent: Usage,
}

/// Whose session it is: another agent, or another model, does not go on in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionAgent {
    /// The name in the configuration or in a task.
    pub adapter: String,
    pub preset: String,
    /// None where the program chooses.
    #[serde(default)]
    pub model: Option<String>,
}

impl Record for SessionRecord {
    const SCHEMA: &'static str = "provost.session/1";
    const KEYS: &'static [&'static str] =
        &["agent", "attempt", "digest", "file", "session", "spent", "task_id"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::assert_keys;

    #[test]
    fn every_key_is_known() {
        assert_keys::<SessionRecord>();
    }
}
