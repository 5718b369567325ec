//! A waiver: a person does without the proof of a criterion.
//!
//! It proves nothing and makes no story done. It says who knows that the proof is missing, and why
//! that is fine with them; it holds for the text of the criterion that they have read.

use provost_desk::{Desk, story::StoriesError};
use provost_kernel::{
    Actor, Exit, Message, Text,
    story::{CriterionId, EventBody, StoryId, StoryName, Waived},
};
use provost_rules::secret;
use provost_vault::story::NewEvent;
use serde::Serialize;

use super::{StoryError, find::find, trail};

/// The longest reason that is kept, in characters.
const REASON: usize = 2000;

/// What became of a waiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Waiving {
    pub branch: String,
    pub story_id: String,
    pub criterion: CriterionId,
    /// The text that was waived.
    pub text: String,
    pub reason: String,
    pub actor: String,
}

/// Why nothing was waived.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum WaiveError {
    #[error(transparent)]
    Story(#[from] StoryError),
    /// The story has no such criterion; these are its own.
    NoCriterion { story: StoryId, criterion: CriterionId, known: Vec<String> },
    /// A waiver must say why.
    NoReason,
}

/// Records that a person does without the proof of a criterion.
pub fn waive(
    desk: &Desk,
    actor: &Actor,
    name: &StoryName,
    criterion: CriterionId,
    because: &str,
) -> Result<Waiving, WaiveError> {
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
    trail::keep(desk, actor, &event)?;
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

impl Message for WaiveError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Story(error) => error.text().render(lang),
            Self::NoCriterion { story, criterion, .. } => lang.pick(
                format!("{story} has no criterion {criterion}"),
                format!("{story} 没有标准 {criterion}"),
            ),
            Self::NoReason => lang.pick("a waiver must say why", "豁免必须说明原因").to_owned(),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::Story(error) => error.hints_in(lang),
            Self::NoCriterion { known, .. } => {
                let known = known.join(", ");
                vec![lang.pick(format!("it has {known}"), format!("它有 {known}"))]
            }
            Self::NoReason => Vec::new(),
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Story(error) => error.exit(),
            Self::NoCriterion { .. } | Self::NoReason => Exit::Unable,
        }
    }
}
