//! The ledger of a mission: what happened to rules, one entry for each.
//!
//! An event holds inputs alone. What follows from it stands beside it in [`After`], is never read
//! as an input, and is compared with what the inputs give when the ledger is verified.

use provost_kernel::learn::Label;
use serde::{Deserialize, Serialize};

use super::{e_value::Claim, fresh::FreshLabel};

/// One line of `accounts.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub schema: u32,
    /// From 1 on, without a gap.
    pub seq: u64,
    pub event: Event,
    pub after: After,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// A new bank; rules in force count as adopted from now on.
    SeasonBegan {
        because: String,
    },
    /// `birth` is the highest number of a label that the learner had read.
    Opened {
        rule: String,
        text: String,
        claim: Claim,
        /// The rules that it takes the place of.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        replaces: Vec<String>,
        birth: u64,
    },
    /// Another text with the same verdicts: it has no account of its own.
    Aliased {
        rule: String,
        of: String,
    },
    Bet {
        rule: String,
        label: FreshLabel,
        with: Vec<Option<Label>>,
        without: Vec<Option<Label>>,
    },
    Offered {
        rule: String,
    },
    Declined {
        rule: String,
        by: String,
    },
    Adopted {
        rule: String,
        text: String,
        by: String,
        because: Option<String>,
    },
    Promoted {
        rule: String,
    },
    Vetoed {
        rule: String,
        veto: Veto,
    },
    Retired {
        rule: String,
        why: Retirement,
    },
    Returned {
        rule: String,
        why: Return,
        birth: u64,
    },
    RolledBack {
        rule: String,
        by: String,
    },
    /// A label is withdrawn or changed: it proves nothing any more.
    Withdrawn {
        label: u64,
    },
}

/// What the rule of an event owns, and the bank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct After {
    pub e_value: Option<f64>,
    pub stake: Option<f64>,
    pub harm: Option<f64>,
    pub bank: f64,
}

/// Why a rule with a proof does not take effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Veto {
    /// Fewer cycles or keys than the mission asks for.
    SeedThresholds,
    MaxRules,
    /// A case that a scaffold rule decides is decided otherwise.
    Probe,
    /// A case that a person declared golden is decided otherwise.
    Golden,
}

/// Why a shadow stops betting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retirement {
    LowEValue,
    NoWins,
    Losses,
    Person,
    SeasonEnded,
}

/// Why a rule in force is a shadow again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Return {
    Harm,
    ProofGone,
}

pub const SCHEMA: u32 = 1;
/// Far more than rounding when a number is written and read again.
const TOLERANCE: f64 = 1e-9;

impl Event {
    /// The label that is bet on.
    pub fn label(&self) -> Option<&FreshLabel> {
        if let Self::Bet { label, .. } = self { Some(label) } else { None }
    }

    /// The rule that it is about.
    pub fn rule(&self) -> Option<&str> {
        match self {
            Self::Opened { rule, .. }
            | Self::Aliased { rule, .. }
            | Self::Bet { rule, .. }
            | Self::Offered { rule }
            | Self::Declined { rule, .. }
            | Self::Adopted { rule, .. }
            | Self::Promoted { rule }
            | Self::Vetoed { rule, .. }
            | Self::Retired { rule, .. }
            | Self::Returned { rule, .. }
            | Self::RolledBack { rule, .. } => Some(rule),
            Self::SeasonBegan { .. } | Self::Withdrawn { .. } => None,
        }
    }
}

impl After {
    /// Whether the numbers are the same up to how they were written.
    pub fn agrees(&self, other: &Self) -> bool {
        let close = |a: f64, b: f64| (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1.0);
        let same = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => close(a, b),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        same(self.e_value, other.e_value)
            && same(self.stake, other.stake)
            && same(self.harm, other.harm)
            && close(self.bank, other.bank)
    }
}
