//! Orders that only a coordinator can carry out: they start or stop work.

use provost_desk::task::OpenTask;
use provost_kernel::{
    AttemptNumber,
    task::{ErrorClass, EventKind, Note, Order, OrderRecord, Role},
};
use provost_rules_task::{
    decision::decide,
    facts,
    orders::{moved_on, note},
    status,
};
use serde_json::json;

use super::settle::settle;
use crate::{Engine, EngineError};

/// What the pending orders make of the run.
pub(super) enum Standing {
    /// Go on, and repeat this attempt's prompt if one was named.
    Go(Option<AttemptNumber>),
    /// A person paused it.
    Stopped,
}

/// Carries out every pending order.
pub(super) fn orders(engine: Engine<'_>, open: &mut OpenTask<'_>) -> Result<Standing, EngineError> {
    let mut rerun = None;
    while let Some(record) = open.apply_orders()?.left {
        if let Order::Rerun { attempt } = record.order {
            rerun = Some(attempt);
        }
        if record.order == Order::Pause {
            pause(engine, open, &record, "before the attempt")?;
            return Ok(Standing::Stopped);
        }
        go_on(engine, open, &record)?;
    }
    Ok(Standing::Go(rerun))
}

/// Moves a task that a person ordered to go on.
fn go_on(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    record: &OrderRecord,
) -> Result<(), EngineError> {
    let now = engine.desk.clock().now();
    let status = status::resumed(&moved_on(&open.status.value, record, now));
    let notes =
        vec![note(EventKind::OrderApplied, record), Note::new(EventKind::StateChanged, "RESUMED")];
    Ok(open.commit(status, notes)?)
}

/// Stops because a person ordered it.
pub(super) fn pause(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    record: &OrderRecord,
    place: &str,
) -> Result<(), EngineError> {
    let facts = facts::of_step(&open.status.value, Role::Coordinator, 0, ErrorClass::User);
    let decision = decide(&facts);
    let applied = note(EventKind::OrderApplied, record).with(&json!({ "at": place }));
    open.status.value.last_order_seq_applied = record.seq;
    settle(engine, open, &decision, &facts, vec![applied], None)
}
