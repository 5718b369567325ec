//! Ends an attempt: its decision is committed, its artifacts are kept, its work is removed.

use provost_desk::task::OpenTask;
use provost_exec::git::{GitError, read};
use provost_kernel::{
    AttemptNumber,
    task::{AttemptDecided, Decision, EventKind, Evidence, Note, State},
};
use provost_rules_task::{decision::decide, inputs, reasons};
use provost_vault::{AttemptFile, RealDisk, Stored, read_record, write_atomic};

use super::{
    attempt::{self, Ended},
    progress::Update,
    salvage,
    settle::settle,
};
use crate::{Engine, EngineError};

/// The most of one artifact that is kept.
const ARTIFACT: u64 = 4 << 20;
/// Artifacts that stand for the task as a whole.
const PROMOTED: [&str; 2] = ["requirements.md", "spec.json"];

/// Ends an attempt: asks the table, and commits its answer.
pub(super) fn finish(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    number: AttemptNumber,
    ended: Ended,
) -> Result<(), EngineError> {
    let Ended::Decided(end) = ended else { return Ok(()) };
    let mut decision = decide(&end.facts);
    // The table takes questions as plain text; provost's own are shown in the reader's language.
    for question in &mut decision.questions_for_user {
        let text = question.to_string();
        if let Some(ask) = end.asks.iter().find(|it| it.to_string() == text) {
            question.clone_from(ask);
        }
    }
    let now = engine.desk.clock().now();
    let record = attempt::record(open, number, &end, &decision, now)?;
    if inputs::were_heard(decision.row, end.facts.role) {
        open.status.value = inputs::consumed(open.status.value.clone(), &end.pending_input);
    }
    if let Some(summary) = &end.verdict_summary {
        open.status.value.verdict_summary = Some(summary.clone());
        open.status.value.rubric_version_used.clone_from(&end.rubric_version);
    }
    let detail =
        AttemptDecided::of(&decision, end.facts.current_attempt, end.facts.effective_max_attempts);
    let decided = Note::new(EventKind::AttemptDecided, "").with(&detail);
    settle(engine, open, &decision, &end.facts, vec![decided], end.detail.clone())?;
    let reasons = &reasons::of(&record);
    let attempt = number.get();
    engine.progress.update(&Update::Decided { attempt, decision: &decision, reasons });
    clear(engine, open, number, &decision)
}

/// Keeps what the attempt made to be looked at, then saves and removes what was needed to work.
fn clear(
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
    let at = open.desk().layout().attempt_file(open.task(), number, AttemptFile::Evidence);
    let Stored::Present(evidence) = read_record::<_, Evidence>(&RealDisk, &at)? else {
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
