//! What a judgement is asked about: a file that somebody named, or standard input.
//!
//! An input is never a pipe or a device by name, and never more than a limit. An error says which
//! input it is about, because a command may have two.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{Exit, Fault, Lang, Message, Text};

use crate::regular::{self, Unread};

/// An input that is larger is not judged: many times what any of them may hold.
const LIMIT: u64 = 4 * 1024 * 1024;

/// Where an input comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    StandardInput,
    File(Utf8PathBuf),
}

/// An input that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub(crate) struct InputError {
    from: Source,
    why: Why,
    source: Option<io::Error>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Unreadable,
    Folder,
    Special,
    TooLarge,
    /// A path without a character.
    Unnamed,
    /// Standard input can be read once.
    Twice,
}

/// An input that was read and cannot be judged, and what is the matter with it.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
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
                return Err(self.error(Why::Unnamed, None));
            }
            Self::File(path) => regular::read(path.as_std_path(), LIMIT),
        };
        bytes.map_err(|unread| match unread {
            Unread::Folder => self.error(Why::Folder, None),
            Unread::Special => self.error(Why::Special, None),
            Unread::TooLarge => self.error(Why::TooLarge, None),
            Unread::System(error) => self.error(Why::Unreadable, Some(error)),
        })
    }

    /// Refuses to read standard input for two things.
    pub(crate) fn check_beside(&self, other: &Self) -> Result<(), InputError> {
        if *self == Self::StandardInput && other == self {
            return Err(self.error(Why::Twice, None));
        }
        Ok(())
    }

    /// Says that what stands in it cannot be judged.
    pub(crate) fn content_error<F: Fault>(&self, what: F) -> ContentError<F> {
        ContentError { from: self.clone(), what }
    }

    fn error(&self, why: Why, source: Option<io::Error>) -> InputError {
        InputError { from: self.clone(), why, source }
    }

    fn describe(&self, lang: Lang) -> String {
        match self {
            Self::StandardInput => lang.pick("standard input", "标准输入").to_owned(),
            Self::File(path) => format!("`{path}`"),
        }
    }
}

impl From<&str> for Source {
    fn from(text: &str) -> Self {
        if text == "-" { Self::StandardInput } else { Self::File(Utf8Path::new(text).to_owned()) }
    }
}

impl Message for InputError {
    fn text(&self) -> Text {
        Text::each(|lang| {
            let from = self.from.describe(lang);
            match self.why {
                Why::Unreadable => {
                    lang.pick(format!("cannot read {from}"), format!("无法读取 {from}"))
                }
                Why::Folder => lang.pick(
                    format!("{from} is a folder, and a file is needed"),
                    format!("{from} 是文件夹,此处需要文件"),
                ),
                Why::Special => lang
                    .pick(format!("{from} is not a regular file"), format!("{from} 不是普通文件")),
                Why::TooLarge => {
                    let limit = LIMIT / (1024 * 1024);
                    lang.pick(
                        format!("{from} has more than {limit} MiB"),
                        format!("{from} 超过 {limit} MiB"),
                    )
                }
                Why::Unnamed => {
                    lang.pick("an empty path names no file", "空路径不指向任何文件").to_owned()
                }
                Why::Twice => lang
                    .pick(
                        "standard input cannot be two files at once",
                        "标准输入不能同时作为两个文件",
                    )
                    .to_owned(),
            }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = match self.why {
                Why::Unreadable | Why::Folder | Why::TooLarge => return Vec::new(),
                Why::Special => lang.pick(
                    "send what it carries to standard input, with `-` as the file",
                    "请将其内容传给标准输入,并以 `-` 作为文件",
                ),
                Why::Unnamed => lang.pick(
                    "name a file, or `-` for standard input",
                    "请指定文件,或以 `-` 表示标准输入",
                ),
                Why::Twice => lang.pick("put one of the two in a file", "请将其中之一存为文件"),
            };
            vec![hint.to_owned()]
        })
    }
}

impl<F: Fault> Message for ContentError<F> {
    fn text(&self) -> Text {
        Text::each(|lang| {
            let (from, what) = (self.from.describe(lang), self.what.text().render(lang));
            lang.pick(format!("{from}: {what}"), format!("{from}:{what}"))
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| self.what.hints_in(lang))
    }

    fn exit(&self) -> Exit {
        self.what.exit()
    }
}
