//! Errors of the git driver.

use std::{io, path::PathBuf};

use provost_kernel::Message;

use super::survey::Obstacle;
use crate::ExecError;

/// Something that could not be done to a repository.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "git")]
pub enum GitError {
    /// The command could not be run.
    #[message(transparent)]
    Exec(#[source] ExecError),
    /// Git refused.
    #[message(en = "cannot {action} `{subject}`", zh = "无法{action}：`{subject}`")]
    Failed {
        action: GitAction,
        subject: String,
        #[source]
        failure: GitFailure,
    },
    #[message(
        en = "`{path}` is not a git repository",
        zh = "`{path}` 不是 git 仓库",
        hint(en = "run `git init` there first", zh = "请先在该处运行 `git init`")
    )]
    NotARepository { path: PathBuf },
    #[message(
        en = "cannot work in `{path}`: it is a bare repository",
        zh = "无法在 `{path}` 中工作：它是裸仓库"
    )]
    Bare { path: PathBuf },
    #[message(
        en = "unknown revision `{revision}`",
        zh = "未知的修订版本 `{revision}`",
        hint(en = "name a branch, a tag or a commit", zh = "请指定分支、标签或提交")
    )]
    BadRevision { revision: String },
    /// A name that cannot be written as text, or not in a list of paths.
    #[message(
        en = "cannot use the path `{path}`: it is not UTF-8 or has a line break",
        zh = "无法使用路径 `{path}`：不是 UTF-8 或含有换行"
    )]
    BadPath { path: String },
    /// Something that stands where a clone would go.
    #[message(
        en = "cannot create a private clone at `{path}`: it exists",
        zh = "无法在 `{path}` 创建私有克隆：该路径已存在"
    )]
    Exists { path: PathBuf },
    #[message(
        en = "{what} of `{subject}` is larger than {limit} bytes",
        zh = "`{subject}` 的{what}超过 {limit} 字节"
    )]
    TooLarge { what: Content, subject: String, limit: u64 },
    #[message(en = "cannot {action} `{path}`", zh = "无法{action}：`{path}`")]
    File { action: GitAction, path: PathBuf, source: io::Error },
    /// Another result has been published under this name before.
    #[message(
        en = "`{reference}` already holds another result",
        zh = "`{reference}` 已保存另一个结果",
        exit = Conflict
    )]
    Published { reference: String },
    /// A tree that git must not read, because of what lies at this path.
    #[message(
        en = "cannot read the working tree: `{path}` {why}",
        zh = "无法读取工作目录：`{path}` {why}",
        hint(
            en = "remove it from the tree, or replace it with a plain file or folder",
            zh = "请将其从目录中删除，或替换为普通文件或文件夹"
        )
    )]
    Unfit { path: String, why: Obstacle },
    /// The run was cancelled while the command ran.
    #[message(
        en = "cancelled: cannot {action} `{subject}`",
        zh = "已取消：无法{action} `{subject}`"
    )]
    Cancelled { action: GitAction, subject: String },
}

/// What git was asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "git.action")]
pub enum GitAction {
    #[message(en = "read", zh = "读取")]
    Read,
    #[message(en = "list the files of", zh = "列出文件")]
    List,
    #[message(en = "list the commits of", zh = "列出提交")]
    ListCommits,
    #[message(en = "compare the files of", zh = "比较文件")]
    Compare,
    #[message(en = "show the changes of", zh = "显示改动")]
    Diff,
    #[message(en = "create the private clone", zh = "创建私有克隆")]
    CreateClone,
    #[message(en = "create the private repository", zh = "创建私有仓库")]
    CreateRepository,
    #[message(en = "configure", zh = "配置")]
    Configure,
    #[message(en = "check out into", zh = "检出到")]
    CheckOut,
    #[message(en = "record the base commit in", zh = "记录基准提交")]
    RecordBase,
    #[message(en = "set aside the earlier result in", zh = "移开先前的结果")]
    SetAside,
    #[message(en = "commit the result in", zh = "提交结果")]
    Commit,
    #[message(en = "publish the result to", zh = "发布结果到")]
    Publish,
    #[message(en = "save the result in", zh = "保存结果到")]
    Save,
    #[message(en = "restore", zh = "恢复")]
    Restore,
    #[message(en = "write the index of", zh = "写入索引")]
    WriteIndex,
    #[message(en = "import the objects of", zh = "导入对象")]
    Import,
    #[message(en = "verify the objects of", zh = "校验对象")]
    Verify,
    #[message(en = "parse git's output for", zh = "解析 git 的输出")]
    Parse,
    #[message(en = "write", zh = "写入")]
    Write,
    #[message(en = "copy to", zh = "复制到")]
    Copy,
    #[message(en = "open", zh = "打开")]
    Open,
    #[message(en = "set the time of", zh = "设置时间")]
    SetTime,
    #[message(en = "move", zh = "移动")]
    Move,
    #[message(en = "merge in", zh = "合并")]
    Merge,
}

/// What is larger than it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "git.content")]
pub enum Content {
    #[message(en = "the content", zh = "内容")]
    File,
    #[message(en = "the change", zh = "改动")]
    Changes,
    #[message(en = "git's output", zh = " git 输出")]
    Output,
}

/// How git failed: its exit code and the first lines of its stderr.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("git exited with {rc}: {text}")]
pub struct GitFailure {
    pub rc: i32,
    pub text: String,
}

impl GitFailure {
    /// Keeps the first lines. They may quote names that an agent chose, so control characters are
    /// escaped.
    pub(super) fn new(rc: i32, stderr: &[u8]) -> Self {
        let text = String::from_utf8_lossy(stderr);
        let lines = text.lines().filter(|it| !it.is_empty()).take(3);
        let text = lines.flat_map(|it| it.escape_debug().chain("; ".chars()));
        let text: String = text.take(400).collect();
        Self { rc, text: text.trim_end_matches("; ").to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stderr_of_git_is_safe_to_print() {
        let failure = GitFailure::new(128, b"fatal: bad \x1b[31mname\n\nhint: x\nb\nc\n");
        assert_eq!(failure.text, "fatal: bad \\u{1b}[31mname; hint: x; b");
        assert!(GitFailure::new(1, &[b'x'; 10_000]).text.len() <= 400);
        assert_eq!(GitFailure::new(1, b"").to_string(), "git exited with 1: ");
    }
}
