//! Attempts: which of them count, and how they are numbered.
//!
//! Folders are numbered without a gap, whatever happened; what is used up is counted apart, by
//! the decisions that consume.

use provost_kernel::{
    AttemptNumber, Message, Text,
    task::{Decision, DecisionRecord, Overrides, Status, TaskSpec},
};
use serde::Serialize;

/// Which attempt the newest one is among those that count, and how many there may be; 0 where none
/// was begun. Folders are numbered apart from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AttemptCount {
    pub count: u16,
    pub of: u16,
}

/// What an [`AttemptCount`] is made of.
#[derive(Clone, Copy, Debug)]
pub struct Attempts {
    /// The folder of the newest one; 0 where none was begun.
    pub newest: u16,
    /// How many are used up.
    pub used: u16,
    pub is_newest_used: bool,
    pub limit: u16,
}

#[derive(Debug, Message)]
#[message(code = "task.attempt_count")]
enum Counted {
    #[message(en = "not begun", zh = "尚未开始")]
    NotBegun,
    #[message(en = "attempt {count} of {of}", zh = "第 {count} 次尝试，共 {of} 次")]
    Begun { count: u16, of: u16 },
}

impl AttemptCount {
    pub fn of(attempts: Attempts) -> Self {
        let Attempts { newest, used, is_newest_used, limit } = attempts;
        let count = match newest {
            0 => 0,
            // A limit can be lowered to what is used while another attempt runs.
            _ => used.saturating_add(u16::from(!is_newest_used)).min(limit.max(used)),
        };
        Self { count, of: limit }
    }

    /// The count of a task, with the record of its newest attempt where that was decided.
    pub fn of_status(status: &Status, newest: Option<&DecisionRecord>) -> Self {
        let recorded = || newest.is_some_and(|it| it.decision.consume_attempt);
        Self::of(Attempts {
            newest: status.current_attempt,
            used: status.attempts_consumed,
            is_newest_used: is_newest_used(status).unwrap_or_else(recorded),
            limit: status.effective_max_attempts,
        })
    }

    pub fn text(self) -> Text {
        let Self { count, of } = self;
        match count {
            0 => Counted::NotBegun.text(),
            _ => Counted::Begun { count, of }.text(),
        }
    }
}

/// Whether the newest attempt is used up, as far as the status alone says it: a pause between two
/// attempts replaces the transition that used one up.
pub fn is_newest_used(status: &Status) -> Option<bool> {
    if status.attempts_consumed == 0 || status.current_attempt == 0 {
        return Some(false);
    }
    let last = status.last_transition.as_ref();
    let is_of_newest = last.is_some_and(|it| it.attempt == Some(status.current_attempt));
    (is_of_newest && last.is_some_and(|it| it.consume_attempt)).then_some(true)
}

/// How many attempts may be consumed, after overrides.
pub fn effective_max(spec: &TaskSpec, overrides: &Overrides) -> u16 {
    overrides.max_attempts.unwrap_or(spec.max_attempts)
}

/// How many attempts are consumed after a decision.
pub fn consumed_after(consumed: u16, decision: &Decision) -> u16 {
    consumed.saturating_add(u16::from(decision.consume_attempt))
}

/// The number of the next folder; none after the last that a name can hold.
pub fn next_folder(highest: Option<AttemptNumber>) -> Option<AttemptNumber> {
    match highest {
        None => Some(AttemptNumber::FIRST),
        Some(it) => AttemptNumber::try_from(it.get() + 1).ok(),
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Lang, Timestamp,
        task::{ErrorClass, Facts, Role, State, VerdictDecision},
    };

    use super::*;
    use crate::{decision::decide, status};

    fn fresh() -> Status {
        Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3)
    }

    fn record(decision: Decision, facts: Facts) -> DecisionRecord {
        DecisionRecord {
            task_id: "t1".parse().unwrap(),
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

    /// The newest attempt counts from its begin on, and one that was not used up gives its number to
    /// the next.
    #[test]
    fn the_newest_attempt_is_counted_among_those_that_count() {
        let facts = facts(ErrorClass::None, 0);
        let decided = |is_used| {
            let decision = Decision { consume_attempt: is_used, ..decide(&facts) };
            record(decision, facts.clone())
        };
        let (used_up, free) = (decided(true), decided(false));
        for (newest, used, record, limit, expected) in [
            // Waits for its turn, or was reset.
            (0, 0, None, 3, 0),
            (1, 0, None, 3, 1),
            // Three folders of attempts that do not count.
            (4, 0, None, 3, 1),
            (4, 0, Some(&free), 3, 1),
            (1, 1, Some(&used_up), 3, 1),
            (2, 1, None, 3, 2),
            (2, 1, Some(&free), 3, 2),
            (3, 3, Some(&used_up), 3, 3),
            // The limit was lowered while the second one ran.
            (2, 1, None, 1, 1),
        ] {
            let mut status = fresh();
            (status.current_attempt, status.attempts_consumed) = (newest, used);
            status.effective_max_attempts = limit;
            let count = AttemptCount::of_status(&status, record);
            assert_eq!(count, AttemptCount { count: expected, of: limit }, "{newest} {used}");
        }
    }

    #[test]
    fn a_pause_between_attempts_needs_the_record() {
        let mut status = fresh();
        status.current_attempt = 1;
        let failed = facts(ErrorClass::None, 0);
        let after = status::after(&status, &decide(&failed), &failed, Timestamp::EPOCH);
        assert_eq!(is_newest_used(&after), Some(true));
        assert_eq!(AttemptCount::of_status(&after, None).count, 1);
        let budget = Facts { role: Role::Coordinator, ..facts(ErrorClass::Budget, 1) };
        let paused = status::after(&after, &decide(&budget), &budget, Timestamp::EPOCH);
        assert_eq!(is_newest_used(&paused), None);
        let record = record(decide(&failed), failed);
        assert_eq!(AttemptCount::of_status(&paused, Some(&record)).count, 1);
    }

    #[test]
    fn a_count_is_said_in_both_languages() {
        for (count, en, zh) in
            [(0, "not begun", "尚未开始"), (2, "attempt 2 of 3", "第 2 次尝试，共 3 次")]
        {
            let text = AttemptCount { count, of: 3 }.text();
            assert_eq!((Lang::En.render(&text), Lang::Zh.render(&text)), (en.into(), zh.into()));
        }
    }

    fn facts(class: ErrorClass, consumed: u16) -> Facts {
        Facts {
            role: Role::Judge,
            rc: 0,
            error_class: class,
            verdict_decision: Some(VerdictDecision::Fail),
            verdict_gated: false,
            thresholds_pass: true,
            current_attempt: u32::from(consumed) + 1,
            effective_max_attempts: 3,
            consecutive_timeout_count: 0,
            consecutive_timeout_key: None,
            questions_for_user: Vec::new(),
        }
    }

    #[test]
    fn a_pause_that_does_not_consume_costs_nothing() {
        let mut consumed = 0;
        for _ in 0..10 {
            let decision = decide(&facts(ErrorClass::Crash, consumed));
            consumed = consumed_after(consumed, &decision);
        }
        assert_eq!(consumed, 0);
    }

    #[test]
    fn the_last_failure_and_the_last_attempt_are_the_same() {
        let mut consumed = 0;
        let mut states = Vec::new();
        // More rounds than there can be, so that a wrong count ends the test and not the patience.
        for _ in 0..9 {
            if consumed >= 3 {
                break;
            }
            let decision = decide(&facts(ErrorClass::None, consumed));
            consumed = consumed_after(consumed, &decision);
            states.push(decision.next_state);
        }
        assert_eq!(states, [State::Running, State::Running, State::Failed]);
        let decision = decide(&facts(ErrorClass::None, 0));
        assert_eq!(consumed_after(u16::MAX, &decision), u16::MAX);
    }

    #[test]
    fn an_override_replaces_what_the_spec_says() {
        let spec = TaskSpec::new("t".parse().unwrap());
        assert_eq!(effective_max(&spec, &Overrides::default()), 3);
        assert_eq!(effective_max(&spec, &Overrides::of_attempts(5)), 5);
    }

    #[test]
    fn folders_are_numbered_without_a_gap() {
        let number = |it: u16| AttemptNumber::try_from(it).unwrap();
        assert_eq!(next_folder(None), Some(number(1)));
        assert_eq!(next_folder(Some(number(1))), Some(number(2)));
        assert_eq!(next_folder(Some(number(998))), Some(number(999)));
        assert_eq!(next_folder(Some(number(999))), None);
    }
}
