//! Where things are proven: a clean checkout of exactly what was delivered, in the sandbox, with
//! the network off.
//!
//! Nobody finds there what a command before has left: each one has a checkout of its own, unless
//! the checkout had to be prepared; then its tracked files are put back.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use provost_exec::{
    Capture, Ended, ExecError, Job, Streams,
    git::{ObjectId, PrivateClone, clone, publish, restore},
    sandbox::Network,
};
use provost_kernel::{
    AttemptNumber, Fault as _, Millis, TaskId,
    guard::policy::{Effect, Policy, ToolCall},
    story::{ExecutionId, StoryId},
};
use provost_rules::{
    guard::policy,
    story::{
        evidence::{CommandRun, Unfit, unfit},
        generated,
    },
    task::prepare,
};
use provost_vault::{Location, RealDisk, StepFile, open_capture, remove, task::read_tail};

use super::{StoryError, look::Look};
use crate::{Engine, Prepare, surroundings::redact};

/// How long one command may take, and one that makes a checkout ready.
const COMMAND: Duration = Duration::from_mins(10);
const PREPARE: Duration = Duration::from_mins(15);
/// How much of an output is looked at.
const OUTPUT: u64 = 256 << 10;

/// Whose words a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The agent's: it must stay in the checkout.
    Agent,
    /// The plan's, the configuration's, or our own.
    Person,
}

/// What a command came to.
#[derive(Clone, Debug)]
pub(super) struct Ran {
    pub(super) run: CommandRun,
    pub(super) wall: Duration,
    /// Where its output lies, from the home.
    pub(super) kept_at: Option<String>,
}

/// Whether the checkouts are ready.
enum Ready {
    /// There was nothing to prepare.
    Plain,
    Prepared,
    /// What must succeed did not.
    No(String),
}

/// The checkout, and what belongs to it.
pub(super) struct Bench<'a> {
    engine: &'a Engine<'a>,
    look: &'a Look,
    execution: &'a ExecutionId,
    story: &'a StoryId,
    at: Millis,
    commit: ObjectId,
    checkout: PrivateClone,
    /// Whether nobody has run anything in the checkout yet.
    is_fresh: bool,
    ready: Ready,
    n_checkouts: u16,
    n_commands: u16,
}

impl<'a> Bench<'a> {
    /// Checks out what was delivered, and makes it ready with the network on.
    pub(super) fn open(
        engine: &'a Engine<'a>,
        look: &'a Look,
        execution: &'a ExecutionId,
        story: &'a StoryId,
    ) -> Result<Self, StoryError> {
        let task: TaskId = execution.as_str().parse().map_err(StoryError::Id)?;
        let label = publish::Label {
            task: &task,
            attempt: AttemptNumber::FIRST,
            identity: &Engine::identity(),
            when: engine.desk.clock().now(),
            message: &format!("{story}: what was delivered"),
        };
        let commit = publish::commit(&look.git, &look.clone, &look.snapshot, &label)?;
        let checkout = check_out(look, &commit, 0)?;
        let at = engine.desk.clock().millis();
        let ready = Ready::Plain;
        let mut bench = Self {
            engine,
            look,
            execution,
            story,
            at,
            commit,
            checkout,
            is_fresh: true,
            ready,
            n_checkouts: 1,
            n_commands: 0,
        };
        bench.ready = bench.prepare()?;
        bench.clean()?;
        Ok(bench)
    }

    /// Makes the checkout ready. What the configuration asks for must succeed; what a lock file
    /// suggests is tried.
    fn prepare(&mut self) -> Result<Ready, StoryError> {
        let tree = self.checkout.tree.clone();
        let is_there = |file: &str| tree.join(file).symlink_metadata().is_ok();
        let settings = self.engine.settings;
        let asked: Vec<&Prepare> =
            settings.prepare.iter().filter(|it| it.when.as_deref().is_none_or(is_there)).collect();
        for it in &asked {
            let ran = self.start(&it.command, &tree, PREPARE, Network::On)?;
            if !matches!(ran.run, CommandRun::Ended { exit_code: 0, .. }) {
                return Ok(Ready::No(it.command.clone()));
            }
        }
        let mut is_prepared = !asked.is_empty();
        if settings.prepare.is_empty() && settings.prepare_default {
            for command in prepare::by_lock_file(is_there) {
                self.start(command, &tree, PREPARE, Network::On)?;
                is_prepared = true;
            }
        }
        Ok(if is_prepared { Ready::Prepared } else { Ready::Plain })
    }

    /// Gives the next command a checkout in which nobody was.
    pub(super) fn renew(&mut self) -> Result<(), StoryError> {
        match self.ready {
            Ready::Plain if self.is_fresh => Ok(()),
            Ready::Plain => {
                self.checkout = check_out(self.look, &self.commit, self.n_checkouts)?;
                self.n_checkouts = self.n_checkouts.saturating_add(1);
                self.is_fresh = true;
                Ok(())
            }
            Ready::Prepared | Ready::No(_) => self.clean(),
        }
    }

    /// Runs a command in a folder of a clean checkout of the base: what it finds there, it found
    /// before the change.
    pub(super) fn run_on_base(&mut self, command: &str, folder: &str) -> Result<Ran, StoryError> {
        let base = check_out(self.look, &self.look.clone.base, self.n_checkouts)?;
        self.n_checkouts = self.n_checkouts.saturating_add(1);
        let delivered = std::mem::replace(&mut self.checkout, base);
        let ran = self.run_there(command, folder);
        self.checkout = delivered;
        ran
    }

    fn run_there(&mut self, command: &str, folder: &str) -> Result<Ran, StoryError> {
        if matches!(self.ready, Ready::Prepared)
            && let Ready::No(failed) = self.prepare()?
        {
            return Ok(not_run(failed));
        }
        self.run(command, folder, Whose::Person)
    }

    /// Puts back every tracked file.
    fn clean(&self) -> Result<(), StoryError> {
        Ok(restore::tracked(&self.look.git, &self.checkout).map(drop)?)
    }

    /// Runs a command in a folder of the checkout, if it may run.
    pub(super) fn run(
        &mut self,
        command: &str,
        folder: &str,
        whose: Whose,
    ) -> Result<Ran, StoryError> {
        if let Some(why) = self.obstacle(command, whose) {
            return Ok(not_run(why));
        }
        if let Some(cwd) = self.folder(folder) {
            let network = Network::Off(self.engine.requirement());
            let ran = self.start(command, &cwd, COMMAND, network)?;
            return match whose {
                Whose::Agent => self.doubted(ran),
                Whose::Person => Ok(ran),
            };
        }
        Ok(not_run(self.engine.desk.lang().pick(
            format!("what was delivered has no folder `{folder}`"),
            format!("提交的版本中没有文件夹 `{folder}`"),
        )))
    }

    /// A command that changed a source of the checkout checked its own work, not the agent's.
    fn doubted(&self, ran: Ran) -> Result<Ran, StoryError> {
        let changed = restore::tracked(&self.look.git, &self.checkout)?;
        let source = changed.into_iter().find(|it| !generated::is_excluded(it, &self.look.base));
        Ok(match source {
            Some(path) => Ran {
                kept_at: ran.kept_at,
                ..not_run(Unfit::Writes(path).text(self.engine.desk.lang()))
            },
            None => ran,
        })
    }

    /// Why a command does not run at all.
    fn obstacle(&self, command: &str, whose: Whose) -> Option<String> {
        let lang = self.engine.desk.lang();
        if let Ready::No(prepare) = &self.ready {
            return Some(lang.pick(
                format!("`{prepare}`, which prepares the checkout, failed"),
                format!("准备命令 `{prepare}` 失败"),
            ));
        }
        if let (Whose::Agent, Some(why)) = (whose, unfit(command)) {
            return Some(why.text(lang));
        }
        let root = self.checkout.tree.to_string_lossy().into_owned();
        let call = ToolCall { root: Some(root.clone()), ..ToolCall::shell(command, &root) };
        let rules = self.engine.settings.guard.as_ref().map(|it| it.rules.clone());
        let ruling = policy::rule(&Policy { rules: rules.unwrap_or_default() }, &call);
        (ruling.effect == Effect::Deny).then(|| {
            let (rule, why) = (&ruling.rule, ruling.why.pick(lang));
            lang.pick(
                format!("the rule `{rule}` refuses the command: {why}"),
                format!("规则 `{rule}` 拒绝该命令:{why}"),
            )
        })
    }

    /// A folder of the checkout, without links that lead out of it.
    fn folder(&self, folder: &str) -> Option<PathBuf> {
        let path = self.checkout.tree.join(folder).canonicalize().ok()?;
        (path.starts_with(&self.checkout.tree) && path.is_dir()).then_some(path)
    }

    fn start(
        &mut self,
        command: &str,
        cwd: &Path,
        deadline: Duration,
        network: Network,
    ) -> Result<Ran, StoryError> {
        let engine = self.engine;
        self.is_fresh = false;
        // What a command leaves there is not for the next one.
        let scratch = self.look.scratch()?;
        self.n_commands = self.n_commands.saturating_add(1);
        let number = self.n_commands;
        let at = |file| {
            engine.desk.layout().story_output(self.execution, self.story, self.at, number, file)
        };
        let mut job = Job::new(["sh", "-c", command], cwd, deadline);
        job.env = engine.job_environment(&scratch);
        if let Some(path) = job.env.get_mut("PATH") {
            *path = self.programs(path);
        }
        job.grace = engine.settings.grace;
        job.output_cap = engine.settings.output_cap;
        let writable = vec![self.checkout.tree.clone(), scratch];
        job.sandbox = Some(engine.sandbox(writable, network));
        let check = |argv: &[String]| engine.check(argv);
        let streams = streams(&at)?;
        let ended = job.start(engine.guardian, streams, &check).and_then(|running| {
            let cancel = engine.interrupt.cancel();
            cancel.during(running.canceller(), || running.wait(&redact))
        });
        for file in [StepFile::StdoutRaw, StepFile::StderrRaw] {
            remove(&at(file))?;
        }
        if engine.interrupt.signal().is_some() {
            return Err(StoryError::Interrupted);
        }
        let outcome = match ended {
            Ok(outcome) => outcome,
            Err(error @ (ExecError::Guardian { .. } | ExecError::Output { .. })) => {
                return Err(error.into());
            }
            // It was not allowed to run, or ended its own guardian.
            Err(error) => return Ok(not_run(error.text(engine.desk.lang()))),
        };
        let (stdout, stderr) = (at(StepFile::Stdout), at(StepFile::Stderr));
        let output =
            [read_tail(&RealDisk, &stdout, OUTPUT)?, read_tail(&RealDisk, &stderr, OUTPUT)?]
                .join("\n");
        let lang = engine.desk.lang();
        let run = match outcome.ended {
            Ended::Exited | Ended::Signalled { .. } => {
                CommandRun::Ended { exit_code: outcome.rc, output }
            }
            Ended::DeadlineReached => {
                let minutes = deadline.as_secs() / 60;
                let why = lang.pick(
                    format!("it did not end within {minutes} minutes"),
                    format!("{minutes} 分钟内没有结束"),
                );
                CommandRun::NotRun { why }
            }
            Ended::Cancelled => return Err(StoryError::Interrupted),
            Ended::NotRun { reason } => CommandRun::NotRun { why: reason },
        };
        Ok(Ran { run, wall: outcome.wall, kept_at: Some(self.shown(&stdout)) })
    }

    /// The folders in which programs are found: none that an agent's work tree holds, and none
    /// that everybody can write to. Whoever names one there would choose what a runner is.
    fn programs(&self, path: &str) -> String {
        let own = [self.look.clone.tree.clone(), self.engine.desk.layout().home().path().into()];
        let temporary = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
        let named = self.engine.variables.get("TMPDIR").map(PathBuf::from);
        let refused: Vec<PathBuf> = own
            .into_iter()
            .chain(temporary)
            .chain(named)
            .flat_map(|it| [it.canonicalize().ok(), Some(it)])
            .flatten()
            .collect();
        let is_kept = |entry: &&str| {
            let entry = Path::new(entry);
            let real = entry.canonicalize().unwrap_or_else(|_| entry.to_owned());
            entry.is_absolute() && !refused.iter().any(|it| real.starts_with(it))
        };
        path.split(':').filter(is_kept).collect::<Vec<_>>().join(":")
    }

    /// Where a file lies, from the home.
    fn shown(&self, at: &Location) -> String {
        let (path, home) = (at.path(), self.engine.desk.layout().home().path());
        path.strip_prefix(&home).map_or_else(|_| path.to_string(), ToString::to_string)
    }
}

fn check_out(look: &Look, commit: &ObjectId, number: u16) -> Result<PrivateClone, StoryError> {
    let into = look.place(&format!("checkout-{number}"));
    Ok(clone::exact(&look.git, &look.clone, commit, &into, &Engine::identity())?)
}

fn streams(at: &impl Fn(StepFile) -> Location) -> Result<Streams, StoryError> {
    let capture = |raw, clean| -> Result<Capture, StoryError> {
        Ok(Capture { raw: open_capture(&at(raw))?, clean: open_capture(&at(clean))? })
    };
    Ok(Streams {
        stdout: capture(StepFile::StdoutRaw, StepFile::Stdout)?,
        stderr: capture(StepFile::StderrRaw, StepFile::Stderr)?,
    })
}

fn not_run(why: String) -> Ran {
    Ran { run: CommandRun::NotRun { why }, wall: Duration::ZERO, kept_at: None }
}
