//! Makes a checkout ready: one function for the test of a task and for the evidence of a story.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use provost_exec::{
    Job,
    git::{Git, GitError, PrivateClone, renew::Carried, restore},
    place::Place,
    sandbox::{Network, Requirement},
};
use provost_kernel::{Message, Text};
use provost_rules_task::prepare::Absent;

use super::{
    Preparation,
    layer::Layer,
    surroundings::{Copied, Home, Surroundings},
};
use crate::{Engine, story::StoryError};

/// Where a checkout is made ready.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site<'a> {
    pub(crate) engine: &'a Engine<'a>,
    pub(crate) git: &'a Git,
    /// A repository that has the commit of the checkout.
    pub(crate) source: &'a PrivateClone,
    pub(crate) checkout: &'a PrivateClone,
    /// An empty folder, for what does not stay.
    pub(crate) aside: &'a Path,
    /// Home and caches of the commands, which nothing of an agent has written to.
    pub(crate) place: &'a Place,
    /// What was installed for the base.
    pub(crate) layer: Option<&'a Layer>,
}

/// One command that makes a checkout ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PrepareStep {
    pub(crate) command: String,
    /// The folder that it starts in.
    pub(crate) folder: PathBuf,
    pub(crate) phase: Phase,
    /// Whether nothing is proven where it fails.
    pub(crate) must_succeed: bool,
    /// Variables of its own.
    pub(crate) variables: Vec<(&'static str, &'static str)>,
}

/// What a command may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It has the network.
    Fetch,
    /// It may run the code of packages, and has no network.
    Build,
}

impl Phase {
    pub(crate) fn network(self, requirement: Requirement) -> Network {
        match self {
            Self::Fetch => Network::On,
            Self::Build => Network::Off(requirement),
        }
    }
}

/// How long one command may take.
const DEADLINE: Duration = Duration::from_mins(15);

impl Engine<'_> {
    /// The job of a command that makes a checkout ready: it may write into the checkout, its
    /// temporary folder and its place.
    pub(crate) fn prepare_job(
        &self,
        step: &PrepareStep,
        around: &Surroundings,
        (tree, scratch): (&Path, &Path),
    ) -> Result<Job, StoryError> {
        let mut job = Job::new(["sh", "-c", &step.command], &step.folder, DEADLINE);
        job.env = self.job_environment(scratch);
        let mut writable = vec![tree.to_owned(), scratch.to_owned()];
        let more = around.apply(scratch, &mut job.env).map_err(StoryError::Scratch)?;
        writable.extend(more);
        let network = step.phase.network(self.requirement());
        job.sandbox = Some(self.closed_sandbox(writable, network));
        Ok(job)
    }
}

/// What a command of the preparation came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PrepareRun {
    pub(crate) rc: i32,
    /// The last line that it printed, without secrets; may be empty.
    pub(crate) last_line: String,
}

/// A checkout in which something can be proven.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ready {
    pub(crate) surroundings: Surroundings,
    /// The dependencies that were installed into it.
    pub(crate) carried: Carried,
    /// Files that a command changed and that are as they were delivered again.
    pub(crate) restored: Vec<String>,
}

/// Why a checkout is not ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotReady {
    /// A command that must succeed and did not.
    Failed { command: String, rc: i32, last_line: String },
    /// What the configuration names is not there.
    Absent(Absent),
}

/// What is said about it.
#[derive(Debug, Message)]
#[message(code = "task.prepare")]
enum Failure<'a> {
    #[message(
        en = "the preparation command `{command}` exited with {rc} and printed nothing",
        zh = "准备命令 `{command}` 退出码 {rc}，没有任何输出"
    )]
    Silent { command: &'a str, rc: i32 },
    #[message(
        en = "the preparation command `{command}` exited with {rc}: {last_line}",
        zh = "准备命令 `{command}` 退出码 {rc}：{last_line}"
    )]
    Failed { command: &'a str, rc: i32, last_line: &'a str },
}

impl NotReady {
    /// The command, its exit code, and the last line of its output; or what is missing.
    pub(crate) fn text(&self) -> Text {
        match self {
            Self::Absent(it) => it.text(),
            Self::Failed { command, rc, last_line } if last_line.is_empty() => {
                Failure::Silent { command, rc: *rc }.text()
            }
            Self::Failed { command, rc, last_line } => {
                Failure::Failed { command, rc: *rc, last_line }.text()
            }
        }
    }

    /// The exit code of the command; where none was run, one that is not 0.
    pub(crate) fn rc(&self) -> i32 {
        match self {
            Self::Failed { rc, .. } => *rc,
            Self::Absent(_) => 1,
        }
    }
}

/// Whether a checkout is ready.
#[derive(Clone, Debug)]
pub(crate) enum Readiness {
    Ready(Box<Ready>),
    NotReady(NotReady),
}

/// Starts a command of a preparation, in the sandbox, with the surroundings that it is given.
pub(crate) type Run<'a, E> =
    &'a mut dyn FnMut(&PrepareStep, &Surroundings) -> Result<PrepareRun, E>;

impl Preparation {
    /// Makes a checkout ready.
    ///
    /// A command may run what an agent wrote. So only dependencies stay of what it leaves: the
    /// checkout is exactly what was delivered again. Where the base needs the same dependencies,
    /// they are copied from there.
    pub(crate) fn make_ready<E: From<GitError> + From<StoryError>>(
        &self,
        site: Site<'_>,
        run: Run<'_, E>,
    ) -> Result<Readiness, E> {
        if let Some(absent) = &self.absent {
            return Ok(Readiness::NotReady(NotReady::Absent(absent.clone())));
        }
        let tree = &site.checkout.tree;
        let mut ready = Ready::default();
        let mut place = site.place;
        if let Some(layer) = site.layer.filter(|it| self.is_of_base() && it.fits(tree)) {
            let copied = layer.put_into(tree).map_err(StoryError::Scratch)?;
            ready.carried = Carried::of(tree, copied)?;
            place = &layer.place;
        } else {
            if let Some(not_ready) = self.run_all(site, run)? {
                return Ok(Readiness::NotReady(not_ready));
            }
            if !self.is_empty() {
                ready.restored = restore::tracked(site.git, site.checkout)?;
                ready.carried = self.settle(site)?;
            }
        }
        let home = Home::Copied { place: place.clone(), caches: Copied::Lasting };
        let surroundings = Surroundings { home, ..Surroundings::default() };
        ready.surroundings = surroundings.with_environments(&self.environments_in(tree));
        Ok(Readiness::Ready(Box::new(ready)))
    }

    /// Runs every command, and says which one failed that must succeed.
    fn run_all<E: From<StoryError>>(
        &self,
        site: Site<'_>,
        run: Run<'_, E>,
    ) -> Result<Option<NotReady>, E> {
        let Site { engine, checkout, place, .. } = site;
        let (fetch, build) = self.steps(&checkout.tree);
        let home = Home::Shared(place.clone());
        let around = Surroundings { home, ..Surroundings::default() }.with_registries(engine);
        let lent = place.lend(&engine.personal_folders()).map_err(StoryError::Scratch)?;
        let fetched = run_each(&fetch, &around, run);
        lent.take_back().map_err(StoryError::Scratch)?;
        if let Some(not_ready) = fetched? {
            return Ok(Some(not_ready));
        }
        // What the code of packages leaves in a home is not for the test.
        let home = Home::Copied { place: place.clone(), caches: Copied::All };
        let around = Surroundings { home, ..Surroundings::default() };
        let around = around.with_environments(&self.environments_in(&checkout.tree));
        run_each(&build, &around, run)
    }

    fn environments_in(&self, tree: &Path) -> Vec<PathBuf> {
        self.environments().map(|it| tree.join(it)).collect()
    }
}

fn run_each<E>(
    steps: &[PrepareStep],
    around: &Surroundings,
    run: Run<'_, E>,
) -> Result<Option<NotReady>, E> {
    for step in steps {
        let mut around = around.clone();
        let own = step.variables.iter().map(|(name, it)| ((*name).to_owned(), (*it).to_owned()));
        around.variables.extend(own);
        let PrepareRun { rc, last_line } = run(step, &around)?;
        if step.must_succeed && rc != 0 {
            return Ok(Some(NotReady::Failed { command: step.command.clone(), rc, last_line }));
        }
    }
    Ok(None)
}

/// The last line of an output that says something.
pub(crate) fn last_line(output: &str) -> &str {
    output.lines().map(str::trim).rfind(|it| !it.is_empty()).unwrap_or_default()
}
