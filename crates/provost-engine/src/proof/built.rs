//! Versions in which the build has run: one build for all commands that begin with it.
//!
//! `BUILD && REST` does in a new checkout what `REST` does in one in which `BUILD` has succeeded. So each
//! such command starts in a copy of what the build left, at the same path: its files, its temporary
//! folder, its home and its caches. What a command leaves is gone with its copy, and a version never has
//! the build of another one.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    rc::Rc,
};

use provost_exec::{
    git::{Git, ObjectId, PrivateClone, restore},
    place::copy_exactly,
};
use provost_kernel::task::ProofCorner;
use provost_rules_proof::{build::rest, class::Classes, record::TestRecord};
use provost_vault::{
    Location, make_work_folder, remove, set_aside, work_apart, work_below, work_part,
};

use super::{Prover, hooks::Hooks, text};
use crate::{preparation::Surroundings, story::StoryError};

/// A build that the project or its settings name, and where it runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Build {
    pub(crate) command: String,
    /// From the root of the repository.
    pub(crate) folder: String,
}

/// The builds that commands may begin with, and the versions in which they have run.
#[derive(Debug, Default)]
pub(crate) struct BuiltTrees {
    builds: Vec<Build>,
    /// The commands that begin with one of them, each with its folder.
    commands: Vec<(String, String)>,
    trees: RefCell<BTreeMap<(Build, ObjectId), Version>>,
    /// Commands that need their own build after all.
    alone: RefCell<BTreeSet<String>>,
}

/// A version in which a build was run.
#[derive(Clone, Debug)]
pub(crate) enum Version {
    Built(Rc<BuiltTree>),
    /// It does not build, or its build cannot be shared.
    NotShared,
}

/// A checkout as the build left it.
#[derive(Debug)]
pub(crate) struct BuiltTree {
    /// Where it is put for each command.
    pub(crate) checkout: PrivateClone,
    /// The temporary folder, with the home and the caches.
    pub(crate) scratch: PathBuf,
    pub(crate) around: Surroundings,
    /// What the build printed, where that is evidence.
    pub(crate) output: String,
    /// Where both lie between commands; nothing is run there.
    saved: PathBuf,
    /// The places of both.
    places: [Location; 2],
}

/// A checkout in which a build has just succeeded.
pub(crate) struct BuiltHere {
    pub(crate) checkout: PrivateClone,
    pub(crate) scratch: PathBuf,
    pub(crate) around: Surroundings,
    pub(crate) output: String,
}

impl BuiltTrees {
    /// With the builds that one of these commands begins with, each of which has its folder.
    pub(crate) fn new(mut builds: Vec<Build>, commands: &[(&str, &str)]) -> Self {
        let begins = |build: &Build, it: &(&str, &str)| {
            it.1 == build.folder && rest(it.0, &build.command).is_some()
        };
        builds.retain(|build| commands.iter().any(|it| begins(build, it)));
        let is_shared = |it: &&(&str, &str)| builds.iter().any(|build| begins(build, it));
        let commands = commands.iter().filter(is_shared);
        let commands = commands.map(|it| (it.0.to_owned(), it.1.to_owned())).collect();
        Self { builds, commands, ..Self::default() }
    }

    /// Whether some command begins with this build.
    pub(crate) fn find(&self, command: &str, folder: &str) -> Option<&Build> {
        self.builds.iter().find(|it| it.command == command && it.folder == folder)
    }

    /// The build that a command begins with, and the rest of the command.
    pub(crate) fn split<'c>(&self, command: &'c str, folder: &str) -> Option<(&Build, &'c str)> {
        if self.alone.borrow().contains(command) {
            return None;
        }
        let mut builds = self.builds.iter().filter(|it| it.folder == folder);
        builds.find_map(|it| Some((it, rest(command, &it.command)?)))
    }

    /// Lets a command have its own build from now on.
    pub(crate) fn leave_alone(&self, command: &str) {
        self.alone.borrow_mut().insert(command.to_owned());
    }

    /// What is known of a version.
    pub(crate) fn of(&self, build: &Build, commit: &ObjectId) -> Option<Version> {
        self.trees.borrow().get(&(build.clone(), commit.clone())).cloned()
    }

    pub(crate) fn put(&self, build: &Build, commit: &ObjectId, tree: Option<BuiltTree>) -> Version {
        let version = tree.map_or(Version::NotShared, |it| Version::Built(Rc::new(it)));
        self.trees.borrow_mut().insert((build.clone(), commit.clone()), version.clone());
        version
    }
}

impl BuiltTree {
    /// Puts a checkout away in which a build has succeeded. One whose tracked files the build has changed
    /// is not kept: a later change of such a file would undo what the build did.
    pub(crate) fn keep(
        git: &Git,
        built: BuiltHere,
        work: &Location,
        into: &Location,
    ) -> Result<Option<Self>, StoryError> {
        let BuiltHere { checkout, scratch, around, output } = built;
        if !restore::tracked(git, &checkout)?.is_empty() {
            return Ok(None);
        }
        let places = [work_below(work, &checkout.tree), work_below(work, &scratch)];
        if places.iter().any(|it| it.path() == work.path()) {
            return Ok(None);
        }
        let saved = make_work_folder(into)?;
        for (place, name) in places.iter().zip(["tree", "tmp"]) {
            set_aside(place, &work_part(into, name))?;
        }
        Ok(Some(Self { checkout, scratch, around, output, saved, places }))
    }

    /// Puts a copy to its place; says whether that was possible.
    pub(crate) fn open(&self, git: &Git) -> Result<bool, StoryError> {
        self.close()?;
        // A build can leave what cannot be read: then every command has a build of its own.
        let copied = copy_exactly(&self.saved.join("tree"), &self.checkout.tree)
            .and_then(|()| copy_exactly(&self.saved.join("tmp"), &self.scratch));
        if copied.is_err() {
            self.close()?;
            return Ok(false);
        }
        restore::recognize(git, &self.checkout)?;
        Ok(true)
    }

    /// Removes the copy, with what a command has left in it.
    pub(crate) fn close(&self) -> Result<(), StoryError> {
        Ok(self.places.iter().try_for_each(remove)?)
    }
}

/// A run that starts where the build has ended.
pub(super) struct AfterBuild {
    pub(super) built: Rc<BuiltTree>,
    pub(super) checkout: PrivateClone,
    /// What is left of the command.
    pub(super) command: String,
}

impl Prover<'_> {
    /// The scripts of all commands that share a build with this one: they are in other words in one
    /// version, which is built once.
    pub(super) fn shared_scripts(&self) -> BTreeSet<String> {
        let builds = self.builds.filter(|it| it.split(&self.command, &self.cwd).is_some());
        let commands = builds.into_iter().flat_map(|it| &it.commands);
        let text = |path: &str| text(&self.git, self.clone, &self.base, path);
        let of = |(command, folder): &(String, String)| {
            let classes = Classes::of_command(command, folder, &text);
            classes.scripts().map(str::to_owned).collect::<Vec<_>>()
        };
        commands.flat_map(of).collect()
    }

    /// The checkout of a version in which the command starts after its build; none if it has to start at
    /// the beginning.
    pub(super) fn after_build(
        &mut self,
        corner: ProofCorner,
        commit: &ObjectId,
    ) -> Result<Option<AfterBuild>, StoryError> {
        let onto = match corner {
            ProofCorner::Planted => self.planted_onto.clone(),
            ProofCorner::Plain
            | ProofCorner::Base
            | ProofCorner::Result
            | ProofCorner::OldTests
            | ProofCorner::OldProduct
            | ProofCorner::Reworded => Some(commit.clone()),
            // Each is a version that one command alone is run in.
            ProofCorner::Reverted | ProofCorner::Mutated => None,
        };
        let (Some(builds), Some(onto)) = (self.builds, onto) else { return Ok(None) };
        let Some((build, rest)) = builds.split(&self.command, &self.cwd) else { return Ok(None) };
        let (build, command) = (build.clone(), rest.to_owned());
        let built = match builds.of(&build, &onto) {
            Some(known) => known,
            None => builds.put(&build, &onto, self.build(&build, &onto)?),
        };
        let Version::Built(built) = built else { return Ok(None) };
        if !built.open(&self.git)? {
            return Ok(None);
        }
        let checkout = if onto == *commit {
            built.checkout.clone()
        } else {
            let moved = restore::move_to(&self.git, &built.checkout, commit)?;
            self.seal(&moved)?;
            moved
        };
        Ok(Some(AfterBuild { built, checkout, command }))
    }

    /// Checks a version out and builds it; none if that fails, or if tests run while it is built, which
    /// no command would record then.
    fn build(&mut self, build: &Build, commit: &ObjectId) -> Result<Option<BuiltTree>, StoryError> {
        let place = work_apart(&work_part(&self.folder, "builds"));
        let tree = make_work_folder(&place)?.join(self.repository());
        let checkout = self.check_out(commit, &tree)?;
        let scratch = make_work_folder(&work_part(&place, "tmp"))?;
        let Ok(around) = self.prepare(&checkout, &place, &scratch)? else { return Ok(None) };
        let around = around.shared_in(&scratch).map_err(StoryError::Scratch)?;
        let hooks = Hooks::install(&place, &checkout.tree)?;
        let argv = ["sh", "-c", &build.command];
        let job = self.job(argv, (&checkout.tree, &scratch), &around, (&hooks, self.languages))?;
        let (rc, _) = self.start(job)?;
        let recorded = TestRecord::read(&hooks.recorded().unwrap_or_default());
        if rc != 0 || recorded.is_some() {
            return Ok(None);
        }
        let built = BuiltHere { checkout, scratch, around, output: String::new() };
        BuiltTree::keep(&self.git, built, &self.folder, &work_part(&place, "saved"))
    }
}
