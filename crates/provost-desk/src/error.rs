//! Why something could not be read or ordered.

use provost_kernel::{IdError, Message, TaskId};
use provost_rules_task::{
    edit::EditError, orders::OrderError, overrides::OverrideError, request::RequestConflict,
};
use provost_vault::{
    FileError,
    audit::AuditError,
    lock::{Holder, LockError, Occupant},
};

use crate::{learn::BlindError, task::OnlyError};

/// Something that a desk could not do.
#[derive(Debug, thiserror::Error, Message)]
#[error(transparent)]
#[message(code = "desk")]
pub enum DeskError {
    #[message(transparent)]
    Look(#[from] LookError),
    #[message(transparent)]
    Only(#[from] OnlyError),
    #[message(transparent)]
    Order(#[from] OrderError),
    #[message(transparent)]
    Override(#[from] OverrideError),
    #[message(transparent)]
    Edit(#[from] EditError),
    #[message(transparent)]
    Request(#[from] RequestConflict),
    #[message(transparent)]
    Moved(#[from] MovedError),
    #[message(transparent)]
    Blind(#[from] BlindError),
    #[message(transparent)]
    Held(#[from] HeldError),
    #[message(transparent)]
    Lock(#[from] LockError),
    #[message(transparent)]
    File(#[from] FileError),
    #[message(transparent)]
    Audit(#[from] AuditError),
}

/// A person decided about a result that is not what they saw any more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "desk.moved")]
pub enum MovedError {
    #[message(
        en = "attempt {seen} of `{task}` was superseded by attempt {attempt}",
        zh = "第 {seen} 次尝试已不是 `{task}` 的最新结果，最新的是第 {attempt} 次",
        hint(
            en = "look at it first: `provost show {task}`; nothing was changed",
            zh = "请先查看：`provost show {task}`；没有任何更改"
        ),
        exit = Conflict
    )]
    Superseded { task: TaskId, seen: u16, attempt: u16 },
    #[message(
        en = "`{task}` was reviewed or has changed its state since it was looked at",
        zh = "`{task}` 在被查看之后已有新的审阅或状态变化",
        hint(
            en = "look at it first: `provost show {task}`; nothing was changed",
            zh = "请先查看：`provost show {task}`；没有任何更改"
        ),
        exit = Conflict
    )]
    Changed { task: TaskId, attempt: u16 },
}

impl MovedError {
    /// The task and its newest attempt.
    pub fn newest(&self) -> (&TaskId, u16) {
        match self {
            Self::Superseded { task, attempt, .. } | Self::Changed { task, attempt } => {
                (task, *attempt)
            }
        }
    }
}

/// Another process holds the task.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "desk.held",
    en = "`{task}` is running: {process}",
    zh = "`{task}` 正在运行：{process}",
    arg(process = Occupant::of(holder.as_deref())),
    hint(
        en = "wait for it (`provost logs {task} -f`), or `provost pause {task}`; nothing was changed",
        zh = "请等待其结束（`provost logs {task} -f`），或运行 `provost pause {task}`；没有任何更改"
    ),
    exit = Conflict
)]
pub struct HeldError {
    pub task: TaskId,
    pub holder: Option<Box<Holder>>,
}

/// Why a task cannot be looked at.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "desk.look")]
pub enum LookError {
    #[message(
        en = "cannot find task `{task}`",
        zh = "找不到任务 `{task}`",
        hint(
            when = nearest.is_some(),
            en = "did you mean `{nearest}`?",
            zh = "是否想写 `{nearest}`？"
        ),
        hint(
            when = nearest.is_none(),
            en = "run `provost ls` to list all tasks",
            zh = "运行 `provost ls` 列出所有任务"
        )
    )]
    Unknown { task: TaskId, nearest: Option<String> },
    #[message(transparent)]
    Id(IdError),
    #[message(
        en = "no tasks yet",
        zh = "还没有任务",
        hint(
            en = "start one: `provost do \"what should change\"`",
            zh = "新建任务：`provost do \"要改什么\"`"
        )
    )]
    NoTasks,
    #[message(
        en = "`{task}` has delivered nothing yet{of}",
        zh = "`{task}` {of}还没有交付任何改动",
        arg(of = attempt.map(OfAttempt)),
        hint(
            en = "`provost show {task}` lists its attempts",
            zh = "`provost show {task}` 列出各次尝试"
        )
    )]
    NoChange { task: TaskId, attempt: Option<u16> },
    #[message(
        en = "`{given}` is the start of {count} task ids: {tasks:names}",
        zh = "有 {count} 个任务 id 以 `{given}` 开头：{tasks:names}",
        hint(en = "type more of the id", zh = "请多输入几个字符")
    )]
    Ambiguous { given: String, count: usize, tasks: Vec<String> },
    #[message(
        en = "`{task}` has no output of `{step}`{of}",
        zh = "`{task}` {of}没有 `{step}` 的输出",
        arg(of = attempt.map(OfAttempt)),
        hint(
            en = "`provost logs {task}` shows which steps ran",
            zh = "`provost logs {task}` 显示运行过哪些步骤"
        )
    )]
    NoOutput { task: TaskId, step: &'static str, attempt: Option<u16> },
    #[message(en = "cannot read `{path}`: {why}", zh = "无法读取 `{path}`：{why}")]
    Unreadable { path: String, why: String },
    #[message(
        en = "the task has no spec: `{path}` is missing",
        zh = "任务没有规格：缺少 `{path}`",
        hint(
            en = "restore the file, or run the original spec again",
            zh = "请恢复该文件，或用原来的规格再次运行"
        ),
        exit = Integrity
    )]
    NoSpec { path: String },
    #[message(
        en = "`{path}` is not the spec that the task was created from",
        zh = "`{path}` 不是创建任务时的规格",
        hint(
            en = "restore the file, or run the changed spec under another task id; nothing was written",
            zh = "请恢复该文件，或用修改后的规格另起一个任务 id；没有写入任何内容"
        ),
        exit = Integrity
    )]
    Altered { path: String },
    #[message(
        en = "cannot trust `{path}`: it does not match the audit chain",
        zh = "无法信任 `{path}`：它与审计链不符",
        hint(
            en = "put the file back as it was; or `mv {path} {path}.edited`, and `provost resume {task}` goes on from what its attempts left",
            zh = "请把该文件恢复原样；或者先运行 `mv {path} {path}.edited`，再用 `provost resume {task}` 从已有的尝试继续"
        ),
        hint(
            en = "`provost audit verify` checks the chain; nothing was written",
            zh = "`provost audit verify` 检查审计链；没有写入任何内容"
        ),
        exit = Integrity
    )]
    StatusAltered { task: TaskId, path: String },
    /// The state was put aside, and the task is paused.
    #[message(
        en = "cannot read the state of `{task}` in `{path}`; the task is paused now",
        zh = "无法读取 `{task}` 的状态文件 `{path}`；任务现已暂停",
        hint(
            en = "the old file is kept as `{kept_as}`; run `provost resume {task}` to continue",
            zh = "原文件保存为 `{kept_as}`；运行 `provost resume {task}` 可继续"
        ),
        exit = Integrity
    )]
    Corrupt { task: TaskId, path: String, kept_as: String },
}

/// The attempt that was asked for.
#[derive(Debug, Message)]
#[message(code = "desk.look.of_attempt", en = " in attempt {0}", zh = "第 {0} 次尝试")]
struct OfAttempt(u16);

impl DeskError {
    /// The file whose contents stop the reader, if any: one broken task does not hide the others.
    pub(crate) fn unreadable(&self) -> Option<String> {
        match self {
            Self::Look(
                LookError::Unreadable { path, .. }
                | LookError::NoSpec { path }
                | LookError::Altered { path }
                | LookError::StatusAltered { path, .. },
            ) => Some(path.clone()),
            Self::File(error) => error.is_misread().then(|| error.path.to_string()),
            Self::Look(
                LookError::Unknown { .. }
                | LookError::Id(_)
                | LookError::NoTasks
                | LookError::NoChange { .. }
                | LookError::Ambiguous { .. }
                | LookError::NoOutput { .. }
                | LookError::Corrupt { .. },
            )
            | Self::Only(_)
            | Self::Order(_)
            | Self::Override(_)
            | Self::Edit(_)
            | Self::Request(_)
            | Self::Moved(_)
            | Self::Blind(_)
            | Self::Held(_)
            | Self::Lock(_)
            | Self::Audit(_) => None,
        }
    }
}
