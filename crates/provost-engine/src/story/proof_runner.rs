//! Runs proofs: in a clean checkout of exactly what was delivered, sandboxed, with the network off.
//!
//! Each command has a checkout of its own, without what earlier commands left. Installed dependencies
//! are carried over as long as they are unchanged; commands that begin with the build start in copies of
//! what it left.

mod build;
mod prove;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use provost_exec::{
    Capture, Ended, ExecError, Job, Streams,
    git::{ObjectId, PrivateClone, clone, publish, renew::Carried, restore},
    place::Place,
    sandbox::Network,
};
use provost_kernel::{
    AttemptNumber, Message, Millis, TaskId, Text,
    guard::policy::{Effect, Policy, ToolCall},
    shorten,
    story::{ExecutionId, StoryId},
};
use provost_rules_guard::policy;
use provost_rules_story::{
    evidence::{CommandRun, Inadmissible, inadmissible},
    generated,
};
use provost_rules_task::prepare::LeftOut;
use provost_vault::{Location, RealDisk, StepFile, open_capture, remove, task::read_tail};

pub(super) use self::prove::ProvenCommand;
use super::{StoryError, worktree_snapshot::WorktreeSnapshot};
use crate::{
    Engine,
    context::redact,
    preparation::{
        Layer, Preparation, PrepareRun, PrepareStep, Readiness, Site, Surroundings, last_line,
    },
    proof::BuiltTrees,
    task::{ProofCommand, ProofTree, Update},
};

/// How long one command may take, and one that makes a checkout ready.
const COMMAND: Duration = Duration::from_mins(10);
const PREPARE: Duration = Duration::from_mins(15);
/// The exit code of a command that was not started.
const CANNOT_RUN: i32 = 126;
/// How much of an output is looked at.
const OUTPUT: u64 = 256 << 10;

/// Who wrote a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CommandAuthor {
    /// The agent's: it must stay in the checkout.
    Agent,
    /// The plan's, the configuration's, or our own.
    Person,
}

/// What a command came to.
#[derive(Clone, Debug)]
pub(super) struct CompletedCommand {
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
    #[message(
        en = "rule `{rule}` refuses the command: {why}",
        zh = "规则 `{rule}` 拒绝该命令：{why}"
    )]
    Refused { rule: String, why: Text },
    #[message(en = "it did not end within {minutes} minutes", zh = "{minutes} 分钟内没有结束")]
    TimedOut { minutes: u64 },
}

/// A checkout of one commit, in which commands run one after the other.
#[derive(Clone)]
struct Checkout {
    clone: PrivateClone,
    preparation: Preparation,
    readiness: Readiness,
    /// Whether no command has run in the checkout yet.
    is_fresh: bool,
    /// The temporary folder of all commands that run in it; none where each has its own.
    scratch: Option<PathBuf>,
}

/// Runs the commands of one update.
pub(super) struct ProofRunner<'a> {
    engine: &'a Engine<'a>,
    worktree: &'a WorktreeSnapshot,
    execution: &'a ExecutionId,
    story: &'a StoryId,
    at: Millis,
    /// What was delivered.
    commit: ObjectId,
    /// Where commands run now.
    checkout: Checkout,
    /// What was installed for the base.
    layer: Option<Layer>,
    /// Versions in which the build has run.
    builds: BuiltTrees,
    n_commands: u16,
}

impl<'a> ProofRunner<'a> {
    /// Checks out what was delivered, and makes it ready with the network on.
    pub(super) fn open(
        engine: &'a Engine<'a>,
        worktree: &'a WorktreeSnapshot,
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
        let commit = publish::commit(&worktree.git, &worktree.clone, &worktree.snapshot, &label)?;
        let checkout = Checkout::of(engine, worktree, &commit, &worktree.place("delivered"))?;
        let at = engine.desk.clock().millis();
        let mut runner = Self {
            engine,
            worktree,
            execution,
            story,
            at,
            commit,
            checkout,
            layer: None,
            builds: BuiltTrees::default(),
            n_commands: 0,
        };
        runner.layer = runner.base_layer()?;
        runner.prepare()?;
        Ok(runner)
    }

    /// Installs what the base needs, for every other checkout with the same dependencies; none where
    /// it needs nothing, or cannot be made ready.
    fn base_layer(&mut self) -> Result<Option<Layer>, StoryError> {
        let (engine, worktree) = (self.engine, self.worktree);
        let base = &worktree.clone.base;
        if Preparation::of(engine, &worktree.git, &worktree.clone, base)?.is_empty() {
            return Ok(None);
        }
        let base = Checkout::of(engine, worktree, base, &worktree.place("base"))?;
        let delivered = std::mem::replace(&mut self.checkout, base);
        let place = self.prepare()?;
        let base = std::mem::replace(&mut self.checkout, delivered);
        match base.readiness {
            Readiness::Ready(_) => Ok(Some(Layer::of(&base.preparation, &base.clone.tree, place)?)),
            Readiness::NotReady(_) => Ok(None),
        }
    }

    /// The lock files that were not followed.
    pub(super) fn left_out(&self) -> &[LeftOut] {
        self.checkout.preparation.left_out()
    }

    /// Makes the checkout ready; the place that its jobs have.
    fn prepare(&mut self) -> Result<Place, StoryError> {
        let (git, source) = (self.worktree.git.clone(), self.worktree.clone.clone());
        let Checkout { clone: checkout, preparation, .. } = self.checkout.clone();
        let (engine, aside) = (self.engine, self.worktree.scratch()?);
        let (root, layer) = (self.worktree.scratch()?, self.layer.clone());
        let place = match &layer {
            Some(layer) => layer.place.copy(&root, None),
            None => engine.make_place(&root),
        };
        let place = place.map_err(StoryError::Scratch)?;
        let site = Site {
            engine,
            git: &git,
            source: &source,
            checkout: &checkout,
            aside: &aside,
            place: &place,
            layer: layer.as_ref(),
        };
        let requirement = engine.requirement();
        self.checkout.readiness = preparation.make_ready(site, &mut |step, surroundings| {
            let PrepareStep { command, folder, phase, .. } = step;
            let network = phase.network(requirement);
            let shell = ["sh", "-c", command.as_str()];
            let ran = self.start(&shell, folder, PREPARE, network, surroundings)?;
            Ok::<_, StoryError>(match ran.run {
                CommandRun::Ended { exit_code, output } => {
                    PrepareRun { rc: exit_code, last_line: shorten(last_line(&output)) }
                }
                CommandRun::NotRun { why } => {
                    PrepareRun { rc: CANNOT_RUN, last_line: why.to_string() }
                }
            })
        })?;
        self.checkout.is_fresh = true;
        Ok(place)
    }

    /// Gives the next command a fresh checkout.
    pub(super) fn renew(&mut self) -> Result<(), StoryError> {
        if self.checkout.is_fresh {
            return Ok(());
        }
        let Readiness::Ready(ready) = &mut self.checkout.readiness else { return Ok(()) };
        let carried = std::mem::take(&mut ready.carried);
        let is_whole = carried.is_intact(&self.checkout.clone.tree);
        // What the command before has changed is installed again.
        let carried = if is_whole { carried } else { Carried::default() };
        let aside = self.worktree.scratch()?;
        let (git, identity) = (&self.worktree.git, Engine::identity());
        ready.carried =
            carried.renew(git, &self.worktree.clone, &self.checkout.clone, (&aside, &identity))?;
        self.checkout.is_fresh = true;
        if !is_whole {
            self.prepare()?;
        }
        Ok(())
    }

    /// Runs a command in a folder of the checkout, if it may run.
    pub(super) fn run(
        &mut self,
        command: &str,
        folder: &str,
        author: CommandAuthor,
    ) -> Result<CompletedCommand, StoryError> {
        if let Some(why) = self.obstacle(command, author) {
            return Ok(not_run(why));
        }
        if let Some(cwd) = self.folder(folder) {
            let network = Network::Off(self.engine.requirement());
            let around = self.surroundings();
            return match author {
                // Whatever fails on the way, fails: `make check; ls` is worth as much as its check.
                CommandAuthor::Agent => {
                    let shell = ["sh", "-e", "-c", command];
                    let ran = self.start(&shell, &cwd, COMMAND, network, &around)?;
                    self.doubted(ran)
                }
                CommandAuthor::Person => {
                    self.start(&["sh", "-c", command], &cwd, COMMAND, network, &around)
                }
            };
        }
        Ok(not_run(Obstacle::NoFolder(folder.to_owned()).text()))
    }

    /// A command that changed a source of the checkout checked its own work, not the agent's.
    fn doubted(&self, ran: CompletedCommand) -> Result<CompletedCommand, StoryError> {
        let changed = restore::tracked(&self.worktree.git, &self.checkout.clone)?;
        let source =
            changed.into_iter().find(|it| !generated::is_excluded(it, &self.worktree.base));
        Ok(match source {
            Some(path) => CompletedCommand {
                kept_at: ran.kept_at,
                ..not_run(Inadmissible::Writes(path).text())
            },
            None => ran,
        })
    }

    /// Why a command does not run at all.
    fn obstacle(&self, command: &str, author: CommandAuthor) -> Option<Text> {
        if let Readiness::NotReady(it) = &self.checkout.readiness {
            return Some(it.text());
        }
        if let (CommandAuthor::Agent, Some(why)) = (author, inadmissible(command)) {
            return Some(why.text());
        }
        let root = self.checkout.clone.tree.to_string_lossy().into_owned();
        let call = ToolCall { root: Some(root.clone()), ..ToolCall::shell(command, &root) };
        let rules = self.engine.settings.guard.as_ref().map(|it| it.rules.clone());
        let ruling = policy::rule(&Policy::of_rules(rules.unwrap_or_default()), &call);
        (ruling.effect == Effect::Deny).then(|| {
            Obstacle::Refused { rule: ruling.rule.to_string(), why: ruling.why.clone() }.text()
        })
    }

    /// What a command finds around the checkout.
    fn surroundings(&self) -> Surroundings {
        match &self.checkout.readiness {
            Readiness::Ready(ready) => ready.surroundings.clone(),
            Readiness::NotReady(_) => Surroundings::default(),
        }
    }

    /// A folder of the checkout, without links that lead out of it.
    fn folder(&self, folder: &str) -> Option<PathBuf> {
        let path = self.checkout.clone.tree.join(folder).canonicalize().ok()?;
        (path.starts_with(&self.checkout.clone.tree) && path.is_dir()).then_some(path)
    }

    fn start(
        &mut self,
        argv: &[&str],
        cwd: &Path,
        deadline: Duration,
        network: Network,
        surroundings: &Surroundings,
    ) -> Result<CompletedCommand, StoryError> {
        let engine = self.engine;
        self.checkout.is_fresh = false;
        // What a command leaves there is not for the next one.
        let scratch = match &self.checkout.scratch {
            Some(shared) => shared.clone(),
            None => self.worktree.scratch()?,
        };
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
        let around = surroundings.apply(&scratch, &mut job.env).map_err(StoryError::Scratch)?;
        job.grace = engine.settings.grace;
        job.output_cap = engine.settings.output_cap;
        let mut writable = vec![self.checkout.clone.tree.clone(), scratch];
        writable.extend(around);
        job.sandbox = Some(engine.closed_sandbox(writable, network));
        let check = |argv: &[String]| engine.check(argv);
        let streams = streams(&at)?;
        let is_on_base = self.checkout.clone.base == self.worktree.clone.base;
        let command = ProofCommand {
            number,
            line: argv.last().copied().unwrap_or_default(),
            on: if is_on_base { ProofTree::Base } else { ProofTree::Delivered },
        };
        engine.progress.update(&Update::CommandStarted { command: &command });
        let ended = job.start(engine.guardian, streams, &check).and_then(|running| {
            let cancel = engine.interrupt.cancel();
            cancel.during(running.canceller(), || running.wait(&redact))
        });
        for file in [StepFile::StdoutRaw, StepFile::StderrRaw] {
            remove(&at(file))?;
        }
        let rc = ended.as_ref().ok().map(|it| it.rc);
        engine.progress.update(&Update::CommandEnded { command: &command, rc });
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
            Ended::LimitReached { reached } => CommandRun::NotRun { why: reached.text() },
            Ended::Cancelled => return Err(StoryError::Interrupted),
            Ended::NotRun { reason } => CommandRun::NotRun { why: Text::verbatim(reason) },
        };
        Ok(CompletedCommand { run, wall: outcome.wall, kept_at: Some(self.shown(&kept_at)) })
    }

    /// The folders in which programs are found: none that an agent's work tree holds, and none
    /// that is writable for all: a program placed there would be run in place of a runner.
    fn programs(&self, path: &str) -> String {
        let own =
            [self.worktree.clone.tree.clone(), self.engine.desk.layout().home().path().into()];
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

impl Checkout {
    /// Checks out a commit of the snapshot.
    fn of(
        engine: &Engine<'_>,
        worktree: &WorktreeSnapshot,
        commit: &ObjectId,
        into: &Path,
    ) -> Result<Self, StoryError> {
        let checkout =
            clone::exact(&worktree.git, &worktree.clone, commit, into, &Engine::identity())?;
        let preparation = Preparation::of(engine, &worktree.git, &worktree.clone, commit)?;
        let readiness = Readiness::Ready(Box::default());
        Ok(Self { clone: checkout, preparation, readiness, is_fresh: true, scratch: None })
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

fn not_run(why: Text) -> CompletedCommand {
    CompletedCommand { run: CommandRun::NotRun { why }, wall: Duration::ZERO, kept_at: None }
}
