//! What a judge said of the newest attempt, with provost's own arithmetic.

use provost_kernel::{
    AttemptNumber, Record as _, RecordFile,
    task::{PlainVerdict, Score, Verdict, VerdictDecision},
};
use provost_rules_task::rubric::Rubric;
use provost_vault::{Stored, read_json};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::newest;
use crate::{DISK, Desk, DeskError, task::View};

/// What a judge said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct JudgeView {
    /// The adapter; null where the task names none.
    pub name: Option<String>,
    /// The type of task whose rubric it is; null for a plain verdict.
    pub rubric: Option<String>,
    pub rubric_version: Option<String>,
    pub dimensions: Vec<DimensionScore>,
    /// Out of 5.
    pub raw: Option<String>,
    pub penalty: Option<String>,
    /// Out of 100.
    pub r#final: Option<String>,
    pub gated: bool,
    pub gating_reasons: Vec<String>,
    /// In the judge's words.
    pub said: Vec<String>,
    /// What the judge decided.
    pub decision: VerdictDecision,
    /// What is left of it.
    pub decision_after_facts: VerdictDecision,
}

/// One dimension of the rubric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DimensionScore {
    pub name: String,
    pub score: String,
    pub weight: String,
    /// Whether it is a hard gate.
    pub gate: bool,
    /// The least score that the task, or the gate, asks for.
    pub threshold: Option<String>,
    /// Score by weight.
    pub product: String,
}

impl Desk {
    pub(super) fn judge_view(
        &self,
        view: &View,
        unreadable: &mut Vec<String>,
    ) -> Result<Option<JudgeView>, DeskError> {
        let status = view.status();
        let Ok(attempt) = AttemptNumber::try_from(status.current_attempt) else { return Ok(None) };
        if view.is_judged_by_tests() {
            return Ok(None);
        }
        let name = view.spec.as_ref().and_then(|it| it.value.judge.clone());
        let after = newest(view).and_then(|it| it.decision.as_ref()?.facts.verdict_decision);
        let at = self.layout().verdict(&status.task_id, attempt);
        let read = match read_json::<_, Value>(&DISK, &at)? {
            Stored::Absent => return Ok(None),
            Stored::Present(value) => read(value),
            Stored::Corrupt(_) => None,
        };
        let Some(judged) = read else {
            let path = at.path().to_string();
            if !unreadable.contains(&path) {
                unreadable.push(path);
            }
            return Ok(None);
        };
        let decision_after_facts = after.unwrap_or(judged.decision_after_facts);
        Ok(Some(JudgeView { name, decision_after_facts, ..judged }))
    }
}

/// A verdict of either kind.
fn read(value: Value) -> Option<JudgeView> {
    if value.get("schema").and_then(Value::as_str) == Some(PlainVerdict::SCHEMA) {
        return RecordFile::<PlainVerdict>::read(value).ok().map(|it| of_plain(it.value));
    }
    RecordFile::<Verdict>::read(value).ok().map(|it| of_rubric(&it.value))
}

fn of_rubric(verdict: &Verdict) -> JudgeView {
    // A rubric that cannot be read says nothing of gates; the scores stand for themselves.
    let rubric = Rubric::embedded().ok();
    let rubric = rubric.as_ref().map(|it| it.of(verdict.task_type));
    let dimensions = verdict.weights.iter().filter_map(|(name, weight)| {
        let score = verdict.scores.get(name)?;
        let gate = rubric
            .is_some_and(|it| it.dimensions.iter().any(|it| it.key == *name && it.is_hard_gate));
        let asked = verdict.thresholds_used.dimensions.get(name).copied();
        let gated = rubric.filter(|_| gate).map(|it| it.gate_threshold);
        Some(DimensionScore {
            name: name.clone(),
            score: score.to_string(),
            weight: weight.to_string(),
            gate,
            threshold: asked.or(gated).map(|it| it.to_string()),
            product: Score::weighted([(*score, *weight)]).to_string(),
        })
    });
    let mut dimensions: Vec<DimensionScore> = dimensions.collect();
    // The heaviest first; of equal ones, as the rubric has them.
    let place =
        |name: &str| rubric.and_then(|it| it.dimension_keys().iter().position(|key| *key == name));
    dimensions.sort_by_key(|it| place(&it.name));
    dimensions.sort_by_key(|it| std::cmp::Reverse(verdict.weights.get(&it.name).copied()));
    JudgeView {
        name: None,
        rubric: Some(verdict.task_type.to_string()),
        rubric_version: Some(verdict.rubric_version_used.clone()),
        dimensions,
        raw: Some(verdict.raw_score_0_5.to_string()),
        penalty: Some(verdict.penalty.to_string()),
        r#final: Some(verdict.final_score_0_100.to_string()),
        gated: verdict.gated,
        gating_reasons: verdict.gating_reasons.clone(),
        said: [&verdict.reasons, &verdict.top_issues].into_iter().flatten().cloned().collect(),
        decision: verdict.judge_decision,
        decision_after_facts: verdict.decision,
    }
}

fn of_plain(verdict: PlainVerdict) -> JudgeView {
    JudgeView {
        name: None,
        rubric: None,
        rubric_version: None,
        dimensions: Vec::new(),
        raw: None,
        penalty: None,
        r#final: verdict.score.map(|it| it.to_string()),
        gated: verdict.gated,
        gating_reasons: Vec::new(),
        said: verdict.reasons,
        decision: verdict.judge_decision,
        decision_after_facts: verdict.decision,
    }
}
