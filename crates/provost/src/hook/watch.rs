//! Runs work that must answer before a deadline, with prepared replies for when it does not.
//!
//! The deadline is an alarm of the system. It, or a signal that asks the process to end, interrupts
//! the work where it stands; what is then said was written down before the work began, because
//! nothing may be allocated in that place. A second thread that waits could do the same, and its
//! start would cost the client about as much as the judgement of its command.

use std::{
    io::{self, Stderr, Stdout},
    os::fd::AsFd,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicI64, AtomicU16, Ordering::SeqCst},
    },
    time::Duration,
};

use nix::{
    errno::Errno,
    libc::c_int,
    sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction},
    time::{ClockId, clock_gettime},
    unistd::{alarm, write},
};
use provost_rules_guard::dialect::Reply;
use signal_hook::low_level::exit;

/// How long the work may take, in whole seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// Until its answer.
    pub(super) answer: Duration,
    /// For what it does after that.
    pub(super) rest: Duration,
}

/// The replies for work that gives no answer of its own.
#[derive(Debug)]
pub(super) struct FallbackReplies {
    /// Its time is up.
    pub(super) late: Reply,
    /// A signal asks the process to end.
    pub(super) ended: Reply,
}

/// Signals that ask the process to end.
const ENDING: [Signal; 4] = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT];

/// Signals that would end it without a word, and need not: they wait until it is over.
const HARMLESS: [Signal; 6] = [
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGXCPU,
    Signal::SIGXFSZ,
    Signal::SIGVTALRM,
    Signal::SIGPROF,
];

/// Not answered yet, about to be answered, or answered: then with the exit code.
static STATE: AtomicU16 = AtomicU16::new(WORKING);
const WORKING: u16 = 0;
const SAYING: u16 = 1;
const SAID: u16 = 0x100;

/// When the alarm counts, by the monotonic clock: any process may send such a signal.
static DUE: AtomicI64 = AtomicI64::new(i64::MAX);

/// Whether a signal came while the answer was on its way out.
static IS_ASKED_TO_END: AtomicBool = AtomicBool::new(false);

/// Whether the time was up while the answer was on its way out: once more it is not waited for.
static IS_LATE: AtomicBool = AtomicBool::new(false);

static PREPARED: OnceLock<Prepared> = OnceLock::new();

/// All that the handler of a signal needs.
#[derive(Debug)]
struct Prepared {
    limits: Limits,
    replies: FallbackReplies,
    out: Stdout,
    err: Stderr,
}

/// Runs the work, which says at most one thing and gives its exit code; what it does afterwards
/// changes nothing. A process does this once. `speak` answers for work that panics.
pub(super) fn watch<T>(
    limits: Limits,
    replies: FallbackReplies,
    work: impl FnOnce(&dyn Fn(T)),
    listen: impl Fn(T) -> u8,
    speak: impl FnOnce(Failure) -> u8,
) -> u8 {
    // A panic is answered and not printed: what is printed belongs to the client.
    std::panic::set_hook(Box::new(|_| {}));
    let prepared = Prepared { limits, replies, out: io::stdout(), err: io::stderr() };
    if PREPARED.set(prepared).is_err() || listen_to_signals().is_err() {
        return speak(Failure::NotStarted);
    }
    set_alarm(limits.answer);
    let say = |thing: T| {
        let said = answer_once(&STATE, || listen(thing));
        if said.is_some() && !IS_ASKED_TO_END.load(SeqCst) {
            set_alarm(limits.rest);
        } else if let Some(code) = said {
            exit(c_int::from(code));
        }
    };
    outcome(&STATE, || work(&say), speak)
}

/// Answers unless that was done; the exit code is kept for the end of the process.
fn answer_once(state: &AtomicU16, answer: impl FnOnce() -> u8) -> Option<u8> {
    state.compare_exchange(WORKING, SAYING, SeqCst, SeqCst).ok()?;
    let code = answer();
    state.store(SAID | u16::from(code), SeqCst);
    Some(code)
}

/// Runs the work to its end, and answers if it has not.
fn outcome(state: &AtomicU16, work: impl FnOnce(), speak: impl FnOnce(Failure) -> u8) -> u8 {
    // Nothing of what the work used is looked at after a panic.
    let _ = catch_unwind(AssertUnwindSafe(work));
    match state.swap(SAYING, SeqCst) {
        WORKING | SAYING => speak(Failure::Panicked),
        said => code_of(said),
    }
}

/// Why the work gave no answer of its own, other than by a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Panicked,
    NotStarted,
}

/// Listens to what may interrupt the work, whatever the client had blocked.
fn listen_to_signals() -> Result<(), Errno> {
    // Blocked before the handlers are installed, so that an installed handler implies the mask.
    HARMLESS.into_iter().collect::<SigSet>().thread_set_mask()?;
    let heard: SigSet = ENDING.into_iter().chain([Signal::SIGALRM]).collect();
    let action = SigAction::new(SigHandler::Handler(interrupt), SaFlags::SA_RESTART, heard);
    for signal in &heard {
        set_action(signal, &action)?;
    }
    Ok(())
}

#[expect(unsafe_code, reason = "the handler only reads atomics, writes what is ready, and exits")]
fn set_action(signal: Signal, action: &SigAction) -> Result<(), Errno> {
    // SAFETY: nothing that `interrupt` calls allocates, locks or unwinds.
    unsafe { sigaction(signal, action) }.map(drop)
}

fn set_alarm(wait: Duration) {
    let seconds = u32::try_from(wait.as_secs()).unwrap_or(u32::MAX).max(1);
    DUE.store(now().saturating_add(i64::from(seconds)), SeqCst);
    alarm::set(seconds);
}

/// Seconds of the monotonic clock.
fn now() -> i64 {
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(i64::MAX, |it| it.tv_sec())
}

fn code_of(said: u16) -> u8 {
    said.to_le_bytes()[0]
}

/// Answers for the work that was interrupted, unless it has, and ends the process.
extern "C" fn interrupt(signal: c_int) {
    let is_alarm = signal == Signal::SIGALRM as c_int;
    if is_alarm && now() < DUE.load(SeqCst) {
        return;
    }
    let Some(prepared) = PREPARED.get() else { return };
    match STATE.compare_exchange(WORKING, SAYING, SeqCst, SeqCst) {
        Ok(_) => {
            let reply = if is_alarm { &prepared.replies.late } else { &prepared.replies.ended };
            write_all(&prepared.out, reply.stdout.as_bytes());
            write_all(&prepared.err, reply.stderr.as_bytes());
            exit(c_int::from(reply.exit));
        }
        Err(SAYING) if !is_alarm => IS_ASKED_TO_END.store(true, SeqCst),
        // The answer is not read: the client has gone, or does not care.
        Err(SAYING) if IS_LATE.swap(true, SeqCst) => {
            exit(c_int::from(prepared.replies.late.exit));
        }
        Err(SAYING) => set_alarm(prepared.limits.rest),
        Err(said) => exit(c_int::from(code_of(said))),
    }
}

fn write_all(to: &impl AsFd, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match write(to, bytes) {
            Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
            Err(Errno::EINTR) => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_code_outlives_its_state() {
        for code in [0, 2, u8::MAX] {
            assert_eq!(code_of(SAID | u16::from(code)), code);
        }
    }

    fn run(work: impl FnOnce(&dyn Fn(u8))) -> u8 {
        let state = AtomicU16::new(WORKING);
        let say = |code| {
            answer_once(&state, || code);
        };
        outcome(&state, || work(&say), |_| 103)
    }

    /// HOOK-1.4: a panic is answered like every other failure.
    #[test]
    fn a_panic_before_the_answer_is_noticed_and_one_behind_it_changes_nothing() {
        assert_eq!(run(|say| say(7)), 7);
        assert_eq!(run(|_| panic!("before")), 103);
        assert_eq!(run(|_| {}), 103, "silence is no answer");
        let behind = |say: &dyn Fn(u8)| {
            say(7);
            panic!("behind");
        };
        assert_eq!(run(behind), 7);
        let twice = |say: &dyn Fn(u8)| {
            say(7);
            say(8);
        };
        assert_eq!(run(twice), 7, "the first answer counts");
    }
}
