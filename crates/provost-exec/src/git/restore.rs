//! Bringing a checkout back to what was delivered, after programs ran in it.

use super::{
    Git, GitAction, GitError, ObjectId, PrivateClone,
    clone::copy_if_present,
    list,
    survey::{self, Scope},
};

/// Lets a checkout know its files again after they were copied back: git takes what has another place on
/// the disk for changed.
pub fn recognize(git: &Git, clone: &PrivateClone) -> Result<(), GitError> {
    let call = |args: &[&str]| {
        let call = git.in_dir(&clone.git_dir, GitAction::WriteIndex, args);
        call.confined_to(&clone.git_dir).in_tree(&clone.tree)
    };
    call(&["read-tree", "--reset", "--no-recurse-submodules", clone.base.as_str()]).output()?;
    // Git exits with 1 where a file is another one.
    call(&["update-index", "-q", "--ignore-submodules", "--refresh"]).run().map(drop)
}

/// Brings a checkout that knows its files to another commit: only files that differ are written.
pub fn move_to(
    git: &Git,
    clone: &PrivateClone,
    commit: &ObjectId,
) -> Result<PrivateClone, GitError> {
    let args = ["read-tree", "--reset", "-u", "--no-recurse-submodules", commit.as_str()];
    git.in_dir(&clone.git_dir, GitAction::CheckOut, &args).in_tree(&clone.tree).output()?;
    Ok(PrivateClone { base: commit.clone(), ..clone.clone() })
}

/// Puts the files of a commit into a fresh clone, as changes that are not committed: an agent goes on
/// where another one stopped, and everything is still held against the base.
pub fn bring_forward(git: &Git, clone: &PrivateClone, commit: &ObjectId) -> Result<(), GitError> {
    let out = ["read-tree", "--reset", "-u", "--no-recurse-submodules", commit.as_str()];
    git.in_dir(&clone.git_dir, GitAction::CheckOut, &out).in_tree(&clone.tree).output()?;
    recognize(git, clone)?;
    copy_if_present(&clone.git_dir.join("index"), &clone.tree.join(".git/index"))
}

/// Puts every tracked file of a clean clone back to the commit that it was made from, and says
/// which ones were not as they had been. What is not tracked stays.
pub fn tracked(git: &Git, clone: &PrivateClone) -> Result<Vec<String>, GitError> {
    survey::check(&clone.tree, Scope::Hazards)?;
    let changed = ["diff-files", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=all"];
    let changed = git
        .in_dir(&clone.git_dir, GitAction::Compare, &changed)
        .confined_to(&clone.git_dir)
        .in_tree(&clone.tree)
        .output()?;
    let paths: Vec<String> =
        list::paths(&changed).map(|it| String::from_utf8_lossy(it).into_owned()).collect();
    if !paths.is_empty() {
        let base = clone.base.as_str();
        let args = ["read-tree", "--reset", "-u", "--no-recurse-submodules", base];
        git.in_dir(&clone.git_dir, GitAction::Restore, &args).in_tree(&clone.tree).output()?;
    }
    Ok(paths)
}
