//! Why a task did not succeed.

use std::{fmt, process::ExitCode};

/// A task that did not succeed, and what that means to a script.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Something was checked and found wanting: exit 1.
    Refused(String),
    /// The task could not be done: exit 2.
    Unable(String),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Refused(_) => ExitCode::from(1),
            Self::Unable(_) => ExitCode::from(2),
        }
    }

    /// The same failure, with the place where it happened in front.
    pub(crate) fn within(self, place: &str) -> Self {
        match self {
            Self::Refused(text) => Self::Refused(format!("{place}: {text}")),
            Self::Unable(text) => Self::Unable(format!("{place}: {text}")),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(text) | Self::Unable(text) => f.write_str(text),
        }
    }
}
