//! What a spec leaves to the moment at which its task is made (ruling 71).

use std::path::Path;

use provost_exec::git::{clone, head};
use provost_kernel::{RecordFile, TaskLimits, task::TaskSpec};
use provost_rules_task::spec::judge;

use super::{create::NewTask, detect::detect};
use crate::{Engine, EngineError, RunError};

/// A spec with the commit that it starts from, the branch that its result goes to, and the test and the
/// checks that tasks have here that name none. Where only a test could judge it, the files of the repository say
/// how it is tested.
///
/// A repository or a base that is not there is an error: a slip makes no task.
pub(super) fn filled(
    engine: Engine<'_>,
    new: NewTask,
) -> Result<RecordFile<TaskSpec>, EngineError> {
    let NewTask { mut spec, changes, .. } = new;
    let (git, repository) = (engine.git(), Path::new(&spec.value.repo_path).to_owned());
    let named = spec.value.base_ref.clone();
    let branch = if named == TaskSpec::HEAD {
        let found = head::of(&git, &repository)?;
        let Some(commit) = found.commit else {
            return Err(RunError::EmptyRepository { path: repository }.into());
        };
        let commit = changes.as_ref().unwrap_or(&commit);
        spec.value.base_ref = clone::base(&git, &repository, commit.as_str())?.to_string();
        spec.value.with_changes = changes.map(|it| it.to_string());
        found.branch
    } else {
        clone::base(&git, &repository, &named)?;
        head::is_branch(&git, &repository, &named)?.then_some(named)
    };
    check_target(engine, &spec.value)?;
    spec.value.target_branch = spec.value.target_branch.or(branch);
    let settings = engine.settings;
    limit(&mut spec.value, &settings.task_limits);
    spec.value.test_cmd = spec.value.test_cmd.or_else(|| settings.test.clone());
    settings.checks.iter().for_each(|it| spec.value.take_check(it));
    let is_untested = spec.value.test_cmd.is_none() && spec.value.plan.is_none();
    if is_untested && judge(&spec.value, settings.judge.as_deref()).is_none() {
        spec.value.test_cmd = detect(&git, &repository, &spec.value.base_ref)?.checks.test;
    }
    Ok(spec)
}

/// A branch that a result is to go to exists; one that is made for it is named when it lands.
pub(super) fn check_target(engine: Engine<'_>, spec: &TaskSpec) -> Result<(), EngineError> {
    let Some(target) = &spec.target_branch else { return Ok(()) };
    let branch = target.strip_prefix("refs/heads/").unwrap_or(target);
    if head::is_branch(&engine.git(), Path::new(&spec.repo_path), branch)? {
        return Ok(());
    }
    Err(RunError::NoTarget { branch: branch.to_owned() }.into())
}

/// Sets the limits that tasks have here, where this one leaves them out.
fn limit(spec: &mut TaskSpec, limits: &TaskLimits) {
    let budget = &mut spec.budget;
    budget.usd = budget.usd.or(limits.usd);
    budget.tokens = budget.tokens.or(limits.tokens);
    budget.wall = budget.wall.or(limits.wall);
    if let (TaskSpec::ATTEMPTS, Some(attempts)) = (spec.max_attempts, limits.attempts) {
        spec.max_attempts = attempts;
    }
}
