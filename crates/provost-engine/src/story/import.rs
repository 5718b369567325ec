//! What another program knew of stories, taken into the claims log; and the index made again from
//! that log.

use provost_desk::{
    Desk,
    story::{Notice, Stories},
};
use provost_kernel::{Actor, Digest, Message};
use provost_rules_story::import::{self, ImportError};
use serde_json::json;

use super::{StoryError, trail};

/// Why a state could not be taken in.
#[derive(Debug, thiserror::Error, Message)]
#[message(code = "story.take_in")]
pub enum TakeInError {
    #[error(transparent)]
    #[message(transparent)]
    Story(#[from] StoryError),
    #[error(transparent)]
    #[message(transparent)]
    State(#[from] ImportError),
}

/// Takes in the `state.json` of the original, version 1. What is known already stays as it is, and
/// nothing of it counts as proven.
pub fn take_in(desk: &Desk, actor: &Actor, bytes: &[u8]) -> Result<Vec<Notice>, TakeInError> {
    let import = import::state(bytes)?;
    let detail = json!({"digest": Digest::of_bytes(bytes), "executions": import.executions.len()});
    trail::enter(desk, actor, "story.import", "stories".to_owned(), detail)?;
    let mut stories = desk.stories().map_err(StoryError::from)?;
    stories.import(desk.clock(), import).map_err(StoryError::from)?;
    Ok(stories.notices)
}

/// Makes the index again from the claims log as it is. The answer says of how many events.
pub fn reindex(desk: &Desk, actor: &Actor) -> Result<(u64, Vec<Notice>), StoryError> {
    trail::enter(desk, actor, "story.reindex", "stories".to_owned(), json!({}))?;
    let (stories, n_events) = Stories::reindex(desk.layout(), desk.clock())?;
    Ok((n_events, stories.notices))
}
