//! `provost check mode`: whether a name is one of the eight modes.

use provost_kernel::Exit;
use provost_rules_guard::mode::{CheckedMode, check};

use crate::{
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
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
        session.output.show(&checked);
        Ok(if checked.valid { Exit::Success } else { Exit::Refused })
    }
}

impl View for CheckedMode {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        if let Some(mode) = self.mode {
            page.row("mode", "模式", mode.as_str());
            let is_exclusive = mode.is_exclusive();
            let answer =
                if is_exclusive { lang.pick("yes", "是") } else { lang.pick("no", "否") };
            page.row("exclusive", "互斥", answer);
        }
        for finding in &self.findings {
            page.row("refused", "拒绝", lang.render(&finding.message));
            finding.hint.iter().for_each(|it| page.hint(lang.render(it)));
        }
    }
}
