//! What was done, and by whom.

use super::Layout;
use crate::Location;

impl Layout {
    /// The chain.
    pub fn audit(&self) -> Location {
        self.out().join("_audit").join("audit.jsonl")
    }

    /// The heads of the chain, stored apart from it.
    pub fn audit_heads(&self) -> Location {
        self.out().join("_audit").join("heads.jsonl")
    }

    /// What people ordered from afar.
    pub fn gui_actions(&self) -> Location {
        self.out().join("_audit").join("gui_actions.jsonl")
    }

    /// Requests from afar that start a process, and what was answered.
    pub fn requests(&self) -> Location {
        self.out().join("_audit").join("requests.jsonl")
    }
}
