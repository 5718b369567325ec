//! The words of `guard`: hook types, clients, what came in and what is answered, modes, tracking.
//!
//! A client asks before and after its agent acts. What it says becomes a [`HookInput`], what we
//! say is a [`HookAnswer`]; how each client must be told is judged in `provost-rules`.

mod answer;
mod client;
mod hook;
mod input;
mod mode;
mod moment;
pub mod policy;
mod tracking;

pub use self::{
    answer::HookAnswer,
    client::Client,
    hook::{FailureSeverity, HookType},
    input::{HookInput, UnknownFields},
    mode::Mode,
    moment::Moment,
    tracking::{Agent, AgentStatus, TokenUsage, ToolUse, Tracking},
};
