//! Why nothing could be proven. None of these says anything about the guard.

use provost_adapter::live::LiveError;
use provost_kernel::{Exit, Fault, Message, Text};

use crate::{guard::install::SetupError, task::rehearsal::RehearsalError};

/// Something that kept a client from being driven.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum ProofError {
    Live(#[from] LiveError),
    Rehearsal(#[from] RehearsalError),
    Setup(#[from] SetupError),
}

impl ProofError {
    /// The error of the layer that it comes from.
    fn inner(&self) -> &dyn Fault {
        match self {
            Self::Live(error) => error,
            Self::Rehearsal(error) => error,
            Self::Setup(error) => error,
        }
    }
}

impl Message for ProofError {
    fn text(&self) -> Text {
        Text::each(|lang| self.inner().text().render(lang))
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| self.inner().hints_in(lang))
    }

    fn exit(&self) -> Exit {
        self.inner().exit()
    }
}
