//! `check verdict`: the validator alone, with the facts that the caller has.

use provost_kernel::{
    Finding, Message, Severity,
    task::{HalfPoints, ScoringMode, TaskType, Thresholds, VerdictDecision},
};
use serde::Serialize;

use super::{Judged, VerdictResult, Yardstick, validate};
use crate::{
    reply::{Reply, RubricReply},
    score::{self, MachineFacts, Recomputed},
};

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
) -> CheckedVerdict {
    let scoring_mode = ScoringMode::RubricAnalytic;
    let assessment =
        validate(bytes, yardstick, Judged { task_type, scoring_mode, needs_score: false });
    let mut checked = CheckedVerdict {
        result: assessment.result(),
        findings: assessment.findings(),
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
            checked.findings.extend(overruled(reply, &recomputed, lowered.decision));
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

/// What the judge said and provost overrules; the verdict is valid all the same.
#[derive(Debug, Message)]
#[message(code = "task.verdict.overruled")]
enum Overruled {
    #[message(en = "gated: {0}", zh = "未通过硬性门槛：{0}")]
    Gated(Vec<String>),
    #[message(
        en = "the judge gives {given}, it is {actual}",
        zh = "评审给出 {given}，实为 {actual}"
    )]
    Penalty { given: HalfPoints, actual: HalfPoints },
    #[message(
        en = "the judge decides {given}, the facts {actual}",
        zh = "评审给出 {given}，事实为 {actual}"
    )]
    Decision { given: VerdictDecision, actual: VerdictDecision },
}

fn overruled(
    reply: &RubricReply,
    recomputed: &Recomputed,
    decision: VerdictDecision,
) -> Vec<Finding> {
    let note = |subject: &str, message: Overruled| {
        Finding::new("verdict.overruled", Severity::P2, subject, &message)
    };
    let mut notes = Vec::new();
    if recomputed.gated && !reply.gated {
        notes.push(note("gated", Overruled::Gated(recomputed.gating_reasons.clone())));
    }
    if recomputed.penalty > reply.penalty {
        let (given, actual) = (reply.penalty, recomputed.penalty);
        notes.push(note("penalty", Overruled::Penalty { given, actual }));
    }
    if decision != reply.decision {
        let (given, actual) = (reply.decision, decision);
        notes.push(note("decision", Overruled::Decision { given, actual }));
    }
    notes
}
