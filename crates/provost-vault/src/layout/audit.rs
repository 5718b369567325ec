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

    /// That a front end was started without any way to a model.
    pub fn no_llm_startup_assert(&self) -> Location {
        self.out().join("_audit").join("no_llm_startup_assert.json")
    }

    /// What would have let a model answer a chat.
    pub fn no_llm_violations(&self) -> Location {
        self.out().join("_audit").join("no_llm_violations.jsonl")
    }

    /// Requests from afar that start a process, and what was answered.
    pub fn requests(&self) -> Location {
        self.out().join("_audit").join("requests.jsonl")
    }
}
