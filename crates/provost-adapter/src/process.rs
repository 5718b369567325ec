//! One program under its guardian, on behalf of an adapter.

use std::{collections::BTreeMap, fs::File, os::unix::fs::FileExt as _, path::PathBuf};

use provost_exec::{Ended, ExecError, Job, Outcome};
use provost_kernel::Message as _;

use crate::{
    adapter::{Call, Workplace},
    call_result::{CallError, CallOutcome, Failure},
    cancel::Cancel,
};

/// What is left of a program.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) outcome: Outcome,
    /// What it wrote to standard output. It is a log for people; only a preset looks at it, and
    /// only for what the call cost.
    pub(crate) stdout: Option<File>,
}

/// How a program ended, before anybody looks at what it left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By itself, with this code.
    Exited(i32),
    /// In another way, which decides the outcome.
    Otherwise(CallOutcome),
}

/// Runs a program to its end; none when the end was asked for before it began. `input` is a file
/// for its standard input.
pub(crate) fn run(
    argv: Vec<String>,
    input: Option<PathBuf>,
    variables: BTreeMap<String, String>,
    call: Call<'_>,
) -> Result<Option<Ran>, ExecError> {
    let Call { request, exchange: _, workplace, cancel } = call;
    if cancel.is_cancelled() {
        return Ok(None);
    }
    let Workplace { tree, guardian, streams, env, sandbox, grace, output_cap, check, redact } =
        workplace;
    let job = Job::new(argv, tree, request.deadline());
    let mut job = input.iter().fold(job, |job, file| job.reading(file));
    job.env = env;
    job.env.extend(variables);
    job.grace = grace;
    job.output_cap = output_cap;
    job.sandbox = sandbox;

    let stdout = streams.stdout.raw.try_clone().ok();
    let outcome = supervise(&job, guardian, streams, check, redact, cancel)?;
    Ok(Some(Ran { outcome, stdout }))
}

fn supervise(
    job: &Job,
    guardian: &provost_exec::Guardian,
    streams: provost_exec::Streams,
    check: &provost_exec::Check<'_>,
    redact: &provost_exec::Redact<'_>,
    cancel: &Cancel,
) -> Result<Outcome, ExecError> {
    let running = job.start(guardian, streams, check)?;
    cancel.during(running.canceller(), || running.wait(redact))
}

impl Ran {
    /// The start of standard output, up to `cap` bytes.
    pub(crate) fn stdout(&self, cap: usize) -> Vec<u8> {
        let Some(file) = &self.stdout else { return Vec::new() };
        let length = file.metadata().map_or(0, |it| it.len());
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(cap).min(cap)];
        // What cannot be read costs nothing but a figure.
        if file.read_exact_at(&mut bytes, 0).is_err() {
            bytes.clear();
        }
        bytes
    }

    pub(crate) fn ending(&self) -> Ending {
        match &self.outcome.ended {
            Ended::Exited => Ending::Exited(self.outcome.rc),
            Ended::Signalled { signal } => {
                Ending::Otherwise(Err(CallError::Failed(Failure::Signal { signal: *signal })))
            }
            Ended::LimitReached { reached } => {
                let reason = reached.text().to_string();
                Ending::Otherwise(Err(CallError::Failed(Failure::NotExecutable { reason })))
            }
            Ended::DeadlineReached => Ending::Otherwise(Err(CallError::TimedOut)),
            Ended::Cancelled => Ending::Otherwise(Err(CallError::Cancelled)),
            Ended::NotRun { reason } => Ending::Otherwise(match self.outcome.rc {
                127 => Err(CallError::Missing),
                _ => Err(CallError::Failed(Failure::NotExecutable { reason: reason.clone() })),
            }),
        }
    }
}
