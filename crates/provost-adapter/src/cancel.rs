//! Ending a call from another thread.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use provost_exec::Canceller;

/// Ends every call that it was given to, and every call that comes after.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_cancelled: bool,
    next: u64,
    targets: BTreeMap<u64, Target>,
}

/// What can be ended.
pub(crate) enum Target {
    Job(Canceller),
    Http(ureq::Agent),
}

/// A target that is under way. Dropping it says that it is over.
pub(crate) struct Held<'a> {
    cancel: &'a Cancel,
    number: u64,
}

impl Cancel {
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for the end of every call: a program gets TERM, its grace, KILL; a request over the
    /// network breaks off.
    pub fn cancel(&self) {
        let targets = {
            let mut state = self.state();
            state.is_cancelled = true;
            std::mem::take(&mut state.targets)
        };
        self.0.changed.notify_all();
        targets.into_values().for_each(Target::end);
    }

    /// Whether somebody asked for the end.
    pub fn is_cancelled(&self) -> bool {
        self.state().is_cancelled
    }

    /// Names what is to be ended. If the end was asked for already, it comes at once.
    pub(crate) fn hold(&self, target: Target) -> Held<'_> {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        if state.is_cancelled {
            drop(state);
            target.end();
        } else {
            state.targets.insert(number, target);
        }
        Held { cancel: self, number }
    }

    /// Runs something that waits for a job, which ends when the end is asked for.
    pub fn during<T>(&self, job: Canceller, wait: impl FnOnce() -> T) -> T {
        let held = self.hold(Target::Job(job));
        let waited = wait();
        drop(held);
        waited
    }

    /// Waits, but not beyond the end. Returns whether it waited to the last.
    pub fn sleep(&self, duration: Duration) -> bool {
        let state = self.state();
        let waited =
            self.0.changed.wait_timeout_while(state, duration, |state| !state.is_cancelled);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !state.is_cancelled
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code that could panic runs under the lock, so what it holds is whole.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Commands of git end with everything else.
impl provost_exec::git::Watch for Cancel {
    fn during(&self, job: Canceller, wait: &mut dyn FnMut()) {
        Self::during(self, job, wait);
    }
}

impl Target {
    fn end(self) {
        match self {
            Self::Job(canceller) => canceller.cancel(),
            Self::Http(agent) => agent.shutdown(),
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.cancel.state().targets.remove(&self.number);
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancel").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_with_the_cancellation() {
        let cancel = Cancel::new();
        assert!(cancel.sleep(Duration::ZERO));
        let other = cancel.clone();
        let waiting = std::thread::spawn(move || other.sleep(Duration::from_hours(1)));
        cancel.cancel();
        assert!(!waiting.join().unwrap());
        assert!(cancel.is_cancelled());
        assert!(!cancel.sleep(Duration::from_hours(1)));
    }

    #[test]
    fn what_begins_after_the_end_was_asked_for_is_ended_at_once() {
        let cancel = Cancel::new();
        cancel.cancel();
        let agent = ureq::Agent::new_with_defaults();
        let held = cancel.hold(Target::Http(agent.clone()));
        assert_eq!(cancel.state().targets.len(), 0);
        // An agent that was ended does not even try.
        let error = agent.get("http://127.0.0.1:1/").call().unwrap_err().into_io();
        assert_eq!(error.kind(), std::io::ErrorKind::NotConnected);
        drop(held);
    }

    #[test]
    fn what_is_over_is_forgotten() {
        let cancel = Cancel::new();
        let held = cancel.hold(Target::Http(ureq::Agent::new_with_defaults()));
        assert_eq!(cancel.state().targets.len(), 1);
        drop(held);
        assert_eq!(cancel.state().targets.len(), 0);
    }
}
