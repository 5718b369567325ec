//! The person's uncommitted work as a tree: what `git add --all` would stage.
//!
//! Their ignore rules, line endings and filters apply. Index and objects are ours, in a private
//! repository: the person's own are only read, so that a crash leaves them as they were.

use std::{
    fs::{self, OpenOptions},
    path::{Path, PathBuf},
};

use super::{super::PrivateClone, Own};
use crate::git::{
    GitAction, GitError, ObjectId, clone, list,
    run::Call,
    snapshot::{check_size, scratch_file},
};

/// Nothing but the index is to be written, and nothing is to run that does not belong to a file.
const QUIET: [&str; 8] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.splitIndex=false",
    "-c",
    "core.untrackedCache=false",
];

/// What lies in a worktree beside its last commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uncommitted {
    Tree {
        /// All tracked files as they lie there, and the new ones that are not ignored.
        tree: ObjectId,
        /// Repositories that git does not know. Nothing of them is in the tree.
        nested: Vec<String>,
    },
    /// A merge is not finished: these files are in conflict.
    Unmerged { files: Vec<String> },
}

impl Own<'_> {
    /// Writes the worktree that `clone` stands beside as a tree, into the private repository.
    pub fn uncommitted_tree(&self, clone: &PrivateClone) -> Result<Uncommitted, GitError> {
        let index = self.copied_index(clone)?;
        let objects = clone.git_dir.join("objects");
        let call = |action, args: &[&str]| -> Call<'_> {
            let args = [QUIET.as_slice(), args].concat();
            let call = self.call(&clone.tree, action, &args);
            call.with("GIT_INDEX_FILE", &index).with("GIT_OBJECT_DIRECTORY", &objects)
        };
        let listed = |args: &[&str]| call(GitAction::List, args).output();

        let unmerged = listed(&["diff-files", "--name-only", "--diff-filter=U", "-z"])?;
        if !unmerged.is_empty() {
            return Ok(Uncommitted::Unmerged { files: list::paths(&unmerged).map(text).collect() });
        }
        let changed = listed(&["diff-files", "--name-only", "-z"])?;
        let others = listed(&["ls-files", "--others", "--exclude-standard", "-z"])?;
        // Git writes a repository inside the worktree as a folder, and enters no other that way.
        let (nested, new): (Vec<&[u8]>, Vec<&[u8]>) =
            list::paths(&others).partition(|it| it.ends_with(b"/"));
        let touched: Vec<&[u8]> = list::paths(&changed).chain(new.iter().copied()).collect();
        check_size(&clone.tree, &touched)?;

        call(GitAction::WriteIndex, &["add", "--update"]).output()?;
        if !new.is_empty() {
            let input = scratch_file(clone, "own.paths");
            clone::write(&input, &[new.join(&0).as_slice(), &[0]].concat())?;
            let add = ["update-index", "--add", "-z", "--stdin"];
            call(GitAction::WriteIndex, &add).reading(input).output()?;
        }
        let line = call(GitAction::WriteIndex, &["write-tree"]).line()?;
        let tree = line.parse().map_err(|_| GitError::BadRevision { revision: line })?;
        let nested = nested.into_iter().map(|it| text(it.strip_suffix(b"/").unwrap_or(it)));
        Ok(Uncommitted::Tree { tree, nested: nested.collect() })
    }

    /// Copies the index of the worktree, with its time: by that git knows which files it has to
    /// look into. A worktree without an index has an empty one.
    fn copied_index(&self, clone: &PrivateClone) -> Result<PathBuf, GitError> {
        let args = ["rev-parse", "--path-format=absolute", "--git-path", "index"];
        let own = self.git.at(&clone.tree, GitAction::Read, &args).line()?;
        let own = Path::new(&own);
        let index = scratch_file(clone, "own.index");
        // Git writes the index, and wants its folder.
        clone::write(&scratch_file(clone, "own"), b"")?;
        let Ok(time) = own.metadata().and_then(|it| it.modified()) else { return Ok(index) };
        let fail = |action| {
            let path = own.to_owned();
            move |source| GitError::File { action, path, source }
        };
        let bytes = fs::read(own).map_err(fail(GitAction::Read))?;
        clone::write(&index, &bytes)?;
        #[expect(clippy::disallowed_methods, reason = "scratch of ours, outside every home")]
        let timed =
            OpenOptions::new().write(true).open(&index).and_then(|it| it.set_modified(time));
        timed.map_err(fail(GitAction::SetTime))?;
        Ok(index)
    }
}

fn text(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}
