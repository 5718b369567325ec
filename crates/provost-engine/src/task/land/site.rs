//! The branch that a result lands on, and the folder in which it is checked out.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use provost_exec::git::{
    Git, GitError, ObjectId, PrivateClone, history,
    merge::{self, Merged, Sides},
    own::{Answer, Own},
    tree::TreeFiles,
};
use provost_kernel::{
    TaskId,
    task::{Landing, TaskSpec},
};
use provost_rules_task::landing::{InTheWay, LandError};

use crate::{Engine, EngineError};

/// Where a result goes.
pub(super) struct Site<'a> {
    pub(super) own: &'a Own<'a>,
    task: TaskId,
    pub(super) branch: String,
    /// Where the branch is; none for a new one.
    pub(super) tip: Option<ObjectId>,
    /// What the commit is put onto.
    pub(super) onto: ObjectId,
    /// Where the branch is checked out.
    worktree: Option<PathBuf>,
    /// The commit that was made of uncommitted work, where the result builds on it.
    changes: Option<ObjectId>,
}

/// The branch that a task lands on: a new one if it is named, else the one that it set out from.
pub(super) fn destination(
    own: &Own<'_>,
    spec: &TaskSpec,
    new: Option<&str>,
) -> Result<String, EngineError> {
    if let Some(branch) = new {
        return Ok(branch.to_owned());
    }
    let branch = |name: &str| name.strip_prefix("refs/heads/").unwrap_or(name).to_owned();
    if let Some(target) = &spec.target_branch {
        return Ok(branch(target));
    }
    // Tasks of earlier versions name the branch as their base, or none.
    let base = branch(&spec.base_ref);
    match own.tip(&base)? {
        Some(_) => Ok(base),
        None => Err(LandError::NoTarget { task: spec.task_id.clone() }.into()),
    }
}

/// Whether a branch has the commit that a killed process was about to give it. Where git itself was
/// killed when index and files were those of the commit already, the branch follows them.
pub(super) fn has_moved(
    own: &Own<'_>,
    task: &TaskId,
    landing: &Landing,
    commit: &ObjectId,
) -> Result<bool, EngineError> {
    let site = match Site::of_branch(own, task, &landing.branch) {
        Err(EngineError::Land(LandError::BranchGone { .. })) => return Ok(false),
        site => site?,
    };
    if history::is_before(own.git, own.repository, commit, &site.onto)? {
        return Ok(true);
    }
    let before = landing.pending().and_then(|it| it.before.clone());
    let is_still = before.as_deref() == Some(site.onto.as_str());
    match &site.worktree {
        Some(worktree) if is_still && own.has_files_of(worktree, commit)? => {
            site.move_to(commit, task)?;
            Ok(true)
        }
        Some(_) | None => Ok(false),
    }
}

impl<'a> Site<'a> {
    /// Finds the branch of a task. A new one starts where the attempt started, so that it has what
    /// was proven and nothing else.
    pub(super) fn find(
        own: &'a Own<'a>,
        spec: &TaskSpec,
        base: &ObjectId,
        new: Option<&str>,
    ) -> Result<Self, EngineError> {
        let branch = destination(own, spec, new)?;
        let changes = spec.starts_from_changes().then(|| base.clone());
        if new.is_none() {
            return Ok(Self { changes, ..Self::of_branch(own, &spec.task_id, &branch)? });
        }
        let task = spec.task_id.clone();
        if !own.is_branch_name(&branch)? {
            return Err(LandError::BadBranch { branch }.into());
        }
        let is_taken = own.tip(&branch)?.is_some() || worktree(own, &branch)?.is_some();
        if is_taken {
            return Err(LandError::BranchExists { task, branch }.into());
        }
        Ok(Self { own, task, branch, tip: None, onto: base.clone(), worktree: None, changes })
    }

    /// A branch that exists.
    pub(super) fn of_branch(
        own: &'a Own<'a>,
        task: &TaskId,
        branch: &str,
    ) -> Result<Self, EngineError> {
        let (task, branch) = (task.clone(), branch.to_owned());
        let Some(tip) = own.tip(&branch)? else {
            return Err(LandError::BranchGone { task, branch }.into());
        };
        let worktree = worktree(own, &branch)?;
        Ok(Self { own, task, branch, tip: Some(tip.clone()), onto: tip, worktree, changes: None })
    }

    /// Refuses a branch whose folder has changes that are not committed: they are the person's.
    pub(super) fn check_clean(&self) -> Result<(), EngineError> {
        let Some(worktree) = &self.worktree else { return Ok(()) };
        let mut files = self.own.uncommitted(worktree)?;
        if let Some(changes) = &self.changes {
            // New files among them are not tracked yet.
            let added = history::added(self.own.git, self.own.repository, &self.onto, changes)?;
            let lies_there = |it: &String| worktree.join(it).symlink_metadata().is_ok();
            files.extend(added.into_iter().filter(lies_there));
        }
        let files = InTheWay::new(files);
        if files.is_empty() {
            return Ok(());
        }
        let (task, branch) = (self.task.clone(), self.branch.clone());
        let (files, builds_on_them) = (files.named(), self.changes.is_some());
        let worktree = shown(worktree);
        Err(LandError::Dirty { task, branch, worktree, files, builds_on_them }.into())
    }

    /// Whether the result builds on work that the branch does not have: it was not committed when the
    /// task was made, and was not committed to the branch since.
    pub(super) fn lacks_changes(&self, clone: &PrivateClone) -> Result<bool, EngineError> {
        let Some(changes) = &self.changes else { return Ok(false) };
        let Some(head) = self.own.resolve(&format!("{changes}^1"))? else { return Ok(true) };
        let sides = Sides { origin: &head, ours: &self.onto, theirs: changes };
        let tree = merge::tree_of(self.own.git, clone, &self.onto)?;
        let merged = merge::merge(self.own.git, clone, sides, &Engine::identity())?;
        Ok(merged != Merged::Clean(tree))
    }

    /// Where new files go: their paths, and each folder above them that the branch has no file for.
    pub(super) fn places(
        &self,
        clone: &PrivateClone,
        added: &[String],
    ) -> Result<Vec<String>, EngineError> {
        let known = TreeFiles::of(self.own.git, clone, &self.onto)?;
        let above = |path: &String| {
            let cuts: Vec<usize> = path.match_indices('/').map(|it| it.0).collect();
            let folders = cuts.into_iter().map(|it| format!("{}/", &path[..it]));
            folders.collect::<Vec<_>>()
        };
        let is_new = |it: &String| known.entry(it.trim_end_matches('/')).is_none();
        let folders: BTreeSet<String> = added.iter().flat_map(above).filter(is_new).collect();
        Ok(added.iter().cloned().chain(folders).collect())
    }

    /// Refuses to write over files of the person that git does not know, ignored ones included. A
    /// place that ends with `/` is to be a folder: one may be there, and nothing else.
    pub(super) fn check_free(&self, places: &[String]) -> Result<(), EngineError> {
        let Some(worktree) = &self.worktree else { return Ok(()) };
        let is_in_the_way = |it: &&String| {
            let found = worktree.join(it.trim_end_matches('/')).symlink_metadata();
            found.is_ok_and(|found| !(it.ends_with('/') && found.is_dir()))
        };
        let in_the_way = places.iter().filter(is_in_the_way);
        let files = InTheWay::new(in_the_way.map(|it| it.trim_end_matches('/').to_owned()));
        if files.is_empty() {
            return Ok(());
        }
        let (task, files) = (self.task.clone(), files.named());
        Err(LandError::Overwrites { task, worktree: shown(worktree), files }.into())
    }

    /// Refuses a branch that has moved since, or is checked out elsewhere, or is no longer clean.
    pub(super) fn check_still(&self) -> Result<(), EngineError> {
        let is_same = self.own.tip(&self.branch)? == self.tip
            && worktree(self.own, &self.branch)? == self.worktree;
        if !is_same {
            return Err(self.moved().into());
        }
        self.check_clean()
    }

    /// Moves the branch to a commit that follows it, and nothing else if that cannot be done.
    pub(super) fn move_to(&self, commit: &ObjectId, task: &TaskId) -> Result<(), EngineError> {
        // A signal must not end git between the files and the branch.
        let git = Git { watch: None, ..self.own.git.clone() };
        let own = Own { git: &git, ..self.own.clone() };
        let answer = if let Some(worktree) = &self.worktree {
            own.fast_forward(worktree, commit)?
        } else {
            let why = format!("provost land {task}");
            own.move_branch(&self.branch, commit, self.tip.as_ref(), &why)?
        };
        // The branch itself says what came of it.
        let tip = own.tip(&self.branch)?;
        if let Some(tip) = &tip
            && history::is_before(&git, own.repository, commit, tip)?
        {
            return Ok(());
        }
        let Answer::Refused { said } = answer else { return Err(self.moved().into()) };
        if tip != self.tip {
            return Err(self.moved().into());
        }
        let worktree = shown(self.worktree.as_deref().unwrap_or(own.repository));
        let (task, branch) = (self.task.clone(), self.branch.clone());
        Err(LandError::NotMoved { task, branch, worktree, said }.into())
    }

    fn moved(&self) -> LandError {
        LandError::Moved { task: self.task.clone(), branch: self.branch.clone() }
    }
}

/// The folder in which a branch is checked out.
fn worktree(own: &Own<'_>, branch: &str) -> Result<Option<PathBuf>, GitError> {
    let found = own.worktrees()?.into_iter().find(|it| it.branch.as_deref() == Some(branch));
    Ok(found.map(|it| it.path))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
