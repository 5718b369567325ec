//! What becomes of a rule after it was written: hits and misses, and removal.
//!
//! The rules of the last change are credited with every ticket of a window after it. A ticket that
//! goes to reflection is counted only when it contributed there: what could not be learned from
//! says nothing about a rule.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::learn::{Guidance, Lifecycle, RuleKey, TicketKey};

/// How a ticket came out under the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The verdict was the label.
    Hit,
    Miss,
}

/// Whether a ticket is counted at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    Now,
    /// It goes to reflection; what is said there decides.
    Later,
}

/// Which rules are credited with tickets, and what is still to be counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credit {
    window: u32,
    keys: BTreeSet<RuleKey>,
    /// How many tickets of the window are left.
    left: u32,
    /// What reflection decides on: the rules that a ticket would be counted for.
    held: BTreeMap<TicketKey, (BTreeSet<RuleKey>, Outcome)>,
    counts: BTreeMap<RuleKey, Counts>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    hits: u64,
    misses: u64,
}

/// What keeps a ratio of nothing from being undefined.
const EPSILON: f64 = 1e-5;
const PLACES: f64 = 1e5;

impl Credit {
    /// Nothing is credited until something was applied.
    pub fn new(window: u32) -> Self {
        Self { window, ..Self::default() }
    }

    /// A change was applied: from now on its rules are credited, and those before it no more.
    pub fn applied(&mut self, written: &[RuleKey]) {
        self.keys = written.iter().copied().collect();
        self.left = self.window;
    }

    /// A ticket was judged. One without a verdict is not to be told here.
    pub fn judged(&mut self, ticket: &TicketKey, outcome: Outcome, counted: Counted) {
        if self.keys.is_empty() || self.left == 0 {
            return;
        }
        self.left -= 1;
        let keys = self.keys.clone();
        match counted {
            Counted::Now => self.count(&keys, outcome),
            Counted::Later => {
                self.held.insert(ticket.clone(), (keys, outcome));
            }
        }
    }

    /// The ticket contributed to a reflection: it counts.
    pub fn commit(&mut self, ticket: &TicketKey) {
        if let Some((keys, outcome)) = self.held.remove(ticket) {
            self.count(&keys, outcome);
        }
    }

    /// The ticket taught nothing: it does not count.
    pub fn discard(&mut self, ticket: &TicketKey) {
        self.held.remove(ticket);
    }

    /// Adds what was counted to the rules that are still there; nothing if no rule changed.
    pub fn settle(&mut self, guidance: &Guidance) -> Option<Guidance> {
        let mut after = guidance.clone();
        for (key, counts) in std::mem::take(&mut self.counts) {
            if let Some(rule) = after.rules.get_mut(&key) {
                rule.hits = rule.hits.saturating_add(counts.hits);
                rule.misses = rule.misses.saturating_add(counts.misses);
            }
        }
        (after != *guidance).then_some(after)
    }

    fn count(&mut self, keys: &BTreeSet<RuleKey>, outcome: Outcome) {
        for key in keys {
            let counts = self.counts.entry(*key).or_default();
            match outcome {
                Outcome::Hit => counts.hits = counts.hits.saturating_add(1),
                Outcome::Miss => counts.misses = counts.misses.saturating_add(1),
            }
        }
    }
}

/// The share of hits, to five places: nearly 1 after the first one, 0 without any.
pub fn confidence(hits: u64, misses: u64) -> f64 {
    let (hits, misses) = (number(hits), number(misses));
    (hits / (hits + misses + EPSILON) * PLACES).round() / PLACES
}

/// What the next ticket is expected to be, to five places: one half when nothing is known.
pub fn expectation(hits: u64, misses: u64) -> f64 {
    let (hits, misses) = (number(hits), number(misses));
    ((hits + 1.0) / (hits + misses + 2.0) * PLACES).round() / PLACES
}

/// The rules that stopped working, in the order of their numbers; never the checklist.
pub fn failing(guidance: &Guidance, lifecycle: &Lifecycle) -> Vec<RuleKey> {
    let Lifecycle { confidence_drop_threshold, min_miss_before_drop, enable_auto_cleanup } =
        *lifecycle;
    let is_failing = |hits: u64, misses: u64| {
        // The formula of `confidence`, without its rounding: all sides times 10^8.
        let all = u128::from(hits) + u128::from(misses);
        let is_low = u128::from(hits) * 100_000_000
            < u128::from(confidence_drop_threshold) * (all * 100_000 + 1);
        is_low && misses >= u64::from(min_miss_before_drop)
    };
    let rules = guidance.rules.iter().filter(|_| enable_auto_cleanup);
    let failing = rules.filter(|(_, rule)| is_failing(rule.hits, rule.misses));
    failing.map(|(key, _)| *key).filter(|key| *key != RuleKey::CHECKLIST).collect()
}

/// A count as a number; there are fewer tickets than 2^32.
fn number(count: u64) -> f64 {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}

#[cfg(test)]
mod tests {
    use provost_kernel::learn::Rule;

    use super::*;

    fn guidance(rules: &[(u32, u64, u64)]) -> Guidance {
        let rule = |&(number, hits, misses): &(u32, u64, u64)| {
            let rule = Rule { hits, misses, ..Rule::seed(format!("rule {number}")) };
            (RuleKey::new(number), rule)
        };
        Guidance { step: 1, next_key: 9, rules: rules.iter().map(rule).collect() }
    }

    fn ticket(name: &str) -> TicketKey {
        format!("{name}::fail").parse().unwrap()
    }

    const LIFECYCLE: Lifecycle = Lifecycle {
        confidence_drop_threshold: 350,
        min_miss_before_drop: 3,
        enable_auto_cleanup: true,
    };

    #[track_caller]
    fn check(hits: u64, misses: u64, is_removed: bool) {
        let failing = failing(&guidance(&[(0, hits, misses), (1, hits, misses)]), &LIFECYCLE);
        let expected = if is_removed { vec![RuleKey::new(1)] } else { Vec::new() };
        assert_eq!(failing, expected, "{hits}/{misses}");
    }

    /// LEARN-3.5: the checklist fails with the rest and is never among the removed.
    #[test]
    fn a_rule_that_stops_working_is_removed() {
        check(1, 3, true);
        check(2, 3, false);
        check(2, 4, true);
        check(0, 3, true);
        check(0, 2, false);
        check(0, 0, false);
        check(1, 2, false);
        // 7 of 20 is the threshold itself, and the small term puts it below.
        check(7, 13, true);
        check(8, 14, false);
        check(u64::MAX, u64::MAX, false);
        check(0, u64::MAX, true);
    }

    #[test]
    fn nothing_is_removed_where_cleanup_is_off() {
        let off = Lifecycle { enable_auto_cleanup: false, ..LIFECYCLE };
        assert_eq!(failing(&guidance(&[(0, 0, 9), (1, 0, 9)]), &off), []);
    }

    #[test]
    fn confidence_is_the_ratio_and_expectation_the_mean() {
        for (hits, misses, ratio, mean) in [
            (0, 0, 0.0, 0.5),
            (1, 0, 0.99999, 0.66667),
            (1, 3, 0.25, 0.33333),
            (2, 4, 0.33333, 0.375),
            (u64::MAX, u64::MAX, 0.5, 0.5),
        ] {
            assert_eq!((confidence(hits, misses), expectation(hits, misses)), (ratio, mean));
        }
    }

    /// What is counted for `G1`, after a change of `G1` and a window of three tickets.
    #[track_caller]
    fn check_counts(tell: impl Fn(&mut Credit), expected: Option<(u64, u64)>) {
        let mut credit = Credit::new(3);
        credit.applied(&[RuleKey::new(1)]);
        tell(&mut credit);
        let after = credit.settle(&guidance(&[(0, 0, 0), (1, 0, 0)]));
        let counts = |it: Guidance| it.rules.get(&RuleKey::new(1)).map(|it| (it.hits, it.misses));
        assert_eq!(after.and_then(counts), expected);
    }

    #[test]
    fn tickets_of_the_window_are_credited_to_the_last_change() {
        use Counted::{Later, Now};
        use Outcome::{Hit, Miss};
        let (a, b) = (ticket("a"), ticket("b"));
        check_counts(|_| {}, None);
        check_counts(|it| it.judged(&a, Hit, Now), Some((1, 0)));
        check_counts(|it| it.judged(&a, Miss, Now), Some((0, 1)));
        // A candidate waits for what reflection says.
        check_counts(|it| it.judged(&a, Miss, Later), None);
        check_counts(
            |it| {
                it.judged(&a, Miss, Later);
                it.judged(&b, Hit, Later);
                it.commit(&a);
                it.commit(&a);
                it.discard(&b);
                it.commit(&b);
            },
            Some((0, 1)),
        );
        // The fourth ticket is outside the window.
        check_counts(|it| (0..4).for_each(|_| it.judged(&a, Hit, Now)), Some((3, 0)));
        // Another change takes over, and what was held is counted for the rules of its time.
        check_counts(
            |it| {
                it.judged(&a, Miss, Later);
                it.applied(&[RuleKey::new(0)]);
                it.judged(&b, Hit, Now);
                it.commit(&a);
            },
            Some((0, 1)),
        );
        // A rule that is gone, or never was, is credited with nothing.
        check_counts(
            |it| {
                it.applied(&[RuleKey::new(7)]);
                it.judged(&b, Hit, Now);
            },
            None,
        );
        assert_eq!(Credit::new(3).settle(&guidance(&[(0, 0, 0)])), None);
    }
}
