//! Where the guard keeps what it knows: its policy, what it refused, and what it watched.

use provost_kernel::{
    SessionId,
    guard::{Harness, Mode},
};

use super::Layout;
use crate::Location;

impl Layout {
    pub fn guard(&self) -> Location {
        self.home().join("guard")
    }

    pub fn last_tool_error(&self) -> Location {
        self.guard().join("last-tool-error.json")
    }

    pub fn tracking(&self) -> Location {
        self.guard().join("subagent-tracking.json")
    }

    pub fn tracking_lock(&self) -> Location {
        self.guard().join("subagent-tracker.lock")
    }

    /// The operations that wait for the next holder of the lock of the tracked state.
    pub fn spool(&self) -> Location {
        self.guard().join("spool")
    }

    /// Whether a mode is active (HOOK-2.4: the mode is a word by now, and never a text).
    pub fn mode_state(&self, mode: Mode) -> Location {
        self.guard().join(format!("{mode}-state.json"))
    }

    /// Held while a mode is switched: which others are active must not change meanwhile.
    pub fn modes_lock(&self) -> Location {
        self.guard().join("modes.lock")
    }

    /// What other tools leave while a swarm is at work.
    pub fn swarm_marker(&self) -> Location {
        self.guard().join("swarm-active.marker")
    }

    /// Held while the last error of a tool is replaced by the next.
    pub fn tool_error_lock(&self) -> Location {
        self.guard().join("last-tool-error.lock")
    }

    /// What was refused and can be permitted.
    pub fn refusals(&self) -> Location {
        self.guard().join("refusals.json")
    }

    /// What people permitted.
    pub fn permits(&self) -> Location {
        self.guard().join("permits.json")
    }

    /// Held while either of them is changed: a permission is used once.
    pub fn permits_lock(&self) -> Location {
        self.guard().join("permits.lock")
    }

    /// The compiled policy, which the hook reads.
    pub fn guard_policy(&self) -> Location {
        self.guard().join("policy.json")
    }

    /// What the last test of the installed hooks has shown.
    pub fn guard_test(&self) -> Location {
        self.guard().join("test.json")
    }

    /// What the installation of the guard changed in a client's configuration.
    pub fn guard_install(&self, harness: Harness) -> Location {
        self.guard().join(format!("install-{harness}.json"))
    }

    pub fn replays(&self) -> Location {
        self.guard().join("replay")
    }

    pub fn replay(&self, session: &SessionId) -> Location {
        self.replays().join(format!("agent-replay-{session}.jsonl"))
    }
}
