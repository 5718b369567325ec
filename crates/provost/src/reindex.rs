//! `provost reindex`: rebuilds the index of the stories from the claims log.

use provost_engine::story::reindex;
use provost_kernel::Exit;
use provost_vault::{RealDisk, audit::verify};
use serde::Serialize;

use crate::{
    session::{AnyFault, Run, Session},
    story,
    view::{Page, View},
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The database is an index of the claims log and can be deleted at any time. A log that was truncated\nor restored from a backup is used as it is.\n\nExample:\n  provost reindex\n\nExits with 0 if the index was rebuilt, and with 6 if the log is unreadable or does not match the\naudit chain."
)]
pub(crate) struct Args {}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer {
    events: u64,
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let Self { events } = self;
        page.write(
            format!("rebuilt the index from {events} events"),
            format!("已根据 {events} 个事件重建索引"),
        );
    }
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = story::desk(session)?;
        let (events, notices) = reindex(&desk, &wiring::actor())?;
        story::show_notices(session, &notices);
        let lang = session.output.lang;
        session.output.show(&Answer { events });
        // What a person takes as it is may still not be what was entered.
        let report = verify(&RealDisk, desk.layout())?;
        let problems: Vec<_> =
            report.problems.iter().filter(|it| it.trouble.is_of_claims()).collect();
        for problem in &problems {
            session.output.complain(&lang.render(&problem.text()));
        }
        Ok(if problems.is_empty() { Exit::Success } else { Exit::Integrity })
    }
}
