//! Questions to git.
//!
//! What it is asked changes nothing, and nothing that a repository configures is run, because an
//! agent may have written its configuration.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _},
    time::Duration,
};

use camino::Utf8Path;
use provost_exec::{Capture, Ended, ExecError, Job, Streams, environment as allowed};
use provost_kernel::Message;
use rustix::fs::OFlags;

use crate::environment::{self, Environment, EnvironmentError};

/// The oldest git whose answers provost understands.
pub(crate) const OLDEST: (u32, u32) = (2, 31);

/// A question that takes longer is not answered.
const DEADLINE: Duration = Duration::from_secs(20);

/// What git answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) reply: Reply,
    pub(crate) stdout: Vec<u8>,
}

/// What git says with its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Yes,
    No,
}

/// Why git did not answer.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "git")]
pub(crate) enum GitError {
    #[message(
        en = "git was not found in `PATH`",
        zh = "在 `PATH` 中未找到 git",
        hint(
            en = "install git {major}.{minor} or newer",
            zh = "请安装 git {major}.{minor} 或更高版本"
        ),
        arg(major = OLDEST.0),
        arg(minor = OLDEST.1)
    )]
    Missing,
    /// It could not be started or watched.
    #[message(en = "cannot ask git", zh = "无法询问 git", inherit = field0, exit = Unable)]
    Exec(#[source] ExecError),
    /// It did not come to an end by itself.
    #[message(
        en = "git did not answer: {ended}",
        zh = "git 没有回答：{ended}",
        arg(ended = format!("{field0:?}"))
    )]
    Ended(Ended),
    /// It said why not.
    #[message(en = "git cannot say: {said}", zh = "git 无法回答：{said}")]
    Refused { said: String },
    /// It said more than is kept.
    #[message(
        en = "git says more than provost can keep",
        zh = "git 的回答超出 provost 可保存的大小"
    )]
    TooMuch,
    /// What it said could not be kept.
    #[message(en = "cannot keep what git says", zh = "无法保存 git 的回答")]
    Lost(#[source] io::Error),
    #[message(transparent)]
    Environment(EnvironmentError),
}

/// Asks git one question in a folder.
pub(crate) fn ask(
    environment: &Environment,
    folder: &Utf8Path,
    question: &[&str],
) -> Result<Answer, GitError> {
    let guardian = environment::guardian().map_err(GitError::Environment)?;
    let (stdout, stdout_copy) = capture().map_err(GitError::Lost)?;
    let (stderr, stderr_copy) = capture().map_err(GitError::Lost)?;
    let running = job(environment, folder, question).start(
        &guardian,
        Streams { stdout, stderr },
        &|_| Ok(()),
    );
    let outcome = running.and_then(|it| it.wait(&|bytes| bytes.into())).map_err(GitError::Exec)?;
    // A list that ends in the middle would hide what comes after.
    if outcome.stdout_dropped > 0 {
        return Err(GitError::TooMuch);
    }
    let reply = match (outcome.ended, outcome.rc) {
        (Ended::Exited, 0) => Reply::Yes,
        (Ended::Exited, 1) => Reply::No,
        (Ended::Exited, _) => {
            let said = bytes(stderr_copy).map_err(GitError::Lost)?;
            let said = String::from_utf8_lossy(&said);
            let first = said.lines().next().unwrap_or_default();
            return Err(GitError::Refused { said: first.to_owned() });
        }
        (Ended::NotRun { .. }, _) => return Err(GitError::Missing),
        (
            ended @ (Ended::Signalled { .. }
            | Ended::DeadlineReached
            | Ended::Cancelled
            | Ended::LimitReached { .. }),
            _,
        ) => {
            return Err(GitError::Ended(ended));
        }
    };
    Ok(Answer { reply, stdout: bytes(stdout_copy).map_err(GitError::Lost)? })
}

fn job(environment: &Environment, folder: &Utf8Path, question: &[&str]) -> Job {
    let harmless = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
    let argv = harmless.into_iter().chain(question.iter().copied());
    let mut job = Job::new(argv, folder.as_std_path(), DEADLINE);
    // A list of a million paths is not unusual.
    job.output_cap = 256 * 1024 * 1024;
    job.env = allowed::inherited(allowed::PLAIN, environment.texts());
    for (name, value) in [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        // What is missing from a partial clone would be fetched by a program of the repository.
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("LC_ALL", "C"),
    ] {
        job.env.insert(name.to_owned(), value.to_owned());
    }
    job
}

/// Files without a name for one stream, and a second handle on what will be read.
fn capture() -> io::Result<(Capture, File)> {
    let (raw, clean) = (tempfile::tempfile()?, tempfile::tempfile()?);
    rustix::fs::fcntl_setfl(&raw, OFlags::APPEND)?;
    let copy = clean.try_clone()?;
    Ok((Capture { raw, clean }, copy))
}

fn bytes(mut file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
