//! Changing the spec of a task: what only a repository and its configuration can tell.

use std::path::Path;

use provost_exec::git::read;
use provost_kernel::{TaskId, task::SpecChange};
use provost_rules_task::spec::check_judged;

use super::{
    create::{check_agents, check_spec},
    fill::check_target,
};
use crate::{Engine, EngineError};

/// Holds changes of a spec against the same rules as a new spec, and names commits for revisions.
/// Nothing is written; the order with these changes is what changes the task.
pub fn check_changes(
    engine: Engine<'_>,
    task: &TaskId,
    mut changes: Vec<SpecChange>,
) -> Result<Vec<SpecChange>, EngineError> {
    let spec = engine.desk.with_changes(task, &changes)?.value;
    check_spec(&spec)?;
    check_judged(&spec, engine.settings.judge.as_deref())?;
    for change in changes.iter_mut().filter(|it| it.key == "base_ref") {
        let repository = Path::new(&spec.repo_path);
        let commit = read::commit(&engine.git(), repository, &spec.base_ref)?;
        change.value = commit.to_string().into();
    }
    if changes.iter().any(|it| it.key == "target_branch") {
        check_target(engine, &spec)?;
    }
    if changes.iter().any(|it| matches!(it.key.as_str(), "coder" | "judge" | "base_ref")) {
        check_agents(engine, &spec)?;
    }
    Ok(changes)
}
