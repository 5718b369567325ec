//! Where a person's repository stands: its commit and its branch.

use std::path::{Path, PathBuf};

use super::{Git, GitAction, GitError, ObjectId, read};

/// Where a repository stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// None in a repository without a commit.
    pub commit: Option<ObjectId>,
    /// None when HEAD is detached.
    pub branch: Option<String>,
}

/// Finds where a repository stands.
pub fn of(git: &Git, repository: &Path) -> Result<Head, GitError> {
    let commit = match read::commit(git, repository, "HEAD") {
        Ok(commit) => Some(commit),
        Err(GitError::BadRevision { .. }) => None,
        Err(error) => return Err(error),
    };
    let args = ["symbolic-ref", "--quiet", "HEAD"];
    let ran = git.at(repository, GitAction::Read, &args).run()?;
    let name = String::from_utf8_lossy(&ran.stdout);
    let branch = name.trim_end().strip_prefix("refs/heads/").map(str::to_owned);
    Ok(Head { commit, branch: branch.filter(|_| ran.rc == 0) })
}

/// The root of the worktree that a folder belongs to.
pub fn root(git: &Git, folder: &Path) -> Result<PathBuf, GitError> {
    let args = ["rev-parse", "--path-format=absolute", "--show-toplevel"];
    git.at(folder, GitAction::Read, &args).line().map(PathBuf::from)
}

/// Whether a local branch has this name.
pub fn is_branch(git: &Git, repository: &Path, name: &str) -> Result<bool, GitError> {
    let full = format!("refs/heads/{name}");
    let args = ["show-ref", "--verify", "--quiet", "--", &full];
    Ok(git.at(repository, GitAction::Read, &args).run()?.rc == 0)
}
