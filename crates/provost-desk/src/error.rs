//! Why something could not be read or ordered.

use provost_kernel::{Exit, Fault, Lang, TaskId};
use provost_rules::task::{orders::OrderError, overrides::OverrideError, request::RequestConflict};
use provost_vault::{FileError, audit::AuditError, lock::LockError};

/// Something that a desk could not do.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text(Lang::En))]
pub enum DeskError {
    /// There is no such task.
    Unknown {
        task: TaskId,
        nearest: Option<String>,
    },
    /// A file of the task cannot be understood.
    Unreadable {
        path: String,
        why: String,
    },
    /// The state could not be read: it was put aside, and the task is paused.
    Corrupt {
        task: TaskId,
        path: String,
        kept_as: String,
    },
    #[error(transparent)]
    Order(OrderError),
    #[error(transparent)]
    Override(OverrideError),
    #[error(transparent)]
    Request(RequestConflict),
    /// Somebody else holds the task.
    #[error(transparent)]
    Lock(LockError),
    #[error(transparent)]
    File(FileError),
    #[error(transparent)]
    Audit(AuditError),
}

macro_rules! from {
    ($($error:ident => $variant:ident),+ $(,)?) => {
        $(impl From<$error> for DeskError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        })+
    };
}

from!(
    OrderError => Order,
    OverrideError => Override,
    RequestConflict => Request,
    LockError => Lock,
    FileError => File,
    AuditError => Audit,
);

impl DeskError {
    /// The error of another layer that this one passes on.
    fn inner(&self) -> Option<&dyn Fault> {
        Some(match self {
            Self::Order(error) => error,
            Self::Override(error) => error,
            Self::Request(error) => error,
            Self::Lock(error) => error,
            Self::File(error) => error,
            Self::Audit(error) => error,
            Self::Unknown { .. } | Self::Unreadable { .. } | Self::Corrupt { .. } => return None,
        })
    }
}

impl Fault for DeskError {
    fn text(&self, lang: Lang) -> String {
        if let Some(inner) = self.inner() {
            return inner.text(lang);
        }
        match self {
            Self::Unknown { task, .. } => {
                lang.pick(format!("there is no task `{task}`"), format!("没有任务 `{task}`"))
            }
            Self::Unreadable { path, why } => lang.pick(
                format!("cannot understand `{path}`: {why}"),
                format!("无法理解 `{path}`:{why}"),
            ),
            Self::Corrupt { task, path, .. } => lang.pick(
                format!("the state of `{task}` in `{path}` could not be read; it is paused now"),
                format!("无法读取 `{task}` 的状态文件 `{path}`;任务现已暂停"),
            ),
            Self::Order(_)
            | Self::Override(_)
            | Self::Request(_)
            | Self::Lock(_)
            | Self::File(_)
            | Self::Audit(_) => String::new(),
        }
    }

    fn hints(&self, lang: Lang) -> Vec<String> {
        if let Some(inner) = self.inner() {
            return inner.hints(lang);
        }
        match self {
            Self::Unknown { nearest: Some(nearest), .. } => {
                vec![
                    lang.pick(
                        format!("did you mean `{nearest}`?"),
                        format!("是否想写 `{nearest}`?"),
                    ),
                ]
            }
            Self::Unknown { nearest: None, .. } => vec![
                lang.pick("`provost ls` lists all tasks", "`provost ls` 列出所有任务").to_owned(),
            ],
            Self::Corrupt { task, kept_as, .. } => vec![lang.pick(
                format!("what was there is kept as `{kept_as}`; `provost resume {task}` goes on"),
                format!("原内容保存为 `{kept_as}`;`provost resume {task}` 可继续"),
            )],
            Self::Unreadable { .. }
            | Self::Order(_)
            | Self::Override(_)
            | Self::Request(_)
            | Self::Lock(_)
            | Self::File(_)
            | Self::Audit(_) => Vec::new(),
        }
    }

    fn exit(&self) -> Exit {
        if let Some(inner) = self.inner() {
            return inner.exit();
        }
        match self {
            Self::Corrupt { .. } => Exit::Integrity,
            Self::Unknown { .. }
            | Self::Unreadable { .. }
            | Self::Order(_)
            | Self::Override(_)
            | Self::Request(_)
            | Self::Lock(_)
            | Self::File(_)
            | Self::Audit(_) => Exit::Unable,
        }
    }
}
