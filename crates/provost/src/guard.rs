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

use crate::session::Run;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost guard explain 'git push --force'")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Make the compiled policy anew, which hooks read
    Compile(compile::Args),
    /// Say which rule decides a command, and why
    Explain(explain::Args),
    /// Put the guard into a client's own configuration
    Install(install::Args),
    /// Switch a mode on or off
    Mode(mode::Args),
    /// List the modes, and which of them are active
    Modes(modes::Args),
    /// Clear up what agents and hooks left behind: old replays, lost agents, markers
    Sweep(sweep::Args),
    /// Prove that what is refused really does not happen
    Test(test::Args),
    /// Take the guard out of a client's configuration again
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
