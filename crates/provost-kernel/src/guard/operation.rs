//! What one hook changes in the tracked state.
//!
//! Counts are never merged: each hook says what happened, and the holder of the lock applies it.
//! A hook that cannot have the lock in time leaves the operation beside the state, for the next
//! one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Agent, Moment, ToolUse};
use crate::Record;

/// One change of the tracked state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// An agent was started.
    Start { agent: Box<Agent> },
    /// An agent has ended.
    Stop {
        agent_id: String,
        at: Moment,
        succeeded: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// An agent called a tool, and perhaps wrote a file with it.
    ToolUse {
        agent_id: String,
        tool_use: ToolUse,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
    },
    /// A session is over: its agents are forgotten, the totals are not.
    EndSession { session_id: String },
}

/// An operation that waits in a file of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spooled {
    pub operation: Operation,
}

impl Record for Spooled {
    const SCHEMA: &'static str = "provost.operation/1";
    const KEYS: &'static [&'static str] = &["operation"];
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::RecordFile;

    #[test]
    fn an_operation_survives_its_file() {
        let agent = json!({
            "agent_id": "a1", "agent_type": "executor", "started_at": "2026-11-15T00:00:00Z",
            "parent_mode": "none", "status": "running", "tool_calls": 0, "cost_usd": 0.25,
        });
        let used = json!({"tool_name": "Bash", "timestamp": "2026-11-15T00:00:01Z"});
        for operation in [
            json!({"start": {"agent": agent}}),
            json!({"stop": {"agent_id": "a1", "at": "2026-11-15T00:00:01Z", "succeeded": true}}),
            json!({"tool_use": {"agent_id": "a1", "tool_use": used, "file": "src/a.rs"}}),
            json!({"end_session": {"session_id": "s1"}}),
        ] {
            let file = json!({"schema": "provost.operation/1", "operation": operation});
            let kept = RecordFile::<Spooled>::read(file.clone()).unwrap();
            assert_eq!(serde_json::to_value(&kept).unwrap(), file);
        }
        assert!(RecordFile::<Spooled>::read(json!({"operation": {"start": {}}})).is_err());
        assert!(RecordFile::<Spooled>::read(json!({})).is_err());
    }
}
