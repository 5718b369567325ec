//! `provost eval`: a gate against drift. Cases go to an engine, and its answers are judged.
//!
//! It exits with 0, 1 or 2 and with nothing else: the gate passed, it failed, or it could not be
//! asked.

mod error;
mod explain;
mod live;
mod options;
mod setup;
mod watch;

use camino::{Utf8Path, Utf8PathBuf};
use provost_adapter::Cancel;
use provost_engine::eval::{self, EvalError, Listing, Plan, Ran};
use provost_kernel::{Exit, eval::Report};
use provost_rules::eval::render;
use serde::Serialize;

pub(crate) use self::options::Args;
use self::{live::Live, setup::Setup};
use crate::{
    environment,
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
};

/// How many warnings about cases are shown.
const SHOWN: usize = 20;

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        if self.wants_json() {
            session.output.ask(None, true);
        }
        let setup = Setup::new(self, session)?;
        if let Some(check) = &self.explain {
            return explain::explain(session, &setup.suite, check);
        }
        if self.list {
            return list(session, &setup);
        }
        let cancel = Cancel::new();
        let end = cancel.clone();
        environment::on_signal(&std::sync::Arc::default(), move |_| end.cancel())?;
        if self.is_watching() {
            return watch::watch(self, session, setup, &cancel);
        }
        let plan = setup.plan(self, session)?;
        let listing = setup.list(session)?;
        warn(session, &listing);
        let live = Live::new(session.output.lang, session.flags.quiet);
        let ran = eval::run(&plan, &listing, None, &cancel, &live);
        live.clear();
        let report = ran.map(|Ran { report, .. }| report)?;
        publish(self, session, &setup, &plan, &listing, &report)?;
        show(session, &report, &setup.shown(&plan.report));
        annotate(session, &setup, &listing, &report)?;
        Ok(exit(&report))
    }
}

/// Writes the files of a report; from here on the journal is not needed.
fn publish(
    args: &Args,
    session: &Session,
    setup: &Setup,
    plan: &Plan<'_>,
    listing: &Listing,
    report: &Report,
) -> Result<(), AnyFault> {
    let outputs = setup.outputs(args, &plan.report);
    eval::write(report, &outputs, &setup.files(listing), session.output.lang)?;
    eval::forget(plan);
    Ok(())
}

/// Prints a report: as it is in the file, or grouped by severity (EVAL-6.2).
fn show(session: &mut Session, report: &Report, path: &Utf8Path) {
    let lang = session.output.lang;
    match session.output.format() {
        Format::Json => session.output.document(report),
        Format::Text => {
            for line in render::text(report, lang).lines() {
                session.output.line(line);
            }
            session.output.line(&lang.pick(format!("report {path}"), format!("报告 {path}")));
        }
    }
}

/// Annotates the files of cases when a workflow of GitHub runs this.
fn annotate(
    session: &mut Session,
    setup: &Setup,
    listing: &Listing,
    report: &Report,
) -> Result<(), AnyFault> {
    if session.environment.text("GITHUB_ACTIONS")? != Some("true") {
        return Ok(());
    }
    // The runner reads both streams, and standard output may carry a document.
    for line in render::annotations(report, &setup.files(listing)).lines() {
        session.output.complain(line);
    }
    Ok(())
}

/// Warns about cases that can be run and should be looked at.
fn warn(session: &mut Session, listing: &Listing) {
    let lang = session.output.lang;
    let label = lang.pick("warning: ", "警告:");
    for finding in listing.warnings.iter().take(SHOWN) {
        session.output.message(&format!("{label}{}: {}", finding.subject, finding.message));
    }
    let more = listing.warnings.len().saturating_sub(SHOWN);
    if more > 0 {
        let text = lang.pick(format!("{more} more"), format!("另有 {more} 条"));
        session.output.message(&format!("{label}{text}"));
    }
}

/// The cases that would be run.
fn list(session: &mut Session, setup: &Setup) -> Result<Exit, AnyFault> {
    #[derive(Serialize)]
    struct Row {
        id: String,
        path: Utf8PathBuf,
    }
    let listing = setup.list(session)?;
    let files = setup.files(&listing);
    match session.output.format() {
        Format::Json => {
            let rows: Vec<Row> =
                files.into_iter().map(|(id, path)| Row { id, path: path.into() }).collect();
            session.output.document(&rows);
        }
        Format::Text => {
            for (id, path) in files {
                session.output.line(&format!("{id}  {path}"));
            }
        }
    }
    Ok(Exit::Success)
}

fn exit(report: &Report) -> Exit {
    match report.gate.exit_code {
        0 => Exit::Success,
        1 => Exit::Refused,
        _ => Exit::Unable,
    }
}

/// Lists what is wrong with cases before the error that stands for it.
fn complain_of_cases(session: &mut Session, error: &EvalError) {
    if let EvalError::BadCases(findings) = error {
        let label = session.output.lang.pick("error: ", "错误:");
        for finding in findings {
            session.output.complain(&format!("{label}{}: {}", finding.subject, finding.message));
        }
    }
}
