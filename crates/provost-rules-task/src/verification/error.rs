//! Why a branch could not be verified, and what to type instead.

use provost_kernel::{Message, Text};

/// Why nothing is known of a branch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.verify")]
pub enum VerifyError {
    #[message(
        en = "`{folder}` is not inside a git repository",
        zh = "`{folder}` 不在 git 仓库中",
        hint(
            en = "change to your project, then `provost verify`",
            zh = "请进入你的项目目录，再运行 `provost verify`"
        )
    )]
    NoRepository { folder: String },
    #[message(
        en = "the repository has no commit yet",
        zh = "仓库还没有提交",
        hint(
            en = "commits are verified: `git add -A && git commit --allow-empty -m \"first commit\"`",
            zh = "验证的对象是提交：`git add -A && git commit --allow-empty -m \"first commit\"`"
        )
    )]
    NoCommit,
    /// The branch would choose its own gate by where it starts.
    #[message(
        en = "`provost.toml` has changed on `{base}` since `{name}` left it",
        zh = "`{name}` 分出之后，`{base}` 上的 `provost.toml` 已有改动",
        hint(
            en = "merge `{base}` into the branch first, then verify it again",
            zh = "请先将 `{base}` 合并到该分支，再重新验证"
        )
    )]
    ConfigurationMoved { name: String, base: String },
    /// The branch could lead the report out of the repository.
    #[message(
        en = "`{path}` leads over a link, and reports are not written through links",
        zh = "`{path}` 途经链接，报告不会经由链接写入",
        hint(en = "name another file", zh = "请指定其他文件")
    )]
    ReportOverLink { path: String },
    #[message(
        en = "no branch, tag or commit is called `{name}`",
        zh = "没有名为 `{name}` 的分支、标签或提交",
        hint(
            when = nearest.is_some(),
            en = "did you mean `{nearest}`?",
            zh = "是否指 `{nearest}`？"
        ),
        hint(
            when = nearest.is_none(),
            en = "`git branch --all` lists the branches; `git fetch` brings new ones",
            zh = "`git branch --all` 列出所有分支；`git fetch` 获取新的分支"
        )
    )]
    NoSuchRevision { name: String, nearest: Option<String> },
    #[message(
        en = "cannot tell which branch `{name}` is to be merged into: the repository has neither `origin/HEAD` nor `main` nor `master`",
        zh = "无法确定 `{name}` 要合入哪个分支：仓库中没有 `origin/HEAD`、`main` 或 `master`",
        hint(
            en = "name it: `provost verify --base BRANCH`",
            zh = "请指定：`provost verify --base BRANCH`"
        )
    )]
    NoTarget { name: String },
    #[message(
        en = "`{name}` and `{base}` have no commit in common",
        zh = "`{name}` 与 `{base}` 没有共同的提交",
        hint(
            when = *is_shallow,
            en = "the clone is shallow: `git fetch --unshallow` (in a GitHub workflow `fetch-depth: 0`, on GitLab `GIT_DEPTH: 0`)",
            zh = "这是浅克隆：请运行 `git fetch --unshallow`（GitHub 工作流中写 `fetch-depth: 0`，GitLab 中写 `GIT_DEPTH: 0`）"
        ),
        hint(
            when = !*is_shallow,
            en = "name the branch that it started from: `provost verify --base BRANCH`",
            zh = "请指定它的起点分支：`provost verify --base BRANCH`"
        )
    )]
    NoCommonBase { name: String, base: String, is_shallow: bool },
    #[message(
        en = "nothing to verify: `{name}` adds nothing to `{base}`",
        zh = "没有可验证的内容：`{name}` 相对于 `{base}` 没有改动",
        hint(
            en = "commit your work, or name another base: `provost verify --base BRANCH`",
            zh = "请先提交，或指定其他基准：`provost verify --base BRANCH`"
        )
    )]
    NothingToVerify { name: String, base: String },
    #[message(
        en = "no test is known: `provost.toml` of `{base}` names none",
        zh = "没有测试命令：`{base}` 的 `provost.toml` 没有指定",
        hint(
            when = found.is_some(),
            en = "`provost verify --test \"{found}\"`; for good: `provost init` on `{base}`",
            zh = "`provost verify --test \"{found}\"`；要长期使用，请在 `{base}` 上运行 `provost init`"
        ),
        hint(
            when = found.is_none(),
            en = "`provost verify --test \"CMD\"`; for good: `[task] test = \"CMD\"` in `provost.toml` of `{base}`",
            zh = "`provost verify --test \"CMD\"`；要长期使用，请在 `{base}` 的 `provost.toml` 中写 `[task] test = \"CMD\"`"
        )
    )]
    NoTest { base: String, found: Option<String> },
    #[message(
        en = "cannot install what `{base}` needs: {why}",
        zh = "无法安装 `{base}` 所需的依赖：{why}",
        hint(
            en = "name the right commands in its `provost.toml` with `[[prepare]]`, or set `task.prepare_default = false`",
            zh = "请在其 `provost.toml` 中用 `[[prepare]]` 写明命令，或设置 `task.prepare_default = false`"
        )
    )]
    BaseNotPrepared { base: String, why: Text },
    #[message(
        en = "the test cannot run here: {why}",
        zh = "测试无法在此运行：{why}",
        hint(
            en = "install the program, or name another command: `--test \"CMD\"`",
            zh = "请安装该程序，或指定其他命令：`--test \"CMD\"`"
        )
    )]
    BaseNotRun { why: Text },
    #[message(en = "stopped by you", zh = "已由你停止", exit = Paused)]
    Stopped,
}
