//! A job that runs: waiting for it, cancelling it, and never leaving it behind.

use std::{
    io::{self, Write as _},
    net::Shutdown,
    os::unix::net::UnixStream,
    process::Child,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    Job, Outcome, Redact, Streams,
    error::ExecError,
    outcome::Ended,
    processes,
    sandbox::SandboxReport,
    wire::{self, Report},
};

/// How much longer than deadline and grace the guardian may take: to find and kill every process,
/// on a loaded machine.
const MARGIN: Duration = Duration::from_mins(1);

/// How long a guardian that was told to end may take before it is killed itself.
const FAREWELL: Duration = Duration::from_secs(15);

/// A job under its guardian.
///
/// Dropping it ends the job: the guardian sees the end of its stream and kills what is left.
#[derive(Debug)]
pub struct Running {
    guardian: Child,
    link: Arc<UnixStream>,
    streams: Streams,
    output_cap: u64,
    limit: Instant,
    state: State,
}

/// Ends the job of a [`Running`] from another thread.
#[derive(Clone, Debug)]
pub struct Canceller(Arc<UnixStream>);

#[derive(Debug)]
enum State {
    Starting,
    Started {
        pid: i32,
        sandbox: Option<SandboxReport>,
    },
    /// The guardian is reaped and nothing of the job is left.
    Over,
    /// As `Over`, and the outcome was known before anyone waited for it.
    OverWith(Box<Outcome>),
}

impl Canceller {
    /// Asks the guardian to end the job: TERM, the job's grace, KILL. A job that has ended already
    /// is not an error.
    pub fn cancel(&self) {
        // The only way to fail is that the guardian is gone, and `wait` reports that.
        let _ = (&*self.0).write_all(wire::CANCEL);
    }
}

impl Running {
    pub(crate) fn new(guardian: Child, link: UnixStream, streams: Streams, job: &Job) -> Self {
        let longest = job.deadline.saturating_add(job.grace).saturating_add(MARGIN);
        let limit = far_from_now(longest);
        Self {
            guardian,
            link: Arc::new(link),
            streams,
            output_cap: job.output_cap,
            limit,
            state: State::Starting,
        }
    }

    /// Sends what does not fit into a socket that is not read.
    pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        // A program that is not a guardian may never read.
        self.link.set_write_timeout(Some(MARGIN))?;
        (&*self.link).write_all(bytes)
    }

    /// Waits for the first report.
    pub(crate) fn started(mut self) -> Result<Self, ExecError> {
        let first = self.receive(self.limit.min(far_from_now(MARGIN)));
        match first {
            Ok(Report::Started { pid, sandbox }) => {
                self.state = State::Started { pid, sandbox };
                Ok(self)
            }
            Ok(Report::NotRun { rc, reason }) => {
                self.reap();
                self.state = State::OverWith(Box::new(Outcome {
                    rc,
                    ended: Ended::NotRun { reason },
                    leftovers_ended: 0,
                    unkillable: Vec::new(),
                    stdout_dropped: 0,
                    stderr_dropped: 0,
                    wall: Duration::ZERO,
                    sandbox: None,
                }));
                Ok(self)
            }
            Ok(Report::Unenforceable { gaps }) => {
                self.reap();
                Err(ExecError::Unenforceable { gaps })
            }
            Ok(Report::Failed { action, cause }) => {
                self.reap();
                Err(ExecError::NotStarted { action, cause })
            }
            Ok(Report::Finished { .. }) | Err(_) => Err(self.lost()),
        }
    }

    /// The process id of the program; none when it could not be run.
    pub fn pid(&self) -> Option<i32> {
        match &self.state {
            State::Started { pid, .. } => Some(*pid),
            State::Starting | State::Over | State::OverWith(_) => None,
        }
    }

    /// A handle that ends this job from another thread.
    pub fn canceller(&self) -> Canceller {
        Canceller(Arc::clone(&self.link))
    }

    /// Waits until nothing of the job is left, and cleans what it printed.
    ///
    /// It returns soon after deadline and grace at the latest, whatever the job does.
    pub fn wait(mut self, redact: &Redact<'_>) -> Result<Outcome, ExecError> {
        let ended = self.outcome();
        // What was printed is evidence even when the guardian was lost.
        let kept = self.clean(redact);
        let outcome = ended?;
        kept?;
        Ok(outcome)
    }

    /// Waits as [`wait`](Running::wait) does, and gives back the raw files uncleaned.
    pub(crate) fn wait_raw(mut self) -> Result<Outcome, ExecError> {
        self.outcome()
    }

    fn outcome(&mut self) -> Result<Outcome, ExecError> {
        let sandbox = match std::mem::replace(&mut self.state, State::Over) {
            State::OverWith(outcome) => return Ok(*outcome),
            State::Started { sandbox, .. } => sandbox,
            State::Starting | State::Over => None,
        };
        let Ok(Report::Finished {
            rc,
            ended,
            leftovers_ended,
            unkillable,
            stdout_dropped,
            stderr_dropped,
            wall_us,
        }) = self.receive(self.limit)
        else {
            return Err(self.lost());
        };
        self.reap();
        Ok(Outcome {
            rc,
            ended,
            leftovers_ended,
            unkillable,
            stdout_dropped,
            stderr_dropped,
            wall: Duration::from_micros(wall_us),
            sandbox,
        })
    }

    fn receive(&self, limit: Instant) -> io::Result<Report> {
        let left = limit.saturating_duration_since(Instant::now());
        self.link.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        wire::receive(&*self.link)
    }

    /// Reaps a guardian that has reported its last. It only has to exit, so it is not waited for:
    /// a guardian that something has stopped must not stop us.
    fn reap(&mut self) {
        let _ = self.guardian.kill();
        let _ = self.guardian.wait();
        self.state = State::Over;
    }

    /// Ends what a guardian has left behind that is gone or does not answer.
    ///
    /// The guardian is reaped last: until then nothing else can get its process id, so the
    /// session of that id is still the job's.
    fn lost(&mut self) -> ExecError {
        let pid = self.guardian.id();
        let _ = self.guardian.kill();
        processes::end_session(pid);
        self.reap();
        ExecError::GuardianLost { pid }
    }

    fn clean(&self, redact: &Redact<'_>) -> Result<(), ExecError> {
        for (stream, capture) in
            [("stdout", &self.streams.stdout), ("stderr", &self.streams.stderr)]
        {
            capture
                .clean(self.output_cap, redact)
                .map_err(|source| ExecError::Output { stream, source })?;
        }
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        match self.state {
            State::Over | State::OverWith(_) => return,
            State::Starting | State::Started { .. } => {}
        }
        // The guardian reads the end of its stream, kills what is left, and closes its own end.
        let _ = self.link.shutdown(Shutdown::Write);
        let limit = far_from_now(FAREWELL);
        while self.receive(limit).is_ok() {}
        self.lost();
    }
}

/// An instant this far away, or as far as instants reach.
pub(crate) fn far_from_now(duration: Duration) -> Instant {
    const YEAR: Duration = Duration::from_hours(365 * 24);
    let now = Instant::now();
    now.checked_add(duration).unwrap_or(now + YEAR)
}
