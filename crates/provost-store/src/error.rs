//! Why the index could not be used.

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{Exit, Message, Text};
use rusqlite::ErrorCode;

/// Something that could not be done with the index.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum StoreError {
    /// A newer version made it: this one cannot know what it would destroy.
    Newer { path: Utf8PathBuf, found: i64, known: i64 },
    /// It holds what no version writes. It can be put aside and made again.
    Corrupt {
        path: Utf8PathBuf,
        #[source]
        why: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Another process has written for longer than anybody waits.
    Busy { path: Utf8PathBuf, source: rusqlite::Error },
    /// An event before this one has not been applied.
    Gap { expected: u64, found: u64 },
    /// The index holds another event under this number: it belongs to another log.
    OtherLog { path: Utf8PathBuf, seq: u64 },
    /// Anything else: the disk, or permissions.
    Failed { action: &'static str, path: Utf8PathBuf, source: rusqlite::Error },
    /// An event that has no canonical form.
    Event { seq: u64, source: provost_kernel::DigestError },
}

/// What is being done, for the error of whoever does it.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    action: &'static str,
    path: Utf8PathBuf,
}

impl Context {
    pub(crate) fn new(action: &'static str, path: &Utf8Path) -> Self {
        Self { action, path: path.to_owned() }
    }

    /// What an error of the library means to a caller.
    pub(crate) fn fail(&self, source: rusqlite::Error) -> StoreError {
        let path = self.path.clone();
        match code(&source) {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Busy { path, source }
            }
            // Our statements are fixed and tested: one that does not compile, or a column of
            // another type, means that somebody else changed the tables.
            Some(
                ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::Unknown
                | ErrorCode::TypeMismatch
                | ErrorCode::ConstraintViolation,
            )
            | None => StoreError::Corrupt { path, why: source.into() },
            Some(_) => StoreError::Failed { action: self.action, path, source },
        }
    }

    /// The same while tables become ours: a table that does not fit may be somebody else's, and
    /// must not be put aside as if it were a broken one of ours.
    pub(crate) fn fail_to_migrate(&self, source: rusqlite::Error) -> StoreError {
        let is_broken = matches!(
            code(&source),
            Some(
                ErrorCode::DatabaseCorrupt
                    | ErrorCode::NotADatabase
                    | ErrorCode::DatabaseBusy
                    | ErrorCode::DatabaseLocked
            )
        );
        if is_broken {
            return self.fail(source);
        }
        StoreError::Failed { action: self.action, path: self.path.clone(), source }
    }

    pub(crate) fn corrupt(
        &self,
        why: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> StoreError {
        StoreError::Corrupt { path: self.path.clone(), why: why.into() }
    }

    pub(crate) fn path(&self) -> &Utf8Path {
        &self.path
    }
}

/// What the library says is the matter; none if it is not about the file.
fn code(error: &rusqlite::Error) -> Option<ErrorCode> {
    if let rusqlite::Error::SqlInputError { error, .. } = error {
        return Some(error.code);
    }
    error.sqlite_error_code()
}

impl StoreError {
    /// Whether the index is to be put aside and made again.
    pub fn is_corrupt(&self) -> bool {
        matches!(self, Self::Corrupt { .. })
    }
}

impl Message for StoreError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Newer { path, found, known } => lang.pick(
                format!("`{path}` has format {found}, and this version knows up to {known}"),
                format!("`{path}` 的格式为 {found},此版本最多支持 {known}"),
            ),
            Self::Corrupt { path, .. } => {
                lang.pick(format!("the index `{path}` is corrupt"), format!("索引 `{path}` 已损坏"))
            }
            Self::Busy { path, .. } => lang.pick(
                format!("another process keeps writing to `{path}`"),
                format!("另一个进程一直在写入 `{path}`"),
            ),
            Self::Gap { expected, found } => lang.pick(
                format!("event {found} cannot be applied before event {expected}"),
                format!("事件 {found} 不能在事件 {expected} 之前应用"),
            ),
            Self::OtherLog { path, seq } => lang.pick(
                format!("event {seq} in the claims log is not the one that `{path}` holds"),
                format!("声明日志中的事件 {seq} 与 `{path}` 中的不同"),
            ),
            Self::Failed { action, path, .. } => {
                let word = match *action {
                    "open" => "打开",
                    "migrate" => "升级",
                    "read" => "读取",
                    "check" => "检查",
                    _ => "写入",
                };
                lang.pick(format!("cannot {action} `{path}`"), format!("无法{word} `{path}`"))
            }
            Self::Event { seq, .. } => lang.pick(
                format!("event {seq} has no canonical form"),
                format!("事件 {seq} 没有规范形式"),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = match self {
                Self::Newer { .. } => lang.pick(
                    "a newer provost wrote it: use that one",
                    "该文件由更新的 provost 写出:请使用那个版本",
                ),
                Self::Corrupt { .. } => lang.pick(
                    "`provost reindex` makes it again from the claims log",
                    "`provost reindex` 可从声明日志重建",
                ),
                Self::OtherLog { .. } => lang.pick(
                    "if the log is the right one, `provost reindex` makes the index again from it; \
                 otherwise restore the log from a copy",
                    "若日志无误,`provost reindex` 可据此重建索引;否则请从备份恢复日志",
                ),
                Self::Busy { .. } => lang.pick(
                    "what was claimed is in the log; run the command again",
                    "声明已写入日志;请重试",
                ),
                Self::Gap { .. } | Self::Failed { .. } | Self::Event { .. } => return Vec::new(),
            };
            vec![hint.to_owned()]
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Corrupt { .. } | Self::OtherLog { .. } => Exit::Integrity,
            Self::Busy { .. } => Exit::Conflict,
            Self::Newer { .. } | Self::Gap { .. } | Self::Failed { .. } | Self::Event { .. } => {
                Exit::Unable
            }
        }
    }
}
