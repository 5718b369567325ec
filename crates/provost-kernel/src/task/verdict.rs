//! What a judge said, as it is kept: checked, completed, and with provost's own arithmetic.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    HalfPoints, Score, ScoreOf100, ScoringMode, TaskType, Thresholds, VerdictDecision, Weight,
};
use crate::{Decimal, Digest, Record};

/// The verdict on a task that has a type: the 17 fields of the contract (LOOP-B1), and more.
///
/// Scores and texts are the judge's; sums, gates and the decision are provost's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    pub decision: VerdictDecision,
    pub scores: BTreeMap<String, HalfPoints>,
    pub weights: BTreeMap<String, Weight>,
    pub raw_score_0_5: Score,
    pub penalty: HalfPoints,
    pub final_score_0_5: Score,
    pub final_score_0_100: ScoreOf100,
    pub gated: bool,
    /// `dim:KEY:SCORE<THRESHOLD`, `penalty:TRIGGER` or `judge:TEXT`.
    pub gating_reasons: Vec<String>,
    pub top_issues: Vec<String>,
    pub fix_suggestions: Vec<String>,
    pub deliverability_index_0_100: u8,
    pub improvement_potential_0_100: u8,
    pub scoring_mode_used: ScoringMode,
    pub rubric_version_used: String,
    pub rubric_hash_used: Digest,
    pub thresholds_used: Thresholds,
    pub task_type: TaskType,
    /// What the judge decided, before facts lowered it.
    pub judge_decision: VerdictDecision,
    #[serde(default)]
    pub reasons: Vec<String>,
    #[serde(default)]
    pub next_instructions: String,
    #[serde(default)]
    pub questions_for_user: Vec<String>,
    /// The digest of the scaffold and the rules that the judge was told to judge by; none in a
    /// verdict of a version that told it none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance_used: Option<Digest>,
}

/// The verdict on a task without a type: there is no rubric, so nothing is scored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlainVerdict {
    pub decision: VerdictDecision,
    pub reasons: Vec<String>,
    pub next_instructions: String,
    pub questions_for_user: Vec<String>,
    /// For the older gates `score_gate` and `score_threshold` of a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Decimal>,
    /// Whether the judge, or `score_gate`, stopped it.
    #[serde(default)]
    pub gated: bool,
    /// What the judge decided, before facts lowered it.
    pub judge_decision: VerdictDecision,
}

/// A verdict in a few words, for lists and summaries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictSummary {
    pub decision: VerdictDecision,
    /// None for a plain verdict.
    pub final_score_0_100: Option<ScoreOf100>,
    pub gated: bool,
    pub gating_reasons: Vec<String>,
    /// The first two.
    pub top_issues: Vec<String>,
}

impl Verdict {
    /// The fields of the contract: none may be absent (LOOP-B1).
    pub const CONTRACT: [&str; 17] = [
        "decision",
        "scores",
        "weights",
        "raw_score_0_5",
        "penalty",
        "final_score_0_5",
        "final_score_0_100",
        "gated",
        "gating_reasons",
        "top_issues",
        "fix_suggestions",
        "deliverability_index_0_100",
        "improvement_potential_0_100",
        "scoring_mode_used",
        "rubric_version_used",
        "rubric_hash_used",
        "thresholds_used",
    ];

    /// The verdict in a few words.
    pub fn summary(&self) -> VerdictSummary {
        VerdictSummary {
            decision: self.decision,
            final_score_0_100: Some(self.final_score_0_100),
            gated: self.gated,
            gating_reasons: self.gating_reasons.clone(),
            top_issues: self.top_issues.iter().take(2).cloned().collect(),
        }
    }
}

impl PlainVerdict {
    /// The verdict in a few words: its reasons stand where a rubric has issues.
    pub fn summary(&self) -> VerdictSummary {
        VerdictSummary {
            decision: self.decision,
            final_score_0_100: None,
            gated: self.gated,
            gating_reasons: Vec::new(),
            top_issues: self.reasons.iter().take(2).cloned().collect(),
        }
    }
}

impl Record for Verdict {
    const SCHEMA: &'static str = "provost.verdict/1";
    const KEYS: &'static [&'static str] = &[
        "decision",
        "deliverability_index_0_100",
        "final_score_0_100",
        "final_score_0_5",
        "fix_suggestions",
        "gated",
        "gating_reasons",
        "guidance_used",
        "improvement_potential_0_100",
        "judge_decision",
        "next_instructions",
        "penalty",
        "questions_for_user",
        "raw_score_0_5",
        "reasons",
        "rubric_hash_used",
        "rubric_version_used",
        "scores",
        "scoring_mode_used",
        "task_type",
        "thresholds_used",
        "top_issues",
        "weights",
    ];
}

impl Record for PlainVerdict {
    const SCHEMA: &'static str = "provost.plain-verdict/1";
    const KEYS: &'static [&'static str] = &[
        "decision",
        "gated",
        "judge_decision",
        "next_instructions",
        "questions_for_user",
        "reasons",
        "score",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::assert_keys;

    #[test]
    fn the_keys_are_those_of_the_schema() {
        assert_keys::<Verdict>();
        assert_keys::<PlainVerdict>();
    }

    /// LOOP-B1: the 17 fields of the contract are there, whatever their values.
    #[test]
    fn a_verdict_on_disk_has_all_17_fields() {
        let schema = schemars::schema_for!(Verdict).to_value();
        let required: Vec<&str> =
            schema["required"].as_array().unwrap().iter().filter_map(|it| it.as_str()).collect();
        for field in [
            "decision",
            "scores",
            "weights",
            "raw_score_0_5",
            "penalty",
            "final_score_0_5",
            "final_score_0_100",
            "gated",
            "gating_reasons",
            "top_issues",
            "fix_suggestions",
            "deliverability_index_0_100",
            "improvement_potential_0_100",
            "scoring_mode_used",
            "rubric_version_used",
            "rubric_hash_used",
            "thresholds_used",
        ] {
            assert!(required.contains(&field), "{field}");
        }
    }

    #[test]
    fn a_summary_has_the_first_two_issues() {
        let plain = PlainVerdict {
            decision: VerdictDecision::Fail,
            reasons: ["a", "b", "c"].map(str::to_owned).to_vec(),
            next_instructions: String::new(),
            questions_for_user: Vec::new(),
            score: None,
            gated: true,
            judge_decision: VerdictDecision::Pass,
        };
        let summary = plain.summary();
        assert_eq!(summary.top_issues, ["a", "b"]);
        assert_eq!((summary.decision, summary.gated), (VerdictDecision::Fail, true));
    }
}
