//! What an order makes of a status, where no process is needed to carry it out.

use provost_kernel::{
    Message, RecordFile, Timestamp,
    task::{
        Acceptance, ErrorClass, EventKind, Note, Order, OrderRecord, OverrideVersion, PauseCode,
        Review, ReviewOutcome, Role, Status, TaskSpec, Terms, Transition, UserInputReceived,
    },
};
use serde_json::{Map, Value, json};

use super::{OrderError, check};
use crate::{
    attempts,
    decision::decide,
    edit::{EditError, edited, terms},
    facts, landing,
    moved::review_word,
    overrides,
    status::{self, StatusMessage},
};

/// What became of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It took effect.
    Done { status: Box<Status>, notes: Vec<Note> },
    /// The task does not take it now; only the queue moves on.
    Refused { status: Box<Status>, error: OrderError, notes: Vec<Note> },
    /// Only a coordinator can carry it out: it starts or stops work.
    Coordinator,
}

/// Applies an order to a status.
///
/// The version grows by one with every order, and the queue moves on.
///
/// `spec` is the one that the task was made from.
pub fn apply(
    before: &Status,
    record: &OrderRecord,
    spec: &RecordFile<TaskSpec>,
    at: Timestamp,
) -> Applied {
    let landing = match check(&record.order, before) {
        Ok(()) => landing::ordered(before, record),
        Err(error) => Err(error),
    };
    let landing = match landing {
        Ok(landing) => landing,
        Err(error) => return refused(before, record, error, at),
    };
    let mut after = moved_on(before, record, at);
    let mut notes = vec![note(EventKind::OrderApplied, record)];
    match &record.order {
        // One that has not begun needs no coordinator to stand still.
        Order::Pause | Order::PauseNow if before.is_queued() => {
            let facts = facts::of_step(before, Role::Coordinator, 0, ErrorClass::User);
            // One write, one version.
            let state_version = after.state_version;
            after = status::after(&after, &decide(&facts), &facts, at);
            after.state_version = state_version;
            notes.push(Note::new(EventKind::StateChanged, PauseCode::User.as_str()));
        }
        Order::Pause | Order::PauseNow | Order::Resume | Order::Rerun { .. } | Order::Rejudge => {
            return Applied::Coordinator;
        }
        Order::Reset => {
            after = reset(&after, at);
            notes.push(Note::new(EventKind::TaskReset, "attempts are counted anew"));
        }
        Order::Edit { instruction } => after.next_instruction = Some(instruction.clone()),
        // What was said is told to the next attempt.
        Order::Answer { text } => notes.push(received(record, text)),
        Order::Override { .. } | Order::Set { .. } | Order::Rollback { .. } => {
            let overrides =
                record.resolved.as_ref().map(|it| it.overrides.clone()).unwrap_or_default();
            after.effective_max_attempts = attempts::effective_max(&spec.value, &overrides);
            if let Err(error) = edit(before, &mut after, spec, overrides.fields) {
                return refused(before, record, OrderError::Edit(error), at);
            }
            let detail = json!({
                "effective_max_attempts": after.effective_max_attempts,
                "version": record.resolved.as_ref().map(|it| it.version),
            });
            notes.push(Note::new(EventKind::OverridesChanged, "").with(&detail));
        }
        Order::Approve => after.review = Some(review(before, record, ReviewOutcome::Approved)),
        Order::Reject { .. } => {
            after.review = Some(review(before, record, ReviewOutcome::Rejected));
        }
        Order::Land { .. } | Order::UndoLand { .. } => after.landed = landing,
        Order::Accept { finding, because, attempt, digest } => {
            after.accepted.push(Acceptance {
                finding: finding.clone(),
                because: because.clone(),
                actor: record.actor.clone(),
                accepted_at: record.created_at,
                attempt: *attempt,
                digest: *digest,
            });
        }
    }
    if let Some(review) = &after.review
        && before.review.as_ref() != Some(review)
    {
        notes.push(Note::new(EventKind::ReviewRecorded, review_word(review.outcome)));
    }
    Applied::Done { status: Box::new(after), notes }
}

/// Changes the spec, and remembers what the newest attempt was asked for.
fn edit(
    before: &Status,
    after: &mut Status,
    spec: &RecordFile<TaskSpec>,
    fields: Map<String, Value>,
) -> Result<(), EditError> {
    if fields == before.edited {
        return Ok(());
    }
    let was = terms(&edited(spec, &before.edited)?.value);
    let now = terms(&edited(spec, &fields)?.value);
    let of_attempt = before.terms.map_or(was, |it| it.of_attempt);
    after.terms = Some(Terms { now, of_attempt });
    after.edited = fields;
    Ok(())
}

fn refused(before: &Status, record: &OrderRecord, error: OrderError, at: Timestamp) -> Applied {
    let reason = error.to_string();
    let note = note(EventKind::OrderRefused, record).with(&json!({ "reason": reason }));
    let status = Box::new(moved_on(before, record, at));
    Applied::Refused { status, error, notes: vec![note] }
}

/// The status after an order was looked at, whatever became of it.
pub fn moved_on(before: &Status, record: &OrderRecord, at: Timestamp) -> Status {
    Status {
        state_version: before.state_version.saturating_add(1),
        updated_at: at,
        last_order_seq_applied: before.last_order_seq_applied.max(record.seq),
        ..before.clone()
    }
}

/// The status after an order for a coordinator that never came: only the queue moves on, because
/// whatever waits behind it would wait for ever.
pub fn expired(before: &Status, record: &OrderRecord, at: Timestamp) -> (Status, Vec<Note>) {
    let note = note(EventKind::OrderRefused, record);
    let note = note.with(&json!({ "reason": "nobody carried it out" }));
    (moved_on(before, record, at), vec![note])
}

/// The event of an order: what it was and who gave it, without its text.
pub fn note(kind: EventKind, record: &OrderRecord) -> Note {
    Note::new(kind, record.order.action()).with(&json!({
        "order": record.seq,
        "source": record.actor.source,
        "author": record.actor.id,
        "request_id": record.request_id,
    }))
}

/// That somebody spoke to the agent. The text itself stands in its own file.
fn received(record: &OrderRecord, text: &str) -> Note {
    let detail = UserInputReceived {
        source: record.actor.source,
        author: record.actor.id.clone(),
        len: text.chars().count(),
        request_id: record.request_id.clone(),
    };
    Note::new(EventKind::UserInputReceived, "").with(&detail)
}

/// Counts from zero again. What was decided before stays on record in the attempts.
fn reset(status: &Status, at: Timestamp) -> Status {
    let facts = facts::of_step(status, Role::Coordinator, 0, ErrorClass::User);
    let decision = decide(&facts);
    let after = status::after(status, &decision, &facts, at);
    let message = StatusMessage::Reset.text();
    let (text, message_code, message_args) = message.to_parts();
    let last_transition = after.last_transition.map(|it| Transition {
        message: text,
        message_code,
        message_args,
        // Timeouts are counted anew, too.
        consecutive_count: 0,
        timeout_key: None,
        ..it
    });
    let mut after = Status {
        last_transition,
        // One write, one version.
        state_version: status.state_version,
        current_attempt: 0,
        attempts_consumed: 0,
        next_instruction: None,
        review: None,
        accepted: Vec::new(),
        verdict_summary: None,
        last_decision: None,
        ..after
    };
    after.set_message(&message);
    after
}

fn review(before: &Status, record: &OrderRecord, outcome: ReviewOutcome) -> Review {
    let because =
        if let Order::Reject { because } = &record.order { Some(because.clone()) } else { None };
    Review {
        outcome,
        actor: record.actor.clone(),
        reviewed_at: record.created_at,
        because,
        attempt: Some(before.current_attempt),
        request_id: record.request_id.clone(),
        blind: record.blind,
    }
}

/// The version of the overrides that an order makes; none for other orders.
pub fn resolve(
    record: &OrderRecord,
    history: &[OverrideVersion],
    limits: overrides::OverrideLimits<'_>,
) -> Result<Option<OverrideVersion>, overrides::OverrideError> {
    let Some(next) = overrides::ordered(&record.order, history, limits)? else { return Ok(None) };
    Ok(Some(OverrideVersion {
        version: next.version,
        task_id: record.task_id.clone(),
        overrides: next.overrides,
        request_id: record.request_id.clone(),
        updated_at: record.created_at,
        actor: record.actor.clone(),
        rolled_back_to: next.rolled_back_to,
    }))
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Actor, Source,
        task::{Overrides, PauseCode, State},
    };

    use super::*;

    fn record(seq: u64, order: Order) -> OrderRecord {
        let mut record = OrderRecord {
            seq,
            created_at: Timestamp::EPOCH,
            task_id: "t1".parse().unwrap(),
            order,
            request_id: None,
            actor: Actor { source: Source::Cli, id: "ann".to_owned() },
            seen: None,
            blind: false,
            resolved: None,
        };
        let spec = RecordFile::new(TaskSpec::new("t1".parse().unwrap()));
        let limits = overrides::OverrideLimits { spec: &spec, consumed: 0, has_begun: false };
        record.resolved = resolve(&record, &[], limits).unwrap_or_default();
        record
    }

    fn status(state: State) -> Status {
        let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        status.state = state;
        status.current_attempt = 2;
        status.attempts_consumed = 2;
        status.last_order_seq_applied = 4;
        status
    }

    #[track_caller]
    fn done(state: State, order: Order) -> Status {
        let spec = RecordFile::new(TaskSpec::new("t1".parse().unwrap()));
        match apply(&status(state), &record(5, order), &spec, Timestamp::EPOCH) {
            Applied::Done { status, notes } => {
                assert!(!notes.is_empty());
                assert_eq!(status.last_order_seq_applied, 5);
                assert_eq!(status.state_version, 2, "one order, one version");
                *status
            }
            other @ (Applied::Refused { .. } | Applied::Coordinator) => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_order_has_its_effect() {
        let edited = done(State::Paused, Order::Edit { instruction: "x".to_owned() });
        assert_eq!(edited.next_instruction.as_deref(), Some("x"));
        assert_eq!(edited.state, State::Paused);

        let more = Overrides::of_attempts(9);
        let overridden = done(State::Running, Order::Override { overrides: more });
        assert_eq!(overridden.effective_max_attempts, 9);

        let approved = done(State::ReadyForReview, Order::Approve);
        let review = approved.review.unwrap();
        assert_eq!((review.outcome, review.attempt), (ReviewOutcome::Approved, Some(2)));
        assert_eq!(approved.state, State::ReadyForReview, "a review changes no state");

        let rejected = done(State::Failed, Order::Reject { because: "no".to_owned() });
        assert_eq!(rejected.review.unwrap().because.as_deref(), Some("no"));

        let reset = done(State::Failed, Order::Reset);
        assert_eq!((reset.state, reset.pause_reason_code), (State::Paused, Some(PauseCode::User)));
        assert_eq!((reset.current_attempt, reset.attempts_consumed), (0, 0));
        assert!(reset.last_transition.is_some() && !reset.questions_for_user.is_empty());

        let answered = done(State::Paused, Order::Answer { text: "blue".to_owned() });
        assert_eq!(answered.state, State::Paused);
    }

    /// Ruling 74: a result that was proven for another goal is stale, until the edit is taken back.
    #[test]
    fn an_edit_makes_a_result_stale() {
        let spec = RecordFile::new(TaskSpec::new("t1".parse().unwrap()));
        let with = |before: &Status, change: &str| {
            let changes = vec![crate::edit::parse(change).unwrap()];
            let mut record = record(5, Order::Set { changes });
            let limits = overrides::OverrideLimits::of(&spec, before);
            record.resolved = resolve(&record, &[], limits).unwrap();
            match apply(before, &record, &spec, Timestamp::EPOCH) {
                Applied::Done { status, .. } => *status,
                other @ (Applied::Refused { .. } | Applied::Coordinator) => panic!("{other:?}"),
            }
        };
        let ready = status(State::ReadyForReview);
        let cheaper = with(&ready, "budget.usd=1");
        assert!(!cheaper.is_stale() && !cheaper.edited.is_empty());
        let other = with(&ready, "goal=another");
        assert!(other.is_stale());
        let error = check(&Order::Approve, &other).unwrap_err();
        assert_eq!(
            error,
            OrderError::Stale { task: "t1".parse().unwrap(), action: "approve", attempt: 2 }
        );
        let next = crate::status::started(&other, 3.try_into().unwrap(), 3, Timestamp::EPOCH);
        assert!(!next.is_stale(), "the next attempt is asked for it");
        let back = record(6, Order::Rollback { to_version: Some(0) });
        let Applied::Done { status, .. } = apply(&other, &back, &spec, Timestamp::EPOCH) else {
            panic!("refused");
        };
        assert!(!status.is_stale() && status.edited.is_empty());
    }

    #[test]
    fn what_starts_or_stops_work_is_left_to_a_coordinator() {
        let spec = RecordFile::new(TaskSpec::new("t1".parse().unwrap()));
        let check = |state, order, expected: &str| {
            let applied = apply(&status(state), &record(5, order), &spec, Timestamp::EPOCH);
            let actual = match applied {
                Applied::Coordinator => "coordinator".to_owned(),
                Applied::Refused { error, status, notes } => {
                    assert_eq!(status.last_order_seq_applied, 5, "the queue moves on");
                    assert_eq!(notes[0].kind, EventKind::OrderRefused);
                    error.to_string()
                }
                Applied::Done { .. } => "done".to_owned(),
            };
            assert_eq!(actual, expected);
        };
        check(State::Running, Order::Pause, "coordinator");
        check(State::Paused, Order::Resume, "coordinator");
        check(State::Failed, Order::Resume, "coordinator");
        check(State::ReadyForReview, Order::Pause, "cannot pause a task that is READY_FOR_REVIEW");
        check(State::Running, Order::Resume, "cannot resume a running task");
    }

    #[test]
    fn a_task_that_has_not_begun_is_paused_at_once() {
        let spec = RecordFile::new(TaskSpec::new("t1".parse().unwrap()));
        for order in [Order::Pause, Order::PauseNow] {
            let before = status::queued(&status(State::Running));
            let applied = apply(&before, &record(5, order), &spec, Timestamp::EPOCH);
            let Applied::Done { status, .. } = applied else { panic!("{applied:?}") };
            let code = status.pause_reason_code;
            assert_eq!((status.state, code), (State::Paused, Some(PauseCode::User)));
            assert!(!status.queued && !status::goes_on(&status));
            assert_eq!(status.state_version, before.state_version + 1);
            assert_eq!(status.last_order_seq_applied, 5);
            assert_eq!(status.attempts_consumed, before.attempts_consumed);
        }
    }

    #[test]
    fn an_order_that_nobody_carried_out_moves_the_queue_and_nothing_else() {
        let before = status(State::Paused);
        let (after, notes) = expired(&before, &record(5, Order::Resume), Timestamp::EPOCH);
        let expected = Status { state_version: 2, last_order_seq_applied: 5, ..before };
        assert_eq!(after, expected);
        let [note] = &notes[..] else { panic!("{notes:?}") };
        assert_eq!(note.kind, EventKind::OrderRefused);
        assert_eq!(note.detail["reason"], "nobody carried it out");
    }
}
