//! How far something is, on a terminal: one line that is written over.

use std::{
    io::{self, IsTerminal as _, Write as _},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use provost_kernel::Lang;

/// A line of progress on standard error, if that is a terminal.
#[derive(Debug)]
pub(crate) struct LiveLine {
    pub(crate) lang: Lang,
    is_shown: bool,
    started: Instant,
    last: Mutex<Option<Instant>>,
}

/// Whether something may be left out because another thing was shown a moment ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Passing,
    Last,
}

/// A terminal shows no more than so many lines in a second.
const PAUSE: Duration = Duration::from_millis(100);

impl LiveLine {
    pub(crate) fn new(lang: Lang, is_quiet: bool) -> Self {
        let is_shown = io::stderr().is_terminal() && !is_quiet;
        Self { lang, is_shown, started: Instant::now(), last: Mutex::new(None) }
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        if self.is_shown {
            // A terminal that went away shows nothing.
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    /// Writes the line that is made of the seconds so far.
    pub(crate) fn show(&self, weight: Weight, line: impl FnOnce(u64) -> String) {
        if !self.is_shown {
            return;
        }
        let mut shown = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if weight == Weight::Passing && shown.is_some_and(|it| it.elapsed() < PAUSE) {
            return;
        }
        *shown = Some(Instant::now());
        let _ = write!(io::stderr(), "\r\x1b[K{}", line(self.started.elapsed().as_secs()));
    }
}
