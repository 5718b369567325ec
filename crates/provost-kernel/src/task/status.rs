//! The state of a task: the one file that says it (LOOP-A11).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{
    Event, EventLine, Landing, PauseCategory, PauseCode, Row, State, TimeoutKey, VerdictDecision,
    VerdictSummary,
};
use crate::{Actor, Digest, Record, RequestId, TaskId, Text, Timestamp, message::MessageRecord};

/// Where a task stands and how it came there (LOOP-B15).
///
/// Every field is written, with `null` where nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    pub task_id: TaskId,
    pub state: State,
    /// Grows by one at every write and never goes back.
    #[serde(default)]
    pub state_version: u64,
    pub updated_at: Timestamp,
    /// Whether the task was made to wait for its turn, and has not begun.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub queued: bool,
    /// The number of the newest attempt; 0 before the first.
    #[serde(default)]
    pub current_attempt: u16,
    /// What the spec allows.
    #[serde(default)]
    pub max_attempts: u16,
    /// What is allowed after overrides.
    #[serde(default)]
    pub effective_max_attempts: u16,
    /// How many attempts count; folders are numbered apart from it.
    #[serde(default)]
    pub attempts_consumed: u16,
    /// Whether a person paused the task.
    #[serde(default)]
    pub pause_flag: bool,
    #[serde(default, deserialize_with = "word_or_none")]
    pub last_decision: Option<VerdictDecision>,
    #[serde(default, deserialize_with = "word_or_none")]
    pub pause_reason_code: Option<PauseCode>,
    #[serde(default, deserialize_with = "word_or_none")]
    pub pause_category: Option<PauseCategory>,
    /// What happened, in English; readers render it from its code.
    #[serde(default)]
    pub message: String,
    /// None for a text of an earlier version, which is shown as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_code: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub message_args: Map<String, Value>,
    #[serde(default)]
    pub questions_for_user: Vec<String>,
    /// Code and arguments of each question; none for one that a judge asked in its own words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions_for_user_codes: Vec<Option<MessageRecord>>,
    /// Where the task's files are, relative to the folder of all tasks.
    #[serde(default)]
    pub paths: BTreeMap<String, String>,
    #[serde(default)]
    pub rubric_version_used: Option<String>,
    /// When the newest input that an attempt was given was received; for people.
    #[serde(default)]
    pub last_user_input_ts_consumed: Option<Timestamp>,
    /// The number of the newest input that an attempt was given.
    #[serde(default)]
    pub last_user_input_seq_consumed: Option<u64>,
    /// The number of the newest order that took effect.
    #[serde(default)]
    pub last_order_seq_applied: u64,
    /// What a person wants the next attempt to do, until one was told.
    #[serde(default)]
    pub next_instruction: Option<String>,
    /// How the task came to this state; always there when it is paused or failed.
    #[serde(default)]
    pub last_transition: Option<Transition>,
    /// What a person said of the result.
    #[serde(default)]
    pub review: Option<Review>,
    /// The findings that people accepted, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Acceptance>,
    /// Where a result was put.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landed: Option<Landing>,
    #[serde(default)]
    pub verdict_summary: Option<VerdictSummary>,
    /// The digest of the spec that runs under this id, as it was given.
    #[serde(default)]
    pub spec_digest: Option<Digest>,
    /// The digest of the spec as it is kept, with what provost filled in and what people edited;
    /// none where that is the spec as it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_spec_digest: Option<Digest>,
    /// The fields of the spec that people changed, as they are now.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub edited: Map<String, Value>,
    /// What the task asks for, once a person has changed its spec.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<Terms>,
    /// The end of the audit chain when this was written.
    #[serde(default)]
    pub audit_head: Option<AuditHead>,
    /// The events that belong to this write. A process that finds them missing in the log adds
    /// them: the status and its events are one commit.
    #[serde(default)]
    #[schemars(with = "Vec<Event>")]
    pub outbox: Vec<EventLine>,
}

/// What a task asks for, by the digest of the fields that say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Terms {
    pub now: Digest,
    /// When the newest attempt began.
    pub of_attempt: Digest,
}

/// How a task came to its state: one shape for pauses, failures, crashes and orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Transition {
    /// The row of the decision table; none for what another version wrote.
    #[serde(default)]
    pub row: Option<Row>,
    /// The pause code as a key; for a failure by timeouts, that of the timeout.
    #[serde(default)]
    pub reason_key: Option<String>,
    #[serde(default, deserialize_with = "word_or_none")]
    pub reason_code: Option<PauseCode>,
    #[serde(default)]
    pub consume_attempt: bool,
    #[serde(default)]
    pub previous_state: Option<State>,
    #[serde(default)]
    pub triggered_at: Option<Timestamp>,
    #[serde(default)]
    pub attempt: Option<u16>,
    /// How many timeouts of one kind came in a row.
    #[serde(default)]
    pub consecutive_count: u32,
    /// Of which kind they were.
    #[serde(default)]
    pub timeout_key: Option<TimeoutKey>,
    #[serde(default)]
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_code: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub message_args: Map<String, Value>,
    /// For a crash: the exit code or the number of the signal.
    #[serde(default)]
    pub signal_or_rc: Option<i32>,
    /// For a crash: what that means, such as `SIGTERM`.
    #[serde(default)]
    pub signal_name: Option<String>,
}

/// A finding that a person knows of and accepts, for the files as they were then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Acceptance {
    /// The code of the finding.
    pub finding: String,
    pub because: String,
    pub actor: Actor,
    pub accepted_at: Timestamp,
    /// The attempt that had it.
    pub attempt: u16,
    #[serde(default)]
    pub digest: Option<Digest>,
}

/// What a person said of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Review {
    pub outcome: ReviewOutcome,
    pub actor: Actor,
    pub reviewed_at: Timestamp,
    /// Why; always there for a rejection.
    #[serde(default)]
    pub because: Option<String>,
    /// The attempt that was looked at.
    #[serde(default)]
    pub attempt: Option<u16>,
    #[serde(default)]
    pub request_id: Option<RequestId>,
    /// Whether the verdict was hidden from the person.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blind: bool,
}

/// Whether a person took the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewOutcome {
    Approved,
    Rejected,
}

/// A place in the audit chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditHead {
    pub seq: u64,
    pub hash: Digest,
}

impl AuditHead {
    /// The head of an empty chain.
    pub const NONE: Self = Self { seq: 0, hash: Digest::ZERO };
}

impl Status {
    /// A task that nothing has happened to.
    pub fn new(task_id: TaskId, updated_at: Timestamp, max_attempts: u16) -> Self {
        let path = format!("{task_id}/status.json");
        Self {
            task_id,
            state: State::Running,
            state_version: 1,
            updated_at,
            queued: false,
            current_attempt: 0,
            max_attempts,
            effective_max_attempts: max_attempts,
            attempts_consumed: 0,
            pause_flag: false,
            last_decision: None,
            pause_reason_code: None,
            pause_category: None,
            message: String::new(),
            message_code: None,
            message_args: Map::new(),
            questions_for_user: Vec::new(),
            questions_for_user_codes: Vec::new(),
            paths: BTreeMap::from([("status_json".to_owned(), path)]),
            rubric_version_used: None,
            last_user_input_ts_consumed: None,
            last_user_input_seq_consumed: None,
            last_order_seq_applied: 0,
            next_instruction: None,
            last_transition: None,
            review: None,
            accepted: Vec::new(),
            landed: None,
            verdict_summary: None,
            spec_digest: None,
            kept_spec_digest: None,
            edited: Map::new(),
            terms: None,
            audit_head: None,
            outbox: Vec::new(),
        }
    }
}

impl Status {
    /// The message; one of an earlier version is shown as it is.
    pub fn text(&self) -> Text {
        Text::from_parts(&self.message, self.message_code.as_deref(), &self.message_args)
    }

    /// Whether the task asks for something else than when its newest attempt began: what that one
    /// proved is not about it.
    pub fn is_stale(&self) -> bool {
        self.current_attempt > 0 && self.terms.is_some_and(|it| it.now != it.of_attempt)
    }

    /// Whether the task waits for its turn: no process runs it, and none has to.
    pub fn is_queued(&self) -> bool {
        self.state == State::Running && self.queued
    }

    /// Whether a process has to run the task: where none does, its coordinator is gone.
    pub fn is_driven(&self) -> bool {
        self.state == State::Running && !self.queued
    }

    /// What a person is asked.
    pub fn questions(&self) -> Vec<Text> {
        let questions = self.questions_for_user.iter().enumerate();
        questions
            .map(|(at, text)| {
                let record = self.questions_for_user_codes.get(at).and_then(Option::as_ref);
                Text::restore(text.clone(), record)
            })
            .collect()
    }

    /// Replaces the message, together with its code.
    pub fn set_message(&mut self, message: &Text) {
        (self.message, self.message_code, self.message_args) = message.to_parts();
    }

    /// Replaces the questions, together with their codes.
    pub fn set_questions(&mut self, questions: &[Text]) {
        self.questions_for_user = questions.iter().map(Text::to_string).collect();
        let codes: Vec<_> = questions.iter().map(Text::record).collect();
        let has_codes = codes.iter().any(Option::is_some);
        self.questions_for_user_codes = if has_codes { codes } else { Vec::new() };
    }
}

impl Transition {
    /// The message; one of an earlier version is shown as it is.
    pub fn text(&self) -> Text {
        Text::from_parts(&self.message, self.message_code.as_deref(), &self.message_args)
    }
}

impl Record for Status {
    const SCHEMA: &'static str = "provost.status/1";
    const KEYS: &'static [&'static str] = &[
        "accepted",
        "attempts_consumed",
        "audit_head",
        "current_attempt",
        "edited",
        "effective_max_attempts",
        "kept_spec_digest",
        "landed",
        "last_decision",
        "last_order_seq_applied",
        "last_transition",
        "last_user_input_seq_consumed",
        "last_user_input_ts_consumed",
        "max_attempts",
        "message",
        "message_args",
        "message_code",
        "next_instruction",
        "outbox",
        "pause_category",
        "pause_flag",
        "pause_reason_code",
        "paths",
        "questions_for_user",
        "questions_for_user_codes",
        "queued",
        "review",
        "rubric_version_used",
        "spec_digest",
        "state",
        "state_version",
        "task_id",
        "terms",
        "updated_at",
        "verdict_summary",
    ];
}

/// Reads a word; the original wrote an empty text where there is none.
pub(super) fn word_or_none<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: std::str::FromStr,
    T::Err: std::fmt::Display,
{
    let text = Option::<String>::deserialize(deserializer)?.filter(|it| !it.is_empty());
    text.map(|it| it.parse().map_err(serde::de::Error::custom)).transpose()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::record::{RecordFile, assert_keys};

    fn fresh() -> Status {
        Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3)
    }

    /// LOOP-B15: all 13 fields are there, null when nothing is known.
    #[test]
    fn a_status_always_has_its_fields() {
        assert_keys::<Status>();
        let written = serde_json::to_value(RecordFile::new(fresh())).unwrap();
        for (field, expected) in [
            ("schema", json!("provost.status/1")),
            ("task_id", json!("t1")),
            ("state", json!("RUNNING")),
            ("state_version", json!(1)),
            ("updated_at", json!("1970-01-01T00:00:00Z")),
            ("current_attempt", json!(0)),
            ("effective_max_attempts", json!(3)),
            ("last_decision", Value::Null),
            ("pause_reason_code", Value::Null),
            ("message", json!("")),
            ("questions_for_user", json!([])),
            ("paths", json!({"status_json": "t1/status.json"})),
            ("rubric_version_used", Value::Null),
            ("last_user_input_ts_consumed", Value::Null),
            ("last_transition", Value::Null),
        ] {
            assert_eq!(written.get(field), Some(&expected), "{field}");
        }
        assert_eq!(
            serde_json::from_value::<RecordFile<Status>>(written).unwrap(),
            RecordFile::new(fresh())
        );
    }

    #[test]
    fn a_status_of_the_original_is_read() {
        let original = json!({
            "task_id": "t1", "state": "READY", "state_version": 4,
            "updated_at": "2026-01-02T03:04:05.678Z", "current_attempt": 1, "max_attempts": 3,
            "effective_max_attempts": 3, "pause_flag": false, "last_decision": "PASS",
            "message": "ok", "questions_for_user": [], "pause_category": "",
            "pause_reason_code": "", "paths": {"status_json": "t1/status.json"},
            "rubric_version_used": null, "last_user_input_ts_consumed": null,
            "last_transition": {
                "consume_attempt": false, "reason_key": "PAUSED_JUDGE_TIMEOUT",
                "triggered_at": "2026-01-02T03:04:05Z", "consecutive_count": 1,
            },
            "something_of_theirs": 1,
        });
        let mut kept: RecordFile<Status> = serde_json::from_value(original).unwrap();
        assert_eq!(kept.value.state, State::ReadyForReview);
        assert_eq!(kept.value.pause_reason_code, None);
        assert_eq!(kept.value.last_transition.as_ref().unwrap().consecutive_count, 1);
        kept.value.state_version += 1;
        let written = serde_json::to_value(&kept).unwrap();
        assert_eq!(written["something_of_theirs"], 1);
        assert_eq!(written["state"], "READY_FOR_REVIEW");
        assert_eq!(written["updated_at"], "2026-01-02T03:04:05Z");
    }

    #[test]
    fn a_word_that_nobody_knows_is_refused() {
        let mut status = serde_json::to_value(fresh()).unwrap();
        status["pause_reason_code"] = json!("PAUSED_TOMORROW");
        assert!(serde_json::from_value::<Status>(status).is_err());
    }
}
