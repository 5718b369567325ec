//! Merges without a work tree, in a private repository: no merge driver, no hook and no attribute of
//! anybody takes part, so the same three trees always give the same one.

use std::path::{Path, PathBuf};

use provost_kernel::Timestamp;

use super::{
    Git, GitAction, GitError, Identity, ObjectId, PrivateClone,
    clone::write,
    publish::{Commit, commit_tree, fetch},
};

/// Names of the private repository, so that what they stand for can be merged and fetched.
const ORIGIN_REF: &str = "refs/provost/merge/origin";
const OURS_REF: &str = "refs/provost/merge/ours";
const THEIRS_REF: &str = "refs/provost/merge/theirs";
const MERGED_REF: &str = "refs/provost/merge/merged";
/// The exit code of a git that does not know an option.
const UNKNOWN_OPTION: i32 = 129;

/// What became of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// The tree of both.
    Clean(ObjectId),
    Conflict(Conflict),
    /// This git cannot merge without a work tree: it is older than 2.38.
    Unable,
}

/// What two sides could not agree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The files that both sides changed.
    pub files: Vec<String>,
    /// The tree of both, with marks around what they disagree on: each names a side by its commit.
    pub tree: ObjectId,
}

/// Three versions of which two come from the third.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    pub origin: &'a ObjectId,
    pub ours: &'a ObjectId,
    pub theirs: &'a ObjectId,
}

/// Applies to `ours` what `theirs` changed of `origin`, whatever their histories are.
pub fn merge(
    git: &Git,
    clone: &PrivateClone,
    sides: Sides<'_>,
    identity: &Identity,
) -> Result<Merged, GitError> {
    // Commits of our own with these trees: git looks for the origin of two sides in their histories.
    let of = |tree: &ObjectId, parent: &ObjectId, name: &str| {
        let when = Timestamp::EPOCH;
        commit_tree(git, clone, &Commit { tree, parent, identity, when, message: "side" }, name)
    };
    let tree = |commit: &ObjectId| tree_of(git, clone, commit);
    let origin = of(&tree(sides.origin)?, sides.origin, ORIGIN_REF)?;
    let ours = of(&tree(sides.ours)?, &origin, OURS_REF)?;
    let theirs = of(&tree(sides.theirs)?, &origin, THEIRS_REF)?;
    let args = ["merge-tree", "--write-tree", "--no-messages", "--name-only", "-z"];
    let args = [args.as_slice(), &[ours.as_str(), theirs.as_str()]].concat();
    let ran = git.in_dir(&clone.git_dir, GitAction::Merge, &args).run()?;
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let mut parts = text.split('\0').filter(|it| !it.is_empty());
    match (ran.rc, parts.next().and_then(|it| it.parse().ok())) {
        (0, Some(tree)) => Ok(Merged::Clean(tree)),
        (1, Some(tree)) => {
            let files = parts.map(str::to_owned).collect();
            Ok(Merged::Conflict(Conflict { files, tree }))
        }
        (UNKNOWN_OPTION, _) => Ok(Merged::Unable),
        _ => {
            let subject = clone.git_dir.display().to_string();
            Err(GitError::Failed { action: GitAction::Merge, subject, failure: ran.failure() })
        }
    }
}

/// The tree of a commit.
pub fn tree_of(git: &Git, clone: &PrivateClone, commit: &ObjectId) -> Result<ObjectId, GitError> {
    let revision = format!("{commit}^{{tree}}");
    let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &revision];
    let line = git.in_dir(&clone.git_dir, GitAction::Read, &args).line()?;
    line.parse().map_err(|_| GitError::BadRevision { revision: line })
}

/// Commits a tree on the base of the clone, so that it can be checked out.
pub fn commit(
    git: &Git,
    clone: &PrivateClone,
    tree: &ObjectId,
    identity: &Identity,
) -> Result<ObjectId, GitError> {
    let parts =
        Commit { tree, parent: &clone.base, identity, when: Timestamp::EPOCH, message: "merged" };
    commit_tree(git, clone, &parts, MERGED_REF)
}

/// Brings the tree that was committed last into the person's repository, under this name.
pub fn bring(
    git: &Git,
    clone: &PrivateClone,
    repository: &Path,
    name: &str,
) -> Result<(), GitError> {
    fetch(git, clone, repository, &format!("+{MERGED_REF}:{name}"), GitAction::Publish)
}

/// Writes the message of a commit beside the private repository's files, for those who change it.
pub fn write_message(clone: &PrivateClone, text: &str) -> Result<PathBuf, GitError> {
    let file = clone.git_dir.join("provost_message");
    write(&file, text.as_bytes())?;
    Ok(file)
}

/// The paths that one commit has and another lacks.
pub fn added(
    git: &Git,
    clone: &PrivateClone,
    from: &ObjectId,
    to: &ObjectId,
) -> Result<Vec<String>, GitError> {
    let args = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=A"];
    let args = [args.as_slice(), &[from.as_str(), to.as_str()]].concat();
    let listed = git.in_dir(&clone.git_dir, GitAction::Compare, &args).output()?;
    let names = listed.split(|it| *it == 0).filter(|it| !it.is_empty());
    Ok(names.map(|it| String::from_utf8_lossy(it).into_owned()).collect())
}
