//! Work that a crash or a pause left behind: saved in the person's repository, then removed.

use provost_desk::task::OpenTask;
use provost_exec::git::PrivateClone;
use provost_kernel::{
    AttemptNumber,
    task::{EventKind, Note, Row},
};
use provost_rules_task::policy;
use provost_vault::{AttemptFile, WorkPlace, is_present, remove, settle_captures};

use super::{inspection::inspect, publish::publish};
use crate::{Engine, EngineError, context::redact};

/// Saves and removes the work trees of earlier attempts of a task that this process holds.
///
/// A tree that the rules refuse, or that cannot be read, stays where it is: it may not enter the
/// repository, and it may not be lost.
pub fn salvage(engine: Engine<'_>, open: &OpenTask<'_>) -> Result<(), EngineError> {
    for attempt in open.files().attempts()? {
        let decided = open.files().decision(attempt)?.present();
        clear(engine, open, attempt, decided.map(|it| it.value.decision.row))?;
    }
    Ok(())
}

/// Saves and removes the work of one attempt, which the table decided by this row.
pub(super) fn clear(
    engine: Engine<'_>,
    open: &OpenTask<'_>,
    attempt: AttemptNumber,
    row: Option<Row>,
) -> Result<(), EngineError> {
    settle_captures(engine.desk.layout(), open.task(), attempt, &redact)?;
    let place = |place| engine.desk.layout().work_place(open.task(), attempt, place);
    let has_tree = is_present(&place(WorkPlace::Tree));
    let is_refused = row.is_some_and(policy::refuses);
    let is_kept = has_tree && (is_refused || !save(engine, open, attempt)?);
    for it in WorkPlace::ALL {
        let is_tree = matches!(it, WorkPlace::Tree | WorkPlace::TreeGit);
        if !(is_tree && is_kept) {
            remove(&place(it))?;
        }
    }
    Ok(())
}

/// Saves one tree; says whether it can be removed now.
fn save(
    engine: Engine<'_>,
    open: &OpenTask<'_>,
    attempt: AttemptNumber,
) -> Result<bool, EngineError> {
    let (layout, task) = (engine.desk.layout(), open.task());
    let head = layout.attempt_file(task, attempt, AttemptFile::HeadCommit);
    if is_present(&head) {
        return Ok(true);
    }
    let tree = layout.work_place(task, attempt, WorkPlace::Tree).path();
    let git = engine.git();
    let saved =
        PrivateClone::open(&git, tree.as_std_path()).map_err(EngineError::from).and_then(|clone| {
            let inspected = inspect(&git, &clone, &open.spec.value)?;
            if inspected.error_class().is_some() {
                return Ok(None);
            }
            if inspected.files.is_empty() {
                return Ok(Some(None));
            }
            let published = publish(engine, open, attempt, &clone, &inspected.snapshot)?;
            Ok(Some(Some(published)))
        });
    match saved {
        Ok(Some(Some(published))) => {
            let note = Note::new(EventKind::WorkSaved, published.reference);
            open.files().append_note(note, attempt.get())?;
            Ok(true)
        }
        // Nothing was changed in it.
        Ok(Some(None)) => Ok(true),
        // Refused by the rules, or broken: for a person to look at.
        Ok(None) | Err(EngineError::Git(_)) => Ok(false),
        Err(error) => Err(error),
    }
}
