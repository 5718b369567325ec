//! How well a judge agrees with people.
//!
//! Only a person's label is the truth: what a judge labelled is counted and left out. Labels that
//! were given without sight of the verdict stand apart from the others, since people follow what
//! they have seen. What was not reviewed is not guessed.

use provost_kernel::learn::{Label, LabelSource};
use serde::{Deserialize, Serialize};

use super::metrics::{Figures, Tally, number, round};

/// One finished task that was judged and labelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opinion {
    pub label: Label,
    pub source: LabelSource,
    /// What the judge said; none if it said nothing valid.
    pub judge: Option<Label>,
    /// Whether the person had not seen the verdict; unknown if absent.
    pub blind: Option<bool>,
}

/// All that the judge decided, reviewed or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    pub passed: u64,
    pub total: u64,
}

/// What keeps a figure from meaning what it seems to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caveat {
    /// No person labelled anything.
    NoHumanLabels,
    /// People looked only at what the judge passed, so that what it blocks is unknown.
    OnlyPassesReviewed,
    /// People looked only at what the judge failed.
    OnlyFailsReviewed,
    /// Fewer than 30 labels of one kind.
    FewLabels,
    /// No label was given without sight of the verdict.
    NoneBlind,
    /// The judge is no better than chance, so that nothing can be corrected by it.
    NotBetterThanChance,
}

/// The share of tasks that people would accept, corrected for the errors of the judge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    /// The share that the judge passed.
    pub observed: f64,
    pub corrected: f64,
    pub low: f64,
    pub high: f64,
}

/// The agreement of a judge with people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    /// Every label of a person.
    pub all: Figures,
    /// Those given without sight of the verdict.
    pub blind: Figures,
    /// Those given after it.
    pub not_blind: Figures,
    /// Those of which that is not known.
    pub unknown: Figures,
    /// Labels that no person gave; they are in none of the figures.
    pub left_out: u64,
    pub acceptance: Option<Acceptance>,
    pub caveats: Vec<Caveat>,
}

/// What each kind of label should have at least, before a judge is relied on.
const FEW: u64 = 30;
/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Holds what a judge said against what people said.
pub fn agreement(opinions: &[Opinion], judged: Judged) -> Agreement {
    let (mut blind, mut not_blind, mut unknown) =
        (Tally::default(), Tally::default(), Tally::default());
    let (mut passes, mut fails, mut left_out) = (0_u64, 0_u64, 0_u64);
    for Opinion { label, source, judge, blind: is_blind } in opinions {
        if *source != LabelSource::Human {
            left_out += 1;
            continue;
        }
        let tally = match is_blind {
            Some(true) => &mut blind,
            Some(false) => &mut not_blind,
            None => &mut unknown,
        };
        tally.add(*label, *judge);
        passes += u64::from(*judge == Some(Label::Pass));
        fails += u64::from(*judge == Some(Label::Fail));
    }
    let all = blind.plus(not_blind).plus(unknown);
    let is_one_sided = passes == 0 || fails == 0;
    let acceptance = if is_one_sided { None } else { acceptance(&all, judged) };
    let is_chance = !is_one_sided && acceptance.is_none() && has_both(&all) && judged.total > 0;
    let tests = [
        (all.n() == 0, Caveat::NoHumanLabels),
        (passes > 0 && fails == 0, Caveat::OnlyPassesReviewed),
        (fails > 0 && passes == 0, Caveat::OnlyFailsReviewed),
        (all.n() > 0 && should_pass(&all).min(should_fail(&all)) < FEW, Caveat::FewLabels),
        (all.n() > 0 && blind.n() == 0, Caveat::NoneBlind),
        (is_chance, Caveat::NotBetterThanChance),
    ];
    let mut all = all.figures();
    if is_one_sided {
        // Of what was never looked at, no rate is known.
        (all.true_pass_rate, all.true_fail_rate, all.kappa, all.mcc) = (None, None, None, None);
        all.false_block_rate = None;
    }
    Agreement {
        all,
        blind: blind.figures(),
        not_blind: not_blind.figures(),
        unknown: unknown.figures(),
        left_out,
        acceptance,
        caveats: tests.into_iter().filter_map(|(holds, it)| holds.then_some(it)).collect(),
    }
}

/// The corrected share `(observed + TNR - 1) / (TPR + TNR - 1)`; nothing unless the judge is better
/// than chance.
///
/// The interval covers both samples, what was judged and what was labelled, in the closed form of
/// Lang and Reiczigel: each sample gets a few imaginary cases of both kinds and the centre is
/// shifted by what the errors of the judge are unsure of. It needs no random draws, so the same
/// labels give the same bytes.
fn acceptance(labelled: &Tally, judged: Judged) -> Option<Acceptance> {
    if !has_both(labelled) || judged.total == 0 {
        return None;
    }
    let (n_pass, n_fail) = (number(should_pass(labelled)), number(should_fail(labelled)));
    let (true_pass, true_fail) = (number(labelled.true_pass), number(labelled.true_fail));
    let (total, passed) = (number(judged.total), number(judged.passed.min(judged.total)));
    let corrected = |observed: f64, tpr: f64, tnr: f64| {
        let skill = tpr + tnr - 1.0;
        (skill > 1e-9).then(|| ((observed + tnr - 1.0) / skill, skill))
    };
    let (value, _) = corrected(passed / total, true_pass / n_pass, true_fail / n_fail)?;

    let (total, observed) = (total + Z * Z, (passed + Z * Z / 2.0) / (total + Z * Z));
    let (n_pass, tpr) = (n_pass + 2.0, (true_pass + 1.0) / (n_pass + 2.0));
    let (n_fail, tnr) = (n_fail + 2.0, (true_fail + 1.0) / (n_fail + 2.0));
    let (centre, skill) = corrected(observed, tpr, tnr)?;
    let of_pass = tpr * (1.0 - tpr) / n_pass;
    let of_fail = tnr * (1.0 - tnr) / n_fail;
    let rest = 1.0 - centre;
    let shift = 2.0 * Z * Z * (centre * of_pass - rest * of_fail);
    let variance =
        observed * (1.0 - observed) / total + centre * centre * of_pass + rest * rest * of_fail;
    let half = Z * variance.sqrt() / skill;
    let bounded = |it: f64| round(it.clamp(0.0, 1.0));
    Some(Acceptance {
        observed: round(passed / number(judged.total)),
        corrected: bounded(value),
        low: bounded(centre + shift - half),
        high: bounded(centre + shift + half),
    })
}

fn has_both(labelled: &Tally) -> bool {
    should_pass(labelled) > 0 && should_fail(labelled) > 0
}

fn should_pass(labelled: &Tally) -> u64 {
    labelled.true_pass.saturating_add(labelled.false_fail)
}

fn should_fail(labelled: &Tally) -> u64 {
    labelled.true_fail.saturating_add(labelled.false_pass)
}

#[cfg(test)]
mod tests;
