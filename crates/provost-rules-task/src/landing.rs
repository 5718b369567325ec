//! Which result may be put onto a branch, what a crash in the middle of it left, and what is said.

mod error;
mod message;

use provost_kernel::{
    Timestamp,
    task::{BranchMove, Landing, Order, OrderRecord, ReviewOutcome, State, Status},
};

pub use self::{
    error::{InTheWay, LandError, LandingObstacle},
    message::{Credits, message, undo_message},
};
use crate::orders::OrderError;

/// What `land` has to do for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The result is ready and not reviewed: a person must confirm it.
    Unconfirmed,
    /// It is approved.
    Approved,
    /// A branch was about to move, and nothing says that it did.
    Unfinished,
    /// The branch has it.
    Landed,
}

/// Where a branch is that was about to move when a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The commit is its tip, or comes before it.
    Moved,
    /// It never came there. What was made for it is made again: time has passed.
    NotMoved,
}

/// Whether the newest result of a task may land, and what is left to do.
pub fn stage(status: &Status) -> Result<Stage, LandError> {
    let task = status.task_id.clone();
    let landing = status.landed.as_ref().filter(|it| it.attempt == status.current_attempt);
    if landing.is_some_and(|it| it.pending().is_some()) {
        return Ok(Stage::Unfinished);
    }
    if landing.is_some_and(Landing::is_there) {
        return Ok(Stage::Landed);
    }
    match status.state {
        State::Running => Err(LandError::Running { task }),
        State::Paused => Err(LandError::Paused { task }),
        State::Failed => Err(LandError::Failed { task }),
        State::ReadyForReview if status.is_stale() => {
            Err(LandError::Edited { task, attempt: status.current_attempt })
        }
        State::ReadyForReview => match review(status) {
            None => Ok(Stage::Unconfirmed),
            Some(ReviewOutcome::Approved) => Ok(Stage::Approved),
            Some(ReviewOutcome::Rejected) => Err(LandError::Rejected { task }),
        },
    }
}

/// The landing that `land --undo` takes back.
pub fn undoable(status: &Status) -> Result<&Landing, LandError> {
    let task = || status.task_id.clone();
    match &status.landed {
        _ if status.state == State::Running => Err(LandError::Running { task: task() }),
        None => Err(LandError::NotLanded { task: task() }),
        Some(it) if it.is_taken_back() => {
            Err(LandError::TakenBack { task: task(), branch: it.branch.clone() })
        }
        Some(it) => Ok(it),
    }
}

/// Whether the newest result was put onto a branch and taken back from there.
pub fn is_undone(status: &Status) -> bool {
    let landing = status.landed.as_ref().filter(|it| it.attempt == status.current_attempt);
    landing.is_some_and(Landing::is_taken_back)
}

/// The landing that an order makes of a status, before any branch moves; none for other orders.
pub fn ordered(before: &Status, record: &OrderRecord) -> Result<Option<Landing>, OrderError> {
    let action = record.order.action().trim_start_matches("task.");
    let step = |commit: &str, before: Option<&str>| BranchMove {
        commit: commit.to_owned(),
        before: before.map(str::to_owned),
        actor: record.actor.clone(),
        ordered_at: record.created_at,
        at: None,
    };
    if let Order::Land { attempt, branch, method, commit, before: tip } = &record.order {
        let is_newest = *attempt == before.current_attempt;
        if !is_newest || review(before) != Some(ReviewOutcome::Approved) {
            return Err(OrderError::NotApproved { task: before.task_id.clone(), action });
        }
        let put = step(commit, tip.as_deref());
        let (attempt, branch, method) = (*attempt, branch.clone(), *method);
        return Ok(Some(Landing { attempt, branch, method, put, undone: None }));
    }
    if let Order::UndoLand { commit, before: tip } = &record.order {
        let landed = before.landed.clone().filter(Landing::is_there);
        let landing = landed.ok_or(OrderError::NotLanded { action })?;
        return Ok(Some(Landing { undone: Some(step(commit, Some(tip))), ..landing }));
    }
    Ok(None)
}

/// The landing once its branch has moved.
pub fn moved(mut landing: Landing, at: Timestamp) -> Landing {
    let newest = landing.undone.as_mut().unwrap_or(&mut landing.put);
    newest.at = Some(at);
    landing
}

/// What is left of a landing whose branch has not moved and will not.
pub fn given_up(landing: Landing) -> Option<Landing> {
    landing.undone.is_some().then_some(Landing { undone: None, ..landing })
}

/// What a move came to that a crash cut off.
pub fn recovered(landing: Landing, found: Found, at: Timestamp) -> Option<Landing> {
    match found {
        Found::Moved => Some(moved(landing, at)),
        Found::NotMoved => given_up(landing),
    }
}

/// What a person said of the newest result.
fn review(status: &Status) -> Option<ReviewOutcome> {
    let review = status.review.as_ref()?;
    (review.attempt == Some(status.current_attempt)).then_some(review.outcome)
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Actor, Exit, Message as _, Source,
        task::{LandMethod, Review},
    };

    use super::*;
    use crate::orders;

    fn actor() -> Actor {
        Actor { source: Source::Cli, id: "ann".to_owned() }
    }

    fn status(state: State, outcome: Option<(ReviewOutcome, u16)>) -> Status {
        let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        (status.state, status.current_attempt) = (state, 2);
        status.review = outcome.map(|(outcome, attempt)| Review {
            outcome,
            actor: actor(),
            reviewed_at: Timestamp::EPOCH,
            because: None,
            attempt: Some(attempt),
            request_id: None,
            blind: false,
        });
        status
    }

    fn record(order: Order) -> OrderRecord {
        OrderRecord {
            seq: 1,
            created_at: Timestamp::EPOCH,
            task_id: "t1".parse().unwrap(),
            order,
            request_id: None,
            actor: actor(),
            seen: None,
            blind: false,
            resolved: None,
        }
    }

    fn land(attempt: u16) -> OrderRecord {
        record(Order::Land {
            attempt,
            branch: "main".to_owned(),
            method: LandMethod::Squash,
            commit: "new".to_owned(),
            before: Some("old".to_owned()),
        })
    }

    /// Who may land, row by row: the state, the review and its attempt, what is left to do.
    #[test]
    fn only_an_approved_newest_result_lands() {
        use ReviewOutcome::{Approved, Rejected};
        for (state, review, expected, exit) in [
            (State::Running, None, Err("running"), Exit::Conflict),
            (State::Running, Some((Approved, 2)), Err("running"), Exit::Conflict),
            (State::Paused, Some((Approved, 2)), Err("paused"), Exit::Refused),
            (State::Failed, Some((Approved, 2)), Err("failed"), Exit::Refused),
            (State::ReadyForReview, None, Ok(Stage::Unconfirmed), Exit::Success),
            (State::ReadyForReview, Some((Approved, 1)), Ok(Stage::Unconfirmed), Exit::Success),
            (State::ReadyForReview, Some((Rejected, 1)), Ok(Stage::Unconfirmed), Exit::Success),
            (State::ReadyForReview, Some((Approved, 2)), Ok(Stage::Approved), Exit::Success),
            (State::ReadyForReview, Some((Rejected, 2)), Err("rejected"), Exit::Refused),
        ] {
            let found = stage(&status(state, review));
            match (&found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(*found, expected, "{state} {review:?}"),
                (Err(error), Err(word)) => {
                    assert!(error.to_string().contains(word), "{error}");
                    assert!(!error.hints().is_empty(), "{error}");
                    assert_eq!(error.exit(), exit, "{error}");
                }
                _ => panic!("{state} {review:?}: {found:?}"),
            }
        }
    }

    #[test]
    fn a_landing_goes_through_its_stages_once() {
        let approved = status(State::ReadyForReview, Some((ReviewOutcome::Approved, 2)));
        let with = |landing: Landing| Status { landed: Some(landing), ..approved.clone() };
        let unfinished = ordered(&approved, &land(2)).unwrap().unwrap();
        assert_eq!(stage(&with(unfinished.clone())), Ok(Stage::Unfinished));
        assert_eq!(given_up(unfinished.clone()), None);
        let landed = moved(unfinished, Timestamp::EPOCH);
        assert_eq!(stage(&with(landed.clone())), Ok(Stage::Landed));
        // A newer attempt has not landed by that.
        let newer = Status { current_attempt: 3, review: None, ..with(landed.clone()) };
        assert_eq!(stage(&newer), Ok(Stage::Unconfirmed));

        let undo = record(Order::UndoLand { commit: "undo".to_owned(), before: "new".to_owned() });
        let undoing = ordered(&with(landed.clone()), &undo).unwrap().unwrap();
        assert_eq!(given_up(undoing.clone()), Some(landed));
        let undone = with(moved(undoing, Timestamp::EPOCH));
        assert_eq!(stage(&undone), Ok(Stage::Approved));
        assert!(matches!(undoable(&undone), Err(LandError::TakenBack { .. })));
        assert!(matches!(undoable(&approved), Err(LandError::NotLanded { .. })));
        assert_eq!(ordered(&undone, &undo), Err(OrderError::NotLanded { action: "undo_land" }),);
    }

    /// What is on its branch is not reviewed or run again: it is taken back first.
    #[test]
    fn a_landed_result_is_left_alone() {
        let approved = status(State::ReadyForReview, Some((ReviewOutcome::Approved, 2)));
        let landed = moved(ordered(&approved, &land(2)).unwrap().unwrap(), Timestamp::EPOCH);
        let undo = record(Order::UndoLand { commit: "undo".to_owned(), before: "new".to_owned() });
        let there = Status { landed: Some(landed), ..approved };
        let undoing = ordered(&there, &undo).unwrap().unwrap();
        let undone = Status { landed: Some(moved(undoing, Timestamp::EPOCH)), ..there.clone() };
        for order in [
            Order::Approve,
            Order::Reject { because: "x".to_owned() },
            Order::Resume,
            Order::Rerun { attempt: provost_kernel::AttemptNumber::FIRST },
            Order::Reset,
            Order::Rejudge,
        ] {
            let refused = orders::check(&order, &there).unwrap_err();
            assert!(matches!(refused, OrderError::Landed { .. }), "{order:?}: {refused}");
            assert_eq!(orders::check(&order, &undone), Ok(()), "{order:?}");
        }
    }

    /// Nothing lands by an order that does not have the approval of that very result.
    #[test]
    fn an_order_to_land_needs_an_approval() {
        let refused = Err(OrderError::NotApproved { task: "t1".parse().unwrap(), action: "land" });
        let ready = |review| status(State::ReadyForReview, review);
        assert_eq!(ordered(&ready(None), &land(2)), refused);
        let approved = ready(Some((ReviewOutcome::Approved, 2)));
        assert_eq!(ordered(&approved, &land(1)), refused);
        assert_eq!(ordered(&ready(Some((ReviewOutcome::Rejected, 2))), &land(2)), refused);
        assert_eq!(ordered(&approved, &record(Order::Approve)), Ok(None));
    }

    /// The branch itself says what a process came to that was killed in the middle.
    #[test]
    fn a_crash_is_recovered_by_where_the_branch_is() {
        let approved = status(State::ReadyForReview, Some((ReviewOutcome::Approved, 2)));
        let unfinished = ordered(&approved, &land(2)).unwrap().unwrap();
        let after = |found| recovered(unfinished.clone(), found, Timestamp::EPOCH);
        assert!(after(Found::Moved).is_some_and(|it| it.is_there()));
        assert_eq!(after(Found::NotMoved), None);
    }
}
