//! Guidance in its two namespaces: a scaffold that has no setter, and rules that are learned.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{RuleKey, ScaffoldKey, TicketKey};
use crate::{Digest, Message};

/// The rules that nothing may change: there is a way to make one and a way to read it, and no
/// third (LEARN-1.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scaffold {
    rules: BTreeMap<ScaffoldKey, String>,
    digest: Digest,
}

/// Why rules are not a scaffold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.scaffold")]
pub enum ScaffoldError {
    #[message(
        en = "scaffold rule {0} is empty",
        zh = "骨架规则 {0} 为空",
        hint(
            en = "write what `{0}` demands, or delete the key",
            zh = "写明 `{0}` 的要求，或删除该键"
        )
    )]
    Blank(ScaffoldKey),
}

/// The rules that are learned: the checklist `G0`, and what was added to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guidance {
    /// One more for each applied reflection.
    pub step: u64,
    /// The number that the next new rule has. It only grows, so that no key is ever used twice.
    pub next_key: u32,
    pub rules: BTreeMap<RuleKey, Rule>,
}

/// One rule that was learned, and what speaks for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    pub text: String,
    /// The tickets that support it, the newest evidence first.
    #[serde(default)]
    pub sources: Vec<TicketKey>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// The reflection that wrote it; nothing for a rule that came with the mission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection_id: Option<String>,
    #[serde(default)]
    pub hits: u64,
    #[serde(default)]
    pub misses: u64,
}

impl Scaffold {
    /// A scaffold of these rules. It may be empty: a mission need not have one.
    pub fn new(rules: BTreeMap<ScaffoldKey, String>) -> Result<Self, ScaffoldError> {
        if let Some((key, _)) = rules.iter().find(|(_, text)| text.trim().is_empty()) {
            return Err(ScaffoldError::Blank(*key));
        }
        let lines: Vec<String> =
            rules.iter().map(|(key, text)| format!("{key}\0{text}\0")).collect();
        Ok(Self { rules, digest: Digest::of_bytes(lines.concat().as_bytes()) })
    }

    /// The scaffold of a mission that has none.
    pub fn empty() -> Self {
        Self { rules: BTreeMap::new(), digest: Digest::of_bytes(b"") }
    }

    /// The rules in the order of their numbers.
    pub fn rules(&self) -> &BTreeMap<ScaffoldKey, String> {
        &self.rules
    }

    /// What pins the rules: the digest of every key and text.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

impl Guidance {
    /// What the rules say, as one digest: keys and texts, without counts and sources.
    pub fn digest(&self) -> Digest {
        let lines: Vec<String> =
            self.rules.iter().map(|(key, rule)| format!("{key}\0{}\0", rule.text)).collect();
        Digest::of_bytes(lines.concat().as_bytes())
    }

    /// The checklist; empty only in guidance that no reader would have accepted.
    pub fn checklist(&self) -> &str {
        self.rules.get(&RuleKey::CHECKLIST).map_or("", |it| it.text.as_str())
    }
}

impl Rule {
    /// A rule that came with the mission.
    pub fn seed(text: String) -> Self {
        Self { text, sources: Vec::new(), rationale: None, reflection_id: None, hits: 0, misses: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaffold(rules: &[(&str, &str)]) -> Result<Scaffold, ScaffoldError> {
        let pair = |&(key, text): &(&str, &str)| (key.parse().unwrap(), text.to_owned());
        Scaffold::new(rules.iter().map(pair).collect())
    }

    /// LEARN-1.3: whatever differs between two scaffolds, their digests differ.
    #[test]
    fn a_scaffold_is_pinned_by_its_digest() {
        let digest = |rules: &[(&str, &str)]| scaffold(rules).unwrap().digest();
        let first = digest(&[("S1", "a"), ("S2", "b")]);
        assert_eq!(first, digest(&[("S2", "b"), ("S1", "a")]));
        for other in [
            &[("S1", "a.")][..],
            &[("S1", "a"), ("S3", "b")],
            &[("S1", "a"), ("S2", "b ")],
            &[("S1", "b"), ("S2", "a")],
            &[],
        ] {
            assert_ne!(first, digest(other), "{other:?}");
        }
        assert!(scaffold(&[("S1", " \n")]).is_err());
        assert_eq!(scaffold(&[]), Ok(Scaffold::empty()));
    }

    #[test]
    fn rules_stand_in_the_order_of_their_numbers() {
        let scaffold = scaffold(&[("S10", "x"), ("S2", "y")]).unwrap();
        let keys: Vec<String> = scaffold.rules().keys().map(ToString::to_string).collect();
        assert_eq!(keys, ["S2", "S10"]);
    }
}
