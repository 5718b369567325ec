//! One call of an agent, with its folders and files.

use std::{path::PathBuf, time::Duration};

use provost_adapter::{
    AdapterError, Call, CallError, CallResult, Exchange, Request, RetryAfter, Workplace,
    command::CLAIM_VARIABLE, preset::activity::Activity, select::AdapterConfig,
};
use provost_exec::{Capture, ExecError, Streams};
use provost_kernel::{
    Message,
    task::{CommandEvidence, ErrorClass, EventKind, Metrics, Role, Wall},
};
use provost_rules_task::{
    budget::{self, Cost},
    prompt::moved,
};
use provost_vault::{
    AttemptFile, Durable, FileError, Location, Log, RealDisk, Scratch, Step as StepFolder,
    StepFile, WorkPlace, make_work_folder, open_capture, remove, work_part, write_atomic,
    write_record,
};
use serde::Serialize;
use serde_json::json;

use super::{Agent, Attempt, Stop, session::Continued};
use crate::{
    EngineError,
    context::{redact, redact_json},
    story::StoryError,
    task::{costs::costs_before, progress::Update},
};

/// The private state of an agent, in the scratch space of its step.
pub(super) const STATE: &str = "agent";

/// Where an agent is called.
pub(super) struct Place {
    pub(super) step: StepFolder,
    pub(super) exchange: WorkPlace,
    pub(super) cwd: Cwd,
    pub(super) scratch: Scratch,
}

/// The folder that an agent starts in.
pub(super) enum Cwd {
    /// The tree that it changes.
    Tree(PathBuf),
    /// The tree that it will change, and cannot change yet.
    ReadOnly(PathBuf),
    /// The evidence that it reads. It can write nothing there, and read no tree at all.
    Evidence(PathBuf),
}

impl Attempt<'_, '_, '_> {
    /// A file of a step of this attempt.
    pub(super) fn file(&self, step: StepFolder, file: StepFile) -> Location {
        let layout = self.engine.desk.layout();
        layout.step_file(self.open.task(), self.number, step, file)
    }

    /// Opens the files of both streams of a step.
    pub(super) fn streams(&self, step: StepFolder) -> Result<Streams, FileError> {
        let capture = |raw, clean| {
            Ok(Capture {
                raw: open_capture(&self.file(step, raw))?,
                clean: open_capture(&self.file(step, clean))?,
            })
        };
        Ok(Streams {
            stdout: capture(StepFile::StdoutRaw, StepFile::Stdout)?,
            stderr: capture(StepFile::StderrRaw, StepFile::Stderr)?,
        })
    }

    /// Keeps how a step ended: its exit code first, before anything is concluded from it
    /// (LOOP-A12), and nothing of what its streams held before redaction.
    pub(super) fn keep(&self, step: StepFolder, rc: i32, log: &str) -> Result<(), FileError> {
        write_atomic(&RealDisk, &self.file(step, StepFile::Rc), format!("{rc}\n").as_bytes())?;
        write_record(&RealDisk, &self.file(step, StepFile::RunLog), &redact(log.as_bytes()))?;
        remove(&self.file(step, StepFile::StdoutRaw))?;
        remove(&self.file(step, StepFile::StderrRaw))
    }

    /// Adds a command to what was run, and a line to `commands.log`.
    pub(super) fn ran(&mut self, cmd: String, rc: i32, wall: Duration) -> Result<(), FileError> {
        self.wall = self.wall.saturating_add(wall);
        let step = cmd.split_once(':').map_or(cmd.as_str(), |it| it.0).to_owned();
        self.took(&step, wall);
        let seconds = wall.as_secs();
        let line = json!({
            "ts": self.engine.desk.clock().now(),
            "attempt": self.number.get(),
            "cmd": cmd,
            "rc": rc,
            "seconds": seconds,
        });
        self.commands.push(CommandEvidence { cmd, rc, seconds });
        let layout = self.engine.desk.layout();
        let at = layout.attempt_file(self.open.task(), self.number, AttemptFile::Commands);
        Log::open(&RealDisk, &at)?.append(&redact(line.to_string().as_bytes()), Durable::Later)
    }

    /// Remembers how long a step took; one that ran more than once is added up.
    pub(super) fn took(&mut self, step: &str, wall: Duration) {
        let all = self.metrics.step_ms.entry(step.to_owned()).or_default();
        *all = all.saturating_add(u64::try_from(wall.as_millis()).unwrap_or(u64::MAX));
    }

    /// How long a step may take: its own limit, or what is left of the task's time.
    pub(super) fn deadline(&self, seconds: u32) -> Result<(Duration, Limit), EngineError> {
        let own = Duration::from_secs(seconds.into());
        let earlier = costs_before(self.open, self.number)?;
        let left = budget::remaining_wall(&self.spec.budget, &earlier);
        let left = left.map(|Wall(it)| Duration::from_secs(it).saturating_sub(self.wall));
        Ok(match left {
            Some(left) if left < own => (left.max(Duration::from_secs(1)), Limit::Budget),
            Some(_) | None => (own, Limit::Step),
        })
    }

    /// What the attempts before this one cost, and this one so far.
    fn costs(&self) -> Result<Vec<Cost>, EngineError> {
        let mut costs = costs_before(self.open, self.number)?;
        let Metrics { tokens, usd, .. } = self.metrics;
        costs.push(Cost { wall: Wall(self.wall.as_secs()), tokens, usd });
        Ok(costs)
    }

    /// The end of an attempt at the limit of the task's budget.
    pub(super) fn budget_reached(&mut self, role: Role) -> Result<Stop, EngineError> {
        let reached = budget::reached(&self.spec.budget, &self.costs()?).text();
        self.note(EventKind::BudgetReached, reached.to_string())?;
        Ok(self.end_at(role, 0, ErrorClass::Budget, reached))
    }

    /// A folder for temporary files of the programs of one step.
    pub(super) fn scratch(&self, whose: Scratch) -> Result<PathBuf, FileError> {
        let layout = self.engine.desk.layout();
        let place = WorkPlace::Scratch(whose);
        make_work_folder(&layout.work_place(self.open.task(), self.number, place))
    }

    /// Puts a file into an exchange folder.
    pub(super) fn put(
        &self,
        place: WorkPlace,
        name: &'static str,
        bytes: &[u8],
    ) -> Result<PathBuf, FileError> {
        let layout = self.engine.desk.layout();
        let at = layout.work_file(self.open.task(), self.number, place, name);
        write_record(&RealDisk, &at, bytes)?;
        Ok(at.path().into_std_path_buf())
    }

    /// Calls an agent once, if anything is left of the budget; a spent quota is waited for if that is
    /// allowed.
    pub(super) fn call(
        &mut self,
        agent: &Agent,
        request: &Request,
        place: &Place,
        role: Role,
    ) -> Result<CallResult, Stop> {
        let mut waited = Duration::ZERO;
        let prompt = &request.prompt;
        let mut request = request.clone();
        loop {
            request.prompt.clone_from(prompt);
            if let (Some(_), Cwd::Tree(tree)) = (&self.continued, &place.cwd) {
                request.prompt += &moved(&tree.to_string_lossy());
            }
            request.budget = budget::left(&self.spec.budget, &self.costs()?);
            if budget::is_used_up(&request.budget) {
                return Err(self.budget_reached(role)?);
            }
            let called = match self.call_once(agent, &request, place) {
                Ok(called) => called,
                Err(Stop::Failed(EngineError::Adapter(AdapterError::Exec { source, .. }))) => {
                    return Err(self.not_called(source, role));
                }
                Err(stop) => return Err(stop),
            };
            let name = agent.selected.name.as_str();
            self.ran(format!("{role}:{name}"), called.rc, called.wall)?;
            self.metrics.tokens = plus(self.metrics.tokens, called.usage.tokens());
            self.metrics.usd = match (self.metrics.usd, called.usage.usd) {
                (Some(one), Some(two)) => Some(one.plus(two)),
                (one, two) => one.or(two),
            };
            self.keep(place.step, called.rc, &called.log.to_string())?;
            self.note_metrics()?;
            if let Some(reply) = &called.raw_reply {
                let at = self.file(place.step, StepFile::Reply);
                write_record(&RealDisk, &at, &redact_json(reply))?;
            }
            if self.begins_anew(agent, &called)? {
                self.clear_answer(place)?;
                continue;
            }
            let Err(CallError::Quota { retry_after: Some(when) }) = &called.outcome else {
                return Ok(called);
            };
            // A model that asks for a retry at once waits all the same: all waiting has its limit.
            let wait = self.until(*when).max(Duration::from_secs(1));
            waited = waited.saturating_add(wait);
            if waited > self.engine.settings.quota_wait {
                return Ok(called);
            }
            self.engine.progress.update(&Update::Waiting { role, wait });
            self.note(EventKind::QuotaWaited, format!("{role} for {} s", wait.as_secs()))?;
            self.engine.interrupt.cancel().sleep(wait);
            self.stop_if_interrupted()?;
            self.clear_answer(place)?;
        }
    }

    /// Makes the next call find an exchange folder without an answer.
    fn clear_answer(&self, place: &Place) -> Result<(), FileError> {
        let (layout, task) = (self.engine.desk.layout(), self.open.task());
        for name in [Exchange::REPLY, Exchange::ANSWER, Exchange::CLAIM] {
            remove(&layout.work_file(task, self.number, place.exchange, name))?;
        }
        Ok(())
    }

    /// The end of an attempt whose agent could not be started, was not allowed to be, or ended its
    /// own guardian.
    fn not_called(&mut self, error: ExecError, role: Role) -> Stop {
        let class = match (&error, role) {
            (ExecError::Guardian { .. } | ExecError::Output { .. }, _) => return error.into(),
            (ExecError::GuardianLost { .. }, Role::Judge) => ErrorClass::VerdictInvalid,
            (ExecError::GuardianLost { .. }, _) => ErrorClass::CoderFailed,
            (_, Role::Judge) => ErrorClass::JudgeInvalid,
            (_, _) => ErrorClass::AdapterMissing,
        };
        self.end_at(role, 0, class, error.text())
    }

    fn until(&self, when: RetryAfter) -> Duration {
        match when {
            RetryAfter::In(wait) => wait,
            RetryAfter::At(time) => {
                let now = self.engine.desk.clock().now();
                let seconds = time.seconds().saturating_sub(now.seconds());
                Duration::from_secs(u64::try_from(seconds).unwrap_or(0))
            }
        }
    }

    fn call_once(
        &mut self,
        agent: &Agent,
        request: &Request,
        place: &Place,
    ) -> Result<CallResult, Stop> {
        let layout = self.engine.desk.layout();
        let folder =
            make_work_folder(&layout.work_place(self.open.task(), self.number, place.exchange))?;
        let scratch = self.scratch(place.scratch)?;
        let exchange = Exchange::open(&folder)?;
        for file in agent.adapter.files(request, &exchange) {
            self.put(place.exchange, file.name, &file.bytes)?;
            // A judge without the protocol reads nothing outside its folder.
            if file.name == Exchange::PROMPT && matches!(place.cwd, Cwd::Evidence(_)) {
                self.put(WorkPlace::JudgeFolder, file.name, &file.bytes)?;
            }
        }
        let at = self.file(place.step, StepFile::Request);
        write_record(&RealDisk, &at, &json(request))?;
        let mut writable = vec![folder, scratch.clone()];
        let mut env = self.engine.agent_environment(&scratch);
        let is_coder = matches!(place.step, StepFolder::Coder | StepFolder::Declare);
        if is_coder {
            let around = self.around_coder.apply(&scratch, &mut env);
            writable.extend(around.map_err(StoryError::Scratch)?);
        }
        let own =
            layout.work_place(self.open.task(), self.number, WorkPlace::Scratch(place.scratch));
        let mut state = self.engine.agent_home(&agent.selected, &work_part(&own, STATE))?;
        env.extend(state.variables.clone());
        // A judge begins anew each time, and so does a coder that declares.
        let continued = self.continued.as_ref().filter(|_| place.step == StepFolder::Coder);
        let resumed = continued.map(Continued::resumed);
        if resumed.is_some() {
            self.put_session(agent)?;
        }
        if is_coder {
            let tree = layout.work_place(self.open.task(), self.number, WorkPlace::Tree);
            let aside = layout.work_place(self.open.task(), self.number, WorkPlace::SetAside);
            state.clear(&agent.selected, &tree, &aside)?;
        }
        let (cwd, sandbox) = match &place.cwd {
            Cwd::Tree(tree) => {
                writable.push(tree.clone());
                (tree, self.engine.agent_sandbox(writable, &agent.selected))
            }
            Cwd::ReadOnly(tree) => (tree, self.engine.agent_sandbox(writable, &agent.selected)),
            Cwd::Evidence(folder) => (folder, self.engine.judge_sandbox(writable, &agent.selected)),
        };
        let hands_in = self.plan.is_some() && is_coder;
        if hands_in {
            let file = exchange.file(Exchange::CLAIM).to_string_lossy().into_owned();
            env.insert(CLAIM_VARIABLE.to_owned(), file);
        }
        let workplace = Workplace {
            tree: cwd,
            guardian: self.engine.guardian,
            streams: self.streams(place.step)?,
            env,
            sandbox: Some(sandbox),
            grace: self.engine.settings.grace,
            output_cap: self.engine.settings.output_cap,
            check: &|argv| self.engine.check(argv),
            redact: &redact,
        };
        let cancel = self.engine.interrupt.cancel();
        let progress = self.engine.progress;
        let seen = |activity: &Activity| {
            if is_coder {
                progress.update(&Update::Agent(activity));
            }
        };
        let call = Call { request, exchange: &exchange, workplace, cancel, seen: &seen, resumed };
        let called = agent.adapter.call(call);
        state.give_back()?;
        let called = called?;
        if hands_in {
            self.claim = exchange.claim();
        }
        Ok(called)
    }
}

/// A record as JSON, for people.
pub(super) fn json(record: &impl Serialize) -> Vec<u8> {
    // Plain data always has a JSON form.
    let mut bytes = serde_json::to_vec_pretty(record).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// What would end a step that takes too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// Its own time limit.
    Step,
    /// The end of the task's time.
    Budget,
}

/// Whether an adapter runs a program that looks at files.
pub(super) fn has_process(config: &AdapterConfig) -> bool {
    match config {
        AdapterConfig::Command { .. }
        | AdapterConfig::Script { .. }
        | AdapterConfig::Preset { .. } => true,
        AdapterConfig::Chat { .. } | AdapterConfig::Recording { .. } => false,
    }
}

fn plus(one: Option<u64>, two: Option<u64>) -> Option<u64> {
    match (one, two) {
        (Some(one), Some(two)) => Some(one.saturating_add(two)),
        (one, two) => one.or(two),
    }
}
