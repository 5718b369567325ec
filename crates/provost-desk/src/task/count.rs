//! How many attempts count: one rule for every list and page.

use provost_kernel::task::{DecisionRecord, State, Status};
use serde::Serialize;

/// How many attempts count, and how many there may be. Folders are numbered apart from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AttemptCount {
    pub count: u16,
    pub of: u16,
}

impl AttemptCount {
    /// Those that are used up, and the newest where it runs or passed.
    pub fn new(status: &Status, newest: Option<&DecisionRecord>) -> Self {
        let (used, of) = (status.attempts_consumed, status.effective_max_attempts);
        let is_one_more = match (status.state, newest) {
            _ if status.current_attempt == 0 => false,
            (State::Running, newest) => newest.is_none(),
            // One that passed only because a person accepted something is used up already.
            (State::ReadyForReview, Some(record)) => !record.decision.consume_attempt,
            (State::ReadyForReview, None) => used < of,
            (State::Paused | State::Failed, _) => false,
        };
        Self { count: used.saturating_add(u16::from(is_one_more)), of }
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Timestamp,
        task::{ErrorClass, Facts, Role, VerdictDecision},
    };
    use provost_rules_task::{decision::decide, facts};

    use super::*;

    fn record(decision: VerdictDecision, is_used: bool) -> DecisionRecord {
        let status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        let facts = Facts {
            verdict_decision: Some(decision),
            ..facts::of_step(&status, Role::Judge, 0, ErrorClass::None)
        };
        let mut decision = decide(&facts);
        decision.consume_attempt = is_used;
        DecisionRecord {
            task_id: status.task_id,
            attempt: 1,
            decided_at: Timestamp::EPOCH,
            facts,
            decision,
            judge_decision: None,
            against: Vec::new(),
            reasons: Vec::new(),
            next_instructions: String::new(),
            findings: Vec::new(),
            checks: Vec::new(),
        }
    }

    #[test]
    fn what_runs_and_what_passed_counts() {
        use VerdictDecision::{Fail, Pass};
        let (passed, accepted) = (record(Pass, false), record(Pass, true));
        let failed = record(Fail, true);
        for (state, current, used, newest, expected) in [
            // Waits for its turn, or begins.
            (State::Running, 0, 0, None, 0),
            (State::Running, 1, 0, None, 1),
            // Three folders of attempts that do not count.
            (State::Running, 4, 0, None, 1),
            (State::Running, 1, 1, Some(&failed), 1),
            (State::ReadyForReview, 2, 1, Some(&passed), 2),
            (State::ReadyForReview, 3, 3, Some(&accepted), 3),
            (State::ReadyForReview, 3, 3, None, 3),
            (State::Paused, 1, 0, None, 0),
            (State::Paused, 2, 1, Some(&failed), 1),
            (State::Failed, 3, 3, Some(&failed), 3),
        ] {
            let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
            (status.state, status.current_attempt) = (state, current);
            status.attempts_consumed = used;
            let count = AttemptCount::new(&status, newest);
            assert_eq!(count, AttemptCount { count: expected, of: 3 }, "{state} {current} {used}");
        }
    }
}
