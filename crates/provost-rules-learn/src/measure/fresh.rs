//! Which labels count for which rule.
//!
//! A label that a person gives of their own accord is given because something was odd, so it
//! teaches and never counts. A drawn label was chosen before any rule was asked, an asked one
//! without anybody knowing its label, so a bet on either is fair.

use provost_kernel::learn::{GroupId, Label};
use serde::{Deserialize, Serialize};

/// How it came that a person labelled a ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Way {
    /// By a keyed hash when the task ended, reviewed blind. `weight` is, in thousandths, the share
    /// of the rarer draw in the rate at which tickets with this verdict are drawn.
    Drawn { weight: u16 },
    /// For this rule, because it changes the verdict, reviewed blind.
    Asked { rule: String },
    /// While nearly everything that passed was reviewed.
    Census,
    /// Of the person's own accord, or after seeing the verdict.
    Volunteered,
}

/// A label as it is counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FreshLabel {
    /// Labels of a mission are numbered once, from 1 on.
    pub number: u64,
    pub group: GroupId,
    /// The number of the first label of the group.
    pub first: u64,
    pub label: Label,
    pub is_by_person: bool,
    pub way: Way,
}

/// The newest reviewed tasks that a census looks at, and how many of them must be reviewed.
const CENSUS: (usize, usize) = (30, 27);
const WHOLE: u16 = 1000;

impl Way {
    /// A draw from a stream in which every ticket is drawn at one rate.
    pub const DRAWN: Self = Self::Drawn { weight: WHOLE };

    /// What a payoff counts.
    pub fn weight(&self) -> f64 {
        match self {
            Self::Drawn { weight } => f64::from((*weight).min(WHOLE)) / f64::from(WHOLE),
            Self::Asked { .. } | Self::Census => 1.0,
            Self::Volunteered => 0.0,
        }
    }
}

impl FreshLabel {
    /// Whether the label may count for a rule that was born at a label; a census counts for flips
    /// to fail only, because nobody reviewed what the judge failed.
    pub fn counts(&self, rule: &str, birth: u64, is_flip_to_fail: bool) -> bool {
        let is_for_it = match &self.way {
            Way::Drawn { .. } => true,
            Way::Asked { rule: asked } => asked == rule,
            Way::Census => is_flip_to_fail,
            Way::Volunteered => false,
        };
        is_for_it && self.is_by_person && self.first > birth && self.number >= self.first
    }
}

/// Whether the reviews of the tasks that the judge passed are a census; the newest come last.
pub fn is_census(reviewed: &[bool]) -> bool {
    let (window, least) = CENSUS;
    let newest = reviewed.iter().rev().take(window);
    reviewed.len() >= window && newest.filter(|it| **it).count() >= least
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(first: u64, way: Way) -> FreshLabel {
        FreshLabel {
            number: 9,
            group: "g".parse().unwrap(),
            first,
            label: Label::Fail,
            is_by_person: true,
            way,
        }
    }

    #[test]
    fn only_younger_labels_that_were_not_chosen_count() {
        let asked = |rule: &str| Way::Asked { rule: rule.to_owned() };
        for (birth, first, way, to_fail, expected) in [
            (8, 9, Way::DRAWN, true, true),
            (9, 9, Way::DRAWN, true, false),
            // The group was known before the rule was written.
            (8, 7, Way::DRAWN, true, false),
            (8, 9, asked("r"), true, true),
            (8, 9, asked("another"), true, false),
            (8, 9, Way::Census, true, true),
            (8, 9, Way::Census, false, false),
            (8, 9, Way::Volunteered, true, false),
        ] {
            let label = label(first, way);
            assert_eq!(label.counts("r", birth, to_fail), expected, "{birth} {label:?}");
        }
        let other = FreshLabel { is_by_person: false, ..label(9, Way::DRAWN) };
        assert!(!other.counts("r", 1, true));
    }

    #[test]
    fn a_census_reviews_27_of_the_last_30() {
        let tasks =
            |n: usize, missed: usize| -> Vec<bool> { (0..n).map(|it| it >= missed).collect() };
        assert!(is_census(&tasks(30, 3)));
        assert!(!is_census(&tasks(30, 4)));
        assert!(!is_census(&tasks(29, 0)));
        assert!(is_census(&tasks(60, 30)), "older tasks do not matter");
    }

    #[test]
    fn a_weight_is_at_most_one() {
        for (way, expected) in [
            (Way::DRAWN, 1.0),
            (Way::Drawn { weight: 250 }, 0.25),
            (Way::Drawn { weight: u16::MAX }, 1.0),
            (Way::Census, 1.0),
            (Way::Volunteered, 0.0),
        ] {
            assert!((way.weight() - expected).abs() < f64::EPSILON, "{way:?}");
        }
    }
}
