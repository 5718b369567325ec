//! Why nothing could be proven. None of these says anything about the guard.

use provost_adapter::live::LiveError;
use provost_kernel::{Exit, Fault, Lang};

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

impl Fault for ProofError {
    fn text(&self, lang: Lang) -> String {
        self.inner().text(lang)
    }

    fn hints(&self, lang: Lang) -> Vec<String> {
        self.inner().hints(lang)
    }

    fn exit(&self) -> Exit {
        self.inner().exit()
    }
}
