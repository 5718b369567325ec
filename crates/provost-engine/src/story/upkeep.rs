//! Deletes expired outputs of stories.
//!
//! What the newest verdict on a story stands on stays for good: the claims log says what that is,
//! and a log that cannot be read keeps everything.

use std::collections::BTreeMap;

use provost_kernel::{
    Millis,
    story::{ClaimResult, EventBody, StoryEvent, StoryId, StoryState},
};
use provost_vault::{
    FileError, Layout, RealDisk, Retention, Swept, story::StoryFiles, sweep_stories,
};
use serde::Serialize;

/// Finds outputs, captures and folders of looks that have had their time; touches nothing.
pub fn sweep(layout: &Layout, now: Millis, retention: &Retention) -> Result<Swept, FileError> {
    let mut kept = VerdictTexts::default();
    for event in StoryFiles::new(&RealDisk, layout).events()? {
        kept.learn(&event?);
    }
    let is_kept = |path: &str| kept.texts.values().any(|it| it.contains(path));
    Ok(sweep_stories(&RealDisk, layout, now, retention, &is_kept))
}

/// What the newest verdict on each story says, which names the outputs that it stands on.
#[derive(Debug, Default)]
struct VerdictTexts {
    texts: BTreeMap<(String, u32), String>,
}

impl VerdictTexts {
    fn learn(&mut self, event: &StoryEvent) {
        let execution = event.execution_id.as_str();
        let story = event.story_id.as_ref().map(StoryId::number);
        match (&event.body, story) {
            (EventBody::Updated(it), Some(story)) if it.result == ClaimResult::Accept => {
                self.put(execution, story, &it.outcome);
            }
            (EventBody::Verified(it), Some(story)) => self.put(execution, story, &it.outcome),
            (EventBody::Replanned(it), _) => {
                let stands = |it: &StoryState| (it.story.id.number(), it.evidence.clone());
                for (story, evidence) in it.stories.iter().map(stands) {
                    self.put(execution, story, &evidence);
                }
            }
            (
                EventBody::Started(_)
                | EventBody::Declared(_)
                | EventBody::Updated(_)
                | EventBody::Verified(_)
                | EventBody::Changed(_)
                | EventBody::Imported(_)
                | EventBody::Waived(_)
                | EventBody::Rebased(_),
                _,
            ) => {}
        }
    }

    fn put(&mut self, execution: &str, story: u32, outcome: &impl Serialize) {
        // Plain data: it was read from the log a moment ago.
        let text = serde_json::to_string(outcome).unwrap_or_default();
        self.texts.insert((execution.to_owned(), story), text);
    }
}
