//! Orders that only a coordinator can carry out: they start or stop work.

use std::time::Duration;

use provost_adapter::Cancel;
use provost_desk::task::OpenTask;
use provost_kernel::{
    TaskId,
    task::{ErrorClass, EventKind, Note, Order, OrderRecord, Role},
};
use provost_rules_task::{
    decision::decide,
    facts,
    orders::{moved_on, note},
    resumption::RESUMED,
    status,
};
use serde_json::json;

use super::{again::Again, settle::settle};
use crate::{Cause, Engine, EngineError};

/// How often orders are looked at while a step runs.
const LOOK: Duration = Duration::from_millis(300);

/// What the pending orders make of the run.
pub(super) enum Standing {
    /// Go on.
    Go(Option<Again>),
    /// A person paused it.
    Stopped,
}

/// Carries out every pending order.
pub(super) fn orders(engine: Engine<'_>, open: &mut OpenTask<'_>) -> Result<Standing, EngineError> {
    let mut again = None;
    while let Some(record) = open.apply_orders()?.left {
        if let Order::Rerun { attempt } = record.order {
            again = Some(Again::Rerun(attempt));
        }
        if record.order == Order::Rejudge {
            again = Some(Again::Rejudge);
        }
        if stops(&record.order) {
            pause(engine, open, &record, "before the attempt")?;
            return Ok(Standing::Stopped);
        }
        go_on(engine, open, &record)?;
    }
    Ok(Standing::Go(again))
}

/// Whether an order stops the task.
pub(super) fn stops(order: &Order) -> bool {
    matches!(order, Order::Pause | Order::PauseNow)
}

/// Says in the state why a run ends in the middle, if it does: a person wants it to stop at once,
/// or a signal came.
pub(super) fn interrupted(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
) -> Result<bool, EngineError> {
    match engine.interrupt.cause() {
        None => return Ok(false),
        Some(Cause::Signal(signal)) => open.crashed(signal)?,
        Some(Cause::Person) => {
            let ordered = open.apply_orders()?.left.filter(|it| stops(&it.order));
            if let Some(record) = ordered {
                pause(engine, open, &record, "at once")?;
            } else {
                let class = ErrorClass::User;
                let facts = facts::of_step(&open.status.value, Role::Coordinator, 0, class);
                settle(engine, open, &decide(&facts), &facts, Vec::new(), None)?;
            }
        }
    }
    Ok(true)
}

/// Ends what runs when a person orders a pause at once, while `work` goes on.
pub(super) fn watched<T>(engine: Engine<'_>, task: &TaskId, work: impl FnOnce() -> T) -> T {
    let (desk, interrupt) = (engine.desk, engine.interrupt);
    let is_over = Cancel::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.is_cancelled() {
                if desk.is_stopped_at_once(task) {
                    interrupt.stop();
                    return;
                }
                is_over.sleep(LOOK);
            }
        });
        let done = work();
        is_over.cancel();
        done
    })
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
        vec![note(EventKind::OrderApplied, record), Note::new(EventKind::StateChanged, RESUMED)];
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
