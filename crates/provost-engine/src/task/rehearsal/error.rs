//! Why a rehearsal could not be held.

use std::io;

use provost_kernel::{Exit, Message, Text};
use provost_vault::{FileError, HomeError};

use crate::EngineError;

/// Something that kept provost from proving itself; no proof failed.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum RehearsalError {
    /// There is no temporary folder, or it cannot be used.
    Folder(#[source] io::Error),
    /// The temporary folder has a name that is not UTF-8.
    NotUtf8,
    /// Git did not make a repository.
    NoRepository {
        printed: String,
    },
    Home(#[source] HomeError),
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

impl Message for RehearsalError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Folder(_) => {
                lang.pick("cannot use a temporary folder", "无法使用临时文件夹").to_owned()
            }
            Self::NotUtf8 => lang
                .pick("the temporary folder's name is not UTF-8", "临时文件夹的名称不是 UTF-8")
                .to_owned(),
            Self::NoRepository { printed } => {
                let said: String = printed.trim().chars().take(300).collect();
                lang.pick(
                    format!("git could not make a temporary repository: {said}"),
                    format!("git 无法创建临时仓库:{said}"),
                )
            }
            Self::Home(error) => error.text().render(lang),
            Self::Engine(error) => error.text().render(lang),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::Folder(_) | Self::NotUtf8 => vec![
                lang.pick(
                    "set `TMPDIR` to a folder of your own with some space left",
                    "请将 `TMPDIR` 设为一个有剩余空间的自有文件夹",
                )
                .to_owned(),
            ],
            Self::NoRepository { .. } => vec![
                lang.pick("`provost doctor` looks at git", "`provost doctor` 会检查 git")
                    .to_owned(),
            ],
            Self::Home(error) => error.hints_in(lang),
            Self::Engine(error) => error.hints_in(lang),
        })
    }

    fn exit(&self) -> Exit {
        // Whatever the cause was: nothing could be looked at.
        Exit::Unable
    }
}
