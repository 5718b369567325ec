//! Every order that a task takes now, whether or not anybody is likely to want it.

use provost_kernel::{
    AttemptNumber,
    task::{Order, Overrides, ReviewOutcome, Status},
};

use super::{Circumstances, Proposal, make, words::Why};
use crate::{
    accept,
    landing::{Stage, stage, undoable},
    orders,
    phase::review_of,
};

pub(super) fn every(status: &Status, known: &Circumstances<'_>) -> Vec<Proposal> {
    let takes = |order: Order| orders::check(&order, status).is_ok();
    let text = || "x".to_owned();
    let newest = AttemptNumber::try_from(status.current_attempt).ok();
    let accepted: Vec<&str> = accept::of_attempt(&status.accepted, status.current_attempt)
        .map(|it| it.finding.as_str())
        .collect();
    let open = known.acceptable.iter().filter(|it| !accepted.contains(&it.as_str()));
    let acceptance = |finding: &String| Order::Accept {
        finding: finding.clone(),
        because: text(),
        attempt: status.current_attempt,
        digest: None,
    };
    let mut every = Vec::new();
    let mut offer = |is_taken: bool, make: &dyn Fn() -> Proposal| {
        if is_taken {
            every.push(make().untold());
        }
    };
    offer(status.is_queued(), &|| make::run(status));
    offer(takes(Order::Approve) && !is_approved(status), &|| make::approve(status));
    offer(takes(Order::Reject { because: text() }), &|| make::reject(status));
    offer(is_landable(status), &|| make::land(status, &Why::Land, known.is_branchless));
    offer(takes(Order::Resume), &|| make::resume(status, &Why::Continue));
    offer(takes(Order::Answer { text: text() }), &|| make::tell(status));
    offer(takes(Order::Edit { instruction: text() }), &|| make::edit(status));
    for finding in open {
        offer(takes(acceptance(finding)), &|| make::accept(status, finding, known.digest));
    }
    offer(takes(Order::Pause), &|| make::pause(status));
    // One that has not begun has no step that runs.
    offer(takes(Order::PauseNow) && status.is_driven(), &|| make::pause_now(status));
    offer(newest.is_some() && takes(Order::Rejudge), &|| make::rejudge(status));
    if let Some(attempt) = newest {
        offer(takes(Order::Rerun { attempt }), &|| make::rerun(status));
    }
    offer(takes(Order::Set { changes: Vec::new() }), &|| make::set_any(status));
    let overrides = Overrides::default();
    offer(takes(Order::Override { overrides }), &|| make::override_attempts(status));
    let rollback = Order::Rollback { to_version: None };
    offer(known.n_overrides > 0 && takes(rollback), &|| make::rollback(status, known.n_overrides));
    offer(takes(Order::Reset), &|| make::reset(status));
    offer(is_undoable(status), &|| make::undo_land(status));
    every
}

/// Whether the newest result is approved: to do that again would change nothing.
fn is_approved(status: &Status) -> bool {
    review_of(status).is_some_and(|it| it.outcome == ReviewOutcome::Approved)
}

fn is_landable(status: &Status) -> bool {
    match stage(status) {
        Ok(Stage::Unconfirmed | Stage::Approved | Stage::Unfinished) => true,
        Ok(Stage::Landed) | Err(_) => false,
    }
}

/// Whether a landing can be taken back; one that a crash cut off is finished first.
fn is_undoable(status: &Status) -> bool {
    undoable(status).is_ok_and(|it| it.is_there() && it.pending().is_none())
}
