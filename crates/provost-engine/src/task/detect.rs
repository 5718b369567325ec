//! The checks that a revision of a repository has, by its files.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use provost_exec::git::{Git, GitError, read};
use provost_rules::ecosystem::ProjectFiles;
use provost_rules_task::detect::{self, Detected};

/// The largest file that is read: a lock file may be long.
const FILE: u64 = 16 << 20;

/// Finds the projects of a revision, and the commands that check them. Nothing is run, and nothing
/// of the worktree takes part.
pub fn detect(git: &Git, repository: &Path, revision: &str) -> Result<Detected, GitError> {
    let files = read::files(git, repository, revision)?;
    let paths: BTreeSet<String> = files.keys().cloned().collect();
    let known: RefCell<BTreeMap<String, Option<String>>> = RefCell::default();
    let read = |path: &str| {
        let object = files.get(path)?;
        let mut known = known.borrow_mut();
        let text = || read::text(git, repository, object, FILE);
        known.entry(path.to_owned()).or_insert_with(text).clone()
    };
    Ok(detect::checks(ProjectFiles { paths: &paths, read: &read }))
}
