//! Whether what a person saw of a result has moved before their decision about it arrives.
//!
//! Every write of a task raises its version: also an answer, a note to the agent, a change of a limit.
//! Those leave the result as it was seen, and refusing a decision because of them would be as wrong as
//! accepting one about a result that was never looked at.

use provost_kernel::task::{EventKind, EventLine, Order, ReviewOutcome, Seen, Status};

/// Which write of its task an event belongs to.
const STATE_VERSION: &str = "state_version";

/// Whether an order decides about a result, so that it is bound to what was seen.
pub fn is_about_result(order: &Order) -> bool {
    match order {
        Order::Approve | Order::Reject { .. } | Order::Accept { .. } | Order::Land { .. } => true,
        Order::Pause
        | Order::PauseNow
        | Order::Resume
        | Order::Reset
        | Order::Rerun { .. }
        | Order::Rejudge
        | Order::Edit { .. }
        | Order::Answer { .. }
        | Order::Override { .. }
        | Order::Set { .. }
        | Order::Rollback { .. }
        | Order::UndoLand { .. } => false,
    }
}

/// What is decided about a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is taken, or lands.
    Favourable,
    /// It is refused, or its landing is taken back.
    Adverse,
}

impl Decision {
    /// What an order decides.
    pub fn of(order: &Order) -> Self {
        if matches!(order, Order::Reject { .. } | Order::UndoLand { .. }) {
            Self::Adverse
        } else {
            Self::Favourable
        }
    }
}

/// Whether a decision is about something else than what was seen: there is a newer attempt, or since then
/// the state changed, the result landed or was taken back, or somebody reviewed it.
///
/// An approval in between does not contradict an order to land the same result.
pub fn has_moved(seen: Seen, status: &Status, events: &[EventLine], decision: Decision) -> bool {
    if seen.attempt != status.current_attempt {
        return true;
    }
    let is_later = |it: &&EventLine| {
        let version = it.rest.get(STATE_VERSION).and_then(serde_json::Value::as_u64);
        version.is_some_and(|it| it > seen.state_version)
    };
    // The events of the newest write may not be in the log yet.
    events.iter().chain(&status.outbox).filter(is_later).any(|it| counts(it, decision))
}

/// Whether an event means another result, or another standing of it.
fn counts(event: &EventLine, decision: Decision) -> bool {
    match event.value.kind {
        EventKind::ReviewRecorded => {
            let is_approval = event.value.summary == review_word(ReviewOutcome::Approved);
            !is_approval || decision == Decision::Adverse
        }
        EventKind::AttemptStarted
        | EventKind::AttemptDecided
        | EventKind::StateChanged
        | EventKind::CoordinatorCrashed
        | EventKind::TaskReset
        | EventKind::Landed
        | EventKind::LandingUndone
        | EventKind::StateQuarantined => true,
        EventKind::TaskCreated
        | EventKind::FilesDeclared
        | EventKind::CoderStarted
        | EventKind::CoderFinished
        | EventKind::CoderFailedSkipJudge
        | EventKind::SkipTestJudgeNoCoderOutput
        | EventKind::TestStarted
        | EventKind::TestFinished
        | EventKind::ClaimsChecked
        | EventKind::EvidencePacked
        | EventKind::JudgeStarted
        | EventKind::JudgeFinished
        | EventKind::LockStaleCleared
        | EventKind::StrayProcessesEnded
        | EventKind::UserInputReceived
        | EventKind::PolicyChecked
        | EventKind::JudgeRetried
        | EventKind::DecisionLowered
        | EventKind::OrderApplied
        | EventKind::OrderRefused
        // A change of what the task asks for makes its result stale, and a stale one is not approved.
        | EventKind::OverridesChanged
        | EventKind::LandingGivenUp
        | EventKind::BudgetReached
        | EventKind::BudgetNearlySpent
        | EventKind::QuotaWaited
        | EventKind::WorkSaved
        | EventKind::WorkContinued
        | EventKind::SessionContinued
        | EventKind::SessionDropped
        | EventKind::WorkMerged
        | EventKind::CoderSkipped => false,
    }
}

/// How the event of a review names it.
pub(crate) fn review_word(outcome: ReviewOutcome) -> &'static str {
    match outcome {
        ReviewOutcome::Approved => "approved",
        ReviewOutcome::Rejected => "rejected",
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{Timestamp, task::Note};

    use super::*;

    fn event(kind: EventKind, summary: &str, version: u64) -> EventLine {
        let task = "t1".parse().unwrap();
        let mut line = Note::new(kind, summary).line(&task, 2, Timestamp::EPOCH);
        line.rest.insert(STATE_VERSION.to_owned(), version.into());
        line
    }

    #[test]
    fn a_decision_is_about_the_result_that_was_seen() {
        use Decision::{Adverse, Favourable};
        let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        (status.current_attempt, status.state_version) = (2, 9);
        let seen = |attempt, state_version| Seen { attempt, state_version };
        for (kind, summary, version, decision, expected) in [
            // Before, or with, what was seen.
            (EventKind::ReviewRecorded, "rejected", 7, Favourable, false),
            (EventKind::StateChanged, "", 6, Favourable, false),
            (EventKind::ReviewRecorded, "rejected", 8, Favourable, true),
            (EventKind::ReviewRecorded, "rejected", 8, Adverse, true),
            (EventKind::ReviewRecorded, "approved", 8, Adverse, true),
            (EventKind::ReviewRecorded, "approved", 8, Favourable, false),
            (EventKind::StateChanged, "", 9, Favourable, true),
            (EventKind::TaskReset, "", 9, Favourable, true),
            (EventKind::Landed, "", 9, Favourable, true),
            (EventKind::LandingUndone, "", 9, Favourable, true),
            (EventKind::LandingGivenUp, "", 9, Favourable, false),
            (EventKind::OrderApplied, "task.answer", 9, Favourable, false),
            (EventKind::UserInputReceived, "", 9, Adverse, false),
            (EventKind::OverridesChanged, "", 9, Favourable, false),
            (EventKind::OrderRefused, "", 9, Favourable, false),
        ] {
            let events = [event(kind, summary, version)];
            let moved = has_moved(seen(2, 7), &status, &events, decision);
            assert_eq!(moved, expected, "{kind:?} {summary} {version} {decision:?}");
        }
        assert!(has_moved(seen(1, 9), &status, &[], Favourable), "another attempt");
        assert!(!has_moved(seen(2, 9), &status, &[], Favourable));
        // What is written with the state is not in the log before a crash is mended.
        status.outbox = vec![event(EventKind::ReviewRecorded, "rejected", 9)];
        assert!(has_moved(seen(2, 8), &status, &[], Favourable));
    }
}
