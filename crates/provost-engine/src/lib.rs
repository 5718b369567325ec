//! The use cases of provost: gather facts, ask the rules, commit the answer.
//!
//! This crate combines the crates with effects. It decides nothing: an `if` in it that mentions a
//! score, a limit or a reason code is in the wrong crate.

mod agent_state;
mod context;
mod error;
pub mod eval;
pub mod guard;
mod interrupt;
pub mod learn;
mod preparation;
mod proof;
pub mod story;
pub mod task;

pub use provost_desk::Desk;

pub use self::{
    context::{Engine, SandboxNeed, Settings},
    error::{EngineError, RunError},
    interrupt::{Cause, Interrupt},
};
