//! The error of a file operation: what could not be done, to which file.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{
    Exit, Message, RecordError, Text,
    message::{Argument, IntoArgument},
};

/// A file operation that failed, with the file it failed on.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub struct FileError {
    pub action: Action,
    pub path: Utf8PathBuf,
    pub source: io::Error,
}

/// What was being done to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "vault.action")]
pub enum Action {
    #[message(en = "append to", zh = "追加写入")]
    Append,
    #[message(en = "create the folder", zh = "创建文件夹")]
    CreateFolder,
    #[message(en = "create a file next to", zh = "创建临时文件以写入")]
    CreateTemporary,
    #[message(en = "encode", zh = "编码")]
    Encode,
    #[message(en = "list", zh = "列出")]
    List,
    #[message(en = "lock", zh = "锁定")]
    Lock,
    #[message(en = "restrict the permissions of", zh = "收紧权限")]
    MakePrivate,
    #[message(en = "open", zh = "打开")]
    Open,
    #[message(en = "parse", zh = "解析")]
    Parse,
    #[message(en = "read", zh = "读取")]
    Read,
    #[message(en = "remove", zh = "删除")]
    Remove,
    #[message(en = "replace", zh = "替换")]
    Replace,
    #[message(en = "sync", zh = "同步到磁盘")]
    Sync,
    #[message(en = "sync the folder", zh = "同步文件夹")]
    SyncFolder,
    #[message(en = "write", zh = "写入")]
    Write,
}

/// The text of a [`FileError`], which depends on two of its fields only.
#[derive(Message)]
#[message(code = "vault.file", en = "cannot {action} `{path}`", zh = "无法{action} `{path}`")]
struct FailedAction<'a> {
    action: Action,
    path: &'a Utf8Path,
}

/// Contents that may be neither used nor replaced.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "vault.contents", exit = Integrity)]
pub(crate) enum InvalidContents {
    /// A newer version wrote it: this one cannot know what it would destroy.
    #[message(transparent)]
    Newer(RecordError),
    /// A line of a log that nothing may be left out of.
    #[message(
        en = "invalid line {line}: {why}",
        zh = "第 {line} 行无效：{why}",
        hint(
            en = "restore line {line} from a copy; nothing was written",
            zh = "请从备份恢复第 {line} 行；没有写入任何内容"
        )
    )]
    Line { line: usize, why: String },
    /// The last line of such a log, of which only the end was read.
    #[message(
        en = "invalid last line: {why}",
        zh = "最后一行无效：{why}",
        hint(
            en = "restore its last line from a copy; nothing was written",
            zh = "请从备份恢复最后一行；没有写入任何内容"
        )
    )]
    LastLine { why: String },
    /// A file named after its contents that holds other contents.
    #[message(
        en = "the contents do not match the file name",
        zh = "内容与文件名不符",
        hint(
            en = "restore it from a copy; its name is the SHA-256 of its contents",
            zh = "请从备份恢复；文件名即原内容的 SHA-256"
        )
    )]
    Altered,
}

/// A refusal of the system that a person can do something about.
#[derive(Clone, Copy, Message)]
#[message(code = "vault.system")]
enum SystemRefusal {
    #[message(
        en = "the disk is full: free some space (`provost gc` deletes expired data) and run the command again; nothing was lost",
        zh = "磁盘已满：请先释放空间（`provost gc` 会删除过期数据），再重试；没有数据丢失"
    )]
    DiskFull,
    #[message(
        en = "the file system is read-only: choose another folder with `--home DIR`",
        zh = "文件系统只读：请用 `--home DIR` 选择其他文件夹"
    )]
    ReadOnly,
    #[message(
        en = "check who owns the folder and its permissions; `provost doctor` shows them",
        zh = "请检查该文件夹的所有者和权限；`provost doctor` 会显示"
    )]
    Denied,
    #[message(
        en = "a part of this path is a file or a symbolic link; provost follows no links there",
        zh = "该路径中有文件或符号链接；provost 在此处不跟随链接"
    )]
    NotAFolder,
}

impl FileError {
    /// The error of a file that may be neither used nor replaced.
    pub(crate) fn invalid(at: &crate::Location, contents: InvalidContents) -> Self {
        let source = io::Error::new(io::ErrorKind::InvalidData, contents);
        Self::on(Action::Parse, at)(source)
    }

    /// Whether the system does not let this process have the file.
    pub fn is_denied(&self) -> bool {
        let kinds = [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem];
        kinds.contains(&self.source.kind())
    }

    /// Whether the file is there and its contents are what stops the reader.
    pub fn is_misread(&self) -> bool {
        self.as_invalid().is_some()
    }

    fn as_invalid(&self) -> Option<&InvalidContents> {
        self.source.get_ref()?.downcast_ref()
    }

    /// Makes the conversion for one action on one path, for use with `map_err`.
    pub(crate) fn on(
        action: Action,
        at: &crate::Location,
    ) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = at.path();
        move |source| Self { action, path, source }
    }
}

impl SystemRefusal {
    fn of(kind: io::ErrorKind) -> Option<Self> {
        let is = |kinds: &[io::ErrorKind]| kinds.contains(&kind);
        if is(&[io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded]) {
            Some(Self::DiskFull)
        } else if is(&[io::ErrorKind::ReadOnlyFilesystem]) {
            Some(Self::ReadOnly)
        } else if is(&[io::ErrorKind::PermissionDenied]) {
            Some(Self::Denied)
        } else if is(&[io::ErrorKind::NotADirectory]) {
            Some(Self::NotAFolder)
        } else {
            None
        }
    }
}

/// Hints and exit code depend on the cause, so they are not derived.
impl Message for FileError {
    fn text(&self) -> Text {
        FailedAction { action: self.action, path: &self.path }.text()
    }

    fn hints(&self) -> Vec<Text> {
        match self.as_invalid() {
            Some(contents) => contents.hints(),
            None => SystemRefusal::of(self.source.kind()).iter().map(Message::text).collect(),
        }
    }

    fn exit(&self) -> Exit {
        self.as_invalid().map_or(Exit::Unable, Message::exit)
    }
}

impl IntoArgument for FileError {
    fn to_argument(&self) -> Argument {
        self.text().to_argument()
    }
}
