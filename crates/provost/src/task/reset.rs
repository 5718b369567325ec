//! `provost reset`: count attempts from zero again.

use provost_kernel::{Exit, task::Order};

use super::order::Addressed;
use crate::session::{AnyFault, Run, Session};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost reset t1\n\nThe attempts so far stay on record. A task that is running is refused (5)."
)]
pub(crate) struct Args {
    #[command(flatten)]
    to: Addressed,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        self.to.give(session, Order::Reset)
    }
}
