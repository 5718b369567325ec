//! One line of a replay: what an agent did, and when, without what it said.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HookType, Mode};
use crate::{Decimal, Millis, Record, words::words};

words! {
    /// What happened.
    pub enum ReplayKind {
        AgentStart = "agent_start",
        AgentStop = "agent_stop",
        ToolStart = "tool_start",
        ToolEnd = "tool_end",
        FileTouch = "file_touch",
        Intervention = "intervention",
        Error = "error",
        HookFire = "hook_fire",
        HookResult = "hook_result",
        KeywordDetected = "keyword_detected",
        SkillActivated = "skill_activated",
        SkillInvoked = "skill_invoked",
        ModeChange = "mode_change",
    }
}

/// One event of a session. What does not apply is absent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayEvent {
    /// When it was, in Unix milliseconds.
    pub ts: Millis,
    /// Seconds since the first event of the session, to a tenth.
    pub t: Decimal,
    /// The first seven characters of the agent's id, or of `system` or `orchestrator`.
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    pub event: ReplayKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_mode: Option<Mode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook: Option<HookType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook_event: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyword: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_from: Option<Mode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_to: Option<Mode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_injected: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_length: Option<u64>,
}

impl ReplayEvent {
    /// How many characters of an agent's id are shown.
    pub const AGENT_CHARACTERS: usize = 7;
    /// How many characters of a path are kept.
    pub const FILE_CHARACTERS: usize = 200;
    /// How many characters of a task are kept.
    pub const TASK_CHARACTERS: usize = 100;
    /// A line is written at once, and so it has at most so many bytes, its newline included.
    pub const LINE_BYTES: usize = 4096;
    /// A replay has at most so many bytes; what comes later is not written.
    pub const REPLAY_BYTES: u64 = 5 << 20;

    /// An event with nothing but its time and its kind.
    pub fn new(event: ReplayKind, agent: &str, first: Option<Millis>, ts: Millis) -> Self {
        let tenths = ts.0.saturating_sub(first.unwrap_or(ts).0) / 100;
        Self {
            ts,
            t: Decimal::ratio(i64::try_from(tenths).unwrap_or(i64::MAX), 10),
            agent: agent.chars().take(Self::AGENT_CHARACTERS).collect(),
            agent_type: None,
            event,
            tool: None,
            file: None,
            duration_ms: None,
            task: None,
            success: None,
            reason: None,
            parent_mode: None,
            model: None,
            hook: None,
            hook_event: None,
            keyword: None,
            skill_name: None,
            skill_source: None,
            mode_from: None,
            mode_to: None,
            context_injected: None,
            context_length: None,
        }
    }
}

impl Record for ReplayEvent {
    const SCHEMA: &'static str = "provost.replay/1";
    const KEYS: &'static [&'static str] = &[
        "ts",
        "t",
        "agent",
        "agent_type",
        "event",
        "tool",
        "file",
        "duration_ms",
        "task",
        "success",
        "reason",
        "parent_mode",
        "model",
        "hook",
        "hook_event",
        "keyword",
        "skill_name",
        "skill_source",
        "mode_from",
        "mode_to",
        "context_injected",
        "context_length",
    ];
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::RecordFile;

    #[test]
    fn an_event_says_how_long_after_the_first_it_was() {
        #[track_caller]
        fn check(first: Option<u64>, ts: u64, expected: serde_json::Value) {
            let event = ReplayEvent::new(
                ReplayKind::HookFire,
                "orchestrator",
                first.map(Millis),
                Millis(ts),
            );
            let line = serde_json::to_value(RecordFile::new(event)).unwrap();
            let fixed = json!({
                "schema": "provost.replay/1", "ts": ts, "agent": "orchest", "event": "hook_fire",
                "t": expected,
            });
            assert_eq!(line, fixed);
        }
        check(None, 5_000, json!(0));
        check(Some(5_000), 5_000, json!(0));
        check(Some(5_000), 6_250, json!(1.2));
        check(Some(5_000), 4_000, json!(0));
    }

    #[test]
    fn an_event_knows_its_keys() {
        let schema = schemars::schema_for!(ReplayEvent).to_value();
        let mut expected: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
        let mut actual = ReplayEvent::KEYS.to_vec();
        expected.sort_unstable();
        actual.sort_unstable();
        assert_eq!(actual, expected);
        assert_eq!(ReplayKind::ALL.len(), 13);
    }
}
