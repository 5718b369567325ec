//! Timeouts in a row: two of one kind in adjacent attempts end the task (LOOP-B13).
//!
//! The count is kept in the last transition of the status, so that it survives a restart. What is
//! no outcome of an attempt (a crash, a person's pause, an empty purse) neither adds to it nor
//! breaks it; every other outcome does.

use provost_kernel::task::{Role, Row, TimeoutKey, Transition};

/// How many timeouts of one kind came in a row, and of which kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Streak {
    pub count: u32,
    pub key: Option<TimeoutKey>,
}

impl Streak {
    /// The streak that the status keeps.
    ///
    /// A task that failed by it and was reopened starts afresh: a person has looked.
    pub fn of(last: Option<&Transition>) -> Self {
        let Some(last) = last.filter(|it| it.row != Some(Row::TimeoutTwice)) else {
            return Self::default();
        };
        // Older files have the pause code alone.
        let key = last.timeout_key.or_else(|| last.reason_key.as_deref()?.parse().ok());
        match key {
            Some(_) if last.consecutive_count > 0 => Self { count: last.consecutive_count, key },
            _ => Self::default(),
        }
    }

    /// The streak when a step has timed out once more: what the decision table is asked with.
    #[must_use]
    pub fn with_timeout(self, role: Role) -> Self {
        let key = Some(TimeoutKey::of(role));
        let before = if self.key == key { self.count } else { 0 };
        Self { count: before.saturating_add(1), key }
    }

    /// The streak to keep after a decision about a step.
    #[must_use]
    pub fn after(self, row: Row, role: Role) -> Self {
        match row {
            Row::TimeoutTwice
            | Row::CoderTimeout
            | Row::TestTimeout
            | Row::JudgeTimeout
            | Row::CoordinatorTimeout => self.with_timeout(role),
            Row::Crash
            | Row::User
            | Row::Budget
            | Row::Quota
            | Row::PrepareFailed
            | Row::TestNotRun
            | Row::TaskIdConflict
            | Row::NotGitRepo
            | Row::AdapterMissing => self,
            Row::JudgeAuth
            | Row::CoderAuth
            | Row::VerdictInvalid
            | Row::VerdictInconsistent
            | Row::ModeInvalid
            | Row::CoderFailed
            | Row::CoderNoOutput
            | Row::AllowedPaths
            | Row::ForbiddenGlobs
            | Row::Secrets
            | Row::JudgeInvalid
            | Row::Gated
            | Row::NeedUserInput
            | Row::BelowThreshold
            | Row::Ready
            | Row::FailNextAttempt
            | Row::FailExhausted
            | Row::UnknownDecision => Self::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::task::{ErrorClass, Facts, State};

    use super::*;
    use crate::decision::decide;

    /// Plays attempts one after the other, each in a process of its own: what stays is what the
    /// status keeps. `coder`, `test`, `judge` time out; `user`, `crash`, `auth`, `fail` do not.
    #[track_caller]
    fn check(attempts: &str, expected: &str) {
        let mut last: Option<Transition> = None;
        let mut states = Vec::new();
        for attempt in attempts.split(' ') {
            let before = Streak::of(last.as_ref());
            let role = attempt.parse().unwrap_or(Role::Judge);
            let (rc, class) = match attempt {
                "user" => (0, ErrorClass::User),
                "crash" => (0, ErrorClass::Crash),
                "auth" => (195, ErrorClass::Auth),
                "fail" => (0, ErrorClass::VerdictInvalid),
                _ => (124, ErrorClass::Timeout),
            };
            let streak = before.with_timeout(role);
            let decision = decide(&Facts {
                role,
                rc,
                error_class: class,
                verdict_decision: None,
                verdict_gated: false,
                thresholds_pass: true,
                current_attempt: 1,
                effective_max_attempts: 9,
                consecutive_timeout_count: streak.count,
                consecutive_timeout_key: streak.key,
                questions_for_user: Vec::new(),
            });
            let kept = before.after(decision.row, role);
            let transition = serde_json::json!({
                "row": decision.row,
                "consecutive_count": kept.count,
                "timeout_key": kept.key,
            });
            last = Some(serde_json::from_value(transition).unwrap());
            states.push(if decision.next_state == State::Failed { "FAILED" } else { "-" });
        }
        assert_eq!(states.join(" "), expected, "{attempts}");
    }

    /// LOOP-B13: adjacent attempts, the same kind, and across restarts.
    #[test]
    fn the_same_timeout_twice_fails_the_task() {
        check("coder coder", "- FAILED");
        check("test test", "- FAILED");
        check("judge judge", "- FAILED");
        check("coordinator coordinator", "- FAILED");
        check("coder judge coder", "- - -");
        check("judge coder coder", "- - FAILED");
        check("coder fail coder", "- - -");
        check("coder auth coder", "- - -");
        // What is not an outcome of an attempt neither adds nor breaks.
        check("coder user coder", "- - FAILED");
        check("judge crash judge", "- - FAILED");
        check("user user user", "- - -");
        // Reopened by a person, it starts afresh.
        check("coder coder coder coder", "- FAILED - FAILED");
    }

    #[test]
    fn an_older_status_keeps_its_count() {
        #[track_caller]
        fn check(text: &str, expected: (u32, Option<TimeoutKey>)) {
            let last: Transition = serde_json::from_str(text).unwrap();
            let actual = Streak::of(Some(&last));
            assert_eq!((actual.count, actual.key), expected, "{text}");
        }
        check(
            r#"{"reason_key": "PAUSED_JUDGE_TIMEOUT", "consecutive_count": 1}"#,
            (1, Some(TimeoutKey::Judge)),
        );
        check(
            r#"{"reason_key": "test_timeout", "consecutive_count": 4}"#,
            (4, Some(TimeoutKey::Test)),
        );
        check(r#"{"reason_key": "PAUSED_JUDGE_TIMEOUT"}"#, (0, None));
        check(r#"{"reason_key": "PAUSED_CRASH", "consecutive_count": 1}"#, (0, None));
        check(r#"{"consecutive_count": 1}"#, (0, None));
        assert_eq!(Streak::of(None), Streak::default());
    }

    #[test]
    fn a_count_has_no_end() {
        let streak = Streak { count: u32::MAX, key: Some(TimeoutKey::Coder) };
        assert_eq!(streak.with_timeout(Role::Coder).count, u32::MAX);
        assert_eq!(streak.with_timeout(Role::Judge).count, 1);
    }
}
