//! Errors of a model that cannot be asked at all.

use std::{
    io,
    path::{Path, PathBuf},
};

use provost_kernel::Message;

use crate::error::AdapterError;

/// A model that cannot be asked.
#[derive(Debug, thiserror::Error, Message)]
#[message(code = "model")]
pub enum ModelError {
    /// The address or the certificates of a chat interface cannot be used.
    #[error(transparent)]
    #[message(transparent)]
    Chat(#[from] AdapterError),
    /// The file of a recording cannot be read.
    #[error("{}", self.text())]
    #[message(
        en = "cannot read the recording `{path}`",
        zh = "无法读取录制文件 `{path}`",
        hint(
            en = "set `path` of the endpoint to the unchanged `calls.jsonl` of a run",
            zh = "请将端点的 `path` 设为某次运行未经改动的 `calls.jsonl`"
        )
    )]
    Unreadable { path: PathBuf, source: io::Error },
    /// A line of a recording is invalid.
    #[error("{}", self.text())]
    #[message(
        en = "invalid recorded call on line {line} of `{path}`: {cause}",
        zh = "`{path}` 的第 {line} 行不是录制的调用：{cause}",
        hint(
            en = "set `path` of the endpoint to the unchanged `calls.jsonl` of a run",
            zh = "请将端点的 `path` 设为某次运行未经改动的 `calls.jsonl`"
        )
    )]
    BadLine { path: PathBuf, line: usize, cause: String },
}

impl ModelError {
    pub(super) fn unreadable(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Unreadable { path: path.to_owned(), source }
    }
}
