//! `provost story prompt`: what an agent is told about a story.

use provost_engine::{Settings, story::prompt};
use provost_kernel::{Exit, story::StoryName};
use serde_json::json;

use super::wiring;
use crate::{
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost story prompt US-001 > prompt.md\n\nThe prompt is made from the keys and the limits that updates are held against."
)]
pub(super) struct Args {
    /// The story: `US-001`, or `BRANCH:US-001`
    #[arg(value_name = "ID")]
    story: StoryName,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (wiring, ..) = wiring(session, &self.story)?;
        let Settings { gates, limits, .. } = wiring.settings();
        let text = prompt(&wiring.desk, &self.story, gates, *limits)?;
        match session.output.format() {
            Format::Json => session.output.document(&json!({ "prompt": text })),
            Format::Text => text.lines().for_each(|it| session.output.line(it)),
        }
        Ok(Exit::Success)
    }
}
