//! Putting a result onto a branch, and taking it back.
//!
//! Three writes, in this order: the order with its entry in the audit chain, which names the commit;
//! the branch; the state that says that it has moved. A process that is killed in between leaves a
//! landing that is pending, and the next one finds out from the branch what became of it. Until the
//! order, nothing but names of provost's own is written into the repository.

mod checks;
mod making;
mod proof;
mod record;
mod site;
mod undo;

use std::path::Path;

use provost_desk::task::OpenTask;
use provost_exec::git::{Git, ObjectId, history, own::Own};
use provost_kernel::{
    AttemptNumber, TaskId,
    task::{LandMethod, Landing, Order, ProofLabel, Status, TaskSpec, TestProof},
};
use provost_rules_task::{
    accept,
    landing::{self, Credits, LandError, Stage},
};
use provost_vault::{AttemptFile, RealDisk, read_record, task::read_tail};
use serde::Serialize;

pub use self::undo::undo;
use self::{
    making::{Made, Prepared, commit, prepare, tidy_up},
    record::{order, put, recover},
    site::Site,
};
use crate::{Engine, EngineError, story::StoryError};

/// What a person asks for.
#[derive(Clone, Copy, Debug)]
pub struct LandRequest<'a> {
    /// How; none leaves it to the configuration.
    pub method: Option<LandMethod>,
    /// A new branch; none for the one that the task set out from.
    pub branch: Option<&'a str>,
    pub consent: Consent,
}

/// Whether the person said that the result is good, here and now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    Given,
    NotGiven,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LandReport {
    pub task_id: TaskId,
    pub outcome: LandOutcome,
    pub branch: String,
    pub commit: String,
    pub method: LandMethod,
    /// How many commits the branch had moved on.
    pub behind: u64,
    /// What is proven of the tree that landed; none where that is not known any more.
    pub proof: Option<ProofLabel>,
    /// Whether the merge was proven anew.
    pub is_proven_again: bool,
    pub by: String,
    pub agent: Option<String>,
}

/// What `land` did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LandOutcome {
    Landed,
    /// It had landed before, and nothing was done now.
    AlreadyLanded,
    /// The branch had moved, and an earlier run could not say so any more.
    Recorded,
    Undone,
}

/// The result of an attempt.
struct Delivered {
    attempt: AttemptNumber,
    commit: ObjectId,
    base: ObjectId,
    proof: Option<TestProof>,
}

/// The largest file that holds the id of a commit.
const ID: u64 = 1024;

/// The branch that a task lands on.
pub fn destination(
    engine: Engine<'_>,
    task: &TaskId,
    branch: Option<&str>,
) -> Result<String, EngineError> {
    let spec = engine.desk.spec(task)?.value;
    let git = engine.git();
    let own = own(&git, engine, &spec);
    site::destination(&own, &spec, branch)
}

/// Puts the newest result of a task onto a branch.
pub fn land(
    engine: Engine<'_>,
    task: &TaskId,
    request: &LandRequest<'_>,
) -> Result<LandReport, EngineError> {
    let mut open = engine.desk.hold(task)?;
    open.apply_orders()?;
    let git = engine.git();
    let spec = open.spec.value.clone();
    let own = own(&git, engine, &spec);
    let is_recorded = recover(engine, &mut open, &own)?;
    match stage(&open.status.value, &own, request)? {
        Stage::Landed => return Ok(known(engine, &open, is_recorded)),
        Stage::Unconfirmed if request.consent == Consent::NotGiven => {
            return Err(LandError::NotApproved { task: task.clone() }.into());
        }
        Stage::Unconfirmed | Stage::Approved | Stage::Unfinished => {}
    }
    let concerns = engine.desk.open_concerns(&open.status.value)?;
    if !concerns.is_empty() {
        return Err(LandError::OpenConcern { task: task.clone(), open: concerns }.into());
    }
    let landed = put_newest(engine, &mut open, &own, request);
    tidy_up(engine, &open, &own)?;
    landed
}

/// Whether the newest result may land. One that its branch has lost, or that is wanted on another
/// branch, has not landed.
fn stage(status: &Status, own: &Own<'_>, request: &LandRequest<'_>) -> Result<Stage, EngineError> {
    let stage = landing::stage(status)?;
    let (Stage::Landed, Some(landed)) = (stage, &status.landed) else { return Ok(stage) };
    let is_elsewhere = request.branch.is_some_and(|it| it != landed.branch);
    let is_there = match (own.tip(&landed.branch)?, landed.put.commit.parse::<ObjectId>()) {
        (Some(tip), Ok(commit)) => {
            own.resolve(commit.as_str())?.is_some()
                && history::is_before(own.git, own.repository, &commit, &tip)?
        }
        _ => false,
    };
    if is_there && !is_elsewhere {
        return Ok(Stage::Landed);
    }
    Ok(landing::stage(&Status { landed: None, ..status.clone() })?)
}

/// Puts the newest result onto its branch: merged, proven, committed, ordered, moved, recorded.
fn put_newest(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    own: &Own<'_>,
    request: &LandRequest<'_>,
) -> Result<LandReport, EngineError> {
    let (task, spec) = (open.task(), open.spec.value.clone());
    let delivered = delivered(engine, open, own)?;
    let site = Site::find(own, &spec, &delivered.base, request.branch)?;
    let identity = own.identity()?.ok_or(LandError::NoIdentity)?;
    site.check_clean()?;
    let prepared = prepare(engine, open, &site, &delivered)?;
    let method = request.method.unwrap_or(engine.settings.land_method);
    let agent = spec.coder.clone().or_else(|| engine.settings.coder.clone());
    let accepted: Vec<String> =
        accept::of_attempt(&open.status.value.accepted, delivered.attempt.get())
            .map(|it| it.finding.clone())
            .collect();
    let credits =
        Credits { task, agent: agent.as_deref(), proof: prepared.label, accepted: &accepted };
    let message = landing::message(&spec.goal, &credits);
    let parents: &[&ObjectId] = match method {
        LandMethod::Squash | LandMethod::Rebase => &[&site.onto],
        LandMethod::Merge => &[&site.onto, &delivered.commit],
    };
    let written = match method {
        LandMethod::Rebase => own.written(&delivered.commit)?,
        LandMethod::Squash | LandMethod::Merge => None,
    };
    let made = Made { parents, message: &message, written };
    let commit = commit(own, &prepared.clone, &prepared.tree, &made, task)?;
    // A proof takes its time: what was looked at before may be different by now.
    site.check_still()?;
    site.check_free(&prepared.places)?;
    if landing::stage(&open.status.value)? == Stage::Unconfirmed {
        order(engine, open, Order::Approve)?;
    }
    let land = Order::Land {
        attempt: delivered.attempt.get(),
        branch: site.branch.clone(),
        method,
        commit: commit.to_string(),
        before: site.tip.as_ref().map(ToString::to_string),
    };
    order(engine, open, land)?;
    put(engine, open, &site, &commit)?;
    let Prepared { label, behind, is_proven_again, .. } = prepared;
    Ok(LandReport {
        task_id: task.clone(),
        outcome: LandOutcome::Landed,
        branch: site.branch.clone(),
        commit: commit.to_string(),
        method,
        behind,
        proof: Some(label),
        is_proven_again,
        by: identity.name,
        agent,
    })
}

/// The git of the person, in the repository of a task.
fn own<'a>(git: &'a Git, engine: Engine<'a>, spec: &'a TaskSpec) -> Own<'a> {
    Own { git, variables: engine.variables, repository: Path::new(&spec.repo_path) }
}

/// What is known of a task that has landed.
fn known(engine: Engine<'_>, open: &OpenTask<'_>, is_recorded: bool) -> LandReport {
    let status = &open.status.value;
    let landing = status.landed.as_ref();
    let text = |of: &dyn Fn(&Landing) -> String| landing.map(of).unwrap_or_default();
    LandReport {
        task_id: status.task_id.clone(),
        outcome: if is_recorded { LandOutcome::Recorded } else { LandOutcome::AlreadyLanded },
        branch: text(&|it| it.branch.clone()),
        commit: text(&|it| it.put.commit.clone()),
        method: landing.map(|it| it.method).unwrap_or_default(),
        behind: 0,
        proof: None,
        is_proven_again: false,
        by: text(&|it| it.put.actor.id.clone()),
        agent: open.spec.value.coder.clone().or_else(|| engine.settings.coder.clone()),
    }
}

/// The newest result: what the name stands for, if that is what the attempt delivered.
fn delivered(
    engine: Engine<'_>,
    open: &OpenTask<'_>,
    own: &Own<'_>,
) -> Result<Delivered, EngineError> {
    let (task, layout) = (open.task(), engine.desk.layout());
    let number = open.status.value.current_attempt;
    let reference = format!("refs/provost/attempts/{task}/{number}");
    let stale = || LandError::Stale { task: task.clone(), reference: reference.clone() };
    let attempt = AttemptNumber::try_from(number).map_err(|_| stale())?;
    let at = layout.attempt_file(task, attempt, AttemptFile::HeadCommit);
    let recorded = read_tail(&RealDisk, &at, ID)?;
    let commit = own.resolve(&reference)?.ok_or_else(stale)?;
    if commit.as_str() != recorded.trim() {
        return Err(stale().into());
    }
    let base = own.resolve(&format!("{commit}^1"))?.ok_or_else(stale)?;
    let at = layout.attempt_file(task, attempt, AttemptFile::TestProof);
    let proof = read_record::<_, TestProof>(&RealDisk, &at)?.present().map(|it| it.value);
    Ok(Delivered { attempt, commit, base, proof })
}

/// Ends a landing for which a signal came while something was run.
fn check_interrupt(engine: Engine<'_>) -> Result<(), EngineError> {
    match engine.interrupt.signal() {
        Some(_) => Err(StoryError::Interrupted.into()),
        None => Ok(()),
    }
}
