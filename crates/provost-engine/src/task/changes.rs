//! The base of a task from work that is not committed (`--with-changes`).
//!
//! It is written into a private repository, held against the rules like a result, and only then brought
//! into the person's repository, under a name of provost's own. Their index, files and branches are only
//! read. A crash before the task is made leaves that name, and nothing that a person sees.

use std::path::Path;

use provost_exec::git::{
    ObjectId, Snapshot,
    head::{self, Head},
    keep::{self, ChangesBase},
    merge::tree_of,
    own::{Own, Uncommitted},
    snapshot::Part,
    stat,
};
use provost_kernel::{TaskId, Timestamp, task::TaskSpec};
use provost_vault::make_work_folder;

use super::inspection::{differs, inspect_snapshot};
use crate::{Engine, EngineError, RunError, story::StoryError};

/// Uncommitted work that is the base of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenChanges {
    /// Its parent is the last commit.
    pub commit: ObjectId,
    /// The files that differ from the last commit.
    pub files: Vec<String>,
    /// Repositories of their own, of which nothing is taken.
    pub left_out: Vec<String>,
}

/// Makes a commit of the uncommitted work in a repository; none where everything is committed.
pub fn take_changes(
    engine: Engine<'_>,
    task: &TaskId,
    repository: &Path,
) -> Result<Option<TakenChanges>, EngineError> {
    let git = engine.git();
    let Head { commit: Some(head), .. } = head::of(&git, repository)? else {
        return Err(RunError::EmptyRepository { path: repository.to_owned() }.into());
    };
    let root = head::root(&git, repository)?;
    let own = Own { git: &git, variables: engine.variables, repository: &root };
    let place = make_work_folder(&engine.desk.layout().story_work())?;
    let folder = tempfile::Builder::new().prefix("changes-").tempdir_in(place);
    let folder = folder.map_err(StoryError::Scratch)?;
    let clone = stat::beside(&git, &root, head.as_str(), &folder.path().join("git"))?;
    let (tree, left_out) = match own.uncommitted_tree(&clone)? {
        Uncommitted::Tree { tree, nested } => (tree, nested),
        Uncommitted::Unmerged { files } => return Err(RunError::Unmerged { files }.into()),
    };
    if tree == tree_of(&git, &clone, &head)? {
        return Ok(None);
    }
    let snapshot = Snapshot {
        base: head.clone(),
        head: Part::Read(head.clone()),
        staged: Part::Read(tree.clone()),
        work: tree.clone(),
        nested: Vec::new(),
    };
    // The paths of the task bind its agent: a person may have changed any other file.
    let inspected = inspect_snapshot(&git, &clone, snapshot, &TaskSpec::new(task.clone()))?;
    if inspected.error_class().is_some()
        && let Some(finding) = inspected.findings().into_iter().next()
    {
        return Err(RunError::ChangesRefused(Box::new(finding)).into());
    }
    let identity = own.identity()?.unwrap_or_else(Engine::identity);
    let when = own.written(&head)?.unwrap_or(Timestamp::EPOCH);
    let kept = ChangesBase { task, tree: &tree, head: &head, identity: &identity, when };
    let commit = keep::changes(&git, &clone, &root, &kept)?;
    let differing = inspected.files.into_iter().filter(differs);
    let files = differing.map(|it| it.path).collect();
    Ok(Some(TakenChanges { commit, files, left_out }))
}
