//! What can be read about plans besides their state: the plan as it was started, and what commands
//! printed.

use provost_desk::Desk;
use provost_kernel::{
    Digest,
    story::{Execution, ExecutionId, StoryId},
};
pub use provost_vault::story::{KeptOutput, OutputName};
use provost_vault::{RealDisk, task::read_tail};

use provost_store::Listed;

use super::{StoryError, plan_view};

/// A plan, and what can be read about it.
#[derive(Clone, Debug)]
pub struct Readable {
    pub execution: Execution,
    pub stories: Vec<ReadableStory>,
}

/// A story, and the outputs of the newest look at it.
#[derive(Clone, Debug)]
pub struct ReadableStory {
    pub id: StoryId,
    pub title: String,
    pub outputs: Vec<OutputName>,
}

/// Some of the plans that go on, the one that changed last first, and whether there are more.
pub fn readable(
    desk: &Desk,
    skip: usize,
    most: usize,
) -> Result<(Vec<Readable>, bool), StoryError> {
    let stories = desk.stories()?;
    let mut active = stories.store().records(Listed::Active)?.into_iter().skip(skip);
    let mut found = Vec::new();
    for execution in active.by_ref().take(most) {
        let mut listed = Vec::new();
        for count in stories.store().story_counts(&execution.id)? {
            let outputs = stories.files().newest_outputs(&execution.id, &count.story_id)?;
            listed.push(ReadableStory { id: count.story_id, title: count.title, outputs });
        }
        found.push(Readable { execution, stories: listed });
    }
    Ok((found, active.next().is_some()))
}

/// The name of a plan's file and its bytes as they were when it was started; none if they are not
/// kept.
pub fn plan_file(desk: &Desk, of: &str) -> Result<Option<(String, Vec<u8>)>, StoryError> {
    let stories = desk.stories()?;
    let execution = plan_view::execution(&stories, Some(of))?;
    let read = |digest: Digest| stories.files().plan(digest);
    let bytes = execution.plan_digest.map(read).transpose()?;
    Ok(bytes.map(|it| (execution.prd_path, it)))
}

/// The outputs of the newest look at a story.
pub fn newest_outputs(
    desk: &Desk,
    execution: &ExecutionId,
    story: &StoryId,
) -> Result<Vec<OutputName>, StoryError> {
    Ok(desk.stories()?.files().newest_outputs(execution, story)?)
}

/// The end of what a command printed; empty if the output is gone.
pub fn output_tail(
    desk: &Desk,
    execution: &ExecutionId,
    story: &StoryId,
    name: OutputName,
    n_bytes: u64,
) -> Result<String, StoryError> {
    let OutputName { look, command, stream } = name;
    let at = desk.layout().story_output(execution, story, look, command, stream.file());
    Ok(read_tail(&RealDisk, &at, n_bytes)?)
}

/// What a command printed; none if there is no such output.
pub fn output(
    desk: &Desk,
    execution: &ExecutionId,
    story: &StoryId,
    name: OutputName,
) -> Result<Option<KeptOutput>, StoryError> {
    Ok(desk.stories()?.files().output(execution, story, name)?)
}
