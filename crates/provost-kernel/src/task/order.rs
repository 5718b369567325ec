//! What people order, and what they say to an agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::LandMethod;
use crate::{Actor, AttemptNumber, Digest, Record, RequestId, TaskId, Timestamp, words::words};

/// An order of a person to a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", content = "payload", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Order {
    /// Stop at the next checkpoint.
    Pause,
    /// Stop at once: the step that runs is ended.
    PauseNow,
    /// Go on; also reopens a task that is ready or has failed.
    #[serde(alias = "RUN_NEXT")]
    Resume,
    /// Give up the work trees and start over; attempts stay on record.
    Reset,
    /// Run one more attempt with the prompt of an earlier one.
    Rerun { attempt: AttemptNumber },
    /// Test and judge the newest result again, without the coder.
    Rejudge,
    /// Replace the instruction of the next attempt.
    #[serde(alias = "EDIT_INSTRUCTION")]
    Edit { instruction: String },
    /// Answer a question, or tell the agent something.
    Answer { text: String },
    /// Change what the task was allowed.
    Override { overrides: Overrides },
    /// Change fields of the spec (ruling 74).
    Set { changes: Vec<SpecChange> },
    /// Return to earlier overrides; without a version, to those before the newest.
    Rollback { to_version: Option<u32> },
    /// Take the result.
    Approve,
    /// Refuse the result.
    Reject { because: String },
    /// Accept a finding of an attempt by its name: a person knows of it, and why it may be.
    Accept {
        finding: String,
        because: String,
        attempt: u16,
        /// The files that it is about, as they were; it is void for others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<Digest>,
    },
    /// Put the result of an attempt onto a branch: the commit is made, and the branch moves if it is
    /// still where it was.
    Land {
        attempt: u16,
        branch: String,
        method: LandMethod,
        commit: String,
        /// Where the branch is; none for a new one.
        before: Option<String>,
    },
    /// Take a result that has landed back, by a commit on the same branch.
    UndoLand { commit: String, before: String },
}

/// An order in the task's queue, and who gave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OrderRecord {
    /// Counts the task's orders from 1; they take effect in this order, once.
    pub seq: u64,
    pub created_at: Timestamp,
    pub task_id: TaskId,
    pub order: Order,
    #[serde(default)]
    pub request_id: Option<RequestId>,
    pub actor: Actor,
    /// What was looked at; none where the order was typed, or is older.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen>,
    /// Whether the verdict was hidden from the person who reviews.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blind: bool,
    /// For an override, an edit of the spec or a rollback: the version that it made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<OverrideVersion>,
}

/// The result that a person looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    pub attempt: u16,
    pub state_version: u64,
}

/// What a person told the agent: one line of `user_input.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserInput {
    /// Counts the task's inputs from 1; an attempt consumes by it, never by time.
    #[serde(default)]
    pub seq: u64,
    #[serde(alias = "timestamp")]
    pub ts: Timestamp,
    #[serde(alias = "content")]
    pub text: String,
    #[serde(default)]
    pub request_id: Option<RequestId>,
    #[serde(default)]
    pub actor: Option<Actor>,
}

/// A change of one field of a spec.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpecChange {
    /// The name of the field; a part of one is named as `budget.usd`.
    pub key: String,
    pub how: ChangeKind,
    /// What it becomes, or what is added or removed; null for the default.
    pub value: Value,
}

words! {
    /// What a change does with a field.
    pub enum ChangeKind {
        Set = "set",
        /// To a list.
        Add = "add",
        /// From a list.
        Remove = "remove",
    }
}

/// What a person changed of what the task was allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Overrides {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u16>,
    /// Other fields of the spec, as they are now.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
}

/// One version of the overrides; the newest one holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OverrideVersion {
    /// Counts from 1; a return to an earlier version is a new one.
    #[serde(default)]
    pub version: u32,
    pub task_id: TaskId,
    pub overrides: Overrides,
    #[serde(default)]
    pub request_id: Option<RequestId>,
    pub updated_at: Timestamp,
    pub actor: Actor,
    /// The version that this one repeats; 0 is none at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolled_back_to: Option<u32>,
}

impl Overrides {
    /// So many attempts, and nothing else.
    pub fn of_attempts(max_attempts: u16) -> Self {
        Self { max_attempts: Some(max_attempts), ..Self::default() }
    }
}

impl Order {
    /// The name of the order in the audit, such as `task.pause`.
    pub fn action(&self) -> &'static str {
        match self {
            Self::Pause | Self::PauseNow => "task.pause",
            Self::Resume => "task.resume",
            Self::Reset => "task.reset",
            Self::Rerun { .. } => "task.rerun",
            Self::Rejudge => "task.rejudge",
            Self::Edit { .. } => "task.edit",
            Self::Answer { .. } => "task.answer",
            Self::Override { .. } => "task.override",
            Self::Set { .. } => "task.set",
            Self::Rollback { .. } => "task.rollback",
            Self::Approve => "task.approve",
            Self::Reject { .. } => "task.reject",
            Self::Accept { .. } => "task.accept",
            Self::Land { .. } => "task.land",
            Self::UndoLand { .. } => "task.undo_land",
        }
    }
}

impl Record for OrderRecord {
    const SCHEMA: &'static str = "provost.order/1";
    const KEYS: &'static [&'static str] = &[
        "actor",
        "blind",
        "created_at",
        "order",
        "request_id",
        "resolved",
        "seen",
        "seq",
        "task_id",
    ];
}

impl Record for UserInput {
    const SCHEMA: &'static str = "provost.user-input/1";
    const KEYS: &'static [&'static str] =
        &["actor", "content", "request_id", "seq", "text", "timestamp", "ts"];
}

impl Record for OverrideVersion {
    const SCHEMA: &'static str = "provost.overrides/1";
    const KEYS: &'static [&'static str] =
        &["actor", "overrides", "request_id", "rolled_back_to", "task_id", "updated_at", "version"];
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::record::{RecordFile, assert_keys};

    #[track_caller]
    fn check(value: Value, expected: Option<&str>) {
        let read = serde_json::from_value::<Order>(value.clone()).ok();
        assert_eq!(read.as_ref().map(Order::action), expected, "{value}");
        if let Some(order) = read {
            let again = serde_json::from_value(serde_json::to_value(&order).unwrap()).unwrap();
            assert_eq!(order, again);
        }
    }

    #[test]
    fn an_order_has_what_it_needs() {
        check(json!({"action": "PAUSE"}), Some("task.pause"));
        check(json!({"action": "PAUSE_NOW"}), Some("task.pause"));
        check(json!({"action": "RESUME"}), Some("task.resume"));
        check(json!({"action": "RUN_NEXT"}), Some("task.resume"));
        check(json!({"action": "RESET"}), Some("task.reset"));
        check(json!({"action": "RERUN", "payload": {"attempt": 2}}), Some("task.rerun"));
        check(json!({"action": "RERUN", "payload": {"attempt": 0}}), None);
        check(json!({"action": "REJUDGE"}), Some("task.rejudge"));
        check(json!({"action": "EDIT", "payload": {"instruction": "x"}}), Some("task.edit"));
        check(json!({"action": "EDIT"}), None);
        check(json!({"action": "ANSWER", "payload": {"text": "yes"}}), Some("task.answer"));
        check(
            json!({"action": "OVERRIDE", "payload": {"overrides": {"max_attempts": 5}}}),
            Some("task.override"),
        );
        check(json!({"action": "OVERRIDE", "payload": {"overrides": {"max_atempts": 5}}}), None);
        let change = json!({"key": "goal", "how": "set", "value": "x"});
        check(json!({"action": "SET", "payload": {"changes": [change]}}), Some("task.set"));
        check(json!({"action": "SET", "payload": {"changes": [{"key": "goal"}]}}), None);
        check(
            json!({"action": "ROLLBACK", "payload": {"to_version": null}}),
            Some("task.rollback"),
        );
        check(json!({"action": "APPROVE"}), Some("task.approve"));
        check(json!({"action": "REJECT", "payload": {"because": "no"}}), Some("task.reject"));
        check(json!({"action": "REJECT", "payload": {}}), None);
        check(
            json!({"action": "ACCEPT", "payload": {"finding": "F", "because": "b", "attempt": 1}}),
            Some("task.accept"),
        );
        check(json!({"action": "ACCEPT", "payload": {"finding": "F", "attempt": 1}}), None);
        check(
            json!({"action": "LAND", "payload": {
                "attempt": 1, "branch": "main", "method": "squash", "commit": "c", "before": null,
            }}),
            Some("task.land"),
        );
        check(json!({"action": "LAND", "payload": {"branch": "main"}}), None);
        check(
            json!({"action": "UNDO_LAND", "payload": {"commit": "c", "before": "b"}}),
            Some("task.undo_land"),
        );
        check(json!({"action": "EXPLODE"}), None);
    }

    #[test]
    fn the_original_s_line_of_input_is_read() {
        assert_keys::<OrderRecord>();
        assert_keys::<OverrideVersion>();
        let line = json!({"timestamp": "2026-01-02T03:04:05.678Z", "content": "go on"});
        let kept: RecordFile<UserInput> = serde_json::from_value(line).unwrap();
        assert_eq!(kept.value.text, "go on");
        let written = serde_json::to_value(&kept).unwrap();
        assert_eq!(written["ts"], "2026-01-02T03:04:05Z");
        assert_eq!(written.get("content"), None);
    }
}
