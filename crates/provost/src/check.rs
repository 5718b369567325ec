//! `provost check`: a gate alone. It judges and changes nothing.

mod case;
mod claim;
mod decision;
mod hook;
mod mode;
mod proposal;
mod scope;
mod secrets;
mod verdict;

use crate::session::Run;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost check secrets src")]
pub(crate) struct Args {
    #[command(subcommand)]
    gate: Gate,
}

#[derive(Debug, clap::Subcommand)]
enum Gate {
    /// Check an engine's artifacts against an eval case
    Case(case::Args),
    /// Check an agent's update against a story
    Claim(claim::Args),
    /// Evaluate the decision table
    Decision(decision::Args),
    /// Check a hook payload against the built-in policy
    Hook(hook::Args),
    /// Check the name of a mode
    Mode(mode::Args),
    /// Check rules that a model proposed
    Proposal(proposal::Args),
    /// Check the size and the declaration of a change
    Scope(scope::Args),
    /// Find secrets in files, without printing them
    Secrets(secrets::Args),
    /// Validate a judge's verdict and recompute its score
    Verdict(verdict::Args),
}

impl Args {
    pub(crate) fn as_run(&self) -> &dyn Run {
        match &self.gate {
            Gate::Case(it) => it,
            Gate::Claim(it) => it,
            Gate::Decision(it) => it,
            Gate::Hook(it) => it,
            Gate::Mode(it) => it,
            Gate::Proposal(it) => it,
            Gate::Scope(it) => it,
            Gate::Secrets(it) => it,
            Gate::Verdict(it) => it,
        }
    }
}
