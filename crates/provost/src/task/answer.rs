//! `provost answer`: tell the agent something.

use provost_kernel::{Exit, task::Order};
use provost_rules_task::inputs;

use super::{order::Addressed, text};
use crate::{
    session::{AnyFault, Run, Session},
    story::person,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost answer t1 \"use port 8080\"\n  provost answer t1 - < answer.md\n\nThe next attempt receives the message once."
)]
pub(crate) struct Args {
    #[command(flatten)]
    to: Addressed,
    /// The message; `-` reads it from standard input
    #[arg(value_name = "TEXT")]
    text: String,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let text = text::read(&self.text)?;
        // A permission is a person's, in whatever words it is given.
        if !inputs::accepted(std::slice::from_ref(&text)).is_empty() {
            person(session)?;
        }
        self.to.give(session, Order::Answer { text })
    }
}
