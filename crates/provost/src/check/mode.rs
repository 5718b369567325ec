//! `provost check mode`: whether a name is one of the eight modes.

use provost_kernel::Exit;
use provost_rules_guard::mode::{CheckedMode, check};

use super::say;
use crate::{
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost check mode ralph\n  provost check mode ../ralph --json\n\nExits with 0 if the mode exists, else with 1."
)]
pub(super) struct Args {
    /// The name, spelled exactly
    #[arg(value_name = "NAME")]
    name: String,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let checked = check(&self.name);
        match session.output.format() {
            Format::Json => session.output.document(&checked),
            Format::Text => print(session, &checked),
        }
        Ok(if checked.valid { Exit::Success } else { Exit::Refused })
    }
}

fn print(session: &mut Session, checked: &CheckedMode) {
    let lang = session.output.lang;
    if let Some(mode) = checked.mode {
        say(session, "mode", "模式", mode.as_str());
        let is_exclusive = mode.is_exclusive();
        let answer = if is_exclusive { lang.pick("yes", "是") } else { lang.pick("no", "否") };
        say(session, "exclusive", "互斥", answer);
    }
    for finding in &checked.findings {
        say(session, "refused", "拒绝", &lang.render(&finding.message));
        if let Some(hint) = finding.hint.as_ref().map(|it| lang.render(it)) {
            let line = lang.pick(format!("hint: {hint}"), format!("提示:{hint}"));
            session.output.message(&line);
        }
    }
}
