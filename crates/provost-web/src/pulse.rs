//! What changed, for everybody who listens: changes of the board by number, and a beat when any file
//! of a task changed.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use provost_desk::board::Change;
use tokio::sync::watch;

use crate::session::secret;

/// So many changes are remembered for those who come back.
const REMEMBERED: usize = 4096;

/// The changes of one run of the server.
pub(crate) struct Pulse {
    /// The name of this run: numbers of another one mean nothing here.
    pub(crate) boot: String,
    told: Mutex<Told>,
    beat: watch::Sender<u64>,
}

#[derive(Default)]
struct Told {
    /// How many changes there were.
    count: u64,
    /// The newest ones, the last of which has the number `count`.
    changes: VecDeque<Change>,
}

impl Pulse {
    pub(crate) fn new() -> Self {
        let boot = secret().chars().take(12).collect();
        Self { boot, told: Mutex::default(), beat: watch::Sender::new(0) }
    }

    /// Tells that a task is shown otherwise.
    pub(crate) fn tell(&self, change: Change) {
        let mut told = self.told();
        told.count += 1;
        told.changes.push_back(change);
        if told.changes.len() > REMEMBERED {
            told.changes.pop_front();
        }
        drop(told);
        self.beat();
    }

    /// Something of a task changed besides the board.
    pub(crate) fn beat(&self) {
        self.beat.send_modify(|it| *it = it.wrapping_add(1));
    }

    pub(crate) fn listen(&self) -> watch::Receiver<u64> {
        self.beat.subscribe()
    }

    /// How many changes there were.
    pub(crate) fn count(&self) -> u64 {
        self.told().count
    }

    /// The changes behind a number, and the number of the last; none where some are forgotten.
    pub(crate) fn since(&self, count: u64) -> Option<(Vec<Change>, u64)> {
        let told = self.told();
        let missed = usize::try_from(told.count.checked_sub(count)?).ok()?;
        let first = told.changes.len().checked_sub(missed)?;
        Some((told.changes.range(first..).cloned().collect(), told.count))
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_misses_nothing_and_hears_nothing_twice() {
        let pulse = Pulse::new();
        let change =
            |it: &str, state_version| Change { task_id: it.parse().unwrap(), state_version };
        assert_eq!(pulse.since(0), Some((Vec::new(), 0)));
        pulse.tell(change("a", Some(2)));
        pulse.tell(change("b", Some(1)));
        pulse.tell(change("a", None));
        let (changes, count) = pulse.since(1).unwrap();
        assert_eq!(changes, [change("b", Some(1)), change("a", None)]);
        assert_eq!((count, pulse.since(3)), (3, Some((Vec::new(), 3))));
        assert_eq!(pulse.since(4), None);
        for version in 0..=REMEMBERED as u64 {
            pulse.tell(change("c", Some(version + 1)));
        }
        assert_eq!(pulse.since(3), None);
    }
}
