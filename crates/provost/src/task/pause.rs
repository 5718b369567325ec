//! `provost pause`: stop at the next checkpoint.

use provost_kernel::{Exit, task::Order};

use super::order::Addressed;
use crate::session::{AnyFault, Run, Session};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost pause t1\n\nReturns as soon as the order is recorded; the coordinator stops at its next checkpoint."
)]
pub(crate) struct Args {
    #[command(flatten)]
    to: Addressed,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        self.to.give(session, Order::Pause)
    }
}
