//! The error of a file operation: what could not be done, to which file.

use std::io;

use camino::Utf8PathBuf;
use provost_kernel::{Exit, Lang, Message, Text, task::RecordError};

/// A file operation that failed, with the file it failed on.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub struct FileError {
    pub action: Action,
    pub path: Utf8PathBuf,
    pub source: io::Error,
}

/// What was being done to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Append,
    CreateFolder,
    CreateTemporary,
    Encode,
    List,
    Lock,
    MakePrivate,
    Open,
    Read,
    Remove,
    Replace,
    Sync,
    SyncFolder,
    Understand,
    Write,
}

/// What stands in a file that may be neither used nor replaced.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Misread {
    /// A newer version wrote it: this one cannot know what it would destroy.
    #[error(transparent)]
    Newer(RecordError),
    /// A line of a log that nothing may be left out of.
    #[error("line {line} cannot be read: {why}")]
    Line { line: usize, why: String },
    /// The last line of such a log, of which only the end was looked at.
    #[error("its last line cannot be read: {why}")]
    LastLine { why: String },
    /// A file that is named after its contents, and holds others.
    #[error("its contents are not those that were kept")]
    Altered,
}

impl FileError {
    /// The error of a file that may be neither used nor replaced.
    pub(crate) fn misread(at: &crate::Location, misread: Misread) -> Self {
        let source = io::Error::new(io::ErrorKind::InvalidData, misread);
        Self::on(Action::Understand, at)(source)
    }

    /// Whether the system does not let this process have the file.
    pub fn is_denied(&self) -> bool {
        self.source.kind() == io::ErrorKind::PermissionDenied
    }

    /// Whether the file is there and its contents are what stops the reader.
    pub fn is_misread(&self) -> bool {
        self.as_misread().is_some()
    }

    fn as_misread(&self) -> Option<&Misread> {
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

impl Action {
    fn phrase(self, lang: Lang) -> &'static str {
        match self {
            Self::Append => lang.pick("append to", "追加写入"),
            Self::CreateFolder => lang.pick("create the folder", "创建文件夹"),
            Self::CreateTemporary => lang.pick("create a file next to", "在旁边创建临时文件:"),
            Self::Encode => lang.pick("encode", "编码"),
            Self::List => lang.pick("list", "列出"),
            Self::Lock => lang.pick("lock", "锁定"),
            Self::MakePrivate => lang.pick("make private", "设为仅所有者可访问:"),
            Self::Open => lang.pick("open", "打开"),
            Self::Read => lang.pick("read", "读取"),
            Self::Remove => lang.pick("remove", "删除"),
            Self::Replace => lang.pick("replace", "替换"),
            Self::Sync => lang.pick("sync", "同步到磁盘"),
            Self::SyncFolder => lang.pick("sync the folder", "同步文件夹"),
            Self::Understand => lang.pick("understand", "理解"),
            Self::Write => lang.pick("write", "写入"),
        }
    }
}

impl Message for FileError {
    fn text(&self) -> Text {
        Text::each(|lang| {
            let (action, path) = (self.action.phrase(lang), &self.path);
            lang.pick(format!("cannot {action} `{path}`"), format!("无法{action} `{path}`"))
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            match self.as_misread() {
                Some(Misread::Newer(error)) => return error.hints_in(lang),
                Some(Misread::Line { line, .. }) => {
                    return vec![lang.pick(
                        format!("restore line {line} from a copy; nothing was written"),
                        format!("请从备份恢复第 {line} 行;没有写入任何内容"),
                    )];
                }
                Some(Misread::LastLine { .. }) => {
                    return vec![
                        lang.pick(
                            "restore its last line from a copy; nothing was written",
                            "请从备份恢复最后一行;没有写入任何内容",
                        )
                        .to_owned(),
                    ];
                }
                Some(Misread::Altered) => {
                    return vec![
                        lang.pick(
                            "restore it from a copy; its name is the SHA-256 of what it held",
                            "请从备份恢复;文件名即原内容的 SHA-256",
                        )
                        .to_owned(),
                    ];
                }
                None => {}
            }
            let kind = self.source.kind();
            let is = |kinds: &[io::ErrorKind]| kinds.contains(&kind);
            let hint = if is(&[io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded]) {
                lang.pick(
                    "the disk is full: free some space (`provost gc` removes what has expired) and \
                 run the command again; nothing was lost",
                    "磁盘已满:请先释放空间(`provost gc` 会清除过期文件),再重试;没有数据丢失",
                )
            } else if is(&[io::ErrorKind::ReadOnlyFilesystem]) {
                lang.pick(
                    "the file system is read-only: choose another folder with `--home DIR`",
                    "文件系统只读:请用 `--home DIR` 选择其他文件夹",
                )
            } else if is(&[io::ErrorKind::PermissionDenied]) {
                lang.pick(
                    "check who owns the folder and its permissions; `provost doctor` shows them",
                    "请检查该文件夹的所有者和权限;`provost doctor` 会显示",
                )
            } else if is(&[io::ErrorKind::NotADirectory]) {
                lang.pick(
                    "a part of this path is a file or a symbolic link; provost follows none there",
                    "该路径中有文件或符号链接;provost 在此处不跟随链接",
                )
            } else {
                return Vec::new();
            };
            vec![hint.to_owned()]
        })
    }

    fn exit(&self) -> Exit {
        match self.as_misread() {
            Some(Misread::Line { .. } | Misread::LastLine { .. } | Misread::Altered) => {
                Exit::Integrity
            }
            Some(Misread::Newer(_)) | None => Exit::Unable,
        }
    }
}
