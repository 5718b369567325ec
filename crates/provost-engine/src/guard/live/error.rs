//! Why nothing could be proven. None of these is a statement about the guard.

use provost_adapter::live::LiveError;
use provost_kernel::Message;

use crate::{guard::install::SetupError, task::rehearsal::RehearsalError};

/// Something that kept a client from being driven.
#[derive(Debug, thiserror::Error, Message)]
#[error(transparent)]
#[message(code = "guard.proof")]
pub enum ProofError {
    #[message(transparent)]
    Live(#[from] LiveError),
    #[message(transparent)]
    Rehearsal(#[from] RehearsalError),
    #[message(transparent)]
    Setup(#[from] SetupError),
}
