//! Closure: every ticket that something can be learned from is cited, retried, or given up by name.
//!
//! The queue holds the tickets of one epoch that wait for reflection. A batch is taken, what it
//! left uncovered comes back in a smaller one, and what has used up its retries leaves the queue
//! as such. Nothing leaves it in any other way (LEARN-5.1, LEARN-5.2).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use provost_kernel::{Message, learn::TicketKey};

/// The tickets of one epoch that wait for reflection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    batch_size: u32,
    retry_budget: u32,
    /// Tickets that were not reflected on yet, in the order in which they came.
    pending: VecDeque<TicketKey>,
    /// Tickets that come again, by the number of the attempt and the cycle that is repeated.
    retries: BTreeMap<(u32, u64), BTreeSet<TicketKey>>,
    /// What the queue knows of each ticket that was in it.
    known: BTreeMap<TicketKey, Past>,
}

/// What is taken from the queue at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// 0 for the first time.
    pub attempt: u32,
    pub keys: Vec<TicketKey>,
    /// The cycle that a retry belongs to: a retry is not a cycle of its own. It has tickets of this
    /// one alone, so that what was proposed there and is proposed again counts once.
    pub root: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Past {
    retries: u32,
    root: Option<u64>,
}

/// Sets of a reflection that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.closure", exit = Integrity)]
pub enum ClosureError {
    /// A ticket that was given up and is cited all the same.
    #[message(
        en = "ticket `{key}` was given up and is cited as evidence",
        zh = "工单 `{key}` 已停止学习，却被引为证据",
        hint(
            en = "the run stopped before anything was written: this is a bug in provost",
            zh = "运行已停止，没有写入任何内容：这是 provost 的缺陷"
        )
    )]
    StoppedAndCited { key: TicketKey },
    /// A ticket that is cited and was not shown as one to learn from.
    #[message(
        en = "ticket `{key}` is cited as evidence and is not learnable",
        zh = "工单 `{key}` 不在可学习的工单中，却被引为证据",
        hint(
            en = "the run stopped before anything was written: this is a bug in provost",
            zh = "运行已停止，没有写入任何内容：这是 provost 的缺陷"
        )
    )]
    CitedOutside { key: TicketKey },
}

/// Decision and ops.
const CALLS_PER_BATCH: u64 = 2;

impl Queue {
    /// The empty queue of a new epoch.
    pub fn new(batch_size: u32, retry_budget: u32) -> Self {
        Self {
            batch_size: batch_size.max(1),
            retry_budget,
            pending: VecDeque::new(),
            retries: BTreeMap::new(),
            known: BTreeMap::new(),
        }
    }

    /// A ticket with something to learn from. One that was in the queue in this epoch is not taken
    /// again.
    pub fn push(&mut self, key: TicketKey) {
        if !self.known.contains_key(&key) {
            self.known.insert(key.clone(), Past::default());
            self.pending.push_back(key);
        }
    }

    /// The next batch: tickets that are new, then retries, those with fewer attempts and of earlier
    /// cycles first. Until the epoch is at its end, only full batches are taken.
    pub fn next_batch(&mut self, flush: bool) -> Option<Batch> {
        let full = |attempt| self.size(attempt);
        let is_due = |attempt: u32, n: usize| n > 0 && (flush || n >= full(attempt));
        if is_due(0, self.pending.len()) {
            let n = full(0).min(self.pending.len());
            return Some(Batch { attempt: 0, keys: self.pending.drain(..n).collect(), root: None });
        }
        let due = self.retries.iter().find(|((attempt, _), keys)| is_due(*attempt, keys.len()));
        let (attempt, root) = *due?.0;
        let n = full(attempt);
        let waiting = self.retries.remove(&(attempt, root)).unwrap_or_default();
        let mut waiting = waiting.into_iter();
        let keys: Vec<TicketKey> = waiting.by_ref().take(n).collect();
        let rest: BTreeSet<TicketKey> = waiting.collect();
        if !rest.is_empty() {
            self.retries.insert((attempt, root), rest);
        }
        Some(Batch { attempt, keys, root: Some(root) })
    }

    /// Takes back what a cycle left uncovered; returns what has used up its retries.
    pub fn settle(&mut self, cycle_root: u64, uncovered: &BTreeSet<TicketKey>) -> Vec<TicketKey> {
        let mut exhausted = Vec::new();
        for key in uncovered {
            let past = self.known.entry(key.clone()).or_default();
            let root = *past.root.get_or_insert(cycle_root);
            if past.retries >= self.retry_budget {
                exhausted.push(key.clone());
                continue;
            }
            past.retries += 1;
            self.retries.entry((past.retries, root)).or_default().insert(key.clone());
        }
        exhausted
    }

    /// Takes back what did not fit into a prompt, before everything else and without a charge.
    ///
    /// If nothing of the batch was shown, no prompt can hold any of them: they are returned and
    /// not taken back, so that the queue always comes to its end.
    pub fn put_back(&mut self, batch: &Batch, unshown: &[TicketKey]) -> Vec<TicketKey> {
        if batch.keys.iter().all(|it| unshown.contains(it)) {
            return batch.keys.clone();
        }
        match batch.root {
            None => unshown.iter().rev().for_each(|it| self.pending.push_front(it.clone())),
            Some(_) if unshown.is_empty() => {}
            Some(root) => {
                let waiting = self.retries.entry((batch.attempt, root)).or_default();
                waiting.extend(unshown.iter().cloned());
            }
        }
        Vec::new()
    }

    /// How many tickets wait.
    pub fn len(&self) -> usize {
        self.pending.len() + self.retries.values().map(BTreeSet::len).sum::<usize>()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn size(&self, attempt: u32) -> usize {
        usize::try_from(size(self.batch_size, attempt)).unwrap_or(usize::MAX)
    }
}

/// The most decision and ops calls that an epoch can need with so many candidates.
///
/// The retries of a first batch are never filled up with those of another, so each first batch is
/// counted with its own: the full ones, and one with what remains. Where the size of a batch is no
/// power of two, that can be more than if all candidates were divided at once.
pub fn worst_calls(candidates: u64, batch_size: u32, retries: u32) -> u64 {
    // From here on, every batch is one ticket.
    let single = u32::BITS.min(retries);
    let first = u64::from(size(batch_size, 0));
    let (full, remainder) = (candidates / first, candidates % first);
    let batches = (0..=single).fold(0_u64, |sum, attempt| {
        let size = u64::from(size(batch_size, attempt));
        let of_full = full.saturating_mul(first.div_ceil(size));
        sum.saturating_add(of_full).saturating_add(remainder.div_ceil(size))
    });
    let singles = candidates.saturating_mul(u64::from(retries - single));
    batches.saturating_add(singles).saturating_mul(CALLS_PER_BATCH)
}

/// Holds the sets of one cycle against each other: nothing that was given up is cited, and
/// nothing is cited that was not to be learned from.
pub fn check_sets(
    stopped: &BTreeSet<TicketKey>,
    learnable: &BTreeSet<TicketKey>,
    cited: &BTreeSet<TicketKey>,
) -> Result<(), ClosureError> {
    if let Some(key) = cited.intersection(stopped).next() {
        return Err(ClosureError::StoppedAndCited { key: key.clone() });
    }
    match cited.difference(learnable).next() {
        Some(key) => Err(ClosureError::CitedOutside { key: key.clone() }),
        None => Ok(()),
    }
}

/// Half as many tickets with each attempt, and at least one.
fn size(batch_size: u32, attempt: u32) -> u32 {
    batch_size.checked_shr(attempt).unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests;
