//! Work that must answer before a deadline, with somebody who speaks for it if it does not.
//!
//! The work stays on the thread that it is called on; another one only waits. When the time is up,
//! or a signal asks the process to end, that one answers and ends the process. Waiting costs
//! nothing that the client could notice, handing the work over would.

use std::{
    io::{self, Read as _, Write as _},
    os::unix::net::UnixStream,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
    thread,
    time::{Duration, Instant},
};

use signal_hook::consts::{
    SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
    SIGXFSZ,
};

/// Why the work gave no answer of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    Late,
    Signalled,
    Panicked,
    NotStarted,
}

/// How long the work may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// Until its answer.
    pub(super) answer: Duration,
    /// For what it does after that.
    pub(super) rest: Duration,
}

/// Signals that ask the process to end.
const ENDING: [i32; 4] = [SIGTERM, SIGINT, SIGHUP, SIGQUIT];

/// Signals that would end it without a word, and need not: they are noted, and the work goes on.
const HARMLESS: [i32; 7] = [SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF];

/// What is sent when the work has answered. A signal sends another byte.
const ANSWERED: u8 = b'a';

/// Who has answered: the first who asks may, with its exit code kept for the other.
type Answer = Arc<Mutex<Option<u8>>>;

/// Runs the work, which says at most one thing and gives its exit code; what it does afterwards
/// changes nothing. `speak` answers for work that does not, and `end` ends the process from the
/// other thread.
pub(super) fn race<T>(
    limits: Limits,
    work: impl FnOnce(&dyn Fn(T)),
    listen: impl Fn(T) -> u8,
    speak: impl Fn(Silence) -> u8 + Clone + Send + 'static,
    end: impl FnOnce(u8) + Send + 'static,
) -> u8 {
    // A panic is answered and not printed: what is printed belongs to the client.
    std::panic::set_hook(Box::new(|_| {}));
    let answer = Answer::default();
    let Ok(wire) = watch(limits, Arc::clone(&answer), speak.clone(), end) else {
        return speak(Silence::NotStarted);
    };
    let say = |thing: T| {
        let mut answered = lock(&answer);
        if answered.is_none() {
            *answered = Some(listen(thing));
            let _ = (&wire).write_all(&[ANSWERED]);
        }
    };
    // Nothing of what the work used is looked at after a panic.
    let _ = catch_unwind(AssertUnwindSafe(|| work(&say)));
    let mut answered = lock(&answer);
    *answered.get_or_insert_with(|| speak(Silence::Panicked))
}

/// Starts the thread that waits, and gives the other end of its wire.
fn watch(
    limits: Limits,
    answer: Answer,
    speak: impl Fn(Silence) -> u8 + Send + 'static,
    end: impl FnOnce(u8) + Send + 'static,
) -> io::Result<UnixStream> {
    const STACK: usize = 128 << 10;
    let (mut wire, far) = UnixStream::pair()?;
    for signal in ENDING {
        signal_hook::low_level::pipe::register(signal, far.try_clone()?)?;
    }
    let noted = Arc::new(AtomicBool::new(false));
    for signal in HARMLESS {
        signal_hook::flag::register(signal, Arc::clone(&noted))?;
    }
    let wait = move || {
        let first = next(&mut wire, limits.answer);
        if lock(&answer).is_some() && first == Some(ANSWERED) {
            let _ = next(&mut wire, limits.rest);
        }
        let silence = if first.is_some() { Silence::Signalled } else { Silence::Late };
        let exit = *lock(&answer).get_or_insert_with(|| speak(silence));
        end(exit);
    };
    thread::Builder::new().stack_size(STACK).spawn(wait)?;
    Ok(far)
}

fn lock(answer: &Answer) -> MutexGuard<'_, Option<u8>> {
    answer.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next byte that comes over the wire; nothing when the time is up.
fn next(wire: &mut UnixStream, wait: Duration) -> Option<u8> {
    let end = Instant::now() + wait;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        // Without a wait the socket would block for ever.
        wire.set_read_timeout(Some(left.max(Duration::from_millis(1)))).ok()?;
        let mut byte = [0];
        match wire.read(&mut byte) {
            Ok(0) => return None,
            Ok(_) => return Some(byte[0]),
            // A signal interrupts the call before its byte is read.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    const AMPLE: Limits = Limits { answer: Duration::from_mins(1), rest: Duration::from_mins(1) };

    fn code(silence: Silence) -> u8 {
        match silence {
            Silence::Late => 101,
            Silence::Signalled => 102,
            Silence::Panicked => 103,
            Silence::NotStarted => 104,
        }
    }

    fn run(work: impl FnOnce(&dyn Fn(u8))) -> u8 {
        race(AMPLE, work, |it| it, code, drop)
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

    /// HOOK-1.4: nor does work that takes too long keep the client waiting.
    #[test]
    fn the_deadline_answers_for_work_that_does_not() {
        let (ended, end) = channel();
        let limits = Limits { answer: Duration::from_millis(50), ..AMPLE };
        let work = move |say: &dyn Fn(u8)| {
            assert_eq!(end.recv().unwrap(), 101, "the other thread ends the process");
            say(7);
        };
        let exit = race(limits, work, |it| it, code, move |exit| ended.send(exit).unwrap());
        assert_eq!(exit, 101, "an answer that comes too late is none");
    }

    #[test]
    fn what_comes_after_the_answer_is_waited_for_and_not_for_ever() {
        let (ended, end) = channel();
        let limits = Limits { rest: Duration::from_millis(50), ..AMPLE };
        let work = move |say: &dyn Fn(u8)| {
            say(7);
            assert_eq!(end.recv().unwrap(), 7);
        };
        let exit = race(limits, work, |it| it, code, move |exit| ended.send(exit).unwrap());
        assert_eq!(exit, 7);
    }
}
