//! `provost story prompt`: prints the prompt of a story.

use provost_engine::{Settings, story::prompt};
use provost_kernel::{Exit, story::StoryName};
use serde::Serialize;

use super::wiring;
use crate::{
    session::{AnyFault, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost story prompt US-001 > prompt.md\n\nThe prompt is generated from the keys and the limits that updates are checked with."
)]
pub(super) struct Args {
    /// The story: `US-001`, or `BRANCH:US-001`
    #[arg(value_name = "ID")]
    story: StoryName,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (wiring, ..) = wiring(session, &self.story)?;
        let Settings { gates, limits, language, .. } = wiring.settings();
        let text = prompt(&wiring.desk, &self.story, gates, *limits, *language)?;
        session.output.show(&Answer { prompt: &text });
        Ok(Exit::Success)
    }
}

#[derive(Serialize)]
struct Answer<'a> {
    prompt: &'a str,
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        self.prompt.lines().for_each(|it| page.exact(it));
    }
}
