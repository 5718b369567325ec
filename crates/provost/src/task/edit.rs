//! `provost edit`: say what the next attempt should do.

use provost_kernel::{Exit, task::Order};

use super::{order::Addressed, text};
use crate::session::{AnyFault, Run, Session};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost edit t1 --instruction \"only touch src/parser.rs\"\n\nReplaces the instruction of the next attempt."
)]
pub(crate) struct Args {
    #[command(flatten)]
    to: Addressed,
    /// The instruction; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    instruction: String,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let instruction = text::read(&self.instruction)?;
        self.to.give(session, Order::Edit { instruction })
    }
}
