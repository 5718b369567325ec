//! The jobs of a run as its workers see them: one job is one run of one case.
//!
//! A worker that takes a job gives it back with an outcome, which is recorded and judged here,
//! unless the whole run ends.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use provost_adapter::{
    Cancel,
    pool::{Ticket, Worker},
};
use provost_kernel::{
    eval::{Case, CaseResult, CaseStatus, ErrorCode, Profile, Request, Response, StepError},
    model::{FailureClass, Usage},
};
use provost_rules::retry::RetryPolicy;
use provost_rules_eval::{
    check::{Rubric, Verdicts},
    judge::{judge, judge_with},
    price::Prices,
    response::{belongs, request},
    suite::Suite,
};
use serde_json::Map;

use super::{cases::Listing, error::EvalError, fault::Fault, others::Others, recording::Recorder};

/// Receives the progress of a run.
pub trait Watcher: Sync {
    /// So many cases of all are measured; this was the last one, and what it came to.
    fn measured(&self, done: usize, total: usize, last: &str, status: CaseStatus);
}

/// A case of the listing, and which of its runs.
pub(super) type Job = (usize, u32);

/// The result of a job, or what ends the whole run.
pub(super) type Measured = Result<CaseResult, EvalError>;

/// One run of one case, as a worker has it.
#[derive(Debug)]
pub(super) struct Turn {
    ticket: Ticket<Job>,
    pub(super) epoch: u32,
    pub(super) case: Case,
    pub(super) request: Request,
    /// How often it was tried before.
    pub(super) tries: u32,
    /// How often a model was asked to repair its answer.
    repairs: AtomicU32,
    pub(super) started: Instant,
}

impl Turn {
    /// Counts a repair.
    pub(super) fn repair(&self) {
        self.repairs.fetch_add(1, Ordering::Relaxed);
    }

    /// How many repairs there were, if there were any.
    pub(super) fn repairs(&self) -> Option<u32> {
        Some(self.repairs.load(Ordering::Relaxed)).filter(|it| *it > 0)
    }
}

/// What a turn came to.
pub(super) type Outcome = Result<Response, StepError>;

/// The jobs of a run, for one worker.
pub(super) struct WorkQueue<'a, 's> {
    pub(super) setting: &'a Setting<'a>,
    worker: &'a Worker<'a, 's, Job, Measured>,
}

/// What a run is about.
pub(super) struct Setting<'a> {
    pub(super) suite: &'a Suite,
    pub(super) listing: &'a Listing,
    pub(super) rubric: Rubric,
    pub(super) profile: Profile,
    pub(super) engine_version: &'a str,
    /// Whether a person named the version, so that another one is worth a warning.
    pub(super) is_version_named: bool,
    pub(super) retries: u32,
    pub(super) others: &'a Others,
    pub(super) prices: Option<Prices>,
    /// Whether the answers were given before: what they took then is in them.
    pub(super) is_replayed: bool,
    pub(super) recorder: Option<&'a Recorder>,
    pub(super) cancel: &'a Cancel,
}

impl<'a, 's> WorkQueue<'a, 's> {
    pub(super) fn new(setting: &'a Setting<'a>, worker: &'a Worker<'a, 's, Job, Measured>) -> Self {
        Self { setting, worker }
    }

    /// The next turn; waits for one. None when the run is over.
    pub(super) fn next(&self) -> Option<Turn> {
        self.load(|| self.worker.take())
    }

    /// The next turn, if one can be taken now.
    pub(super) fn next_now(&self) -> Option<Turn> {
        self.load(|| self.worker.try_take())
    }

    /// Takes jobs until one has a case that can be read.
    fn load(&self, take: impl Fn() -> Option<Ticket<Job>>) -> Option<Turn> {
        let Setting { suite, listing, rubric, profile, engine_version, .. } = self.setting;
        while !self.is_over() {
            let ticket = take()?;
            let &(at, epoch) = ticket.job();
            let listed = listing.cases.get(at)?;
            match listing.load(listed, &suite.case) {
                Ok(case) => {
                    let request = request(&case, &suite.case, *profile, engine_version);
                    let started = Instant::now();
                    let (tries, repairs) = (0, AtomicU32::new(0));
                    return Some(Turn { ticket, epoch, case, request, tries, repairs, started });
                }
                Err(error) => {
                    let case = Case { id: listed.id.clone(), fields: Map::new(), expect: None };
                    self.worker.finish(ticket, Ok(judge(suite, &case, Err(error), *rubric)));
                }
            }
        }
        None
    }

    /// Takes a turn back.
    pub(super) fn done(&self, turn: Turn, outcome: Outcome) {
        // What was broken off was not measured, and says nothing about the engine.
        if self.is_over() {
            return self.worker.abandon(turn.ticket);
        }
        let took = u64::try_from(turn.started.elapsed().as_millis()).ok();
        let mut warning = None;
        let outcome = outcome.and_then(|mut response| {
            let found = belongs(&turn.request, &response)?;
            if self.setting.is_version_named {
                warning = found;
            }
            self.measure(&mut response, took);
            Ok(response)
        });
        if let Some(recorder) = self.setting.recorder
            && let Err(error) = recorder.keep(&turn.request, turn.epoch, &outcome)
        {
            return self.worker.finish(turn.ticket, Err(error));
        }
        let mut result = self.judged(&turn.case, outcome);
        if let Some(text) = warning {
            result.warnings_codes.extend(text.record());
            result.warnings.push(text.to_string());
        }
        result.meta.repairs = result.meta.repairs.or_else(|| turn.repairs());
        result.latency_ms = took;
        self.worker.finish(turn.ticket, Ok(result));
    }

    /// Notes what an answer took, which no engine says of itself, and what it cost.
    fn measure(&self, response: &mut Response, took: Option<u64>) {
        if !self.setting.is_replayed {
            response.meta.latency_ms = took;
        }
        // The judge is asked here and nowhere else.
        response.meta.judge_usage = Usage::default();
        if let Some(prices) = self.setting.prices {
            response.meta.usage = prices.of(response.meta.usage);
        }
    }

    /// Judges an answer, after everybody was asked whom the suite asks. Should that break off, it
    /// does so for this case alone.
    fn judged(&self, case: &Case, outcome: Outcome) -> CaseResult {
        let Setting { suite, rubric, others, cancel, .. } = self.setting;
        let mut said = Verdicts::new();
        let outcome = outcome.and_then(|mut response| {
            said = others.say(suite, *rubric, case, &mut response, cancel)?;
            Ok(response)
        });
        guarded(outcome.as_ref(), |outcome| judge_with(suite, case, outcome, &said, *rubric))
    }

    /// Answers turns one by one, and again where another try may help.
    pub(super) fn each(&self, mut answer: impl FnMut(&Turn) -> Outcome) {
        while let Some(mut turn) = self.next() {
            let outcome = loop {
                match answer(&turn) {
                    Err(error) if self.may_retry(&error, turn.tries) => turn.tries += 1,
                    outcome => break outcome,
                }
            };
            self.done(turn, outcome);
        }
    }

    /// Whether a turn that was tried before so many times is tried again. An engine that says that
    /// a retry may help is in trouble for a moment.
    pub(super) fn may_retry(&self, error: &StepError, tries: u32) -> bool {
        let class = if error.retryable { FailureClass::Transient } else { FailureClass::Permanent };
        let policy = RetryPolicy::program(self.setting.retries);
        !self.is_over() && policy.delay(class, tries, None, Duration::MAX).is_some()
    }

    /// Whether the run ends before its end.
    pub(super) fn is_over(&self) -> bool {
        self.setting.cancel.is_cancelled() || self.worker.is_closed()
    }
}

/// Judges an outcome; where that breaks off, nothing was measured, and that is judged instead.
fn guarded(
    outcome: Result<&Response, &StepError>,
    judge: impl Fn(Result<&Response, StepError>) -> CaseResult,
) -> CaseResult {
    let judged = AssertUnwindSafe(|| judge(outcome.map_err(Clone::clone)));
    catch_unwind(judged)
        .unwrap_or_else(|_| judge(Err(Fault::ChecksPanicked.error(ErrorCode::Provider))))
}

#[cfg(test)]
mod tests {
    use provost_kernel::eval::Artifacts;

    use super::*;

    /// A check that breaks off costs its own case and no other, and is never a pass.
    #[test]
    fn an_answer_on_which_the_checks_break_off_is_not_measured() {
        let suite = Suite::read_do().unwrap();
        let case = Case { id: "a".to_owned(), fields: Map::new(), expect: None };
        let response = Response { artifacts: Artifacts::new(), ..Response::default() };
        let result = guarded(Ok(&response), |outcome| {
            assert!(outcome.is_err(), "a fault of a check");
            judge(&suite, &case, outcome, Rubric::Standard)
        });
        assert_eq!(result.status, CaseStatus::Error);
        assert!(result.checks.iter().all(|it| !it.pass));
        let error = result.error.unwrap();
        assert_eq!(error.error_code, ErrorCode::Provider);
        assert_eq!(error.message_code.as_deref(), Some("eval.engine.checks_panicked"));
    }
}
