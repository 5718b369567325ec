//! `provost reindex`: the index of the stories, made again from the claims log.

use provost_engine::story::reindex;
use provost_kernel::Exit;
use provost_vault::{RealDisk, audit::verify};
use serde::Serialize;

use crate::{
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
    story, wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The claims log is the truth, and the database its index: it may be removed at any time. A log\nthat was cut or restored from a copy is taken as it is.\n\nExample:\n  provost reindex\n\nExits with 0 when the index was made again, and with 6 when the log cannot be read, or when its\nlines are not those that were entered into the audit chain."
)]
pub(crate) struct Args {}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer {
    events: u64,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = story::desk(session)?;
        let (events, notices) = reindex(&desk, &wiring::actor())?;
        story::show_notices(session, &notices);
        let lang = session.output.lang;
        match session.output.format() {
            Format::Json => session.output.document(&Answer { events }),
            Format::Text => session.output.line(&lang.pick(
                format!("the index was made again from {events} events"),
                format!("已根据 {events} 个事件重建索引"),
            )),
        }
        // What a person takes as it is may still not be what was entered.
        let report = verify(&RealDisk, desk.layout())?;
        let problems: Vec<_> =
            report.problems.iter().filter(|it| it.trouble.is_of_claims()).collect();
        for problem in &problems {
            session.output.complain(&problem.text().render(lang));
        }
        Ok(if problems.is_empty() { Exit::Success } else { Exit::Integrity })
    }
}
