//! `provost story verify`: what was claimed before, run again.

use provost_engine::{story::verify, task::rehearsal::Unwatched};
use provost_kernel::{Exit, story::StoryName};

use super::{answer, wiring};
use crate::session::{AnyFault, Run, Session};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost story verify US-001 --json\n\nThe gates and the evidence of every criterion that was claimed run again, on a clean checkout of\nthe work tree as it is now. Exits with 0 when the story is done, and with 1 when it is not."
)]
pub(super) struct Args {
    /// The story: `US-001`, or `BRANCH:US-001`
    #[arg(value_name = "ID")]
    story: StoryName,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (wiring, ..) = wiring(session, &self.story)?;
        let answer = verify(&wiring.engine(&Unwatched), &self.story)?;
        Ok(answer::show(session, &answer))
    }
}
