//! Why something could not be done with git.

use std::{io, path::PathBuf};

use provost_kernel::{Exit, Fault, Lang};

use crate::ExecError;

/// Something that could not be done to a repository.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text(Lang::En))]
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

impl Fault for GitError {
    fn text(&self, lang: Lang) -> String {
        match self {
            Self::Exec(error) => error.text(lang),
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
        }
    }

    fn hints(&self, lang: Lang) -> Vec<String> {
        match self {
            Self::Exec(error) => error.hints(lang),
            Self::NotARepository { .. } => {
                vec![
                    lang.pick("run `git init` there first", "请先在该处运行 `git init`").to_owned(),
                ]
            }
            Self::BadRevision { .. } => vec![
                lang.pick("name a branch, a tag or a commit", "请指定分支、标签或提交").to_owned(),
            ],
            Self::Failed { .. }
            | Self::Bare { .. }
            | Self::BadPath { .. }
            | Self::Exists { .. }
            | Self::TooLarge { .. }
            | Self::File { .. }
            | Self::Published { .. } => Vec::new(),
        }
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
            | Self::File { .. } => Exit::Unable,
        }
    }
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
