//! What stands between a project and its first task.

use provost_kernel::{Message, Text};

/// Something that is missing, with the command that mends it.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "init.problem")]
pub(super) enum Problem {
    #[message(
        en = "no test was found: nothing could be proven",
        zh = "没有找到测试：无法验证任何结果",
        hint(
            en = "write a test, or name the command in `provost.toml`: `[task]`, `test = \"…\"`; for one task: `provost do --test \"…\" \"…\"`",
            zh = "请编写测试，或在 `provost.toml` 的 `[task]` 中写 `test = \"…\"`；只用于一个任务时：`provost do --test \"…\" \"…\"`"
        )
    )]
    NoTest,
    #[message(
        en = "`{command}` ran 0 tests: nothing would be proven",
        zh = "`{command}` 运行了 0 个测试：无法验证任何结果",
        hint(
            en = "write a test, or change `task.test` in `provost.toml`",
            zh = "请编写测试，或修改 `provost.toml` 中的 `task.test`"
        )
    )]
    ZeroTests { command: String },
    #[message(
        en = "the test is red before any change: {failed} failed, {passed} passed",
        zh = "尚未改动，测试就已失败：{failed} 个失败，{passed} 个通过",
        hint(
            when = !names.is_empty(),
            en = "mend these first, or let an agent do it: {names:names}",
            zh = "请先修复，或交给智能体修复：{names:names}"
        )
    )]
    Red { failed: usize, passed: usize, names: Vec<String> },
    #[message(
        en = "the test is red before any change: `{command}` exited with {rc}: {last_line}",
        zh = "尚未改动，测试就已失败：`{command}` 退出码 {rc}：{last_line}",
        hint(
            en = "run `{command}` yourself; another command goes into `task.test` of `provost.toml`",
            zh = "请自行运行 `{command}`；如需换用其他命令，请修改 `provost.toml` 中的 `task.test`"
        )
    )]
    RedExit { command: String, rc: i32, last_line: String },
    #[message(
        en = "the test cannot run here: {why}",
        zh = "测试无法在此运行：{why}",
        hint(
            en = "install the program, or add it to the project's dependencies; another command goes into `task.test` of `provost.toml`",
            zh = "请安装该程序，或将其加入项目依赖；如需换用其他命令，请修改 `provost.toml` 中的 `task.test`"
        )
    )]
    CannotRun { why: Text },
    #[message(
        en = "the check `{name}` is red before any change: `{command}` exited with {rc}",
        zh = "尚未改动，检查 `{name}` 就未通过：`{command}` 退出码 {rc}",
        hint(
            en = "mend it, then run `provost init` again: only a green check is written, and held against a task",
            zh = "请先修复，再运行 `provost init`：只有通过的检查才会写入，并用于检验任务"
        )
    )]
    CheckRed { name: &'static str, command: String, rc: i32 },
    #[message(
        en = "the check `{name}` is not used: {why}",
        zh = "检查 `{name}` 未采用：{why}",
        hint(
            en = "install the program, or add it to the project's dependencies, then run `provost init` again; another command goes into `task.{name}` of `provost.toml`",
            zh = "请安装该程序，或将其加入项目依赖，再运行 `provost init`；如需换用其他命令，请写入 `provost.toml` 的 `task.{name}`"
        )
    )]
    CheckCannotRun { name: &'static str, why: Text },
    #[message(
        en = "`provost.toml` lacks {keys:names}: green here, and not checked in tasks",
        zh = "`provost.toml` 缺少 {keys:names}：在此通过，但任务中不会检查",
        hint(en = "`provost init` adds them", zh = "`provost init` 会补上")
    )]
    ChecksNotSetUp { keys: Vec<String> },
    #[message(
        en = "the dependencies cannot be installed: {why}",
        zh = "无法安装依赖：{why}",
        hint(
            en = "name the right commands in `provost.toml` with `[[prepare]]`, or set `task.prepare_default = false`",
            zh = "请在 `provost.toml` 中用 `[[prepare]]` 写明命令，或设置 `task.prepare_default = false`"
        )
    )]
    NotPrepared { why: Text },
    #[message(
        en = "no agent is installed: none of {programs:names} is in PATH",
        zh = "没有安装智能体：PATH 中没有 {programs:names}",
        hint(
            en = "install one of them, or describe a program of your own in `provost.toml` and name it in `[task] coder` (docs/adapters.md), then run `provost init` again",
            zh = "请安装其中之一，或在 `provost.toml` 中描述自己的程序并写入 `[task] coder`（`docs/adapters.md`），然后再次运行 `provost init`"
        )
    )]
    NoAgent { programs: Vec<String> },
    #[message(
        en = "{title} is not installed: `{program}` is not in PATH",
        zh = "{title} 尚未安装：PATH 中没有 `{program}`",
        hint(
            en = "install it, or set another `task.coder` in `provost.toml`",
            zh = "请安装它，或在 `provost.toml` 中设置其他 `task.coder`"
        )
    )]
    NotInstalled { title: String, program: String },
    #[message(
        en = "{title} is not logged in",
        zh = "{title} 尚未登录",
        hint(en = "log in with `{program}`", zh = "请用 `{program}` 登录")
    )]
    LoggedOut { title: String, program: String },
    #[message(
        en = "`provost.toml` is not committed: for a task, the committed one counts",
        zh = "`provost.toml` 尚未提交：任务以已提交的版本为准",
        hint(
            en = "`git add provost.toml && git commit -m \"Set up provost\" provost.toml`",
            zh = "`git add provost.toml && git commit -m \"Set up provost\" provost.toml`"
        )
    )]
    NotCommitted,
    #[message(
        en = "git did not commit `provost.toml`: {said}",
        zh = "git 没有提交 `provost.toml`：{said}",
        hint(
            en = "commit it yourself: `git add provost.toml && git commit provost.toml`",
            zh = "请自行提交：`git add provost.toml && git commit provost.toml`"
        )
    )]
    CommitRefused { said: String },
    #[message(
        en = "nothing was written: this is not a terminal, so you cannot be asked",
        zh = "没有写入任何内容：当前没有终端，无法向你确认",
        hint(
            en = "`provost init --yes` writes and commits `provost.toml`",
            zh = "`provost init --yes` 会写入并提交 `provost.toml`"
        )
    )]
    Unasked,
    #[message(
        en = "`provost.toml` lacks {keys:names}",
        zh = "`provost.toml` 缺少 {keys:names}",
        hint(en = "`provost init` adds them", zh = "`provost init` 会补上")
    )]
    NotSetUp { keys: Vec<String> },
    #[message(en = "{what}", zh = "{what}")]
    NotInstalledFrom { what: Text },
    #[message(
        en = "the tests of `{folder}` are not part of the test of a task",
        zh = "`{folder}` 的测试不包含在任务的测试中",
        hint(
            en = "add them to `task.test` in `provost.toml`: `{command}`",
            zh = "可加入 `provost.toml` 的 `task.test`：`{command}`"
        )
    )]
    LeftOut { folder: String, command: String },
}

impl Problem {
    /// Whether a task could not be proven, or not even started, because of it.
    pub(super) fn is_serious(&self) -> bool {
        !matches!(
            self,
            Self::NotInstalledFrom { .. }
                | Self::LeftOut { .. }
                | Self::CheckRed { .. }
                | Self::CheckCannotRun { .. }
                | Self::ChecksNotSetUp { .. }
        )
    }
}
