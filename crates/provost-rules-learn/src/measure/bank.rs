//! The bank of a season: what may still be staked on rules.
//!
//! What worthless rules own plus what is in the bank begins with 1 and cannot grow on average: a
//! stake comes out of the bank, bets are fair at best, and what is handed back is never more than
//! the stake. So the chance that it ever reaches `1 / alpha` is at most `alpha`.

/// What is left to stake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bank(f64);

/// What an account got from the bank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stake(f64);

impl Bank {
    pub(super) fn new() -> Self {
        Self(1.0)
    }

    pub(super) fn balance(self) -> f64 {
        self.0
    }

    /// Takes half of the bank, and no more than `limit`: an account that goes on with its evidence
    /// must not multiply it by a larger stake than it was gathered with.
    pub(super) fn open(&mut self, limit: Option<Stake>) -> Stake {
        let half = self.0 / 2.0;
        let stake = limit.map_or(half, |Stake(limit)| half.min(limit));
        self.0 -= stake;
        Stake(stake)
    }

    /// Takes back what is left of a stake; what was won is not handed on.
    pub(super) fn settle(&mut self, stake: Stake, e_value: f64) {
        self.0 += (stake.0 * e_value).min(stake.0);
    }
}

impl Stake {
    /// What an account without a claim on the bank has.
    pub(super) const NONE: Self = Self(0.0);

    pub(super) fn amount(self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(is: f64, expected: f64) {
        assert!((is - expected).abs() < 1e-12, "{is} is not {expected}");
    }

    #[test]
    fn opening_takes_half_and_settling_returns_no_more_than_the_stake() {
        let mut bank = Bank::new();
        let first = bank.open(None);
        let second = bank.open(None);
        close(first.amount(), 0.5);
        close(second.amount(), 0.25);
        bank.settle(first, 0.1);
        close(bank.balance(), 0.3);
        bank.settle(second, 400.0);
        close(bank.balance(), 0.55);
        close(bank.open(Some(Stake(0.1))).amount(), 0.1);
        close(bank.open(Some(Stake(9.0))).amount(), 0.225);
        close(bank.open(Some(Stake::NONE)).amount(), 0.0);
    }
}
