//! The e-value of a series of bets: what a bettor owns who began with 1.
//!
//! Each bettor of a mixture stakes a fixed share on every label. A bet that is fair at best does
//! not gain on average, so the mixture exceeds `x` with a chance of at most `1 / x`, however often
//! one looks.

use serde::{Deserialize, Serialize};

/// What a change claims, and so what it bets on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// A rule that is added or written anew makes the judge better.
    Better,
    /// Removing or merging rules does not make it worse by five points.
    NotWorse,
}

/// What each bettor of a mixture owns.
#[derive(Clone, Debug, PartialEq)]
pub struct Capital {
    claim: Claim,
    owned: Vec<f64>,
}

/// Share and weight of each bettor.
const BETTER: [(f64, f64); 5] = [(0.2, 0.1), (0.4, 0.15), (0.6, 0.2), (0.8, 0.25), (0.95, 0.3)];
const NOT_WORSE: [(f64, f64); 3] = [(0.3, 0.2), (0.6, 0.3), (0.9, 0.5)];
/// By how much a removal may be worse on average.
const MARGIN: f64 = 0.05;

impl Claim {
    pub(super) fn bettors(self) -> &'static [(f64, f64)] {
        match self {
            Self::Better => &BETTER,
            Self::NotWorse => &NOT_WORSE,
        }
    }

    fn margin(self) -> f64 {
        match self {
            Self::Better => 0.0,
            Self::NotWorse => MARGIN,
        }
    }
}

impl Capital {
    pub fn new(claim: Claim) -> Self {
        Self { claim, owned: vec![1.0; claim.bettors().len()] }
    }

    /// What a series of payoffs makes of 1.
    pub fn of(claim: Claim, payoffs: impl IntoIterator<Item = f64>) -> Self {
        let mut capital = Self::new(claim);
        payoffs.into_iter().for_each(|it| capital.bet(it));
        capital
    }

    /// Takes one payoff in, between -1 and 1.
    pub fn bet(&mut self, payoff: f64) {
        let gain = payoff + self.claim.margin();
        for (owned, (share, _)) in self.owned.iter_mut().zip(self.claim.bettors()) {
            *owned = (*owned * (1.0 + share * gain)).clamp(0.0, f64::MAX);
        }
    }

    pub fn e_value(&self) -> f64 {
        let weighed = self.owned.iter().zip(self.claim.bettors());
        weighed.map(|(owned, (_, weight))| owned * weight).sum::<f64>().min(f64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn e(claim: Claim, parts: &[(usize, f64)]) -> f64 {
        let payoffs = parts.iter().flat_map(|&(times, payoff)| std::iter::repeat_n(payoff, times));
        Capital::of(claim, payoffs).e_value()
    }

    #[test]
    fn the_documented_figures_hold() {
        for (parts, expected) in
            [(&[][..], 1.0), (&[(8, 1.0)], 101.502), (&[(3, 1.0), (1, -1.0)], 1.1157)]
        {
            let is = e(Claim::Better, parts);
            assert!((is - expected).abs() < 0.0005, "{parts:?}: {is}");
        }
    }

    /// How many wins reach a bound, for rules that say fail and for rules that say pass.
    #[test]
    fn the_wins_that_a_bound_needs_are_those_of_the_tables() {
        for (bound, win, wins) in [
            (100.0, 1.0, [8, 12, 15, 18]),
            (200.0, 1.0, [10, 13, 16, 19]),
            (10.0, 1.0, [5, 8, 11, 13]),
            (100.0, 0.5, [14, 21, 26, 31]),
            (200.0, 0.5, [16, 23, 28, 33]),
            (10.0, 0.5, [8, 14, 18, 23]),
        ] {
            for (losses, expected) in wins.into_iter().enumerate() {
                let reached =
                    (0..99).find(|n| e(Claim::Better, &[(*n, win), (losses, -1.0)]) >= bound);
                assert_eq!(reached, Some(expected), "{bound} {win} {losses}");
            }
        }
    }

    #[test]
    fn a_removal_needs_80_labels_without_a_loss_and_122_with_one() {
        for (losses, expected) in [(0, 80), (1, 122)] {
            let needed = (0..200)
                .find(|n| e(Claim::NotWorse, &[(n - losses.min(*n), 0.0), (losses, -1.0)]) >= 20.0);
            assert_eq!(needed, Some(expected), "{losses} losses");
        }
    }

    #[test]
    fn the_order_of_bets_hardly_matters_and_nothing_overflows() {
        let a = e(Claim::Better, &[(4, 1.0), (2, -1.0)]);
        let b = e(Claim::Better, &[(2, -1.0), (4, 1.0)]);
        assert!((a - b).abs() < 1e-9);
        assert!(e(Claim::Better, &[(5000, 1.0)]).is_finite());
        assert!(e(Claim::Better, &[(5000, -1.0)]) >= 0.0);
    }
}
