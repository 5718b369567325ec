//! An engine that is a program: one process for each case, request on standard input, answer on
//! standard output.
//!
//! It has an empty folder, an environment by allow-list, no shell, and no network unless somebody
//! allows it. When its time is over, its whole process group is.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Write as _},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use provost_adapter::Cancel;
use provost_exec::{
    Capture, Ended, ExecError, Guardian, Job, Limits, Outcome as Exited, Streams,
    sandbox::{Network, Requirement, Sandbox},
};
use provost_kernel::{
    Finding, Message as _, Text,
    eval::{ErrorCode, StepError},
};
use provost_rules::{secret, sudo::refuse_sudo};
use provost_rules_eval::response::{self, MAX_ANSWER};
use provost_shell::parse_argv;
use tempfile::{NamedTempFile, TempDir};

use super::{
    fault::Fault,
    work_queue::{Outcome, Turn},
};

/// A program, and how it is kept.
#[derive(Clone, Debug)]
pub struct CommandPlan {
    pub argv: Vec<String>,
    pub mode: CommandMode,
    /// Where it starts; a new empty folder, by default.
    pub cwd: Option<PathBuf>,
    pub guardian: Guardian,
    pub env: BTreeMap<String, String>,
    /// What it may not even read.
    pub hidden: Vec<PathBuf>,
    pub network: Network,
    pub timeout: Duration,
}

/// How a program is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandMode {
    /// One process for each case.
    OneShot,
    /// One process for each worker, one line for each request and each answer.
    Lines,
}

/// The files of one process: gone when this is dropped.
#[derive(Debug)]
pub(super) struct Bench {
    /// Where its files lie that are not its own.
    pub(super) root: PathBuf,
    cwd: PathBuf,
    _folder: TempDir,
}

/// How long a program has to end after it was asked to.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// How much of standard error is shown.
const SHOWN: u64 = 300;

/// The longest answer.
const CAP: u64 = MAX_ANSWER as u64;

/// Runs a program once on this input; what it printed is in the two files.
pub(super) fn run(
    plan: &CommandPlan,
    input: &[u8],
    cancel: &Cancel,
) -> Result<(Exited, File, File), StepError> {
    let bench = plan.bench().map_err(|error| unable(&error))?;
    let request = bench.put("request.json", input).map_err(|error| unable(&error))?;
    let mut job = plan.job(&bench, plan.timeout).reading(&request);
    job.output_cap = CAP + 1;
    let (streams, stdout, stderr) = bench.streams().map_err(|error| unable(&error))?;
    let running = job.start(&plan.guardian, streams, &allowed).map_err(|error| spawn(&error))?;
    let waited =
        cancel.during(running.canceller(), || running.wait(&|it| secret::redact_shapes(it)));
    Ok((waited.map_err(|error| spawn(&error))?, stdout, stderr))
}

/// Asks a program about one case.
pub(super) fn ask(plan: &CommandPlan, turn: &Turn, cancel: &Cancel) -> Outcome {
    let input = serde_json::to_vec(&turn.request.to_json()).unwrap_or_default();
    let (exited, stdout, stderr) = run(plan, &input, cancel)?;
    let answer = start_of(&stdout, CAP + 1);
    if !exited.is_success() {
        return Err(match response::read(&answer) {
            // An engine may say itself what failed.
            Err(said) if said.error_code != ErrorCode::Parse => said,
            Ok(_) | Err(_) => died(&exited.ended, exited.rc, &stderr),
        });
    }
    if answer.len() > MAX_ANSWER || exited.stdout_dropped > 0 {
        return Err(too_large());
    }
    if answer.iter().all(u8::is_ascii_whitespace) {
        let text = with_stderr(Fault::Empty.text(), &stderr);
        return Err(StepError::new(ErrorCode::Parse, &text));
    }
    response::read(&answer)
}

/// What a program that did not end well means.
pub(super) fn died(ended: &Ended, rc: i32, stderr: &File) -> StepError {
    let (code, text) = match ended {
        Ended::Exited => (ErrorCode::Provider, Fault::Exited { rc }.text()),
        Ended::Signalled { signal } => {
            (ErrorCode::Provider, Fault::Signalled { signal: *signal }.text())
        }
        Ended::LimitReached { reached } => (ErrorCode::Provider, reached.text()),
        Ended::DeadlineReached => (ErrorCode::Timeout, Fault::Late.text()),
        Ended::Cancelled => (ErrorCode::Provider, Fault::Cancelled.text()),
        Ended::NotRun { reason } => (ErrorCode::Spawn, reason.clone().into()),
    };
    let retryable = !matches!(code, ErrorCode::Spawn);
    StepError { retryable, ..StepError::new(code, &with_stderr(text, stderr)) }
}

pub(super) fn too_large() -> StepError {
    Fault::TooLarge { limit: MAX_ANSWER >> 20 }.error(ErrorCode::Parse)
}

/// An engine that could not be started.
pub(super) fn spawn(cause: &ExecError) -> StepError {
    StepError::new(ErrorCode::Spawn, &cause.text())
}

pub(super) fn unable(cause: &io::Error) -> StepError {
    StepError::new(ErrorCode::Spawn, &cause.to_string().into())
}

/// The command rules: nothing gains another user's rights (LOOP-A3).
pub(super) fn allowed(argv: &[String]) -> Result<(), Finding> {
    refuse_sudo(&parse_argv(argv)).map_or(Ok(()), Err)
}

/// A message with the last thing that the engine said on standard error.
fn with_stderr(fault: Text, stderr: &File) -> Text {
    let length = stderr.metadata().map_or(0, |it| it.len());
    let mut bytes = vec![0; usize::try_from(length.min(64 << 10)).unwrap_or_default()];
    let from = length.saturating_sub(64 << 10);
    if stderr.read_exact_at(&mut bytes, from).is_err() {
        return fault;
    }
    // Redacted before it is cut: half a secret is not recognised.
    let clean = secret::redact_shapes(&bytes);
    let said = String::from_utf8_lossy(&clean);
    let said = said.trim();
    let skipped = said.chars().count().saturating_sub(usize::try_from(SHOWN).unwrap_or(300));
    let last: String = said.chars().skip(skipped).collect();
    if last.is_empty() {
        return fault;
    }
    Fault::WithStderr { fault, stderr: last.escape_debug().to_string() }.text()
}

/// The first bytes of a file.
pub(super) fn start_of(file: &File, cap: u64) -> Vec<u8> {
    let length = file.metadata().map_or(0, |it| it.len()).min(cap);
    let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
    // What cannot be read is not an answer.
    if file.read_exact_at(&mut bytes, 0).is_err() {
        bytes.clear();
    }
    bytes
}

impl CommandPlan {
    /// Makes the folders of one process.
    pub(super) fn bench(&self) -> io::Result<Bench> {
        let folder = tempfile::Builder::new().prefix("provost-eval-").tempdir()?;
        // The sandbox refuses a path that leads through a link, as a temporary folder may.
        let root = folder.path().canonicalize()?;
        let cwd = match &self.cwd {
            Some(cwd) => cwd.canonicalize()?,
            None => tempfile::Builder::new().prefix("work-").tempdir_in(&root)?.keep(),
        };
        Ok(Bench { root, cwd, _folder: folder })
    }

    pub(super) fn job(&self, bench: &Bench, deadline: Duration) -> Job {
        let mut job = Job::new(self.argv.iter().cloned(), &bench.cwd, deadline);
        job.env = self.env.clone();
        let own = bench.cwd.to_string_lossy().into_owned();
        job.env.insert("TMPDIR".to_owned(), own);
        job.grace = GRACE;
        job.sandbox = Some(Sandbox {
            writable: vec![bench.cwd.clone()],
            hidden: self.hidden.clone(),
            network: self.network,
            files: Requirement::Accept,
            limits: Limits::of_machine(),
        });
        job
    }
}

impl Bench {
    /// Puts a file next to the folder of the program.
    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let mut temporary = NamedTempFile::new_in(&self.root)?;
        temporary.write_all(bytes)?;
        let path = self.root.join(name);
        temporary.persist(&path)?;
        Ok(path)
    }

    /// Files without a name for what it prints, and handles to read them.
    pub(super) fn streams(&self) -> io::Result<(Streams, File, File)> {
        let capture = || -> io::Result<_> {
            Ok(Capture { raw: nameless(&self.root)?, clean: nameless(&self.root)? })
        };
        let (stdout, stderr) = (capture()?, capture()?);
        let (out, err) = (stdout.raw.try_clone()?, stderr.raw.try_clone()?);
        Ok((Streams { stdout, stderr }, out, err))
    }
}

fn nameless(folder: &Path) -> io::Result<File> {
    Ok(tempfile::Builder::new().append(true).tempfile_in(folder)?.into_file())
}
