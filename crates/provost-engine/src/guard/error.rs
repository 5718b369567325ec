//! Why the guard could not do its work. On a tool or a permission each of these is a refusal.

use std::sync::Arc;

use provost_kernel::{Exit, Fault, Message, Text};
use provost_vault::{FileError, audit::AuditError};

/// Something that the guard could not do.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// The home cannot be used.
    #[error("{}", self.text())]
    Home(Arc<dyn Fault>),
    /// The compiled policy is there and does not hold a policy.
    #[error("{}", self.text())]
    Policy { path: String, why: String },
    /// The policy of an attempt is not one.
    #[error("{}", self.text())]
    Carried,
    /// The files of the configuration are no policy.
    #[error("{}", self.text())]
    Compile(Box<dyn Fault>),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Audit(#[from] AuditError),
}

impl GuardError {
    /// The error of the layer that it comes from, with its own causes.
    pub fn inner(&self) -> &dyn Fault {
        match self {
            Self::Home(error) => error.as_ref(),
            Self::Compile(error) => error.as_ref(),
            Self::File(error) => error,
            Self::Audit(error) => error,
            Self::Policy { .. } | Self::Carried => self,
        }
    }
}

impl Message for GuardError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Policy { path, why } => lang.pick(
                format!("the compiled policy `{path}` cannot be read: {why}"),
                format!("无法读取已编译的策略 `{path}`:{why}"),
            ),
            Self::Carried => lang
                .pick(
                    "the variable `PROVOST_GUARD` does not hold a policy",
                    "变量 `PROVOST_GUARD` 中不是策略",
                )
                .to_owned(),
            Self::Home(_) | Self::Compile(_) | Self::File(_) | Self::Audit(_) => {
                self.inner().text().render(lang)
            }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::Policy { .. } => vec![
                lang.pick(
                    "`provost guard compile` makes it anew",
                    "`provost guard compile` 可重新生成",
                )
                .to_owned(),
            ],
            Self::Carried => Vec::new(),
            Self::Home(_) | Self::Compile(_) | Self::File(_) | Self::Audit(_) => {
                self.inner().hints_in(lang)
            }
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Policy { .. } => Exit::Integrity,
            Self::Carried => Exit::Unable,
            Self::Home(_) | Self::Compile(_) | Self::File(_) | Self::Audit(_) => {
                self.inner().exit()
            }
        }
    }
}
