//! A text that a person says: on the command line, or on standard input.

use provost_kernel::Message;

use crate::{input::Source, session::AnyFault};

/// A text on standard input that is none.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "input.text", en = "standard input is not UTF-8", zh = "标准输入不是 UTF-8")]
struct NotText(#[source] std::string::FromUtf8Error);

/// The text of an argument; `-` reads standard input, without the newline at its end.
pub(super) fn read(argument: &str) -> Result<String, AnyFault> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let text = String::from_utf8(Source::StandardInput.read()?).map_err(NotText)?;
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}
