//! What is usual instead of the gate: a part of the labels is held back, and a rule stays that does
//! well on it.

use std::collections::BTreeSet;

use provost_rules_learn::measure::{
    fresh::{FreshLabel, Way},
    procedure::{Port as _, RuleSet},
};

use super::{Simulation, SimulationError, port::Judge};

/// When a rule stays, by what it wins and loses on the labels that were held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// It wins more than it loses.
    IfBetter,
    /// Chance would explain it in at most one case of twenty.
    BySignTest,
}

/// How many errors reflection is shown.
const SHOWN: usize = 16;
const LEVEL: f64 = 0.05;

impl Simulation {
    /// The rules in force after everything that reflection proposes was tried on two fifths of the labels.
    pub fn hold_out(self, keeping: Keeping) -> Result<BTreeSet<String>, SimulationError> {
        let mut judge = Judge::new(self);
        let (mut learned, mut held) = (Vec::new(), Vec::new());
        for number in 1..=self.labels {
            let task = judge.draw(number * self.tasks_per_label);
            let label = judge.label(number, task, Way::DRAWN);
            if number % 5 < 2 { held.push(label) } else { learned.push(label) }
        }
        let (mut rules, mut known) = (RuleSet::default(), BTreeSet::new());
        loop {
            let mut errors = Vec::new();
            for label in &learned {
                if !judge.is_right(&rules, label)? {
                    errors.push(label.group.clone());
                }
            }
            let newest = errors.split_off(errors.len().saturating_sub(SHOWN));
            let proposals = judge.reflect(&newest, &known)?;
            if proposals.is_empty() {
                return Ok(rules.added);
            }
            for proposal in proposals {
                known.insert(proposal.rule.clone());
                let mut with = rules.clone();
                with.added.insert(proposal.rule);
                let (mut wins, mut losses) = (0, 0);
                for label in &held {
                    let sides = (judge.is_right(&with, label)?, judge.is_right(&rules, label)?);
                    wins += u32::from(sides == (true, false));
                    losses += u32::from(sides == (false, true));
                }
                if keeping.keeps(wins, losses) {
                    rules = with;
                }
            }
        }
    }
}

impl Judge {
    fn is_right(&mut self, rules: &RuleSet, label: &FreshLabel) -> Result<bool, SimulationError> {
        Ok(self.vote(rules, &label.group, 0)? == Some(label.label))
    }
}

impl Keeping {
    fn keeps(self, wins: u32, losses: u32) -> bool {
        match self {
            Self::IfBetter => wins > losses,
            Self::BySignTest => tail(wins, wins + losses) <= LEVEL,
        }
    }
}

/// The chance of at least so many heads in so many throws of a coin.
fn tail(heads: u32, throws: u32) -> f64 {
    let mut chance = 0.5_f64.powi(i32::try_from(throws).unwrap_or(i32::MAX));
    let mut sum = 0.0;
    for n in 0..=throws {
        sum += if n >= heads { chance } else { 0.0 };
        chance *= f64::from(throws - n) / f64::from(n + 1);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::simulation::Truth;

    #[test]
    fn a_sign_test_asks_for_five_wins_of_five() {
        for (wins, losses, by_sign, if_better) in [
            (0, 0, false, false),
            (1, 0, false, true),
            (4, 0, false, true),
            (5, 0, true, true),
            (7, 1, true, true),
            (6, 1, false, true),
            (3, 3, false, false),
            (60, 40, true, true),
            (57, 43, false, true),
        ] {
            assert_eq!(Keeping::BySignTest.keeps(wins, losses), by_sign, "{wins}, {losses}");
            assert_eq!(Keeping::IfBetter.keeps(wins, losses), if_better, "{wins}, {losses}");
        }
    }

    /// The reason for the gate: what is usual takes chance for a rule.
    #[test]
    fn what_is_usual_takes_chance_for_a_rule() {
        let fooled = |keeping| -> usize {
            let run = |seed| {
                let world = Simulation::new(seed, 100);
                Simulation { truth: Truth::Shuffled, ..world }.hold_out(keeping).unwrap()
            };
            (0..40).filter(|seed| !run(*seed).is_empty()).count()
        };
        let (if_better, by_sign) = (fooled(Keeping::IfBetter), fooled(Keeping::BySignTest));
        assert!(if_better >= 20 && if_better > by_sign, "{if_better}, {by_sign}");
    }
}
