//! The port through which the terminal asks for processes, which a desk cannot start.

use provost_kernel::{Fault, RequestId, TaskId, task::Order};

/// What the binary refuses, as it says it on the command line.
#[derive(Debug)]
pub struct Refused(pub Box<dyn Fault>);

/// How a result is put onto a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LandRequest {
    /// Onto this branch, or the one that the task was started on.
    Onto { branch: Option<String> },
    /// It is taken back, by a new commit.
    Undo,
}

/// What needs a process, or the configuration of the repository. The binary fills it.
pub trait Coordinate: Send {
    /// Holds an order against everything but the state of the task, and completes it. One that lets
    /// the task go on is refused where it may not run unattended.
    fn prepare(&self, task: &TaskId, order: Order) -> Result<Order, Refused>;

    /// Starts the coordinator that carries out an order that the desk has recorded.
    fn carry_out(
        &self,
        task: &TaskId,
        order: &Order,
        request_id: &RequestId,
    ) -> Result<(), Refused>;

    /// Begins a task that waits for its turn.
    fn run(&self, task: &TaskId) -> Result<(), Refused>;

    /// Starts to land a result, or to take it back.
    fn land(&self, task: &TaskId, request: &LandRequest) -> Result<(), Refused>;
}
