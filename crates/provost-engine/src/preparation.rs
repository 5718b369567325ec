//! What makes a checkout ready before anything is proven in it: the same for the test of a task
//! and for the evidence of a story.
//!
//! It runs with the network on, and it may run what an agent wrote. So only dependencies stay of
//! what it leaves, in a checkout in which nothing else has run.

use std::path::Path;

use provost_exec::git::{
    Git, GitError, ObjectId, PrivateClone,
    renew::{self, Carried},
    stat,
    tree::TreeFiles,
};
use provost_rules_story::base::BaseTree;
use provost_rules_task::prepare::{self, Files, LeftOut, Suggestion};

use crate::{Engine, Prepare, Settings};

/// The largest lock file that is read.
const LOCK_FILE: u64 = 64 << 20;

/// What is done before a checkout is ready.
#[derive(Clone, Debug)]
pub(crate) struct Preparation {
    /// What the configuration asks for, which must succeed.
    asked: Vec<String>,
    /// What lock files suggest, which is tried.
    suggested: Suggestion,
    base: BaseTree,
}

/// One command of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) text: String,
    /// Whether nothing is proven where it fails.
    pub(crate) must_succeed: bool,
}

impl Preparation {
    /// Finds out what a delivery needs: a commit that `source` has, beside its base.
    pub(crate) fn of(
        settings: &Settings,
        git: &Git,
        source: &PrivateClone,
        delivered: &ObjectId,
    ) -> Result<Self, GitError> {
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
        let is_asked = |it: &&Prepare| it.when.as_deref().is_none_or(has);
        let asked = settings.prepare.iter().filter(is_asked).map(|it| it.command.clone());
        let text = |files: &TreeFiles, path: &str| {
            let texts = files.texts(git, source, [path], LOCK_FILE).ok()?;
            texts.into_values().next()
        };
        let suggested = if settings.prepare.is_empty() && settings.prepare_default {
            prepare::by_lock_file(Files {
                is_same: &|path| after.agrees_with(&before, path),
                base: &|path| text(&before, path),
                delivered: &|path| text(&after, path),
            })
        } else {
            Suggestion::default()
        };
        Ok(Self { asked: asked.collect(), suggested, base })
    }

    /// The commands, in the order in which they run.
    pub(crate) fn commands(&self) -> Vec<Command> {
        let asked = self.asked.iter().map(|it| (it.clone(), true));
        let suggested = self.suggested.commands.iter().map(|it| ((*it).to_owned(), false));
        let all = asked.chain(suggested);
        all.map(|(text, must_succeed)| Command { text, must_succeed }).collect()
    }

    /// The lock files that are not followed.
    pub(crate) fn left_out(&self) -> &[LeftOut] {
        &self.suggested.left_out
    }

    /// Exchanges a checkout in which the commands ran for a new one that has the dependencies.
    /// What else is there is moved into the folder `aside`.
    pub(crate) fn settle(
        &self,
        git: &Git,
        source: &PrivateClone,
        checkout: &PrivateClone,
        aside: &Path,
    ) -> Result<Carried, GitError> {
        let is_kept = |path: &str, is_folder: bool| {
            if self.asked.is_empty() {
                prepare::is_dependency(path, is_folder)
            } else {
                prepare::is_prepared(path, is_folder, |it| self.base.is_ignored(it))
            }
        };
        renew::renew(git, source, checkout, (aside, &Engine::identity()), &is_kept)
    }
}
