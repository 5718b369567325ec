//! What another program knew of stories, taken into the claims log; and the index made again from
//! that log.

use provost_desk::{
    Desk,
    story::{Notice, Stories},
};
use provost_kernel::{Actor, Digest, Fault, Message, Text};
use provost_rules_story::import::{self, ImportError};
use serde_json::json;

use super::{StoryError, trail};

/// Why a state could not be taken in.
#[derive(Debug, thiserror::Error)]
pub enum TakeInError {
    #[error(transparent)]
    Story(#[from] StoryError),
    #[error(transparent)]
    State(#[from] ImportError),
}

/// Takes in the `state.json` of the original, version 1. What is known already stays as it is, and
/// nothing of it counts as proven.
pub fn take_in(desk: &Desk, actor: &Actor, bytes: &[u8]) -> Result<Vec<Notice>, TakeInError> {
    let import = import::state(bytes, desk.lang())?;
    let detail = json!({"digest": Digest::of_bytes(bytes), "executions": import.executions.len()});
    trail::enter(desk, actor, "story.import", "stories".to_owned(), detail)?;
    let mut stories = desk.stories().map_err(StoryError::from)?;
    stories.import(desk.clock(), import).map_err(StoryError::from)?;
    Ok(stories.notices)
}

/// Makes the index again from the claims log as it is. The answer says of how many events.
pub fn reindex(desk: &Desk, actor: &Actor) -> Result<(u64, Vec<Notice>), StoryError> {
    trail::enter(desk, actor, "story.reindex", "stories".to_owned(), json!({}))?;
    let (stories, n_events) = Stories::reindex(desk.layout(), desk.clock(), desk.lang())?;
    Ok((n_events, stories.notices))
}

impl TakeInError {
    fn inner(&self) -> &dyn Fault {
        match self {
            Self::Story(error) => error,
            Self::State(error) => error,
        }
    }
}

impl Message for TakeInError {
    fn text(&self) -> Text {
        Text::each(|lang| self.inner().text().render(lang))
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| self.inner().hints_in(lang))
    }

    fn exit(&self) -> provost_kernel::Exit {
        self.inner().exit()
    }
}
