//! Why a use case could not be carried out.
//!
//! What an agent, a judge or a test did wrong is no error: it is a fact, and the table decides.

use provost_adapter::{AdapterError, select::SelectError};
use provost_desk::DeskError;
use provost_exec::{ExecError, git::GitError, remote::RemoteError};
use provost_kernel::{Exit, Fault, Finding, Lang, TaskId, task::Bilingual};
use provost_rules::task::{policy::PolicyError, spec::SpecFault, verdict::YardstickError};
use provost_vault::{FileError, audit::AuditError};

/// Something that a use case could not do.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text(Lang::En))]
pub enum EngineError {
    /// Another spec runs under this id. Nothing was written.
    Conflict {
        task: TaskId,
        message: Bilingual,
        questions: Vec<Bilingual>,
    },
    /// A command of the task is one that nobody may run. Nothing was started.
    Refused(Box<Finding>),
    /// The recording of an adapter cannot be read.
    Recording {
        file: String,
        source: std::io::Error,
    },
    /// The task has as many attempts as their names can count.
    TooManyAttempts {
        task: TaskId,
    },
    /// There is no such attempt to repeat.
    NoSuchAttempt {
        task: TaskId,
        attempt: u16,
    },
    Spec(#[source] SpecFault),
    Policy(#[source] PolicyError),
    Yardstick(#[source] YardstickError),
    Select(#[source] SelectError),
    Adapter(#[source] AdapterError),
    Exec(#[source] ExecError),
    Remote(#[source] RemoteError),
    Git(#[source] GitError),
    Desk(#[source] DeskError),
    File(#[source] FileError),
}

macro_rules! from {
    ($($error:ident => $variant:ident),+ $(,)?) => {
        $(impl From<$error> for EngineError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        })+
    };
}

from!(
    SpecFault => Spec,
    PolicyError => Policy,
    YardstickError => Yardstick,
    SelectError => Select,
    AdapterError => Adapter,
    ExecError => Exec,
    RemoteError => Remote,
    GitError => Git,
    DeskError => Desk,
    FileError => File,
);

impl From<AuditError> for EngineError {
    fn from(error: AuditError) -> Self {
        Self::Desk(error.into())
    }
}

impl EngineError {
    /// The error of another layer that this one passes on.
    fn inner(&self) -> Option<&dyn Fault> {
        Some(match self {
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
            Self::Conflict { .. }
            | Self::Refused(_)
            | Self::Recording { .. }
            | Self::TooManyAttempts { .. }
            | Self::NoSuchAttempt { .. } => return None,
        })
    }
}

impl Fault for EngineError {
    fn text(&self, lang: Lang) -> String {
        if let Some(inner) = self.inner() {
            return inner.text(lang);
        }
        match self {
            Self::Conflict { task, message, .. } => format!("`{task}`: {}", message.pick(lang)),
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
            Self::Spec(_)
            | Self::Policy(_)
            | Self::Yardstick(_)
            | Self::Select(_)
            | Self::Adapter(_)
            | Self::Exec(_)
            | Self::Remote(_)
            | Self::Git(_)
            | Self::Desk(_)
            | Self::File(_) => String::new(),
        }
    }

    fn hints(&self, lang: Lang) -> Vec<String> {
        if let Some(inner) = self.inner() {
            return inner.hints(lang);
        }
        match self {
            Self::Conflict { task, questions, .. } => {
                let mut hints: Vec<String> =
                    questions.iter().map(|it| it.pick(lang).to_owned()).collect();
                hints.push(lang.pick(
                    format!("`provost show {task}` says what runs under this id"),
                    format!("`provost show {task}` 显示使用此 id 的任务"),
                ));
                hints
            }
            Self::Refused(finding) => finding.hint.iter().cloned().collect(),
            Self::NoSuchAttempt { task, .. } => vec![lang.pick(
                format!("`provost show {task}` lists the attempts"),
                format!("`provost show {task}` 列出所有尝试"),
            )],
            Self::Recording { .. }
            | Self::TooManyAttempts { .. }
            | Self::Spec(_)
            | Self::Policy(_)
            | Self::Yardstick(_)
            | Self::Select(_)
            | Self::Adapter(_)
            | Self::Exec(_)
            | Self::Remote(_)
            | Self::Git(_)
            | Self::Desk(_)
            | Self::File(_) => Vec::new(),
        }
    }

    fn exit(&self) -> Exit {
        if let Some(inner) = self.inner() {
            return inner.exit();
        }
        match self {
            Self::Conflict { .. } => Exit::Conflict,
            Self::Refused(_) => Exit::Refused,
            Self::Recording { .. }
            | Self::TooManyAttempts { .. }
            | Self::NoSuchAttempt { .. }
            | Self::Spec(_)
            | Self::Policy(_)
            | Self::Yardstick(_)
            | Self::Select(_)
            | Self::Adapter(_)
            | Self::Exec(_)
            | Self::Remote(_)
            | Self::Git(_)
            | Self::Desk(_)
            | Self::File(_) => Exit::Unable,
        }
    }
}
