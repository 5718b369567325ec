//! What a judgement is asked about: a file that somebody named, or standard input.
//!
//! An input is never a pipe or a device by name, and never more than a limit. An error says which
//! input it is about, because a command may have two.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{Fault, Message};

use crate::regular::{self, Unread};

/// An input that is larger is not judged: many times what any of them may hold.
const LIMIT: u64 = 4 * 1024 * 1024;

/// Where an input comes from.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "input.source")]
pub(crate) enum Source {
    #[message(en = "standard input", zh = "标准输入")]
    StandardInput,
    #[message(en = "`{0}`", zh = "`{0}`")]
    File(Utf8PathBuf),
}

/// An input that could not be read.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "input")]
pub(crate) enum InputError {
    #[message(en = "cannot read {from}", zh = "无法读取 {from}")]
    Unreadable { from: Source, source: io::Error },
    #[message(
        en = "{from} is a folder, and a file is needed",
        zh = "{from} 是文件夹，此处需要文件"
    )]
    Folder { from: Source },
    #[message(
        en = "{from} is not a regular file",
        zh = "{from} 不是普通文件",
        hint(
            en = "pass its contents to standard input, with `-` as the file",
            zh = "请将其内容传给标准输入，并以 `-` 作为文件"
        )
    )]
    Special { from: Source },
    #[message(
        en = "{from} has more than {limit} MiB",
        zh = "{from} 超过 {limit} MiB",
        arg(limit = LIMIT / (1024 * 1024))
    )]
    TooLarge { from: Source },
    #[message(
        en = "an empty path names no file",
        zh = "空路径不指向任何文件",
        hint(
            en = "name a file, or `-` for standard input",
            zh = "请指定文件，或以 `-` 表示标准输入"
        )
    )]
    Unnamed,
    #[message(
        en = "standard input cannot be two files at once",
        zh = "标准输入不能同时作为两个文件",
        hint(en = "put one of the two in a file", zh = "请将其中之一存为文件")
    )]
    Twice,
}

/// An input that was read and cannot be judged, and what is the matter with it.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "input.content",
    en = "{from}: {text}",
    zh = "{from}：{text}",
    arg(text = what.text()),
    inherit = what
)]
pub(crate) struct ContentError<F: Fault> {
    from: Source,
    what: F,
}

impl Source {
    /// Reads all of it.
    pub(crate) fn read(&self) -> Result<Vec<u8>, InputError> {
        let bytes = match self {
            Self::StandardInput => regular::read_up_to(io::stdin().lock(), LIMIT),
            Self::File(path) if path.as_str().is_empty() => {
                return Err(InputError::Unnamed);
            }
            Self::File(path) => regular::read(path.as_std_path(), LIMIT),
        };
        let from = self.clone();
        bytes.map_err(|unread| match unread {
            Unread::Folder => InputError::Folder { from },
            Unread::Special => InputError::Special { from },
            Unread::TooLarge => InputError::TooLarge { from },
            Unread::System(source) => InputError::Unreadable { from, source },
        })
    }

    /// Refuses to read standard input for two things.
    pub(crate) fn check_beside(&self, other: &Self) -> Result<(), InputError> {
        if *self == Self::StandardInput && other == self {
            return Err(InputError::Twice);
        }
        Ok(())
    }

    /// Says that what stands in it cannot be judged.
    pub(crate) fn content_error<F: Fault>(&self, what: F) -> ContentError<F> {
        ContentError { from: self.clone(), what }
    }
}

impl From<&str> for Source {
    fn from(text: &str) -> Self {
        if text == "-" { Self::StandardInput } else { Self::File(Utf8Path::new(text).to_owned()) }
    }
}
