//! Which changes of a task a person is told about, and how a full outbox is sent within its rate.

use provost_kernel::{
    Message, Text, Timestamp,
    notify::{Fingerprint, FingerprintParts, Notice, NoticeKind},
    task::{
        AttemptDecided, Creation, DecisionRecord, EventKind, EventLine, PauseCode, State,
        StateChanged,
    },
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    attempts::{AttemptCount, Attempts},
    reasons,
};

/// What a notice of a budget has in the place of a pause code.
const BUDGET: &str = "BUDGET_80";
/// So many reasons are told; the page has the rest.
const REASONS: usize = 3;

/// The notices of a task's events behind one of them. All events are given, because what was used up
/// before counts, too.
pub fn notices(events: &[EventLine], after: u64) -> Vec<Notice> {
    let creation = Creation::of(events);
    let mut used = Used::default();
    let mut notices = Vec::new();
    for event in events {
        used.take(event);
        let is_new = event.value.seq > after;
        let made = notice(event).filter(|_| is_new).map(|it| used.counted(it));
        notices.extend(made.map(|it| Notice { creation: creation.clone(), ..it }));
    }
    notices
}

/// The attempts that the events up to now used up.
#[derive(Debug, Default)]
struct Used {
    count: u16,
    /// The one that was used up last.
    newest: Option<u16>,
}

impl Used {
    fn take(&mut self, event: &EventLine) {
        if event.value.kind == EventKind::TaskReset {
            *self = Self::default();
        }
        if event.value.kind != EventKind::AttemptDecided {
            return;
        }
        if detail::<AttemptDecided>(event).is_some_and(|it| it.consume_attempt) {
            self.count = self.count.saturating_add(1);
            self.newest = Some(event.value.attempt);
        }
    }

    fn counted(&self, notice: Notice) -> Notice {
        let count = AttemptCount::of(Attempts {
            newest: notice.attempt,
            used: self.count,
            is_newest_used: self.newest == Some(notice.attempt),
            limit: notice.max_attempts,
        });
        Notice { count: Some(count.count), ..notice }
    }
}

/// A notice with what spoke against its attempt, if the record is the one of this very end.
#[must_use]
pub fn with_reasons(mut notice: Notice, record: &DecisionRecord) -> Notice {
    let decision = &record.decision;
    let is_end = matches!(notice.kind, NoticeKind::Failed | NoticeKind::Paused)
        && Some(decision.next_state) == notice.state
        && decision.pause_reason_code == notice.pause_reason_code;
    if is_end {
        let is_new = |it: &Text| *it != notice.message && !notice.questions.contains(it);
        let all = reasons::of(record).into_iter().chain(reasons::of_question(record));
        notice.reasons = all.filter(is_new).take(REASONS).collect();
    }
    notice
}

/// The notice that an event makes; none for what a person need not know.
///
/// An event of an earlier version does not say which state it led to, and makes none.
fn notice(event: &EventLine) -> Option<Notice> {
    match event.value.kind {
        EventKind::StateChanged => of_change(event),
        EventKind::BudgetNearlySpent => of_budget(event),
        EventKind::TaskCreated
        | EventKind::AttemptStarted
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
        | EventKind::AttemptDecided
        | EventKind::LockStaleCleared
        | EventKind::StrayProcessesEnded
        | EventKind::CoordinatorCrashed
        | EventKind::TaskReset
        | EventKind::UserInputReceived
        | EventKind::PolicyChecked
        | EventKind::JudgeRetried
        | EventKind::DecisionLowered
        | EventKind::OrderApplied
        | EventKind::OrderRefused
        | EventKind::OverridesChanged
        | EventKind::ReviewRecorded
        | EventKind::Landed
        | EventKind::LandingUndone
        | EventKind::LandingGivenUp
        | EventKind::BudgetReached
        | EventKind::QuotaWaited
        | EventKind::WorkSaved
        | EventKind::WorkContinued
        | EventKind::SessionContinued
        | EventKind::SessionDropped
        | EventKind::WorkMerged
        | EventKind::CoderSkipped
        | EventKind::StateQuarantined => None,
    }
}

fn of_change(event: &EventLine) -> Option<Notice> {
    let change: StateChanged = detail(event)?;
    let kind = match (change.state, change.pause_reason_code) {
        // A person who pauses a task knows of it.
        (State::Running, _) | (State::Paused, Some(PauseCode::User)) => return None,
        (State::Paused, _) => NoticeKind::Paused,
        (State::ReadyForReview, _) => NoticeKind::Ready,
        (State::Failed, _) => NoticeKind::Failed,
    };
    let code = change.pause_reason_code.map_or("", |it| it.as_str());
    Some(whole(event, kind, code, change))
}

fn of_budget(event: &EventLine) -> Option<Notice> {
    Some(whole(event, NoticeKind::Budget, BUDGET, detail(event)?))
}

fn whole(event: &EventLine, kind: NoticeKind, code: &str, change: StateChanged) -> Notice {
    let task_id = event.value.task_id.clone();
    let attempt = event.value.attempt;
    let state_version = event.rest.get("state_version").and_then(Value::as_u64).unwrap_or_default();
    let fingerprint = Fingerprint::of(FingerprintParts {
        task_id: task_id.as_str(),
        state: change.state.as_str(),
        pause_reason_code: code,
        last_decision: change.last_decision.map_or("", |it| it.as_str()),
        attempt,
        state_version,
    });
    Notice {
        fingerprint,
        kind,
        at: event.value.ts,
        task_id: Some(task_id),
        creation: None,
        state: Some(change.state),
        pause_reason_code: change.pause_reason_code,
        last_decision: change.last_decision,
        attempt,
        count: None,
        max_attempts: change.effective_max_attempts,
        state_version,
        message: change.message,
        reasons: Vec::new(),
        questions: change.questions,
    }
}

/// What the event's kind says besides; none where another version wrote it.
fn detail<T: DeserializeOwned>(event: &EventLine) -> Option<T> {
    serde_json::from_value(Value::Object(event.rest.clone())).ok()
}

/// Why the guard refused a call that it could not judge.
#[derive(Debug, Message)]
#[message(
    code = "notice.guard_failure",
    en = "the guard could not read a tool call and refused it (`{error}`); `provost guard test` says whether the client or the guard is at fault",
    zh = "守卫无法读取某次工具调用，因此予以拒绝（`{error}`）；`provost guard test` 会说明问题出在客户端还是守卫"
)]
struct GuardFailure {
    error: String,
}

/// The notice of a tool call that the guard refused because it could not judge it.
pub fn guard_failure(seq: u64, at: Timestamp, error: &str) -> Notice {
    let message = GuardFailure { error: error.to_owned() }.text();
    Notice::of_project(NoticeKind::Guard, at, ("GUARD", error, seq), message)
}

/// What one message carries: a notice by its place in the outbox, or all from one place on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parcel {
    One(usize),
    /// A digest of all from this place on.
    From(usize),
}

/// How `pending` notices are sent with so many messages: one by one while there are enough, and the
/// rest in one digest with the last message.
pub fn parcels(pending: usize, messages: u64) -> Vec<Parcel> {
    let messages = usize::try_from(messages).unwrap_or(usize::MAX);
    if pending <= messages {
        return (0..pending).map(Parcel::One).collect();
    }
    let Some(singles) = messages.checked_sub(1) else { return Vec::new() };
    (0..singles).map(Parcel::One).chain([Parcel::From(singles)]).collect()
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        TaskId,
        task::{ErrorClass, Note, Role, Status, VerdictDecision},
    };
    use serde_json::json;

    use super::*;
    use crate::{
        decision::decide,
        facts::{self, Judgement},
        score::Because,
    };

    fn event(kind: EventKind, status: &Status) -> EventLine {
        let note = Note::new(kind, "").with(&StateChanged::of(status));
        let mut line = note.line(&status.task_id, status.current_attempt, Timestamp::EPOCH);
        line.rest.insert("state_version".to_owned(), status.state_version.into());
        line
    }

    fn status(state: State, code: Option<PauseCode>) -> Status {
        let task: TaskId = "t1".parse().unwrap();
        let mut status = Status::new(task, Timestamp::EPOCH, 3);
        status.state = state;
        status.pause_reason_code = code;
        status.current_attempt = 2;
        status.last_decision = Some(VerdictDecision::Fail);
        status.state_version = 7;
        status.set_message(&Text::verbatim("why"));
        status
    }

    #[track_caller]
    fn check(state: State, code: Option<PauseCode>, expected: Option<NoticeKind>) {
        let made = notice(&event(EventKind::StateChanged, &status(state, code)));
        assert_eq!(made.map(|it| it.kind), expected, "{state} {code:?}");
    }

    #[test]
    fn every_end_and_every_pause_that_needs_a_person_is_told() {
        check(State::Running, None, None);
        check(State::ReadyForReview, None, Some(NoticeKind::Ready));
        check(State::Failed, None, Some(NoticeKind::Failed));
        for &code in PauseCode::ALL {
            let expected = (code != PauseCode::User).then_some(NoticeKind::Paused);
            check(State::Paused, Some(code), expected);
        }
    }

    #[test]
    fn a_notice_says_what_the_event_says() {
        let status = status(State::Paused, Some(PauseCode::Budget));
        let made = notice(&event(EventKind::StateChanged, &status)).unwrap();
        assert_eq!(made.message, Text::verbatim("why"));
        assert_eq!((made.attempt, made.max_attempts, made.state_version), (2, 3, 7));
        let budget = notice(&event(EventKind::BudgetNearlySpent, &status)).unwrap();
        assert_eq!(budget.kind, NoticeKind::Budget);
        assert_ne!(budget.fingerprint, made.fingerprint);
        // One of an earlier version says only that something changed.
        let mut old = event(EventKind::StateChanged, &status);
        old.rest.clear();
        assert_eq!(notice(&old), None);
    }

    /// What a card counts by the status, a notice counts by the events.
    #[test]
    fn a_notice_counts_as_the_cards_do() {
        let line = |seq, attempt, kind, rest: Value| {
            let mut line = event(kind, &status(State::Running, None));
            (line.value.seq, line.value.attempt) = (seq, attempt);
            if let Value::Object(rest) = rest {
                line.rest.extend(rest);
            }
            line
        };
        let decided = |seq, attempt, is_used: bool| {
            let rest = json!({
                "decision": "FAIL", "next_state": "RUNNING", "pause_reason_code": null,
                "effective_max_attempts": 3, "current_attempt": 1, "consume_attempt": is_used,
                "row": "fail-next-attempt",
            });
            line(seq, attempt, EventKind::AttemptDecided, rest)
        };
        let paused = |seq, attempt| {
            let rest = json!({"state": "PAUSED", "pause_reason_code": "PAUSED_CRASH"});
            line(seq, attempt, EventKind::StateChanged, rest)
        };
        let events = [
            paused(1, 0),
            paused(2, 1),
            decided(3, 1, false),
            paused(4, 2),
            decided(5, 2, true),
            paused(6, 2),
            paused(7, 3),
            line(8, 0, EventKind::TaskReset, Value::Null),
            paused(9, 0),
            paused(10, 4),
        ];
        let counts = |after| -> Vec<Option<u16>> {
            notices(&events, after).into_iter().map(|it| it.count).collect()
        };
        assert_eq!(counts(0), [0, 1, 1, 1, 2, 0, 1].map(Some));
        assert_eq!(counts(6), [2, 0, 1].map(Some));
    }

    #[test]
    fn a_failure_says_what_spoke_against_it() {
        let failed = status(State::Failed, None);
        let facts = facts::of_step(&failed, Role::Judge, 0, ErrorClass::None);
        let mut record = DecisionRecord {
            task_id: failed.task_id.clone(),
            attempt: 2,
            decided_at: Timestamp::EPOCH,
            decision: decide(&facts),
            facts,
            judge_decision: None,
            against: vec![Because::TestFailed { rc: 1 }.text()],
            reasons: ["why", "one", "two", "three"].map(str::to_owned).to_vec(),
            next_instructions: String::new(),
            findings: Vec::new(),
            checks: Vec::new(),
        };
        (record.decision.next_state, record.decision.pause_reason_code) = (State::Failed, None);
        let made = notice(&event(EventKind::StateChanged, &failed)).unwrap();
        let told = with_reasons(made.clone(), &record).reasons;
        let failed = Because::TestFailed { rc: 1 }.text();
        assert_eq!(told, [failed, Text::from("one"), Text::from("two")]);
        // That of an attempt which went on is another end.
        record.decision.next_state = State::Running;
        assert_eq!(with_reasons(made, &record).reasons, Vec::<Text>::new());
    }

    #[test]
    fn a_question_says_why_it_is_asked() {
        let mut asked = status(State::Paused, Some(PauseCode::WaitingUserInput));
        asked.set_questions(&[Text::verbatim("Which port?")]);
        let judged = Judgement {
            decision: VerdictDecision::NeedUserInput,
            gated: false,
            thresholds_pass: true,
            questions_for_user: vec!["Which port?".to_owned()],
        };
        let facts = facts::of_verdict(&asked, judged);
        let record = DecisionRecord {
            task_id: asked.task_id.clone(),
            attempt: 2,
            decided_at: Timestamp::EPOCH,
            decision: decide(&facts),
            facts,
            judge_decision: Some(VerdictDecision::NeedUserInput),
            against: Vec::new(),
            reasons: ["Which port?", "the goal names no port"].map(str::to_owned).to_vec(),
            next_instructions: String::new(),
            findings: Vec::new(),
            checks: Vec::new(),
        };
        let made = notice(&event(EventKind::StateChanged, &asked)).unwrap();
        assert_eq!(with_reasons(made, &record).reasons, [Text::from("the goal names no port")]);
    }

    #[test]
    fn two_failures_of_the_guard_are_two_notices() {
        let of = |seq| guard_failure(seq, Timestamp::EPOCH, "invalid_json").fingerprint;
        assert_ne!(of(1), of(2));
        assert_eq!(of(1), of(1));
        let text = guard_failure(1, Timestamp::EPOCH, "invalid_json").message;
        assert_eq!(json!(text)["code"], "notice.guard_failure");
    }

    /// LOOP-A16: what is over the limit is folded, and nothing is left out.
    #[test]
    fn what_is_over_the_limit_is_one_digest() {
        use Parcel::{From, One};
        for (pending, messages, expected) in [
            (0, 5, vec![]),
            (3, 0, vec![]),
            (2, 5, vec![One(0), One(1)]),
            (5, 5, vec![One(0), One(1), One(2), One(3), One(4)]),
            (6, 5, vec![One(0), One(1), One(2), One(3), From(4)]),
            (500, 1, vec![From(0)]),
            (1, 1, vec![One(0)]),
        ] {
            assert_eq!(parcels(pending, messages), expected, "{pending} with {messages}");
        }
    }
}
