//! The port through which judges, learning and evals ask models: one request, one reply.
//!
//! A [`Model`] is an OpenAI-compatible interface, a program, or a recording. A [`ModelPool`] asks
//! many requests of several models at once and hands back the replies in the order of the requests.

mod assemble;
mod chat;
mod command;
mod error;
mod failure;
mod pool;
mod recording;

use std::fmt::Debug;

use provost_kernel::model::{ModelReply, ModelRequest};

pub(crate) use self::chat::dollars;
pub use self::{
    assemble::{ModelSupplies, assemble},
    chat::{ChatModel, ChatModelSettings, Timeout},
    command::{CommandCheck, CommandModel, CommandModelSettings},
    error::ModelError,
    failure::ModelFailure,
    pool::{ModelPool, ReplyHandler},
    recording::RecordingModel,
};
use crate::cancel::Cancel;

/// Something that answers requests.
///
/// An implementation must be cancel-safe: when [`Cancel`] asks for the end, the call returns soon
/// and leaves no process behind. It returns the reply byte for byte, and judges nothing.
pub trait Model: Debug + Send + Sync {
    /// Asks once, and returns when nothing of the call is left.
    fn ask(&self, request: &ModelRequest, cancel: &Cancel) -> Result<ModelReply, ModelFailure>;
}
