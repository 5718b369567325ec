//! Ending the bot from another thread.

use std::{
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Says that the bot shall end, and lets it wait for that. Clones are one.
#[derive(Clone, Default)]
pub struct Stop(Arc<(Mutex<bool>, Condvar)>);

impl Stop {
    /// Asks for the end.
    pub fn now(&self) {
        *self.state() = true;
        self.0.1.notify_all();
    }

    pub fn is_asked(&self) -> bool {
        *self.state()
    }

    /// Waits, but not beyond the end. Returns whether it waited to the last.
    pub fn sleep(&self, duration: Duration) -> bool {
        let waited = self.0.1.wait_timeout_while(self.state(), duration, |it| !*it);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !*state
    }

    fn state(&self) -> MutexGuard<'_, bool> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stop").field("is_asked", &self.is_asked()).finish()
    }
}
