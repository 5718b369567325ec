//! `provost pause`: stop at the next checkpoint, or at once.

use provost_desk::task::Sought;
use provost_kernel::{Exit, task::Order};

use super::order::AddressedOrOnly;
use crate::session::{AnyFault, Run, Session};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost pause t1\n  provost pause t1 --now\n\nWithout an id: the only task that runs. Returns as soon as the order is recorded; the coordinator stops at its next checkpoint, or ends the\nstep that runs. What an agent has done until then is kept."
)]
pub(crate) struct Args {
    #[command(flatten)]
    to: AddressedOrOnly,
    /// End the step that runs
    #[arg(long)]
    now: bool,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let order = if self.now { Order::PauseNow } else { Order::Pause };
        self.to.give(session, order, Sought::Running)
    }
}
