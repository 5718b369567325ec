//! The end of a run that came from outside: a signal.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use provost_adapter::Cancel;
use provost_rules_task::status::CrashSignal;

/// What Ctrl-C sends.
const INT: i32 = 2;

/// Whether a signal asked this process to end, and the means to end what it runs.
///
/// The first signal ends the job that runs; the coordinator then says in the state of the task
/// that it was ended.
#[derive(Debug, Default)]
pub struct Interrupt {
    cancel: Cancel,
    /// The number of the signal; 0 for none.
    signal: Arc<AtomicUsize>,
    /// How many signals came.
    count: AtomicUsize,
    /// Whether a person sits at the terminal that INT comes from.
    is_attended: bool,
    /// Whether a person ordered a pause at once.
    is_ordered: AtomicBool,
}

/// Why a run is to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A person wants it to stop at once: by an order, or by the first INT from a terminal (ruling
    /// 84).
    Person,
    Signal(CrashSignal),
}

impl Interrupt {
    pub fn new() -> Self {
        Self::default()
    }

    /// The same for a process that a person watches at a terminal.
    pub fn attended() -> Self {
        Self { is_attended: true, ..Self::default() }
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
        self.count.fetch_add(1, Ordering::SeqCst);
        self.cancel.cancel();
    }

    /// Ends what runs, because a person ordered a pause at once.
    pub(crate) fn stop(&self) {
        self.is_ordered.store(true, Ordering::SeqCst);
        self.cancel.cancel();
    }

    /// Why the run is to end, if it is.
    pub fn cause(&self) -> Option<Cause> {
        let Some(signal) = self.signal() else {
            return self.is_ordered.load(Ordering::SeqCst).then_some(Cause::Person);
        };
        let is_first = self.count.load(Ordering::SeqCst) < 2;
        let is_int = signal.signal_or_rc == Some(INT);
        let by_person = self.is_attended && is_int && is_first;
        Some(if by_person { Cause::Person } else { Cause::Signal(signal) })
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

    /// Ruling 84: the first INT from a terminal is a pause; a second one, TERM and HUP are not.
    #[test]
    fn a_person_at_the_terminal_pauses() {
        let check = |interrupt: Interrupt, signals: &[i32], is_person: bool| {
            for signal in signals {
                interrupt.raise(*signal);
            }
            assert_eq!(interrupt.cause() == Some(Cause::Person), is_person, "{signals:?}");
        };
        check(Interrupt::attended(), &[2], true);
        check(Interrupt::attended(), &[2, 2], false);
        check(Interrupt::attended(), &[15], false);
        check(Interrupt::attended(), &[1], false);
        check(Interrupt::new(), &[2], false);
        let ordered = Interrupt::new();
        ordered.stop();
        assert_eq!(ordered.cause(), Some(Cause::Person));
        assert!(ordered.cancel().is_cancelled() && ordered.signal().is_none());
    }

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
