//! `provost story import`: imports a `state.json` of the original.

use provost_desk::story::Notice;
use provost_engine::story::take_in;
use provost_kernel::{Exit, Finding, Message};
use serde::Serialize;

use super::{desk, person, show_notices};
use crate::{
    input::Source,
    session::{AnyFault, Run, Session},
    view::{Page, View},
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The file is a `state.json` of version 1. What it calls done is kept on record, and every criterion is\nNOT_RUN until provost has verified it. Stories that exist here stay as they are.\n\nExample:\n  provost story import ~/.ralph/state.json\n\nExits with 2 when the file is not such a state."
)]
pub(super) struct Args {
    /// The file; `-` is standard input
    #[arg(value_name = "STATE")]
    state: String,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize, Message)]
#[message(
    code = "story.imported",
    en = "imported {executions} {executions:execution|executions}",
    zh = "已导入 {executions} 个执行"
)]
struct Answer {
    executions: usize,
    findings: Vec<Finding>,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        let bytes = Source::from(self.state.as_str()).read()?;
        let notices = take_in(&desk(session)?, &wiring::actor(), &bytes)?;
        let mut answer = Answer { executions: 0, findings: Vec::new() };
        for notice in notices {
            match notice {
                Notice::Imported { n_executions } => answer.executions += n_executions,
                Notice::Skipped(finding) => answer.findings.push(finding),
                Notice::Quarantined { .. } => show_notices(session, &[notice]),
            }
        }
        session.output.show(&answer);
        Ok(Exit::Success)
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        page.text(&self.text());
        self.findings.iter().for_each(|it| page.finding(it));
    }
}
