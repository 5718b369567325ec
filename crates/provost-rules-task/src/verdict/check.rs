//! `check verdict`: the validator alone, with the facts that the caller has.

use provost_kernel::{
    Finding, Lang, Severity,
    task::{ScoringMode, TaskType, Thresholds, VerdictDecision},
};
use serde::Serialize;

use super::{Judged, Reply, RubricReply, VerdictResult, Yardstick, validate};
use crate::score::{self, MachineFacts, Recomputed};

/// The answer of `check verdict`, with the keys that scripts read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedVerdict {
    pub result: VerdictResult,
    pub findings: Vec<Finding>,
    /// None for a reply that is invalid, and for a task without a type.
    pub recomputed: Option<Recomputed>,
    /// What the decision table would be told.
    pub error_class: &'static str,
    /// The decision after the facts lowered it; none when the reply is invalid.
    pub decision: Option<VerdictDecision>,
    /// None when nothing was scored.
    pub thresholds_pass: Option<bool>,
}

/// Judges a reply; without a type, as a plain verdict.
pub fn check(
    bytes: &[u8],
    yardstick: &Yardstick,
    task_type: Option<TaskType>,
    facts: &MachineFacts,
    thresholds: &Thresholds,
    lang: Lang,
) -> CheckedVerdict {
    let scoring_mode = ScoringMode::RubricAnalytic;
    let assessment =
        validate(bytes, yardstick, Judged { task_type, scoring_mode, needs_score: false });
    let mut checked = CheckedVerdict {
        result: assessment.result(),
        findings: assessment.findings(lang),
        recomputed: None,
        error_class: assessment.error_class().as_str(),
        decision: None,
        thresholds_pass: None,
    };
    match (&assessment.reply, task_type) {
        (Some(Reply::Rubric(reply)), Some(task_type)) => {
            let recomputed = score::recompute(reply, yardstick.rubric.of(task_type), facts);
            let missed = score::missed(thresholds, &reply.scores, recomputed.final_score_0_100);
            let lowered = score::lower(reply.decision, &recomputed.gating_reasons, facts);
            checked.findings.extend(overruled(reply, &recomputed, lowered.decision, lang));
            checked.decision = Some(lowered.decision);
            checked.thresholds_pass = Some(missed.is_empty());
            checked.recomputed = Some(recomputed);
        }
        (Some(Reply::Plain(reply)), _) => {
            let plain = score::plain(reply, score::PlainLimits::default(), facts);
            let lowered = score::lower(reply.decision, &plain.gating_reasons, facts);
            checked.decision = Some(lowered.decision);
        }
        (Some(Reply::Rubric(_)) | None, _) => {}
    }
    checked
}

/// What the judge said and provost does not follow; the verdict is valid all the same.
fn overruled(
    reply: &RubricReply,
    recomputed: &Recomputed,
    decision: VerdictDecision,
    lang: Lang,
) -> Vec<Finding> {
    let note = |subject: &str, message: String| Finding {
        rule: "verdict.overruled".into(),
        severity: Severity::P2,
        subject: subject.to_owned(),
        message: message.into(),
        hint: None,
    };
    let mut notes = Vec::new();
    if recomputed.gated && !reply.gated {
        let reasons = recomputed.gating_reasons.join(", ");
        notes.push(note(
            "gated",
            lang.pick(format!("it is gated: {reasons}"), format!("未通过硬性门槛:{reasons}")),
        ));
    }
    if recomputed.penalty > reply.penalty {
        let (said, is) = (reply.penalty, recomputed.penalty);
        notes.push(note(
            "penalty",
            lang.pick(
                format!("the judge says {said}, and it is {is}"),
                format!("评审给出 {said},实为 {is}"),
            ),
        ));
    }
    if decision != reply.decision {
        let said = reply.decision;
        notes.push(note(
            "decision",
            lang.pick(
                format!("the judge says {said}, and the facts say {decision}"),
                format!("评审给出 {said},事实为 {decision}"),
            ),
        ));
    }
    notes
}
