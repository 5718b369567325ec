//! `provost reject`: refuse the result of a task, and say why.

use provost_desk::task::Sought;
use provost_kernel::{Exit, task::Order};

use super::{order::AddressedOrOnly, text};
use crate::session::{AnyFault, Run, Session};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost reject t1 --because \"the tests prove nothing\"\n\nWithout an id: the only result that can be rejected. The task must be READY_FOR_REVIEW or FAILED. `provost resume` gives the text to the next attempt."
)]
pub(crate) struct Args {
    #[command(flatten)]
    to: AddressedOrOnly,
    /// Why; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    because: String,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let because = text::read(&self.because)?;
        self.to.give(session, Order::Reject { because }, Sought::Rejectable)
    }
}
