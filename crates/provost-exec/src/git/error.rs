//! Why something could not be done with git.

use std::{io, path::PathBuf};

use provost_kernel::{Exit, Lang, Message, Text};

use super::survey::Obstacle;
use crate::ExecError;

/// Something that could not be done to a repository.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum GitError {
    /// The command could not be run.
    Exec(#[source] ExecError),
    /// Git refused.
    Failed {
        action: &'static str,
        subject: String,
        #[source]
        said: GitSaid,
    },
    NotARepository {
        path: PathBuf,
    },
    Bare {
        path: PathBuf,
    },
    BadRevision {
        revision: String,
    },
    /// A name that cannot be written as text, or not in a list of paths.
    BadPath {
        path: String,
    },
    /// Something that stands where a clone would go.
    Exists {
        path: PathBuf,
    },
    TooLarge {
        what: &'static str,
        subject: String,
        limit: u64,
    },
    File {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// Another result has been published under this name before.
    Published {
        reference: String,
    },
    /// A tree that git must not look at, for what lies at this path.
    Unfit {
        path: String,
        why: Obstacle,
    },
    /// Somebody asked for the end while the command ran.
    Cancelled {
        action: &'static str,
        subject: String,
    },
}

/// What git said when it failed, made fit to print.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("git exited with {rc}: {text}")]
pub struct GitSaid {
    pub rc: i32,
    pub text: String,
}

impl GitSaid {
    /// Keeps the first lines. They may quote names that an agent chose, so control characters are
    /// written out.
    pub(super) fn new(rc: i32, stderr: &[u8]) -> Self {
        let text = String::from_utf8_lossy(stderr);
        let lines = text.lines().filter(|it| !it.is_empty()).take(3);
        let text = lines.flat_map(|it| it.escape_debug().chain("; ".chars()));
        let text: String = text.take(400).collect();
        Self { rc, text: text.trim_end_matches("; ").to_owned() }
    }
}

impl Message for GitError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Exec(error) => error.text().render(lang),
            Self::Failed { action, subject, .. } => lang.pick(
                format!("cannot {action} `{subject}`"),
                format!("git 操作失败({action}):`{subject}`"),
            ),
            Self::NotARepository { path } => lang.pick(
                format!("`{}` is not a git repository", path.display()),
                format!("`{}` 不是 git 仓库", path.display()),
            ),
            Self::Bare { path } => lang.pick(
                format!("`{}` is a bare repository: there is no tree to work on", path.display()),
                format!("`{}` 是裸仓库:没有可供工作的目录", path.display()),
            ),
            Self::BadRevision { revision } => lang.pick(
                format!("`{revision}` names no commit"),
                format!("`{revision}` 不是有效的提交"),
            ),
            Self::BadPath { path } => lang.pick(
                format!("cannot work with the path `{path}`: it is not UTF-8 or has a line break"),
                format!("无法处理路径 `{path}`:不是 UTF-8 或含有换行"),
            ),
            Self::Exists { path } => lang.pick(
                format!("cannot make a private clone at `{}`: it exists", path.display()),
                format!("无法在 `{}` 建立私有克隆:已存在", path.display()),
            ),
            Self::TooLarge { what, subject, limit } => lang.pick(
                format!("{what} of `{subject}` is larger than {limit} bytes"),
                format!("`{subject}` 的 {what} 超过 {limit} 字节"),
            ),
            Self::File { action, path, .. } => lang.pick(
                format!("cannot {action} `{}`", path.display()),
                format!("文件操作失败({action}):`{}`", path.display()),
            ),
            Self::Published { reference } => lang.pick(
                format!("`{reference}` holds another result already"),
                format!("`{reference}` 已保存另一个结果"),
            ),
            Self::Unfit { path, why } => unfit(path, *why, lang),
            Self::Cancelled { action, subject } => lang.pick(
                format!("cancelled before git could {action} `{subject}`"),
                format!("git 操作({action})已取消:`{subject}`"),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::Exec(error) => error.hints_in(lang),
            Self::NotARepository { .. } => {
                vec![
                    lang.pick("run `git init` there first", "请先在该处运行 `git init`").to_owned(),
                ]
            }
            Self::BadRevision { .. } => vec![
                lang.pick("name a branch, a tag or a commit", "请指定分支、标签或提交").to_owned(),
            ],
            Self::Unfit { .. } => vec![
                lang.pick(
                    "remove it from the tree, or put a plain file or folder in its place",
                    "请将其从目录中删除,或替换为普通文件或文件夹",
                )
                .to_owned(),
            ],
            Self::Failed { .. }
            | Self::Bare { .. }
            | Self::BadPath { .. }
            | Self::Exists { .. }
            | Self::TooLarge { .. }
            | Self::File { .. }
            | Self::Published { .. }
            | Self::Cancelled { .. } => Vec::new(),
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Exec(error) => error.exit(),
            Self::Published { .. } => Exit::Conflict,
            Self::Failed { .. }
            | Self::NotARepository { .. }
            | Self::Bare { .. }
            | Self::BadRevision { .. }
            | Self::BadPath { .. }
            | Self::Exists { .. }
            | Self::TooLarge { .. }
            | Self::File { .. }
            | Self::Unfit { .. }
            | Self::Cancelled { .. } => Exit::Unable,
        }
    }
}

fn unfit(path: &str, why: Obstacle, lang: Lang) -> String {
    let (en, zh) = match why {
        Obstacle::Special => ("is a pipe, a socket or a device", "是管道、套接字或设备"),
        Obstacle::NotAFile => {
            ("is not a plain file, and git reads it", "不是普通文件,而 git 会读取它")
        }
        Obstacle::Elsewhere => {
            ("is a repository that leads out of the tree", "是指向目录之外的仓库")
        }
        Obstacle::TooLong => ("has a path that is too long to be listed", "的路径过长,无法列出"),
        Obstacle::TooDeep => ("lies too deep to be listed", "的层级过深,无法列出"),
        Obstacle::TooMany => (
            "is one folder too many: the tree holds too many files",
            "处文件数超限:目录中的文件过多",
        ),
        Obstacle::Closed => ("is a folder that may not be looked into", "是无权查看的文件夹"),
    };
    lang.pick(
        format!("cannot take in the tree: `{path}` {en}"),
        format!("无法读取工作目录:`{path}` {zh}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_said_is_fit_to_print() {
        let said = GitSaid::new(128, b"fatal: bad \x1b[31mname\n\nhint: x\nb\nc\n");
        assert_eq!(said.text, "fatal: bad \\u{1b}[31mname; hint: x; b");
        assert!(GitSaid::new(1, &[b'x'; 10_000]).text.len() <= 400);
        assert_eq!(GitSaid::new(1, b"").to_string(), "git exited with 1: ");
    }
}
