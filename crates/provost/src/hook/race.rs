//! Work that must be done before a deadline, with somebody who speaks for it if it is not.
//!
//! The work runs in a thread of its own. Whatever becomes of it, this thread can still answer:
//! when the time is up, when a signal asks the process to end, when the work panics.

use std::{
    io::{self, Read as _, Write as _},
    os::unix::net::UnixStream,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use signal_hook::consts::{
    SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
    SIGXFSZ,
};

/// What became of the work.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome<R> {
    /// It said something, and this is what the listener made of it.
    Said(R),
    Late,
    Signalled,
    Panicked,
    NotStarted,
}

/// Every signal that would end the process without a word and that can be caught.
const ENDING: [i32; 11] = [
    SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM,
    SIGPROF,
];

/// As much as a deeply nested payload can need; untouched pages cost nothing.
const STACK: usize = 64 << 20;

/// What the thread sends when it has said something, and when it is done. A signal sends another.
const SAID: u8 = b's';
const DONE: u8 = b'd';

/// Runs the work, which says at most one thing, and gives what it says to the listener at once.
/// What the work does afterwards is waited for a while longer, and its fate changes nothing.
pub(super) fn race<T: Send + 'static, R>(
    deadline: Duration,
    while_longer: Duration,
    work: impl FnOnce(&dyn Fn(T)) + Send + 'static,
    listen: impl FnOnce(T) -> R,
) -> Outcome<R> {
    let start = Instant::now();
    // A panic is answered and not printed: what is printed belongs to the client.
    std::panic::set_hook(Box::new(|_| {}));
    let slot = Arc::new(Mutex::new(None));
    let Ok(mut wire) = begin(Arc::clone(&slot), work) else { return Outcome::NotStarted };

    let first = next(&mut wire, deadline.saturating_sub(start.elapsed()));
    let said = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(said) = said else {
        return match first {
            Some(DONE) => Outcome::Panicked,
            Some(_) => Outcome::Signalled,
            None => Outcome::Late,
        };
    };
    let result = listen(said);
    if first == Some(SAID) {
        let _ = next(&mut wire, while_longer);
    }
    Outcome::Said(result)
}

fn begin<T: Send + 'static>(
    slot: Arc<Mutex<Option<T>>>,
    work: impl FnOnce(&dyn Fn(T)) + Send + 'static,
) -> io::Result<UnixStream> {
    let (wire, far) = UnixStream::pair()?;
    for signal in ENDING {
        signal_hook::low_level::pipe::register(signal, far.try_clone()?)?;
    }
    let run = move || {
        let say = |thing: T| {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(thing);
            let _ = (&far).write_all(&[SAID]);
        };
        // Nothing of what the work used is looked at after a panic.
        let _ = catch_unwind(AssertUnwindSafe(|| work(&say)));
        let _ = (&far).write_all(&[DONE]);
    };
    thread::Builder::new().stack_size(STACK).spawn(run)?;
    Ok(wire)
}

/// The next thing that comes over the wire; nothing when the time is up.
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
    use super::*;

    const AMPLE: Duration = Duration::from_mins(1);

    fn run(deadline: Duration, work: impl FnOnce(&dyn Fn(u8)) + Send + 'static) -> Outcome<u8> {
        race(deadline, Duration::from_millis(500), work, |it| it)
    }

    /// HOOK-1.4: a panic is answered like every other failure.
    #[test]
    fn a_panic_before_the_answer_is_noticed_and_one_behind_it_changes_nothing() {
        assert_eq!(run(AMPLE, |say| say(7)), Outcome::Said(7));
        assert_eq!(run(AMPLE, |_| panic!("before")), Outcome::Panicked);
        assert_eq!(run(AMPLE, |_| {}), Outcome::Panicked, "silence is no answer");
        let behind = |say: &dyn Fn(u8)| {
            say(7);
            panic!("behind");
        };
        assert_eq!(run(AMPLE, behind), Outcome::Said(7));
    }

    /// HOOK-1.4: nor does work that takes too long keep the client waiting.
    #[test]
    fn the_deadline_answers_for_work_that_does_not() {
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let work = move |_: &dyn Fn(u8)| {
            let _ = held.recv();
        };
        assert_eq!(run(Duration::from_millis(50), work), Outcome::Late);
        drop(hold);
    }

    #[test]
    fn what_comes_after_the_answer_is_waited_for_and_not_for_ever() {
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let work = move |say: &dyn Fn(u8)| {
            say(7);
            let _ = held.recv();
        };
        assert_eq!(run(AMPLE, work), Outcome::Said(7));
        drop(hold);
    }
}
