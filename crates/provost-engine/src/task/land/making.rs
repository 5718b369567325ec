//! The commit that lands: merged, proven where that is needed, and made in the person's name.

use provost_desk::task::OpenTask;
use provost_exec::git::{
    ObjectId, PrivateClone, clone, history,
    merge::{self, Conflict, Merged, Sides},
    own::{Answer, NewCommit, Own},
};
use provost_kernel::{AttemptNumber, TaskId, Timestamp, task::ProofLabel};
use provost_rules_task::landing::LandError;
use provost_vault::{WorkPlace, forget_session, make_work_folder, remove};

use super::{Delivered, Site, checks, proof};
use crate::{Engine, EngineError, proof::without_artefacts, task::progress::Update};

/// A tree that may land, and what is known of it.
pub(super) struct Prepared {
    pub(super) clone: PrivateClone,
    pub(super) tree: ObjectId,
    pub(super) label: ProofLabel,
    pub(super) behind: u64,
    pub(super) is_proven_again: bool,
    /// Where nothing of the person's may lie when the files are written.
    pub(super) places: Vec<String>,
}

/// Merges a result with the branch, and proves what comes of it unless that is what was proven.
pub(super) fn prepare(
    engine: Engine<'_>,
    open: &OpenTask<'_>,
    site: &Site<'_>,
    delivered: &Delivered,
) -> Result<Prepared, EngineError> {
    let task = open.task();
    let clone = clone_of(engine, open, site, delivered.attempt)?;
    let (git, identity) = (engine.git(), Engine::identity());
    // What no run has seen does not land: it was left out of every one.
    let tested = without_artefacts(&engine, &clone, &delivered.commit)?.commit;
    let tree_of = |commit| merge::tree_of(&git, &clone, commit);
    let behind = if tree_of(&delivered.base)? == tree_of(&site.onto)? {
        // Uncommitted work that was committed since is what the result builds on.
        0
    } else {
        history::count(&git, site.own.repository, &delivered.base, &site.onto)?
    };
    if tree_of(&tested)? == tree_of(&delivered.base)? {
        return Err(LandError::Unchanged { task: task.clone() }.into());
    }
    let sides = Sides { origin: &delivered.base, ours: &site.onto, theirs: &tested };
    let tree = match merge::merge(&git, &clone, sides, &identity)? {
        Merged::Clean(tree) => tree,
        Merged::Conflict(Conflict { files, .. }) => {
            let (task, branch) = (task.clone(), site.branch.clone());
            if site.lacks_changes(&clone)? {
                return Err(LandError::LacksChanges { task, branch }.into());
            }
            return Err(LandError::Conflict { task, branch, files }.into());
        }
        Merged::Unable => return Err(LandError::OldGit.into()),
    };
    if tree == tree_of(&site.onto)? {
        let branch = site.branch.clone();
        return Err(LandError::NothingNew { task: task.clone(), branch }.into());
    }
    let merged = merge::commit(&git, &clone, &tree, &identity)?;
    let places = site.places(&clone, &merge::added(&git, &clone, &site.onto, &merged)?)?;
    site.check_free(&places)?;
    let of_attempt = delivered.proof.as_ref().map_or(ProofLabel::NotRun, |it| it.label);
    let is_delivered = tree == tree_of(&tested)?;
    let label = if is_delivered {
        of_attempt
    } else {
        engine.progress.update(&Update::Merged { branch: &site.branch, behind });
        let result = (delivered.attempt, &merged);
        let proven = proof::prove(engine, open, &clone, result, &site.branch).and_then(|label| {
            checks::check(engine, open, &clone, result, &site.branch)?;
            Ok(label)
        });
        match proven {
            Err(EngineError::Land(LandError::NotProven { task, branch, .. }))
                if site.lacks_changes(&clone)? =>
            {
                return Err(LandError::LacksChanges { task, branch }.into());
            }
            proven => proven?,
        }
    };
    Ok(Prepared { clone, tree, label, behind, is_proven_again: !is_delivered, places })
}

/// A private clone of what the branch has.
pub(super) fn clone_of(
    engine: Engine<'_>,
    open: &OpenTask<'_>,
    site: &Site<'_>,
    attempt: AttemptNumber,
) -> Result<PrivateClone, EngineError> {
    clear(engine, open, attempt)?;
    let layout = engine.desk.layout();
    make_work_folder(&layout.work(open.task()))?;
    let into = layout.work_place(open.task(), attempt, WorkPlace::Landing).path();
    let (git, identity) = (engine.git(), Engine::identity());
    let (repository, onto) = (site.own.repository, site.onto.as_str());
    Ok(clone::private(&git, repository, onto, into.as_std_path(), &identity)?)
}

/// Removes what was needed to merge and to prove.
fn clear(
    engine: Engine<'_>,
    open: &OpenTask<'_>,
    attempt: AttemptNumber,
) -> Result<(), EngineError> {
    let layout = engine.desk.layout();
    for it in [WorkPlace::Landing, WorkPlace::LandingGit, WorkPlace::Proofs] {
        remove(&layout.work_place(open.task(), attempt, it))?;
    }
    Ok(())
}

/// Removes all that only the way to a branch needed, however that ended.
pub(super) fn tidy_up(
    engine: Engine<'_>,
    open: &OpenTask<'_>,
    own: &Own<'_>,
) -> Result<(), EngineError> {
    for attempt in open.files().attempts()? {
        clear(engine, open, attempt)?;
    }
    // What is pending may still be needed.
    if open.status.value.landed.as_ref().is_none_or(|it| it.pending().is_none()) {
        own.forget(&reference(open.task()))?;
    }
    // A task whose result has landed is over.
    if open.status.value.landed.as_ref().is_some_and(|it| it.pending().is_none()) {
        forget_session(engine.desk.layout(), open.task())?;
    }
    Ok(())
}

/// What a commit of the person's is made of, besides its tree.
pub(super) struct Made<'a> {
    pub(super) parents: &'a [&'a ObjectId],
    pub(super) message: &'a str,
    pub(super) written: Option<Timestamp>,
}

/// Makes the person's commit, and names it so that git keeps it until a branch has it.
pub(super) fn commit(
    own: &Own<'_>,
    clone: &PrivateClone,
    tree: &ObjectId,
    made: &Made<'_>,
    task: &TaskId,
) -> Result<ObjectId, EngineError> {
    let message = merge::write_message(clone, made.message)?;
    if let Answer::Refused { said } = own.check_message(&message)? {
        return Err(LandError::Hook { said }.into());
    }
    let reference = reference(task);
    merge::bring(own.git, clone, own.repository, &reference)?;
    let Made { parents, written, .. } = *made;
    let commit = own.commit(&NewCommit { tree, parents, message: &message, written })?;
    own.name(&reference, &commit)?;
    Ok(commit)
}

/// The name of a commit that is about to land.
fn reference(task: &TaskId) -> String {
    format!("refs/provost/landing/{task}")
}
