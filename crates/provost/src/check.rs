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

use crate::session::{Run, Session};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost check secrets src")]
pub(crate) struct Args {
    #[command(subcommand)]
    gate: Gate,
}

#[derive(Debug, clap::Subcommand)]
enum Gate {
    /// Hold the artifacts of an engine against a case of an eval
    Case(case::Args),
    /// Check an agent's update against a story
    Claim(claim::Args),
    /// Ask the decision table what becomes of a task
    Decision(decision::Args),
    /// Hold the payload of a hook against the field rules and the built-in policy
    Hook(hook::Args),
    /// Say whether a name is one of the eight modes
    Mode(mode::Args),
    /// Hold what a model proposed in a reflection against the rules for proposals
    Proposal(proposal::Args),
    /// Check the size and the declaration of a change
    Scope(scope::Args),
    /// Look for secrets in files and folders; the secrets themselves are never printed
    Secrets(secrets::Args),
    /// Hold a judge's reply against the contract of a verdict, and recompute its score
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

/// Prints one line of a ruling, with its label in the person's language.
fn say(session: &mut Session, en: &str, zh: &str, value: &str) {
    let lang = session.output.lang;
    let line = lang.pick(format!("{en}: {value}"), format!("{zh}:{value}"));
    session.output.line(&line);
}
