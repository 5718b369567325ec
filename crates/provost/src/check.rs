//! `provost check`: a gate alone. It judges and changes nothing.

mod secrets;

use crate::session::Run;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost check secrets src")]
pub(crate) struct Args {
    #[command(subcommand)]
    gate: Gate,
}

#[derive(Debug, clap::Subcommand)]
enum Gate {
    /// Look for secrets in files and folders; the secrets themselves are never printed
    Secrets(secrets::Args),
}

impl Args {
    pub(crate) fn as_run(&self) -> &dyn Run {
        match &self.gate {
            Gate::Secrets(it) => it,
        }
    }
}
