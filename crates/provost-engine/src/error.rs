//! Errors of the use cases.
//!
//! A failure of an agent, a judge or a test is not an error: it is a fact, and the table decides.

use provost_adapter::{AdapterError, select::SelectError};
use provost_desk::DeskError;
use provost_exec::{ExecError, git::GitError, remote::RemoteError};
use provost_kernel::{Finding, Message, TaskId, Text};
use provost_rules_task::{
    landing::LandError, policy::PolicyError, spec::SpecFault, verdict::YardstickError,
    verification::VerifyError,
};
use provost_vault::{FileError, audit::AuditError};

use crate::{guard::install::SetupError, story::StoryError};

/// Something that a use case could not do.
#[derive(Debug, thiserror::Error, Message)]
#[error(transparent)]
#[message(code = "engine")]
pub enum EngineError {
    #[message(transparent)]
    Run(#[from] RunError),
    #[message(transparent)]
    Spec(#[from] SpecFault),
    #[message(transparent)]
    Policy(#[from] PolicyError),
    #[message(transparent)]
    Yardstick(#[from] YardstickError),
    #[message(transparent)]
    Select(#[from] SelectError),
    #[message(transparent)]
    Adapter(#[from] AdapterError),
    #[message(transparent)]
    Exec(#[from] ExecError),
    #[message(transparent)]
    Remote(#[from] RemoteError),
    #[message(transparent)]
    Git(#[from] GitError),
    #[message(transparent)]
    Desk(#[from] DeskError),
    #[message(transparent)]
    File(#[from] FileError),
    #[message(transparent)]
    Setup(#[from] SetupError),
    #[message(transparent)]
    Story(#[from] StoryError),
    #[message(transparent)]
    Land(#[from] LandError),
    #[message(transparent)]
    Verify(#[from] VerifyError),
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
    /// The task is out of sight, and its results are still named in the repository.
    #[message(
        en = "the results of `{task}` could not be taken out of the repository; the rest of it is gone from sight",
        zh = "无法从仓库中移除 `{task}` 的结果；其余部分已移除",
        hint(
            en = "mend what git says, then run `provost rm {task} --yes` again",
            zh = "请先解决 git 提示的问题，再次运行 `provost rm {task} --yes`"
        ),
        exit = Unable
    )]
    NotForgotten { task: TaskId, source: GitError },
    /// A command of the task that may never run. Nothing was started.
    #[message(
        en = "refused to run `{subject}`: {message}",
        zh = "拒绝运行 `{subject}`：{message}",
        arg(subject = field0.subject),
        arg(message = field0.message),
        arg(hint = field0.hint),
        hint(when = field0.hint.is_some(), en = "{hint}", zh = "{hint}"),
        exit = Refused
    )]
    Refused(Box<Finding>),
    /// Neither the task nor the configuration says who does the work. Nothing was written.
    #[message(
        en = "no agent is named for the work",
        zh = "没有指定执行任务的智能体",
        hint(
            en = "`provost init` finds your agent and your test; or name one: `--agent {name}`",
            zh = "运行 `provost init` 查找智能体和测试命令；或直接指定：`--agent {name}`"
        )
    )]
    NoCoder {
        /// One that could do it.
        name: String,
    },
    /// Nothing was written, and nothing was spent.
    #[message(
        en = "{title} is not installed: `{program}` was not found in `PATH`; nothing was spent",
        zh = "{title} 未安装：在 `PATH` 中找不到 `{program}`；没有产生费用",
        hint(
            en = "install it, or choose another agent with `--agent`",
            zh = "请先安装，或用 `--agent` 选择其他智能体"
        )
    )]
    NotInstalled { title: &'static str, program: String },
    /// Nothing was spent.
    #[message(
        en = "{title} is not logged in; nothing was spent",
        zh = "{title} 尚未登录；没有产生费用",
        hint(en = "`{mend}`, then again", zh = "请先运行 `{mend}`，再重试")
    )]
    NotLoggedIn { title: &'static str, mend: &'static str },
    /// Nothing was spent.
    #[message(
        en = "`{name}` has no key: `{variable}` is not set; nothing was spent",
        zh = "`{name}` 没有密钥：未设置 `{variable}`；没有产生费用",
        hint(
            en = "set `{variable}`, or let the tests judge: `judge = \"tests\"`",
            zh = "请设置 `{variable}`，或由测试评审：`judge = \"tests\"`"
        )
    )]
    NoKey { name: String, variable: String },
    /// Nothing is there to start from. Nothing was written.
    #[message(
        en = "the repository `{path}` has no commit to start from",
        zh = "仓库 `{path}` 还没有可作为起点的提交",
        arg(path = path.display().to_string()),
        hint(
            en = "`git add -A && git commit -m start`, then again",
            zh = "请先 `git add -A && git commit -m start`，再运行一次"
        )
    )]
    EmptyRepository { path: std::path::PathBuf },
    /// Nothing was written.
    #[message(
        en = "`target_branch` names `{branch}`, and the repository has no such branch",
        zh = "`target_branch` 指定的分支 `{branch}` 在仓库中不存在",
        hint(
            en = "create it (`git branch {branch}`), or leave the field out and name a new branch when it lands: `provost land ID --branch {branch}`",
            zh = "请创建该分支（`git branch {branch}`），或省去该字段，在合入时指定新分支：`provost land ID --branch {branch}`"
        )
    )]
    NoTarget { branch: String },
    /// `--with-changes` in the middle of a merge. Nothing was written.
    #[message(
        en = "your changes cannot be part of a task: a merge is not finished, and {files:names} {count:is|are} in conflict",
        zh = "无法将你的改动纳入任务：合并尚未完成，{files:names} 存在冲突（共 {count} 个文件）",
        arg(count = files.len()),
        hint(
            en = "`git status` says how to finish it; without `--with-changes` the task starts from your last commit",
            zh = "运行 `git status` 查看如何完成合并；不加 `--with-changes` 时，任务从最近一次提交开始"
        )
    )]
    Unmerged { files: Vec<String> },
    /// What the policy refuses in a result, it refuses in a base. Nothing was written.
    #[message(
        en = "your changes cannot be part of a task: `{subject}` {message}",
        zh = "无法将你的改动纳入任务：`{subject}` {message}",
        arg(subject = field0.subject),
        arg(message = field0.message),
        hint(
            en = "move it away or let git ignore it, then again; without `--with-changes` the task starts from your last commit",
            zh = "请移走该文件或让 git 忽略它，再重试；不加 `--with-changes` 时，任务从最近一次提交开始"
        ),
        exit = Refused
    )]
    ChangesRefused(Box<Finding>),
    /// The recording of an adapter cannot be read.
    #[message(en = "cannot read the recording `{file}`", zh = "无法读取录制文件 `{file}`")]
    Recording { file: String, source: std::io::Error },
    /// Something of an earlier run is still there.
    #[message(
        en = "cannot end the processes that an earlier run left behind",
        zh = "无法结束先前运行遗留的进程",
        hint(
            en = "`ps -ef` shows them; end them, then run the task again",
            zh = "可用 `ps -ef` 查看；结束它们后再次运行任务"
        )
    )]
    Strays(#[source] std::io::Error),
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
