//! Where the guard keeps what it knows: its policy, what it refused, and what it watched.

use provost_kernel::{
    Digest, SessionId,
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
        self.ways_out().join("refusals.json")
    }

    /// What people permitted.
    pub fn permits(&self) -> Location {
        self.ways_out().join("permits.json")
    }

    /// Held while either of them is changed: a permission is used once.
    pub fn permits_lock(&self) -> Location {
        self.ways_out().join("permits.lock")
    }

    /// What people permitted in this home lies outside of it: whatever git can bring into a project,
    /// or bring back, permits nothing.
    fn ways_out(&self) -> Location {
        let digest = Digest::of_bytes(self.home().path().as_str().as_bytes()).to_string();
        self.user_home().join("ways-out").join(&digest[..32])
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

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;

    /// KEEP-1: each home has ways out of its own, and none of them lies where git could bring it.
    #[test]
    fn what_people_permit_lies_outside_the_project() {
        let state = Utf8Path::new("/s");
        let of = |home: &str| Layout::new(Utf8Path::new(home), None, state);
        let (one, other, own) = (of("/r/.provost"), of("/q/.provost"), Layout::of_user(state));
        for layout in [&one, &other, &own] {
            for at in [layout.permits(), layout.refusals(), layout.permits_lock()] {
                assert!(at.path().starts_with("/s/provost/guard-home/ways-out"), "{}", at.path());
            }
        }
        assert_ne!(one.permits(), other.permits());
        assert_ne!(one.permits(), own.permits());
    }
}
