//! What is said of each check of a branch.

use provost_kernel::{Message, Text};

/// How one check of a branch came out.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "task.verify.note")]
pub enum VerifyNote {
    #[message(
        en = "{files} {files:file|files} changed, none forbidden",
        zh = "改动 {files} 个文件，无禁止文件"
    )]
    Paths { files: usize },
    #[message(en = "not allowed: {subjects:names}", zh = "不允许：{subjects:names}")]
    PathsRefused { subjects: Vec<String> },
    #[message(en = "the change cannot be read: {why}", zh = "无法读取改动：{why}")]
    Unreadable { why: Text },
    #[message(en = "none, earlier commits included", zh = "无，包括较早的提交")]
    NoSecrets,
    #[message(en = "found in {subjects:names}", zh = "发现于 {subjects:names}")]
    Secrets { subjects: Vec<String> },
    #[message(en = "no file that programs obey", zh = "没有会被程序遵照执行的文件")]
    NothingPlanted,
    #[message(en = "you decide: {subjects:names}", zh = "由你决定：{subjects:names}")]
    YouDecide { subjects: Vec<String> },
    #[message(
        en = "permitted with `--in`: {subjects:names}",
        zh = "已用 `--in` 允许：{subjects:names}"
    )]
    PlantedPermitted { subjects: Vec<String> },
    #[message(en = "{passed} passed", zh = "{passed} 个通过")]
    Passed { passed: usize },
    #[message(en = "{failed} failed, {passed} passed", zh = "{failed} 个失败，{passed} 个通过")]
    Failed { failed: usize, passed: usize },
    #[message(en = "exit code {rc}", zh = "退出码 {rc}")]
    Exit { rc: i32 },
    #[message(en = "`{command}` is green", zh = "`{command}` 通过")]
    Green { command: String },
    #[message(
        en = "`{command}`: {failed} failed, {passed} passed",
        zh = "`{command}`：{failed} 个失败，{passed} 个通过"
    )]
    RedTests { command: String, failed: usize, passed: usize },
    #[message(en = "`{command}` exited with {rc}", zh = "`{command}` 退出码 {rc}")]
    RedExit { command: String, rc: i32 },
    #[message(en = "not run: {why}", zh = "未运行：{why}")]
    NotPrepared { why: Text },
    #[message(en = "not run", zh = "未运行")]
    NotRun,
    #[message(
        en = "{label}: {n} {n:test passes|tests pass} only with the change",
        zh = "{label}：{n} 个测试有了这项改动才通过"
    )]
    Shown { label: &'static str, n: usize },
    #[message(en = "{label}: red without the change", zh = "{label}：没有这项改动则失败")]
    ShownByExit { label: &'static str },
    #[message(en = "{label}: {finding}", zh = "{label}：{finding}")]
    Found { label: &'static str, finding: Text },
    #[message(en = "{label}", zh = "{label}")]
    Label { label: &'static str },
}

/// What to do about a file that a person decides on, where no task is there to accept it for. Its name is
/// the branch's, and stands in no command that is to be pasted.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(
    code = "task.verify.permission",
    en = "read it; `--in . --in PATH` permits it by name",
    zh = "请查看此文件；`--in . --in PATH` 可按名称允许它"
)]
pub struct BranchPermission;
