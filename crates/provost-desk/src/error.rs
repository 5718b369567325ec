//! Why something could not be read or ordered.

use provost_kernel::{Exit, Fault, Message, TaskId, Text};
use provost_rules_task::{orders::OrderError, overrides::OverrideError, request::RequestConflict};
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
#[error("{}", self.text())]
pub enum LookError {
    /// There is no such task.
    Unknown { task: TaskId, nearest: Option<String> },
    /// A file of the task cannot be understood.
    Unreadable { path: String, why: String },
    /// The task has a state and no spec.
    NoSpec { path: String },
    /// The spec is not the one that the task was made from.
    Altered { path: String },
    /// The state could not be read: it was put aside, and the task is paused.
    Corrupt { task: TaskId, path: String, kept_as: String },
}

impl DeskError {
    /// The file that stops the reader by what it holds, if that is what is the matter: one broken
    /// task does not hide the others.
    pub(crate) fn unreadable(&self) -> Option<String> {
        match self {
            Self::Look(
                LookError::Unreadable { path, .. }
                | LookError::NoSpec { path }
                | LookError::Altered { path },
            ) => Some(path.clone()),
            Self::File(error) => error.is_misread().then(|| error.path.to_string()),
            Self::Look(LookError::Unknown { .. } | LookError::Corrupt { .. })
            | Self::Order(_)
            | Self::Override(_)
            | Self::Request(_)
            | Self::Lock(_)
            | Self::Audit(_) => None,
        }
    }

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

impl Message for DeskError {
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

impl Message for LookError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Unknown { task, .. } => {
                lang.pick(format!("there is no task `{task}`"), format!("没有任务 `{task}`"))
            }
            Self::Unreadable { path, why } => lang.pick(
                format!("cannot understand `{path}`: {why}"),
                format!("无法理解 `{path}`:{why}"),
            ),
            Self::NoSpec { path } => lang.pick(
                format!("the spec of the task, `{path}`, is missing"),
                format!("任务的规格文件 `{path}` 缺失"),
            ),
            Self::Altered { path } => lang.pick(
                format!("`{path}` is not the spec that the task was made from"),
                format!("`{path}` 不是创建任务时的规格"),
            ),
            Self::Corrupt { task, path, .. } => lang.pick(
                format!("the state of `{task}` in `{path}` could not be read; it is paused now"),
                format!("无法读取 `{task}` 的状态文件 `{path}`;任务现已暂停"),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
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
            Self::NoSpec { .. } => vec![
                lang.pick(
                    "put it back, or run the spec that it was made from again",
                    "请恢复该文件,或用原来的规格再次运行",
                )
                .to_owned(),
            ],
            Self::Altered { .. } => vec![
                lang.pick(
                    "restore it, or start another task id with the changed spec; nothing was written",
                    "请恢复该文件,或用修改后的规格另起一个任务 id;没有写入任何内容",
                )
                .to_owned(),
            ],
            Self::Corrupt { task, kept_as, .. } => vec![lang.pick(
                format!("what was there is kept as `{kept_as}`; `provost resume {task}` goes on"),
                format!("原内容保存为 `{kept_as}`;`provost resume {task}` 可继续"),
            )],
            Self::Unreadable { .. } => Vec::new(),
        }
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::NoSpec { .. } | Self::Altered { .. } | Self::Corrupt { .. } => Exit::Integrity,
            Self::Unknown { .. } | Self::Unreadable { .. } => Exit::Unable,
        }
    }
}
