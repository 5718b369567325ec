//! The commands of `task`: running it, what people read of it, and what they order.
//!
//! Each command is a file. Those that read and order sit on a desk, which looks, checks and
//! records; only `run` knows the engine.

pub(crate) mod accept;
pub(crate) mod answer;
pub(crate) mod approve;
mod changes;
pub(crate) mod detach;
pub(crate) mod diff;
pub(crate) mod edit;
pub(crate) mod explain;
pub(crate) mod goal;
pub(crate) mod inbox;
pub(crate) mod land;
mod live;
pub(crate) mod logs;
pub(crate) mod ls;
mod order;
pub(crate) mod overrides;
mod page;
pub(crate) mod pause;
mod queue;
pub(crate) mod reject;
pub(crate) mod reset;
pub(crate) mod review;
pub(crate) mod rm;
pub(crate) mod run;
pub(crate) mod show;
mod step_output;
mod target;
mod text;
pub(crate) mod verify;
