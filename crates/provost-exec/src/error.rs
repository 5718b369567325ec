//! Errors of supervised processes.

use std::{
    io,
    path::{Path, PathBuf},
};

use provost_kernel::{Finding, Message};
use serde::{Deserialize, Serialize};

use crate::sandbox::Gap;

/// A job that was refused, could not be started, or whose end is not known.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "exec")]
pub enum ExecError {
    /// A command rule refused it; nothing was started (LOOP-A3).
    #[message(
        en = "refused to run `{subject}`: {message}",
        zh = "拒绝运行 `{subject}`：{message}",
        hint(when = field0.hint.is_some(), en = "{hint}", zh = "{hint}"),
        arg(subject = field0.subject),
        arg(message = field0.message),
        arg(hint = field0.hint),
        exit = Refused
    )]
    Refused(Box<Finding>),
    /// The job cannot be run as it is described; nothing was started.
    #[message(transparent)]
    BadJob(BadJob),
    /// The kernel cannot enforce what the job must have; nothing was started.
    #[message(
        en = "cannot start the job in its sandbox: not enforced here: {gaps}",
        zh = "无法在沙箱中启动作业：此系统无法限制：{gaps}",
        hint(
            en = "run `provost doctor` to see what this kernel can enforce",
            zh = "运行 `provost doctor` 查看此内核支持的限制"
        )
    )]
    Unenforceable { gaps: Vec<Gap> },
    /// The guardian could not be started or spoken to.
    #[message(en = "cannot start the guardian `{program}`", zh = "无法启动守护进程 `{program}`")]
    Guardian { program: PathBuf, source: io::Error },
    /// The guardian could not do its part; nothing was started.
    #[message(en = "cannot {action}: {cause}", zh = "无法{action}：{cause}")]
    NotStarted { action: StartAction, cause: String },
    /// The guardian ended before the job did. What it had started was ended without it.
    #[message(
        en = "guardian {pid} exited before its job; the rest of its session was killed",
        zh = "守护进程 {pid} 在作业结束前退出；其会话中剩余的进程已被终止"
    )]
    GuardianLost { pid: u32 },
    /// The job is gone, but its output could not be stored.
    #[message(en = "cannot store the job's {stream}", zh = "无法保存作业的 {stream}")]
    Output { stream: &'static str, source: io::Error },
}

/// A step between the request for a job and its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Message)]
#[serde(rename_all = "snake_case")]
#[message(code = "exec.start")]
pub enum StartAction {
    #[message(en = "track the processes of the job", zh = "跟踪作业的进程")]
    TrackProcesses,
    #[message(en = "read the description of the job", zh = "读取作业的描述")]
    ReadPlan,
    #[message(en = "prepare the sandbox", zh = "准备沙箱")]
    PrepareSandbox,
    #[message(en = "enter the sandbox", zh = "进入沙箱")]
    EnterSandbox,
    #[message(en = "probe the sandbox", zh = "探测沙箱")]
    ProbeSandbox,
    #[message(en = "start in the background", zh = "在后台启动")]
    Detach,
}

/// Why a job is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "exec.job")]
pub enum BadJob {
    #[message(en = "cannot start a job without a command", zh = "无法启动没有命令的作业")]
    NoCommand,
    #[message(
        en = "cannot start the job: its {part} contains a NUL byte",
        zh = "无法启动作业：{part}中含有 NUL 字节"
    )]
    Nul { part: JobPart },
    #[message(
        en = "cannot start the job: invalid environment variable {name:?}",
        zh = "无法启动作业：环境变量名 {name:?} 无效"
    )]
    VariableName { name: String },
    #[message(
        en = "cannot start the job: its {part} `{path}` is not absolute",
        zh = "无法启动作业：{part} `{path}` 不是绝对路径"
    )]
    RelativePath { part: JobPart, path: PathBuf },
    #[message(
        en = "cannot start the job: its {part} `{path}` is not UTF-8",
        zh = "无法启动作业：{part} `{path}` 不是 UTF-8",
        arg(path = escaped(path))
    )]
    NotUtf8 { part: JobPart, path: PathBuf },
    #[message(
        en = "cannot capture {stream}: the raw file is not open for appending",
        zh = "无法捕获 {stream}：原始文件未以追加方式打开"
    )]
    NotAppending { stream: &'static str },
    #[message(
        en = "cannot hide `{hidden}` inside the writable folder `{writable}`",
        zh = "无法在可写目录 `{writable}` 中隐藏 `{hidden}`"
    )]
    HiddenInWritable { hidden: PathBuf, writable: PathBuf },
}

/// A part of a job's description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "exec.part")]
pub enum JobPart {
    #[message(en = "command", zh = "命令")]
    Command,
    #[message(en = "environment", zh = "环境变量")]
    Environment,
    #[message(en = "working directory", zh = "工作目录")]
    Cwd,
    #[message(en = "stdin file", zh = "标准输入文件")]
    Stdin,
    #[message(en = "writable folder", zh = "可写目录")]
    Writable,
    #[message(en = "hidden path", zh = "隐藏路径")]
    Hidden,
}

/// The path with every unprintable byte escaped, so that two paths cannot look the same.
fn escaped(path: &Path) -> String {
    path.as_os_str().as_encoded_bytes().escape_ascii().to_string()
}
