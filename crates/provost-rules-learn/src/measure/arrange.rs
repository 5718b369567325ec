//! Sets of rules as guidance: what the judge is shown on each side of a comparison.
//!
//! A mission's own rules stay where they are; what the ledger says is in force stands among them. A
//! rule keeps its key as long as the arrangement lives, and a key is never given twice.

use std::collections::BTreeMap;

use provost_kernel::learn::{Guidance, Rule, RuleKey};

use super::{account::Account, book::Book, procedure::RuleSet};
use crate::signature::signature;

/// What is known of the rules of a mission.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrangement {
    /// The mission's own rules, without those that the ledger decides about.
    base: BTreeMap<RuleKey, Rule>,
    next_key: u32,
    keys: BTreeMap<String, RuleKey>,
    wordings: BTreeMap<String, Wording>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Wording {
    text: String,
    replaces: Vec<String>,
}

impl Arrangement {
    /// Begins with guidance. A rule of it that the ledger has in force stands and falls by the
    /// ledger from now on.
    pub fn new(start: &Guidance, book: &Book) -> Self {
        let mut arrangement = Self {
            base: start.rules.clone(),
            next_key: start.next_key,
            keys: BTreeMap::new(),
            wordings: BTreeMap::new(),
        };
        for (rule, account) in book.accounts() {
            if account.adds() {
                arrangement.know(rule, account);
            }
        }
        let is_in_force = |text: &str| {
            let rule = signature(text);
            book.in_force().any(|(known, _)| *known == rule).then_some(rule)
        };
        let governed: Vec<(RuleKey, String)> = start
            .rules
            .iter()
            .filter(|(key, _)| **key != RuleKey::CHECKLIST)
            .filter_map(|(key, it)| Some((*key, is_in_force(&it.text)?)))
            .collect();
        for (key, rule) in governed {
            arrangement.base.remove(&key);
            arrangement.keys.insert(rule, key);
        }
        arrangement
    }

    /// Learns the words of a rule that has an account.
    pub fn know(&mut self, rule: &str, account: &Account) {
        self.word(rule, account.text(), account.removes());
    }

    /// Learns the words of a rule, and of which it takes the place.
    pub fn word(&mut self, rule: &str, text: &str, replaces: &[String]) {
        let wording = Wording { text: text.to_owned(), replaces: replaces.to_vec() };
        self.wordings.entry(rule.to_owned()).or_insert(wording);
    }

    /// The signature of the rule that stands under a key.
    pub fn rule(&self, key: RuleKey) -> Option<String> {
        let governed = self.keys.iter().find(|(_, it)| **it == key).map(|(rule, _)| rule.clone());
        governed.or_else(|| self.base.get(&key).map(|it| signature(&it.text)))
    }

    /// The key that a rule of the ledger has or had.
    pub fn key(&self, rule: &str) -> Option<RuleKey> {
        self.keys.get(rule).copied()
    }

    /// The rules of a set, at a step. What is known of a rule that stays as it was is kept.
    pub fn guidance(&self, set: &RuleSet, now: &Guidance) -> Guidance {
        let stays = |(key, it): &(&RuleKey, &Rule)| {
            **key == RuleKey::CHECKLIST || !set.removed.contains(&signature(&it.text))
        };
        let mut rules: BTreeMap<RuleKey, Rule> =
            self.base.iter().filter(stays).map(|(key, it)| (*key, it.clone())).collect();
        let mut next_key = self.next_key.max(now.next_key);
        for rule in &set.added {
            let Some(Wording { text, replaces }) = self.wordings.get(rule) else { continue };
            if rules.values().any(|it| signature(&it.text) == *rule) {
                continue;
            }
            let place = replaces.first().and_then(|it| self.place(it));
            let is_free = |key: &RuleKey| {
                !rules.contains_key(key) || (*key == RuleKey::CHECKLIST && place == Some(*key))
            };
            let known = self.keys.get(rule).copied().or(place).filter(is_free);
            let key = known.unwrap_or_else(|| {
                let key = RuleKey::new(next_key);
                next_key = next_key.saturating_add(1);
                key
            });
            rules.insert(key, Rule::seed(text.clone()));
        }
        for (key, rule) in &mut rules {
            if let Some(known) = now.rules.get(key).filter(|it| it.text == rule.text) {
                *rule = known.clone();
            }
        }
        Guidance { step: now.step, next_key, rules }
    }

    /// Remembers the keys of rules that took effect.
    pub fn keep(&mut self, set: &RuleSet, guidance: &Guidance) {
        self.next_key = self.next_key.max(guidance.next_key);
        for (key, it) in &guidance.rules {
            let rule = signature(&it.text);
            if set.added.contains(&rule) {
                self.keys.insert(rule, *key);
            }
        }
    }

    /// Where a rule stands.
    fn place(&self, rule: &str) -> Option<RuleKey> {
        let own = self.base.iter().find(|(_, it)| signature(&it.text) == rule).map(|(key, _)| *key);
        own.or_else(|| self.keys.get(rule).copied())
    }
}

/// The same rules in another order: the texts of learned rules move on by so many keys, because the
/// same prompt repeats the same error.
pub fn rotated(guidance: &Guidance, by: u8) -> Guidance {
    let mut rotated = guidance.clone();
    let learned: Vec<Rule> = guidance
        .rules
        .iter()
        .filter(|(key, _)| **key != RuleKey::CHECKLIST)
        .map(|(_, it)| it.clone())
        .collect();
    let moved = learned.iter().cycle().skip(usize::from(by));
    let places = rotated.rules.iter_mut().filter(|(key, _)| **key != RuleKey::CHECKLIST);
    for ((_, place), rule) in places.zip(moved) {
        *place = rule.clone();
    }
    rotated
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Policy;

    fn guidance(rules: &[(u32, &str)]) -> Guidance {
        let rule = |&(key, text): &(u32, &str)| (RuleKey::new(key), Rule::seed(text.to_owned()));
        let next_key = rules.iter().map(|it| it.0 + 1).max().unwrap_or(1);
        Guidance { step: 4, next_key, rules: rules.iter().map(rule).collect() }
    }

    fn set(added: &[&str], removed: &[&str]) -> RuleSet {
        let of = |texts: &[&str]| texts.iter().map(|it| signature(it)).collect();
        RuleSet { added: of(added), removed: of(removed) }
    }

    #[track_caller]
    fn check(found: &Guidance, expected: &[(u32, &str)]) {
        let found: Vec<(u32, &str)> =
            found.rules.iter().map(|(key, it)| (key.number(), it.text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn rules_stand_among_the_mission_s_own() {
        let start = guidance(&[(0, "check it"), (1, "If a, then fail."), (2, "If b, then fail.")]);
        let mut it = Arrangement::new(&start, &Book::new(Policy::STANDARD));
        it.word(&signature("If c, then fail."), "If c, then fail.", &[]);
        let b = signature("If b, then fail.");
        it.word(&signature("If d, then fail."), "If d, then fail.", &[b]);
        let with = |set: &RuleSet| it.guidance(set, &start);
        check(
            &with(&RuleSet::default()),
            &[(0, "check it"), (1, "If a, then fail."), (2, "If b, then fail.")],
        );
        check(
            &with(&set(&["If c, then fail."], &["If a, then fail."])),
            &[(0, "check it"), (2, "If b, then fail."), (3, "If c, then fail.")],
        );
        // An update has the key of what it takes the place of.
        check(
            &with(&set(&["If d, then fail."], &["If b, then fail."])),
            &[(0, "check it"), (1, "If a, then fail."), (2, "If d, then fail.")],
        );
        // The checklist is never taken away, and a rule never stands there twice.
        check(
            &with(&set(&["If a, then fail."], &["check it", "If b, then fail."])),
            &[(0, "check it"), (1, "If a, then fail.")],
        );
    }

    #[test]
    fn a_key_that_was_given_is_kept() {
        let start = guidance(&[(0, "check it")]);
        let mut it = Arrangement::new(&start, &Book::new(Policy::STANDARD));
        for text in ["If y, then fail.", "If x, then fail."] {
            it.word(&signature(text), text, &[]);
        }
        let y = set(&["If y, then fail."], &[]);
        let first = it.guidance(&y, &start);
        it.keep(&y, &first);
        let both = set(&["If x, then fail.", "If y, then fail."], &[]);
        check(
            &it.guidance(&both, &first),
            &[(0, "check it"), (1, "If y, then fail."), (2, "If x, then fail.")],
        );
        let back = it.guidance(&RuleSet::default(), &first);
        check(&back, &[(0, "check it")]);
        assert_eq!(back.next_key, 2, "its key is not given again");
    }

    #[test]
    fn texts_move_on_and_the_checklist_stays() {
        let start = guidance(&[(0, "check it"), (1, "a"), (3, "b"), (4, "c")]);
        check(&rotated(&start, 0), &[(0, "check it"), (1, "a"), (3, "b"), (4, "c")]);
        check(&rotated(&start, 1), &[(0, "check it"), (1, "b"), (3, "c"), (4, "a")]);
        check(&rotated(&start, 4), &[(0, "check it"), (1, "b"), (3, "c"), (4, "a")]);
        check(&rotated(&guidance(&[(0, "check it")]), 1), &[(0, "check it")]);
    }
}
