//! Bounded concurrency: jobs from an iterator, workers in lanes, results in one place.
//!
//! A lane is a group of workers with a limit of its own, such as one endpoint. Jobs are taken as
//! there is room for them, so that a list may be longer than memory. A job that fails in one lane
//! is tried once in another, and a lane that keeps failing rests while others work.

mod dispatcher;

use std::{ops::ControlFlow, sync::Arc, thread::Builder};

use self::dispatcher::{Dispatcher, Front};
use crate::cancel::Cancel;

/// The order in which results are handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// That of the jobs.
    Submitted,
    /// That in which they are finished.
    Finished,
}

/// How many workers there are.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The workers of each lane.
    pub lanes: Vec<usize>,
    /// How many jobs may be under way at once, in all lanes.
    pub total: usize,
    pub order: Order,
}

/// Why no more results come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every job has its result.
    Done,
    /// The caller wants no more.
    Broken,
    /// The run was cancelled. Results that were there, and next in order, were handed over.
    Cancelled,
    /// No worker could be started.
    NoWorkers,
}

/// A job that a worker has taken. It is given back with a result, or abandoned.
#[derive(Debug)]
pub struct Ticket<J> {
    index: usize,
    job: Arc<J>,
    /// The lane in which it failed.
    failed_in: Option<usize>,
}

/// What a worker takes jobs from.
#[derive(Debug)]
pub struct Worker<'a, 's, J, R> {
    dispatcher: &'a Dispatcher<'s, J, R>,
    lane: usize,
}

/// What is done with each result, with the number of its job.
pub type Collect<'a, J, R> = dyn FnMut(usize, &J, R) -> ControlFlow<()> + 'a;

/// How many jobs are on their way for each that is under way: enough that one slow job does not
/// keep the others waiting.
pub(crate) const WINDOW: usize = 4;

/// Runs every job, and hands over each result.
///
/// When the caller breaks, or the run is cancelled, no more jobs are given out, and it returns when
/// those under way are over. A panic of a worker is a panic of the caller.
pub fn run<J: Send + Sync, R: Send>(
    limits: &Limits,
    jobs: &mut (dyn Iterator<Item = J> + Send),
    cancel: &Cancel,
    work: &(dyn Fn(&Worker<'_, '_, J, R>) + Sync),
    collect: &mut Collect<'_, J, R>,
) -> Ended {
    if cancel.is_cancelled() {
        return Ended::Cancelled;
    }
    let most = jobs.size_hint().1.unwrap_or(usize::MAX).max(1);
    let dispatcher = Dispatcher::new(limits, jobs);
    std::thread::scope(|scope| {
        // However this ends, no worker waits for jobs that do not come.
        let closing = Closing(&dispatcher);
        for (lane, &workers) in limits.lanes.iter().enumerate() {
            for _ in 0..workers.min(most) {
                let dispatcher = &dispatcher;
                let leaving = Leaving(dispatcher.enter(lane), lane);
                let worker = move || {
                    work(&Worker { dispatcher, lane });
                    drop(leaving);
                };
                // With fewer threads it takes longer, and that is all.
                let _ = Builder::new().spawn_scoped(scope, worker);
            }
        }
        dispatcher.open();
        let ended = deliver(&dispatcher, cancel, collect);
        drop(closing);
        ended
    })
}

/// Ends the work when it is dropped, also by a panic.
struct Closing<'a, 's, J, R>(&'a Dispatcher<'s, J, R>);

impl<J, R> Drop for Closing<'_, '_, J, R> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Counts a worker as gone when it is dropped, also by a panic, which ends the work.
struct Leaving<'a, 's, J, R>(&'a Dispatcher<'s, J, R>, usize);

impl<J, R> Drop for Leaving<'_, '_, J, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
        self.0.leave(self.1);
    }
}

/// Hands over results until there are no more.
fn deliver<J, R>(
    dispatcher: &Dispatcher<'_, J, R>,
    cancel: &Cancel,
    collect: &mut Collect<'_, J, R>,
) -> Ended {
    if !dispatcher.has_workers() {
        return Ended::NoWorkers;
    }
    let mut ended = Ended::Done;
    loop {
        if ended == Ended::Done && cancel.is_cancelled() {
            dispatcher.close();
            dispatcher.wait_for_workers();
            ended = Ended::Cancelled;
        }
        match dispatcher.front() {
            Front::Ready(index, job, result) => {
                if collect(index, &job, result).is_break() {
                    return Ended::Broken;
                }
            }
            Front::Waiting if !dispatcher.is_closed() => {}
            Front::Waiting | Front::Empty => return ended,
        }
    }
}

impl<J> Ticket<J> {
    pub fn job(&self) -> &J {
        &self.job
    }
}

impl<J, R> Worker<'_, '_, J, R> {
    /// The number of the lane.
    pub fn lane(&self) -> usize {
        self.lane
    }

    /// The next job; waits for one. None when the work is over.
    pub fn take(&self) -> Option<Ticket<J>> {
        self.dispatcher.take(self.lane)
    }

    /// The next job, if one can be taken now.
    pub fn try_take(&self) -> Option<Ticket<J>> {
        self.dispatcher.try_take(self.lane)
    }

    /// Gives a job back with its result.
    pub fn finish(&self, ticket: Ticket<J>, result: R) {
        self.dispatcher.finish(self.lane, ticket, result);
    }

    /// Gives a job back that failed in this lane: another one tries it, and if there is none, or
    /// it failed there before, this is its result.
    pub fn fail(&self, ticket: Ticket<J>, result: R) {
        self.dispatcher.fail(self.lane, ticket, result);
    }

    /// Gives a job back that was broken off: it has no result.
    pub fn abandon(&self, ticket: Ticket<J>) {
        drop(ticket);
        self.dispatcher.abandon(self.lane);
    }

    /// Whether no more results are wanted.
    pub fn is_closed(&self) -> bool {
        self.dispatcher.is_closed()
    }
}
