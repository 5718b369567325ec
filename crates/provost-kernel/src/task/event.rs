//! What happened to a task, one line each, in order.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Decision, PauseCode, Row, State, Status, VerdictDecision};
use crate::{Record, RecordFile, RequestId, Source, TaskId, Text, Timestamp, words::words};

/// One line of `events.jsonl`; what a kind says besides stands beside these fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Counts the task's events from 1; order goes by it, never by time.
    #[serde(default)]
    pub seq: u64,
    pub ts: Timestamp,
    pub task_id: TaskId,
    /// The attempt it belongs to; 0 for none.
    #[serde(default)]
    pub attempt: u16,
    #[serde(rename = "type")]
    pub kind: EventKind,
    #[serde(default)]
    pub summary: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub paths: BTreeMap<String, String>,
}

/// An event with what its kind says besides.
pub type EventLine = RecordFile<Event>;

words! {
    /// What kind of thing happened.
    pub enum EventKind {
        TaskCreated = "TASK_CREATED",
        AttemptStarted = "ATTEMPT_STARTED",
        /// The coder of a task with a plan was asked which files it will change, before it could
        /// change any.
        FilesDeclared = "FILES_DECLARED",
        CoderStarted = "CODER_STARTED",
        CoderFinished = "CODER_FINISHED",
        CoderFailedSkipJudge = "CODER_FAILED_SKIP_JUDGE",
        SkipTestJudgeNoCoderOutput = "SKIP_TEST_JUDGE_NO_CODER_OUTPUT",
        TestStarted = "TEST_STARTED",
        TestFinished = "TEST_FINISHED",
        /// What the agent claims of the plan was run again.
        ClaimsChecked = "CLAIMS_CHECKED",
        EvidencePacked = "EVIDENCE_PACKED",
        JudgeStarted = "JUDGE_STARTED",
        JudgeFinished = "JUDGE_FINISHED",
        AttemptDecided = "ATTEMPT_DECIDED",
        StateChanged = "STATE_CHANGED",
        LockStaleCleared = "LOCK_STALE_CLEARED",
        /// Processes that an earlier run left behind were ended.
        StrayProcessesEnded = "STRAY_PROCESSES_ENDED",
        CoordinatorCrashed = "COORDINATOR_CRASHED",
        TaskReset = "TASK_RESET",
        UserInputReceived = "USER_INPUT_RECEIVED",
        /// The change was held against allowed paths, forbidden globs and secrets.
        PolicyChecked = "POLICY_CHECKED",
        /// A reply of the judge was refused and the judge is asked again.
        JudgeRetried = "JUDGE_RETRIED",
        /// Machine facts lowered what the judge decided.
        DecisionLowered = "DECISION_LOWERED",
        /// A person's order took effect.
        OrderApplied = "ORDER_APPLIED",
        /// A person's order could not take effect.
        OrderRefused = "ORDER_REFUSED",
        OverridesChanged = "OVERRIDES_CHANGED",
        ReviewRecorded = "REVIEW_RECORDED",
        /// A branch was moved to the result.
        Landed = "LANDED",
        /// A branch was moved on, to a commit without the result.
        LandingUndone = "LANDING_UNDONE",
        /// The branch was elsewhere by then, and was left there.
        LandingGivenUp = "LANDING_GIVEN_UP",
        BudgetReached = "BUDGET_REACHED",
        /// Four fifths of a limit of the budget are spent.
        BudgetNearlySpent = "BUDGET_NEARLY_SPENT",
        QuotaWaited = "QUOTA_WAITED",
        /// A work tree with changes was saved before it was removed.
        WorkSaved = "WORK_SAVED",
        /// An attempt started on the files that an earlier one left.
        WorkContinued = "WORK_CONTINUED",
        /// It went on in the session of the earlier one, too.
        SessionContinued = "SESSION_CONTINUED",
        /// The session of an attempt cannot be gone on in.
        SessionDropped = "SESSION_DROPPED",
        /// Those files were merged with a newer base.
        WorkMerged = "WORK_MERGED",
        /// The result of an earlier attempt is tested and judged, and no coder is called.
        CoderSkipped = "CODER_SKIPPED",
        /// A file of state could not be read and was put aside.
        StateQuarantined = "STATE_QUARANTINED",
    }
}

/// What `ATTEMPT_DECIDED` says besides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptDecided {
    pub decision: VerdictDecision,
    pub next_state: State,
    pub pause_reason_code: Option<PauseCode>,
    pub effective_max_attempts: u32,
    pub current_attempt: u32,
    pub consume_attempt: bool,
    pub row: Row,
}

/// What `STATE_CHANGED` says besides: the state that it led to, for readers who come when the task has
/// moved on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StateChanged {
    pub state: State,
    pub pause_reason_code: Option<PauseCode>,
    pub last_decision: Option<VerdictDecision>,
    pub effective_max_attempts: u16,
    pub message: Text,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Text>,
}

/// What `USER_INPUT_RECEIVED` says besides. The text itself stands in its own file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserInputReceived {
    pub source: Source,
    pub author: String,
    /// In characters.
    pub len: usize,
    pub request_id: Option<RequestId>,
}

impl EventKind {
    /// The kinds without which an attempt that was judged is not recorded (LOOP-B18).
    pub const MINIMUM: [Self; 5] = [
        Self::AttemptStarted,
        Self::CoderStarted,
        Self::CoderFinished,
        Self::JudgeStarted,
        Self::JudgeFinished,
    ];

    /// What is missing of that minimum. An attempt on an earlier result has no coder of its own.
    pub fn missing(has: impl Fn(Self) -> bool) -> Vec<Self> {
        let of_coder = [Self::CoderStarted, Self::CoderFinished];
        let is_needed = |it: &Self| !(has(Self::CoderSkipped) && of_coder.contains(it));
        Self::MINIMUM.into_iter().filter(|it| is_needed(it) && !has(*it)).collect()
    }
}

impl AttemptDecided {
    /// What the event says of a decision.
    pub fn of(decision: &Decision, current_attempt: u32, effective_max_attempts: u32) -> Self {
        Self {
            decision: decision.last_decision,
            next_state: decision.next_state,
            pause_reason_code: decision.pause_reason_code,
            effective_max_attempts,
            current_attempt,
            consume_attempt: decision.consume_attempt,
            row: decision.row,
        }
    }
}

impl StateChanged {
    pub fn of(status: &Status) -> Self {
        let is_paused = status.state == State::Paused;
        Self {
            state: status.state,
            pause_reason_code: status.pause_reason_code.filter(|_| is_paused),
            last_decision: status.last_decision,
            effective_max_attempts: status.effective_max_attempts,
            message: status.text(),
            questions: if is_paused { status.questions() } else { Vec::new() },
        }
    }
}

/// An event in the making: what happened, before anybody says when and to which task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub kind: EventKind,
    pub summary: String,
    /// What the kind says besides.
    pub detail: Map<String, Value>,
}

impl Note {
    /// An event that says this, and nothing besides.
    pub fn new(kind: EventKind, summary: impl Into<String>) -> Self {
        Self { kind, summary: summary.into(), detail: Map::new() }
    }

    /// Adds what the event says besides.
    #[must_use]
    pub fn with(mut self, detail: &impl Serialize) -> Self {
        // Only plain structs and objects come here.
        if let Ok(Value::Object(detail)) = serde_json::to_value(detail) {
            self.detail.extend(detail);
        }
        self
    }

    /// The event, with where its files are.
    pub fn line(self, task_id: &TaskId, attempt: u16, ts: Timestamp) -> EventLine {
        let mut paths = BTreeMap::from([
            ("out_dir".to_owned(), task_id.to_string()),
            ("status_path".to_owned(), format!("{task_id}/status.json")),
        ]);
        if attempt > 0 {
            paths.insert("attempt_dir".to_owned(), format!("{task_id}/attempt_{attempt:03}"));
        }
        let event = Event {
            seq: 0,
            ts,
            task_id: task_id.clone(),
            attempt,
            kind: self.kind,
            summary: self.summary,
            paths,
        };
        event.with(&self.detail)
    }
}

impl Event {
    /// Joins the event with what its kind says besides; the event's own fields win.
    pub fn with(self, detail: &impl Serialize) -> EventLine {
        let rest = match serde_json::to_value(detail) {
            Ok(Value::Object(rest)) => rest,
            // Only plain structs come here, and those are objects.
            Ok(_) | Err(_) => Map::new(),
        };
        let rest = rest.into_iter().filter(|(key, _)| !Self::KEYS.contains(&key.as_str()));
        RecordFile { value: self, rest: rest.collect() }
    }
}

impl Record for Event {
    const SCHEMA: &'static str = "provost.event/1";
    const KEYS: &'static [&'static str] =
        &["attempt", "paths", "seq", "summary", "task_id", "ts", "type"];
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Text, record::assert_keys};

    fn event(kind: EventKind) -> Event {
        Event {
            seq: 7,
            ts: Timestamp::EPOCH,
            task_id: "t1".parse().unwrap(),
            attempt: 2,
            kind,
            summary: String::new(),
            paths: BTreeMap::new(),
        }
    }

    #[test]
    fn a_line_carries_what_its_kind_says() {
        assert_keys::<Event>();
        let decision = Decision {
            row: Row::Ready,
            next_state: State::ReadyForReview,
            pause_reason_code: None,
            consume_attempt: false,
            last_decision: VerdictDecision::Pass,
            questions_for_user: Vec::new(),
            message: Text::verbatim(""),
        };
        let line = event(EventKind::AttemptDecided).with(&AttemptDecided::of(&decision, 2, 3));
        let written = serde_json::to_value(&line).unwrap();
        assert_eq!(
            written,
            json!({
                "schema": "provost.event/1", "seq": 7, "ts": "1970-01-01T00:00:00Z",
                "task_id": "t1", "attempt": 2, "type": "ATTEMPT_DECIDED", "summary": "",
                "decision": "PASS", "next_state": "READY_FOR_REVIEW", "pause_reason_code": null,
                "effective_max_attempts": 3, "current_attempt": 2, "consume_attempt": false,
                "row": "ready",
            }),
        );
        assert_eq!(serde_json::from_value::<EventLine>(written).unwrap(), line);
    }

    #[test]
    fn a_detail_cannot_replace_a_field_of_the_event() {
        let line = event(EventKind::TaskReset).with(&json!({"type": "FORGED", "x": 1}));
        let written = serde_json::to_value(&line).unwrap();
        assert_eq!((&written["type"], &written["x"]), (&json!("TASK_RESET"), &json!(1)));
    }

    #[test]
    fn a_line_of_the_original_is_read() {
        let line: EventLine = serde_json::from_value(json!({
            "ts": "2026-01-02T03:04:05Z", "task_id": "t1", "attempt": 0, "type": "TASK_CREATED",
            "summary": "x", "paths": {"out_dir": "o"},
        }))
        .unwrap();
        assert_eq!(line.value.kind, EventKind::TaskCreated);
        let unknown = json!({"ts": "2026-01-02T03:04:05Z", "task_id": "t1", "type": "MAGIC"});
        assert!(serde_json::from_value::<EventLine>(unknown).is_err());
    }
}
