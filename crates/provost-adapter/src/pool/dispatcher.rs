//! The state that the workers of a pool share: jobs, results, and the health of each lane.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use provost_rules::retry::RetryPolicy;

use super::{Limits, Order, Ticket, WINDOW};

/// Gives out jobs and takes their results.
pub(super) struct Dispatcher<'s, J, R> {
    state: Mutex<State<'s, J, R>>,
    /// A job may be taken.
    work: Condvar,
    /// A job was finished.
    finished: Condvar,
    total: usize,
    window: usize,
    order: Order,
}

struct State<'s, J, R> {
    source: &'s mut (dyn Iterator<Item = J> + Send),
    is_exhausted: bool,
    /// Jobs that failed in one lane, for another.
    failed: VecDeque<Ticket<J>>,
    /// Jobs whose results were not handed over, by their numbers.
    slots: BTreeMap<usize, Slot<J, R>>,
    /// The numbers of those that are finished, in that order.
    ready: VecDeque<usize>,
    next: usize,
    lanes: Vec<Lane>,
    /// Whether every worker was counted.
    is_open: bool,
    is_closed: bool,
}

struct Slot<J, R> {
    job: Arc<J>,
    result: Option<R>,
}

#[derive(Debug, Default)]
struct Lane {
    workers: usize,
    busy: usize,
    /// Failures in a row.
    failures: u32,
    rests_until: Option<Instant>,
}

pub(super) enum Front<J, R> {
    Ready(usize, Arc<J>, R),
    /// The next result is not there yet.
    Waiting,
    /// Every result was handed over.
    Empty,
}

/// So many failures in a row, and a lane rests.
const FAILURES: u32 = 3;
/// How long it rests.
const REST: RetryPolicy =
    RetryPolicy { retries: 0, first: Duration::from_secs(1), longest: Duration::from_mins(1) };
/// How long a thread waits before it looks again: whether the run is cancelled, whether a rest is
/// over.
const LOOK: Duration = Duration::from_millis(100);

impl<'s, J, R> Dispatcher<'s, J, R> {
    pub(super) fn new(limits: &Limits, jobs: &'s mut (dyn Iterator<Item = J> + Send)) -> Self {
        let total = limits.total.max(1);
        let state = State {
            source: jobs,
            is_exhausted: false,
            failed: VecDeque::new(),
            slots: BTreeMap::new(),
            ready: VecDeque::new(),
            next: 0,
            lanes: limits.lanes.iter().map(|_| Lane::default()).collect(),
            is_open: false,
            is_closed: false,
        };
        Self {
            state: Mutex::new(state),
            work: Condvar::new(),
            finished: Condvar::new(),
            total,
            window: total.saturating_mul(WINDOW),
            order: limits.order,
        }
    }

    /// Counts a worker that is about to start.
    pub(super) fn enter(&self, lane: usize) -> &Self {
        if let Some(lane) = self.state().lanes.get_mut(lane) {
            lane.workers += 1;
        }
        self
    }

    pub(super) fn leave(&self, lane: usize) {
        if let Some(lane) = self.state().lanes.get_mut(lane) {
            lane.workers = lane.workers.saturating_sub(1);
        }
        self.finished.notify_one();
    }

    pub(super) fn has_workers(&self) -> bool {
        self.state().lanes.iter().any(|it| it.workers > 0)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    pub(super) fn try_take(&self, lane: usize) -> Option<Ticket<J>> {
        self.state().take(lane, self.total, self.window)
    }

    pub(super) fn take(&self, lane: usize) -> Option<Ticket<J>> {
        let mut state = self.state();
        while !state.is_closed {
            if let Some(ticket) = state.take(lane, self.total, self.window) {
                return Some(ticket);
            }
            if state.is_over() {
                self.finished.notify_one();
            }
            state = wait(&self.work, state);
        }
        None
    }

    pub(super) fn finish(&self, lane: usize, ticket: Ticket<J>, result: R) {
        let mut state = self.state();
        state.note_success(lane);
        state.settle(&ticket, result);
        let is_calm = state.is_calm();
        drop(state);
        self.wake(is_calm);
    }

    pub(super) fn fail(&self, lane: usize, ticket: Ticket<J>, result: R) {
        let mut state = self.state();
        state.note_failure(lane);
        if ticket.failed_in.is_none() && state.has_other(lane) {
            state.failed.push_back(Ticket { failed_in: Some(lane), ..ticket });
        } else {
            state.settle(&ticket, result);
        }
        drop(state);
        self.wake(false);
    }

    pub(super) fn abandon(&self, lane: usize) {
        if let Some(lane) = self.state().lanes.get_mut(lane) {
            lane.busy = lane.busy.saturating_sub(1);
        }
        self.finished.notify_one();
    }

    /// The next result; waits a while for it.
    pub(super) fn front(&self) -> Front<J, R> {
        let mut state = self.state();
        if !state.is_ready(self.order) && !state.is_closed && !state.is_over() {
            state = wait(&self.finished, state);
        }
        let front = state.front(self.order);
        let is_calm = state.is_calm();
        drop(state);
        if matches!(front, Front::Ready(..)) {
            // There is room for another job.
            if is_calm {
                self.work.notify_one();
            } else {
                self.work.notify_all();
            }
        }
        front
    }

    /// Gives out jobs from now on: it is known which lanes have workers.
    pub(super) fn open(&self) {
        self.state().is_open = true;
        self.work.notify_all();
    }

    /// Gives out no more jobs.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.work.notify_all();
        self.finished.notify_all();
    }

    /// Waits until every worker has given back what it had and is gone.
    pub(super) fn wait_for_workers(&self) {
        let mut state = self.state();
        while state.lanes.iter().any(|it| it.workers > 0) {
            state = wait(&self.finished, state);
        }
    }

    /// Wakes the caller, and the workers where not all of them can do the same.
    fn wake(&self, is_calm: bool) {
        if !is_calm {
            self.work.notify_all();
        }
        self.finished.notify_one();
    }

    fn state(&self) -> MutexGuard<'_, State<'s, J, R>> {
        // Of the code under the lock only the caller's iterator may panic, and that comes first.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wait<'a, T>(condition: &Condvar, state: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0
}

impl<J, R> State<'_, J, R> {
    /// Takes the next job that this lane may have.
    fn take(&mut self, at: usize, total: usize, window: usize) -> Option<Ticket<J>> {
        if !self.is_open || self.is_closed || self.busy() >= total {
            return None;
        }
        // A job that failed elsewhere has waited longest, and is worth waking up for.
        let elsewhere = self.failed.iter().position(|it| it.failed_in != Some(at));
        let ticket = match elsewhere {
            Some(place) => self.failed.remove(place)?,
            None => self.fresh(at, window)?,
        };
        if let Some(lane) = self.lanes.get_mut(at) {
            lane.busy += 1;
        }
        Some(ticket)
    }

    fn fresh(&mut self, at: usize, window: usize) -> Option<Ticket<J>> {
        if self.is_exhausted || self.slots.len() >= window || self.rests(at) {
            return None;
        }
        let Some(job) = self.source.next() else {
            self.is_exhausted = true;
            return None;
        };
        let (index, job) = (self.next, Arc::new(job));
        self.next += 1;
        self.slots.insert(index, Slot { job: Arc::clone(&job), result: None });
        Some(Ticket { index, job, failed_in: None })
    }

    fn settle(&mut self, ticket: &Ticket<J>, result: R) {
        if let Some(slot) = self.slots.get_mut(&ticket.index) {
            slot.result = Some(result);
            self.ready.push_back(ticket.index);
        }
    }

    /// The number of the job whose result is next.
    fn next_ready(&self, order: Order) -> Option<usize> {
        match order {
            Order::Submitted => {
                let (index, slot) = self.slots.first_key_value()?;
                slot.result.is_some().then_some(*index)
            }
            Order::Finished => self.ready.front().copied(),
        }
    }

    fn is_ready(&self, order: Order) -> bool {
        self.next_ready(order).is_some()
    }

    fn is_over(&self) -> bool {
        self.slots.is_empty() && (self.is_exhausted || self.is_closed)
    }

    fn front(&mut self, order: Order) -> Front<J, R> {
        let Some(index) = self.next_ready(order) else {
            return if self.is_over() { Front::Empty } else { Front::Waiting };
        };
        self.ready.retain(|it| *it != index);
        match self.slots.remove(&index) {
            Some(Slot { job, result: Some(result) }) => Front::Ready(index, job, result),
            Some(Slot { result: None, .. }) | None => Front::Waiting,
        }
    }

    fn note_success(&mut self, at: usize) {
        let Some(lane) = self.lanes.get_mut(at) else { return };
        lane.busy = lane.busy.saturating_sub(1);
        lane.failures = 0;
        lane.rests_until = None;
    }

    fn note_failure(&mut self, at: usize) {
        let Some(lane) = self.lanes.get_mut(at) else { return };
        lane.busy = lane.busy.saturating_sub(1);
        let now = Instant::now();
        // Calls that fail together are one failure more, not many.
        if lane.rests_until.is_some_and(|it| it > now) {
            return;
        }
        lane.failures = lane.failures.saturating_add(1);
        if let Some(beyond) = lane.failures.checked_sub(FAILURES) {
            lane.rests_until = Some(now + REST.backoff(beyond));
        }
    }

    /// Whether a lane leaves new jobs to others: it rests, or tries again with one.
    fn rests(&self, at: usize) -> bool {
        let is_down = |it: &Lane| it.failures >= FAILURES || it.workers == 0;
        let Some(lane) = self.lanes.get(at) else { return true };
        let is_up_elsewhere = self.lanes.iter().any(|it| !is_down(it));
        let is_resting = lane.rests_until.is_some_and(|it| it > Instant::now());
        is_down(lane) && is_up_elsewhere && (is_resting || lane.busy > 0)
    }

    /// Whether there is another lane.
    fn has_other(&self, at: usize) -> bool {
        self.lanes.iter().enumerate().any(|(other, it)| other != at && it.workers > 0)
    }

    fn busy(&self) -> usize {
        self.lanes.iter().map(|it| it.busy).sum()
    }

    /// Whether every worker may take every job.
    fn is_calm(&self) -> bool {
        self.failed.is_empty() && self.lanes.iter().all(|it| it.failures == 0)
    }
}

impl<J, R> fmt::Debug for Dispatcher<'_, J, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher").field("total", &self.total).finish_non_exhaustive()
    }
}
