//! What was done, and by whom.

use camino::Utf8Path;
use provost_kernel::Digest;

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

    /// The folder of the heads of all chains of this person, outside every project.
    pub(crate) fn chain_heads(&self) -> Location {
        self.user_home().join("chains")
    }

    /// The head of the chain that is kept outside the project.
    pub fn chain_head(&self) -> Location {
        let digest = Digest::of_bytes(self.audit().path().as_str().as_bytes()).to_string();
        self.chain_heads().join(format!("{}.json", &digest[..32]))
    }

    /// The folder that the home lies in.
    pub fn project(&self) -> Location {
        let home = self.home().path();
        Location::root(home.parent().unwrap_or(&home))
    }

    /// The folder of a project, as it was written down.
    pub(crate) fn project_at(path: &str) -> Location {
        Location::root(Utf8Path::new(path))
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
