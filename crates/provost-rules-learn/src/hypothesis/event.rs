//! What happens to hypotheses, as lines of a log without times.

use provost_kernel::learn::{Label, RuleKey, TicketKey};
use serde::{Deserialize, Serialize};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    Proposed,
    /// It is a rule already, and was proposed again.
    Reaffirmed,
    /// It has its support, and is measured.
    Shadow,
    Promoted,
    Rejected,
    Retired,
}

/// Where in a run something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct At {
    pub epoch: u32,
    pub reflection_cycle: u64,
    /// The cycle itself, or the one that it retries.
    pub cycle_root: u64,
}

/// One line of the log of hypotheses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub v: u32,
    pub seq: u64,
    pub event: EventKind,
    pub signature: String,
    pub epoch: u32,
    pub reflection_cycle: u64,
    pub cycle_root: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub falsifier: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concludes: Option<Label>,
    /// The evidence of a proposal; the whole support of a change of status.
    pub ticket_keys: Vec<TicketKey>,
    /// Those among them that no person labelled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_labels: Vec<TicketKey>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support_cycles: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unique_ticket_keys: Option<u32>,
    /// The rule that it became or was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleKey>,
    /// Why it was rejected or retired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

const VERSION: u32 = 1;

impl Event {
    /// An event that says no more than what and where.
    pub fn new(seq: u64, event: EventKind, at: At, signature: &str) -> Self {
        let At { epoch, reflection_cycle, cycle_root } = at;
        Self {
            v: VERSION,
            seq,
            event,
            signature: signature.to_owned(),
            epoch,
            reflection_cycle,
            cycle_root,
            text: None,
            falsifier: None,
            dimension: None,
            concludes: None,
            ticket_keys: Vec::new(),
            other_labels: Vec::new(),
            support_cycles: None,
            unique_ticket_keys: None,
            rule: None,
            reason: None,
        }
    }

    /// Something that is a rule already was proposed again: closure counts it, support does not.
    pub fn reaffirmed(seq: u64, at: At, signature: &str, evidence: &[TicketKey]) -> Self {
        let ticket_keys = evidence.to_vec();
        Self { ticket_keys, ..Self::new(seq, EventKind::Reaffirmed, at, signature) }
    }

    /// Names the rule that a hypothesis became or was.
    #[must_use]
    pub fn with_rule(self, rule: RuleKey) -> Self {
        Self { rule: Some(rule), ..self }
    }

    /// Says why.
    #[must_use]
    pub fn with_reason(self, reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..self }
    }

    pub fn at(&self) -> At {
        let Self { epoch, reflection_cycle, cycle_root, .. } = self;
        At { epoch: *epoch, reflection_cycle: *reflection_cycle, cycle_root: *cycle_root }
    }
}
