//! Why a model cannot be asked at all.

use std::{
    io,
    path::{Path, PathBuf},
};

use provost_kernel::{Exit, Message, Text};

use crate::error::AdapterError;

/// A model that cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The address or the certificates of a chat interface cannot be used.
    #[error(transparent)]
    Chat(#[from] AdapterError),
    /// The file of a recording cannot be read.
    #[error("{}", self.text())]
    Unreadable { path: PathBuf, source: io::Error },
    /// A line of a recording is none.
    #[error("{}", self.text())]
    BadLine { path: PathBuf, line: usize, cause: String },
}

impl ModelError {
    pub(super) fn unreadable(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Unreadable { path: path.to_owned(), source }
    }
}

impl Message for ModelError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Chat(error) => error.text().render(lang),
            Self::Unreadable { path, .. } => {
                let path = path.display();
                lang.pick(
                    format!("cannot read the recording `{path}`"),
                    format!("无法读取录制文件 `{path}`"),
                )
            }
            Self::BadLine { path, line, cause } => {
                let path = path.display();
                lang.pick(
                    format!("line {line} of `{path}` is no recorded call: {cause}"),
                    format!("`{path}` 的第 {line} 行不是录制的调用:{cause}"),
                )
            }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::Chat(error) => error.hints_in(lang),
            Self::Unreadable { .. } | Self::BadLine { .. } => vec![
                lang.pick(
                    "name the `calls.jsonl` of a run as `path` of the endpoint, unchanged",
                    "请将某次运行的 `calls.jsonl` 原样作为端点的 `path`",
                )
                .to_owned(),
            ],
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Chat(error) => error.exit(),
            Self::Unreadable { .. } | Self::BadLine { .. } => Exit::Unable,
        }
    }
}
