//! Orders from a front end: prepared by the binary, taken by the desk, and carried out by a process
//! where they need one.
//!
//! An order takes effect once for its request id, however often it is sent (LOOP-U5). One that a crash
//! kept from being carried out is carried out when it is sent again.

use provost_kernel::{Actor, Digest, Fault, IdError, Message, RequestId, TaskId, task::Order};

use super::{Receipt, Seen, Take};
use crate::{Desk, DeskError, PortError};

/// What an order needs and a desk cannot do: the binary fills it.
pub trait Coordinator: Send + Sync {
    /// Holds an order against everything but the state of the task, as the command line does, and
    /// completes it. What lets the task go on is refused where it may not run unattended.
    fn prepare(&self, task: &TaskId, order: Order) -> Result<Order, PortError>;

    /// Starts the coordinator that carries out an order that the desk has recorded.
    fn carry_out(
        &self,
        task: &TaskId,
        order: &Order,
        request_id: &RequestId,
    ) -> Result<(), PortError>;
}

/// An order on its way in.
#[derive(Clone, Debug)]
pub struct Placement<'a> {
    pub task: &'a TaskId,
    pub order: Order,
    pub request_id: RequestId,
    pub actor: Actor,
    pub seen: Option<Seen>,
}

/// What became of an order.
#[derive(Debug)]
pub struct PlacedOrder {
    pub receipt: Receipt,
    /// Whether a process was started for it.
    pub started: bool,
    /// Why the task does not go on although the order lets it.
    pub held: Option<PlaceError>,
}

/// Why an order was not placed.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "desk.place")]
pub enum PlaceError {
    #[message(transparent)]
    Desk(DeskError),
    #[message(transparent)]
    Port(Box<dyn Fault>),
    #[message(transparent)]
    Id(IdError),
    #[message(
        en = "request id `{request_id}` was used for another order",
        zh = "请求 id `{request_id}` 已用于另一个指令",
        hint(en = "use a new id for every order", zh = "请为每个新指令使用新的 id"),
        exit = Conflict
    )]
    RequestIdReused { request_id: String },
}

impl Desk {
    /// Places what a person tells a task. One that waited for it goes on, as with `provost answer`; where
    /// it may not run unattended, the answer is on record all the same.
    pub fn tell(
        &self,
        port: &dyn Coordinator,
        placement: Placement<'_>,
    ) -> Result<PlacedOrder, PlaceError> {
        let follower = follower(&placement.request_id)?;
        let placed = self.place(port, placement.clone())?;
        let status = self.look(placement.task)?.status.value;
        if !placed.receipt.applied || !self.response(&status)?.lets_go_on(&status) {
            return Ok(placed);
        }
        let on = Placement { order: Order::Resume, request_id: follower, seen: None, ..placement };
        Ok(match self.place(port, on) {
            Ok(next) => PlacedOrder { started: next.started, ..placed },
            Err(held) => PlacedOrder { held: Some(held), ..placed },
        })
    }

    /// Whether the queue of a task has an order with this id.
    pub fn is_placed(&self, task: &TaskId, request_id: &RequestId) -> Result<bool, DeskError> {
        let orders = self.files(task).orders()?;
        Ok(orders.iter().any(|it| it.request_id.as_ref() == Some(request_id)))
    }

    /// Places an order, and starts the coordinator that it needs.
    pub fn place(
        &self,
        port: &dyn Coordinator,
        placement: Placement<'_>,
    ) -> Result<PlacedOrder, PlaceError> {
        let Placement { task, order, request_id, actor, seen } = placement;
        self.look(task)?;
        if self.is_claimed(&request_id)? {
            return Err(PlaceError::RequestIdReused { request_id: request_id.to_string() });
        }
        let is_known = self.is_placed(task, &request_id)?;
        let order = if is_known { order } else { port.prepare(task, order)? };
        let drives = matches!(order, Order::Resume | Order::Rerun { .. } | Order::Rejudge);
        let id = Some(request_id.clone());
        let receipt =
            self.order(Take { task, order: order.clone(), request_id: id, actor, seen })?;
        let started = drives && !receipt.applied && self.look(task)?.holder.is_none();
        if started {
            port.carry_out(task, &order, &request_id)?;
        }
        Ok(PlacedOrder { receipt, started, held: None })
    }
}

/// The id of the order to go on that follows from another: the same whenever that one is repeated.
fn follower(request_id: &RequestId) -> Result<RequestId, IdError> {
    let named = format!("{request_id}:resume");
    named.parse().or_else(|_| Digest::of_bytes(named.as_bytes()).to_string().parse())
}

impl From<DeskError> for PlaceError {
    fn from(error: DeskError) -> Self {
        Self::Desk(error)
    }
}

impl From<PortError> for PlaceError {
    fn from(PortError(fault): PortError) -> Self {
        Self::Port(fault)
    }
}

impl From<IdError> for PlaceError {
    fn from(error: IdError) -> Self {
        Self::Id(error)
    }
}
