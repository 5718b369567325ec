//! `provost learn verify`: the ledger of a mission, recomputed.

use provost_engine::learn::{LedgerStatus, MissionDir};
use provost_kernel::Exit;

use super::{find, page};
use crate::{
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn verify demo\n\nEvery bet, stake and promotion follows from the labels and votes in the ledger, and every line of it\nis in the audit chain. Exits with 6 if a line is not what follows, or not the one in the chain."
)]
pub(super) struct Args {
    /// The name of a mission, or its file, unless there is only one
    #[arg(value_name = "MISSION")]
    mission: Option<String>,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (dir, layout) = if let Some(mission) = &self.mission {
            find(session, mission)?
        } else {
            let layout = session.layout()?;
            (MissionDir::only(&layout)?, layout)
        };
        session.output.show(&dir.verify(&layout)?);
        Ok(Exit::Success)
    }
}

impl View for LedgerStatus {
    fn page(&self, page: &mut Page<'_>) {
        let Self { mission, lines, summary, .. } = self;
        page.write(
            format!("the ledger of `{mission}` is intact: {lines} lines"),
            format!("`{mission}` 的账本完好：{lines} 行"),
        );
        page::summary(page, summary);
    }
}
