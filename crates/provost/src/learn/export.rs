//! `provost learn export`: what was learned, as a file that a mission can begin with.

use provost_kernel::Exit;
use provost_rules_learn::guidance::whole;

use super::Which;
use crate::session::{AnyFault, Preparation, Run, Session};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn export demo > initial_guidance.json\n\nThe file has the scaffold and the rules that are in force, or those of --run. No file of a mission\nis ever written by provost: to begin with what was learned is a person's decision."
)]
pub(super) struct Args {
    #[command(flatten)]
    which: Which,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (dir, layout) = self.which.find(session)?;
        let list = dir.rules(&layout, self.which.run.as_ref())?;
        let file = whole(&dir.mission, &list.scaffold, &list.guidance, &list.updated_at);
        session.output.document(&file);
        Ok(Exit::Success)
    }
}
