//! Everything about one plan, in the shape that agents know (STORY-2.4).

use std::collections::BTreeMap;

use provost_desk::{Desk, story::Stories};
use provost_kernel::{
    Timestamp,
    message::Phrase,
    story::{
        AttemptRecord, Criterion, CriterionId, CriterionStatus, DeclarationRecord, Execution,
        ExecutionStatus, KeptEvidence, StoryId, StoryName, StoryRow,
    },
};
use provost_rules_story::{progress, stale::Stale, standing};
use provost_store::Listed;
use serde::Serialize;

use super::{
    StoryError,
    find::find,
    freshness::{Compared, Freshness},
};
use crate::Engine;

/// A plan with its stories, or with one of them.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanView {
    pub execution: PlanHead,
    /// In the order of their priority.
    pub stories: Vec<StoryView>,
    pub progress: Share,
    pub stagnation: Stagnation,
}

/// What a plan is.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanHead {
    pub id: String,
    pub project: String,
    pub branch: String,
    pub description: String,
    pub prd_path: String,
    pub project_root: String,
    pub worktree_path: Option<String>,
    pub base_commit_sha: Option<String>,
    pub status: ExecutionStatus,
    pub status_reason: Option<String>,
    pub agent_task_id: Option<String>,
    pub dependencies: Vec<String>,
    pub is_archived: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A story as it stands.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryView {
    pub story_id: String,
    pub title: String,
    pub description: String,
    pub acceptance_criteria: Vec<Criterion>,
    pub priority: u32,
    pub passes: bool,
    /// Why it is not known to hold any more, although it was proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<Stale>,
    pub notes: String,
    /// `2/3 AC`.
    pub ac_progress: String,
    /// `US-001 2/3 AC`.
    pub label: Phrase,
    /// By criterion.
    pub ac_status: BTreeMap<CriterionId, CriterionStatus>,
    /// What was claimed of each criterion, and what a look at it came to.
    pub ac_evidence: BTreeMap<CriterionId, KeptEvidence>,
    pub expected_files: Option<Vec<String>>,
    /// Only where one story was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declarations: Option<Vec<DeclarationRecord>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<Vec<AttemptRecord>>,
}

/// How many stories are proven.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Share {
    pub completed: usize,
    pub total: usize,
    pub percentage: usize,
}

/// How the loop of a plan is doing.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stagnation {
    pub loop_count: u32,
    pub consecutive_no_progress: u32,
    pub consecutive_errors: u32,
    pub last_error: Option<String>,
    pub is_at_risk: bool,
    pub risk_reason: Option<Phrase>,
}

/// A plan by its branch or the id of its execution; without a name, the only one there is.
pub fn plan_view(
    desk: &Desk,
    freshness: &Freshness,
    of: Option<&str>,
) -> Result<PlanView, StoryError> {
    let stories = desk.stories()?;
    let execution = execution(&stories, of)?;
    let rows = stories.store().stories(&execution.id)?;
    let compared = freshness.compare(desk, &stories, &execution, &rows)?;
    let shown = rows.iter().map(|it| view(it, &compared)).collect();
    Ok(assemble(execution, &rows, shown))
}

/// One story of a plan, with its declarations and all updates.
pub fn story_view(
    desk: &Desk,
    freshness: &Freshness,
    name: &StoryName,
) -> Result<PlanView, StoryError> {
    let stories = desk.stories()?;
    let (execution, row) = find(&stories, name)?;
    let store = stories.store();
    let rows = store.stories(&execution.id)?;
    let compared = freshness.compare(desk, &stories, &execution, std::slice::from_ref(&row))?;
    let shown = StoryView {
        declarations: Some(store.declarations(&execution.id, &row.story_id)?),
        attempts: Some(store.attempts(&execution.id, &row.story_id)?),
        ..view(&row, &compared)
    };
    Ok(assemble(execution, &rows, vec![shown]))
}

/// The stories of a plan that are not proven yet, in their order.
pub(super) fn open_stories(
    stories: &Stories<'_>,
    execution: &Execution,
) -> Result<Vec<StoryId>, StoryError> {
    let rows = stories.store().stories(&execution.id)?;
    Ok(rows.into_iter().filter(|it| !is_proven(it)).map(|it| it.story_id).collect())
}

/// What the agent of the next open story of a plan is told; none if every story is proven.
pub fn next_prompt(engine: &Engine<'_>, of: &str) -> Result<Option<String>, StoryError> {
    let stories = engine.desk.stories()?;
    let execution = execution(&stories, Some(of))?;
    let open = open_stories(&stories, &execution)?;
    drop(stories);
    let Some(story) = open.into_iter().next() else { return Ok(None) };
    let name = StoryName { of: Some(execution.id.to_string()), story };
    story_prompt(engine, &name).map(Some)
}

/// What the agent of a story is told, with the gates and the limits of its plan's base.
pub fn story_prompt(engine: &Engine<'_>, name: &StoryName) -> Result<String, StoryError> {
    let settings = engine.settings;
    super::read::prompt(engine.desk, name, &settings.gates, settings.limits, settings.language)
}

/// The execution of a branch, or with an id.
pub fn execution_of(desk: &Desk, of: &str) -> Result<Execution, StoryError> {
    execution(&desk.stories()?, Some(of))
}

/// The execution of a branch, or with an id; without a name, the only one that is open.
pub(super) fn execution(stories: &Stories<'_>, of: Option<&str>) -> Result<Execution, StoryError> {
    let store = stories.store();
    let active = || -> Result<Vec<Execution>, StoryError> { Ok(store.records(Listed::Active)?) };
    let branches = |it: &[Execution]| it.iter().map(|it| it.branch.to_string()).collect();
    let Some(of) = of else {
        let mut active = active()?;
        return match active.len() {
            1 => Ok(active.remove(0)),
            0 => Err(StoryError::NoPlan),
            _ => Err(StoryError::SeveralPlans { known: branches(&active) }),
        };
    };
    if let Ok(id) = of.parse()
        && let Some(found) = store.execution(&id)?
    {
        return Ok(found);
    }
    let found = match of.parse() {
        Ok(branch) => store.execution_of_branch(&branch)?,
        Err(_) => None,
    };
    if let Some(found) = found {
        return Ok(found);
    }
    let known = branches(&active()?);
    Err(StoryError::UnknownPlan { name: of.to_owned(), known })
}

fn assemble(execution: Execution, rows: &[StoryRow], stories: Vec<StoryView>) -> PlanView {
    let (completed, total) = (rows.iter().filter(|it| is_proven(it)).count(), rows.len());
    let progress = &execution.progress;
    let risk = standing::risk(progress);
    PlanView {
        stories,
        progress: Share {
            completed,
            total,
            percentage: (completed * 100 + total / 2).checked_div(total).unwrap_or(0),
        },
        stagnation: Stagnation {
            loop_count: progress.loop_count,
            consecutive_no_progress: progress.consecutive_no_progress,
            consecutive_errors: progress.consecutive_errors,
            last_error: progress.last_error.clone(),
            is_at_risk: risk.is_some(),
            risk_reason: risk.map(|it| Phrase::of(&it)),
        },
        execution: PlanHead {
            id: execution.id.to_string(),
            project: execution.project,
            branch: execution.branch.to_string(),
            description: execution.description,
            prd_path: execution.prd_path,
            project_root: execution.project_root,
            worktree_path: execution.worktree_path,
            base_commit_sha: execution.base_commit_sha,
            status: execution.status,
            status_reason: execution.status_reason,
            agent_task_id: execution.agent_task_id,
            dependencies: execution.dependencies,
            is_archived: execution.is_archived,
            created_at: execution.created_at,
            updated_at: execution.updated_at,
        },
    }
}

fn view(row: &StoryRow, compared: &Compared) -> StoryView {
    let done = progress::progress(&row.story(), &row.ac_status);
    StoryView {
        story_id: row.story_id.to_string(),
        title: row.title.clone(),
        description: row.description.clone(),
        acceptance_criteria: row.acceptance_criteria.clone(),
        priority: row.priority,
        passes: is_proven(row),
        stale: compared.stale(row),
        notes: row.notes.clone(),
        ac_progress: format!("{}/{} AC", done.passing, done.total),
        label: Phrase(progress::label(&row.story_id, done)),
        ac_status: compared.shown(row.clone()).ac_status,
        ac_evidence: row.evidence.clone(),
        expected_files: row.expected_files.clone(),
        declarations: None,
        attempts: None,
    }
}

/// What another program believed does not count.
pub(super) fn is_proven(row: &StoryRow) -> bool {
    let done = progress::progress(&row.story(), &row.ac_status);
    row.passes && done.total > 0 && done.passing == done.total
}
