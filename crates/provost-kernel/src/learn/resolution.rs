//! What a person says of a ticket that reflection gave up on.

use serde::{Deserialize, Serialize};

use super::TicketKey;
use crate::{Actor, Timestamp, words::words};

words! {
    /// Why nothing could be learned from a ticket, in a person's judgement.
    pub enum Resolution {
        /// Its label is wrong: it counts nowhere any more.
        LabelWrong = "label_wrong",
        /// What would show the reason for its label is not in it.
        EvidenceMissing = "evidence_missing",
        /// The rules lack something, and the ticket stays.
        RuleGap = "rule_gap",
        /// It is not a case of this mission's question, and the ticket stays.
        OutOfScope = "out_of_scope",
    }
}

/// One resolution, as it is kept. The newest of a ticket counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    pub v: u8,
    pub ticket_key: TicketKey,
    pub resolution: Resolution,
    pub actor: Actor,
    pub at: Timestamp,
}

impl Resolution {
    /// Whether later runs leave the ticket out.
    pub fn leaves_out(self) -> bool {
        match self {
            Self::LabelWrong | Self::EvidenceMissing => true,
            Self::RuleGap | Self::OutOfScope => false,
        }
    }
}
