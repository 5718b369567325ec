//! `provost guard`: what people order of the guard, and what they ask it.

mod allow;
mod compile;
mod deny;
mod explain;
mod install;
mod log;
mod mode;
mod modes;
mod order;
mod scan;
pub(crate) mod setup;
mod snooze;
mod status;
mod statusline;
mod sweep;
mod test;
mod trust;
mod uninstall;

pub(crate) use self::{
    explain::{policies, ruling},
    install::open_of,
};
use crate::session::Run;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost guard explain 'git push --force'")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Permit what the guard refused
    Allow(allow::Args),
    /// Recompile the policy that hooks read
    Compile(compile::Args),
    /// Take back a permission, or add a rule that refuses
    Deny(deny::Args),
    /// Explain which rule applies to a command
    Explain(explain::Args),
    /// Install the guard into a client's configuration
    Install(install::Args),
    /// Show what was allowed, asked and refused
    Log(log::Args),
    /// Switch a mode on or off
    Mode(mode::Args),
    /// List the modes and whether they are active
    Modes(modes::Args),
    /// Judge what scripts and CI would run
    Scan(scan::Args),
    /// Stop asking for a while
    Snooze(snooze::Args),
    /// Show where the guard is installed and whether it works
    Status(status::Args),
    /// Print one line for the status line of Claude Code
    Statusline(statusline::Args),
    /// Clean up after agents and hooks
    Sweep(sweep::Args),
    /// Test that a denial blocks the call
    Test(test::Args),
    /// Let agents write to a path outside the project
    Trust(trust::Args),
    /// Remove the guard from a client's configuration
    Uninstall(uninstall::Args),
}

impl Args {
    pub(crate) fn as_run(&self) -> &dyn Run {
        match &self.command {
            Command::Allow(it) => it,
            Command::Compile(it) => it,
            Command::Deny(it) => it,
            Command::Explain(it) => it,
            Command::Install(it) => it,
            Command::Log(it) => it,
            Command::Mode(it) => it,
            Command::Modes(it) => it,
            Command::Scan(it) => it,
            Command::Snooze(it) => it,
            Command::Status(it) => it,
            Command::Statusline(it) => it,
            Command::Sweep(it) => it,
            Command::Test(it) => it,
            Command::Trust(it) => it,
            Command::Uninstall(it) => it,
        }
    }
}
