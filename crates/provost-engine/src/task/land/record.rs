//! What the state says of a branch that is about to move, and of one that has moved.

use provost_desk::task::{OpenTask, Take};
use provost_exec::git::{ObjectId, own::Own};
use provost_kernel::task::{EventKind, Landing, Note, Order, Status};
use provost_rules_task::landing::{self, Found};
use provost_vault::audit::Event;
use serde_json::json;

use super::{Site, site, tidy_up};
use crate::{Engine, EngineError};

/// Writes down what became of a move that an earlier process could not report any more; whether it
/// happened.
pub(super) fn recover(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    own: &Own<'_>,
) -> Result<bool, EngineError> {
    let Some(landing) = open.status.value.landed.clone() else { return Ok(false) };
    let Some(pending) = landing.pending().cloned() else { return Ok(false) };
    let commit = pending.commit.parse::<ObjectId>().ok();
    let has_moved = match &commit {
        Some(commit) => site::has_moved(own, open.task(), &landing, commit)?,
        None => false,
    };
    let found = if has_moved { Found::Moved } else { Found::NotMoved };
    settle(engine, open, landing, found)?;
    tidy_up(engine, open, own)?;
    Ok(found == Found::Moved)
}

/// Gives an order in the name of the person.
pub(super) fn order(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    order: Order,
) -> Result<(), EngineError> {
    let task = open.task();
    Ok(open.order(Take {
        task,
        order,
        request_id: None,
        actor: engine.actor.clone(),
        seen: None,
    })?)
}

/// Moves the branch, and writes down what came of it.
pub(super) fn put(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    site: &Site<'_>,
    commit: &ObjectId,
) -> Result<(), EngineError> {
    let moved = site.move_to(commit, open.task());
    let landing = open.status.value.landed.clone();
    let Some(landing) = landing.filter(|it| it.pending().is_some()) else { return moved };
    match &moved {
        Ok(()) => settle(engine, open, landing, Found::Moved)?,
        Err(EngineError::Land(_)) => settle(engine, open, landing, Found::NotMoved)?,
        // The branch has not been looked at: the next run does that.
        Err(_) => {}
    }
    moved
}

/// Commits what a move came to.
fn settle(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    landing: Landing,
    found: Found,
) -> Result<(), EngineError> {
    let is_undo = landing.undone.is_some();
    let (kind, action) = match (found, is_undo) {
        (Found::Moved, false) => (EventKind::Landed, "task.landed"),
        (Found::Moved, true) => (EventKind::LandingUndone, "task.landing_undone"),
        (Found::NotMoved, _) => (EventKind::LandingGivenUp, "task.landing_given_up"),
    };
    let commit = landing.pending().map(|it| it.commit.clone()).unwrap_or_default();
    let branch = landing.branch.clone();
    let now = engine.desk.clock().now();
    let before = &open.status.value;
    let status = Status {
        landed: landing::recovered(landing, found, now),
        state_version: before.state_version.saturating_add(1),
        updated_at: now,
        ..before.clone()
    };
    let entry = Event {
        actor: engine.actor.clone(),
        action: action.to_owned(),
        subject: format!("task:{}", open.task()),
        request_id: None,
        detail: json!({ "branch": branch, "commit": commit }),
    };
    let note = Note::new(kind, format!("{branch} {commit}"))
        .with(&json!({ "branch": branch, "commit": commit }));
    Ok(open.commit_audited(&entry, status, vec![note])?)
}
