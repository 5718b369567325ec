//! What a judge says, after facts: an approval that facts lowered does not hold.

use provost_kernel::{
    Message as _,
    task::{Checked, SealStanding, TaskSpec, VerdictDecision},
};

use super::{Attempted, Found, SealNote, find, of_check};

/// What a reply of the judge that cannot be used is called.
const VERDICT: &str = "verdict";
/// What the judge was not shown whole, and the sections that the result lacks.
const OF_THE_JUDGE: [&str; 2] = ["evidence", "sections"];

pub(super) fn judge(attempted: &Attempted<'_>, checks: &[Checked]) -> Found {
    if !attempted.is_judge_called && attempted.spec.is_some_and(|it| !asks_judge(it)) {
        return (SealStanding::NotAsked, Some(SealNote::TestsDecide.text()));
    }
    if let Some(check) = find(checks, VERDICT) {
        // A judge that could not be understood has said nothing.
        return (SealStanding::NotVerified, Some(check.detail.clone()));
    }
    let Some(record) = attempted.decision else { return (SealStanding::NotVerified, None) };
    let Some(said) = record.judge_decision else { return (SealStanding::NotVerified, None) };
    let score = attempted.status.verdict_summary.as_ref().and_then(|it| it.final_score_0_100);
    let score = score.map(|it| it.to_string());
    let facts = &record.facts;
    let contradicted = |note: SealNote| (SealStanding::Contradicted, Some(note.text()));
    match (said, facts.verdict_decision) {
        (VerdictDecision::NeedUserInput, _) => {
            (SealStanding::NotVerified, Some(SealNote::Asks.text()))
        }
        (VerdictDecision::Fail, _) => contradicted(match score {
            Some(score) => SealNote::FailWithScore { score },
            None => SealNote::Fail,
        }),
        (VerdictDecision::Pass, _) if facts.verdict_gated => contradicted(SealNote::Gated),
        (VerdictDecision::Pass, Some(VerdictDecision::Fail)) => contradicted(SealNote::Lowered),
        (VerdictDecision::Pass, _) if !facts.thresholds_pass => {
            contradicted(SealNote::BelowThreshold)
        }
        (VerdictDecision::Pass, _) => {
            let partly = OF_THE_JUDGE.iter().filter_map(|it| find(checks, it)).map(of_check);
            let note = score.map_or(SealNote::Pass, |score| SealNote::PassWithScore { score });
            super::worst((SealStanding::Verified, Some(note.text())), partly)
        }
    }
}

/// Whether the task names a judge; else what was verified decides, or the one of the configuration.
pub(super) fn asks_judge(spec: &TaskSpec) -> bool {
    spec.task_type.is_some() || spec.judge.as_deref().is_some_and(|it| it != TaskSpec::TESTS)
}
