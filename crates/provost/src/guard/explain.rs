//! `provost guard explain`: which rule decides a command, and why. Nothing is run.

use camino::Utf8PathBuf;
use clap::builder::NonEmptyStringValueParser;
use provost_engine::guard::place::place;
use provost_kernel::{
    Exit,
    guard::policy::{Policy, PolicyRuling, ToolCall},
};
use provost_rules_guard::policy;
use serde::Serialize;

use crate::{
    config, environment,
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost guard explain 'git branch -D main'\n  provost guard explain 'npm test && npm publish' --json\n\nExits with 0 whatever the ruling: it is a question. The command is not run."
)]
pub(super) struct Args {
    /// The command as an agent would give it to its shell
    #[arg(value_name = "COMMAND", value_parser = NonEmptyStringValueParser::new())]
    command: String,
    /// The folder that it would run in; the current one by default
    #[arg(long, value_name = "DIR")]
    directory: Option<Utf8PathBuf>,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Explained<'a> {
    command: &'a str,
    directory: &'a str,
    #[serde(flatten)]
    ruling: &'a PolicyRuling,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let current = environment::current_folder()?;
        let directory = self.directory.as_ref().map_or(current.clone(), |it| current.join(it));
        let layout = session.intended_layout()?;
        let compiled = config::compile(&session.environment, &layout.home().path())?;
        let user_home = session.environment.text("HOME")?;
        let at = place(Some(&layout), Some(directory.as_str()), user_home, None);
        let call = ToolCall {
            root: at.root,
            granted: at.granted,
            home: at.home,
            user_home: at.user_home,
            ..ToolCall::shell(&self.command, directory.as_str())
        };
        let policy = Policy { rules: compiled.rules };
        match session.output.format() {
            Format::Json => session.output.document(&Explained {
                command: &self.command,
                directory: directory.as_str(),
                ruling: &policy::rule(&policy, &call),
            }),
            Format::Text => {
                let text = policy::explain(&policy, &call, session.output.lang);
                text.lines().for_each(|it| session.output.line(it));
            }
        }
        Ok(Exit::Success)
    }
}
