//! What an agent's claims about a story come to.
//!
//! [`check`] looks at the claims alone and runs nothing. [`judge`] compares them with what provost
//! found when it ran the evidence, the gates and the scope guard itself. An agent's word can only
//! lower what was found: a criterion passes when its evidence was reproduced on the very tree that
//! is judged, and for no other reason.

mod check;
mod judge;
mod merge;
mod note;
mod remark;
mod status;
mod story;
pub mod tampering;
#[cfg(test)]
mod tests;

pub use self::{
    check::{CheckedClaim, check, check_bytes},
    judge::{ClaimFacts, judge, moved, not_prepared},
    merge::{is_known, label, merge},
    note::note,
    story::{StoryFileError, read_story},
};

/// The stable codes of what can be said of a claim.
pub mod code {
    pub const UNKNOWN_AC: &str = "UNKNOWN_AC";
    pub const STORY_MISMATCH: &str = "STORY_MISMATCH";
    pub const EVIDENCE_MISSING: &str = "EVIDENCE_MISSING";
    pub const EVIDENCE_UNVERIFIED: &str = "EVIDENCE_UNVERIFIED";
    pub const EVIDENCE_MISMATCH: &str = "EVIDENCE_MISMATCH";
    pub const EVIDENCE_STALE: &str = "EVIDENCE_STALE";
    pub const EVIDENCE_WEAK: &str = "EVIDENCE_WEAK";
    pub const EVIDENCE_SHARED: &str = "EVIDENCE_SHARED";
    pub const NOTHING_SHOWN: &str = "NOTHING_SHOWN";
    pub const NOT_PREPARED: &str = "NOT_PREPARED";
    pub const GATE_FAILED: &str = "GATE_FAILED";
    pub const GATE_NOT_RUN: &str = "GATE_NOT_RUN";
    pub const GATE_NOT_CONFIGURED: &str = "GATE_NOT_CONFIGURED";
    pub const SCOPE_WARN_UNEXPLAINED: &str = "SCOPE_WARN_UNEXPLAINED";
    pub const SCOPE_HARD: &str = "SCOPE_HARD";
    pub const SCOPE_UNVERIFIABLE: &str = "SCOPE_UNVERIFIABLE";
    pub const REEVALUATION_REQUIRED: &str = "REEVALUATION_REQUIRED";
    pub const TREE_CHANGED_DURING_CHECK: &str = "TREE_CHANGED_DURING_CHECK";
}
