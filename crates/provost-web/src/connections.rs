//! Open connections: which of them are used, and which one gives way when all places are taken.
//!
//! A client that opens connections and sends nothing, or sends a request a byte at a time, holds places
//! that others need. It keeps them only as long as nobody else wants one.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use tokio_util::sync::CancellationToken;

/// The open connections, at most so many.
#[derive(Debug)]
pub(crate) struct Connections {
    most: usize,
    open: Vec<Arc<Place>>,
    turns: Arc<AtomicU64>,
}

/// The place of one connection. It is free again when the connection lets go of it.
#[derive(Debug)]
pub(crate) struct Place {
    /// Ends the connection.
    pub(crate) end: CancellationToken,
    turns: Arc<AtomicU64>,
    used: Mutex<Use>,
}

/// What a connection is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// It waits for a whole request, since this turn.
    Waits { since: u64 },
    /// A request that has arrived is worked on.
    Works,
    /// Events are sent on it.
    Streams,
}

/// A request that is worked on, until this is dropped.
#[derive(Debug)]
pub(crate) struct Work<'a>(&'a Place);

impl Connections {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, open: Vec::new(), turns: Arc::default() }
    }

    /// A place for a new connection. Where all are taken, the connection that has waited longest for a
    /// request gives way; none where all are used.
    pub(crate) fn admit(&mut self) -> Option<Arc<Place>> {
        if self.open.len() >= self.most {
            self.open.retain(|it| Arc::strong_count(it) > 1);
        }
        if self.open.len() >= self.most {
            let waiting = |(at, it): (usize, &Arc<Place>)| Some((it.waits_since()?, at));
            let (_, at) = self.open.iter().enumerate().filter_map(waiting).min()?;
            self.open.swap_remove(at).end.cancel();
        }
        let (end, turns) = (CancellationToken::new(), Arc::clone(&self.turns));
        let used = Mutex::new(Use::Waits { since: next(&turns) });
        let place = Arc::new(Place { end, turns, used });
        self.open.push(Arc::clone(&place));
        Some(place)
    }
}

impl Place {
    /// A request has arrived.
    pub(crate) fn work(&self) -> Work<'_> {
        self.set(Use::Works);
        Work(self)
    }

    /// Events are sent from now on.
    pub(crate) fn stream(&self) {
        self.set(Use::Streams);
    }

    fn waits_since(&self) -> Option<u64> {
        match *self.used.lock().unwrap_or_else(PoisonError::into_inner) {
            Use::Waits { since } => Some(since),
            Use::Works | Use::Streams => None,
        }
    }

    fn set(&self, to: Use) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = to;
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        let mut used = self.0.used.lock().unwrap_or_else(PoisonError::into_inner);
        if *used == Use::Works {
            *used = Use::Waits { since: next(&self.0.turns) };
        }
    }
}

fn next(turns: &AtomicU64) -> u64 {
    turns.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connection_that_waits_longest_gives_way() {
        let mut connections = Connections::new(3);
        let first = connections.admit().unwrap();
        let second = connections.admit().unwrap();
        let third = connections.admit().unwrap();
        // It asked something, so that the second has waited longer.
        drop(first.work());
        let fourth = connections.admit().unwrap();
        assert!(second.end.is_cancelled());
        assert!([&first, &third, &fourth].iter().all(|it| !it.end.is_cancelled()));
    }

    #[test]
    fn what_is_used_keeps_its_place() {
        let mut connections = Connections::new(2);
        let (one, two) = (connections.admit().unwrap(), connections.admit().unwrap());
        let request = one.work();
        one.stream();
        drop(request);
        let work = two.work();
        assert!(connections.admit().is_none());
        drop(work);
        let three = connections.admit().unwrap();
        assert!(two.end.is_cancelled() && !one.end.is_cancelled());
        // A connection that has ended leaves its place.
        drop(one);
        assert!(connections.admit().is_some());
        assert!(!three.end.is_cancelled());
    }
}
