//! One process to run, and the start of it.

use std::{
    collections::BTreeMap,
    io::Write as _,
    os::{fd::OwnedFd, unix::net::UnixStream},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use provost_kernel::Finding;
use serde::{Deserialize, Serialize};

use crate::{
    Guardian, Running, Streams,
    capture::is_append_only,
    error::{BadJob, ExecError, JobPart},
    sandbox::Sandbox,
    wire::{self, ALWAYS_FITS, Plan},
};

/// The command rules of the caller: they see the arguments before anything is started.
pub type Check<'a> = dyn Fn(&[String]) -> Result<(), Finding> + 'a;

/// One process to run under a guardian.
///
/// There is no shell unless `argv` names one, standard input is closed unless something is given, and
/// the environment is exactly `env` (see [`environment::inherited`](crate::environment::inherited)).
#[derive(Clone, Debug)]
pub struct Job {
    /// The program and its arguments. A name without `/` is looked for in the absolute folders of
    /// `PATH` in `env`.
    pub argv: Vec<String>,
    /// The folder the program starts in; absolute.
    pub cwd: PathBuf,
    pub env: BTreeMap<String, String>,
    /// How long the program may run.
    pub deadline: Duration,
    /// How long its processes may take to end after TERM, before KILL.
    pub grace: Duration,
    /// How many bytes of each stream are kept. Reaching it does not stop the job.
    pub output_cap: u64,
    pub sandbox: Option<Sandbox>,
    pub(crate) input: Input,
}

/// What a program reads from its standard input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Input {
    Nothing,
    File(PathBuf),
    /// This text, which lies in no file.
    Text(String),
}

impl Job {
    /// Enough for a program to write its last state.
    pub const GRACE: Duration = Duration::from_secs(5);

    /// Small enough to redact a whole stream in memory.
    pub const OUTPUT_CAP: u64 = 16 << 20;

    /// A job with an empty environment, the usual grace and output cap, and no sandbox.
    pub fn new(
        argv: impl IntoIterator<Item: Into<String>>,
        cwd: &Path,
        deadline: Duration,
    ) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            cwd: cwd.to_owned(),
            env: BTreeMap::new(),
            deadline,
            grace: Self::GRACE,
            output_cap: Self::OUTPUT_CAP,
            sandbox: None,
            input: Input::Nothing,
        }
    }

    /// The same job with this file as standard input; absolute.
    #[must_use]
    pub fn reading(mut self, file: &Path) -> Self {
        self.input = Input::File(file.to_owned());
        self
    }

    /// The same job with this text as standard input.
    #[must_use]
    pub fn given(mut self, text: String) -> Self {
        self.input = Input::Text(text);
        self
    }

    /// Starts the job and returns when its program runs.
    ///
    /// Nothing is started when `check` refuses, when the job is not one that can be run, or when
    /// the kernel cannot enforce what its sandbox must have.
    pub fn start(
        &self,
        guardian: &Guardian,
        streams: Streams,
        check: &Check<'_>,
    ) -> Result<Running, ExecError> {
        check(&self.argv).map_err(|finding| ExecError::Refused(Box::new(finding)))?;
        self.validate().map_err(ExecError::BadJob)?;
        for (stream, capture) in [("stdout", &streams.stdout), ("stderr", &streams.stderr)] {
            if !is_append_only(&capture.raw) {
                return Err(ExecError::BadJob(BadJob::NotAppending { stream }));
            }
        }

        let lost = |source| ExecError::Guardian { program: guardian.program.clone(), source };
        let plan = wire::frame(&self.plan()).map_err(lost)?;
        let (ours, theirs) = UnixStream::pair().map_err(lost)?;
        // A guardian that finds its plan waiting need not wait for us.
        let (early, late) = plan.split_at(if plan.len() <= ALWAYS_FITS { plan.len() } else { 0 });
        (&ours).write_all(early).map_err(lost)?;
        let stdout = streams.stdout.raw.try_clone().map_err(lost)?;
        let stderr = streams.stderr.raw.try_clone().map_err(lost)?;
        // Nothing here may need code between fork and exec: std then uses `posix_spawn`, whose
        // cost does not grow with the memory of this process.
        #[expect(clippy::disallowed_methods, reason = "this is the one place that starts programs")]
        let child = Command::new(&guardian.program)
            .args(&guardian.args)
            .env_clear()
            .stdin(OwnedFd::from(theirs))
            .stdout(stdout)
            .stderr(stderr)
            .spawn()
            .map_err(lost)?;

        let running = Running::new(child, ours, streams, self);
        running.send(late).map_err(lost)?;
        running.started()
    }

    fn plan(&self) -> Plan {
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Plan {
            argv: self.argv.clone(),
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            deadline_ms: millis(self.deadline),
            grace_ms: millis(self.grace),
            output_cap: self.output_cap,
            input: self.input.clone(),
            sandbox: self.sandbox.clone(),
        }
    }

    /// Refuses here what would otherwise fail in another process, far from its cause.
    fn validate(&self) -> Result<(), BadJob> {
        if self.argv.first().is_none_or(String::is_empty) {
            return Err(BadJob::NoCommand);
        }
        if self.argv.iter().any(|it| it.contains('\0')) {
            return Err(BadJob::Nul { part: JobPart::Command });
        }
        for (name, value) in &self.env {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(BadJob::VariableName { name: name.clone() });
            }
            if value.contains('\0') {
                return Err(BadJob::Nul { part: JobPart::Environment });
            }
        }
        validate_path(JobPart::Cwd, &self.cwd)?;
        match &self.input {
            Input::File(path) => validate_path(JobPart::Stdin, path)?,
            Input::Nothing | Input::Text(_) => {}
        }
        match &self.sandbox {
            Some(sandbox) => sandbox.validate(),
            None => Ok(()),
        }
    }
}

/// Refuses a path that would mean something else in the guardian.
pub(crate) fn validate_path(part: JobPart, path: &Path) -> Result<(), BadJob> {
    if !path.is_absolute() {
        return Err(BadJob::RelativePath { part, path: path.to_owned() });
    }
    match path.to_str() {
        None => Err(BadJob::NotUtf8 { part, path: path.to_owned() }),
        Some(text) if text.contains('\0') => Err(BadJob::Nul { part }),
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

    use super::*;

    fn job(argv: &[&str], cwd: &str) -> Job {
        Job::new(argv.iter().copied(), Path::new(cwd), Duration::from_secs(1))
    }

    #[test]
    fn a_job_that_cannot_be_run_is_refused_by_name() {
        let check = |job: Job, expected: BadJob| assert_eq!(job.validate(), Err(expected));
        check(job(&[], "/"), BadJob::NoCommand);
        check(job(&[""], "/"), BadJob::NoCommand);
        check(job(&["a\0b"], "/"), BadJob::Nul { part: JobPart::Command });
        check(job(&["a"], "x"), BadJob::RelativePath { part: JobPart::Cwd, path: "x".into() });
        check(job(&["a"], "/x\0"), BadJob::Nul { part: JobPart::Cwd });

        let mut named = job(&["a"], "/");
        named.env.insert("A=B".to_owned(), String::new());
        check(named, BadJob::VariableName { name: "A=B".to_owned() });

        let mut valued = job(&["a"], "/");
        valued.env.insert("A".to_owned(), "\0".to_owned());
        check(valued, BadJob::Nul { part: JobPart::Environment });

        let path = PathBuf::from(OsStr::from_bytes(b"/\xff"));
        let mut foreign = job(&["a"], "/");
        foreign.cwd.clone_from(&path);
        check(foreign, BadJob::NotUtf8 { part: JobPart::Cwd, path });
    }
}
