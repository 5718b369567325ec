//! From a reply to the verdict on record: all fields, with provost's own arithmetic.

use provost_kernel::task::{
    PlainVerdict, ScoringMode, TaskType, Thresholds, Verdict, VerdictDecision,
};

use crate::{
    reply::{PlainReply, RubricReply},
    rubric::Rubric,
    score::{PlainScore, Recomputed},
};

/// Completes a verdict: what the judge may leave out, and what it does not decide (LOOP-B1).
///
/// Rubric, thresholds, sums and gates are provost's, whatever the reply says of them. The judge's
/// own indices stay where it gave any, but nothing is more deliverable than its score.
pub fn complete(
    reply: &RubricReply,
    recomputed: &Recomputed,
    decision: VerdictDecision,
    rubric: &Rubric,
    task_type: TaskType,
    thresholds: &Thresholds,
) -> Verdict {
    let dimensions = &rubric.of(task_type).dimensions;
    let reachable = if recomputed.gated { 0 } else { recomputed.final_score_0_100.truncated() };
    Verdict {
        decision,
        scores: reply.scores.clone(),
        weights: dimensions.iter().map(|it| (it.key.clone(), it.weight)).collect(),
        raw_score_0_5: recomputed.raw_score_0_5,
        penalty: recomputed.penalty,
        final_score_0_5: recomputed.final_score_0_5,
        final_score_0_100: recomputed.final_score_0_100,
        gated: recomputed.gated,
        gating_reasons: recomputed.gating_reasons.clone(),
        top_issues: reply.top_issues.clone(),
        fix_suggestions: reply.fix_suggestions.clone(),
        deliverability_index_0_100: reply
            .deliverability_index_0_100
            .map_or(reachable, |it| it.min(reachable)),
        improvement_potential_0_100: reply
            .improvement_potential_0_100
            .unwrap_or_else(|| improvement_potential(reply)),
        scoring_mode_used: ScoringMode::RubricAnalytic,
        rubric_version_used: rubric.version.clone(),
        rubric_hash_used: rubric.hash,
        thresholds_used: thresholds.clone(),
        task_type,
        judge_decision: reply.decision,
        reasons: reply.reasons.clone(),
        next_instructions: reply.next_instructions.clone(),
        questions_for_user: reply.questions_for_user.clone(),
        guidance_used: None,
    }
}

/// Completes a verdict on a task without a type.
pub fn complete_plain(
    reply: &PlainReply,
    score: &PlainScore,
    decision: VerdictDecision,
) -> PlainVerdict {
    PlainVerdict {
        decision,
        reasons: reply.reasons.clone(),
        next_instructions: reply.next_instructions.clone(),
        questions_for_user: reply.questions_for_user.clone(),
        score: reply.score,
        gated: score.gated,
        judge_decision: reply.decision,
    }
}

/// 60 (5 - mean score) / 5 and 8 for each of up to five issues, cut to a whole number.
fn improvement_potential(reply: &RubricReply) -> u8 {
    let halves: usize = reply.scores.values().map(|it| usize::from(it.halves())).sum();
    let dimensions = reply.scores.len().max(1);
    let issues = reply.top_issues.len().min(5);
    // In half points the mean is halves / (2 dimensions), so that all of it is one fraction.
    let potential = (60 * dimensions + 8 * issues * dimensions).saturating_sub(6 * halves);
    u8::try_from(potential / dimensions).map_or(100, |it| it.min(100))
}
