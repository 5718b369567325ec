//! What keeps the versions of a proof apart: no run can tell which one it is, or read another's tests.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use provost_exec::git::{ObjectId, PrivateClone, clone, seal};
use provost_vault::Location;

use super::{Prover, hooks::Hooks};
use crate::{Engine, story::StoryError};

impl Prover<'_> {
    /// A checkout of a version that tells nothing about other ones.
    pub(super) fn check_out(
        &self,
        commit: &ObjectId,
        tree: &Path,
    ) -> Result<PrivateClone, StoryError> {
        let checkout = clone::exact(&self.git, self.clone, commit, tree, &Engine::identity())?;
        self.seal(&checkout)?;
        Ok(checkout)
    }

    /// Replaces the repository of a checkout by one without contents.
    pub(super) fn seal(&self, checkout: &PrivateClone) -> Result<(), StoryError> {
        Ok(seal::seal(&self.git, checkout, &self.clone.base, &Engine::identity())?)
    }

    /// Where the tests of other versions could be read: in repositories, in other checkouts, and in the
    /// person's work tree.
    pub(super) fn other_versions(
        &self,
        tree: &Path,
        hooks: &Hooks,
        writable: &[PathBuf],
    ) -> Vec<PathBuf> {
        let layout = self.engine.desk.layout();
        let mut found = seal::stores(self.clone);
        let mut kept = writable.to_vec();
        if let Some(place) = tree.parent() {
            let of_others = [format!("{}.git", self.repository()), "saved".to_owned()];
            found.extend(of_others.map(|it| place.join(it)));
            kept.push(place.to_owned());
        }
        // What was installed names its path.
        let real = |it: Location| {
            let path = it.path().into_std_path_buf();
            path.canonicalize().unwrap_or(path)
        };
        kept.extend([hooks.folder.clone(), real(layout.layers())]);
        for root in [layout.trees(), layout.judge_root()] {
            beside(&real(root), &kept, &mut found);
        }
        if let Some(project) = layout.home().path().parent() {
            let tests = self.base.plain().filter(|it| self.classes.is_tests(it));
            // Whole folders of the root: a clean checkout has what it needs of them.
            let parts: BTreeSet<&str> = tests.filter_map(|it| it.split('/').next()).collect();
            let parts = parts.into_iter().map(|it| project.join(it).into_std_path_buf());
            found.extend(parts.filter(|it| !kept.iter().any(|kept| kept.starts_with(it))));
        }
        let is_open = |it: &PathBuf| writable.iter().any(|open| it.starts_with(open));
        found.retain(|it| it.symlink_metadata().is_ok() && !is_open(it));
        found
    }
}

/// What lies in a folder beside what is kept of it.
fn beside(folder: &Path, kept: &[PathBuf], found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|it| it.path()) {
        if kept.contains(&path) {
            continue;
        }
        if kept.iter().any(|it| it.starts_with(&path)) {
            beside(&path, kept, found);
        } else {
            found.push(path);
        }
    }
}
