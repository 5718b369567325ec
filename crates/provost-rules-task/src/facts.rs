//! What the decision table is asked about a step: its end, and what the status already counts.

use provost_kernel::task::{ErrorClass, Facts, Role, Status, VerdictDecision};

use super::{decision::RC_TIMEOUT, timeouts::Streak};

/// A verdict as the table is told of it, after facts lowered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    pub decision: VerdictDecision,
    pub gated: bool,
    pub thresholds_pass: bool,
    pub questions_for_user: Vec<String>,
}

/// The facts of a step that ended the attempt.
pub fn of_step(status: &Status, role: Role, rc: i32, error_class: ErrorClass) -> Facts {
    let kept = Streak::of(status.last_transition.as_ref());
    let is_timeout = rc == RC_TIMEOUT || error_class == ErrorClass::Timeout;
    let streak = if is_timeout { kept.with_timeout(role) } else { Streak::default() };
    Facts {
        role,
        rc,
        error_class,
        verdict_decision: None,
        verdict_gated: false,
        thresholds_pass: true,
        current_attempt: u32::from(status.attempts_consumed).saturating_add(1),
        effective_max_attempts: status.effective_max_attempts.into(),
        consecutive_timeout_count: streak.count,
        consecutive_timeout_key: streak.key,
        questions_for_user: Vec::new(),
    }
}

/// The facts of an attempt that was judged.
pub fn of_verdict(status: &Status, judgement: Judgement) -> Facts {
    let Judgement { decision, gated, thresholds_pass, questions_for_user } = judgement;
    Facts {
        verdict_decision: Some(decision),
        verdict_gated: gated,
        thresholds_pass,
        questions_for_user,
        ..of_step(status, Role::Judge, 0, ErrorClass::None)
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Timestamp,
        task::{Decision, State},
    };

    use super::*;
    use crate::{decision::decide, status};

    fn status() -> Status {
        Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3)
    }

    fn step(status: &Status, role: Role, rc: i32) -> (Facts, Decision) {
        let facts = of_step(status, role, rc, ErrorClass::None);
        let decision = decide(&facts);
        (facts, decision)
    }

    /// LOOP-B13: the count is in the status, so a restart between the attempts changes nothing.
    #[test]
    fn two_timeouts_of_one_kind_fail_and_of_two_kinds_do_not() {
        let check = |roles: &[Role], expected: State| {
            let mut now = status();
            for &role in roles {
                let (facts, decision) = step(&now, role, RC_TIMEOUT);
                now = status::after(&now, &decision, &facts, Timestamp::EPOCH);
                // What is written is what a restart reads.
                let text = serde_json::to_string(&now).unwrap();
                now = serde_json::from_str(&text).unwrap();
            }
            assert_eq!(now.state, expected, "{roles:?}");
        };
        check(&[Role::Coder], State::Paused);
        check(&[Role::Coder, Role::Coder], State::Failed);
        check(&[Role::Judge, Role::Judge], State::Failed);
        check(&[Role::Coder, Role::Judge], State::Paused);
        check(&[Role::Coder, Role::Judge, Role::Coder], State::Paused);
    }

    #[test]
    fn attempts_count_what_was_consumed() {
        let mut now = status();
        now.attempts_consumed = 2;
        let facts = of_step(&now, Role::Test, 1, ErrorClass::None);
        assert_eq!((facts.current_attempt, facts.effective_max_attempts), (3, 3));
    }

    #[test]
    fn a_verdict_is_told_as_it_is() {
        let judgement = Judgement {
            decision: VerdictDecision::NeedUserInput,
            gated: false,
            thresholds_pass: false,
            questions_for_user: vec!["why?".to_owned()],
        };
        let facts = of_verdict(&status(), judgement);
        assert_eq!(facts.verdict_decision, Some(VerdictDecision::NeedUserInput));
        assert!(!facts.thresholds_pass && !facts.verdict_gated);
        assert_eq!(facts.questions_for_user, ["why?"]);
    }
}
