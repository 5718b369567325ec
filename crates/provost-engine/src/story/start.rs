//! The start of a plan: read, kept, and its base named, before anybody works on it.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use provost_exec::git::{keep, read};
use provost_kernel::{
    Finding, Message, Severity,
    story::{
        BaseRun, EventBody, Execution, ExecutionId, ExecutionProgress, ExecutionStatus, Plan,
        Started, Story, VerifyOnBase,
    },
};
use provost_rules_story::{gates, plan, proof};
use provost_store::Listed;
use provost_vault::story::NewEvent;
use uuid::Uuid;

use super::{
    StoryError,
    proof_runner::ProofRunner,
    trail,
    worktree_snapshot::{OwnFiles, WorktreeSnapshot},
};
use crate::Engine;

/// What is started.
#[derive(Clone, Copy, Debug)]
pub struct Starting<'a> {
    /// The name of the plan's file, which also says its format.
    pub name: &'a str,
    pub bytes: &'a [u8],
    /// The root of the repository in which the work is done, without links.
    pub project: &'a Utf8Path,
    pub dependencies: Dependencies,
}

/// What becomes of plans that come first and are not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependencies {
    Required,
    Ignored,
}

/// Starts a plan. The answer is the execution, and the plan with what was noticed.
pub fn start(engine: &Engine<'_>, starting: Starting<'_>) -> Result<(Execution, Plan), StoryError> {
    let Starting { name, bytes, project, dependencies } = starting;
    let mut plan = plan::read(name, bytes)?;
    let mut stories = engine.desk.stories()?;
    let last = stories.last()?;
    let active = stories.store().records(Listed::Active)?;
    if active.iter().any(|it| it.branch == plan.branch) {
        return Err(StoryError::Taken { branch: plan.branch });
    }
    let is_done = |branch: &str| -> Result<bool, StoryError> {
        let Ok(branch) = branch.parse() else { return Ok(false) };
        let found = stories.store().execution_of_branch(&branch)?;
        Ok(found.is_some_and(|it| {
            matches!(it.status, ExecutionStatus::Completed | ExecutionStatus::Merged)
        }))
    };
    let mut open = Vec::new();
    for it in &plan.dependencies {
        if !is_done(it)? {
            open.push(it.clone());
        }
    }
    if dependencies == Dependencies::Required && !open.is_empty() {
        return Err(StoryError::Waiting { branch: plan.branch, on: open });
    }
    let git = engine.git();
    let commit = read::commit(&git, project.as_std_path(), "HEAD")?;
    let id: ExecutionId = Uuid::new_v4().to_string().parse().map_err(StoryError::ExecutionId)?;
    let now = engine.desk.clock().now();
    let digest = stories.files().keep_plan(bytes)?;
    let execution = Execution {
        id: id.clone(),
        project: project.file_name().unwrap_or("/").to_owned(),
        branch: plan.branch.clone(),
        description: plan.description.clone(),
        priority: plan.priority,
        prd_path: name.to_owned(),
        plan_digest: Some(digest),
        project_root: project.to_string(),
        worktree_path: None,
        base_commit_sha: Some(commit.as_str().to_owned()),
        disk: WorktreeSnapshot::disk_rules(engine, project, commit.as_str())?,
        rebased: BTreeMap::new(),
        status: ExecutionStatus::Starting,
        status_reason: None,
        agent_task_id: None,
        dependencies: plan.dependencies.clone(),
        progress: ExecutionProgress::default(),
        is_archived: false,
        merged_at: None,
        merge_commit_sha: None,
        created_at: now,
        updated_at: now,
    };
    let worktree = WorktreeSnapshot::take(
        engine,
        &execution,
        commit.as_str(),
        &OwnFiles::default().with(bytes),
    )?;
    plan.notices.extend(unfinished(worktree.deltas.len()));
    let (notices, bases) = fix_needs(engine, &worktree, &id, &mut plan.stories)?;
    plan.notices.extend(notices);
    keep::base(&git, project.as_std_path(), &id, &commit)?;
    let started = Started { execution: execution.clone(), stories: plan.stories.clone(), bases };
    let body = EventBody::Started(Box::new(started));
    let event = NewEvent { at: now, execution_id: id, story_id: None, body };
    trail::keep(engine.desk, engine.actor, &stories.record_after(last, event)?)?;
    Ok((execution, plan))
}

/// Fixes what every criterion needs. The command that a plan names for one is run on the base: one
/// that passes there can only go on passing, and the author is told. It need not run there again.
fn fix_needs(
    engine: &Engine<'_>,
    worktree: &WorktreeSnapshot,
    execution: &ExecutionId,
    stories: &mut [Story],
) -> Result<(Vec<Finding>, Vec<BaseRun>), StoryError> {
    let (mut notices, mut bases) = (Vec::new(), Vec::new());
    let mut ended: BTreeMap<String, VerifyOnBase> = BTreeMap::new();
    let commands = stories.iter().flat_map(|it| &it.criteria).filter_map(|it| it.verify.clone());
    let commands: BTreeSet<String> = commands.collect();
    if let Some(first) = stories.first().filter(|_| !commands.is_empty()) {
        let mut runner = ProofRunner::open(engine, worktree, execution, &first.id)?;
        let gates = worktree.with_gate_base(|base| gates::plan(&engine.settings.gates, base, &[]));
        let at_root: Vec<(&str, &str)> = commands.iter().map(|it| (it.as_str(), "")).collect();
        runner.share_builds(&gates, &at_root);
        for command in commands {
            let (before, kept) = runner.run_on_base(&command)?;
            ended.insert(command, before);
            bases.extend(kept);
        }
    }
    for story in stories {
        for criterion in &mut story.criteria {
            let before = criterion.verify.as_ref().and_then(|it| ended.get(it)).copied();
            let is_open = criterion.need.is_none();
            if let (Some(VerifyOnBase::Green), Some(command), true) =
                (before, &criterion.verify, is_open)
            {
                let subject = format!("{} {}", story.id, criterion.id);
                let notice = GreenOnBase { command: command.clone() };
                notices.push(Finding::new("VERIFY_GREEN", Severity::P2, subject, &notice));
            }
            criterion.need = Some(proof::need(criterion, before));
        }
    }
    Ok((notices, bases))
}

#[derive(Message)]
#[message(
    code = "story.green_on_base",
    en = "`{command}` passes before any work: the criterion only has to go on passing",
    zh = "`{command}` 在开始工作之前就已通过：该标准只需继续通过",
    hint(
        en = "write a check that fails now, if the work should make it pass",
        zh = "如果工作应使其通过，请写一个现在会失败的检查",
    )
)]
struct GreenOnBase {
    command: String,
}

#[derive(Message)]
#[message(
    code = "story.not_clean",
    en = "{files} {files:file differs|files differ} from the last commit and will count as work of a story",
    zh = "{files} 个文件与最近的提交不同，将计入故事的改动",
    hint(en = "commit them first", zh = "请先提交")
)]
struct NotClean {
    files: usize,
}

/// Uncommitted changes at the start count as work of the first story.
fn unfinished(files: usize) -> Option<Finding> {
    (files > 0).then(|| Finding::new("START_NOT_CLEAN", Severity::P2, "HEAD", &NotClean { files }))
}
