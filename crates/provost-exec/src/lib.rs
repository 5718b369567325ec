//! Supervised processes.
//!
//! The only crate of provost that starts programs. Each one is a [`Job`] under a [`guardian`]: a
//! small process that owns the job's whole tree, so that nothing of it outlives the deadline, the
//! job itself or the coordinator. A job may run in a [`sandbox`], on another machine through
//! [`remote`], and [`git`] is driven the same way.
//!
//! Linux is complete. Elsewhere on Unix a job has its process group and its deadline, but neither
//! the hold on processes that leave the group nor the sandbox, as the job's report says, and git
//! cannot be driven.

mod capture;
pub mod detached;
pub mod environment;
mod error;
pub mod git;
pub mod guardian;
mod job;
mod limits;
mod outcome;
mod peer;
pub mod place;
mod processes;
pub mod remote;
mod running;
pub mod sandbox;
pub mod strays;
mod wire;

pub use capture::{Capture, Printed, Redact, Streams};
pub use error::ExecError;
pub use guardian::Guardian;
pub use job::{Check, Job};
pub use limits::{Limits, ReachedLimit};
pub use outcome::{Ended, Outcome};
pub use peer::{Peer, peer};
pub use running::{Canceller, Running};
