//! What a model may propose, once it was found valid, and why a proposal was not.

use serde::{Deserialize, Serialize};

use super::{RuleKey, TicketKey};
use crate::task::words::words;

/// A change of guidance that was found valid. None of them can name a scaffold rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Operation {
    Add {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rationale: Option<String>,
        evidence: Vec<TicketKey>,
    },
    Update {
        key: RuleKey,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rationale: Option<String>,
        evidence: Vec<TicketKey>,
    },
    Delete {
        key: RuleKey,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rationale: Option<String>,
        evidence: Vec<TicketKey>,
    },
    Merge {
        key: RuleKey,
        merged_from: Vec<RuleKey>,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rationale: Option<String>,
        evidence: Vec<TicketKey>,
    },
}

/// A rule that is proposed and waits for support (LEARN-2.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hypothesis {
    /// What makes two wordings one hypothesis.
    pub signature: String,
    pub text: String,
    pub falsifier: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<String>,
    pub evidence: Vec<TicketKey>,
}

/// One thing that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    pub kind: RejectKind,
    /// Its place in its list; 0 for what concerns the whole answer.
    pub index: usize,
    pub code: RejectCode,
    /// What exactly, for a person.
    pub detail: String,
}

words! {
    /// What was refused.
    pub enum RejectKind {
        Decision = "decision",
        Operation = "operation",
        Hypothesis = "hypothesis",
    }
}

words! {
    /// Why something was refused.
    pub enum RejectCode {
        NotJson = "not_json",
        DuplicateKey = "duplicate_key",
        TrailingText = "trailing_text",
        UnknownField = "unknown_field",
        NotObject = "not_object",
        BadOp = "bad_op",
        ScaffoldTarget = "scaffold_target",
        ChecklistDelete = "g0_delete",
        MissingKey = "missing_key",
        UnknownKey = "unknown_key",
        BadKeyNamespace = "bad_key_namespace",
        EvidenceMissing = "evidence_missing",
        EvidenceNotList = "evidence_not_list",
        EvidenceEmpty = "evidence_empty",
        EvidenceOutside = "evidence_outside_L",
        TextEmpty = "text_empty",
        TextTooLong = "text_too_long",
        RationaleTooLong = "rationale_too_long",
        FalsifierTooLong = "falsifier_too_long",
        ThirdState = "third_state",
        AmbiguousNegation = "ambiguous_negation",
        NotBinary = "not_binary",
        LeaksTicket = "leaks_ticket",
        CopiesEvidence = "copies_evidence",
        ConflictsScaffold = "conflicts_scaffold",
        BrandDimension = "brand_dimension",
        FalsifierMissing = "falsifier_missing",
        MergeFromEmpty = "merge_from_empty",
        MergeFromProtected = "merge_from_protected",
        MergeSelf = "merge_self",
        Duplicate = "duplicate",
        OverCap = "over_cap",
    }
}

impl Operation {
    pub fn evidence(&self) -> &[TicketKey] {
        match self {
            Self::Add { evidence, .. }
            | Self::Update { evidence, .. }
            | Self::Delete { evidence, .. }
            | Self::Merge { evidence, .. } => evidence,
        }
    }

    /// The rule that it would write; nothing for a removal.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Add { text, .. } | Self::Update { text, .. } | Self::Merge { text, .. } => {
                Some(text)
            }
            Self::Delete { .. } => None,
        }
    }

    /// The word of the operation, as a model writes it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Add { .. } => "add",
            Self::Update { .. } => "update",
            Self::Delete { .. } => "delete",
            Self::Merge { .. } => "merge",
        }
    }
}
