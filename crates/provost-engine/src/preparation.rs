//! What makes a checkout ready before anything is proven in it: the same for the test of a task
//! and for the evidence of a story.
//!
//! Fetching has the network and runs no code of a package; building has no network. What the
//! configuration asks for may run anything, with the network on. So only dependencies stay of what
//! all this leaves, in a checkout in which nothing else has run.

mod key;
mod layer;
mod ready;
mod shared;
mod surroundings;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use provost_exec::git::{
    Git, GitError, ObjectId, PrivateClone,
    renew::{self, Carried},
    stat,
    tree::TreeFiles,
};
use provost_kernel::Message;
use provost_rules_story::base::BaseTree;
use provost_rules_task::prepare::{
    self, Absent, Files, LeftOut, NamedInstall, PrepareBy, SuggestedInstall, Suggestion, Wanted,
};

pub(crate) use self::{
    layer::Layer,
    ready::{NotReady, Phase, PrepareRun, PrepareStep, Readiness, Ready, Site, last_line},
    shared::{LayerOrigin, LayerSite},
    surroundings::{Home, Surroundings},
};
use crate::{Engine, Settings};

/// The largest lock file that is read.
const LOCK_FILE: u64 = 64 << 20;

/// What is done before a checkout is ready.
#[derive(Clone, Debug)]
pub(crate) struct Preparation {
    /// What the configuration asks for.
    asked: Vec<String>,
    /// What lock files suggest, or what the configuration names.
    suggested: Suggestion,
    /// What it names and cannot be installed: then nothing can be proven.
    absent: Option<Absent>,
    /// What they suggest and cannot be done.
    missing: Vec<MissingProgram>,
    base: BaseTree,
    /// What was delivered.
    files: TreeFiles,
}

/// An installation whose program is not there: the test shows whether it was needed.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(
    code = "task.prepare.missing_program",
    en = "dependencies of `{lock_file}` are not installed: `{program}` is not in PATH",
    zh = "不安装 `{lock_file}` 中的依赖：PATH 中没有 `{program}`"
)]
pub(crate) struct MissingProgram {
    lock_file: String,
    program: &'static str,
}

impl Preparation {
    /// Finds out what a delivery needs: a commit that `source` has, beside its base.
    pub(crate) fn of(
        engine: &Engine<'_>,
        git: &Git,
        source: &PrivateClone,
        delivered: &ObjectId,
    ) -> Result<Self, GitError> {
        let Settings { prepare: wanted, prepare_default, .. } = engine.settings;
        let content = stat::base(git, source)?;
        let base = BaseTree::new(
            content.paths.iter().map(String::as_str),
            content.rules.iter().map(|(path, text)| (path.as_str(), text.as_str())),
        );
        let before = TreeFiles::of(git, source, &source.base)?;
        let after = TreeFiles::of(git, source, delivered)?;
        let has = |path: &str| {
            let below = format!("{}/", path.trim_end_matches('/'));
            after.paths().any(|it| it == path || it.starts_with(&below))
        };
        let is_asked = |it: &&Wanted| it.when.as_deref().is_none_or(has);
        let (mut asked, mut named) = (Vec::new(), Vec::<&NamedInstall>::new());
        for it in wanted.iter().filter(is_asked) {
            match &it.by {
                PrepareBy::Command(command) => asked.push(command.clone()),
                PrepareBy::Ecosystem(install) => named.push(install),
            }
        }
        let text = |files: &TreeFiles, path: &str| {
            let texts = files.texts(git, source, [path], LOCK_FILE).ok()?;
            texts.into_values().next()
        };
        let paths = |files: &TreeFiles| files.plain().map(str::to_owned).collect();
        let (base_paths, paths): (BTreeSet<_>, BTreeSet<_>) = (paths(&before), paths(&after));
        let files = Files {
            base_paths: &base_paths,
            paths: &paths,
            is_same: &|path| after.agrees_with(&before, path),
            base: &|path| text(&before, path),
            delivered: &|path| text(&after, path),
        };
        let found = if wanted.is_empty() && *prepare_default {
            Ok(prepare::suggest(files))
        } else {
            prepare::named(&named, files)
        };
        let (mut suggested, absent) = match found {
            Ok(suggested) => (suggested, None),
            Err(absent) => (Suggestion::default(), Some(absent)),
        };
        let (there, missing): (Vec<_>, Vec<_>) =
            suggested.installs.into_iter().partition(|it| has_program(engine, it.program));
        suggested.installs = there;
        let name =
            |it: SuggestedInstall| MissingProgram { lock_file: it.found_by, program: it.program };
        let missing = missing.into_iter().map(name).collect();
        Ok(Self { asked, suggested, absent, missing, base, files: after })
    }

    /// Whether nothing is to be done.
    pub(crate) fn is_empty(&self) -> bool {
        self.asked.is_empty() && self.suggested.installs.is_empty() && self.absent.is_none()
    }

    /// Whether it comes to the same as for the base.
    fn is_of_base(&self) -> bool {
        let installs = &self.suggested.installs;
        self.asked.is_empty() && !installs.is_empty() && installs.iter().all(|it| it.is_of_base)
    }

    /// The commands for a checkout at `tree`: all that fetch, then all that build.
    fn steps(&self, tree: &Path) -> (Vec<PrepareStep>, Vec<PrepareStep>) {
        let asked = self.asked.iter().map(|it| PrepareStep {
            command: it.clone(),
            folder: tree.to_owned(),
            phase: Phase::Fetch,
            must_succeed: true,
            variables: Vec::new(),
        });
        let of = |it: &SuggestedInstall, commands: &[String], phase, must_succeed| {
            let step = |command: &String| PrepareStep {
                command: command.clone(),
                folder: tree.join(&it.folder),
                phase,
                must_succeed,
                variables: it.variables.clone(),
            };
            commands.iter().map(step).collect::<Vec<_>>()
        };
        let installs = &self.suggested.installs;
        let fetch = installs.iter().flat_map(|it| of(it, &it.fetch, Phase::Fetch, it.must_fetch));
        let build = installs.iter().flat_map(|it| of(it, &it.build, Phase::Build, it.must_build));
        (asked.chain(fetch).collect(), build.collect())
    }

    /// The command that stands for all of them.
    pub(crate) fn first_command(&self) -> Option<&str> {
        let suggested = self.suggested.installs.iter().flat_map(|it| &it.fetch);
        self.asked.iter().chain(suggested).next().map(String::as_str)
    }

    /// The folders of virtual environments, from the root.
    fn environments(&self) -> impl Iterator<Item = &str> {
        self.suggested.installs.iter().filter_map(|it| it.environment.as_deref())
    }

    /// The lock files that are not followed.
    pub(crate) fn left_out(&self) -> &[LeftOut] {
        &self.suggested.left_out
    }

    /// The installations whose programs are not there.
    pub(crate) fn missing(&self) -> &[MissingProgram] {
        &self.missing
    }

    /// What was installed into a checkout, from its tree.
    fn installed(&self, tree: &Path) -> Result<Vec<PathBuf>, GitError> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        renew::kept(tree, &|path, is_folder| self.is_kept(path, is_folder))
    }

    /// Whether something may stay that is there after the commands.
    fn is_kept(&self, path: &str, is_folder: bool) -> bool {
        if self.asked.is_empty() {
            prepare::is_dependency(path, is_folder)
        } else {
            prepare::is_prepared(path, is_folder, |it| self.base.is_ignored(it))
        }
    }

    /// Exchanges a checkout in which the commands ran for a new one that has the dependencies.
    fn settle(&self, site: Site<'_>) -> Result<Carried, GitError> {
        let Site { git, source, checkout, aside, .. } = site;
        let is_kept = |path: &str, is_folder: bool| self.is_kept(path, is_folder);
        renew::renew(git, source, checkout, (aside, &Engine::identity()), &is_kept)
    }
}

/// Whether a program is found in the person's `PATH`.
pub(crate) fn has_program(engine: &Engine<'_>, program: &str) -> bool {
    let path = engine.variables.get("PATH").map(String::as_str).unwrap_or_default();
    std::env::split_paths(path).any(|it| it.join(program).is_file())
}
