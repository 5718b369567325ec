//! The records of an attempt: its decision, its cost and its environment.

use provost_desk::task::OpenTask;
use provost_kernel::{
    AttemptNumber, RecordFile, Timestamp,
    task::{Decision, DecisionRecord, Metrics},
};
use provost_vault::{AttemptFile, FileError, Location, RealDisk, write_json, write_record};
use serde_json::json;

use super::{Attempt, End};

/// Writes down how an attempt was decided and what it cost, before the state says so.
pub(in crate::task) fn record(
    open: &OpenTask<'_>,
    number: AttemptNumber,
    end: &End,
    decision: &Decision,
    now: Timestamp,
) -> Result<DecisionRecord, FileError> {
    let record = DecisionRecord {
        task_id: open.task().clone(),
        attempt: number.get(),
        decided_at: now,
        facts: end.facts.clone(),
        decision: decision.clone(),
        judge_decision: end.judge_decision,
        against: end.against.clone(),
        reasons: end.reasons.clone(),
        next_instructions: end.next_instructions.clone(),
        findings: end.findings.clone(),
        checks: end.checks.clone(),
    };
    let at = file(open, number, AttemptFile::Decision);
    write_json(&RealDisk, &at, &RecordFile::new(record.clone()))?;
    write_metrics(open, number, &end.metrics)?;
    Ok(record)
}

pub(super) fn write_metrics(
    open: &OpenTask<'_>,
    number: AttemptNumber,
    metrics: &Metrics,
) -> Result<(), FileError> {
    let at = file(open, number, AttemptFile::Metrics);
    write_json(&RealDisk, &at, &RecordFile::new(metrics.clone())).map(drop)
}

impl Attempt<'_, '_, '_> {
    /// Writes down what the attempt cost so far: also one that is killed has its price.
    pub(super) fn note_metrics(&mut self) -> Result<(), FileError> {
        self.metrics.elapsed_seconds =
            self.wall.as_secs() + u64::from(self.wall.subsec_nanos() > 0);
        let at = file(self.open, self.number, AttemptFile::Metrics);
        write_record(&RealDisk, &at, &super::step::json(&RecordFile::new(self.metrics.clone())))
    }
}

/// Records the context in which the attempt ran.
pub(super) fn write_environment(attempt: &Attempt<'_, '_, '_>) -> Result<(), FileError> {
    let environment = json!({
        "schema": "provost.environment/1",
        "provost": env!("CARGO_PKG_VERSION"),
        "os": std::env::consts::OS,
        "arch": std::env::consts::ARCH,
        "task_code": attempt.spec.task_code,
        "attempt": attempt.number.get(),
        "coder": attempt.spec.coder,
        "judge": attempt.spec.judge,
    });
    let at = file(attempt.open, attempt.number, AttemptFile::Environment);
    write_record(&RealDisk, &at, &super::step::json(&environment))
}

fn file(open: &OpenTask<'_>, number: AttemptNumber, file: AttemptFile) -> Location {
    open.desk().layout().attempt_file(open.task(), number, file)
}
