//! The measured gate: whether a change of guidance does what it promises, on tickets that were not
//! learned from.
//!
//! Both guidances judge the same tickets. What only one of them gets right is a win or a loss; the
//! rest says nothing. A change is accepted when chance does not explain its wins and no more false
//! passes come with it.

use std::collections::BTreeMap;

use provost_kernel::learn::{GateMode, GateSettings, Label, TicketKey};
use serde::{Deserialize, Serialize};

/// One ticket under both guidances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    pub label: Label,
    /// The verdict without the change; none if there was no valid answer.
    pub base: Option<Label>,
    /// The verdict with it.
    pub new: Option<Label>,
}

/// What a change is meant to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aim {
    /// Rules are added or written anew: they must be better.
    Improvement,
    /// A rule is taken away: that must not be worse.
    Removal,
}

/// Why a change was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// Not two wins more than losses.
    TooFewWins,
    /// Chance explains it.
    WeakEvidence,
    /// A removal that loses more than it wins.
    Worse,
    MoreFalsePasses,
}

/// A decision with every number that it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    pub aim: Aim,
    /// The how-manieth decision of the run it is, from 1 on.
    pub decision: u32,
    pub tickets: u64,
    pub wins: u64,
    pub losses: u64,
    pub false_passes_before: u64,
    pub false_passes_after: u64,
    pub e_value: f64,
    /// What this decision may err.
    pub alpha: f64,
    pub accepted: bool,
    /// Nothing where the change is accepted.
    pub refusals: Vec<Refusal>,
}

/// How many tickets of each label a pool has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelCounts {
    pub pass: u64,
    pub fail: u64,
}

/// In how many decisions each ticket took part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looks(BTreeMap<TicketKey, u32>);

/// The bets of the mixture, as shares of what is owned.
const BETS: [f64; 4] = [0.25, 0.5, 0.75, 0.9375];
const MIN_LEAD: u64 = 2;

/// Decides on a change.
///
/// The e-value is what a player owns who starts with 1 and bets a share of it on a win at each
/// discordant ticket: `(1 + bet)` times as much after a win, `(1 - bet)` times after a loss. If
/// wins are no likelier than losses, the bettor does not gain on average, so `1 / alpha` is reached
/// with a chance of at most `alpha`, however often one looks. The mean of several such players is
/// again one of them. A bet of one half is the plain one, which multiplies by 1.5 and 0.5 and needs
/// nine straight wins at `alpha / 1.65`; the higher bets reach the bound after seven, and with
/// twelve wins they leave room for a loss or for several decisions. The low bet helps where a
/// change wins often and loses sometimes.
///
/// A run makes many decisions. The k-th may err with `alpha * 6 / (pi^2 * k^2)`; these sum up to
/// `alpha`, so that the whole run errs with no more than that.
pub fn decide(pairs: &[Pair], aim: Aim, decision: u32, settings: &GateSettings) -> Measurement {
    let count = |holds: fn(Pair) -> bool| {
        u64::try_from(pairs.iter().filter(|it| holds(**it)).count()).unwrap_or(u64::MAX)
    };
    let (wins, losses) = (count(Pair::is_win), count(Pair::is_loss));
    let (before, after) = (count(Pair::was_false_pass), count(Pair::is_false_pass));
    let (e_value, alpha) = (e_value(wins, losses), spent(settings.alpha, decision));
    let lead = wins.saturating_sub(losses);
    let improves = aim == Aim::Improvement;
    let tests = [
        (improves && lead < MIN_LEAD, Refusal::TooFewWins),
        (improves && e_value * alpha < 1.0, Refusal::WeakEvidence),
        (!improves && losses > wins, Refusal::Worse),
        (after > before, Refusal::MoreFalsePasses),
    ];
    let refusals: Vec<_> =
        tests.into_iter().filter_map(|(fails, it)| fails.then_some(it)).collect();
    Measurement {
        aim,
        decision: decision.max(1),
        tickets: count(|_| true),
        wins,
        losses,
        false_passes_before: before,
        false_passes_after: after,
        e_value,
        alpha,
        accepted: refusals.is_empty(),
        refusals,
    }
}

/// What wins and losses are worth against chance; 1 where there are none.
pub fn e_value(wins: u64, losses: u64) -> f64 {
    let owned = BETS.map(|bet| {
        // A win and a loss together first, so that nothing overflows that need not.
        let both = power(1.0 - bet * bet, wins.min(losses));
        let (up, down) = (wins.saturating_sub(losses), losses.saturating_sub(wins));
        both * power(1.0 + bet, up) * power(1.0 - bet, down)
    });
    let [a, b, c, d] = owned.map(|it| it / 4.0);
    (a + b + c + d).min(f64::MAX)
}

/// What the k-th decision of a run may err, of a whole given in thousandths.
pub fn spent(alpha: u16, decision: u32) -> f64 {
    let k = f64::from(decision.max(1));
    f64::from(alpha) / 1000.0 * 6.0 / (std::f64::consts::PI * std::f64::consts::PI * k * k)
}

/// Whether a pool is large enough for a decision to mean something.
pub fn is_large_enough(counts: LabelCounts, settings: &GateSettings) -> bool {
    let LabelCounts { pass, fail } = counts;
    pass.saturating_add(fail) >= settings.min_tickets.into()
        && pass.min(fail) >= settings.min_tickets_per_label.into()
}

/// What the gate does in a run: `auto` is decided here.
pub fn mode(counts: LabelCounts, settings: &GateSettings) -> GateMode {
    match settings.mode {
        GateMode::Auto if is_large_enough(counts, settings) => GateMode::Enforce,
        GateMode::Auto | GateMode::Off => GateMode::Off,
        GateMode::Shadow => GateMode::Shadow,
        GateMode::Enforce => GateMode::Enforce,
    }
}

impl Aim {
    /// How many decisions of the run's error it uses up: a removal rests on no evidence by chance.
    pub fn spends(self) -> u32 {
        match self {
            Self::Improvement => 1,
            Self::Removal => 0,
        }
    }
}

impl Pair {
    /// An answer that got lost on the way is not won back: no verdict before is not a win.
    fn is_win(self) -> bool {
        self.base == Some(self.label.opposite()) && self.new == Some(self.label)
    }

    /// No verdict with the change is a loss.
    fn is_loss(self) -> bool {
        self.base == Some(self.label) && self.new != Some(self.label)
    }

    fn was_false_pass(self) -> bool {
        self.label == Label::Fail && self.base == Some(Label::Pass)
    }

    /// What was not blocked: no verdict with the change counts against it.
    fn is_false_pass(self) -> bool {
        self.label == Label::Fail && self.new != Some(Label::Fail)
    }
}

impl LabelCounts {
    /// One more ticket.
    pub fn add(&mut self, label: Label) {
        let count = match label {
            Label::Pass => &mut self.pass,
            Label::Fail => &mut self.fail,
        };
        *count = count.saturating_add(1);
    }
}

impl Looks {
    /// Whether a ticket may take part in one more decision.
    pub fn allow(&self, key: &TicketKey, settings: &GateSettings) -> bool {
        self.0.get(key).copied().unwrap_or(0) < settings.max_looks
    }

    /// Counts one decision for each ticket that took part in it.
    pub fn count<'a>(&mut self, keys: impl IntoIterator<Item = &'a TicketKey>) {
        for key in keys {
            let looks = self.0.entry(key.clone()).or_default();
            *looks = looks.saturating_add(1);
        }
    }
}

/// Repeated multiplication: the same bits on every machine, which `powf` does not promise.
fn power(base: f64, exponent: u64) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

#[cfg(test)]
mod tests;
