//! The screen: whether a proposed rule is worth a stake, on labels that are older than it.
//!
//! What it was written from says nothing about its worth, so the screen proves nothing. It only
//! keeps stakes from rules that lose already on what is known.

/// What the labels so far say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screening {
    pub wins: u32,
    pub losses: u32,
    pub labels: u32,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screened {
    Continue,
    Passed,
    Failed,
}

/// How many wins make up for one loss.
const WINS_PER_LOSS: f64 = 3.0;

impl Screening {
    /// Decides as soon as the labels that are left cannot change the answer to yes.
    ///
    /// `errors` of the `left` labels are such that the judge is wrong on them, so that only those
    /// can be wins; `noise` is the share of verdicts that a line without meaning changes.
    pub fn decide(self, left: u32, errors: u32, min_wins: u32, noise: f64) -> Screened {
        let wins = self.wins.saturating_add(errors.min(left));
        let labels = f64::from(self.labels) + f64::from(left);
        let allowed = f64::from(wins) / WINS_PER_LOSS + noise * labels;
        if wins < min_wins || f64::from(self.losses) > allowed {
            Screened::Failed
        } else if left == 0 {
            Screened::Passed
        } else {
            Screened::Continue
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_needs_two_wins_and_three_for_each_loss() {
        use Screened::{Continue, Failed, Passed};
        for (wins, losses, labels, left, errors, noise, expected) in [
            (2, 0, 40, 0, 0, 0.0, Passed),
            (1, 0, 40, 0, 0, 0.0, Failed),
            (3, 1, 40, 0, 0, 0.0, Passed),
            (2, 1, 40, 0, 0, 0.0, Failed),
            (5, 2, 40, 0, 0, 0.0, Failed),
            // Noise explains some losses.
            (2, 2, 40, 0, 0, 0.05, Passed),
            (2, 3, 40, 0, 0, 0.05, Failed),
            // It stops early where the rest cannot help.
            (0, 0, 10, 30, 2, 0.0, Continue),
            (0, 0, 10, 30, 1, 0.0, Failed),
            (2, 1, 10, 30, 1, 0.0, Continue),
            (2, 1, 10, 30, 0, 0.0, Failed),
            (0, 0, 0, 0, 0, 0.0, Failed),
        ] {
            let screening = Screening { wins, losses, labels };
            let decided = screening.decide(left, errors, 2, noise);
            assert_eq!(decided, expected, "{screening:?} {left} {errors} {noise}");
        }
    }
}
