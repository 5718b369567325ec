//! Taking an order: checked, audited, placed in the queue once, and carried out if no process runs
//! the task.

use provost_kernel::{
    Actor, Digest, RecordFile, RequestId, TaskId,
    task::{Order, OrderRecord, OverrideVersion, Seen, SpecChange, State, Status, TaskSpec},
};
use provost_rules_task::{
    edit::edited,
    moved::{self, Decision},
    orders::{self, Applied, OrderError},
    overrides::{self, OverrideLimits},
    request::{self, Repetition, RequestConflict},
};
use provost_vault::{
    Durable,
    audit::{Audit, AuditError, Event, Head},
    task::{Placed, Standing},
};
use serde::Serialize;
use serde_json::json;

use super::{
    OpenTask,
    open::{PATIENCE, PAUSE},
};
use crate::{DISK, Desk, DeskError, MovedError};

/// For so long an order to go on is left to the process that gave it and is about to carry it out.
const FRESH_SECONDS: i64 = 2;

/// An order on its way in.
#[derive(Clone, Debug)]
pub struct Take<'a> {
    pub task: &'a TaskId,
    pub order: Order,
    /// The same id with the same order has no second effect, ever (LOOP-U5).
    pub request_id: Option<RequestId>,
    pub actor: Actor,
    /// What the person looked at; none where an order is about the task and not about a result.
    pub seen: Option<Seen>,
}

/// Whether a person who reviews could see the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    Open,
    Blind,
}

/// What became of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receipt {
    pub task_id: TaskId,
    pub action: &'static str,
    /// The number of the order in the task's queue.
    pub seq: u64,
    /// The same request was taken before, and nothing happened now.
    pub deduplicated: bool,
    /// Whether it has taken effect; otherwise a coordinator carries it out.
    pub applied: bool,
    pub state: State,
    pub state_version: u64,
}

/// What became of pending orders.
#[derive(Debug, Default)]
pub struct Carried {
    /// The first that only a coordinator can carry out; those behind it wait.
    pub left: Option<OrderRecord>,
    /// Those that the task did not take when their turn came, by their numbers.
    pub refused: Vec<(u64, OrderError)>,
}

impl Desk {
    /// Takes an order.
    pub fn order(&self, take: Take<'_>) -> Result<Receipt, DeskError> {
        self.ordered(take, Sight::Open)
    }

    /// Takes the review of a person from whom the verdict was hidden.
    pub(crate) fn order_blind(&self, take: Take<'_>) -> Result<Receipt, DeskError> {
        self.ordered(take, Sight::Blind)
    }

    fn ordered(&self, take: Take<'_>, sight: Sight) -> Result<Receipt, DeskError> {
        let looked = self.look(take.task)?.trusted()?;
        let spec = self.kept_spec(take.task)?;
        let status = &looked.status.value;
        // An order that could not be followed is not placed.
        self.files(take.task).check_readable()?;
        self.files(take.task).follow_orders()?;
        let placed = self
            .files(take.task)
            .place_order(|earlier| self.admit(&take, sight, earlier, status, &spec))?;
        let seq = placed.record.seq;
        let is_new = placed.standing == Standing::New;
        // A repetition also completes what a crash left undone the first time.
        self.files(take.task).follow_orders()?;
        // What has taken effect is only looked at: the task need not be held for that.
        let status = if !is_new && status.last_order_seq_applied >= seq {
            looked.status.value
        } else {
            self.carry_out(&take, seq)?
        };
        Ok(Receipt {
            task_id: take.task.clone(),
            action: take.order.action(),
            seq,
            deduplicated: !is_new,
            applied: status.last_order_seq_applied >= seq,
            state: status.state,
            state_version: status.state_version,
        })
    }

    /// Whether a person ordered a running task to stop at once. A queue that cannot be read stops
    /// nothing here; who carries out its orders says what is wrong with it.
    pub fn is_stopped_at_once(&self, task: &TaskId) -> bool {
        let files = self.files(task);
        let Ok(orders) = files.orders() else { return false };
        let Some(newest) = orders.iter().rfind(|it| it.order == Order::PauseNow) else {
            return false;
        };
        let status = files.status().ok().and_then(provost_vault::Stored::present);
        status.is_some_and(|it| it.value.last_order_seq_applied < newest.seq)
    }

    /// Says whether a task takes an order now, as far as that is known before it is given.
    pub fn check_order(&self, task: &TaskId, order: &Order) -> Result<(), DeskError> {
        let status = self.look(task)?.trusted()?.status.value;
        orders::check(order, &status)?;
        let (spec, history) = (self.kept_spec(task)?, self.files(task).overrides()?);
        let limits = OverrideLimits::of(&spec, &status);
        overrides::ordered(order, &history, limits)?;
        Ok(())
    }

    /// What the spec of a task would be with some changes.
    pub fn with_changes(
        &self,
        task: &TaskId,
        changes: &[SpecChange],
    ) -> Result<RecordFile<TaskSpec>, DeskError> {
        let spec = self.kept_spec(task)?;
        let status = self.look(task)?.trusted()?.status.value;
        let history = self.files(task).overrides()?;
        let next = overrides::edit(&history, changes, OverrideLimits::of(&spec, &status))?;
        Ok(edited(&spec, &next.overrides.fields)?)
    }

    /// Carries out pending orders if no process runs the task, and answers with its status.
    fn carry_out(&self, take: &Take<'_>, seq: u64) -> Result<Status, DeskError> {
        let mut tries = 0;
        loop {
            let mut open = match self.hold(take.task) {
                Ok(open) => open,
                Err(DeskError::Held(_)) => {
                    return Ok(self.look(take.task)?.trusted()?.status.value);
                }
                Err(error) => return Err(error),
            };
            let carried = open.apply_orders()?;
            if let Some((_, error)) = carried.refused.into_iter().find(|it| it.0 == seq) {
                return Err(error.into());
            }
            match carried.left {
                None => return Ok(open.status.value.clone()),
                // The process that ordered it is about to drive the task.
                Some(record) if record.seq >= seq => return Ok(open.status.value.clone()),
                Some(record)
                    if drives(&take.order) || tries > PATIENCE || !self.is_fresh(&record) =>
                {
                    open.expire(&record)?;
                }
                Some(_) => {
                    drop(open);
                    tries += 1;
                    std::thread::sleep(PAUSE);
                }
            }
        }
    }

    /// Whether the process that gave an order may still be on the way to carry it out.
    fn is_fresh(&self, record: &OrderRecord) -> bool {
        let age = self.clock.now().seconds() - record.created_at.seconds();
        (0..FRESH_SECONDS).contains(&age)
    }

    /// Decides under the lock of the queue whether an order is new, and audits it if so.
    fn admit(
        &self,
        take: &Take<'_>,
        sight: Sight,
        earlier: &[OrderRecord],
        status: &Status,
        spec: &RecordFile<TaskSpec>,
    ) -> Result<Placed, DeskError> {
        if let Some(request_id) = &take.request_id
            && let Some(known) =
                earlier.iter().find(|it| it.request_id.as_ref() == Some(request_id))
        {
            // Neither an order of an earlier version nor the process that carries one out says what was
            // seen.
            let (before, now) = (known.seen, take.seen);
            if before.is_some() && now.is_some() && before != now {
                return Err(RequestConflict { request_id: request_id.clone() }.into());
            }
            let remembered = Some(body(&known.order)?);
            match request::check(request_id, remembered, body(&take.order)?)? {
                Repetition::Same => {
                    return Ok(Placed { record: known.clone(), standing: Standing::Repeated });
                }
                Repetition::First => {}
            }
        }
        // It may have changed since the look.
        let fresh = self.files(take.task).status()?.present().map(|it| it.value);
        let status = fresh.as_ref().unwrap_or(status);
        if let Some(seen) = take.seen
            && moved::is_about_result(&take.order)
        {
            self.check_seen(seen, status, Decision::of(&take.order))?;
        }
        orders::check(&take.order, status)?;
        let mut record = OrderRecord {
            seq: 0,
            created_at: self.clock.now(),
            task_id: take.task.clone(),
            order: take.order.clone(),
            request_id: take.request_id.clone(),
            actor: take.actor.clone(),
            seen: take.seen,
            blind: sight == Sight::Blind,
            resolved: None,
        };
        let history: Vec<_> = earlier.iter().filter_map(|it| it.resolved.clone()).collect();
        let limits = OverrideLimits::of(spec, status);
        record.resolved = orders::resolve(&record, &history, limits)?;
        self.audit(&record, history.last(), status.audit_head)?;
        Ok(Placed { record, standing: Standing::New })
    }

    /// Refuses a decision about a result that has moved since it was looked at.
    pub fn check_seen(
        &self,
        seen: Seen,
        status: &Status,
        decision: Decision,
    ) -> Result<(), DeskError> {
        let events = self.files(&status.task_id).events()?.records;
        if !moved::has_moved(seen, status, &events, decision) {
            return Ok(());
        }
        let (task, seen, attempt) = (status.task_id.clone(), seen.attempt, status.current_attempt);
        let moved = if seen == attempt {
            MovedError::Changed { task, attempt }
        } else {
            MovedError::Superseded { task, seen, attempt }
        };
        Err(moved.into())
    }

    /// The entry of an order, before it takes effect.
    fn audit(
        &self,
        record: &OrderRecord,
        before: Option<&OverrideVersion>,
        reached: Option<Head>,
    ) -> Result<(), AuditError> {
        let new = record.resolved.as_ref();
        let mut detail = json!({
            "order": record.order,
            "old": before.map(|it| &it.overrides).filter(|_| new.is_some()),
            "new": new.map(|it| &it.overrides),
        });
        if record.blind {
            detail["blind"] = true.into();
        }
        let entry = Event {
            actor: record.actor.clone(),
            action: record.order.action().to_owned(),
            subject: format!("task:{}", record.task_id),
            request_id: record.request_id.clone(),
            detail,
        };
        let mut chain = Audit::open(&DISK, &self.layout)?;
        let head = chain.append_behind(reached, &entry, &*self.clock, Durable::Now)?;
        chain.store_head(head, &entry.action, &*self.clock)
    }
}

impl OpenTask<'_> {
    /// The orders that have not taken effect, in order.
    pub fn pending_orders(&self) -> Result<Vec<OrderRecord>, DeskError> {
        let applied = self.status.value.last_order_seq_applied;
        Ok(self.files().orders()?.into_iter().filter(|it| it.seq > applied).collect())
    }

    /// Takes an order for a task that this process holds, and carries it out.
    pub fn order(&mut self, take: Take<'_>) -> Result<(), DeskError> {
        let (desk, status) = (self.desk(), self.status.value.clone());
        let spec = self.kept().clone();
        let placed = self
            .files()
            .place_order(|earlier| desk.admit(&take, Sight::Open, earlier, &status, &spec))?;
        let seq = placed.record.seq;
        self.files().follow_orders()?;
        let carried = self.apply_orders()?;
        if let Some((_, error)) = carried.refused.into_iter().find(|it| it.0 == seq) {
            return Err(error.into());
        }
        // An order to go on came first: the task is about to run.
        if self.status.value.last_order_seq_applied < seq {
            let action = take.order.action().trim_start_matches("task.");
            let task = self.task().clone();
            return Err(OrderError::Running { task, action }.into());
        }
        Ok(())
    }

    /// Carries out pending orders up to the first that only a coordinator can carry out.
    pub fn apply_orders(&mut self) -> Result<Carried, DeskError> {
        let mut carried = Carried::default();
        for record in self.pending_orders()? {
            let now = self.desk().clock().now();
            match orders::apply(&self.status.value, &record, self.kept(), now) {
                Applied::Coordinator => {
                    carried.left = Some(record);
                    break;
                }
                Applied::Done { mut status, mut notes } => {
                    // A label that cannot be kept stops nothing: it follows from the state later.
                    let _ = self.desk().label(&self.spec.value, &status, &record);
                    if matches!(record.order, Order::Accept { .. }) {
                        self.reconsider(&mut status, &mut notes)?;
                    }
                    self.commit(*status, notes)?;
                }
                Applied::Refused { status, notes, error } => {
                    self.commit(*status, notes)?;
                    carried.refused.push((record.seq, error));
                }
            }
        }
        Ok(carried)
    }

    /// Moves the queue on past an order for a coordinator that never came.
    fn expire(&mut self, record: &OrderRecord) -> Result<(), DeskError> {
        let now = self.desk().clock().now();
        let (status, notes) = orders::expired(&self.status.value, record, now);
        self.commit(status, notes)
    }
}

/// Whether the process that gives the order goes on to carry it out.
fn drives(order: &Order) -> bool {
    match order {
        Order::Resume | Order::Rerun { .. } | Order::Rejudge => true,
        Order::Pause
        | Order::PauseNow
        | Order::Reset
        | Order::Edit { .. }
        | Order::Answer { .. }
        | Order::Override { .. }
        | Order::Set { .. }
        | Order::Rollback { .. }
        | Order::Approve
        | Order::Reject { .. }
        | Order::Accept { .. }
        | Order::Land { .. }
        | Order::UndoLand { .. } => false,
    }
}

/// What a request id stands for.
fn body(order: &Order) -> Result<Digest, DeskError> {
    let action = || order.action().to_owned();
    Digest::of_json(order).map_err(|source| AuditError::Entry { action: action(), source }.into())
}
