//! `provost approve`: take the result of a task.

use provost_desk::task::Sought;
use provost_kernel::{Exit, task::Order};

use super::order::AddressedOrOnly;
use crate::{
    session::{AnyFault, Run, Session},
    story::person,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost approve t1\n\nWithout an id: the only result that can be approved. The task must be READY_FOR_REVIEW. A review does not change its state. It is refused where an agent runs (1)."
)]
pub(crate) struct Args {
    #[command(flatten)]
    to: AddressedOrOnly,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        self.to.give(session, Order::Approve, Sought::Approvable)
    }
}
