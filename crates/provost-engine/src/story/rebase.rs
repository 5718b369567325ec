//! Another base: a person says which commit a plan is measured from, after the work was merged with it or
//! moved onto it.
//!
//! Nothing in the repository is believed for that: an agent can move every branch, and commit what it
//! likes to any of them. So it is an order of a person, and on record. What was accepted before is put
//! onto the new base, and every result has to be proven again.

use std::{collections::BTreeMap, path::Path};

use camino::Utf8Path;
use provost_desk::story::{Stories, StoriesError};
use provost_exec::git::{
    Git, ObjectId, history,
    keep::{self, StoryResult},
    read, stat, tree,
};
use provost_kernel::{
    Finding, Message, Severity,
    story::{EventBody, Execution, Rebased, TreeId},
};
use provost_vault::{make_work_folder, story::NewEvent};
use serde::Serialize;

use super::{StoryError, plan_view, trail};
use crate::Engine;

/// Branches on which others work.
const SHARED: [&str; 5] = ["main", "master", "trunk", "develop", "development"];
/// How much of a commit is shown.
const SHOWN: usize = 12;

/// What became of a plan with another base.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rebasing {
    pub branch: String,
    pub before: String,
    pub base_commit_sha: String,
    /// How many commits no longer count as work.
    pub commits: u64,
    /// Accepted results that could not be put onto the new base: what they changed counts again.
    pub conflicts: usize,
}

/// Why a plan keeps its base.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "story.rebase")]
pub enum RebaseError {
    #[error(transparent)]
    #[message(transparent)]
    Story(#[from] StoryError),
    #[message(
        en = "cannot measure `{branch}` from {onto}: the plan has no base",
        zh = "无法以 {onto} 作为 `{branch}` 的基准：该计划没有基准",
        hint(
            en = "`provost story stop {branch} --archive`, then start the plan again",
            zh = "运行 `provost story stop {branch} --archive`，然后重新启动计划",
        ),
        exit = Refused
    )]
    NoBase { branch: String, onto: String },
    #[message(
        en = "cannot measure `{branch}` from {onto}: it is the base already",
        zh = "无法以 {onto} 作为 `{branch}` 的基准：它已经是基准",
        hint(
            en = "name a newer commit that the work holds: `git log {onto}..HEAD`",
            zh = "请指定工作区已包含的更新的提交：`git log {onto}..HEAD`",
        ),
        exit = Refused
    )]
    Same { branch: String, onto: String },
    #[message(
        en = "cannot measure `{branch}` from {onto}: it does not come after the base {base}",
        zh = "无法以 {onto} 作为 `{branch}` 的基准：它不在原基准 {base} 之后",
        hint(
            en = "`provost story stop {branch} --archive`, then start the plan again on the new history",
            zh = "运行 `provost story stop {branch} --archive`，然后在新的历史上重新启动计划",
        ),
        exit = Refused
    )]
    NotAfter { branch: String, onto: String, base: String },
    #[message(
        en = "cannot measure `{branch}` from {onto}: the worktree `{worktree}` does not hold it yet",
        zh = "无法以 {onto} 作为 `{branch}` 的基准：工作区 `{worktree}` 尚未包含它",
        hint(
            en = "`git -C {worktree} merge {onto}` or `git -C {worktree} rebase {onto}` first",
            zh = "请先运行 `git -C {worktree} merge {onto}` 或 `git -C {worktree} rebase {onto}`",
        ),
        exit = Refused
    )]
    NotHeld { branch: String, onto: String, worktree: String },
}

impl From<StoriesError> for RebaseError {
    fn from(error: StoriesError) -> Self {
        Self::Story(error.into())
    }
}

impl From<provost_exec::git::GitError> for RebaseError {
    fn from(error: provost_exec::git::GitError) -> Self {
        Self::Story(error.into())
    }
}

/// Measures a plan from another commit, which comes after its base and which its worktree holds.
pub fn rebase(engine: &Engine<'_>, of: &str, onto: &str) -> Result<Rebasing, RebaseError> {
    loop {
        let mut stories = engine.desk.stories()?;
        let last = stories.last()?;
        let execution = plan_view::execution(&stories, Some(of))?;
        let (git, project) = (engine.git(), Utf8Path::new(&execution.project_root).as_std_path());
        let new = read::commit(&git, project, onto)?;
        let before = check(&git, project, &execution, onto, &new)?;
        let commits = history::count(&git, project, &before, &new)?;
        let (results, conflicts) = carry_over(engine, &stories, &execution, (&before, &new))?;
        keep::base(&git, project, &execution.id, &new)?;
        let rebased = Rebased {
            before: before.as_str().to_owned(),
            base: new.as_str().to_owned(),
            results,
            actor: engine.actor.clone(),
        };
        let event = NewEvent {
            at: engine.desk.clock().now(),
            execution_id: execution.id.clone(),
            story_id: None,
            body: EventBody::Rebased(rebased),
        };
        match stories.record_after(last, event) {
            Ok(event) => {
                trail::keep(engine.desk, engine.actor, &event)?;
                return Ok(Rebasing {
                    branch: execution.branch.to_string(),
                    before: before.as_str().to_owned(),
                    base_commit_sha: new.as_str().to_owned(),
                    commits,
                    conflicts,
                });
            }
            // Another record came first: there may be another result.
            Err(StoriesError::Moved { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The base so far, if the plan can be measured from the new one.
fn check(
    git: &Git,
    project: &Path,
    execution: &Execution,
    onto: &str,
    new: &ObjectId,
) -> Result<ObjectId, RebaseError> {
    let (branch, onto) = (execution.branch.to_string(), onto.to_owned());
    let Some(base) = &execution.base_commit_sha else {
        return Err(RebaseError::NoBase { branch, onto });
    };
    let before = read::commit(git, project, base)?;
    if before == *new {
        return Err(RebaseError::Same { branch, onto });
    }
    if !history::is_before(git, project, &before, new)? {
        return Err(RebaseError::NotAfter { branch, onto, base: shown(&before) });
    }
    let head = read::commit(git, project, "HEAD")?;
    if !history::is_before(git, project, new, &head)? {
        let worktree = execution.project_root.clone();
        return Err(RebaseError::NotHeld { branch, onto, worktree });
    }
    Ok(before)
}

/// Puts every accepted result onto another base: by the tree on record, the tree on that base. Counts
/// those that do not go together with it.
fn carry_over(
    engine: &Engine<'_>,
    stories: &Stories<'_>,
    execution: &Execution,
    (before, onto): (&ObjectId, &ObjectId),
) -> Result<(BTreeMap<TreeId, TreeId>, usize), StoryError> {
    let (git, project) = (engine.git(), Utf8Path::new(&execution.project_root).as_std_path());
    let store = stories.store();
    let mut trees: Vec<TreeId> = Vec::new();
    for row in store.stories(&execution.id)? {
        let attempts = store.attempts(&execution.id, &row.story_id)?.into_iter();
        trees.extend(attempts.filter(|it| it.passes).filter_map(|it| it.tree));
    }
    trees.sort();
    trees.dedup();
    let place = make_work_folder(&engine.desk.layout().story_work())?;
    let folder = tempfile::Builder::new().prefix("rebase-").tempdir_in(place);
    let folder = folder.map_err(StoryError::Scratch)?;
    let clone = stat::beside(&git, project, onto.as_str(), &folder.path().join("git"))?;
    let alone = tree::tree_of(&git, project, onto.as_str())?;
    let Some(alone) = alone.filter(|_| !trees.is_empty()) else { return Ok(Default::default()) };
    let (mut results, mut conflicts) = (BTreeMap::new(), 0);
    for tree in trees {
        let newest = execution.rebased.get(&tree).unwrap_or(&tree);
        let name = keep::result_name(&execution.id, newest);
        let found = tree::tree_of(&git, project, &name)?;
        if found.is_none_or(|it| it.as_str() != newest.0) {
            continue;
        }
        let result = read::commit(&git, project, &name)?;
        // What does not go together with the base counts as work again.
        let merged = tree::merged(&git, &clone, before, onto, &result)?;
        conflicts += usize::from(merged.is_none());
        let merged = match merged {
            Some(merged) => merged,
            None => alone.clone(),
        };
        let kept = StoryResult {
            execution: &execution.id,
            tree: &merged,
            head: onto,
            identity: &Engine::identity(),
            when: engine.desk.clock().now(),
        };
        keep::result(&git, &clone, project, &kept)?;
        results.insert(tree, TreeId(merged.as_str().to_owned()));
    }
    Ok((results, conflicts))
}

/// What is said where a branch of others has come into the work, and its changes count as work.
#[derive(Message)]
#[message(
    code = "story.base_moved",
    en = "the work holds {commits} {commits:commit|commits} of `{onto}` that {commits:is|are} not in its base: what {commits:it changes|they change} counts as work",
    zh = "工作区包含 `{onto}` 中 {commits} 个不在基准内的提交：其改动会计入工作",
    hint(
        en = "a person can say that they are not: `provost story rebase {branch} --onto {onto}`",
        zh = "人可以说明它们不属于工作：`provost story rebase {branch} --onto {onto}`",
    )
)]
struct BaseMoved {
    branch: String,
    onto: String,
    commits: u64,
}

/// The notice about a branch that was merged into the work, or onto which the work was moved.
pub(super) fn base_moved(
    git: &Git,
    execution: &Execution,
    head: &ObjectId,
) -> Result<Option<Finding>, StoryError> {
    let project = Utf8Path::new(&execution.project_root).as_std_path();
    // The tree of a task is made from its base, whatever the person's repository holds.
    let base = execution.base_commit_sha.as_deref().filter(|_| execution.agent_task_id.is_none());
    let Some(base) = base.filter(|it| *it != head.as_str()) else { return Ok(None) };
    let Ok(base) = base.parse::<ObjectId>() else { return Ok(None) };
    // Work that is committed to such a branch is work all the same.
    let current = history::current_branch(git, project)?;
    if current.is_some_and(|it| SHARED.contains(&it.as_str())) {
        return Ok(None);
    }
    let mut newest: Option<(String, ObjectId)> = None;
    for (name, tip) in history::branches(git, project, &SHARED)? {
        let Some(common) = history::common(git, project, head, &tip)? else { continue };
        let is_new =
            common != base && common != *head && history::is_before(git, project, &base, &common)?;
        let is_newer = match &newest {
            Some((_, known)) => {
                common != *known && history::is_before(git, project, known, &common)?
            }
            None => true,
        };
        if is_new && is_newer {
            let onto = if common == tip { name } else { shown(&common) };
            newest = Some((onto, common));
        }
    }
    let Some((onto, common)) = newest else { return Ok(None) };
    let commits = history::count(git, project, &base, &common)?;
    let branch = execution.branch.to_string();
    let message = BaseMoved { branch, onto: onto.clone(), commits };
    Ok(Some(Finding::new("BASE_MOVED", Severity::P2, onto, &message)))
}

fn shown(commit: &ObjectId) -> String {
    commit.as_str().chars().take(SHOWN).collect()
}
