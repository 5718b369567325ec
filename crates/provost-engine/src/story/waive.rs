//! A waiver: a person does without the proof of a criterion.
//!
//! It proves nothing and makes no story done. It says who knows that the proof is missing, and why
//! that is fine with them; it holds for the text of the criterion that they have read.

use provost_desk::{
    Desk,
    story::{StoriesError, Waiver, Waiving},
};
use provost_kernel::{
    Message,
    story::{CriterionId, EventBody, StoryId, Waived},
};
use provost_rules::secret;
use provost_vault::story::NewEvent;

use super::{StoryError, find::find, trail};

/// The longest reason that is kept, in characters.
const REASON: usize = 2000;

/// Why nothing was waived.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "story.waive")]
pub enum WaiveError {
    #[error(transparent)]
    #[message(transparent)]
    Story(#[from] StoryError),
    #[message(
        en = "{story} has no criterion {criterion}",
        zh = "{story} 没有标准 {criterion}",
        hint(en = "it has {known}", zh = "它有 {known}")
    )]
    NoCriterion { story: StoryId, criterion: CriterionId, known: Vec<String> },
    #[message(en = "a waiver needs a reason", zh = "豁免必须说明原因")]
    NoReason,
}

/// Records that a person does without the proof of a criterion.
pub fn waive(desk: &Desk, waiver: &Waiver<'_>) -> Result<Waiving, WaiveError> {
    let Waiver { actor, request_id, story: name, criterion, because } = *waiver;
    let clean = secret::redact(because.trim().as_bytes());
    let reason: String = String::from_utf8_lossy(&clean).chars().take(REASON).collect();
    if reason.is_empty() {
        return Err(WaiveError::NoReason);
    }
    let mut stories = desk.stories()?;
    let (execution, row) = find(&stories, name)?;
    let Some(found) = row.acceptance_criteria.iter().find(|it| it.id == criterion) else {
        return Err(WaiveError::NoCriterion {
            story: row.story_id,
            criterion,
            known: row.acceptance_criteria.iter().map(|it| it.id.to_string()).collect(),
        });
    };
    let waived =
        Waived { criterion, digest: found.digest, reason: reason.clone(), actor: actor.clone() };
    let event = stories.record(NewEvent {
        at: desk.clock().now(),
        execution_id: execution.id.clone(),
        story_id: Some(row.story_id.clone()),
        body: EventBody::Waived(waived),
    })?;
    trail::keep_ordered(desk, actor, request_id, &event)?;
    Ok(Waiving {
        branch: execution.branch.to_string(),
        story_id: row.story_id.to_string(),
        criterion,
        text: found.text.clone(),
        reason,
        actor: actor.to_string(),
    })
}

impl From<StoriesError> for WaiveError {
    fn from(error: StoriesError) -> Self {
        Self::Story(error.into())
    }
}
