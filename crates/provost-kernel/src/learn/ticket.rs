//! A ticket: one case with the answer that a person gave it.

use std::{collections::BTreeMap, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GroupId, MissionName, TicketKey};
use crate::words::words;

words! {
    /// The answer to a binary question; there is no third.
    pub enum Label {
        Pass = "pass",
        Fail = "fail",
    }
}

words! {
    /// What a ticket may be used for: it is in one pool and in no other.
    pub enum Split {
        /// Rules are proposed from it.
        Learn = "learn",
        /// Up to 0.1.0, rules were measured on it. Since then, every label that is learned from
        /// measures the rules that are older, and it is one of those.
        Gate = "gate",
        /// It is looked at once, at the end of a run.
        Audit = "audit",
        /// A case that a person declared: a rule that changes its verdict is refused.
        Golden = "golden",
        /// A case that a scaffold rule decides, with an attack on its meaning: a rule that changes its
        /// verdict is refused.
        Probe = "probe",
    }
}

/// Who gave a label. A judge's never counts as a person's.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(from = "String", into = "String")]
#[schemars(with = "String")]
pub enum LabelSource {
    Human,
    /// Anything else, such as `judge:opus`.
    Other(String),
}

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    pub name: String,
    pub text: String,
}

/// One labelled case, read and found good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    pub mission: MissionName,
    pub group: GroupId,
    pub label: Label,
    /// The evidence, in the order in which it is shown; never empty.
    pub items: Vec<Item>,
    pub title: Option<String>,
    pub context: Option<String>,
    /// Shown only where the mission lists the name in `render_meta`.
    pub meta: BTreeMap<String, String>,
    /// The person's words: for reflection, never for a rollout.
    pub label_reason: Option<String>,
    pub label_source: LabelSource,
    /// As it was written, if it is a time.
    pub label_timestamp: Option<String>,
    pub labeler: Option<String>,
    /// Whether the person judged without having seen a judge's verdict; unknown if absent.
    pub blind: Option<bool>,
    /// The version of the checklist that the person judged by.
    pub criteria_version: Option<String>,
    /// The pool that the ticket itself asks for.
    pub split: Option<Split>,
}

impl Ticket {
    pub fn key(&self) -> TicketKey {
        TicketKey::new(self.group.clone(), self.label)
    }
}

impl Label {
    /// The other answer.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Pass => Self::Fail,
            Self::Fail => Self::Pass,
        }
    }
}

impl LabelSource {
    const HUMAN: &str = "human";

    pub fn as_str(&self) -> &str {
        match self {
            Self::Human => Self::HUMAN,
            Self::Other(text) => text,
        }
    }
}

impl From<String> for LabelSource {
    fn from(text: String) -> Self {
        if text == Self::HUMAN { Self::Human } else { Self::Other(text) }
    }
}

impl From<LabelSource> for String {
    fn from(source: LabelSource) -> Self {
        source.as_str().to_owned()
    }
}

impl fmt::Display for LabelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_person_is_a_person() {
        let read = |text: &str| LabelSource::from(text.to_owned());
        assert_eq!(read("human"), LabelSource::Human);
        for other in ["Human", "human ", "judge:human", ""] {
            assert_eq!(read(other), LabelSource::Other(other.to_owned()), "{other:?}");
            assert_eq!(read(other).to_string(), other);
        }
    }

    #[test]
    fn there_are_two_labels() {
        assert_eq!(Label::WORDS, ["pass", "fail"]);
        assert_eq!(Label::Pass.opposite(), Label::Fail);
        assert_eq!(Label::Fail.opposite(), Label::Pass);
    }
}
