//! What remains of a run: the final summary and the task's line in the index.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    LandedOn, PauseCategory, PauseCode, ScoreOf100, State, Status, VerdictDecision, VerdictSummary,
    status::word_or_none,
};
use crate::{Record, TaskId, Text, Timestamp, message::MessageRecord};

/// The end of a run, for people and for other programs (LOOP-B16).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FinalSummary {
    pub task_id: TaskId,
    pub state: State,
    pub state_version: u64,
    /// The same as `last_decision`, under the name that older readers use.
    #[serde(default, deserialize_with = "word_or_none")]
    pub decision: Option<VerdictDecision>,
    #[serde(default, deserialize_with = "word_or_none")]
    pub last_decision: Option<VerdictDecision>,
    #[serde(default)]
    pub current_attempt: u16,
    #[serde(default)]
    pub max_attempts: u16,
    #[serde(default)]
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_code: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub message_args: Map<String, Value>,
    #[serde(default)]
    pub questions_for_user: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions_for_user_codes: Vec<Option<MessageRecord>>,
    #[serde(default, deserialize_with = "word_or_none")]
    pub pause_category: Option<PauseCategory>,
    #[serde(default, deserialize_with = "word_or_none")]
    pub pause_reason_code: Option<PauseCode>,
    /// The commit of the newest attempt's result.
    #[serde(default)]
    pub final_head_commit: Option<String>,
    pub updated_at: Timestamp,
    #[serde(default)]
    pub final_score_0_100: Option<ScoreOf100>,
    /// Null before the first verdict.
    #[serde(default)]
    pub verdict_summary: Option<VerdictSummary>,
    #[serde(default)]
    pub paths: BTreeMap<String, String>,
}

/// A task in the index: what a list needs, without opening the task (LOOP-B17).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IndexEntry {
    pub task_id: TaskId,
    pub state: State,
    pub updated_at: Timestamp,
    pub state_version: u64,
    #[serde(default)]
    pub paths: BTreeMap<String, String>,
    #[serde(default)]
    pub current_attempt: u16,
    #[serde(default)]
    pub effective_max_attempts: u16,
    #[serde(default, deserialize_with = "word_or_none")]
    pub last_decision: Option<VerdictDecision>,
    #[serde(default, deserialize_with = "word_or_none")]
    pub pause_reason_code: Option<PauseCode>,
    #[serde(default)]
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_code: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub message_args: Map<String, Value>,
    #[serde(default)]
    pub final_score_0_100: Option<ScoreOf100>,
    /// Where the newest result lies, if it has landed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landed: Option<LandedOn>,
}

impl FinalSummary {
    /// The summary that belongs to a status.
    pub fn of(status: &Status, final_head_commit: Option<String>) -> Self {
        let mut paths = status.paths.clone();
        let path = format!("{}/final_summary.json", status.task_id);
        paths.insert("final_summary_json".to_owned(), path);
        Self {
            task_id: status.task_id.clone(),
            state: status.state,
            state_version: status.state_version,
            decision: status.last_decision,
            last_decision: status.last_decision,
            current_attempt: status.current_attempt,
            max_attempts: status.effective_max_attempts,
            message: status.message.clone(),
            message_code: status.message_code.clone(),
            message_args: status.message_args.clone(),
            questions_for_user: status.questions_for_user.clone(),
            questions_for_user_codes: status.questions_for_user_codes.clone(),
            pause_category: status.pause_category,
            pause_reason_code: status.pause_reason_code,
            final_head_commit,
            updated_at: status.updated_at,
            final_score_0_100: score_of(status),
            verdict_summary: status.verdict_summary.clone(),
            paths,
        }
    }
}

impl IndexEntry {
    /// The message; one of an earlier version is shown as it is.
    pub fn text(&self) -> Text {
        Text::from_parts(&self.message, self.message_code.as_deref(), &self.message_args)
    }

    /// The entry that belongs to a status.
    pub fn of(status: &Status) -> Self {
        Self {
            task_id: status.task_id.clone(),
            state: status.state,
            updated_at: status.updated_at,
            state_version: status.state_version,
            paths: status.paths.clone(),
            current_attempt: status.current_attempt,
            effective_max_attempts: status.effective_max_attempts,
            last_decision: status.last_decision,
            pause_reason_code: status.pause_reason_code,
            message: status.message.clone(),
            message_code: status.message_code.clone(),
            message_args: status.message_args.clone(),
            final_score_0_100: score_of(status),
            landed: LandedOn::of(status),
        }
    }
}

fn score_of(status: &Status) -> Option<ScoreOf100> {
    status.verdict_summary.as_ref().and_then(|it| it.final_score_0_100)
}

impl Record for FinalSummary {
    const SCHEMA: &'static str = "provost.final-summary/1";
    const KEYS: &'static [&'static str] = &[
        "current_attempt",
        "decision",
        "final_head_commit",
        "final_score_0_100",
        "last_decision",
        "max_attempts",
        "message",
        "message_args",
        "message_code",
        "pause_category",
        "pause_reason_code",
        "paths",
        "questions_for_user",
        "questions_for_user_codes",
        "state",
        "state_version",
        "task_id",
        "updated_at",
        "verdict_summary",
    ];
}

impl Record for IndexEntry {
    const SCHEMA: &'static str = "provost.index-entry/1";
    const KEYS: &'static [&'static str] = &[
        "current_attempt",
        "effective_max_attempts",
        "final_score_0_100",
        "landed",
        "last_decision",
        "message",
        "message_args",
        "message_code",
        "pause_reason_code",
        "paths",
        "state",
        "state_version",
        "task_id",
        "updated_at",
    ];
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::record::{RecordFile, assert_keys};

    #[test]
    fn summary_and_index_say_what_the_status_says() {
        assert_keys::<FinalSummary>();
        assert_keys::<IndexEntry>();
        let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        status.state = State::Paused;
        status.pause_reason_code = Some(PauseCode::ScoreGated);
        status.last_decision = Some(VerdictDecision::Fail);
        status.effective_max_attempts = 5;
        status.verdict_summary = Some(VerdictSummary {
            decision: VerdictDecision::Fail,
            final_score_0_100: Some(serde_json::from_str("88.8").unwrap()),
            gated: true,
            gating_reasons: vec!["penalty:plagiarism_copyright".to_owned()],
            top_issues: Vec::new(),
        });
        let summary = FinalSummary::of(&status, Some("abc".to_owned()));
        let written = serde_json::to_value(RecordFile::new(summary)).unwrap();
        for (field, expected) in [
            ("state", json!("PAUSED")),
            ("decision", json!("FAIL")),
            ("last_decision", json!("FAIL")),
            ("max_attempts", json!(5)),
            ("pause_reason_code", json!("PAUSED_SCORE_GATED")),
            ("final_head_commit", json!("abc")),
            ("final_score_0_100", json!(88.8)),
            (
                "paths",
                json!({
                    "status_json": "t1/status.json",
                    "final_summary_json": "t1/final_summary.json",
                }),
            ),
        ] {
            assert_eq!(written[field], expected, "{field}");
        }
        assert_eq!(written["verdict_summary"]["gated"], true);

        let entry = serde_json::to_value(RecordFile::new(IndexEntry::of(&status))).unwrap();
        assert_eq!(entry["paths"], json!({"status_json": "t1/status.json"}));
        assert_eq!(entry["pause_reason_code"], "PAUSED_SCORE_GATED");
        assert_eq!(entry["final_score_0_100"], json!(88.8));
    }

    #[test]
    fn before_the_first_verdict_there_is_no_score() {
        let status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        let summary = serde_json::to_value(FinalSummary::of(&status, None)).unwrap();
        assert!(summary["verdict_summary"].is_null());
        assert!(summary["final_score_0_100"].is_null());
    }
}
