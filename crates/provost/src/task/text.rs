//! A text that a person says: on the command line, or on standard input.

use provost_kernel::{Message, Text};

use crate::{input::Source, session::AnyFault};

/// A text on standard input that is none.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
struct NotText(#[source] std::string::FromUtf8Error);

/// The text of an argument; `-` reads standard input, without the newline at its end.
pub(super) fn read(argument: &str) -> Result<String, AnyFault> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let text = String::from_utf8(Source::StandardInput.read()?).map_err(NotText)?;
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}

impl Message for NotText {
    fn text(&self) -> Text {
        Text::each(|lang| lang.pick("standard input is not UTF-8", "标准输入不是 UTF-8").to_owned())
    }
}
