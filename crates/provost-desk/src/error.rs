//! Why something could not be read or ordered.

use provost_kernel::{Exit, Fault, Lang, TaskId};
use provost_rules::task::{orders::OrderError, overrides::OverrideError, request::RequestConflict};
use provost_vault::{FileError, audit::AuditError, lock::LockError};

/// Something that a desk could not do.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum DeskError {
    Look(#[from] LookError),
    Order(#[from] OrderError),
    Override(#[from] OverrideError),
    Request(#[from] RequestConflict),
    /// Somebody else holds the task.
    Lock(#[from] LockError),
    File(#[from] FileError),
    Audit(#[from] AuditError),
}

/// Why a task cannot be looked at.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text(Lang::En))]
pub enum LookError {
    /// There is no such task.
    Unknown { task: TaskId, nearest: Option<String> },
    /// A file of the task cannot be understood.
    Unreadable { path: String, why: String },
    /// The state could not be read: it was put aside, and the task is paused.
    Corrupt { task: TaskId, path: String, kept_as: String },
}

impl DeskError {
    /// The error of the layer that it comes from.
    fn inner(&self) -> &dyn Fault {
        match self {
            Self::Look(error) => error,
            Self::Order(error) => error,
            Self::Override(error) => error,
            Self::Request(error) => error,
            Self::Lock(error) => error,
            Self::File(error) => error,
            Self::Audit(error) => error,
        }
    }
}

impl Fault for DeskError {
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

impl Fault for LookError {
    fn text(&self, lang: Lang) -> String {
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
        }
    }

    fn hints(&self, lang: Lang) -> Vec<String> {
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
            Self::Unreadable { .. } => Vec::new(),
        }
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Corrupt { .. } => Exit::Integrity,
            Self::Unknown { .. } | Self::Unreadable { .. } => Exit::Unable,
        }
    }
}
