//! `provost guard`: what people order of the guard, and what they ask it.

mod compile;
mod explain;
mod install;
mod mode;
mod modes;
pub(crate) mod setup;
mod sweep;
mod test;
mod uninstall;

pub(crate) use self::{explain::ruling, install::open_of};
use crate::session::Run;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost guard explain 'git push --force'")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Recompile the policy that hooks read
    Compile(compile::Args),
    /// Explain which rule applies to a command
    Explain(explain::Args),
    /// Install the guard into a client's configuration
    Install(install::Args),
    /// Switch a mode on or off
    Mode(mode::Args),
    /// List the modes and whether they are active
    Modes(modes::Args),
    /// Clean up after agents and hooks
    Sweep(sweep::Args),
    /// Test that a denial blocks the call
    Test(test::Args),
    /// Remove the guard from a client's configuration
    Uninstall(uninstall::Args),
}

impl Args {
    pub(crate) fn as_run(&self) -> &dyn Run {
        match &self.command {
            Command::Compile(it) => it,
            Command::Explain(it) => it,
            Command::Install(it) => it,
            Command::Mode(it) => it,
            Command::Modes(it) => it,
            Command::Sweep(it) => it,
            Command::Test(it) => it,
            Command::Uninstall(it) => it,
        }
    }
}
