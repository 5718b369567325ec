//! What is known of one attempt when it is over: how it was decided, and what it cost.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Decision, Facts, Usd, VerdictDecision};
use crate::{Finding, TaskId, Timestamp};
use crate::{Record, Text, words::words};

/// How an attempt was decided: what the table was asked, and what it answered.
///
/// It explains the state of a task and is never read as the state itself (LOOP-A11).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecisionRecord {
    pub task_id: TaskId,
    pub attempt: u16,
    pub decided_at: Timestamp,
    pub facts: Facts,
    pub decision: Decision,
    /// What the judge decided, before facts lowered it; none when there is no verdict.
    #[serde(default)]
    pub judge_decision: Option<VerdictDecision>,
    /// What spoke against an approval.
    #[serde(default)]
    pub against: Vec<Text>,
    /// What the judge and the rules want the next attempt to know.
    #[serde(default)]
    pub reasons: Vec<String>,
    #[serde(default)]
    pub next_instructions: String,
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// What was checked, and what was not.
    #[serde(default)]
    pub checks: Vec<Checked>,
}

/// One thing that was checked in an attempt, or could not be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checked {
    /// What it is, such as `tests` or `paths`.
    pub name: String,
    pub standing: Standing,
    /// How it came out, in a few words.
    pub detail: Text,
}

words! {
    /// What is known of a thing that was to be checked. Not verified is never passed.
    pub enum Standing {
        Verified = "verified",
        Failed = "failed",
        NotVerified = "not_verified",
    }
}

/// What an attempt cost and how long its steps took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Metrics {
    /// The version of the format that the original gave it; always `v1`.
    pub schema_version: String,
    pub task_id: TaskId,
    pub attempt: u16,
    /// How long coder, test and judge ran together; a part of a second counts as one.
    pub elapsed_seconds: u64,
    #[serde(default)]
    pub judge_retries: u32,
    /// When each step started and finished.
    #[serde(default)]
    pub phase_ts: BTreeMap<String, Timestamp>,
    /// How long each step took, in milliseconds; empty where an earlier version wrote it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub step_ms: BTreeMap<String, u64>,
    #[serde(default)]
    pub coder_rc: Option<i32>,
    #[serde(default)]
    pub test_rc: Option<i32>,
    #[serde(default)]
    pub judge_rc: Option<i32>,
    /// None when no adapter reported any.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// None when no adapter reported any.
    #[serde(default)]
    pub usd: Option<Usd>,
    /// The attempt in whose session its coder went on; none for a session of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_of: Option<u16>,
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Metrics {
    /// An attempt that has cost nothing yet.
    pub fn new(task_id: TaskId, attempt: u16) -> Self {
        Self {
            schema_version: "v1".to_owned(),
            task_id,
            attempt,
            elapsed_seconds: 0,
            judge_retries: 0,
            phase_ts: BTreeMap::new(),
            step_ms: BTreeMap::new(),
            coder_rc: None,
            test_rc: None,
            judge_rc: None,
            tokens: None,
            usd: None,
            session_of: None,
            notes: Vec::new(),
        }
    }
}

impl Record for DecisionRecord {
    const SCHEMA: &'static str = "provost.decision/1";
    const KEYS: &'static [&'static str] = &[
        "against",
        "attempt",
        "checks",
        "decided_at",
        "decision",
        "facts",
        "findings",
        "judge_decision",
        "next_instructions",
        "reasons",
        "task_id",
    ];
}

impl Record for Metrics {
    const SCHEMA: &'static str = "provost.metrics/1";
    const KEYS: &'static [&'static str] = &[
        "attempt",
        "coder_rc",
        "elapsed_seconds",
        "judge_rc",
        "judge_retries",
        "notes",
        "phase_ts",
        "schema_version",
        "session_of",
        "step_ms",
        "task_id",
        "test_rc",
        "tokens",
        "usd",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::assert_keys;

    #[test]
    fn every_key_is_known() {
        assert_keys::<DecisionRecord>();
        assert_keys::<Metrics>();
    }
}
