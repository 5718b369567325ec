//! The port through which the terminal asks for processes, which a desk cannot start.

use provost_desk::{PortError, task::Coordinator};
use provost_kernel::TaskId;

/// How a result is put onto a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LandRequest {
    /// Onto this branch, or the one that the task was started on.
    Onto { branch: Option<String> },
    /// It is taken back, by a new commit.
    Undo,
}

/// What needs a process, or the configuration of the repository. The binary fills it.
pub trait Coordinate: Coordinator {
    /// Begins a task that waits for its turn.
    fn run(&self, task: &TaskId) -> Result<(), PortError>;

    /// Starts to land a result, or to take it back.
    fn land(&self, task: &TaskId, request: &LandRequest) -> Result<(), PortError>;
}
