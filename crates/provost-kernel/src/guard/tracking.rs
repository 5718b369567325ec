//! What is known of the agents that an agent started: the content of `subagent-tracking.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Moment;
use crate::{Decimal, Record, words::words};

words! {
    /// Where an agent stands.
    pub enum AgentStatus {
        Running = "running",
        Completed = "completed",
        Failed = "failed",
    }
}

/// The tracked state: every agent that is known, and how many there ever were.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tracking {
    #[serde(default)]
    pub agents: Vec<Agent>,
    #[serde(default)]
    pub total_spawned: u64,
    #[serde(default)]
    pub total_completed: u64,
    #[serde(default)]
    pub total_failed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_updated: Option<Moment>,
    /// The operations that waited in files of their own and are in this state already: should
    /// one of these files still be there, it is not applied again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub applied: Vec<String>,
}

/// One agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Agent {
    pub agent_id: String,
    pub agent_type: String,
    /// Whose agent it is: at the end of a session only its own are forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    pub started_at: Moment,
    /// The mode in which it was started, or `none`.
    #[serde(default = "no_mode")]
    pub parent_mode: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_description: Option<String>,
    /// The files that it works on, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub file_ownership: Vec<String>,
    pub status: AgentStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_summary: Option<String>,
    /// Its last calls of tools, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_usage: Vec<ToolUse>,
    /// How many calls of tools there were, those that are no longer listed included.
    #[serde(default)]
    pub tool_calls: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    #[serde(default = "no_cost")]
    pub cost_usd: Decimal,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolUse {
    pub tool_name: String,
    pub timestamp: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
}

/// What an agent used of its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenUsage {
    #[serde(default)]
    pub input_tokens: u64,
    #[serde(default)]
    pub output_tokens: u64,
    #[serde(default)]
    pub cache_read_tokens: u64,
    #[serde(default = "no_cost")]
    pub cost_usd: Decimal,
}

impl Tracking {
    /// How many agents are running.
    pub fn n_running(&self) -> usize {
        self.agents.iter().filter(|it| it.status == AgentStatus::Running).count()
    }
}

impl Agent {
    /// How many characters of its task are kept.
    pub const TASK_CHARACTERS: usize = 200;
    /// How many characters of its last words are kept.
    pub const SUMMARY_CHARACTERS: usize = 500;
    /// How many of its calls of tools are listed.
    pub const LISTED_TOOL_USES: usize = 50;
    /// How many of its files are listed.
    pub const LISTED_FILES: usize = 100;

    /// The instant that says how new the record is: its end, or else its start.
    pub fn dated(&self) -> Option<i64> {
        self.completed_at.as_ref().unwrap_or(&self.started_at).millis()
    }
}

impl Record for Tracking {
    const SCHEMA: &'static str = "provost.tracking/1";
    const KEYS: &'static [&'static str] =
        &["agents", "total_spawned", "total_completed", "total_failed", "last_updated", "applied"];
}

fn no_mode() -> String {
    "none".to_owned()
}

fn no_cost() -> Decimal {
    Decimal::ZERO
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::RecordFile;

    /// A file of the original, with the fields that it writes.
    fn original() -> serde_json::Value {
        json!({
            "agents": [{
                "agent_id": "a9fa68e61a23b0e76",
                "agent_type": "general-purpose",
                "started_at": "2026-11-15T00:00:00.123Z",
                "parent_mode": "none",
                "status": "completed",
                "completed_at": "2026-11-15T00:01:00.456Z",
                "duration_ms": 60_333,
                "tool_usage": [{"tool_name": "Bash", "timestamp": "2026-11-15T00:00:30.000Z"}],
                "token_usage": {
                    "input_tokens": 10, "output_tokens": 20, "cache_read_tokens": 0, "cost_usd": 0.25,
                },
            }],
            "total_spawned": 1,
            "total_completed": 1,
            "total_failed": 0,
            "last_updated": "2026-11-15T00:01:00.500Z",
        })
    }

    #[test]
    fn a_file_of_the_original_is_read_and_written_with_its_times() {
        let kept: RecordFile<Tracking> = serde_json::from_value(original()).unwrap();
        let agent = &kept.value.agents[0];
        assert_eq!(agent.dated(), Some(1_794_700_860_456));
        assert_eq!((agent.tool_calls, agent.cost_usd), (0, Decimal::ZERO));
        assert_eq!(kept.value.n_running(), 0);
        let mut expected = original();
        expected["schema"] = json!("provost.tracking/1");
        expected["agents"][0]["tool_calls"] = json!(0);
        expected["agents"][0]["cost_usd"] = json!(0);
        assert_eq!(serde_json::to_value(&kept).unwrap(), expected);
    }

    #[test]
    fn the_date_of_a_record_is_its_end_or_else_its_start() {
        let mut agent: Agent = serde_json::from_value(original()["agents"][0].clone()).unwrap();
        agent.completed_at = None;
        assert_eq!(agent.dated(), Some(1_794_700_800_123));
        agent.completed_at = Some("soon".to_owned().into());
        assert_eq!(agent.dated(), None, "an end that is no time does not fall back to the start");
    }

    #[test]
    fn a_state_knows_its_keys() {
        let schema = schemars::schema_for!(Tracking).to_value();
        let mut expected: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
        let mut actual = Tracking::KEYS.to_vec();
        expected.sort_unstable();
        actual.sort_unstable();
        assert_eq!(actual, expected);
        assert_eq!(RecordFile::<Tracking>::read(json!({})).unwrap().value, Tracking::default());
        assert!(RecordFile::<Tracking>::read(json!({"agents": {}})).is_err());
        assert!(RecordFile::<Tracking>::read(json!({"schema": "provost.tracking/2"})).is_err());
    }
}
