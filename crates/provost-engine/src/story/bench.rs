//! Where things are proven: a clean checkout of exactly what was delivered, in the sandbox, with
//! the network off.
//!
//! Nobody finds there what a command before has left: each one has a checkout of its own. What was
//! installed is carried over from one to the next, as long as nobody has changed it.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use provost_exec::{
    Capture, Ended, ExecError, Job, Streams,
    git::{ObjectId, PrivateClone, clone, publish, renew::Carried, restore},
    sandbox::Network,
};
use provost_kernel::{
    AttemptNumber, Message, Millis, TaskId, Text,
    guard::policy::{Effect, Policy, ToolCall},
    story::{ExecutionId, StoryId},
};
use provost_rules_guard::policy;
use provost_rules_story::{
    evidence::{CommandRun, Inadmissible, inadmissible},
    generated,
};
use provost_rules_task::prepare::LeftOut;
use provost_vault::{Location, RealDisk, StepFile, open_capture, remove, task::read_tail};

use super::{StoryError, look::Look};
use crate::{
    Engine,
    preparation::{Command, Preparation},
    surroundings::redact,
};

/// How long one command may take, and one that makes a checkout ready.
const COMMAND: Duration = Duration::from_mins(10);
const PREPARE: Duration = Duration::from_mins(15);
/// How much of an output is looked at.
const OUTPUT: u64 = 256 << 10;

/// Whose words a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// Why a command did not run, or not to its end.
#[derive(Clone, Debug, Message)]
#[message(code = "story.not_run")]
pub(super) enum Obstacle {
    #[message(
        en = "no test command is configured: give the command",
        zh = "没有配置如何运行测试：请给出命令"
    )]
    NoTestCommand,
    #[message(en = "the delivered tree has no folder `{0}`", zh = "提交的版本中没有文件夹 `{0}`")]
    NoFolder(String),
    #[message(en = "the preparation command `{0}` failed", zh = "准备命令 `{0}` 失败")]
    NotPrepared(String),
    #[message(
        en = "rule `{rule}` refuses the command: {why}",
        zh = "规则 `{rule}` 拒绝该命令：{why}"
    )]
    Refused { rule: String, why: Text },
    #[message(en = "it did not end within {minutes} minutes", zh = "{minutes} 分钟内没有结束")]
    TimedOut { minutes: u64 },
}

/// Whether a checkout is ready.
enum Ready {
    /// There was nothing to prepare.
    Plain,
    /// What was installed.
    Prepared(Carried),
    /// What must succeed did not.
    No(String),
}

/// A checkout of one commit, in which commands run one after the other.
struct Stand {
    checkout: PrivateClone,
    preparation: Preparation,
    ready: Ready,
    /// Whether nobody has run anything in the checkout yet.
    is_fresh: bool,
}

/// The checkout, and what belongs to it.
pub(super) struct Bench<'a> {
    engine: &'a Engine<'a>,
    look: &'a Look,
    execution: &'a ExecutionId,
    story: &'a StoryId,
    at: Millis,
    /// Where commands run now.
    stand: Stand,
    /// The other one: of the base, once it is needed.
    base: Option<Stand>,
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
        let stand = Stand::of(engine, look, &commit, "delivered")?;
        let at = engine.desk.clock().millis();
        let mut bench =
            Self { engine, look, execution, story, at, stand, base: None, n_commands: 0 };
        bench.prepare()?;
        Ok(bench)
    }

    /// The lock files that were not followed.
    pub(super) fn left_out(&self) -> &[LeftOut] {
        self.stand.preparation.left_out()
    }

    /// Makes the checkout ready. What the configuration asks for must succeed; what a lock file
    /// suggests is tried. Only dependencies stay of what that leaves.
    fn prepare(&mut self) -> Result<(), StoryError> {
        let tree = self.stand.checkout.tree.clone();
        let commands = self.stand.preparation.commands();
        if commands.is_empty() {
            return Ok(());
        }
        for Command { text, must_succeed } in commands {
            let ran = self.start(&["sh", "-c", &text], &tree, PREPARE, Network::On)?;
            let is_good = matches!(ran.run, CommandRun::Ended { exit_code: 0, .. });
            if must_succeed && !is_good {
                self.stand.ready = Ready::No(text);
                return Ok(());
            }
        }
        let Stand { checkout, preparation, .. } = &self.stand;
        let aside = self.look.scratch()?;
        let carried = preparation.settle(&self.look.git, &self.look.clone, checkout, &aside)?;
        self.stand.ready = Ready::Prepared(carried);
        self.stand.is_fresh = true;
        Ok(())
    }

    /// Gives the next command a checkout in which nobody was.
    pub(super) fn renew(&mut self) -> Result<(), StoryError> {
        if self.stand.is_fresh {
            return Ok(());
        }
        let aside = self.look.scratch()?;
        let (carried, is_whole) = match std::mem::replace(&mut self.stand.ready, Ready::Plain) {
            Ready::Plain => (Carried::default(), true),
            // What the command before has changed is installed again.
            Ready::Prepared(carried) if !carried.is_intact(&self.stand.checkout.tree) => {
                (Carried::default(), false)
            }
            Ready::Prepared(carried) => (carried, true),
            no @ Ready::No(_) => {
                self.stand.ready = no;
                return Ok(());
            }
        };
        let is_plain = self.stand.preparation.commands().is_empty();
        let (git, identity) = (&self.look.git, Engine::identity());
        let carried =
            carried.renew(git, &self.look.clone, &self.stand.checkout, (&aside, &identity))?;
        if !is_plain {
            self.stand.ready = Ready::Prepared(carried);
        }
        self.stand.is_fresh = true;
        if is_whole { Ok(()) } else { self.prepare() }
    }

    /// Runs a command in a folder of a clean checkout of the base: what it finds there, it found
    /// before the change.
    pub(super) fn run_on_base(
        &mut self,
        command: &str,
        folder: &str,
        whose: Whose,
    ) -> Result<Ran, StoryError> {
        let (base, is_new) = match self.base.take() {
            Some(base) => (base, false),
            None => (Stand::of(self.engine, self.look, &self.look.clone.base, "base")?, true),
        };
        let delivered = std::mem::replace(&mut self.stand, base);
        let ran = self.run_there(command, folder, whose, is_new);
        self.base = Some(std::mem::replace(&mut self.stand, delivered));
        ran
    }

    fn run_there(
        &mut self,
        command: &str,
        folder: &str,
        whose: Whose,
        is_new: bool,
    ) -> Result<Ran, StoryError> {
        if is_new {
            self.prepare()?;
        } else {
            self.renew()?;
        }
        self.run(command, folder, whose)
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
            return match whose {
                // Whatever fails on the way, fails: `make check; ls` is no better than its check.
                Whose::Agent => {
                    let shell = ["sh", "-e", "-c", command];
                    let ran = self.start(&shell, &cwd, COMMAND, network)?;
                    self.doubted(ran)
                }
                Whose::Person => self.start(&["sh", "-c", command], &cwd, COMMAND, network),
            };
        }
        Ok(not_run(Obstacle::NoFolder(folder.to_owned()).text()))
    }

    /// A command that changed a source of the checkout checked its own work, not the agent's.
    fn doubted(&self, ran: Ran) -> Result<Ran, StoryError> {
        let changed = restore::tracked(&self.look.git, &self.stand.checkout)?;
        let source = changed.into_iter().find(|it| !generated::is_excluded(it, &self.look.base));
        Ok(match source {
            Some(path) => {
                Ran { kept_at: ran.kept_at, ..not_run(Inadmissible::Writes(path).text()) }
            }
            None => ran,
        })
    }

    /// Why a command does not run at all.
    fn obstacle(&self, command: &str, whose: Whose) -> Option<Text> {
        if let Ready::No(prepare) = &self.stand.ready {
            return Some(Obstacle::NotPrepared(prepare.clone()).text());
        }
        if let (Whose::Agent, Some(why)) = (whose, inadmissible(command)) {
            return Some(why.text());
        }
        let root = self.stand.checkout.tree.to_string_lossy().into_owned();
        let call = ToolCall { root: Some(root.clone()), ..ToolCall::shell(command, &root) };
        let rules = self.engine.settings.guard.as_ref().map(|it| it.rules.clone());
        let ruling = policy::rule(&Policy { rules: rules.unwrap_or_default() }, &call);
        (ruling.effect == Effect::Deny).then(|| {
            Obstacle::Refused { rule: ruling.rule.to_string(), why: ruling.why.clone() }.text()
        })
    }

    /// A folder of the checkout, without links that lead out of it.
    fn folder(&self, folder: &str) -> Option<PathBuf> {
        let path = self.stand.checkout.tree.join(folder).canonicalize().ok()?;
        (path.starts_with(&self.stand.checkout.tree) && path.is_dir()).then_some(path)
    }

    fn start(
        &mut self,
        argv: &[&str],
        cwd: &Path,
        deadline: Duration,
        network: Network,
    ) -> Result<Ran, StoryError> {
        let engine = self.engine;
        self.stand.is_fresh = false;
        // What a command leaves there is not for the next one.
        let scratch = self.look.scratch()?;
        self.n_commands = self.n_commands.saturating_add(1);
        let number = self.n_commands;
        let at = |file| {
            engine.desk.layout().story_output(self.execution, self.story, self.at, number, file)
        };
        let mut job = Job::new(argv.iter().copied(), cwd, deadline);
        job.env = engine.job_environment(&scratch);
        if let Some(path) = job.env.get_mut("PATH") {
            *path = self.programs(path);
        }
        job.grace = engine.settings.grace;
        job.output_cap = engine.settings.output_cap;
        let writable = vec![self.stand.checkout.tree.clone(), scratch];
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
            Err(error) => return Ok(not_run(error.text())),
        };
        let (stdout, stderr) = (at(StepFile::Stdout), at(StepFile::Stderr));
        let printed =
            [read_tail(&RealDisk, &stdout, OUTPUT)?, read_tail(&RealDisk, &stderr, OUTPUT)?];
        // Many programs say what went wrong in the other one alone.
        let kept_at = if printed[0].is_empty() && !printed[1].is_empty() { stderr } else { stdout };
        let output = printed.join("\n");
        let run = match outcome.ended {
            Ended::Exited | Ended::Signalled { .. } => {
                CommandRun::Ended { exit_code: outcome.rc, output }
            }
            Ended::DeadlineReached => {
                let minutes = deadline.as_secs() / 60;
                CommandRun::NotRun { why: Obstacle::TimedOut { minutes }.text() }
            }
            Ended::Cancelled => return Err(StoryError::Interrupted),
            Ended::NotRun { reason } => CommandRun::NotRun { why: Text::verbatim(reason) },
        };
        Ok(Ran { run, wall: outcome.wall, kept_at: Some(self.shown(&kept_at)) })
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

impl Stand {
    /// Checks out a commit of the look.
    fn of(
        engine: &Engine<'_>,
        look: &Look,
        commit: &ObjectId,
        name: &str,
    ) -> Result<Self, StoryError> {
        let into = look.place(name);
        let checkout = clone::exact(&look.git, &look.clone, commit, &into, &Engine::identity())?;
        let preparation = Preparation::of(engine.settings, &look.git, &look.clone, commit)?;
        Ok(Self { checkout, preparation, ready: Ready::Plain, is_fresh: true })
    }
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

fn not_run(why: Text) -> Ran {
    Ran { run: CommandRun::NotRun { why }, wall: Duration::ZERO, kept_at: None }
}
