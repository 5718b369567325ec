//! The state of the audit chain, found out now and then: reading all of it takes as long as it is.

use std::sync::{Mutex, PoisonError};

use provost_desk::Desk;
use provost_kernel::Millis;
use schemars::JsonSchema;
use serde::Serialize;

/// So long a state is told before it is found out again.
const FRESH: u64 = 30_000;

/// What health says of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ChainHealth {
    /// `intact`, `broken`, or `unknown` where it cannot be read.
    state: &'static str,
    entries: u64,
}

#[derive(Default)]
pub(crate) struct Chain(Mutex<Option<(Millis, ChainHealth)>>);

impl Chain {
    pub(crate) fn health(&self, desk: &Desk) -> ChainHealth {
        let now = desk.clock().millis();
        // Who comes while it is found out waits for the same answer.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, health)) = *kept
            && now.0 < at.0 + FRESH
        {
            return health;
        }
        let unknown = ChainHealth { state: "unknown", entries: 0 };
        let state = desk.audit_state();
        let health =
            state.map_or(unknown, |it| ChainHealth { state: it.state, entries: it.entries });
        *kept = Some((now, health));
        health
    }
}
