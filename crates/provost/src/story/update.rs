//! `provost story update`: an agent says how far it is, and provost looks for itself.

use provost_engine::{story::update, task::rehearsal::Unwatched};
use provost_kernel::{Exit, story::StoryName};

use super::{answer, wiring};
use crate::{
    input::Source,
    session::{AnyFault, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The update is one JSON object, as `provost story prompt` shows it:\n  {\"storyId\": \"US-001\", \"passes\": true, \"acStatus\": {\"AC-1\": {\"passes\": true, \"command\": \"make check\"}},\n   \"expectedFiles\": [\"src/login.rs\"]}\n\nEvery command is run again on a clean checkout of the work tree, without the network; typecheck and\nbuild are run by provost. Each criterion is then PROVEN,\nSHOWN, HOLDS, PRESENT, CLAIMED, HOLLOW, CONTRADICTED, STALE or NOT_RUN.\n\nExamples:\n  provost story update US-001 --file update.json\n  provost story update ralph/login:US-001 --file - --json < update.json\n\nExits with 0 when the story is done or a note was taken, with 1 when the update is rejected or the\nstory is not done although the update says so, and with 2 when it could not be judged."
)]
pub(super) struct Args {
    /// The story: `US-001`, or `BRANCH:US-001`
    #[arg(value_name = "ID")]
    story: StoryName,
    /// The update; `-` is standard input
    #[arg(long, value_name = "UPDATE")]
    file: String,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let bytes = Source::from(self.file.as_str()).read()?;
        let (wiring, ..) = wiring(session, &self.story)?;
        let answer = update(&wiring.engine(&Unwatched), Some(&self.story), &bytes)?;
        Ok(answer::show(session, &answer))
    }
}
