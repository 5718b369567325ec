//! `provost completions`: a script that lets a shell complete the commands.

use clap::CommandFactory as _;
use clap_complete::Shell;
use provost_kernel::Exit;

use crate::{
    cli::Cli,
    session::{AnyFault, Preparation, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost completions bash > ~/.local/share/bash-completion/completions/provost"
)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::None
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "provost", &mut script);
        session.output.raw(&script);
        Ok(Exit::Success)
    }
}
