//! The words of `guard`: hook types, clients, what came in and what is answered, modes, tracking.
//!
//! A client asks before and after its agent acts. What it says becomes a [`HookInput`], what we
//! say is a [`HookAnswer`]; how each client must be told is judged in `provost-rules-guard`.

mod answer;
pub mod client;
mod compiled;
mod hook;
mod input;
mod installation;
mod mode;
mod moment;
mod operation;
mod permit;
pub mod policy;
mod proof;
mod replay;
mod tool_error;
mod tracking;

pub use self::{
    answer::HookAnswer,
    client::{Client, Harness, Scope},
    compiled::{CompiledPolicy, PolicySource, SourceStamp, SourceState},
    hook::{FailureSeverity, HookType},
    input::{HookInput, UnknownFields},
    installation::{ChangedFile, Installation, Installations},
    mode::{Mode, ModeMarker, ModeState},
    moment::Moment,
    operation::{Operation, Spooled},
    permit::{
        PendingRefusal, PendingRefusals, Permit, PermitScope, Permits, RefusalCode,
        RefusalCodeError, Snooze, TrustedPath,
    },
    proof::{Circumstances, Proof, ProofCheck, Proofs},
    replay::{ReplayEvent, ReplayKind},
    tool_error::LastToolError,
    tracking::{Agent, AgentStatus, TokenUsage, ToolUse, Tracking},
};

crate::display_arguments!(Client, Harness, HookType, Mode, PermitScope, Scope);
