//! Attempts: which of them count, and how they are numbered.
//!
//! Folders are numbered without a gap, whatever happened; what is used up is counted apart, by
//! the decisions that consume.

use provost_kernel::{
    AttemptNumber,
    task::{Decision, Overrides, TaskSpec},
};

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
    use provost_kernel::task::{ErrorClass, Facts, Role, State, VerdictDecision};

    use super::*;
    use crate::decision::decide;

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
