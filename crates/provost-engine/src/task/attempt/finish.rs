//! What an attempt leaves behind, and what it does not.

use provost_desk::task::OpenTask;
use provost_exec::git::{GitError, read};
use provost_kernel::{
    AttemptNumber, Timestamp,
    task::{Decision, DecisionRecord, Evidence, Kept, Metrics, State},
};
use provost_vault::{
    AttemptFile, FileError, Location, RealDisk, Stored, read_kept, write_atomic, write_json,
    write_record,
};
use serde_json::json;

use super::{Attempt, End};
use crate::task::salvage;
use crate::{Engine, EngineError};

/// The most of one artifact that is kept.
const ARTIFACT: u64 = 4 << 20;
/// Artifacts that stand for the task as a whole.
const PROMOTED: [&str; 2] = ["requirements.md", "spec.json"];

/// Writes down how an attempt was decided and what it cost, before the state says so.
pub(in crate::task) fn record(
    open: &OpenTask<'_>,
    number: AttemptNumber,
    end: &End,
    decision: &Decision,
    now: Timestamp,
) -> Result<(), FileError> {
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
    write_json(&RealDisk, &file(open, number, AttemptFile::Decision), &Kept::new(record))?;
    write_metrics(open, number, &end.metrics)
}

pub(super) fn write_metrics(
    open: &OpenTask<'_>,
    number: AttemptNumber,
    metrics: &Metrics,
) -> Result<(), FileError> {
    let at = file(open, number, AttemptFile::Metrics);
    write_json(&RealDisk, &at, &Kept::new(metrics.clone())).map(drop)
}

impl Attempt<'_, '_, '_> {
    /// Writes down what the attempt cost so far: also one that is killed has its price.
    pub(super) fn note_metrics(&mut self) -> Result<(), FileError> {
        self.metrics.elapsed_seconds =
            self.wall.as_secs() + u64::from(self.wall.subsec_nanos() > 0);
        let at = file(self.open, self.number, AttemptFile::Metrics);
        write_record(&RealDisk, &at, &super::step::json(&Kept::new(self.metrics.clone())))
    }
}

/// Says in which surroundings the attempt ran.
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

/// Keeps what the attempt made to be looked at, then saves and removes what was needed to work.
pub(in crate::task) fn clear(
    engine: Engine<'_>,
    open: &OpenTask<'_>,
    number: AttemptNumber,
    decision: &Decision,
) -> Result<(), EngineError> {
    if decision.next_state == State::ReadyForReview {
        keep_artifacts(engine, open, number)?;
    }
    salvage::clear(engine, open, number, Some(decision.row))
}

/// Keeps the files that the attempt made to be looked at, as they were delivered.
fn keep_artifacts(
    engine: Engine<'_>,
    open: &OpenTask<'_>,
    number: AttemptNumber,
) -> Result<(), EngineError> {
    let at = file(open, number, AttemptFile::Evidence);
    let Stored::Present(evidence) = read_kept::<_, Evidence>(&RealDisk, &at)? else {
        return Ok(());
    };
    let Some(commit) = evidence.value.git.head_commit else { return Ok(()) };
    let repository = std::path::Path::new(&open.spec.value.repo_path);
    for path in &evidence.value.artifacts {
        let content = match read::file(&engine.git(), repository, &commit, path, ARTIFACT) {
            Ok(content) => content,
            // A link, a giant, a name with a line break: no artifact, and still in the commit.
            Err(GitError::File { .. } | GitError::TooLarge { .. } | GitError::BadPath { .. }) => {
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let name = path.strip_prefix("artifacts/").unwrap_or(path);
        let (Some(content), Some(kept)) =
            (content, open.desk().layout().artifact(open.task(), number, name))
        else {
            continue;
        };
        write_atomic(&RealDisk, &kept, &content)?;
        if let Some(name) = PROMOTED.into_iter().find(|it| *it == name) {
            let at = open.desk().layout().promoted_artifact(open.task(), name);
            write_atomic(&RealDisk, &at, &content)?;
        }
    }
    Ok(())
}

fn file(open: &OpenTask<'_>, number: AttemptNumber, file: AttemptFile) -> Location {
    open.desk().layout().attempt_file(open.task(), number, file)
}
