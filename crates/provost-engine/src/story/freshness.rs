//! Whether what was proven is still what lies in the worktree: trees are compared, nothing is run.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use provost_desk::{Desk, story::Stories};
use provost_exec::{
    Guardian,
    git::{Git, ObjectId, PrivateClone, keep, snapshot, stat, tree},
};
use provost_kernel::story::{ClaimResult, Execution, ExecutionStatus, StoryRow, TreeId};
use provost_rules_proof::class::{Class, Classes};
use provost_rules_story::stale::{self, Difference, Stale};
use provost_vault::make_work_folder;

use super::{StoryError, find::other_plans, plan_view::is_proven, worktree_snapshot::OwnFiles};

/// Compares worktrees with what was proven.
#[derive(Debug)]
pub struct Freshness {
    git: Git,
}

/// How the worktree of a plan differs from the trees on which its stories were looked at.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// None where a worktree is not compared: the plan is history, or a task drives it.
    differences: Option<BTreeMap<TreeId, Difference>>,
}

impl Freshness {
    /// One that finds git in this `PATH`.
    pub fn new(guardian: Guardian, path: &str) -> Self {
        Self { git: Git::new(guardian, path) }
    }

    /// Compares the worktree of a plan with the trees of these stories.
    ///
    /// Whatever is the matter with the worktree, there is an answer: what cannot be compared is not
    /// known to hold.
    pub(super) fn compare(
        &self,
        desk: &Desk,
        stories: &Stories<'_>,
        execution: &Execution,
        rows: &[StoryRow],
    ) -> Result<Compared, StoryError> {
        if !is_compared(execution) {
            return Ok(Compared::default());
        }
        let trees: BTreeSet<&TreeId> = rows.iter().flat_map(stale::trees).collect();
        if trees.is_empty() {
            return Ok(Compared { differences: Some(BTreeMap::new()) });
        }
        let others = other_plans(stories, execution)?;
        let own = OwnFiles::taken(execution, taken(stories, execution)?, others);
        // Without a worktree no program need be asked.
        let has_worktree = Utf8Path::new(&execution.project_root).is_dir();
        let look = || self.differences(desk, execution, rows, &trees, &own).ok();
        let found = has_worktree.then(look).flatten();
        let unknown = || trees.iter().map(|it| ((*it).clone(), Difference::Unknown)).collect();
        Ok(Compared { differences: Some(found.unwrap_or_else(unknown)) })
    }

    fn differences(
        &self,
        desk: &Desk,
        execution: &Execution,
        rows: &[StoryRow],
        trees: &BTreeSet<&TreeId>,
        own: &OwnFiles,
    ) -> Result<BTreeMap<TreeId, Difference>, StoryError> {
        let project = Utf8Path::new(&execution.project_root).as_std_path();
        let place = make_work_folder(&desk.layout().story_work())?;
        let folder = tempfile::Builder::new().prefix("compared-").tempdir_in(place);
        let folder = folder.map_err(StoryError::Scratch)?;
        let from = self.set_out(execution, rows)?;
        let clone = stat::beside(&self.git, project, &from, &folder.path().join("git"))?;
        let clone = PrivateClone { disk: execution.disk.clone(), ..clone };
        let now = snapshot::work(&self.git, &clone)?;
        let mut differences = BTreeMap::new();
        for &it in trees {
            let difference = if it.0 == now.as_str() {
                Difference::Same
            } else {
                self.changed(&clone, it, &now, own).unwrap_or(Difference::Unknown)
            };
            differences.insert(it.clone(), difference);
        }
        Ok(differences)
    }

    /// What the worktree is read with: the newest result that is still there, else the base.
    fn set_out(&self, execution: &Execution, rows: &[StoryRow]) -> Result<String, StoryError> {
        let project = Utf8Path::new(&execution.project_root).as_std_path();
        for tree in rows.iter().rev().filter(|it| is_proven(it)).filter_map(stale::proven_tree) {
            let name = keep::result_name(&execution.id, tree);
            let found = tree::tree_of(&self.git, project, &name)?;
            if found.is_some_and(|it| it.as_str() == tree.0) {
                return Ok(name);
            }
        }
        let base = execution.base_commit_sha.clone();
        Ok(base.unwrap_or_else(|| keep::base_name(&execution.id)))
    }

    fn changed(
        &self,
        clone: &PrivateClone,
        before: &TreeId,
        now: &ObjectId,
        own: &OwnFiles,
    ) -> Option<Difference> {
        let before = before.0.parse().ok()?;
        let mut changed = tree::changed(&self.git, clone, &before, now).ok()?;
        // Compiled files are left out of every checkout, and our own files are no work.
        let classes = Classes::default();
        changed.retain(|it| classes.of(it) != Class::Artefact && !own.has(&clone.tree.join(it)));
        Some(if changed.is_empty() { Difference::Same } else { Difference::Changed(changed) })
    }
}

impl Compared {
    /// What is to be said of a story that is done.
    pub(super) fn stale(&self, row: &StoryRow) -> Option<Stale> {
        let differences = self.differences.as_ref().filter(|_| is_proven(row))?;
        let tree = stale::proven_tree(row);
        let difference = tree.and_then(|it| differences.get(it)).unwrap_or(&Difference::Unknown);
        stale::stale(row, difference)
    }

    /// A story with its criteria as they are to be shown.
    pub(super) fn shown(&self, row: StoryRow) -> StoryRow {
        let Some(differences) = &self.differences else { return row };
        let is_here = |it: &TreeId| differences.get(it) == Some(&Difference::Same);
        StoryRow { ac_status: stale::shown(&row, is_here), ..row }
    }
}

/// Whether the work of a plan lies in the worktree of its repository, and is not history.
fn is_compared(execution: &Execution) -> bool {
    let is_merged = matches!(execution.status, ExecutionStatus::Merging | ExecutionStatus::Merged);
    !execution.is_archived && !is_merged
}

/// What agents sent about the stories of an execution, and was taken.
fn taken(
    stories: &Stories<'_>,
    execution: &Execution,
) -> Result<Vec<serde_json::Value>, StoryError> {
    let store = stories.store();
    let mut taken = Vec::new();
    for row in store.stories(&execution.id)? {
        let sent = store.attempts(&execution.id, &row.story_id)?.into_iter();
        taken.extend(sent.filter(|it| it.result == ClaimResult::Accept).map(|it| it.claimed));
    }
    Ok(taken)
}
