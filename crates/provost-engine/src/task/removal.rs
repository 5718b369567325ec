//! Removing a task: its files, its work, and the names of its results in the repository.

use std::path::Path;

use provost_exec::git::{GitError, publish};
use provost_kernel::TaskId;
use provost_rules_task::landing::{LandError, Stage, stage};

use crate::{Engine, EngineError, RunError};

/// Removes a task. One whose removal was broken off is removed to the end; so is one whose results
/// could not be taken out of the repository the first time.
pub fn remove(engine: Engine<'_>, task: &TaskId) -> Result<(), EngineError> {
    // A branch that may be about to move is settled first.
    if let Ok(looked) = engine.desk.look(task)
        && stage(&looked.status.value) == Ok(Stage::Unfinished)
    {
        return Err(LandError::Underway { task: task.clone() }.into());
    }
    let spec = engine.desk.take_away(task, engine.actor)?.value;
    match publish::forget(&engine.git(), Path::new(&spec.repo_path), task) {
        // A repository that is gone has no names to take away.
        Ok(_) | Err(GitError::NotARepository { .. }) => {}
        Err(source) => return Err(RunError::NotForgotten { task: task.clone(), source }.into()),
    }
    Ok(engine.desk.delete_removed(task)?)
}
