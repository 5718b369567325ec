//! An engine that is a program which stays: one line for each request, one for each answer.
//!
//! Several requests are under way at once, and answers may come in any order. When a process
//! hangs, dies or says something that is not an answer, the request that caused it is unknown: all that
//! were under way are asked again, each alone, and the one that does it again is to blame.

use std::{
    collections::{BTreeMap, VecDeque},
    fs::File,
    io::{self, Write as _},
    os::unix::fs::FileExt as _,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};

use provost_exec::{Canceller, ExecError, Outcome as Exited};
use provost_form::{Limits, json};
use provost_kernel::{
    eval::{ErrorCode, StepError},
    shorten,
};
use provost_rules::secret;
use provost_rules_eval::response::{MAX_ANSWER, from_value};
use rustix::fs::{CWD, FileType, Mode, OFlags};
use serde_json::{Value, json};

use super::{
    command::{self, Bench, CommandPlan, GRACE},
    fault::Fault,
    work_queue::{Outcome, Turn, WorkQueue},
};

/// How many requests are under way in one process.
pub(super) const WINDOW: usize = 4;
/// A process that printed so much is replaced, so that its file does not grow without end.
const RECYCLE: u64 = 64 << 20;
/// How long a process may live. Each request has its own time.
const LIFE: Duration = Duration::from_hours(24);
/// How often a file is looked at for more.
const LOOK: Duration = Duration::from_millis(1);
const LONG_LOOK: Duration = Duration::from_millis(10);
const PROTOCOL: &str = "readdo.gen/1";
const LIMITS: Limits = Limits { bytes: MAX_ANSWER, depth: 34 };

/// A process that is spoken to.
struct Process {
    stdin: Option<File>,
    stdout: File,
    stderr: File,
    offset: u64,
    /// What was read and is not yet a line.
    rest: Vec<u8>,
    /// How much of it has no end of a line in it.
    searched: usize,
    canceller: Canceller,
    over: Receiver<Result<Exited, ExecError>>,
    ended: Option<Result<Exited, ExecError>>,
    is_greeted: bool,
    _bench: Bench,
}

/// What happened while answers were waited for.
enum Event {
    Line(Vec<u8>),
    /// The process cannot be used any more, and why.
    Broken(StepError),
    /// The whole run ends.
    Cancelled,
}

/// Answers turns with one process until there are none.
pub(super) fn work<'a>(plan: &'a CommandPlan, queue: &'a WorkQueue<'a, '_>) {
    let mut worker = Worker {
        plan,
        queue,
        process: None,
        waiting: BTreeMap::new(),
        suspects: VecDeque::new(),
        since: Instant::now(),
    };
    worker.work();
    if let Some(process) = worker.process.take() {
        process.end();
    }
}

struct Worker<'a, 's> {
    plan: &'a CommandPlan,
    queue: &'a WorkQueue<'a, 's>,
    process: Option<Process>,
    /// What was asked and not yet answered.
    waiting: BTreeMap<String, Turn>,
    /// What must be asked alone.
    suspects: VecDeque<Turn>,
    /// Since when nothing was answered.
    since: Instant,
}

impl Worker<'_, '_> {
    fn work(&mut self) {
        loop {
            if let Err(error) = self.fill() {
                self.broken(error);
                continue;
            }
            if self.waiting.is_empty() {
                return;
            }
            match self.listen() {
                Event::Line(line) => self.hear(&line),
                Event::Broken(error) => self.broken(error),
                Event::Cancelled => return,
            }
        }
    }

    /// Asks as much as may be under way.
    fn fill(&mut self) -> Result<(), StepError> {
        loop {
            let is_alone = !self.suspects.is_empty() || self.has_suspect();
            let most = if is_alone { 1 } else { WINDOW };
            if self.waiting.len() >= most {
                return Ok(());
            }
            let is_idle = self.waiting.is_empty();
            let next = || if is_idle { self.queue.next() } else { self.queue.next_now() };
            let Some(turn) = self.suspects.pop_front().or_else(next) else {
                return Ok(());
            };
            let name = name(&turn);
            let line = json!({ "id": name, "input": turn.request.to_json() });
            self.waiting.insert(name, turn);
            if self.waiting.len() == 1 {
                self.since = Instant::now();
            }
            self.ask(&line)?;
        }
    }

    /// Whether what is under way was already under way when a process broke.
    fn has_suspect(&self) -> bool {
        self.waiting.values().any(|it| it.tries > 0)
    }

    fn ask(&mut self, line: &Value) -> Result<(), StepError> {
        let mut process = match self.process.take() {
            Some(process) => process,
            None => Process::start(self.plan)?,
        };
        let mut bytes = serde_json::to_vec(line).unwrap_or_default();
        bytes.push(b'\n');
        let sent = process.send(&bytes, self.plan.timeout, || self.queue.is_over());
        // One that no longer reads is found out by listening to it.
        let is_late = sent.is_err_and(|error| error.kind() == io::ErrorKind::TimedOut);
        self.process = Some(process);
        if is_late { Err(late()) } else { Ok(()) }
    }

    fn listen(&mut self) -> Event {
        let Some(process) = &mut self.process else {
            return Event::Broken(StepError::new(ErrorCode::Spawn, &"".into()));
        };
        let mut look = LOOK;
        loop {
            match process.line() {
                Ok(Some(line)) => return Event::Line(line),
                Ok(None) => {}
                Err(()) => return Event::Broken(command::too_large()),
            }
            if self.queue.is_over() {
                return Event::Cancelled;
            }
            if process.ended.is_some() {
                return Event::Broken(process.died());
            }
            if self.since.elapsed() > self.plan.timeout {
                return Event::Broken(late());
            }
            process.wait(look);
            look = (look * 2).min(LONG_LOOK);
        }
    }

    /// Takes one line: an answer, or the end of this process.
    fn hear(&mut self, line: &[u8]) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let is_first =
            self.process.as_mut().is_some_and(|it| !std::mem::replace(&mut it.is_greeted, true));
        let Ok(value) = json::parse(line, LIMITS) else {
            return self.broken(garbage(line));
        };
        if is_first && value.get("protocol").is_some_and(|it| it == PROTOCOL) {
            return;
        }
        let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
        let Some(turn) = self.waiting.remove(id) else {
            return self.broken(stranger(id));
        };
        self.since = Instant::now();
        self.queue.done(turn, outcome(value));
        let is_full = self.process.as_ref().is_some_and(|it| it.offset > RECYCLE);
        if is_full && self.waiting.is_empty() {
            self.process.take().into_iter().for_each(Process::end);
        }
    }

    /// Ends a process, and blames the one request that was under way, or suspects all.
    fn broken(&mut self, error: StepError) {
        if let Some(process) = self.process.take() {
            process.end_now();
        }
        let waiting = std::mem::take(&mut self.waiting);
        let is_sure = waiting.len() == 1 || error.error_code == ErrorCode::Spawn;
        for mut turn in waiting.into_values() {
            // Once alone is enough, unless more retries are configured.
            let may_retry = self.queue.may_retry(&error, turn.tries);
            turn.tries += 1;
            if is_sure && !may_retry {
                self.queue.done(turn, Err(error.clone()));
            } else {
                self.suspects.push_back(turn);
            }
        }
    }
}

impl Process {
    fn start(plan: &CommandPlan) -> Result<Self, StepError> {
        let bench = plan.bench().map_err(|error| command::unable(&error))?;
        let pipe = bench.root.join("requests");
        let system = |error: rustix::io::Errno| command::unable(&error.into());
        let private = Mode::RUSR | Mode::WUSR;
        rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, private, 0).map_err(system)?;
        let open = |flags| rustix::fs::open(&pipe, flags | OFlags::CLOEXEC, Mode::empty());
        // Held until the program has its end, so that no process waits for a partner.
        let both = open(OFlags::RDWR | OFlags::NONBLOCK).map_err(system)?;
        let (streams, stdout, stderr) = bench.streams().map_err(|error| command::unable(&error))?;
        let mut job = plan.job(&bench, LIFE).reading(&pipe);
        job.output_cap = RECYCLE * 2;
        let running = job
            .start(&plan.guardian, streams, &command::allowed)
            .map_err(|error| command::spawn(&error))?;
        let stdin = open(OFlags::WRONLY | OFlags::NONBLOCK).map_err(system)?;
        drop(both);
        let canceller = running.canceller();
        let (sender, over) = mpsc::channel();
        std::thread::spawn(move || {
            // A caller that does not wait any more has ended the process.
            let _ = sender.send(running.wait(&|it| secret::redact_shapes(it)));
        });
        Ok(Self {
            stdin: Some(File::from(stdin)),
            stdout,
            stderr,
            offset: 0,
            rest: Vec::new(),
            searched: 0,
            canceller,
            over,
            ended: None,
            is_greeted: false,
            _bench: bench,
        })
    }

    /// Sends all of it, as long as the program reads.
    fn send(
        &mut self,
        mut bytes: &[u8],
        timeout: Duration,
        is_over: impl Fn() -> bool,
    ) -> io::Result<()> {
        let started = Instant::now();
        while !bytes.is_empty() && !is_over() {
            let Some(stdin) = &mut self.stdin else { return Ok(()) };
            match stdin.write(bytes) {
                Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if started.elapsed() > timeout {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                    self.wait(LOOK);
                    if self.ended.is_some() {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The next whole line, if there is one; an error if it is longer than any answer.
    fn line(&mut self) -> Result<Option<Vec<u8>>, ()> {
        loop {
            let fresh = self.rest.get(self.searched..).unwrap_or_default();
            if let Some(end) = fresh.iter().position(|it| *it == b'\n') {
                let mut line: Vec<u8> = self.rest.drain(..=self.searched + end).collect();
                line.pop();
                self.searched = 0;
                return Ok(Some(line));
            }
            self.searched = self.rest.len();
            if self.rest.len() > MAX_ANSWER {
                return Err(());
            }
            let mut block = vec![0; 64 << 10];
            match self.stdout.read_at(&mut block, self.offset) {
                Ok(n) if n > 0 => {
                    self.offset += n as u64;
                    self.rest.extend_from_slice(block.get(..n).unwrap_or_default());
                }
                Ok(_) | Err(_) => return Ok(None),
            }
        }
    }

    /// Waits a moment, or until the process is over.
    fn wait(&mut self, moment: Duration) {
        if self.ended.is_some() {
            return;
        }
        match self.over.recv_timeout(moment) {
            Ok(ended) => self.ended = Some(ended),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(moment),
        }
    }

    fn died(&self) -> StepError {
        match &self.ended {
            Some(Ok(exited)) if exited.is_success() => Fault::Left.retryable(ErrorCode::Provider),
            Some(Ok(exited)) => command::died(&exited.ended, exited.rc, &self.stderr),
            Some(Err(error)) => command::spawn(error),
            None => late(),
        }
    }

    /// Lets a process end by itself, and sees to it that it does.
    fn end(mut self) {
        self.stdin = None;
        self.wait(GRACE);
        self.end_now();
    }

    fn end_now(mut self) {
        self.stdin = None;
        if self.ended.is_none() {
            self.canceller.cancel();
            // The guardian sees to it; this returns soon after the grace at the latest.
            let _ = self.over.recv();
        }
    }
}

/// What a request is called on the wire.
fn name(turn: &Turn) -> String {
    match turn.epoch {
        0 => turn.request.run_id.clone(),
        epoch => format!("{}#{}", turn.request.run_id, epoch + 1),
    }
}

fn outcome(mut value: Value) -> Outcome {
    let mut take = |key: &str| value.get_mut(key).map(Value::take);
    let neither = || Err(Fault::NeitherOutputNorError.error(ErrorCode::Parse));
    match (take("output"), take("error")) {
        (Some(output), None) => from_value(output),
        (None, Some(error)) => match from_value(error) {
            Err(error) => Err(error),
            Ok(_) => neither(),
        },
        (Some(_), Some(_)) | (None, None) => neither(),
    }
}

fn late() -> StepError {
    Fault::Late.retryable(ErrorCode::Timeout)
}

fn garbage(line: &[u8]) -> StepError {
    let shown = shorten(&String::from_utf8_lossy(&secret::redact_shapes(line)));
    Fault::NotJson { line: shown.escape_debug().to_string() }.error(ErrorCode::Parse)
}

fn stranger(id: &str) -> StepError {
    Fault::NotAsked { id: shorten(id).escape_debug().to_string() }.error(ErrorCode::RunInconsistent)
}
