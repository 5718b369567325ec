//! Taking a landed result back: a new commit without it, never another history.

use provost_desk::task::OpenTask;
use provost_exec::git::{
    ObjectId, history,
    merge::{self, Conflict, Merged, Sides},
    own::Own,
};
use provost_kernel::{
    AttemptNumber, TaskId,
    task::{Order, short},
};
use provost_rules_task::landing::{self, LandError};

use super::{
    LandOutcome, LandReport, Site,
    making::{Made, clone_of, commit, tidy_up},
    own,
    record::{order, put, recover},
};
use crate::{Engine, EngineError};

/// Takes the landed result of a task back, if nothing that came after it stands in the way.
pub fn undo(engine: Engine<'_>, task: &TaskId) -> Result<LandReport, EngineError> {
    let mut open = engine.desk.hold(task)?;
    open.apply_orders()?;
    let git = engine.git();
    let spec = open.spec.value.clone();
    let own = own(&git, engine, &spec);
    recover(engine, &mut open, &own)?;
    let undone = take_back(engine, &mut open, &own);
    tidy_up(engine, &open, &own)?;
    undone
}

fn take_back(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    own: &Own<'_>,
) -> Result<LandReport, EngineError> {
    let (task, spec, git) = (open.task(), open.spec.value.clone(), own.git);
    let landing = landing::undoable(&open.status.value)?.clone();
    let (branch, landed) = (landing.branch.clone(), landing.put.commit.clone());
    let lost = || LandError::NotInBranch {
        task: task.clone(),
        branch: branch.clone(),
        commit: short(&landed).to_owned(),
    };
    let commit_id: ObjectId = landed.parse().map_err(|_| lost())?;
    let site = Site::of_branch(own, task, &branch)?;
    if !history::is_before(git, own.repository, &commit_id, &site.onto)? {
        return Err(lost().into());
    }
    let before = own.resolve(&format!("{commit_id}^1"))?.ok_or_else(lost)?;
    let identity = own.identity()?.ok_or(LandError::NoIdentity)?;
    site.check_clean()?;
    let attempt = AttemptNumber::try_from(landing.attempt).map_err(|_| lost())?;
    let clone = clone_of(engine, open, &site, attempt)?;
    let sides = Sides { origin: &commit_id, ours: &site.onto, theirs: &before };
    let tree = match merge::merge(git, &clone, sides, &Engine::identity())? {
        Merged::Clean(tree) => tree,
        Merged::Conflict(Conflict { files, .. }) => {
            let (task, commit) = (task.clone(), short(&landed).to_owned());
            return Err(LandError::UndoConflict { task, branch, commit, files }.into());
        }
        Merged::Unable => return Err(LandError::OldGit.into()),
    };
    if tree == merge::tree_of(git, &clone, &site.onto)? {
        return Err(LandError::TakenBack { task: task.clone(), branch }.into());
    }
    let merged = merge::commit(git, &clone, &tree, &Engine::identity())?;
    let places = site.places(&clone, &merge::added(git, &clone, &site.onto, &merged)?)?;
    site.check_free(&places)?;
    let message = landing::undo_message(&spec.goal, &landed, task);
    let made = Made { parents: &[&site.onto], message: &message, written: None };
    let new = commit(own, &clone, &tree, &made, task)?;
    site.check_still()?;
    site.check_free(&places)?;
    let undo = Order::UndoLand { commit: new.to_string(), before: site.onto.to_string() };
    order(engine, open, undo)?;
    put(engine, open, &site, &new)?;
    Ok(LandReport {
        task_id: task.clone(),
        outcome: LandOutcome::Undone,
        branch,
        commit: new.to_string(),
        method: landing.method,
        behind: history::count(git, own.repository, &commit_id, &site.onto)?,
        proof: None,
        is_proven_again: false,
        by: identity.name,
        agent: None,
    })
}
