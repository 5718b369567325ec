//! `provost logs`: what happened to a task, one line for each event, or what a step printed.

use std::io;

use provost_desk::task::{News, Printed, Trail};
use provost_kernel::{AttemptNumber, Exit, task::EventLine};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use serde_json::Value;

use super::{
    run::attempt_number,
    step_output::{self, Wanted},
};
use crate::{
    output::Format,
    session::{AnyFault, Run, Session},
    wiring::desk,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost logs t1 -f\n  provost logs t1 --test\n  provost logs t1 --agent --attempt 2\n\nEvents and whatever is followed are a stream with --json: one JSON object on each line,\nnot one document. Secrets are redacted."
)]
pub(crate) struct Args {
    /// The id of the task, or the start of it; the task that changed last, if not given
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Follow the log until the task stops
    #[arg(long, short)]
    follow: bool,
    /// What the agent printed, instead of the events
    #[arg(long, group = "step", action = clap::ArgAction::Count)]
    agent: u8,
    /// What the test printed
    #[arg(long, group = "step", action = clap::ArgAction::Count)]
    test: u8,
    /// What the judge printed
    #[arg(long, group = "step", action = clap::ArgAction::Count)]
    judge: u8,
    /// What was printed while dependencies were installed
    #[arg(long, group = "step", action = clap::ArgAction::Count)]
    prepare: u8,
    /// The attempt; the newest one with such output, if not given
    #[arg(long, value_name = "N", value_parser = attempt_number, requires = "step")]
    attempt: Option<AttemptNumber>,
}

/// How long to wait before the next look.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = desk(session)?;
        let task = desk.meant(self.id.as_deref())?;
        desk.look(&task)?;
        if let Some(step) = self.step() {
            let wanted = Wanted { task: &task, step, attempt: self.attempt };
            return if self.follow {
                step_output::follow(session, &desk, wanted)
            } else {
                step_output::show(session, &desk, wanted)
            };
        }
        let path = desk.layout().events(&task).path().to_string();
        let mut trail = desk.trail(&task);
        if self.follow {
            follow(session, &path, &mut trail)?;
        }
        print(session, &path, &trail.news()?);
        Ok(Exit::Success)
    }
}

impl Args {
    /// The step whose output is wanted.
    fn step(&self) -> Option<Printed> {
        let Self { agent, test, judge, prepare, .. } = self;
        let flags = [
            (agent, Printed::Agent),
            (test, Printed::Test),
            (judge, Printed::Judge),
            (prepare, Printed::Prepare),
        ];
        flags.into_iter().find(|it| *it.0 > 0).map(|it| it.1)
    }
}

/// Prints what comes until nothing more comes, or it is no longer read.
fn follow(session: &mut Session, path: &str, trail: &mut Trail<'_>) -> Result<(), AnyFault> {
    while !trail.stands_still()? {
        print(session, path, &trail.news()?);
        if wait() == Reader::Gone {
            break;
        }
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    There,
    Gone,
}

/// Waits a moment, and no longer than somebody reads standard output.
pub(super) fn wait() -> Reader {
    let stdout = io::stdout();
    // Nothing is asked for: that the other end is closed is said in any case.
    let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
    match poll(&mut watched, Some(&PAUSE)) {
        Ok(0) | Err(Errno::INTR) => Reader::There,
        Ok(_) | Err(_) => Reader::Gone,
    }
}

fn print(session: &mut Session, path: &str, news: &News) {
    let (lang, output) = (session.output.lang, &mut session.output);
    for number in &news.unreadable {
        output.complain(&lang.pick(
            format!("line {number} of `{path}` cannot be read and is left out"),
            format!("`{path}` 的第 {number} 行无法读取，已略去"),
        ));
    }
    for event in &news.events {
        match output.format() {
            Format::Text => output.line(&line(event)),
            Format::Json => output.record(event),
        }
    }
}

fn line(event: &EventLine) -> String {
    let it = &event.value;
    let attempt = if it.attempt == 0 { "-".to_owned() } else { it.attempt.to_string() };
    let summary = if it.summary.is_empty() { details(event) } else { it.summary.clone() };
    format!("{}  {:>3}  {}  {summary}", it.ts, attempt, it.kind).trim_end().to_owned()
}

/// What the kind of an event says besides, where it has no summary.
fn details(event: &EventLine) -> String {
    // Which write an event belongs to matters to provost alone.
    let said = event.rest.iter().filter(|(key, _)| *key != "state_version");
    let said = said.filter_map(|(key, value)| match value {
        Value::String(text) => Some(format!("{key}={text}")),
        Value::Number(_) | Value::Bool(_) => Some(format!("{key}={value}")),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    });
    said.collect::<Vec<_>>().join(" ")
}
