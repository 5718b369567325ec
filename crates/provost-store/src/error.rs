//! Why the index could not be used.

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::Message;
use rusqlite::ErrorCode;

/// An operation on the index that failed.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "story.store")]
pub enum StoreError {
    /// A newer version wrote it: this one cannot know what it would destroy.
    #[message(
        en = "`{path}` has format {found}; this version reads up to {known}",
        zh = "`{path}` 的格式为 {found}，此版本最多支持 {known}",
        hint(
            en = "a newer provost wrote it: use that version",
            zh = "该文件由更新的 provost 写出：请使用那个版本",
        )
    )]
    Newer { path: Utf8PathBuf, found: i64, known: i64 },
    /// It holds what no version writes. It can be quarantined and rebuilt.
    #[message(
        en = "index `{path}` is corrupt",
        zh = "索引 `{path}` 已损坏",
        hint(
            en = "run `provost reindex` to rebuild it from the claims log",
            zh = "运行 `provost reindex` 可从声明日志重建",
        ),
        exit = Integrity
    )]
    Corrupt {
        path: Utf8PathBuf,
        #[source]
        why: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Another process has kept the write lock beyond the timeout.
    #[message(
        en = "another process keeps writing to `{path}`",
        zh = "另一个进程一直在写入 `{path}`",
        hint(
            en = "the claim is in the log; run the command again",
            zh = "声明已写入日志；请重试",
        ),
        exit = Conflict
    )]
    Busy { path: Utf8PathBuf, source: rusqlite::Error },
    /// An event before this one has not been applied.
    #[message(
        en = "cannot apply event {found} before event {expected}",
        zh = "事件 {found} 不能在事件 {expected} 之前应用"
    )]
    Gap { expected: u64, found: u64 },
    /// The index holds another event under this number: it belongs to another log.
    #[message(
        en = "event {seq} in the claims log differs from the one in `{path}`",
        zh = "声明日志中的事件 {seq} 与 `{path}` 中的不同",
        hint(
            en = "if the log is the right one, run `provost reindex`; otherwise restore the log from a copy",
            zh = "若日志无误，请运行 `provost reindex` 重建索引；否则请从备份恢复日志",
        ),
        exit = Integrity
    )]
    OtherLog { path: Utf8PathBuf, seq: u64 },
    /// Anything else: the disk, or permissions.
    #[message(en = "cannot {action} `{path}`", zh = "无法{action} `{path}`")]
    Failed { action: Action, path: Utf8PathBuf, source: rusqlite::Error },
    /// An event without a canonical form.
    #[message(en = "event {seq} has no canonical form", zh = "事件 {seq} 没有规范形式")]
    Event { seq: u64, source: provost_kernel::DigestError },
}

/// What is done to the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "story.store_action")]
pub enum Action {
    #[message(en = "open", zh = "打开")]
    Open,
    #[message(en = "migrate", zh = "升级")]
    Migrate,
    #[message(en = "read", zh = "读取")]
    Read,
    #[message(en = "check", zh = "检查")]
    Check,
    #[message(en = "write", zh = "写入")]
    Write,
}

/// The action and the path that an error names.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    action: Action,
    path: Utf8PathBuf,
}

impl Context {
    pub(crate) fn new(action: Action, path: &Utf8Path) -> Self {
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
