//! Why a use case could not be carried out.
//!
//! What an agent, a judge or a test did wrong is no error: it is a fact, and the table decides.

use provost_adapter::{AdapterError, select::SelectError};
use provost_desk::DeskError;
use provost_exec::{ExecError, git::GitError, remote::RemoteError};
use provost_kernel::{Exit, Fault, Finding, Message, TaskId, Text};
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
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum RunError {
    /// Another spec runs under this id. Nothing was written.
    Conflict { task: TaskId, message: Text, questions: Vec<Text> },
    /// A command of the task is one that nobody may run. Nothing was started.
    Refused(Box<Finding>),
    /// The recording of an adapter cannot be read.
    Recording { file: String, source: std::io::Error },
    /// The task has as many attempts as their names can count.
    TooManyAttempts { task: TaskId },
    /// There is no such attempt to repeat.
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
        Text::each(|lang| self.inner().text().render(lang))
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| self.inner().hints_in(lang))
    }

    fn exit(&self) -> Exit {
        self.inner().exit()
    }
}

impl Message for RunError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Conflict { task, message, .. } => format!("`{task}`: {}", message.render(lang)),
            Self::Refused(finding) => lang.pick(
                format!("refused to run `{}`: {}", finding.subject, finding.message),
                format!("拒绝运行 `{}`:{}", finding.subject, finding.message),
            ),
            Self::Recording { file, .. } => lang.pick(
                format!("cannot read the recording `{file}`"),
                format!("无法读取录制文件 `{file}`"),
            ),
            Self::TooManyAttempts { task } => lang.pick(
                format!("`{task}` has as many attempts as there can be"),
                format!("`{task}` 的尝试次数已达上限"),
            ),
            Self::NoSuchAttempt { task, attempt } => lang.pick(
                format!("`{task}` has no attempt {attempt}"),
                format!("`{task}` 没有第 {attempt} 次尝试"),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::Conflict { task, questions, .. } => {
                let mut hints: Vec<String> = questions.iter().map(|it| it.render(lang)).collect();
                hints.push(lang.pick(
                    format!("`provost show {task}` says what runs under this id"),
                    format!("`provost show {task}` 显示使用此 id 的任务"),
                ));
                hints
            }
            Self::Refused(finding) => finding.hint.iter().map(|it| it.render(lang)).collect(),
            Self::NoSuchAttempt { task, .. } => vec![lang.pick(
                format!("`provost show {task}` lists the attempts"),
                format!("`provost show {task}` 列出所有尝试"),
            )],
            Self::Recording { .. } | Self::TooManyAttempts { .. } => Vec::new(),
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Conflict { .. } => Exit::Conflict,
            Self::Refused(_) => Exit::Refused,
            Self::Recording { .. } | Self::TooManyAttempts { .. } | Self::NoSuchAttempt { .. } => {
                Exit::Unable
            }
        }
    }
}
