//! The stories of a task: a plan that was frozen with it, and the claims that its attempts hand in.
//!
//! The task itself drives such an execution. It stands in history from its first moment and is
//! found by its own id, so that it is not taken for a plan that people work on by hand. Every
//! attempt starts from the base again; so a claim is measured from there, and what an earlier
//! attempt has proven is run again.

use camino::Utf8Path;
use provost_desk::Desk;
use provost_exec::git::{ObjectId, keep};
use provost_kernel::{
    Message as _, TaskId, Text,
    story::{
        ClaimResult, Declared, DiskRules, EventBody, Execution, ExecutionId, ExecutionProgress,
        ExecutionStatus, Plan, Started, Story, StoryId, StoryName, StoryRow,
    },
};
use provost_rules_story::{declaration, evidence::with_commands_of_plan, plan};
use provost_rules_task::story::Claim;
use provost_vault::story::NewEvent;

use super::{
    StoryError,
    find::{History, find},
    gather::{Again, Subject, gather},
    measure::{declaration_of, measure},
    record::{Answer, Occasion, record},
    trail,
    update::refuse,
    worktree_snapshot::{OwnFiles, WorktreeSnapshot},
};
use crate::Engine;

/// A plan that is frozen for a task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freezing<'a> {
    pub(crate) id: &'a ExecutionId,
    pub(crate) task: &'a TaskId,
    /// Where the plan lies in the repository.
    pub(crate) name: &'a str,
    pub(crate) bytes: &'a [u8],
    pub(crate) plan: &'a Plan,
    /// The stories that the task carries out.
    pub(crate) stories: &'a [Story],
    pub(crate) repository: &'a Utf8Path,
    pub(crate) base: &'a ObjectId,
}

/// A plan as it was frozen, and how far its stories are.
#[derive(Clone, Debug)]
pub(crate) struct Frozen {
    pub(crate) execution: Execution,
    pub(crate) plan: Plan,
    /// The stories that the task carries out, in the order of the plan.
    pub(crate) rows: Vec<StoryRow>,
}

/// What an attempt delivered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivered<'a> {
    /// A checkout of exactly that, in which nothing was run.
    pub(crate) tree: &'a Utf8Path,
    /// What the attempt set out from.
    pub(crate) base: &'a ObjectId,
}

/// When the files of an attempt were declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declaring {
    /// Before any of them could change.
    Before,
    /// With the claim.
    WithClaim,
}

/// Records which files an attempt will change, for each of its stories. The answer is their one
/// form, or why they are refused.
pub(crate) fn declare(
    engine: &Engine<'_>,
    id: &ExecutionId,
    stories: &[StoryId],
    files: &[String],
    delivered: Delivered<'_>,
) -> Result<Result<Vec<String>, Text>, StoryError> {
    let parsed = match declaration::parse(files.iter().map(String::as_str)) {
        Ok(parsed) => parsed,
        Err(error) => return Ok(Err(error.text())),
    };
    for story in stories {
        let name = StoryName { of: Some(id.to_string()), story: story.clone() };
        let mut index = engine.desk.stories()?;
        let (execution, row) = find(&index, &name)?;
        let history = History::of(&index, &execution, &row)?;
        let place = Execution { project_root: delivered.tree.to_string(), ..execution.clone() };
        let own = OwnFiles::of(&execution, &history);
        let worktree = WorktreeSnapshot::take(engine, &place, delivered.base.as_str(), &own)?;
        if let Err(error) = declaration::require_narrow(&parsed, &worktree.base) {
            return Ok(Err(error.text()));
        }
        // Where the kernel cannot confine it, a coder may have begun.
        let is_late = !worktree.deltas.is_empty();
        let body = Declared {
            files: parsed.files.clone(),
            tree: Some(worktree.tree.clone()),
            is_late,
            reason: None,
        };
        let event = NewEvent {
            at: engine.desk.clock().now(),
            execution_id: execution.id.clone(),
            story_id: Some(row.story_id.clone()),
            body: EventBody::Declared(body),
        };
        trail::keep(engine.desk, engine.actor, &index.record(event)?)?;
    }
    Ok(Ok(parsed.files))
}

/// Freezes a plan; one that is frozen already stays as it is.
pub(crate) fn freeze(engine: &Engine<'_>, freezing: Freezing<'_>) -> Result<(), StoryError> {
    let Freezing { id, task, name, bytes, plan, stories: chosen, repository, base } = freezing;
    let mut stories = engine.desk.stories()?;
    if stories.store().execution(id)?.is_some() {
        return Ok(());
    }
    let now = engine.desk.clock().now();
    let digest = stories.files().keep_plan(bytes)?;
    let execution = Execution {
        id: id.clone(),
        project: repository.file_name().unwrap_or("/").to_owned(),
        // An id of a task is always one part of a branch.
        branch: format!("task/{task}").parse().unwrap_or_else(|_| plan.branch.clone()),
        description: plan.description.clone(),
        priority: plan.priority,
        prd_path: name.to_owned(),
        plan_digest: Some(digest),
        project_root: repository.to_string(),
        worktree_path: None,
        base_commit_sha: Some(base.as_str().to_owned()),
        // Its checkouts are ours.
        disk: DiskRules::default(),
        rebased: std::collections::BTreeMap::new(),
        status: ExecutionStatus::Starting,
        status_reason: None,
        agent_task_id: Some(task.to_string()),
        dependencies: plan.dependencies.clone(),
        progress: ExecutionProgress::default(),
        is_archived: true,
        merged_at: None,
        merge_commit_sha: None,
        created_at: now,
        updated_at: now,
    };
    keep::base(&engine.git(), repository.as_std_path(), id, base)?;
    let started = Started { execution, stories: chosen.to_vec(), bases: Vec::new() };
    let body = EventBody::Started(Box::new(started));
    let event = NewEvent { at: now, execution_id: id.clone(), story_id: None, body };
    // Only the holder of the task's lock freezes its plan.
    trail::keep(engine.desk, engine.actor, &stories.record(event)?)?;
    Ok(())
}

/// The plan that was frozen under this id, if there is one.
pub(crate) fn frozen(desk: &Desk, id: &ExecutionId) -> Result<Option<Frozen>, StoryError> {
    let stories = desk.stories()?;
    let Some(execution) = stories.store().execution(id)? else { return Ok(None) };
    let Some(digest) = execution.plan_digest else { return Ok(None) };
    let bytes = stories.files().plan(digest)?;
    let plan = plan::read(&execution.prd_path, &bytes)?;
    let rows = stories.store().stories(id)?;
    Ok(Some(Frozen { execution, plan, rows }))
}

/// Checks claims as an update is checked: measured, run again, judged and recorded, each in turn.
pub(crate) fn prove(
    engine: &Engine<'_>,
    id: &ExecutionId,
    delivered: Delivered<'_>,
    claims: &[Claim],
    declaring: Declaring,
) -> Result<Vec<Answer>, StoryError> {
    // Everything of the first one is run, also what earlier attempts have left; what the others
    // share with it, on the same tree, need not run again.
    let again = std::iter::once(Again::Everything).chain(std::iter::repeat(Again::Needed));
    let pairs = claims.iter().zip(again);
    let prove = |(claim, again): (&Claim, Again)| {
        let story = claim.update.story_id.clone();
        let name = StoryName { of: Some(id.to_string()), story };
        prove_one(engine, &name, delivered, claim, again, declaring)
    };
    pairs.map(prove).collect()
}

fn prove_one(
    engine: &Engine<'_>,
    name: &StoryName,
    delivered: Delivered<'_>,
    claim: &Claim,
    again: Again,
    declaring: Declaring,
) -> Result<Answer, StoryError> {
    let stories = engine.desk.stories()?;
    let (execution, row) = find(&stories, name)?;
    let story = row.story();
    let update = with_commands_of_plan(&story, &claim.update);
    let history = History::of(&stories, &execution, &row)?;
    // All stories of an attempt are one change: each is measured from where the attempt set out.
    let place = Execution { project_root: delivered.tree.to_string(), ..execution.clone() };
    let own = OwnFiles::of(&execution, &history);
    let worktree = WorktreeSnapshot::take(engine, &place, delivered.base.as_str(), &own)?;
    // Every attempt begins its work anew, so each has its own. What was declared before the work
    // is on record, and a claim adds nothing to it.
    let declared = match (declaring, declaration_of(&update, &worktree)) {
        (Declaring::Before, Ok(_)) => None,
        (Declaring::WithClaim, Ok(declared)) => declared,
        (_, Err(finding)) => {
            let sent = claim.sent.to_string();
            return refuse(engine, Some(name), sent.as_bytes(), vec![finding]);
        }
    };
    let mut facts = measure(engine, (&execution, &worktree), &history, &update, declared)?;
    let is_taken = facts.judge(&row, &update).result == ClaimResult::Accept;
    if is_taken && update.claims_something() {
        let kept = &row.evidence;
        let subject = Subject {
            execution: &execution,
            story: &story,
            update: &update,
            kept,
            again,
            gates: None,
        };
        facts.gathered = gather(engine, &stories, &worktree, subject)?;
    }
    drop(stories);
    record((engine.desk, engine.actor), name, &update, &Occasion::Update(claim.sent.clone()), facts)
}
