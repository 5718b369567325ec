//! What all workers of a run share: the next turn, and where a finished one goes.
//!
//! A turn is one run of one case. A worker that takes one always gives it back with an outcome,
//! unless the whole run ends.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, AtomicUsize, Ordering},
        mpsc::SyncSender,
    },
    time::Instant,
};

use provost_adapter::Cancel;
use provost_kernel::eval::{
    Case, CaseResult, CaseStatus, ErrorCode, Profile, Request, Response, StepError,
};
use provost_rules_eval::{
    check::Rubric,
    judge::judge,
    response::{belongs, request},
    suite::Suite,
};
use serde_json::Map;

use super::{cases::Listing, error::EvalError, fault::Fault, recording::Recorder};

/// Receives the progress of a run.
pub trait Watcher: Sync {
    /// So many cases of all are measured; this was the last one, and what it came to.
    fn measured(&self, done: usize, total: usize, last: &str, status: CaseStatus);
}

/// One run of one case.
#[derive(Debug)]
pub(super) struct Turn {
    /// Which case of the listing.
    pub(super) at: usize,
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

/// A turn that is over.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) at: usize,
    pub(super) result: CaseResult,
}

/// What a turn came to.
pub(super) type Outcome = Result<Response, StepError>;

/// What the workers share.
pub(super) struct WorkQueue<'a> {
    pub(super) setting: Setting<'a>,
    next: AtomicUsize,
    sink: SyncSender<Done>,
    failure: Mutex<Option<EvalError>>,
}

/// What a run is about.
pub(super) struct Setting<'a> {
    pub(super) suite: &'a Suite,
    pub(super) listing: &'a Listing,
    /// The cases that are to be run.
    pub(super) order: &'a [usize],
    pub(super) epochs: u32,
    pub(super) rubric: Rubric,
    pub(super) profile: Profile,
    pub(super) engine_version: &'a str,
    /// Whether a person named the version, so that another one is worth a warning.
    pub(super) is_version_named: bool,
    pub(super) retries: u32,
    pub(super) recorder: Option<&'a Recorder>,
    pub(super) cancel: &'a Cancel,
}

impl<'a> WorkQueue<'a> {
    pub(super) fn new(setting: Setting<'a>, sink: SyncSender<Done>) -> Self {
        Self { setting, next: AtomicUsize::new(0), sink, failure: Mutex::new(None) }
    }

    /// The next turn; none when all are taken or the end was asked for.
    pub(super) fn next(&self) -> Option<Turn> {
        let epochs = usize::try_from(self.setting.epochs).unwrap_or(1).max(1);
        while !self.is_over() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let at = *self.setting.order.get(number / epochs)?;
            let listed = self.setting.listing.cases.get(at)?;
            let epoch = u32::try_from(number % epochs).unwrap_or_default();
            match self.setting.listing.load(listed, &self.setting.suite.case) {
                Ok(case) => {
                    let request = request(
                        &case,
                        &self.setting.suite.case,
                        self.setting.profile,
                        self.setting.engine_version,
                    );
                    let started = Instant::now();
                    let (tries, repairs) = (0, AtomicU32::new(0));
                    return Some(Turn { at, epoch, case, request, tries, repairs, started });
                }
                Err(error) => {
                    let case = Case { id: listed.id.clone(), fields: Map::new(), expect: None };
                    self.send(
                        at,
                        judge(self.setting.suite, &case, Err(error), self.setting.rubric),
                    );
                }
            }
        }
        None
    }

    /// Takes a turn back.
    pub(super) fn done(&self, turn: Turn, outcome: Outcome) {
        // What was broken off was not measured, and says nothing about the engine.
        if self.is_over() {
            return;
        }
        let mut warning = None;
        let outcome = outcome.and_then(|response| {
            let found = belongs(&turn.request, &response)?;
            if self.setting.is_version_named {
                warning = found;
            }
            Ok(response)
        });
        if let Some(recorder) = self.setting.recorder
            && let Err(error) = recorder.keep(&turn.request, turn.epoch, &outcome)
        {
            self.fail(error);
            return;
        }
        let mut result = self.judged(&turn.case, outcome.as_ref());
        if let Some(text) = warning {
            result.warnings_codes.extend(text.record());
            result.warnings.push(text.to_string());
        }
        result.meta.repairs = result.meta.repairs.or_else(|| turn.repairs());
        result.latency_ms = u64::try_from(turn.started.elapsed().as_millis()).ok();
        self.send(turn.at, result);
    }

    /// Judges an answer. Should that break off, it does so for this case alone.
    fn judged(&self, case: &Case, outcome: Result<&Response, &StepError>) -> CaseResult {
        let Setting { suite, rubric, .. } = self.setting;
        guarded(outcome, |outcome| judge(suite, case, outcome, rubric))
    }

    /// Answers turns one by one; what may be over when it is tried again is tried again.
    pub(super) fn each(&self, mut answer: impl FnMut(&Turn) -> Outcome) {
        while let Some(mut turn) = self.next() {
            let outcome = loop {
                match answer(&turn) {
                    Err(error)
                        if error.retryable
                            && turn.tries < self.setting.retries
                            && !self.is_over() =>
                    {
                        turn.tries += 1;
                    }
                    outcome => break outcome,
                }
            };
            self.done(turn, outcome);
        }
    }

    /// Whether the run ends before its end.
    pub(super) fn is_over(&self) -> bool {
        self.setting.cancel.is_cancelled() || self.failure().is_some()
    }

    /// What ended the run, if it was neither its end nor a person.
    pub(super) fn into_failure(self) -> Option<EvalError> {
        self.failure.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the run.
    pub(super) fn fail(&self, error: EvalError) {
        self.failure().get_or_insert(error);
    }

    fn failure(&self) -> std::sync::MutexGuard<'_, Option<EvalError>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, at: usize, result: CaseResult) {
        // The receiver is gone only when the run is over.
        let _ = self.sink.send(Done { at, result });
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
