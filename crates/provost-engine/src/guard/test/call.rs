//! One call of a hook, as a client makes it.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read as _, Seek as _, Write as _},
    time::Duration,
};

use camino::Utf8Path;
use provost_exec::{Capture, Ended, ExecError, Guardian, Job, Outcome, Streams, environment};
use provost_kernel::Message;
use provost_rules_guard::install::client_semantics::Answered;

/// What a program did with one payload.
#[derive(Debug)]
pub(super) struct Called {
    outcome: Outcome,
    stdout: String,
    stderr: String,
}

/// Why a call says nothing.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "guard.call")]
pub(super) enum CallError {
    #[message(en = "cannot store the output of the hook: {0}", zh = "无法保存钩子的输出：{0}")]
    Files(#[source] io::Error),
    #[message(transparent)]
    Exec(#[source] ExecError),
}

/// Longer than a hook may take by itself, and than a shell takes to start.
const DEADLINE: Duration = Duration::from_secs(30);

/// How much of an answer is shown.
const SHOWN: usize = 200;

/// What says where the homes and the configuration of this person lie.
const OF_HOMES: [&str; 2] = ["XDG_CONFIG_HOME", "XDG_STATE_HOME"];

/// Starts a program with a payload on its standard input.
pub(super) fn call(
    guardian: &Guardian,
    variables: &BTreeMap<String, String>,
    argv: &[String],
    folder: &Utf8Path,
    payload: &[u8],
) -> Result<Called, CallError> {
    let mut input = tempfile::NamedTempFile::new().map_err(CallError::Files)?;
    input.write_all(payload).map_err(CallError::Files)?;
    let named = variables.iter().map(|(name, value)| (name.clone(), value.clone()));
    let mut job = Job::new(argv, folder.as_std_path(), DEADLINE).reading(input.path());
    let names = environment::PLAIN.into_iter().chain(OF_HOMES);
    job.env = environment::inherited(names, named);
    let (stdout, out) = capture().map_err(CallError::Files)?;
    let (stderr, err) = capture().map_err(CallError::Files)?;
    // What is started is what the person installed; the guard judges what comes after it.
    let running =
        job.start(guardian, Streams { stdout, stderr }, &|_| Ok(())).map_err(CallError::Exec)?;
    let outcome = running.wait(&|bytes| bytes.into()).map_err(CallError::Exec)?;
    let [stdout, stderr] = [text(out), text(err)];
    Ok(Called {
        outcome,
        stdout: stdout.map_err(CallError::Files)?,
        stderr: stderr.map_err(CallError::Files)?,
    })
}

impl Called {
    /// What the client sees. A program that did not end by itself has no exit code of its own: what
    /// stands here is one that no client takes for an answer.
    pub(super) fn answered(&self) -> Answered<'_> {
        let exit = match self.outcome.ended {
            Ended::Exited => self.outcome.rc,
            Ended::Signalled { .. }
            | Ended::DeadlineReached
            | Ended::LimitReached { .. }
            | Ended::Cancelled
            | Ended::NotRun { .. } => 1,
        };
        Answered { stdout: &self.stdout, stderr: &self.stderr, exit }
    }

    /// What it said to people, in one line.
    pub(super) fn said(&self) -> Option<String> {
        if let Ended::NotRun { reason } = &self.outcome.ended {
            return Some(reason.clone());
        }
        let line =
            self.stderr.lines().chain(self.stdout.lines()).find(|it| !it.trim().is_empty())?;
        Some(line.chars().filter(|it| !it.is_control()).take(SHOWN).collect())
    }
}

/// Files without a name for one stream, and a second handle on what will be read.
fn capture() -> io::Result<(Capture, File)> {
    let raw = tempfile::Builder::new().append(true).tempfile()?.into_file();
    let clean = tempfile::tempfile()?;
    let copy = clean.try_clone()?;
    Ok((Capture { raw, clean }, copy))
}

fn text(mut file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
