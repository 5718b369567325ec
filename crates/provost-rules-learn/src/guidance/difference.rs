//! What differs between two states of guidance, rule by rule.

use provost_kernel::learn::{Guidance, RuleKey};
use serde::Serialize;

/// One rule that is not the same in both states. Counts and sources are no difference: they change
/// no verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Difference {
    Added { key: RuleKey, text: String },
    Removed { key: RuleKey, text: String },
    Changed { key: RuleKey, before: String, after: String },
}

/// Compares two states, in the order of the keys.
pub fn differences(before: &Guidance, after: &Guidance) -> Vec<Difference> {
    let removed = before.rules.iter().filter(|(key, _)| !after.rules.contains_key(key));
    let removed =
        removed.map(|(key, rule)| Difference::Removed { key: *key, text: rule.text.clone() });
    let others = after.rules.iter().filter_map(|(key, rule)| match before.rules.get(key) {
        None => Some(Difference::Added { key: *key, text: rule.text.clone() }),
        Some(old) if old.text != rule.text => Some(Difference::Changed {
            key: *key,
            before: old.text.clone(),
            after: rule.text.clone(),
        }),
        Some(_) => None,
    });
    let mut all: Vec<Difference> = removed.chain(others).collect();
    all.sort_by_key(Difference::key);
    all
}

impl Difference {
    pub fn key(&self) -> RuleKey {
        match self {
            Self::Added { key, .. } | Self::Removed { key, .. } | Self::Changed { key, .. } => *key,
        }
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::learn::Rule;

    use super::*;

    fn guidance(rules: &[(u32, &str)]) -> Guidance {
        let rule = |&(n, text): &(u32, &str)| (RuleKey::new(n), Rule::seed(text.to_owned()));
        Guidance { step: 0, next_key: 9, rules: rules.iter().map(rule).collect() }
    }

    #[test]
    fn every_rule_that_differs_is_named_once() {
        let before = guidance(&[(0, "check"), (1, "a"), (2, "b")]);
        let after = guidance(&[(0, "check more"), (2, "b"), (3, "c")]);
        let key = RuleKey::new;
        assert_eq!(
            differences(&before, &after),
            [
                Difference::Changed {
                    key: key(0),
                    before: "check".to_owned(),
                    after: "check more".to_owned(),
                },
                Difference::Removed { key: key(1), text: "a".to_owned() },
                Difference::Added { key: key(3), text: "c".to_owned() },
            ]
        );
        let mut counted = before.clone();
        counted.rules.entry(key(1)).and_modify(|it| it.hits = 7);
        assert_eq!(differences(&before, &counted), []);
    }
}
