//! `provost story import`: what the original knew.

use provost_desk::story::Notice;
use provost_engine::story::take_in;
use provost_kernel::{Exit, Finding};
use serde::Serialize;

use super::{desk, page::say_findings, person, tell_all};
use crate::{
    input::Source,
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The file is a `state.json` of version 1. What it calls done stays on record as its belief, and\nevery criterion is NOT_RUN until provost has looked. Stories that are known here stay as they are.\n\nExample:\n  provost story import ~/.ralph/state.json\n\nExits with 2 when the file is no such state."
)]
pub(super) struct Args {
    /// The file; `-` is standard input
    #[arg(value_name = "STATE")]
    state: String,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer {
    executions: usize,
    findings: Vec<Finding>,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        let bytes = Source::from(self.state.as_str()).read()?;
        let notices = take_in(&desk(session)?, &wiring::actor(), &bytes)?;
        let mut answer = Answer { executions: 0, findings: Vec::new() };
        for notice in notices {
            match notice {
                Notice::TakenOver { n_executions } => answer.executions += n_executions,
                Notice::LeftOut(finding) => answer.findings.push(finding),
                Notice::PutAside { .. } => tell_all(session, &[notice]),
            }
        }
        let (lang, executions) = (session.output.lang, answer.executions);
        match session.output.format() {
            Format::Json => session.output.document(&answer),
            Format::Text => {
                session.output.line(&lang.pick(
                    format!("{executions} executions were taken in"),
                    format!("已接收 {executions} 个执行"),
                ));
                say_findings(session, &answer.findings);
            }
        }
        Ok(Exit::Success)
    }
}
