//! `provost eval`: a gate against drift. Cases go to an engine, and its answers are judged.
//!
//! It exits with 0, 1 or 2 and with nothing else: the gate passed, it failed, or it could not be
//! asked.

mod bless;
mod error;
mod explain;
mod init;
mod live;
mod matrix;
mod options;
mod render;
mod setup;
mod watch;

use std::io::{self, BufWriter, Write};

use camino::{Utf8Path, Utf8PathBuf};
use provost_adapter::Cancel;
use provost_engine::eval::{self, Listing, Plan, Ran};
use provost_kernel::{Exit, Finding, Lang, eval::Report};
use provost_rules_eval::report::Layout;
use serde::Serialize;

pub(crate) use self::options::{Args, severity};
use self::{error::OptionError, options::Command, setup::Setup};
use crate::{
    environment,
    live::LiveLine,
    output::{Format, Output},
    session::{AnyFault, Run, Session},
    view::{Page, View},
};

/// How many warnings about cases are shown.
const SHOWN: usize = 20;

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        if self.wants_json() {
            session.output.ask(None, true);
        }
        match &self.command {
            Some(Command::Init(args)) => return init::init(args, session),
            Some(Command::Bless(args)) => return bless::bless(args, session),
            Some(Command::Matrix(args)) => return matrix::matrix(args, session),
            None => {}
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
        let listing = setup.list()?;
        warn(session, &listing);
        let live = LiveLine::new(session.output.lang, session.flags.quiet);
        let ran = eval::run(&plan, &listing, None, &cancel, &live);
        live.clear();
        let ran = ran?;
        publish(self, session, &setup, &plan, &listing, &ran)?;
        show(session, &ran, &setup.shown(&plan.report), Layout::Pretty)?;
        annotate(session, &setup, &listing, &ran)?;
        Ok(exit(&ran.report))
    }
}

/// Writes the files of a report; from here on the journal is not needed.
fn publish(
    args: &Args,
    session: &Session,
    setup: &Setup,
    plan: &Plan<'_>,
    listing: &Listing,
    ran: &Ran,
) -> Result<(), AnyFault> {
    let outputs = setup.outputs(args, &plan.report);
    render::write(ran, &outputs, &|id| setup.file_of(listing, id), session.output.lang)?;
    eval::forget(plan);
    Ok(())
}

/// Prints a report: as it is in the file, or grouped by severity (EVAL-6.2). It is no [`View`],
/// because its results are read from the disk one by one.
fn show(session: &mut Session, ran: &Ran, path: &Utf8Path, layout: Layout) -> Result<(), AnyFault> {
    let lang = session.output.lang;
    match session.output.format() {
        Format::Json => {
            let mut out = BufWriter::with_capacity(1 << 16, Data(&mut session.output));
            // The file is the same in every language; what is printed is in that of the reader.
            let printed = match lang {
                Lang::En => ran.results.write(&ran.report, layout, &mut out),
                Lang::Zh => {
                    let localize = |it: &mut serde_json::Value| lang.localize(it);
                    ran.results.write_edited(&ran.report, layout, &localize, &mut out)
                }
            };
            printed.and_then(|()| out.flush()).map_err(OptionError::Print)?;
        }
        Format::Text => {
            for line in render::text(&ran.report, &ran.noted, lang).lines() {
                session.output.line(line);
            }
            session.output.page().write(format!("report {path}"), format!("报告 {path}"));
        }
    }
    Ok(())
}

/// Standard output as something to write a document to, part by part.
struct Data<'a>(&'a mut Output);

impl Write for Data<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.raw(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Annotates the files of cases when a workflow of GitHub runs this.
fn annotate(
    session: &mut Session,
    setup: &Setup,
    listing: &Listing,
    ran: &Ran,
) -> Result<(), AnyFault> {
    if session.environment.text("GITHUB_ACTIONS")? != Some("true") {
        return Ok(());
    }
    // The runner reads both streams, and standard output may carry a document.
    let file_of = |id: &str| setup.file_of(listing, id);
    let lang = session.output.lang;
    for line in render::annotations(&ran.report, &ran.noted, &file_of, lang).lines() {
        session.output.complain(line);
    }
    Ok(())
}

/// Warns about cases that can be run and should be looked at.
fn warn(session: &mut Session, listing: &Listing) {
    let mut page = session.output.page();
    for Finding { subject, message, .. } in listing.warnings.iter().take(SHOWN) {
        page.warning(page.labelled(subject, page.lang.render(message)));
    }
    let more = listing.warnings.len().saturating_sub(SHOWN);
    if more > 0 {
        page.warning(page.lang.pick(format!("{more} more"), format!("另有 {more} 条")));
    }
}

/// The cases that would be run.
#[derive(Serialize)]
struct CaseList(Vec<CaseRow>);

#[derive(Serialize)]
struct CaseRow {
    id: String,
    path: Utf8PathBuf,
}

impl View for CaseList {
    fn page(&self, page: &mut Page<'_>) {
        self.0.iter().for_each(|CaseRow { id, path }| page.line(&format!("{id}  {path}")));
    }
}

fn list(session: &mut Session, setup: &Setup) -> Result<Exit, AnyFault> {
    let cases = setup.list()?.cases.into_iter();
    let rows = cases.map(|it| CaseRow { id: it.id, path: setup.shown(&it.path) });
    session.output.show(&CaseList(rows.collect()));
    Ok(Exit::Success)
}

fn exit(report: &Report) -> Exit {
    match report.gate.exit_code {
        0 => Exit::Success,
        1 => Exit::Refused,
        _ => Exit::Unable,
    }
}
