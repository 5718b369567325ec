//! How commits of the person's repository follow each other.

use std::path::Path;

use super::{Git, GitAction, GitError, ObjectId};

/// Whether a commit is another one, or comes before it.
pub fn is_before(
    git: &Git,
    repository: &Path,
    one: &ObjectId,
    other: &ObjectId,
) -> Result<bool, GitError> {
    let args = ["merge-base", "--is-ancestor", one.as_str(), other.as_str()];
    Ok(git.at(repository, GitAction::Compare, &args).run()?.rc == 0)
}

/// The newest commit that two have in common; none without one.
pub fn common(
    git: &Git,
    repository: &Path,
    one: &ObjectId,
    other: &ObjectId,
) -> Result<Option<ObjectId>, GitError> {
    let args = ["merge-base", one.as_str(), other.as_str()];
    let ran = git.at(repository, GitAction::Compare, &args).run()?;
    Ok(String::from_utf8_lossy(&ran.stdout).trim_end().parse().ok())
}

/// The files that one commit has and another lacks.
pub fn added(
    git: &Git,
    repository: &Path,
    from: &ObjectId,
    to: &ObjectId,
) -> Result<Vec<String>, GitError> {
    let args = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=A"];
    let args = [args.as_slice(), &[from.as_str(), to.as_str()]].concat();
    let listed = git.at(repository, GitAction::Compare, &args).output()?;
    let names = listed.split(|it| *it == 0).filter(|it| !it.is_empty());
    Ok(names.map(|it| String::from_utf8_lossy(it).into_owned()).collect())
}

/// How many commits lie between two.
pub fn count(
    git: &Git,
    repository: &Path,
    from: &ObjectId,
    to: &ObjectId,
) -> Result<u64, GitError> {
    let range = format!("{from}..{to}");
    let args = ["rev-list", "--count", &range];
    let line = git.at(repository, GitAction::Read, &args).line()?;
    line.parse().map_err(|_| GitError::BadRevision { revision: line })
}

/// The branch that the worktree is on; none where it is on none.
pub fn current_branch(git: &Git, repository: &Path) -> Result<Option<String>, GitError> {
    let args = ["symbolic-ref", "--quiet", "--short", "HEAD"];
    let ran = git.at(repository, GitAction::Read, &args).run()?;
    let name = String::from_utf8_lossy(&ran.stdout).trim_end().to_owned();
    Ok((ran.rc == 0 && !name.is_empty()).then_some(name))
}

/// The branches of these names, here and of remote repositories, with their newest commits.
pub fn branches(
    git: &Git,
    repository: &Path,
    names: &[&str],
) -> Result<Vec<(String, ObjectId)>, GitError> {
    let format = "--format=%(objectname) %(refname:short)";
    let args = ["for-each-ref", format, "refs/heads", "refs/remotes"];
    let listed = git.at(repository, GitAction::Read, &args).output()?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let of_line = |line: &str| {
        let (id, name) = line.split_once(' ')?;
        let last = name.rsplit('/').next()?;
        // `main` and `origin/main`, not `ralph/main`.
        let is_plain = name == last || name.split('/').count() == 2;
        let is_wanted = is_plain && names.contains(&last);
        Some((name.to_owned(), id.parse().ok().filter(|_| is_wanted)?))
    };
    Ok(listed.lines().filter_map(of_line).collect())
}

/// The branch that the remote repository `origin` names as its own; none where it is not known.
pub fn default_branch(git: &Git, repository: &Path) -> Result<Option<String>, GitError> {
    let args = ["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"];
    let ran = git.at(repository, GitAction::Read, &args).run()?;
    let name = String::from_utf8_lossy(&ran.stdout).trim_end().to_owned();
    Ok((ran.rc == 0 && name.starts_with("refs/remotes/")).then_some(name))
}

/// Whether commits were left out when the repository was cloned.
pub fn is_shallow(git: &Git, repository: &Path) -> Result<bool, GitError> {
    let args = ["rev-parse", "--is-shallow-repository"];
    Ok(git.at(repository, GitAction::Read, &args).line()?.trim() == "true")
}

/// The short names of all branches and tags.
pub fn names(git: &Git, repository: &Path) -> Result<Vec<String>, GitError> {
    let args = ["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads", "refs/remotes"];
    let args = [args.as_slice(), &["refs/tags"]].concat();
    let listed = git.at(repository, GitAction::Read, &args).output()?;
    Ok(String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect())
}
