//! The port through which the binary does what this server may not: it starts processes, and reads the
//! configuration of the repository.

use std::net::SocketAddr;

use provost_desk::{PortError, task::Coordinator};
use provost_kernel::{
    RequestId, Severity, TaskId, Text,
    task::{LandMethod, Seal},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// How a result is put onto a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Landing {
    Onto { branch: Option<String>, method: Option<LandMethod> },
    Undo,
}

/// A task in the making.
#[derive(Clone, Copy, Debug)]
pub struct Creation<'a> {
    /// As in a file; without an id, one is made of the goal.
    pub spec: &'a Value,
    /// The request that it is made for: its entry in the audit names it.
    pub request_id: &'a RequestId,
    /// Whether it begins as soon as it is made.
    pub begins: bool,
}

/// An agent that tasks can be given to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AdapterRow {
    pub name: String,
    pub kind: String,
    pub support_level: String,
    pub available: bool,
    pub reason: Option<Text>,
    pub roles: Vec<&'static str>,
}

/// What a spec that is being written would prove, and what is wrong with it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Preview {
    pub proves: Vec<Seal>,
    pub findings: Vec<PreviewFinding>,
}

/// Something about a spec that is being written.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PreviewFinding {
    pub code: String,
    pub severity: Severity,
    /// The field that it is about, if it is one.
    pub subject: String,
    pub message: Text,
}

/// The two ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    pub theirs: SocketAddr,
    pub ours: SocketAddr,
}

/// What needs a process, or the configuration of the repository.
pub trait Launch: Coordinator {
    /// Begins a task that waits for its turn.
    fn run(&self, task: &TaskId) -> Result<(), PortError>;

    /// Starts to land a result, or to take it back.
    fn land(&self, task: &TaskId, landing: &Landing) -> Result<(), PortError>;

    /// Makes a task that waits for its turn; none where another one has the id. One that shall begin at
    /// once and may not run unattended is refused, and nothing is made.
    fn create(&self, creation: &Creation<'_>) -> Result<Option<TaskId>, PortError>;

    /// What a spec would prove; nothing is written.
    fn preview(&self, spec: &Value) -> Result<Preview, PortError>;

    /// The program of the agent that holds the other end of a connection: an agent that has read a
    /// person's key gives no orders with it.
    fn agent(&self, connection: Connection) -> Option<String>;

    /// The agents that the project can use.
    fn adapters(&self) -> Result<Vec<AdapterRow>, PortError>;
}
