//! The state of the audit chain: reading all of it takes as long as it is, so it is read once for all who
//! ask at the same time.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use provost_desk::{Desk, audit::AuditState};
use schemars::JsonSchema;
use serde::Serialize;

/// So long a state is told in passing before it is found out again.
const FRESH: Duration = Duration::from_secs(30);

/// What health says of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ChainHealth {
    /// `intact`, `broken`, or `unknown` where it cannot be read.
    state: &'static str,
    entries: u64,
}

/// When it was begun to be read last, and what was found; none where it could not be read.
#[derive(Default)]
pub(crate) struct Chain(Mutex<Option<(Instant, Option<AuditState>)>>);

impl Chain {
    pub(crate) fn health(&self, desk: &Desk) -> ChainHealth {
        let unknown = ChainHealth { state: "unknown", entries: 0 };
        let now = Instant::now();
        let state = self.found(desk, now.checked_sub(FRESH).unwrap_or(now));
        state.map_or(unknown, |it| ChainHealth { state: it.state, entries: it.entries })
    }

    /// The state as it is now. Who comes while it is read waits for the next reading, together with all
    /// who wait.
    pub(crate) fn state(&self, desk: &Desk) -> Option<AuditState> {
        self.found(desk, Instant::now())
    }

    /// What was found by a reading that began at this time or later.
    fn found(&self, desk: &Desk, since: Instant) -> Option<AuditState> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, state)) = &*kept
            && *at >= since
        {
            return state.clone();
        }
        let at = Instant::now();
        let state = desk.audit_state().ok();
        *kept = Some((at, state.clone()));
        state
    }
}
