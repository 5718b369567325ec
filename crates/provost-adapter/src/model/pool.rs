//! Many requests, several models, replies in order.
//!
//! A request whose model could not be reached is asked once more of another one. What is handed
//! back does not depend on how many are under way, only on what the models say.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use provost_kernel::{
    Message as _,
    model::{FailureClass, ModelReply, ModelRequest},
};

use super::{Model, ModelFailure, failure::Detail};
use crate::{
    cancel::Cancel,
    pool::{self, Collect, Ended, Limits, Order, Worker},
};

/// Models that are asked together.
#[derive(Clone, Debug)]
pub struct ModelPool {
    models: Vec<Arc<dyn Model>>,
    limits: Limits,
}

/// What came of a request.
type ModelResult = Result<ModelReply, ModelFailure>;

/// What is done with each reply, with the number of the request.
pub type ReplyHandler<'a> = Collect<'a, ModelRequest, ModelResult>;

impl ModelPool {
    /// Models with the number of requests that each takes at once, and how many are asked of all
    /// together.
    pub fn new(models: Vec<(Arc<dyn Model>, usize)>, total: usize) -> Self {
        let total = total.max(1);
        let (models, lanes): (_, Vec<usize>) =
            models.into_iter().map(|(model, it)| (model, it.clamp(1, total))).unzip();
        let sum = lanes.iter().copied().fold(0, usize::saturating_add);
        let limits = Limits { lanes, total: sum.clamp(1, total), order: Order::Submitted };
        Self { models, limits }
    }

    /// How many requests are asked at once.
    pub fn concurrency(&self) -> usize {
        self.limits.total
    }

    /// Asks every request, and hands over each reply in the order of the requests.
    ///
    /// When the caller breaks, or the run is cancelled, no more requests are asked, and it returns
    /// when what is under way is over.
    pub fn run(
        &self,
        requests: &mut (dyn Iterator<Item = ModelRequest> + Send),
        cancel: &Cancel,
        handle: &mut ReplyHandler<'_>,
    ) -> Ended {
        let work = |worker: &Worker<'_, '_, ModelRequest, ModelResult>| {
            if let Some(model) = self.models.get(worker.lane()) {
                ask(worker, &**model, cancel);
            }
        };
        match pool::run(&self.limits, requests, cancel, &work, handle) {
            Ended::NoWorkers => refuse(requests, handle),
            ended @ (Ended::Done | Ended::Broken | Ended::Cancelled) => ended,
        }
    }
}

/// Asks one request after another of one model.
fn ask(worker: &Worker<'_, '_, ModelRequest, ModelResult>, model: &dyn Model, cancel: &Cancel) {
    while let Some(ticket) = worker.take() {
        let asked = catch_unwind(AssertUnwindSafe(|| model.ask(ticket.job(), cancel)));
        let failed = |_| Err(ModelFailure::unreachable(Detail::Panicked.text()));
        let result = asked.unwrap_or_else(failed);
        match &result {
            // It was broken off, so its reply is unknown.
            Err(_) if cancel.is_cancelled() => worker.abandon(ticket),
            // A recording without the reply has answered: another model would say something else.
            Err(failure) if failure.error.class() != FailureClass::NotRecorded => {
                worker.fail(ticket, result);
            }
            Ok(_) | Err(_) => worker.finish(ticket, result),
        }
    }
}

/// Fails every request: no model is configured.
fn refuse(
    requests: &mut dyn Iterator<Item = ModelRequest>,
    handle: &mut ReplyHandler<'_>,
) -> Ended {
    for (index, request) in requests.enumerate() {
        let failure = ModelFailure::unreachable(Detail::NoModel.text());
        if handle(index, &request, Err(failure)).is_break() {
            return Ended::Broken;
        }
    }
    Ended::Done
}

#[cfg(test)]
mod tests;
