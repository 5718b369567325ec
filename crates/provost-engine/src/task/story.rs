//! The plan of a task: chosen and frozen when the task is made, told to its coder, and held
//! against what every attempt delivers before anybody judges it.

use camino::Utf8Path;
use provost_exec::git::{GitError, ObjectId, read};
use provost_kernel::{
    Digest, TaskId,
    story::{ExecutionId, Plan, Story},
    task::TaskSpec,
};
use provost_rules_story::plan;
use provost_rules_task::spec::{self, SpecFault};

use crate::{
    Engine, EngineError,
    story::{
        StoryError,
        attempt::{Freezing, Frozen, freeze, frozen},
    },
};

/// A plan as it is at the base of a task.
#[derive(Debug)]
pub(super) struct Chosen {
    bytes: Vec<u8>,
    plan: Plan,
    stories: Vec<Story>,
    base: ObjectId,
}

/// Reads the plan of a spec at its base, before anything is written; none if it has none.
///
/// Of a repository that cannot be read, the attempt says so, and the table decides.
pub(super) fn choose(engine: Engine<'_>, spec: &TaskSpec) -> Result<Option<Chosen>, EngineError> {
    let Some(name) = &spec.plan else { return Ok(None) };
    let (git, repository) = (engine.git(), std::path::Path::new(&spec.repo_path));
    let base = match read::commit(&git, repository, &spec.base_ref) {
        Ok(base) => base,
        Err(
            GitError::NotARepository { .. } | GitError::Bare { .. } | GitError::BadRevision { .. },
        ) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let most = plan::LIMITS.bytes as u64;
    let bytes = read::file(&git, repository, base.as_str(), name, most)?
        .ok_or_else(|| SpecFault::NoSuchPlan { plan: name.clone(), base: spec.base_ref.clone() })?;
    let plan = plan::read(name, &bytes).map_err(StoryError::from)?;
    let stories = spec::stories(spec, &plan)?;
    Ok(Some(Chosen { bytes, plan, stories, base }))
}

/// Freezes the plan of a task that was made.
pub(super) fn freeze_plan(
    engine: Engine<'_>,
    spec: &TaskSpec,
    chosen: &Chosen,
) -> Result<(), EngineError> {
    let Some(name) = &spec.plan else { return Ok(()) };
    let Chosen { bytes, plan, stories, base } = chosen;
    let freezing = Freezing {
        id: &execution_id(spec)?,
        task: &spec.task_id,
        name,
        bytes,
        plan,
        stories,
        repository: Utf8Path::new(&spec.repo_path),
        base,
    };
    Ok(freeze(&engine, freezing)?)
}

/// The plan of a task as it was frozen; a task that came to be without is frozen now.
pub(super) fn plan_of(engine: Engine<'_>, spec: &TaskSpec) -> Result<Option<Frozen>, EngineError> {
    if spec.plan.is_none() {
        return Ok(None);
    }
    let id = execution_id(spec)?;
    if let Some(known) = frozen(engine.desk, &id)? {
        return Ok(Some(known));
    }
    if let Some(chosen) = choose(engine, spec)? {
        freeze_plan(engine, spec, &chosen)?;
    }
    Ok(frozen(engine.desk, &id)?)
}

/// The name of the execution that a task drives: its own, also if another task had its id once.
fn execution_id(spec: &TaskSpec) -> Result<ExecutionId, EngineError> {
    let TaskSpec { task_id, task_code, created_at, .. } = spec;
    let text = |it: &Option<String>| it.clone().unwrap_or_default();
    let names: (&TaskId, String, String) = (task_id, text(task_code), text(created_at));
    let digest = Digest::of_bytes(format!("{}\n{}\n{}", names.0, names.1, names.2).as_bytes());
    let id: String = digest.to_string().chars().take(32).collect();
    Ok(id.parse().map_err(StoryError::ExecutionId)?)
}
