//! What a decision makes of a status: the only way from one to the next.

use provost_kernel::{
    AttemptNumber, Exit, Message, Text, Timestamp,
    task::{
        Decision, ErrorClass, EventKind, Facts, IndexEntry, Note, PauseCode, ReviewOutcome, Role,
        Row, State, Status, TaskSpec, Terms, TimeoutKey, Transition,
    },
};
use serde_json::json;

use super::{attempts, decision::decide, facts, timeouts::Streak};

/// What a status says between decisions.
#[derive(Debug, Message)]
#[message(code = "task.status")]
pub enum StatusMessage {
    #[message(en = "attempt {attempt} is running", zh = "第 {attempt} 次尝试正在运行")]
    Running { attempt: u16 },
    #[message(en = "waits for its turn", zh = "排队等待开始")]
    Queued,
    #[message(en = "the task was resumed", zh = "任务已恢复运行")]
    Resumed,
    #[message(
        en = "the task was reset: attempts are counted from 1 again",
        zh = "任务已重置：重新计算尝试次数"
    )]
    Reset,
    #[message(en = "{message}: {detail}", zh = "{message}：{detail}")]
    Detailed { message: Text, detail: Text },
}

/// How a crash ended the coordinator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashSignal {
    pub signal_or_rc: Option<i32>,
    pub name: Option<String>,
}

/// The status after a decision.
///
/// The version grows by one, whatever else changes; a transition is there for every decision, so
/// that what is paused or failed always says how it came there (LOOP-B15).
#[must_use]
pub fn after(before: &Status, decision: &Decision, facts: &Facts, at: Timestamp) -> Status {
    let (message, message_code, message_args) = decision.message.to_parts();
    let streak = Streak::of(before.last_transition.as_ref()).after(decision.row, facts.role);
    let code = decision.pause_reason_code;
    let mut status = Status {
        state: decision.next_state,
        state_version: before.state_version.saturating_add(1),
        updated_at: at,
        queued: false,
        attempts_consumed: attempts::consumed_after(before.attempts_consumed, decision),
        pause_flag: code == Some(PauseCode::User),
        last_decision: Some(decision.last_decision),
        pause_reason_code: code,
        pause_category: code.map(PauseCode::category),
        last_transition: Some(Transition {
            row: Some(decision.row),
            reason_key: reason_key(decision, facts),
            reason_code: code,
            consume_attempt: decision.consume_attempt,
            previous_state: Some(before.state),
            triggered_at: Some(at),
            attempt: Some(before.current_attempt),
            consecutive_count: streak.count,
            timeout_key: streak.key,
            message,
            message_code,
            message_args,
            signal_or_rc: None,
            signal_name: None,
        }),
        ..before.clone()
    };
    status.set_message(&decision.message);
    status.set_questions(&decision.questions_for_user);
    status
}

/// Adds to the message of a status what happened exactly.
pub fn add_detail(status: &mut Status, detail: Text) {
    let message = StatusMessage::Detailed { message: status.text(), detail };
    status.set_message(&message.text());
}

/// The status of a new task that waits for its turn.
#[must_use]
pub fn queued(new: &Status) -> Status {
    let mut status = Status { queued: true, ..new.clone() };
    status.set_message(&StatusMessage::Queued.text());
    status
}

/// Whether a task goes on by itself when somebody lets everything go on that waits: one that has
/// not begun, was interrupted, or waited for a quota. A person has to do with all others.
pub fn goes_on(status: &Status) -> bool {
    let code = status.pause_reason_code;
    status.is_queued()
        || (status.state == State::Paused
            && matches!(code, Some(PauseCode::Crash | PauseCode::Quota)))
}

/// The status of a task whose attempt starts.
///
/// How it came to the state before stays: it counts the timeouts in a row.
#[must_use]
pub fn started(
    before: &Status,
    attempt: AttemptNumber,
    effective_max: u16,
    at: Timestamp,
) -> Status {
    let number = attempt.get();
    let mut status = Status {
        state: State::Running,
        state_version: before.state_version.saturating_add(1),
        updated_at: at,
        queued: false,
        current_attempt: number,
        effective_max_attempts: effective_max,
        pause_flag: false,
        pause_reason_code: None,
        pause_category: None,
        // An approval was one of the result before. A rejection is still to be told.
        review: before.review.clone().filter(|it| it.outcome == ReviewOutcome::Rejected),
        terms: before.terms.map(|it| Terms { of_attempt: it.now, ..it }),
        ..before.clone()
    };
    status.set_message(&StatusMessage::Running { attempt: number }.text());
    status.set_questions(&[]);
    status
}

/// The status of a task that a person ordered to go on, before its next attempt starts.
///
/// The version stays: the order itself was the step.
#[must_use]
pub fn resumed(ordered: &Status) -> Status {
    let mut status = Status {
        state: State::Running,
        queued: false,
        pause_flag: false,
        pause_reason_code: None,
        pause_category: None,
        ..ordered.clone()
    };
    status.set_message(&StatusMessage::Resumed.text());
    status.set_questions(&[]);
    status
}

/// The status of a task whose coordinator is gone, by a signal or without a word, and the event
/// that says so.
#[must_use]
pub fn crashed(before: &Status, signal: CrashSignal, at: Timestamp) -> (Status, Vec<Note>) {
    let facts = facts::of_step(before, Role::Coordinator, 0, ErrorClass::Crash);
    let decision = decide(&facts);
    let code = decision.pause_reason_code.map_or("", PauseCode::as_str);
    let name = signal.name.as_deref().unwrap_or("unknown");
    let crash =
        Note::new(EventKind::CoordinatorCrashed, format!("{code} by {name}")).with(&json!({
            "code": code,
            "signal": signal.name,
            "rc": signal.signal_or_rc,
        }));
    let state = Note::new(EventKind::StateChanged, code);
    let status = with_crash(after(before, &decision, &facts, at), signal);
    (status, vec![crash, state])
}

/// The status of a task whose own file cannot be read: what can be found out elsewhere, and a
/// pause. The version does not go back behind what the index has seen.
#[must_use]
pub fn rebuilt(
    spec: &TaskSpec,
    index: Option<&IndexEntry>,
    newest_attempt: Option<AttemptNumber>,
    consumed: u16,
    at: Timestamp,
) -> (Status, Vec<Note>) {
    let empty = Status::new(spec.task_id.clone(), at, spec.max_attempts);
    let known = Status {
        state_version: index.map_or(0, |it| it.state_version),
        current_attempt: newest_attempt.map_or(0, AttemptNumber::get),
        effective_max_attempts: index
            .map_or(spec.max_attempts, |it| it.effective_max_attempts.max(1)),
        attempts_consumed: consumed,
        ..empty
    };
    let name = Some("status.json unreadable".to_owned());
    crashed(&known, CrashSignal { signal_or_rc: None, name }, at)
}

/// Adds to a status how the coordinator ended.
#[must_use]
fn with_crash(status: Status, signal: CrashSignal) -> Status {
    let transition = status.last_transition.map(|it| Transition {
        signal_or_rc: signal.signal_or_rc,
        signal_name: signal.name,
        ..it
    });
    Status { last_transition: transition, ..status }
}

/// The code of a pause as a key; a failure by timeouts keeps that of the timeout.
fn reason_key(decision: &Decision, facts: &Facts) -> Option<String> {
    match (decision.pause_reason_code, decision.row) {
        (Some(code), _) => Some(code.as_str().to_owned()),
        (None, Row::TimeoutTwice) => Some(TimeoutKey::of(facts.role).as_str().to_owned()),
        (None, _) => None,
    }
}

/// What the state of a task means to a script.
pub fn exit(state: State, code: Option<PauseCode>) -> Exit {
    match (state, code) {
        (State::Running | State::ReadyForReview, _) => Exit::Success,
        (State::Failed, _) => Exit::Refused,
        (State::Paused, Some(PauseCode::Quota)) => Exit::Quota,
        (State::Paused, Some(PauseCode::TaskIdConflict)) => Exit::Conflict,
        (State::Paused, _) => Exit::Paused,
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Lang,
        task::{ErrorClass, Role, VerdictDecision},
    };

    use super::*;
    use crate::decision::decide;

    /// A status reads whole in either language; a text of an earlier version is shown as it is.
    #[test]
    fn a_reader_gets_the_message_in_their_language() {
        let before = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        let facts = facts::of_step(&before, Role::Coordinator, 0, ErrorClass::User);
        let mut status = after(&before, &decide(&facts), &facts, Timestamp::EPOCH);
        add_detail(&mut status, "before the attempt".into());
        let stored = serde_json::to_string(&status).unwrap();
        let mut status: Status = serde_json::from_str(&stored).unwrap();
        assert_eq!(status.message, "a person paused the task: before the attempt");
        assert_eq!(Lang::Zh.render(&status.text()), "任务已由人工暂停：before the attempt");
        assert_eq!(Lang::Zh.render(&status.questions()[0]), "是否继续？（`provost resume ID`）");
        let mut shown = serde_json::to_value(&status).unwrap();
        Lang::Zh.localize(&mut shown);
        assert_eq!(shown["questions_for_user"][0], "是否继续？（`provost resume ID`）");

        status.message = "a text of an earlier version".to_owned();
        status.message_code = None;
        assert_eq!(Lang::Zh.render(&status.text()), "a text of an earlier version");
        status.questions_for_user_codes.clear();
        assert_eq!(Lang::Zh.render(&status.questions()[0]), "Go on? (`provost resume ID`)");
    }

    fn facts(role: Role, class: ErrorClass) -> Facts {
        Facts {
            role,
            rc: 0,
            error_class: class,
            verdict_decision: Some(VerdictDecision::Pass),
            verdict_gated: false,
            thresholds_pass: true,
            current_attempt: 1,
            effective_max_attempts: 3,
            consecutive_timeout_count: 0,
            consecutive_timeout_key: None,
            questions_for_user: vec!["which port?".to_owned()],
        }
    }

    fn fresh() -> Status {
        let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        status.current_attempt = 7;
        status
    }

    fn step(status: &Status, facts: &Facts) -> Status {
        after(status, &decide(facts), facts, "2026-01-02T03:04:05Z".parse().unwrap())
    }

    #[test]
    fn what_waits_for_its_turn_goes_on_and_what_a_person_paused_does_not() {
        let new = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        let waits = queued(&new);
        assert!(waits.is_queued() && !waits.is_driven() && goes_on(&waits));
        assert!(!new.is_queued() && new.is_driven() && !goes_on(&new));
        let begun = started(&waits, AttemptNumber::FIRST, 3, Timestamp::EPOCH);
        assert!(begun.is_driven() && !goes_on(&begun));
        for (class, expected) in [
            (ErrorClass::Crash, true),
            (ErrorClass::Quota, true),
            (ErrorClass::User, false),
            (ErrorClass::CoderFailed, false),
            (ErrorClass::Budget, false),
        ] {
            let paused = step(&waits, &facts(Role::Coordinator, class));
            assert_eq!(goes_on(&paused), expected, "{class:?}");
            assert!(!paused.queued && resumed(&paused).is_driven());
        }
    }

    /// LOOP-B15: a paused task says how it came there; `state_version` grows at every write.
    #[test]
    fn a_status_says_how_it_came_there() {
        let paused = step(&fresh(), &facts(Role::Coordinator, ErrorClass::User));
        assert_eq!((paused.state, paused.state_version), (State::Paused, 2));
        assert!(paused.pause_flag);
        assert_eq!(paused.pause_reason_code, Some(PauseCode::User));
        assert_eq!(paused.pause_category, Some(PauseCode::User.category()));
        assert_eq!(paused.updated_at.to_string(), "2026-01-02T03:04:05Z");
        assert_eq!(paused.questions_for_user, ["Go on? (`provost resume ID`)"]);
        assert_eq!(paused.attempts_consumed, 0);
        let transition = paused.last_transition.clone().unwrap();
        assert_eq!(transition.row, Some(Row::User));
        assert_eq!(transition.reason_key.as_deref(), Some("PAUSED_USER"));
        assert_eq!(transition.previous_state, Some(State::Running));
        assert_eq!(transition.attempt, Some(7));
        assert_eq!(transition.message, paused.message);

        let ready = step(&paused, &facts(Role::Judge, ErrorClass::None));
        assert_eq!((ready.state, ready.state_version), (State::ReadyForReview, 3));
        assert!(!ready.pause_flag);
        assert_eq!((ready.pause_reason_code, ready.pause_category), (None, None));
        assert!(ready.questions_for_user.is_empty());
        assert_eq!(ready.last_decision, Some(VerdictDecision::Pass));
        assert_eq!(ready.last_transition.unwrap().reason_key, None);
    }

    #[test]
    fn what_consumes_is_counted() {
        let failed = step(&fresh(), &facts(Role::Coder, ErrorClass::CoderFailed));
        assert_eq!(failed.attempts_consumed, 1);
        let again = step(&failed, &facts(Role::Coder, ErrorClass::CoderFailed));
        assert_eq!(again.attempts_consumed, 2);
        assert!(again.last_transition.unwrap().consume_attempt);
    }

    /// LOOP-B13 and LOOP-B15: the streak is in the status, and a failure has its transition.
    #[test]
    fn timeouts_are_counted_in_the_status() {
        let timeout = |status: &Status| {
            let streak = Streak::of(status.last_transition.as_ref()).with_timeout(Role::Judge);
            let facts = Facts {
                consecutive_timeout_count: streak.count,
                consecutive_timeout_key: streak.key,
                ..facts(Role::Judge, ErrorClass::Timeout)
            };
            step(status, &facts)
        };
        let once = timeout(&fresh());
        assert_eq!(once.state, State::Paused);
        // The file is all that a new process knows.
        let file = serde_json::to_string(&once).unwrap();
        let twice = timeout(&serde_json::from_str(&file).unwrap());
        assert_eq!(twice.state, State::Failed);
        let transition = twice.last_transition.unwrap();
        assert_eq!(transition.reason_key.as_deref(), Some("judge_timeout"));
        assert_eq!((transition.consecutive_count, transition.reason_code), (2, None));
    }

    #[test]
    fn a_crash_says_what_ended_it() {
        let crashed = step(&fresh(), &facts(Role::Coordinator, ErrorClass::Crash));
        let signal = CrashSignal { signal_or_rc: Some(143), name: Some("SIGTERM".to_owned()) };
        let transition = with_crash(crashed, signal).last_transition.unwrap();
        assert_eq!(transition.signal_or_rc, Some(143));
        assert_eq!(transition.signal_name.as_deref(), Some("SIGTERM"));
        assert_eq!(transition.reason_code, Some(PauseCode::Crash));
    }

    #[test]
    fn a_state_has_its_exit_code() {
        for (state, code, expected) in [
            (State::ReadyForReview, None, Exit::Success),
            (State::Running, None, Exit::Success),
            (State::Failed, None, Exit::Refused),
            (State::Paused, Some(PauseCode::Crash), Exit::Paused),
            (State::Paused, None, Exit::Paused),
            (State::Paused, Some(PauseCode::Quota), Exit::Quota),
            (State::Paused, Some(PauseCode::TaskIdConflict), Exit::Conflict),
        ] {
            assert_eq!(exit(state, code), expected, "{state} {code:?}");
        }
    }
}
