//! Why a result does not land, and what to type instead.

use provost_kernel::{Message, TaskId, Text, task::ProofFinding};

/// Why no branch was moved. Branches, index and files are as they were.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.land", exit = Refused)]
pub enum LandError {
    #[message(
        en = "cannot land `{task}`: it is running",
        zh = "无法合入 `{task}`：任务正在运行",
        hint(
            en = "wait for it (`provost logs {task} -f`), or `provost pause {task}`",
            zh = "请等待其结束（`provost logs {task} -f`），或运行 `provost pause {task}`"
        ),
        exit = Conflict
    )]
    Running { task: TaskId },
    #[message(
        en = "cannot land `{task}`: it is paused, and its newest attempt is not ready",
        zh = "无法合入 `{task}`：任务已暂停，最新的尝试尚未就绪",
        hint(
            en = "`provost show {task}` says what it waits for",
            zh = "运行 `provost show {task}` 查看它在等待什么"
        )
    )]
    Paused { task: TaskId },
    #[message(
        en = "cannot land `{task}`: its newest attempt failed",
        zh = "无法合入 `{task}`：最新的尝试已失败",
        hint(
            en = "`provost explain {task}` says why; `provost resume {task}` tries again",
            zh = "运行 `provost explain {task}` 查看原因；`provost resume {task}` 再试一次"
        )
    )]
    Failed { task: TaskId },
    #[message(
        en = "cannot land `{task}`: its result was rejected",
        zh = "无法合入 `{task}`：结果已被拒绝",
        hint(
            en = "`provost resume {task}` tries again; `provost approve {task}` takes the result after all",
            zh = "运行 `provost resume {task}` 再试一次；或运行 `provost approve {task}` 改为批准"
        )
    )]
    Rejected { task: TaskId },
    #[message(
        en = "cannot remove `{task}`: its landing is not finished",
        zh = "无法删除 `{task}`：合入尚未完成",
        hint(en = "finish it: `provost land {task}`", zh = "请先完成：`provost land {task}`"),
        exit = Conflict
    )]
    Underway { task: TaskId },
    /// Ruling 74.
    #[message(
        en = "cannot land `{task}`: it was edited after attempt {attempt}, so its result is stale",
        zh = "无法合入 `{task}`：任务在第 {attempt} 次尝试后已修改，其结果已过期",
        hint(
            en = "`provost resume {task}` tries again; `provost override {task} --rollback` takes the edit back",
            zh = "运行 `provost resume {task}` 再试一次；或运行 `provost override {task} --rollback` 撤销修改"
        ),
        exit = Refused
    )]
    Edited { task: TaskId, attempt: u16 },
    /// PROOF-10: a result is approved as a whole, and each of these apart.
    #[message(
        en = "cannot land `{task}`: a person has to accept {open:names} first",
        zh = "无法合入 `{task}`：须先由人接受 {open:names}",
        hint(
            en = "read it in `provost diff {task}`, then `provost accept {task} {first} --because TEXT`",
            zh = "先运行 `provost diff {task}` 查看，再运行 `provost accept {task} {first} --because TEXT`"
        ),
        arg(first = open.first().cloned().unwrap_or_default())
    )]
    OpenConcern { task: TaskId, open: Vec<String> },
    #[message(
        en = "cannot land `{task}`: its result is not approved",
        zh = "无法合入 `{task}`：结果尚未获得批准",
        hint(
            en = "`provost show {task}`, then `provost approve {task}` or `provost land {task} --yes`",
            zh = "先运行 `provost show {task}`，再运行 `provost approve {task}` 或 `provost land {task} --yes`"
        )
    )]
    NotApproved { task: TaskId },
    #[message(en = "`{task}` was not landed: you said no", zh = "未合入 `{task}`：你选择了否")]
    Declined { task: TaskId },
    /// STALE: what the name stands for is not what was proven.
    #[message(
        en = "cannot land `{task}`: `{reference}` is not the result that was proven",
        zh = "无法合入 `{task}`：`{reference}` 不是经过验证的结果",
        hint(
            en = "`provost resume {task}` makes a new attempt",
            zh = "运行 `provost resume {task}` 重新尝试"
        )
    )]
    Stale { task: TaskId, reference: String },
    #[message(
        en = "cannot land `{task}`: it was started on a commit, not on a branch",
        zh = "无法合入 `{task}`：它是从某个提交而非分支开始的",
        hint(
            en = "name a new branch: `provost land {task} --branch NAME`",
            zh = "请指定新分支：`provost land {task} --branch NAME`"
        )
    )]
    NoTarget { task: TaskId },
    #[message(
        en = "cannot land `{task}`: the branch `{branch}` is gone",
        zh = "无法合入 `{task}`：分支 `{branch}` 已不存在",
        hint(
            en = "name a new branch: `provost land {task} --branch NAME`",
            zh = "请指定新分支：`provost land {task} --branch NAME`"
        )
    )]
    BranchGone { task: TaskId, branch: String },
    #[message(
        en = "cannot create the branch `{branch}`: it exists",
        zh = "无法创建分支 `{branch}`：它已存在",
        hint(
            en = "choose another name: `provost land {task} --branch NAME`",
            zh = "请换一个名称：`provost land {task} --branch NAME`"
        )
    )]
    BranchExists { task: TaskId, branch: String },
    #[message(
        en = "cannot create the branch `{branch}`: git does not take this name",
        zh = "无法创建分支 `{branch}`：git 不接受此名称",
        hint(
            en = "letters, digits, `-`, `_` and `/` are safe",
            zh = "字母、数字、`-`、`_` 和 `/` 都可以使用"
        ),
        exit = Unable
    )]
    BadBranch { branch: String },
    #[message(
        en = "cannot land `{task}`: its attempt changed no file",
        zh = "无法合入 `{task}`：该次尝试没有改动任何文件",
        hint(
            en = "`provost resume {task}` tries again",
            zh = "运行 `provost resume {task}` 再试一次"
        )
    )]
    Unchanged { task: TaskId },
    #[message(
        en = "cannot land `{task}`: `{branch}` has this change already",
        zh = "无法合入 `{task}`：`{branch}` 已包含此改动",
        hint(
            en = "`provost rm {task}` removes the task; `git log {branch}` shows where the change came from",
            zh = "运行 `provost rm {task}` 删除任务；运行 `git log {branch}` 查看改动来源"
        )
    )]
    NothingNew { task: TaskId, branch: String },
    #[message(
        en = "`{branch}` and this change both edit {files:names}; nothing was changed",
        zh = "`{branch}` 与此改动都修改了 {files:names}；未做任何更改",
        hint(
            en = "`provost resume {task} --onto {branch}` lets the agent merge it",
            zh = "运行 `provost resume {task} --onto {branch}` 让智能体合并"
        ),
        hint(
            en = "`provost land {task} --branch NAME` puts it onto a branch of its own, to be merged by hand",
            zh = "运行 `provost land {task} --branch NAME` 放到单独的分支上，再手动合并"
        )
    )]
    Conflict { task: TaskId, branch: String, files: Vec<String> },
    #[message(
        en = "`{branch}` has changed {files:names} since `{task}` landed; nothing was changed",
        zh = "`{task}` 合入之后，`{branch}` 又修改了 {files:names}；未做任何更改",
        hint(
            en = "take it back by hand: `git revert {commit}`",
            zh = "请手动撤销：`git revert {commit}`"
        )
    )]
    UndoConflict { task: TaskId, branch: String, commit: String, files: Vec<String> },
    #[message(
        en = "the merge with `{branch}` is not proven: {why}; nothing was changed",
        zh = "与 `{branch}` 合并后的结果未通过验证：{why}；未做任何更改",
        hint(
            en = "`provost resume {task} --onto {branch}` lets the agent mend it; `provost land {task} --branch NAME` keeps it apart",
            zh = "运行 `provost resume {task} --onto {branch}` 让智能体修正；或运行 `provost land {task} --branch NAME` 单独保存"
        )
    )]
    NotProven { task: TaskId, branch: String, why: LandingObstacle },
    #[message(
        en = "`{branch}` is checked out in `{worktree}`, where {files:names} {count:has|have} changes that are not committed; nothing was changed",
        zh = "`{branch}` 已在 `{worktree}` 检出，其中 {files:names} 有 {count} 处未提交的改动；未做任何更改",
        arg(count = files.len()),
        hint(
            when = *builds_on_them,
            en = "`{task}` builds on them: commit them (`git -C {worktree} add`, `git -C {worktree} commit`), then `provost land {task}`",
            zh = "`{task}` 以这些改动为基础：请先提交（`git -C {worktree} add`、`git -C {worktree} commit`），再运行 `provost land {task}`"
        ),
        hint(
            when = !*builds_on_them,
            en = "`git -C {worktree} commit` or `git -C {worktree} stash`, then `provost land {task}`",
            zh = "先运行 `git -C {worktree} commit` 或 `git -C {worktree} stash`，再运行 `provost land {task}`"
        )
    )]
    Dirty {
        task: TaskId,
        branch: String,
        worktree: String,
        files: Vec<String>,
        /// Whether the task started from uncommitted work.
        builds_on_them: bool,
    },
    /// The base was made of uncommitted work, and the result does not hold without it.
    #[message(
        en = "`{task}` builds on changes that you had not committed, and `{branch}` does not have them; nothing was changed",
        zh = "`{task}` 以你尚未提交的改动为基础，而 `{branch}` 不包含这些改动；未做任何更改",
        hint(
            en = "commit them to `{branch}`, then `provost land {task}`",
            zh = "请先将其提交到 `{branch}`，再运行 `provost land {task}`"
        ),
        hint(
            en = "`provost land {task} --branch NAME` makes a branch that has them, as a commit of their own",
            zh = "或运行 `provost land {task} --branch NAME` 建立包含这些改动的新分支，改动单独成为一个提交"
        )
    )]
    LacksChanges { task: TaskId, branch: String },
    #[message(
        en = "files that git does not track would be overwritten in `{worktree}`: {files:names}; nothing was changed",
        zh = "`{worktree}` 中未被 git 跟踪的文件将被覆盖：{files:names}；未做任何更改",
        hint(
            en = "move them away, then `provost land {task}`",
            zh = "请先移走这些文件，再运行 `provost land {task}`"
        )
    )]
    Overwrites { task: TaskId, worktree: String, files: Vec<String> },
    /// Somebody else was faster: the comparison of the branch with what it was has failed.
    #[message(
        en = "`{branch}` moved while `{task}` was landing; it was left as it is now",
        zh = "合入 `{task}` 期间 `{branch}` 发生了变化；已保留其现状",
        hint(en = "run `provost land {task}` again", zh = "请再次运行 `provost land {task}`"),
        exit = Conflict
    )]
    Moved { task: TaskId, branch: String },
    #[message(
        en = "git did not move `{branch}` in `{worktree}`: {said}",
        zh = "git 没有在 `{worktree}` 中移动 `{branch}`：{said}",
        hint(
            en = "`git -C {worktree} status`, then `provost land {task}` again",
            zh = "先运行 `git -C {worktree} status`，再运行 `provost land {task}`"
        )
    )]
    NotMoved { task: TaskId, branch: String, worktree: String, said: String },
    #[message(
        en = "git does not know who you are, and the commit would be yours",
        zh = "git 不知道你是谁，而该提交将以你的名义创建",
        hint(
            en = "`git config --global user.name \"Your Name\"`",
            zh = "`git config --global user.name \"你的名字\"`"
        ),
        hint(
            en = "`git config --global user.email you@example.com`",
            zh = "`git config --global user.email you@example.com`"
        ),
        exit = Unable
    )]
    NoIdentity,
    #[message(
        en = "your `commit-msg` hook refused the commit: {said}",
        zh = "你的 `commit-msg` 钩子拒绝了该提交：{said}",
        hint(
            en = "mend the hook or the goal of the task; nothing was changed",
            zh = "请修正钩子或任务目标；未做任何更改"
        )
    )]
    Hook { said: String },
    #[message(
        en = "`{task}` has not landed, so nothing can be taken back",
        zh = "`{task}` 尚未合入，无可撤销",
        hint(
            en = "`provost show {task}` says where it stands",
            zh = "运行 `provost show {task}` 查看其状态"
        )
    )]
    NotLanded { task: TaskId },
    #[message(
        en = "`{task}` was taken back from `{branch}` already",
        zh = "`{task}` 已从 `{branch}` 撤销",
        hint(
            en = "`provost land {task}` puts it there again",
            zh = "运行 `provost land {task}` 可再次合入"
        )
    )]
    TakenBack { task: TaskId, branch: String },
    #[message(
        en = "`{branch}` no longer has the commit {commit} by which `{task}` landed",
        zh = "`{branch}` 已不包含合入 `{task}` 的提交 {commit}",
        hint(
            en = "`git log {branch}` shows what it has",
            zh = "运行 `git log {branch}` 查看其内容"
        )
    )]
    NotInBranch { task: TaskId, branch: String, commit: String },
    #[message(
        en = "landing needs git 2.38 or newer",
        zh = "合入需要 git 2.38 或更高版本",
        hint(en = "install a newer git", zh = "请安装更新的 git"),
        exit = Unable
    )]
    OldGit,
}

/// What keeps a merged tree from being proven.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "task.land.obstacle")]
pub enum LandingObstacle {
    #[message(
        en = "`{command}` exited with {rc} on it: {said}",
        zh = "`{command}` 退出码 {rc}：{said}"
    )]
    Red { command: String, rc: i32, said: String },
    #[message(en = "{why}", zh = "{why}")]
    NotReady { why: Text },
    #[message(en = "{finding}", zh = "{finding}")]
    Finding { finding: Text },
}

/// Files that stand in the way, a few of them by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InTheWay(Vec<String>);

/// How many files are named.
const NAMED: usize = 5;

impl InTheWay {
    pub fn new(files: impl IntoIterator<Item = String>) -> Self {
        Self(files.into_iter().collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first of them.
    pub fn named(self) -> Vec<String> {
        self.0.into_iter().take(NAMED).collect()
    }
}

impl From<&ProofFinding> for LandingObstacle {
    fn from(finding: &ProofFinding) -> Self {
        Self::Finding { finding: finding.text() }
    }
}
