//! What the log of stories adds up to, kept by a program that goes on.
//!
//! It lies in the memory of that program, where no other program can write, so that it is worth as much
//! as the log was when it was read. Each user has one of its own while it looks at it; when it is done,
//! the next one takes it over and reads only what is new.

use std::{
    fmt,
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use camino::Utf8PathBuf;
use provost_store::Store;
use provost_vault::Layout;

/// So many are kept: more users at once begin from the log.
const MOST: usize = 3;

/// A cache. Its clones are one.
#[derive(Clone, Default)]
pub struct StoryCache(Arc<Mutex<Vec<(Utf8PathBuf, Pair)>>>);

/// The index, and what the log adds up to.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) index: Store,
    pub(super) folded: Store,
    /// The version of the index that was compared with the log.
    pub(super) index_version: i64,
}

/// A pair in use. It goes back to its cache, if it has one.
#[derive(Debug)]
pub(super) struct Lease {
    /// Gone only when it is dropped.
    pair: Option<Pair>,
    cache: Option<(StoryCache, Utf8PathBuf)>,
}

impl StoryCache {
    /// One that is free, for this home.
    pub(super) fn take(&self, layout: &Layout) -> Option<Pair> {
        let home = layout.home().path();
        let mut pairs = self.pairs();
        let place = pairs.iter().position(|(of, _)| *of == home)?;
        Some(pairs.swap_remove(place).1)
    }

    fn give_back(&self, home: Utf8PathBuf, pair: Pair) {
        let mut pairs = self.pairs();
        if pairs.len() < MOST {
            pairs.push((home, pair));
        }
    }

    fn pairs(&self) -> MutexGuard<'_, Vec<(Utf8PathBuf, Pair)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.pairs().len()
    }
}

impl fmt::Debug for StoryCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoryCache").field("n_free", &self.pairs().len()).finish()
    }
}

impl Lease {
    pub(super) fn new(pair: Pair) -> Self {
        Self { pair: Some(pair), cache: None }
    }

    /// Gives it to a cache when it is no longer used.
    pub(super) fn keep_in(&mut self, cache: &StoryCache, layout: &Layout) {
        self.cache = Some((cache.clone(), layout.home().path()));
    }
}

impl Deref for Lease {
    type Target = Pair;

    #[expect(clippy::expect_used, reason = "the pair is there until the lease is dropped")]
    fn deref(&self) -> &Pair {
        self.pair.as_ref().expect("a pair")
    }
}

impl DerefMut for Lease {
    #[expect(clippy::expect_used, reason = "the pair is there until the lease is dropped")]
    fn deref_mut(&mut self) -> &mut Pair {
        self.pair.as_mut().expect("a pair")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // What was in the middle of something when it broke off is not trusted.
        let is_sound = !std::thread::panicking();
        if let (Some(pair), Some((cache, home)), true) =
            (self.pair.take(), self.cache.take(), is_sound)
        {
            cache.give_back(home, pair);
        }
    }
}
