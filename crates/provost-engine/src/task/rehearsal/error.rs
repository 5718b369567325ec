//! Errors of a rehearsal that could not be run.

use std::io;

use provost_kernel::{Message, shorten_to};
use provost_vault::{FileError, HomeError};

use crate::EngineError;

/// Why provost could not prove itself; no proof failed.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.rehearsal")]
pub enum RehearsalError {
    /// There is no temporary folder, or it cannot be used.
    #[message(
        en = "cannot use a temporary folder",
        zh = "无法使用临时文件夹",
        hint(
            en = "set `TMPDIR` to a folder of your own with some space left",
            zh = "请将 `TMPDIR` 设为一个有剩余空间的自有文件夹"
        )
    )]
    Folder(#[source] io::Error),
    /// The temporary folder has a name that is not UTF-8.
    #[message(
        en = "cannot use the temporary folder: its name is not UTF-8",
        zh = "无法使用临时文件夹：其名称不是 UTF-8",
        hint(
            en = "set `TMPDIR` to a folder of your own with some space left",
            zh = "请将 `TMPDIR` 设为一个有剩余空间的自有文件夹"
        )
    )]
    NotUtf8,
    /// Git did not make a repository.
    #[message(
        en = "git cannot create a temporary repository: {stderr}",
        zh = "git 无法创建临时仓库：{stderr}",
        arg(stderr = shorten_to(printed.trim(), 300)),
        hint(en = "run `provost doctor` to check git", zh = "运行 `provost doctor` 检查 git")
    )]
    NoRepository { printed: String },
    // Whatever the cause: nothing could be checked, so the exit code is not the cause's.
    #[message(
        en = "{home}",
        zh = "{home}",
        arg(home = field0.text()),
        inherit = field0,
        exit = Unable
    )]
    Home(#[source] HomeError),
    #[message(en = "{0}", zh = "{0}", inherit = field0, exit = Unable)]
    Engine(#[source] EngineError),
}

impl From<EngineError> for RehearsalError {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl From<FileError> for RehearsalError {
    fn from(error: FileError) -> Self {
        Self::Engine(error.into())
    }
}
