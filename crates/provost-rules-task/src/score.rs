//! Scores, recomputed: the judge's arithmetic is never believed.
//!
//! From the judge come the scores of the dimensions; sums, gates and penalties are provost's.
//! Facts lower a decision and never raise it, and so does the judge (LOOP-B5 to LOOP-B7).

mod ask;
mod facts;
mod lower;
mod thresholds;

use std::collections::BTreeMap;

use provost_kernel::{
    Decimal,
    task::{HalfPoints, Score, ScoreOf100},
};
use serde::Serialize;

pub use self::{
    ask::Ask,
    facts::{CheckOutcome, Delivery, FactsError, MachineFacts},
    lower::{Because, Lowered, lower},
    thresholds::{Missed, missed},
};
use super::{
    reply::{PlainReply, RubricReply},
    rubric::{PenaltyCombine, PenaltyRule, TypeRubric, trigger},
};

/// What the scores amount to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recomputed {
    pub raw_score_0_5: Score,
    pub penalty: HalfPoints,
    pub final_score_0_5: Score,
    pub final_score_0_100: ScoreOf100,
    pub gated: bool,
    /// `dim:KEY:SCORE<THRESHOLD`, `penalty:TRIGGER` or `judge:TEXT`; empty when nothing gates.
    pub gating_reasons: Vec<String>,
}

/// What gates a plain verdict, and whether its threshold is met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlainScore {
    pub gated: bool,
    pub gating_reasons: Vec<String>,
    pub thresholds_pass: bool,
}

/// The limits of a task whose verdict carries a score and no rubric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlainLimits {
    pub score_gate: Option<i64>,
    pub score_threshold: Option<i64>,
}

/// How a judge claims a penalty in its gating reasons.
pub const PENALTY_PREFIX: &str = "penalty:";

/// Recomputes what a verdict says from its scores, the rubric and the facts.
pub fn recompute(reply: &RubricReply, rubric: &TypeRubric, facts: &MachineFacts) -> Recomputed {
    let scored = rubric.dimensions.iter().map(|it| (score_of(&reply.scores, &it.key), it.weight));
    let raw_score_0_5 = Score::weighted(scored);
    let triggered = triggered(reply, rubric, facts);
    let penalty = combined(rubric.penalty_combine, triggered.iter().map(|it| it.points))
        .max(reply.penalty)
        .min(HalfPoints::MAX_PENALTY);
    let final_score_0_5 = raw_score_0_5.after(penalty);
    let gating_reasons = gating_reasons(reply, rubric, &triggered);
    Recomputed {
        raw_score_0_5,
        penalty,
        final_score_0_5,
        final_score_0_100: final_score_0_5.of_100(),
        gated: !gating_reasons.is_empty(),
        gating_reasons,
    }
}

/// What gates a plain verdict: the judge, the facts, or the task's own gate.
pub fn plain(reply: &PlainReply, limits: PlainLimits, facts: &MachineFacts) -> PlainScore {
    let is_under = |least: i64| reply.score.is_none_or(|it| it < Decimal::ratio(least, 1));
    let mut gating_reasons = Vec::new();
    if facts.secrets || facts.forbidden_globs {
        gating_reasons.push(format!("{PENALTY_PREFIX}{}", trigger::SECRETS_FORBIDDEN_GLOBS));
    }
    if let Some(gate) = limits.score_gate.filter(|&it| is_under(it)) {
        let score = reply.score.map_or_else(|| "none".to_owned(), |it| it.to_string());
        gating_reasons.push(format!("score:{score}<{gate}"));
    }
    if reply.gated {
        gating_reasons.push("judge:gated".to_owned());
    }
    PlainScore {
        gated: !gating_reasons.is_empty(),
        gating_reasons,
        thresholds_pass: !limits.score_threshold.is_some_and(is_under),
    }
}

/// A penalty that applies, and what it costs here.
struct Triggered<'a> {
    rule: &'a PenaltyRule,
    points: HalfPoints,
}

/// The penalties that a fact pulled or that the judge claims, in the order of the rubric.
fn triggered<'a>(
    reply: &RubricReply,
    rubric: &'a TypeRubric,
    facts: &MachineFacts,
) -> Vec<Triggered<'a>> {
    let is_claimed = |rule: &PenaltyRule| {
        reply.gating_reasons.iter().any(|it| claim(it) == Some(rule.trigger.as_str()))
    };
    let rules = rubric.penalty_rules.iter();
    rules
        .filter_map(|rule| {
            let times = facts.times(&rule.trigger).max(u32::from(is_claimed(rule)));
            // Half a point for each time after the first, up to the most that it costs.
            let more = HalfPoints::new(u8::try_from(times.checked_sub(1)?).unwrap_or(u8::MAX));
            let points = rule.points.plus(more.unwrap_or(HalfPoints::MAX)).min(rule.points_max);
            Some(Triggered { rule, points })
        })
        .collect()
}

/// The trigger that a gating reason of the judge claims.
pub(super) fn claim(reason: &str) -> Option<&str> {
    reason.trim().strip_prefix(PENALTY_PREFIX).map(str::trim)
}

fn combined(combine: PenaltyCombine, points: impl Iterator<Item = HalfPoints>) -> HalfPoints {
    match combine {
        PenaltyCombine::Max => points.max().unwrap_or(HalfPoints::ZERO),
        PenaltyCombine::Sum => points.fold(HalfPoints::ZERO, HalfPoints::plus),
    }
}

fn gating_reasons(
    reply: &RubricReply,
    rubric: &TypeRubric,
    triggered: &[Triggered<'_>],
) -> Vec<String> {
    let threshold = rubric.gate_threshold;
    let closed = rubric.dimensions.iter().filter(|it| it.is_hard_gate).filter_map(|it| {
        let score = score_of(&reply.scores, &it.key);
        let is_under = Decimal::from(score) < threshold;
        is_under.then(|| format!("dim:{}:{score}<{threshold}", it.key))
    });
    let forced = triggered.iter().filter(|it| it.rule.force_gated);
    let forced = forced.map(|it| format!("{PENALTY_PREFIX}{}", it.rule.trigger));
    let mut reasons: Vec<String> = closed.chain(forced).collect();
    if reply.gated {
        let said = reply.gating_reasons.iter().filter(|it| claim(it).is_none());
        let before = reasons.len();
        reasons.extend(said.map(|it| format!("judge:{}", it.trim())));
        if reasons.len() == before {
            reasons.push("judge:gated".to_owned());
        }
    }
    reasons
}

/// The score of a dimension; one that was not scored is worth nothing.
fn score_of(scores: &BTreeMap<String, HalfPoints>, key: &str) -> HalfPoints {
    scores.get(key).copied().unwrap_or(HalfPoints::ZERO)
}

#[cfg(test)]
mod tests;
