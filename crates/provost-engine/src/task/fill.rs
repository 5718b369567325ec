//! What a spec leaves to the moment at which its task is made (ruling 71).

use std::path::Path;

use provost_exec::git::{GitError, head};
use provost_kernel::{RecordFile, task::TaskSpec};
use provost_rules_task::spec::judge;

use super::detect::detect;
use crate::{Engine, EngineError, RunError};

/// A spec with the commit that it starts from, the branch that its result goes to, and the test that
/// tasks have here that name none. Where only a test could judge it, the files of the repository say
/// how it is tested.
///
/// Of a repository that cannot be read, the attempt says so, and the table decides.
pub(super) fn filled(
    engine: Engine<'_>,
    mut spec: RecordFile<TaskSpec>,
) -> Result<RecordFile<TaskSpec>, EngineError> {
    let (git, repository) = (engine.git(), Path::new(&spec.value.repo_path).to_owned());
    let named = spec.value.base_ref.clone();
    let branch = if named == TaskSpec::HEAD {
        let found = match head::of(&git, &repository) {
            Ok(found) => found,
            Err(GitError::NotARepository { .. } | GitError::Bare { .. }) => return Ok(spec),
            Err(error) => return Err(error.into()),
        };
        let Some(commit) = found.commit else {
            return Err(RunError::EmptyRepository { path: repository }.into());
        };
        spec.value.base_ref = commit.to_string();
        found.branch
    } else {
        let is_branch = repository.is_dir() && head::is_branch(&git, &repository, &named)?;
        is_branch.then_some(named)
    };
    spec.value.target_branch = spec.value.target_branch.or(branch);
    let settings = engine.settings;
    spec.value.test_cmd = spec.value.test_cmd.or_else(|| settings.test.clone());
    let is_untested = spec.value.test_cmd.is_none() && spec.value.plan.is_none();
    if is_untested && judge(&spec.value, settings.judge.as_deref()).is_none() {
        spec.value.test_cmd = match detect(&git, &repository, &spec.value.base_ref) {
            Ok(found) => found.checks.test,
            Err(GitError::NotARepository { .. } | GitError::BadRevision { .. }) => None,
            Err(error) => return Err(error.into()),
        };
    }
    Ok(spec)
}
