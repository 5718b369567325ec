//! The status report for agents and operators, with the field names that they know.
//!
//! It is computed from the claims log; reading it changes nothing.

use provost_desk::Desk;
use provost_kernel::{
    Message, Timestamp,
    message::Phrase,
    story::{BranchName, Execution, ExecutionStatus, ExecutionSummary, PlanPriority},
};
use provost_rules_story::{progress, standing};
use provost_store::Listed;
use serde::Serialize;

use super::{
    StoryError,
    freshness::Freshness,
    read::{StatusOfStory, mark_stale, of_story},
};

/// How many plans of history are shown by default, and at most.
const HISTORY: usize = 10;
const MOST_HISTORY: usize = 1000;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct StatusFilter {
    pub project: Option<String>,
    pub status: Option<ExecutionStatus>,
    pub history_limit: Option<u64>,
    pub page: StatusPage,
}

/// The plans that a report lists. Only these are looked at in full, however many there are.
#[derive(Clone, Copy, Debug, Default)]
pub struct StatusPage {
    pub first: usize,
    pub most: usize,
}

/// How far everything is.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusReport {
    /// What is going on, the one that changed last first: the page that was asked for.
    pub executions: Vec<StatusRow>,
    /// How many there are on all pages.
    #[serde(skip)]
    pub n_executions: usize,
    /// Plans that can be claimed, the most important first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ready_queue: Vec<QueuedPlan>,
    pub summary: Summary,
    /// `never_run`, `active` or `all_done`.
    pub overall_state: &'static str,
    pub history: Vec<PastPlan>,
    pub stats: Stats,
    /// STORY-6.3.
    pub first_submissions: Submissions,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<Phrase>,
}

/// How far one plan is, with the original's names.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusRow {
    pub execution_id: String,
    pub project: String,
    pub branch: String,
    pub description: String,
    pub priority: PlanPriority,
    pub status: ExecutionStatus,
    /// `1/4 US`.
    pub progress: String,
    pub completed_stories: usize,
    /// Those of them that were proven on another tree than the one in the worktree.
    pub stale_stories: usize,
    pub total_stories: usize,
    /// `7/21 AC`, or `No AC`.
    pub ac_progress: String,
    pub worktree_path: Option<String>,
    pub agent_task_id: Option<String>,
    pub last_activity: Timestamp,
    pub created_at: Timestamp,
    pub loop_count: u32,
    pub consecutive_no_progress: u32,
    pub consecutive_errors: u32,
    pub last_error: Option<String>,
    pub is_interrupted: bool,
    pub interrupt_reason: Option<String>,
    pub stories: Vec<StatusOfStory>,
}

/// A plan that can be claimed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuedPlan {
    // The order of the fields is that of the queue.
    pub priority: PlanPriority,
    pub created_at: Timestamp,
    pub branch: String,
    pub description: String,
}

/// How many plans have which status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub total: usize,
    pub pending: usize,
    pub ready: usize,
    pub starting: usize,
    pub running: usize,
    pub completed: usize,
    pub failed: usize,
    pub interrupted: usize,
    pub stopped: usize,
    pub at_risk: usize,
}

/// A plan of history.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PastPlan {
    pub branch: String,
    pub description: String,
    pub status: ExecutionStatus,
    pub merged_at: Option<Timestamp>,
    pub merge_commit_sha: Option<String>,
    pub created_at: Timestamp,
}

/// How plans of history ended.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Stats {
    #[serde(rename = "totalExecuted")]
    pub executed: usize,
    #[serde(rename = "totalMerged")]
    pub merged: usize,
    #[serde(rename = "totalFailed")]
    pub failed: usize,
}

/// How many stories had complete evidence at their first submission.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Submissions {
    pub complete: u64,
    pub submitted: u64,
    pub percent: Option<u64>,
    pub text: Phrase,
}

/// How far everything is that the filter lets through.
pub fn status_report(
    desk: &Desk,
    freshness: &Freshness,
    filter: &StatusFilter,
) -> Result<StatusReport, StoryError> {
    let stories = desk.stories()?;
    let store = stories.store();
    let is_wanted =
        |it: &Execution| filter.project.as_ref().is_none_or(|project| it.project == *project);
    let listed = |which| -> Result<Vec<Execution>, StoryError> {
        Ok(store.records(which)?.into_iter().filter(is_wanted).collect())
    };
    let (active, past) = (listed(Listed::Active)?, listed(Listed::Archived { limit: u32::MAX })?);
    let first = store.first_submissions()?;
    let first = progress::FirstSubmissions { complete: first.complete, submitted: first.submitted };
    let limit =
        filter.history_limit.map_or(HISTORY, |it| usize::try_from(it).unwrap_or(usize::MAX));
    let has_status = |status| filter.status.is_none_or(|it| it == status);
    let shown: Vec<&Execution> = active.iter().filter(|it| has_status(it.status)).collect();
    let mut rows = Vec::new();
    for execution in shown.iter().copied().skip(filter.page.first).take(filter.page.most) {
        let stories_of = store.story_counts(&execution.id)?;
        let summary = ExecutionSummary { execution: execution.clone(), stories: stories_of };
        let mut row = row(&summary);
        mark_stale(desk, &stories, freshness, execution, &mut row.stories)?;
        row.stale_stories = row.stories.iter().filter(|it| it.stale.is_some()).count();
        rows.push(row);
    }
    Ok(StatusReport {
        ready_queue: if has_status(ExecutionStatus::Ready) { queue(&active) } else { Vec::new() },
        summary: summary(&active),
        overall_state: standing::overall(active.iter().map(|it| it.status), !past.is_empty()),
        suggestions: active.iter().filter_map(suggestion).collect(),
        n_executions: shown.len(),
        executions: rows,
        stats: stats(&past),
        history: past.into_iter().take(limit.min(MOST_HISTORY)).map(of_past).collect(),
        first_submissions: Submissions {
            complete: first.complete,
            submitted: first.submitted,
            percent: first.percent(),
            text: Phrase(first.text()),
        },
    })
}

fn row(summary: &ExecutionSummary) -> StatusRow {
    let (proven, total) = (summary.n_proven(), summary.stories.len());
    let (passing, criteria) = summary.criteria();
    let execution = &summary.execution;
    let progress = &execution.progress;
    let is_interrupted = execution.status == ExecutionStatus::Interrupted;
    StatusRow {
        execution_id: execution.id.to_string(),
        project: execution.project.clone(),
        branch: execution.branch.to_string(),
        description: execution.description.clone(),
        priority: execution.priority,
        status: execution.status,
        progress: format!("{proven}/{total} US"),
        completed_stories: proven,
        stale_stories: 0,
        total_stories: total,
        ac_progress: match criteria {
            0 => "No AC".to_owned(),
            _ => format!("{passing}/{criteria} AC"),
        },
        worktree_path: execution.worktree_path.clone(),
        agent_task_id: execution.agent_task_id.clone(),
        last_activity: execution.updated_at,
        created_at: execution.created_at,
        loop_count: progress.loop_count,
        consecutive_no_progress: progress.consecutive_no_progress,
        consecutive_errors: progress.consecutive_errors,
        last_error: progress.last_error.clone(),
        is_interrupted,
        interrupt_reason: execution.status_reason.clone().filter(|_| is_interrupted),
        stories: summary.stories.iter().map(of_story).collect(),
    }
}

fn queue(active: &[Execution]) -> Vec<QueuedPlan> {
    let ready = active.iter().filter(|it| it.status == ExecutionStatus::Ready);
    let mut queue: Vec<QueuedPlan> = ready
        .map(|it| QueuedPlan {
            priority: it.priority,
            created_at: it.created_at,
            branch: it.branch.to_string(),
            description: it.description.clone(),
        })
        .collect();
    queue.sort();
    queue
}

fn summary(active: &[Execution]) -> Summary {
    let count = |status| active.iter().filter(|it| it.status == status).count();
    let is_at_risk = |it: &&Execution| standing::risk(&it.progress).is_some();
    Summary {
        total: active.len(),
        pending: count(ExecutionStatus::Pending),
        ready: count(ExecutionStatus::Ready),
        starting: count(ExecutionStatus::Starting),
        running: count(ExecutionStatus::Running),
        completed: count(ExecutionStatus::Completed),
        failed: count(ExecutionStatus::Failed),
        interrupted: count(ExecutionStatus::Interrupted),
        stopped: count(ExecutionStatus::Stopped),
        at_risk: active.iter().filter(is_at_risk).count(),
    }
}

#[derive(Message)]
#[message(
    code = "story.suggestion",
    en = "`{branch}` is {status}: an operator can resume it with `ralph_retry`",
    zh = "`{branch}` 状态为 {status}：操作员可用 `ralph_retry` 重试"
)]
struct Resumable<'a> {
    branch: &'a BranchName,
    status: ExecutionStatus,
}

fn suggestion(execution: &Execution) -> Option<Phrase> {
    let (status, branch) = (execution.status, &execution.branch);
    let is_down = matches!(status, ExecutionStatus::Failed | ExecutionStatus::Interrupted);
    is_down.then(|| Phrase::of(&Resumable { branch, status }))
}

fn of_past(execution: Execution) -> PastPlan {
    PastPlan {
        branch: execution.branch.to_string(),
        description: execution.description,
        status: execution.status,
        merged_at: execution.merged_at,
        merge_commit_sha: execution.merge_commit_sha,
        created_at: execution.created_at,
    }
}

fn stats(past: &[Execution]) -> Stats {
    let count = |statuses: &[ExecutionStatus]| {
        past.iter().filter(|it| statuses.contains(&it.status)).count()
    };
    Stats {
        executed: past.len(),
        merged: count(&[ExecutionStatus::Merged]),
        failed: count(&[ExecutionStatus::Failed, ExecutionStatus::Stopped]),
    }
}
