//! Names in the person's repository that keep what tasks and the stories of a plan set out from: git
//! removes what nothing names, and then a change could not be measured any more.

use std::path::Path;

use provost_kernel::{
    TaskId, Timestamp,
    story::{ExecutionId, TreeId},
};

use super::{
    Git, GitAction, GitError, Identity, ObjectId, PrivateClone,
    publish::{Commit, commit_tree, fetch},
    read,
};

/// The folder of the results.
const RESULTS: &str = "refs/provost/stories/";

/// The name under which a result lies in the private repository while it is fetched.
const KEPT_REF: &str = "refs/provost/kept";

/// The name of the commit from which an execution set out.
pub fn base_name(execution: &ExecutionId) -> String {
    format!("refs/provost/base/{execution}")
}

/// The name of what a story left behind, by its tree: the same result has the same name.
pub fn result_name(execution: &ExecutionId, tree: &TreeId) -> String {
    format!("{RESULTS}{execution}/{}", tree.0)
}

/// Names the commit from which an execution sets out.
pub fn base(
    git: &Git,
    repository: &Path,
    execution: &ExecutionId,
    commit: &ObjectId,
) -> Result<(), GitError> {
    let args = ["update-ref", &base_name(execution), commit.as_str()];
    git.at(repository, GitAction::RecordBase, &args).output().map(drop)
}

/// What a story left behind, and who says so when.
#[derive(Clone, Debug)]
pub struct StoryResult<'a> {
    pub execution: &'a ExecutionId,
    pub tree: &'a ObjectId,
    /// The last commit of the repository.
    pub head: &'a ObjectId,
    pub identity: &'a Identity,
    pub when: Timestamp,
}

/// Commits a tree of the private repository, and fetches it into the person's under the name of
/// the tree.
pub fn result(
    git: &Git,
    clone: &PrivateClone,
    repository: &Path,
    kept: &StoryResult<'_>,
) -> Result<(), GitError> {
    let parts = Commit {
        tree: kept.tree,
        parent: kept.head,
        identity: kept.identity,
        when: kept.when,
        message: "provost: what a story left behind",
    };
    commit_tree(git, clone, &parts, KEPT_REF)?;
    let name = result_name(kept.execution, &TreeId(kept.tree.as_str().to_owned()));
    // Two commits of one tree differ in their time and their history alone: the newer one tells
    // where the repository stood.
    fetch(git, clone, repository, &format!("+{KEPT_REF}:{name}"), GitAction::Save)
}

/// Uncommitted work that a task sets out from.
#[derive(Clone, Debug)]
pub struct ChangesBase<'a> {
    pub task: &'a TaskId,
    pub tree: &'a ObjectId,
    /// The last commit of the repository.
    pub head: &'a ObjectId,
    pub identity: &'a Identity,
    /// When the last commit was made: the same work gives the same commit.
    pub when: Timestamp,
}

/// The names of such work of a task.
pub(super) fn changes_names(task: &TaskId) -> String {
    format!("refs/provost/changes/{task}")
}

/// Commits a tree of the private repository on the last commit, and fetches it into the person's
/// under a name that no other work has.
pub fn changes(
    git: &Git,
    clone: &PrivateClone,
    repository: &Path,
    kept: &ChangesBase<'_>,
) -> Result<ObjectId, GitError> {
    let ChangesBase { task, tree, head, identity, when } = *kept;
    let message = format!("Uncommitted changes that {task} started from");
    let parts = Commit { tree, parent: head, identity, when, message: &message };
    let commit = commit_tree(git, clone, &parts, KEPT_REF)?;
    let name = format!("{}/{commit}", changes_names(task));
    fetch(git, clone, repository, &format!("+{KEPT_REF}:{name}"), GitAction::RecordBase)?;
    Ok(commit)
}

/// Where the repository stood when a result was kept; none for what is not a result.
pub fn head_of(git: &Git, repository: &Path, name: &str) -> Result<Option<ObjectId>, GitError> {
    if !name.starts_with(RESULTS) {
        return Ok(None);
    }
    match read::commit(git, repository, &format!("{name}^1")) {
        Ok(head) => Ok(Some(head)),
        Err(GitError::BadRevision { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
