//! How far a run is, on a terminal: one line that is written over.

use std::{
    io::{self, IsTerminal as _, Write as _},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use provost_engine::eval::Watcher;
use provost_kernel::{Lang, eval::CaseStatus};

use crate::output::plain;

/// Shows progress on standard error, if that is a terminal.
#[derive(Debug)]
pub(super) struct Live {
    lang: Lang,
    is_shown: bool,
    started: Instant,
    last: Mutex<Option<Instant>>,
}

/// A terminal shows no more than so many lines in a second.
const PAUSE: Duration = Duration::from_millis(100);

impl Live {
    pub(super) fn new(lang: Lang, is_quiet: bool) -> Self {
        let is_shown = io::stderr().is_terminal() && !is_quiet;
        Self { lang, is_shown, started: Instant::now(), last: Mutex::new(None) }
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        if self.is_shown {
            // A terminal that went away shows nothing.
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Watcher for Live {
    fn measured(&self, done: usize, total: usize, last: &str, status: CaseStatus) {
        if !self.is_shown {
            return;
        }
        let mut shown = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.is_some_and(|it| it.elapsed() < PAUSE) && done < total {
            return;
        }
        *shown = Some(Instant::now());
        let (id, seconds) = (plain(last), self.started.elapsed().as_secs());
        let line = self.lang.pick(
            format!("{done} of {total} cases, {seconds} s  {id} {status}"),
            format!("{done}/{total} 个用例,{seconds} 秒  {id} {status}"),
        );
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
    }
}
