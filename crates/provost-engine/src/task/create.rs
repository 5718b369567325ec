//! Making a task from a spec, or finding that it is one already.

use provost_adapter::AgentRole;
use provost_desk::{DeskError, task::OpenTask};
use provost_exec::git::ObjectId;
use provost_kernel::{
    Clock, Digest, DigestError, RecordFile, RequestId, TaskId,
    task::{ErrorClass, Role, Status, TaskSpec},
};
use provost_rules::sudo::refuse_sudo;
use provost_rules_task::{
    decision::decide,
    facts,
    policy::Policy,
    spec::{self, check_judged, check_thresholds},
    status,
    verdict::Yardstick,
};
use provost_shell::parse;
use provost_vault::{
    Stored,
    audit::{AuditError, Event},
};
use serde_json::json;

use super::{fill::filled, preflight, progress::Update, story};
use crate::{Engine, EngineError, RunError};

/// A task in the making.
#[derive(Clone, Debug)]
pub struct NewTask {
    /// As it was given.
    pub spec: RecordFile<TaskSpec>,
    /// The commit that was made of uncommitted work, where the task starts from there.
    pub changes: Option<ObjectId>,
    /// The request that it was made for, if it has an id.
    pub request_id: Option<RequestId>,
}

impl From<RecordFile<TaskSpec>> for NewTask {
    fn from(spec: RecordFile<TaskSpec>) -> Self {
        Self { spec, changes: None, request_id: None }
    }
}

impl NewTask {
    /// The spec with the revision that the task starts from.
    pub fn based(&self) -> TaskSpec {
        let spec = self.spec.value.clone();
        match &self.changes {
            Some(commit) => TaskSpec { base_ref: commit.to_string(), ..spec },
            None => spec,
        }
    }
}

/// When a new task begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begins {
    Now,
    /// When its turn comes: until then no process has to hold it.
    Later,
}

/// Checks everything that making a task checks, and leaves no trace.
pub fn check_new(engine: Engine<'_>, task: &TaskId, new: &NewTask) -> Result<(), EngineError> {
    check_spec(&new.spec.value)?;
    if matches!(engine.desk.files(task).spec()?, Stored::Absent) {
        return planned(engine, new.clone()).map(drop);
    }
    check_same(engine, task, &new.spec)
}

/// Makes a task that waits for its turn, unless it is there already.
pub fn enqueue(engine: Engine<'_>, task: &TaskId, new: NewTask) -> Result<(), EngineError> {
    create(engine, task, new, Begins::Later).map(drop)
}

/// A spec that can become a task, and the plan that it names.
fn planned(
    engine: Engine<'_>,
    new: NewTask,
) -> Result<(RecordFile<TaskSpec>, Option<story::Chosen>), EngineError> {
    let spec = filled(engine, new)?;
    check_judged(&spec.value, engine.settings.judge.as_deref())?;
    check_agents(engine, &spec.value)?;
    let chosen = story::choose(engine, &spec.value)?;
    Ok((spec, chosen))
}

/// Writes a new task; none when the very same one exists.
pub(super) fn create<'a>(
    engine: Engine<'a>,
    task: &'a TaskId,
    new: NewTask,
    begins: Begins,
) -> Result<Option<OpenTask<'a>>, EngineError> {
    check_spec(&new.spec.value)?;
    let digest = spec::digest(&new.spec).map_err(unnamed)?;
    let desk = engine.desk;
    let (given, request_id) = (new.spec.clone(), new.request_id.clone());
    if matches!(desk.files(task).spec()?, Stored::Absent) {
        let (spec, chosen) = planned(engine, new)?;
        let now = desk.clock().now();
        let spec = named(spec, digest, desk.clock());
        let mut status = Status::new(task.clone(), now, spec.value.max_attempts);
        if begins == Begins::Later {
            status = status::queued(&status);
        }
        status.spec_digest = Some(digest);
        let kept = spec::digest(&spec).map_err(unnamed)?;
        status.kept_spec_digest = Some(kept).filter(|it| *it != digest);
        let entry = Event {
            actor: engine.actor.clone(),
            action: "task.create".to_owned(),
            subject: format!("task:{task}"),
            request_id,
            detail: json!({ "spec_digest": digest, "repo_path": spec.value.repo_path }),
        };
        let created = match desk.create(task, spec, status, &entry) {
            // Another process has made it meanwhile, and runs it.
            Err(DeskError::Held(_)) if matches!(desk.files(task).spec()?, Stored::Present(_)) => {
                None
            }
            created => created?,
        };
        if let Some(open) = created {
            if let Some(chosen) = chosen {
                story::freeze_plan(engine, &open.spec.value, &chosen)?;
            }
            tell(engine, &open.spec.value);
            return Ok(Some(open));
        }
    }
    check_same(engine, task, &given)?;
    Ok(None)
}

/// Refuses a spec under the id of a task that was made from another.
fn check_same(
    engine: Engine<'_>,
    task: &TaskId,
    given: &RecordFile<TaskSpec>,
) -> Result<(), EngineError> {
    let desk = engine.desk;
    let files = desk.files(task);
    if matches!(files.status()?, Stored::Absent) {
        // Another process is making it: the spec comes first, and is not the one as given.
        desk.look(task)?;
    }
    let known = match files.status()?.present().and_then(|it| it.value.spec_digest) {
        Some(known) => known,
        None => spec::digest(&desk.spec(task)?).map_err(unnamed)?,
    };
    if spec::is_known_by(given, known) { Ok(()) } else { Err(conflict(engine, task)?) }
}

/// Tells the watcher what will run.
fn tell(engine: Engine<'_>, spec: &TaskSpec) {
    let settings = engine.settings;
    let coder = spec.coder.as_deref().or(settings.coder.as_deref()).unwrap_or_default();
    let judge = spec::judge(spec, settings.judge.as_deref()).unwrap_or(TaskSpec::TESTS);
    engine.progress.update(&Update::Created { spec, coder, judge });
}

/// Refuses agents that have no meaning here or cannot work: a slip makes no task.
pub(super) fn check_agents(engine: Engine<'_>, spec: &TaskSpec) -> Result<(), EngineError> {
    let settings = engine.settings;
    let coder = spec.coder.as_deref().or(settings.coder.as_deref());
    let Some(coder) = coder else {
        let own = settings.adapters.keys().next().map_or("claude-code", String::as_str);
        return Err(RunError::NoCoder { name: own.to_owned() }.into());
    };
    let judge = spec::judge(spec, settings.judge.as_deref());
    let judge = judge.map(|it| (it, AgentRole::Judge));
    for (name, role) in [(coder, AgentRole::Coder)].into_iter().chain(judge) {
        let (selected, _) = engine.adapter(&settings.adapters, name, role)?;
        preflight::check(engine, &selected)?;
    }
    Ok(())
}

/// A spec with the names of this run: when it was made, and by what it is traced through logs.
fn named(
    mut spec: RecordFile<TaskSpec>,
    digest: Digest,
    clock: &dyn Clock,
) -> RecordFile<TaskSpec> {
    let text = format!("{digest} {}", clock.millis().0);
    let code = Digest::of_bytes(text.as_bytes()).to_string();
    spec.value.task_code.get_or_insert_with(|| code.chars().take(32).collect());
    spec.value.created_at.get_or_insert_with(|| clock.now().to_string());
    spec
}

/// Refuses a spec that could not be judged, before anything is written.
pub fn check_spec(spec: &TaskSpec) -> Result<(), EngineError> {
    let yardstick = Yardstick::embedded()?;
    check_thresholds(spec, &yardstick.rubric)?;
    Policy::new(spec)?;
    let command = spec.test_cmd.as_deref().unwrap_or_default();
    match refuse_sudo(&parse(command)) {
        Some(finding) => Err(RunError::Refused(Box::new(finding)).into()),
        None => Ok(()),
    }
}

/// A spec that has no canonical form.
fn unnamed(source: DigestError) -> EngineError {
    AuditError::Entry { action: "task.create".to_owned(), source }.into()
}

/// What a person is told whose spec has the id of another.
fn conflict(engine: Engine<'_>, task: &TaskId) -> Result<EngineError, EngineError> {
    let status = engine.desk.look(task)?.status.value;
    let facts = facts::of_step(&status, Role::Coordinator, 0, ErrorClass::TaskIdConflict);
    let decision = decide(&facts);
    Ok(EngineError::Run(RunError::Conflict {
        task: task.clone(),
        message: decision.message,
        questions: decision.questions_for_user,
    }))
}
