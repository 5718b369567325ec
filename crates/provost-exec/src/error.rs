//! Why a job has no outcome.

use std::{
    io,
    path::{Path, PathBuf},
};

use provost_kernel::{Exit, Finding, Message, Text};

use crate::sandbox::Gap;

/// A job that was refused, could not be started, or whose end is not known.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum ExecError {
    /// A command rule refused it; nothing was started (LOOP-A3).
    Refused(Box<Finding>),
    /// The job is not one that can be run; nothing was started.
    BadJob(BadJob),
    /// The kernel cannot enforce what the job must have; nothing was started.
    Unenforceable { gaps: Vec<Gap> },
    /// The guardian could not be started or spoken to.
    Guardian { program: PathBuf, source: io::Error },
    /// The guardian could not do its part; nothing was started.
    NotStarted { action: String, cause: String },
    /// The guardian ended before the job did. What it had started was ended without it.
    GuardianLost { pid: u32 },
    /// The job is gone, but what it printed could not be kept.
    Output { stream: &'static str, source: io::Error },
}

/// What is the matter with a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadJob {
    NoCommand,
    Nul { place: &'static str },
    VariableName { name: String },
    RelativePath { place: &'static str, path: PathBuf },
    NotUtf8 { place: &'static str, path: PathBuf },
    NotAppending { stream: &'static str },
    HiddenInWritable { hidden: PathBuf, writable: PathBuf },
}

impl BadJob {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::NoCommand => lang
                .pick("cannot start a job without a command", "无法启动没有命令的作业")
                .to_owned(),
            Self::Nul { place } => lang.pick(
                format!("cannot start a job with a NUL byte in its {place}"),
                format!("无法启动作业:{place} 中含有 NUL 字节"),
            ),
            Self::VariableName { name } => lang.pick(
                format!("cannot start a job with the environment variable {name:?}"),
                format!("无法启动作业:环境变量名 {name:?} 无效"),
            ),
            Self::RelativePath { place, path } => lang.pick(
                format!("cannot start a job: its {place} `{}` is not absolute", path.display()),
                format!("无法启动作业:{place} `{}` 不是绝对路径", path.display()),
            ),
            Self::NotUtf8 { place, path } => lang.pick(
                format!("cannot start a job: its {place} `{}` is not UTF-8", escaped(path)),
                format!("无法启动作业:{place} `{}` 不是 UTF-8", escaped(path)),
            ),
            Self::NotAppending { stream } => lang.pick(
                format!("cannot capture {stream}: the raw file is not open for appending"),
                format!("无法捕获 {stream}:原始文件未以追加方式打开"),
            ),
            Self::HiddenInWritable { hidden, writable } => lang.pick(
                format!(
                    "cannot hide `{}` inside the writable folder `{}`",
                    hidden.display(),
                    writable.display()
                ),
                format!("无法在可写目录 `{}` 中隐藏 `{}`", writable.display(), hidden.display()),
            ),
        })
    }
}

/// The path with every byte that is not printable written out, so that it can be told from others.
fn escaped(path: &Path) -> String {
    path.as_os_str().as_encoded_bytes().escape_ascii().to_string()
}

impl Message for ExecError {
    fn text(&self) -> Text {
        Text::each(|lang| {
            match self {
            Self::Refused(finding) => lang.pick(
                format!("refused to run `{}`: {}", finding.subject, finding.message.render(lang)),
                format!("拒绝运行 `{}`:{}", finding.subject, finding.message.render(lang)),
            ),
            Self::BadJob(bad) => bad.text().render(lang),
            Self::Unenforceable { gaps } => {
                let words: Vec<String> = gaps.iter().map(|gap| gap.text().render(lang)).collect();
                lang.pick(
                    format!(
                        "cannot start the job in its sandbox: not enforced here: {}",
                        words.join("; ")
                    ),
                    format!("无法在沙箱中启动作业:此系统无法限制:{}", words.join(";")),
                )
            }
            Self::Guardian { program, .. } => lang.pick(
                format!("cannot start the guardian `{}`", program.display()),
                format!("无法启动守护进程 `{}`", program.display()),
            ),
            Self::NotStarted { action, cause } => lang.pick(
                format!("the guardian cannot {action}: {cause}"),
                format!("守护进程无法完成操作 `{action}`:{cause}"),
            ),
            Self::GuardianLost { pid } => lang.pick(
                format!("lost the guardian {pid} before its job ended; what was left of its session was killed"),
                format!("守护进程 {pid} 在作业结束前消失;其会话中剩余的进程已被终止"),
            ),
            Self::Output { stream, .. } => lang.pick(
                format!("cannot keep what the job wrote to {stream}"),
                format!("无法保存作业写入 {stream} 的内容"),
            ),
        }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::Refused(finding) => finding.hint.iter().map(|it| it.render(lang)).collect(),
            Self::Unenforceable { .. } => vec![
                lang.pick(
                    "run `provost doctor` to see what this kernel can enforce",
                    "运行 `provost doctor` 查看此内核支持的限制",
                )
                .into(),
            ],
            Self::BadJob(_)
            | Self::Guardian { .. }
            | Self::NotStarted { .. }
            | Self::GuardianLost { .. }
            | Self::Output { .. } => Vec::new(),
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Refused(_) => Exit::Refused,
            Self::BadJob(_)
            | Self::Unenforceable { .. }
            | Self::Guardian { .. }
            | Self::NotStarted { .. }
            | Self::GuardianLost { .. }
            | Self::Output { .. } => Exit::Unable,
        }
    }
}
