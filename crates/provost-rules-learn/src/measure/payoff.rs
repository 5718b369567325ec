//! What one label says about a rule: the verdicts with it and without it, against a person's word.

use provost_kernel::learn::Label;

use super::policy::Policy;

/// The votes of both sides on one ticket; none stands for an answer that was not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Votes {
    pub with: Vec<Option<Label>>,
    pub without: Vec<Option<Label>>,
}

/// The verdict that more than half of the votes give.
pub fn majority(votes: &[Option<Label>]) -> Option<Label> {
    let has_most = |label: &Label| {
        let n_votes = votes.iter().filter(|it| **it == Some(*label)).count();
        n_votes.saturating_mul(2) > votes.len()
    };
    [Label::Pass, Label::Fail].into_iter().find(has_most)
}

impl Votes {
    /// The verdicts without the rule and with it.
    pub fn verdicts(&self) -> (Option<Label>, Option<Label>) {
        (majority(&self.without), majority(&self.with))
    }

    /// Whether the rule changes the verdict.
    pub fn differ(&self) -> bool {
        let (base, new) = self.verdicts();
        base != new
    }

    /// Whether the rule makes a pass a fail.
    pub fn is_flip_to_fail(&self) -> bool {
        self.verdicts() == (Some(Label::Pass), Some(Label::Fail))
    }

    /// What a rule wins that claims to be better.
    ///
    /// A lost answer of the judge as it is never makes a win, and a lost answer under the rule is
    /// always a loss, so that breaking the judge cannot pay.
    pub fn payoff(&self, label: Label, policy: &Policy) -> f64 {
        match self.verdicts() {
            (base, new) if base == new => 0.0,
            (None, Some(new)) if new == label => 0.0,
            (Some(Label::Fail), Some(Label::Pass)) if label == Label::Pass => {
                1.0 / policy.false_pass_cost
            }
            (Some(Label::Pass), Some(Label::Fail)) if label == Label::Fail => 1.0,
            (_, _) => -1.0,
        }
    }

    /// What a change wins that claims to be not worse: one where only it is right, minus one where
    /// only the judge as it is was right.
    pub fn difference(&self, label: Label) -> f64 {
        match self.harm(label) {
            0 => 0.0,
            it if it > 0 => -1.0,
            _ => 1.0,
        }
    }

    /// One where the judge would be right without the rule and is wrong with it, minus one where it
    /// is the reverse.
    pub fn harm(&self, label: Label) -> i8 {
        let (base, new) = self.verdicts();
        match (base == Some(label), new == Some(label)) {
            (true, false) => 1,
            (false, true) if base.is_some() => -1,
            (false, _) | (true, true) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Votes in letters: `p`, `f`, and `-` for an answer that was not valid.
    pub(in crate::measure) fn votes(without: &str, with: &str) -> Votes {
        let read = |letters: &str| {
            let vote = |letter| match letter {
                'p' => Some(Label::Pass),
                'f' => Some(Label::Fail),
                _ => None,
            };
            letters.chars().map(vote).collect()
        };
        Votes { with: read(with), without: read(without) }
    }

    #[test]
    fn a_flip_pays_what_the_table_says() {
        use Label::{Fail, Pass};
        for (without, with, label, payoff, harm) in [
            ("p", "f", Fail, 1.0, -1),
            ("p", "f", Pass, -1.0, 1),
            ("f", "p", Fail, -1.0, 1),
            ("f", "p", Pass, 0.5, -1),
            ("p", "p", Fail, 0.0, 0),
            ("f", "f", Pass, 0.0, 0),
            // The majority counts.
            ("ppf", "ffp", Fail, 1.0, -1),
            ("ppf", "pfp", Fail, 0.0, 0),
            // No valid answer is a loss, and one that was lost before is not a win.
            ("p", "-", Fail, -1.0, 0),
            ("p", "-", Pass, -1.0, 1),
            ("ppp", "pf-", Pass, -1.0, 1),
            ("-", "f", Fail, 0.0, 0),
            ("-", "f", Pass, -1.0, 0),
            ("-", "-", Pass, 0.0, 0),
        ] {
            let votes = votes(without, with);
            let paid = votes.payoff(label, &Policy::STANDARD);
            assert!((paid - payoff).abs() < f64::EPSILON, "{without} {with} {label}: {paid}");
            assert_eq!(votes.harm(label), harm, "{without} {with} {label}");
            assert!((votes.difference(label) + f64::from(harm)).abs() < f64::EPSILON);
        }
    }

    #[test]
    fn half_of_the_votes_is_no_majority() {
        for (letters, expected) in [
            ("pf", None),
            ("p-", None),
            ("pp-", Some(Label::Pass)),
            ("", None),
            ("pff", Some(Label::Fail)),
        ] {
            assert_eq!(majority(&votes("", letters).with), expected, "{letters}");
        }
    }
}
