//! Errors of the use cases.
//!
//! A failure of an agent, a judge or a test is not an error: it is a fact, and the table decides.

use provost_adapter::{AdapterError, select::SelectError};
use provost_desk::DeskError;
use provost_exec::{ExecError, git::GitError, remote::RemoteError};
use provost_kernel::{
    Exit, Fault, Finding, Message, TaskId, Text,
    message::{Argument, IntoArgument},
};
use provost_rules_task::{policy::PolicyError, spec::SpecFault, verdict::YardstickError};
use provost_vault::{FileError, audit::AuditError};

use crate::{guard::install::SetupError, story::StoryError};

/// Something that a use case could not do.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum EngineError {
    Run(#[from] RunError),
    Spec(#[from] SpecFault),
    Policy(#[from] PolicyError),
    Yardstick(#[from] YardstickError),
    Select(#[from] SelectError),
    Adapter(#[from] AdapterError),
    Exec(#[from] ExecError),
    Remote(#[from] RemoteError),
    Git(#[from] GitError),
    Desk(#[from] DeskError),
    File(#[from] FileError),
    Setup(#[from] SetupError),
    Story(#[from] StoryError),
}

/// Why a task is not run.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.run")]
pub enum RunError {
    /// Another spec runs under this id. Nothing was written.
    #[message(
        en = "`{task}`: {message}",
        zh = "`{task}`：{message}",
        arg(first = questions.first()),
        arg(second = questions.get(1)),
        hint(when = !questions.is_empty(), en = "{first}", zh = "{first}"),
        hint(when = questions.len() > 1, en = "{second}", zh = "{second}"),
        hint(
            en = "run `provost show {task}` to see what runs under this id",
            zh = "运行 `provost show {task}` 查看使用此 id 的任务"
        ),
        exit = Conflict
    )]
    Conflict { task: TaskId, message: Text, questions: Vec<Text> },
    /// A command of the task that may never run. Nothing was started.
    #[message(
        en = "refused to run `{subject}`: {message}",
        zh = "拒绝运行 `{subject}`:{message}",
        arg(subject = field0.subject),
        arg(message = field0.message),
        arg(hint = field0.hint),
        hint(when = field0.hint.is_some(), en = "{hint}", zh = "{hint}"),
        exit = Refused
    )]
    Refused(Box<Finding>),
    /// The recording of an adapter cannot be read.
    #[message(en = "cannot read the recording `{file}`", zh = "无法读取录制文件 `{file}`")]
    Recording { file: String, source: std::io::Error },
    /// The task has as many attempts as their names can count.
    #[message(
        en = "`{task}` has reached the limit of attempts",
        zh = "`{task}` 的尝试次数已达上限"
    )]
    TooManyAttempts { task: TaskId },
    /// There is no such attempt to repeat.
    #[message(
        en = "`{task}` has no attempt {attempt}",
        zh = "`{task}` 没有第 {attempt} 次尝试",
        hint(
            en = "run `provost show {task}` to list the attempts",
            zh = "运行 `provost show {task}` 列出所有尝试"
        )
    )]
    NoSuchAttempt { task: TaskId, attempt: u16 },
}

impl From<AuditError> for EngineError {
    fn from(error: AuditError) -> Self {
        Self::Desk(error.into())
    }
}

impl EngineError {
    /// The error of the layer that it comes from.
    fn inner(&self) -> &dyn Fault {
        match self {
            Self::Run(error) => error,
            Self::Spec(error) => error,
            Self::Policy(error) => error,
            Self::Yardstick(YardstickError::Rubric(error)) => error,
            Self::Yardstick(YardstickError::KeywordCaps(error)) => error,
            Self::Select(error) => error,
            Self::Adapter(error) => error,
            Self::Exec(error) => error,
            Self::Remote(error) => error,
            Self::Git(error) => error,
            Self::Desk(error) => error,
            Self::File(error) => error,
            Self::Setup(error) => error,
            Self::Story(error) => error,
        }
    }
}

impl Message for EngineError {
    fn text(&self) -> Text {
        self.inner().text()
    }

    fn hints(&self) -> Vec<Text> {
        self.inner().hints()
    }

    fn exit(&self) -> Exit {
        self.inner().exit()
    }
}

impl IntoArgument for EngineError {
    fn to_argument(&self) -> Argument {
        Argument::Text(self.text())
    }
}
