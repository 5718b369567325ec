//! What people and agents read about stories: what the claims log adds up to.

use std::collections::BTreeMap;

use provost_desk::{
    Desk,
    story::{Notice, Stories},
};
use provost_kernel::{
    Lang,
    message::Phrase,
    story::{
        AttemptRecord, CriterionId, DeclarationRecord, Execution, ExecutionSummary,
        FirstSubmissions, GateKind, Plan, ScopeLimits, StoryCount, StoryName, StoryRow,
        WaiverRecord,
    },
};
use provost_rules_story::{
    gates::ConfiguredGate,
    plan, progress,
    prompt::{self, GateCommand, StoryPrompt},
    stale::Stale,
};
use provost_store::Listed;
use serde::Serialize;

use super::{StoryError, find::find, freshness::Freshness, plan_view::is_proven};

/// How many executions of history are shown.
const HISTORY: u32 = 10;

/// How far everything is.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// What is going on, the one that changed last first.
    pub executions: Vec<StatusOfExecution>,
    pub history: Vec<StatusOfExecution>,
    /// STORY-6.3.
    pub first_submissions: FirstSubmissions,
    /// The same in whole percent; none before the first submission.
    pub first_submissions_percent: Option<u64>,
    /// The same in words.
    pub first_submissions_text: Phrase,
    /// How often each rule had something to say about an update that was rejected.
    pub rejections: BTreeMap<String, u64>,
    /// What a person should know about the index.
    #[serde(skip)]
    pub notices: Vec<Notice>,
}

/// How far one execution is.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusOfExecution {
    #[serde(flatten)]
    pub execution: Execution,
    /// `1/4 US`.
    pub story_progress: String,
    pub completed_stories: usize,
    pub total_stories: usize,
    /// `7/21 AC`.
    pub ac_progress: String,
    pub stories: Vec<StatusOfStory>,
}

/// How far one story is.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusOfStory {
    pub story_id: String,
    pub title: String,
    /// Whether it is proven.
    pub passes: bool,
    pub ac: progress::Progress,
    /// `US-001 2/3 AC` (STORY-2.3).
    pub label: Phrase,
    /// The criteria that a person does without.
    pub waived: Vec<CriterionId>,
    /// Why it is not known to hold any more, although it was proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<Stale>,
}

/// Everything about one story.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryPage {
    pub execution: Execution,
    pub story: StoryRow,
    pub label: Phrase,
    pub declarations: Vec<DeclarationRecord>,
    pub attempts: Vec<AttemptRecord>,
    /// What a person does without.
    pub waivers: Vec<WaiverRecord>,
    /// Why it is not known to hold any more, although it was proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<Stale>,
}

/// How far everything is.
pub fn status(desk: &Desk, freshness: &Freshness) -> Result<Overview, StoryError> {
    let stories = desk.stories()?;
    let listed = |which| -> Result<Vec<StatusOfExecution>, StoryError> {
        let found = stories.store().executions(which)?;
        let with_waivers = |it: ExecutionSummary| {
            let waivers = stories.store().waivers(&it.execution.id)?;
            let mut status = summary(it);
            for story in &mut status.stories {
                let of_this = waivers.iter().filter(|it| it.story_id.as_str() == story.story_id);
                story.waived = of_this.map(|it| it.criterion).collect();
            }
            mark_stale(desk, &stories, freshness, &status.execution, &mut status.stories)?;
            Ok(status)
        };
        found.into_iter().map(with_waivers).collect()
    };
    let first = stories.store().first_submissions()?;
    let counted =
        progress::FirstSubmissions { complete: first.complete, submitted: first.submitted };
    Ok(Overview {
        executions: listed(Listed::Active)?,
        history: listed(Listed::Archived { limit: HISTORY })?,
        first_submissions: first,
        first_submissions_percent: counted.percent(),
        first_submissions_text: Phrase(counted.text()),
        rejections: stories.store().rejections()?,
        notices: stories.notices,
    })
}

fn summary(summary: ExecutionSummary) -> StatusOfExecution {
    let (proven, total) = (summary.n_proven(), summary.stories.len());
    let (passing, criteria) = summary.criteria();
    StatusOfExecution {
        story_progress: format!("{proven}/{total} US"),
        completed_stories: proven,
        total_stories: total,
        ac_progress: format!("{passing}/{criteria} AC"),
        stories: summary.stories.iter().map(of_story).collect(),
        execution: summary.execution,
    }
}

/// Marks the stories of a plan that were proven on another tree than the one in the worktree.
pub(super) fn mark_stale(
    desk: &Desk,
    stories: &Stories<'_>,
    freshness: &Freshness,
    execution: &Execution,
    shown: &mut [StatusOfStory],
) -> Result<(), StoryError> {
    if !shown.iter().any(|it| it.passes) {
        return Ok(());
    }
    let mut rows = stories.store().stories(&execution.id)?;
    rows.retain(is_proven);
    let compared = freshness.compare(desk, stories, execution, &rows)?;
    for story in shown {
        let row = rows.iter().find(|it| it.story_id.as_str() == story.story_id);
        story.stale = row.and_then(|it| compared.stale(it));
    }
    Ok(())
}

pub(super) fn of_story(count: &StoryCount) -> StatusOfStory {
    let size = |it: u32| usize::try_from(it).unwrap_or(usize::MAX);
    let ac = progress::Progress { passing: size(count.passing), total: size(count.total) };
    StatusOfStory {
        story_id: count.story_id.to_string(),
        title: count.title.clone(),
        passes: count.is_proven(),
        label: Phrase(progress::label(&count.story_id, ac)),
        waived: Vec::new(),
        stale: None,
        ac,
    }
}

/// Everything about one story (STORY-2.4).
pub fn get(desk: &Desk, freshness: &Freshness, name: &StoryName) -> Result<StoryPage, StoryError> {
    let stories = desk.stories()?;
    let (execution, story) = find(&stories, name)?;
    let compared = freshness.compare(desk, &stories, &execution, std::slice::from_ref(&story))?;
    let done = progress::progress(&story.story(), &story.ac_status);
    Ok(StoryPage {
        label: Phrase(progress::label(&story.story_id, done)),
        declarations: stories.store().declarations(&execution.id, &story.story_id)?,
        attempts: stories.store().attempts(&execution.id, &story.story_id)?,
        waivers: {
            let all = stories.store().waivers(&execution.id)?;
            all.into_iter().filter(|it| it.story_id == story.story_id).collect()
        },
        stale: compared.stale(&story),
        execution,
        story: compared.shown(story),
    })
}

/// What the agent of a story is told.
pub fn prompt(
    desk: &Desk,
    name: &StoryName,
    gates: &[ConfiguredGate],
    limits: ScopeLimits,
    language: Lang,
) -> Result<String, StoryError> {
    let stories = desk.stories()?;
    let (execution, row) = find(&stories, name)?;
    let plan = plan_of(&stories, &execution);
    let command = |kind| {
        let named = gates.iter().filter(move |it| it.kind == kind);
        named.map(move |it| GateCommand { kind, command: Some(it.command.clone()) })
    };
    let gates: Vec<GateCommand> =
        [GateKind::Typecheck, GateKind::Build].into_iter().flat_map(command).collect();
    let prompt = StoryPrompt {
        plan: &plan,
        story: &row.story(),
        statuses: &row.ac_status,
        gates: &gates,
        limits,
        language,
    };
    Ok(prompt::story(&prompt))
}

/// The plan as it was started; what the index knows of it, where it is no longer there.
fn plan_of(stories: &Stories<'_>, execution: &Execution) -> Plan {
    let kept = execution.plan_digest.and_then(|it| stories.files().plan(it).ok());
    let read = kept.and_then(|it| plan::read(&execution.prd_path, &it).ok());
    read.unwrap_or_else(|| Plan {
        title: execution.description.clone(),
        branch: execution.branch.clone(),
        description: execution.description.clone(),
        priority: execution.priority,
        dependencies: execution.dependencies.clone(),
        stories: Vec::new(),
        notices: Vec::new(),
    })
}
