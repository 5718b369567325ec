//! Whether a rule in force does harm now, whatever it proved before.

/// A restarting e-process: it forgets good times, so that a rule which turns harmful is noticed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Harm([f64; 2]);

/// What the two bettors stake.
const SHARES: [f64; 2] = [0.5, 0.75];

impl Harm {
    pub fn none() -> Self {
        Self([1.0; 2])
    }

    /// Takes one label in: 1 where only the judge without the rule is right, -1 where only the
    /// judge with it is.
    pub fn count(&mut self, harm: i8) {
        for (owned, share) in self.0.iter_mut().zip(SHARES) {
            *owned = (owned.max(1.0) * (1.0 + share * f64::from(harm))).clamp(0.0, f64::MAX);
        }
    }

    /// The mean of both.
    pub fn level(self) -> f64 {
        let [a, b] = self.0;
        a / 2.0 + b / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Policy;

    fn level(harms: &[i8]) -> f64 {
        let mut harm = Harm::none();
        for it in harms {
            harm.count(*it);
        }
        harm.level()
    }

    #[test]
    fn three_net_losses_end_an_adoption_and_four_a_promotion() {
        let Policy { adopted_harm, measured_harm, .. } = Policy::STANDARD;
        for (harms, adopted, measured) in [
            (&[][..], false, false),
            (&[1, 1], false, false),
            (&[1, 1, 1], true, false),
            (&[1, 1, 1, 1], true, true),
            (&[1, 0, 1, 0, 1], true, false),
            (&[1, -1, 1, -1, 1], false, false),
            // Good times are not saved up.
            (&[-1, -1, -1, -1, -1, -1, 1, 1, 1, 1], true, true),
        ] {
            let level = level(harms);
            assert_eq!(level >= adopted_harm, adopted, "{harms:?}: {level}");
            assert_eq!(level >= measured_harm, measured, "{harms:?}: {level}");
        }
    }
}
