//! Bringing the result of an attempt into the person's repository, under a name of provost's own.

use std::path::Path;

use provost_kernel::{AttemptNumber, TaskId, Timestamp};

use super::{
    Git, GitAction, GitError, Identity, ObjectId, PrivateClone, Snapshot, clone::bad_path, keep,
    read,
};

/// Where the private repository keeps the result, so that it can be fetched.
const RESULT_REF: &str = "refs/provost/result";

/// A result in the person's repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    pub commit: ObjectId,
    /// `refs/provost/attempts/<task>/<n>`.
    pub reference: String,
}

/// What the result is called, and who says so when.
#[derive(Clone, Debug)]
pub struct Label<'a> {
    pub task: &'a TaskId,
    pub attempt: AttemptNumber,
    pub identity: &'a Identity,
    /// Given, not read from a clock: the same snapshot makes the same commit.
    pub when: Timestamp,
    pub message: &'a str,
}

impl Label<'_> {
    /// Where the result lies in the person's repository.
    fn reference(&self) -> String {
        format!("refs/provost/attempts/{}/{}", self.task, u16::from(self.attempt))
    }
}

/// Gives a result that was published under this label before a name of its own, so that the label
/// is free: a task of the same name had it, whose home is gone. Returns the new name.
pub fn displace(
    git: &Git,
    repository: &Path,
    label: &Label<'_>,
) -> Result<Option<String>, GitError> {
    let reference = label.reference();
    let Some(found) = present(git, repository, &reference)? else { return Ok(None) };
    let digits = found.as_str().get(..12).unwrap_or_default();
    let aside = format!("{reference}.{digits}");
    // First the new name, then the end of the old one: at no moment is there none.
    for args in [
        ["update-ref", &aside, found.as_str()].as_slice(),
        &["update-ref", "-d", &reference, found.as_str()],
    ] {
        git.at(repository, GitAction::SetAside, args).output()?;
    }
    Ok(Some(aside))
}

/// Takes away the names of everything that a task published. The commits stay until git removes
/// them.
pub fn forget(git: &Git, repository: &Path, task: &TaskId) -> Result<usize, GitError> {
    let below = [
        format!("refs/provost/attempts/{task}"),
        format!("refs/provost/landing/{task}"),
        keep::changes_names(task),
    ];
    let mut args = vec!["for-each-ref", "--format=%(refname)"];
    args.extend(below.iter().map(String::as_str));
    if !repository.is_dir() {
        return Err(GitError::NotARepository { path: repository.to_owned() });
    }
    let listed = git.at(repository, GitAction::Read, &args).run()?;
    if listed.rc != 0 {
        return Err(read::unreadable(repository, &listed));
    }
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    for name in names.lines() {
        git.at(repository, GitAction::SetAside, &["update-ref", "-d", name]).output()?;
    }
    Ok(names.lines().count())
}

/// What a name stands for.
fn present(git: &Git, repository: &Path, reference: &str) -> Result<Option<ObjectId>, GitError> {
    let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", reference];
    let ran = git.at(repository, GitAction::Read, &args).run()?;
    Ok(String::from_utf8_lossy(&ran.stdout).trim_end().parse().ok())
}

/// Commits the work tree of a snapshot, on the base, in the private repository alone.
pub fn commit(
    git: &Git,
    clone: &PrivateClone,
    snapshot: &Snapshot,
    label: &Label<'_>,
) -> Result<ObjectId, GitError> {
    let parts = Commit {
        tree: &snapshot.work,
        parent: &snapshot.base,
        identity: label.identity,
        when: label.when,
        message: label.message,
    };
    commit_tree(git, clone, &parts, RESULT_REF)
}

/// What a commit of ours is made of.
pub(super) struct Commit<'a> {
    pub(super) tree: &'a ObjectId,
    pub(super) parent: &'a ObjectId,
    pub(super) identity: &'a Identity,
    pub(super) when: Timestamp,
    pub(super) message: &'a str,
}

/// Makes a commit in the private repository, and names it there so that it can be fetched.
pub(super) fn commit_tree(
    git: &Git,
    clone: &PrivateClone,
    parts: &Commit<'_>,
    name: &str,
) -> Result<ObjectId, GitError> {
    let Commit { tree, parent, identity, when, message } = parts;
    let date = format!("@{} +0000", when.seconds());
    let args = ["commit-tree", "-p", parent.as_str(), "-m", message, tree.as_str()];
    let line = git
        .in_dir(&clone.git_dir, GitAction::Commit, &args)
        .with("GIT_AUTHOR_NAME", &identity.name)
        .with("GIT_AUTHOR_EMAIL", &identity.email)
        .with("GIT_AUTHOR_DATE", &date)
        .with("GIT_COMMITTER_NAME", &identity.name)
        .with("GIT_COMMITTER_EMAIL", &identity.email)
        .with("GIT_COMMITTER_DATE", &date)
        .line()?;
    let commit: ObjectId = line.parse().map_err(|_| GitError::BadRevision { revision: line })?;
    let args = ["update-ref", name, commit.as_str()];
    git.in_dir(&clone.git_dir, GitAction::Commit, &args).output()?;
    Ok(commit)
}

/// Fetches from the private repository into the person's, and nothing else is written there.
pub(super) fn fetch(
    git: &Git,
    clone: &PrivateClone,
    repository: &Path,
    refspec: &str,
    action: GitAction,
) -> Result<(), GitError> {
    let source = clone.git_dir.to_str().ok_or_else(|| bad_path(&clone.git_dir))?;
    let fetch = [
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--no-auto-maintenance",
        "--no-write-commit-graph",
        "--",
        source,
        refspec,
    ];
    git.at(repository, action, &fetch).output().map(drop)
}

/// Commits the work tree and fetches it into the person's repository.
///
/// The fetch reads from the private repository, never from the agent's, and every object is
/// checked on the way. Doing it again with the same snapshot changes nothing; another result under
/// the same name is refused.
pub fn publish(
    git: &Git,
    clone: &PrivateClone,
    snapshot: &Snapshot,
    repository: &Path,
    label: &Label<'_>,
) -> Result<Published, GitError> {
    let commit = commit(git, clone, snapshot, label)?;
    let reference = label.reference();
    match present(git, repository, &reference)? {
        Some(found) if found == commit => return Ok(Published { commit, reference }),
        Some(_) => return Err(GitError::Published { reference }),
        None => {}
    }
    let refspec = format!("{RESULT_REF}:{reference}");
    fetch(git, clone, repository, &refspec, GitAction::Publish)?;
    Ok(Published { commit, reference })
}
