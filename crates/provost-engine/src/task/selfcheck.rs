//! Whether the tasks of a home are what they say they are (LOOP-B20), and whether provost itself
//! works from end to end (LOOP-B23).
//!
//! The look over a home only reads: what it finds is said and never repaired.

mod attempt;
mod findings;
mod gate;
mod lock;
mod replay;
mod vectors;

use std::{collections::BTreeSet, thread::sleep, time::Duration};

use provost_desk::Desk;
use provost_kernel::{
    Finding, RecordFile, Severity, TaskId,
    task::{FinalSummary, IndexEntry, PauseCode, State, Status, TaskSpec},
};
use provost_rules_task::selfcheck;
use provost_vault::{
    Action, Disk as _, FileError, Kind, RealDisk, Stored, audit, is_present, read_json, task::index,
};
use serde_json::Value;

use self::{
    findings::{Defect, Findings},
    lock::{Runner, runner},
};
pub use self::{
    gate::{GATE_CODER, Proof, gate},
    replay::{Replay, replay, replay_with},
    vectors::{DECISIONS, VectorError, decision_vectors, verdict_vectors},
};
use crate::EngineError;

/// What a look over a home found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Examination {
    /// Every task, in the order of their names.
    pub tasks: Vec<Examined>,
    /// What belongs to no single task: the index and the audit chain.
    pub shared: Vec<Finding>,
}

/// A task, and what does not hold of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examined {
    pub task: TaskId,
    pub findings: Vec<Finding>,
}

/// The fields that a status always has.
const STATUS_FIELDS: [&str; 11] = [
    "task_id",
    "state",
    "updated_at",
    "current_attempt",
    "max_attempts",
    "pause_flag",
    "last_decision",
    "message",
    "questions_for_user",
    "pause_category",
    "pause_reason_code",
];
/// The fields that older versions did not write.
const LATER_STATUS_FIELDS: [&str; 2] = ["state_version", "effective_max_attempts"];

/// How often a task is looked at while somebody writes it, and how long apart.
const LOOKS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(60);

/// Looks over every task of a home; changes nothing.
pub fn examine(desk: &Desk) -> Result<Examination, EngineError> {
    let mut shared = Findings::new();
    let (entries, unreadable) = index(&RealDisk, desk.layout())?;
    for at in unreadable {
        let path = at.path();
        shared.add(Severity::P1, path.as_str(), &Defect::UnreadableEntry);
    }
    let mut tasks: BTreeSet<TaskId> = entries.into_iter().map(|it| it.task_id).collect();
    tasks.extend(folders(desk)?);
    let mut examined = Vec::new();
    for task in tasks {
        let findings = examine_patiently(desk, &task)?;
        examined.push(Examined { task, findings });
    }
    let report = audit::verify(&RealDisk, desk.layout())?;
    for problem in &report.problems {
        shared.add(Severity::P0, "audit", &Defect::Audit(problem.text()));
    }
    Ok(Examination { tasks: examined, shared: shared.list })
}

impl Examination {
    /// Everything that was found, with the task it was found in.
    pub fn findings(&self) -> impl Iterator<Item = (Option<&TaskId>, &Finding)> {
        let of_tasks = self
            .tasks
            .iter()
            .flat_map(|it| it.findings.iter().map(|found| (Some(&it.task), found)));
        of_tasks.chain(self.shared.iter().map(|it| (None, it)))
    }

    /// Whether nothing was found but remarks.
    pub fn passed(&self) -> bool {
        self.findings().all(|(_, it)| it.severity > Severity::P1)
    }
}

/// The tasks that have a folder.
fn folders(desk: &Desk) -> Result<Vec<TaskId>, EngineError> {
    let out = desk.layout().out();
    let names = match RealDisk.list(&out) {
        Ok(names) => names,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(source) => {
            return Err(FileError { action: Action::List, path: out.path(), source }.into());
        }
    };
    let is_folder = |task: &TaskId| {
        RealDisk.stat(&desk.layout().task(task)).is_ok_and(|it| it.kind == Kind::Folder)
    };
    Ok(names.iter().filter_map(|it| it.parse().ok()).filter(is_folder).collect())
}

/// Looks at a task; one that somebody writes just now is looked at again.
fn examine_patiently(desk: &Desk, task: &TaskId) -> Result<Vec<Finding>, EngineError> {
    let mut looks = 1;
    loop {
        let before = version(desk, task)?;
        let findings = examine_task(desk, task)?;
        let is_moving = runner(desk, task)?.is_alive() || before != version(desk, task)?;
        if findings.is_empty() || !is_moving || looks == LOOKS {
            return Ok(findings);
        }
        looks += 1;
        sleep(PAUSE);
    }
}

fn version(desk: &Desk, task: &TaskId) -> Result<Option<u64>, FileError> {
    Ok(desk.files(task).status()?.present().map(|it| it.value.state_version))
}

/// What does not hold of one task at this moment.
fn examine_task(desk: &Desk, task: &TaskId) -> Result<Vec<Finding>, EngineError> {
    let mut findings = Findings::new();
    let files = desk.files(task);
    let layout = desk.layout();
    let spec = findings.present(files.spec()?, "task.json");
    let has_any = [layout.task_spec(task), layout.status(task), layout.index_entry(task)];
    if !has_any.iter().any(is_present) {
        findings.add(Severity::P2, task.as_str(), &Defect::NoTask);
        return Ok(findings.list);
    }
    if spec.is_none() && !is_present(&layout.task_spec(task)) {
        findings.add(Severity::P1, "task.json", &Defect::Missing);
    }
    let Some(status) = status(desk, task, &mut findings)? else { return Ok(findings.list) };
    let summary: Option<RecordFile<FinalSummary>> =
        findings.present(read_json(&RealDisk, &layout.final_summary(task))?, "final_summary.json");
    let entry: Option<RecordFile<IndexEntry>> = findings.present(files.index_entry()?, "index");
    findings.list.extend(selfcheck::check(
        &status,
        summary.as_ref().map(|it| &it.value),
        entry.as_ref().map(|it| &it.value),
    ));
    check_runner(&mut findings, runner(desk, task)?, &status);
    let spec: Option<TaskSpec> = spec.map(|it| it.value);
    attempt::check(desk, task, spec.as_ref(), &mut findings)?;
    Ok(findings.list)
}

/// The status, if it is there and whole.
fn status(
    desk: &Desk,
    task: &TaskId,
    findings: &mut Findings,
) -> Result<Option<Status>, EngineError> {
    const NAME: &str = "status.json";
    let stored = desk.files(task).status()?;
    if matches!(stored, Stored::Absent) {
        findings.add(Severity::P0, NAME, &Defect::Missing);
        return Ok(None);
    }
    let Some(status) = findings.present(stored, NAME) else { return Ok(None) };
    let written: Option<Value> = read_json(&RealDisk, &desk.layout().status(task))?.present();
    let lacks = |field: &&&str| written.as_ref().is_none_or(|it| it.get(**field).is_none());
    for field in STATUS_FIELDS.iter().filter(lacks) {
        findings.add(Severity::P0, field, &Defect::MissingField);
    }
    for field in LATER_STATUS_FIELDS.iter().filter(lacks) {
        findings.add(Severity::P2, field, &Defect::MissingField);
    }
    if status.value.task_id != *task {
        findings.add(Severity::P0, "task_id", &Defect::OtherTask);
    }
    Ok(Some(status.value))
}

/// A task runs exactly when somebody runs it.
fn check_runner(findings: &mut Findings, runner: Runner, status: &Status) {
    match (status.state, runner) {
        (State::Running, Runner::Nobody | Runner::Gone) if status.is_driven() => {
            let task = status.task_id.clone();
            findings.add(Severity::P0, "lock", &Defect::NotRunning { task });
        }
        (State::Paused, Runner::Gone | Runner::Alive)
            if status.pause_reason_code == Some(PauseCode::Crash) =>
        {
            findings.add(Severity::P1, "lock", &Defect::LockLeft);
        }
        (
            State::Running | State::Paused | State::ReadyForReview | State::Failed,
            Runner::Nobody | Runner::Gone | Runner::Alive,
        ) => {}
    }
}
