//! What verdicts are worth against labels: counts, rates, intervals.
//!
//! The positive class is `pass`. A ticket without a verdict is never right: it counts as a false
//! pass or as a false fail, whichever its label allows. Every function here is total; what cannot
//! be computed is absent, never a number that is none.

use provost_kernel::learn::Label;
use provost_rules::{statistics::wilson, text::count};
use serde::{Deserialize, Serialize};

/// How verdicts and labels fell together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    pub true_pass: u64,
    pub true_fail: u64,
    /// Passed, though the label is `fail`: the dangerous one.
    pub false_pass: u64,
    /// Failed, though the label is `pass`: the annoying one.
    pub false_fail: u64,
    /// Those of the two before that have no verdict at all.
    pub abstained: u64,
}

/// The figures of a line of metrics, by the names that the original has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    pub acc: f64,
    #[serde(rename = "fn")]
    pub false_fail: u64,
    #[serde(rename = "fp")]
    pub false_pass: u64,
    pub n: u64,
}

/// Both ways to count: every ticket, and without those that have no verdict or were given up.
///
/// The second looks better than it is, since what is left out is what was hard. It is there to be
/// compared; the first is the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Views {
    pub include: Tally,
    pub exclude: Tally,
}

/// Whether a ticket stands in both views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Both,
    /// It failed or was given up.
    IncludeOnly,
}

/// When a line of metrics is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    LoggingSteps,
    /// What is left of an epoch after its last whole window.
    EpochEndPartial,
    EpochEnd,
}

/// One line of metrics. Times are in a file of their own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub event: Moment,
    pub epoch: u32,
    pub epoch_step_start: u64,
    pub epoch_step_end: u64,
    pub global_step: u64,
    pub logging_steps: u32,
    pub exclude_manual_review: View,
    pub include_manual_review: View,
}

/// A share of a number of cases, with its Wilson interval at 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    pub of: u64,
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Everything that a tally says. A rate of no cases is absent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    pub n: u64,
    pub tally: Tally,
    pub accuracy: Option<Rate>,
    /// Of what should pass, what does.
    pub true_pass_rate: Option<Rate>,
    /// Of what should fail, what does.
    pub true_fail_rate: Option<Rate>,
    /// Of all tickets.
    pub false_pass_share: f64,
    pub false_fail_share: f64,
    /// Of what passed, what should not have.
    pub false_release_rate: Option<Rate>,
    /// Of what should pass, what was blocked.
    pub false_block_rate: Option<Rate>,
    pub false_pass_over_true_pass: Option<f64>,
    pub false_fail_over_true_pass: Option<f64>,
    /// Agreement beyond chance; absent where chance alone would agree always.
    pub kappa: Option<f64>,
    /// The correlation of verdict and label; absent where one of them never varies.
    pub mcc: Option<f64>,
    pub abstention_rate: f64,
}

const PLACES: f64 = 1e6;

impl Tally {
    /// One more ticket.
    pub fn add(&mut self, label: Label, verdict: Option<Label>) {
        let count = match (label, verdict) {
            (Label::Pass, Some(Label::Pass)) => &mut self.true_pass,
            (Label::Fail, Some(Label::Fail)) => &mut self.true_fail,
            (Label::Fail, Some(Label::Pass) | None) => &mut self.false_pass,
            (Label::Pass, Some(Label::Fail) | None) => &mut self.false_fail,
        };
        *count = count.saturating_add(1);
        self.abstained = self.abstained.saturating_add(u64::from(verdict.is_none()));
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            true_pass: self.true_pass.saturating_add(other.true_pass),
            true_fail: self.true_fail.saturating_add(other.true_fail),
            false_pass: self.false_pass.saturating_add(other.false_pass),
            false_fail: self.false_fail.saturating_add(other.false_fail),
            abstained: self.abstained.saturating_add(other.abstained),
        }
    }

    /// How many tickets there are.
    pub fn n(&self) -> u64 {
        self.correct().saturating_add(self.false_pass).saturating_add(self.false_fail)
    }

    pub fn correct(&self) -> u64 {
        self.true_pass.saturating_add(self.true_fail)
    }

    /// The share of right verdicts; 0 where there are none.
    pub fn accuracy(&self) -> f64 {
        share(self.correct(), self.n())
    }

    /// As a line of metrics has it.
    pub fn view(&self) -> View {
        let Self { false_pass, false_fail, .. } = *self;
        View { acc: self.accuracy(), false_fail, false_pass, n: self.n() }
    }

    /// Everything that can be said.
    pub fn figures(&self) -> Figures {
        let Self { true_pass, true_fail, false_pass, false_fail, abstained } = *self;
        let n = self.n();
        let should_pass = true_pass.saturating_add(false_fail);
        let should_fail = true_fail.saturating_add(false_pass);
        Figures {
            n,
            tally: *self,
            accuracy: Rate::new(self.correct(), n),
            true_pass_rate: Rate::new(true_pass, should_pass),
            true_fail_rate: Rate::new(true_fail, should_fail),
            false_pass_share: share(false_pass, n),
            false_fail_share: share(false_fail, n),
            false_release_rate: Rate::new(false_pass, true_pass.saturating_add(false_pass)),
            false_block_rate: Rate::new(false_fail, should_pass),
            false_pass_over_true_pass: over(false_pass, true_pass),
            false_fail_over_true_pass: over(false_fail, true_pass),
            kappa: self.kappa(),
            mcc: self.mcc(),
            abstention_rate: share(abstained, n),
        }
    }

    /// Cohen's kappa.
    fn kappa(&self) -> Option<f64> {
        let [tp, tn, fp, fn_] = self.numbers();
        let n = tp + tn + fp + fn_;
        let by_chance = (tp + fp) * (tp + fn_) + (tn + fn_) * (tn + fp);
        quotient((tp + tn) * n - by_chance, n * n - by_chance)
    }

    /// The correlation coefficient of Matthews.
    fn mcc(&self) -> Option<f64> {
        let [tp, tn, fp, fn_] = self.numbers();
        let product = (tp + fp) * (tp + fn_) * (tn + fp) * (tn + fn_);
        quotient(tp * tn - fp * fn_, product.sqrt())
    }

    fn numbers(&self) -> [f64; 4] {
        [self.true_pass, self.true_fail, self.false_pass, self.false_fail].map(number)
    }
}

impl Views {
    /// One more ticket.
    pub fn add(&mut self, label: Label, verdict: Option<Label>, standing: Standing) {
        self.include.add(label, verdict);
        match standing {
            Standing::Both => self.exclude.add(label, verdict),
            Standing::IncludeOnly => {}
        }
    }
}

impl Rate {
    /// The rate of so many among so many; none of no cases.
    pub fn new(found: u64, of: u64) -> Option<Self> {
        let (low, high) = wilson(found, of);
        (of > 0).then(|| Self { of, value: share(found, of), low, high })
    }
}

/// How much of what may be learned from a proposal cites, on average: near 1 for proposals that
/// cite everything they were shown.
pub fn stuffing(cited: &[usize], learnable: usize) -> f64 {
    let sum = cited.iter().map(|it| count(*it)).sum::<f64>();
    quotient(sum, count(cited.len()) * count(learnable)).unwrap_or(0.0)
}

/// A share to six places; 0 of nothing.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    quotient(number(part), number(whole)).unwrap_or(0.0)
}

/// A count as a number; there are fewer tickets than 2^32.
pub(super) fn number(value: u64) -> f64 {
    u32::try_from(value).unwrap_or(u32::MAX).into()
}

/// To six places; nothing where the divisor is zero.
fn quotient(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| round(part / whole))
}

pub(super) fn round(value: f64) -> f64 {
    // Without the sum, a small negative value would be written as -0.
    (value * PLACES).round() / PLACES + 0.0
}

/// Nothing where it is without bound, and 0 where there is nothing at all.
fn over(part: u64, base: u64) -> Option<f64> {
    if part == 0 { Some(0.0) } else { quotient(number(part), number(base)) }
}

#[cfg(test)]
mod tests;
