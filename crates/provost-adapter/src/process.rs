//! One program under its guardian, on behalf of an adapter.

use std::{
    collections::BTreeMap, fs::File, os::unix::fs::FileExt as _, path::PathBuf, sync::mpsc,
    time::Duration,
};

use provost_exec::{Ended, ExecError, Job, Outcome};
use provost_kernel::Message as _;

use crate::{
    adapter::{Call, Workplace},
    call_result::{CallError, CallOutcome, Failure},
    tail::{LineReader, Next, Tail},
};

/// How often the output of a running program is looked at.
const PAUSE: Duration = Duration::from_millis(100);

/// What is left of a program.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) outcome: Outcome,
    /// What it wrote to standard output. It is a log for people; only a preset looks at it, and
    /// only for what the call cost.
    pub(crate) stdout: Option<File>,
    /// Whether its reader ended it.
    pub(crate) is_stopped: bool,
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
/// for its standard input; the reader is given what it prints, while it runs.
pub(crate) fn run(
    argv: Vec<String>,
    input: Option<PathBuf>,
    variables: BTreeMap<String, String>,
    call: Call<'_>,
    reader: Option<&mut dyn LineReader>,
) -> Result<Option<Ran>, ExecError> {
    let Call { request, exchange: _, workplace, cancel, seen: _, resumed: _ } = call;
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
    let running = job.start(guardian, streams, check)?;
    let canceller = running.canceller();
    let mut is_stopped = false;
    let tail = stdout.as_ref().and_then(|it| it.try_clone().ok()).map(Tail::new);
    let outcome = cancel.during(running.canceller(), || match (reader, tail) {
        (Some(reader), Some(mut tail)) => std::thread::scope(|scope| {
            let (over, is_over) = mpsc::channel::<()>();
            let is_stopped = &mut is_stopped;
            scope.spawn(move || {
                while is_over.recv_timeout(PAUSE) == Err(mpsc::RecvTimeoutError::Timeout) {
                    if tail.read(reader) == Next::Stop && !*is_stopped {
                        *is_stopped = true;
                        canceller.cancel();
                    }
                }
                tail.finish(reader);
            });
            let outcome = running.wait(redact);
            drop(over);
            outcome
        }),
        (_, _) => running.wait(redact),
    })?;
    // Who asked for the end of everything asked for this one, too.
    let is_stopped = is_stopped && !cancel.is_cancelled();
    Ok(Some(Ran { outcome, stdout, is_stopped }))
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
            Ended::Cancelled if self.is_stopped => Ending::Otherwise(Err(CallError::Budget)),
            Ended::Cancelled => Ending::Otherwise(Err(CallError::Cancelled)),
            Ended::NotRun { reason } => Ending::Otherwise(match self.outcome.rc {
                127 => Err(CallError::Missing),
                _ => Err(CallError::Failed(Failure::NotExecutable { reason: reason.clone() })),
            }),
        }
    }
}
