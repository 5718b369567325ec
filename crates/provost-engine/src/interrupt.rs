//! The end of a run that came from outside: a signal.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use provost_adapter::Cancel;
use provost_rules_task::status::CrashSignal;

/// Whether a signal asked this process to end, and the means to end what it runs.
///
/// The first signal ends the job that runs; the coordinator then says in the state of the task
/// that it was ended.
#[derive(Debug, Default)]
pub struct Interrupt {
    cancel: Cancel,
    /// The number of the signal; 0 for none.
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    pub fn new() -> Self {
        Self::default()
    }

    /// Where a signal handler puts the number of its signal: nothing else may be done there, and
    /// a step that begins after the signal must already know of it.
    pub fn flag(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.signal)
    }

    /// Tells of a signal; may be called from another thread, more than once.
    pub fn raise(&self, signal: i32) {
        let signal = usize::try_from(signal).unwrap_or(0);
        let _ = self.signal.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
        self.cancel.cancel();
    }

    /// The signal that came, if one did.
    pub fn signal(&self) -> Option<CrashSignal> {
        let number = self.signal.load(Ordering::SeqCst);
        let name = match number {
            0 => return None,
            1 => "SIGHUP".to_owned(),
            2 => "SIGINT".to_owned(),
            3 => "SIGQUIT".to_owned(),
            15 => "SIGTERM".to_owned(),
            other => format!("signal {other}"),
        };
        Some(CrashSignal { signal_or_rc: i32::try_from(number).ok(), name: Some(name) })
    }

    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_signal_counts() {
        let interrupt = Interrupt::new();
        assert!(interrupt.signal().is_none() && !interrupt.cancel().is_cancelled());
        interrupt.raise(15);
        interrupt.raise(2);
        let signal = interrupt.signal().unwrap();
        assert_eq!(signal.name.as_deref(), Some("SIGTERM"));
        assert!(interrupt.cancel().is_cancelled());
    }
}
