//! Messages as data: a code and its arguments, with the texts of both languages beside the code.
//!
//! Everything below the surfaces returns messages. A surface renders them in the language of its
//! reader with [`Lang::render`](crate::Lang::render), and state on disk keeps code and arguments, so
//! that what was written for one reader can be read by another.

mod argument;
mod catalogue;
mod cause;
mod phrase;
mod record;
mod render;
#[cfg(test)]
mod tests;
mod text;

pub use argument::{Argument, IntoArgument};
pub use catalogue::{CATALOGUE, Template, templates};
pub use cause::{Cause, ErrorCause, MessageCause};
pub use linkme;
pub use phrase::Phrase;
pub use record::{MessageRecord, text_or_string};
pub use text::Text;

use crate::{Exit, Finding};

/// Something that is said to a person: implemented by `#[derive(Message)]`.
///
/// The text names the thing and the rule in one line, lower-case, without a final period and
/// without its cause: the cause of an error is its `source`.
pub trait Message {
    /// What is said.
    fn text(&self) -> Text;

    /// What the person can do about it, as a command to type where there is one.
    fn hints(&self) -> Vec<Text> {
        Vec::new()
    }

    /// The texts of its causes, the nearest first. A cause that is not a message of ours, such as an
    /// error of the system, is quoted as it is.
    fn causes(&self) -> Vec<Text> {
        Vec::new()
    }

    /// What it means to a script.
    fn exit(&self) -> Exit {
        Exit::Unable
    }

    /// All findings, where there is more than one.
    fn findings(&self) -> &[Finding] {
        &[]
    }
}

impl<T: Message + ?Sized> Message for std::sync::Arc<T> {
    fn text(&self) -> Text {
        (**self).text()
    }

    fn hints(&self) -> Vec<Text> {
        (**self).hints()
    }

    fn causes(&self) -> Vec<Text> {
        (**self).causes()
    }

    fn exit(&self) -> Exit {
        (**self).exit()
    }

    fn findings(&self) -> &[Finding] {
        (**self).findings()
    }
}

impl<T: Message + ?Sized> Message for Box<T> {
    fn text(&self) -> Text {
        (**self).text()
    }

    fn hints(&self) -> Vec<Text> {
        (**self).hints()
    }

    fn causes(&self) -> Vec<Text> {
        (**self).causes()
    }

    fn exit(&self) -> Exit {
        (**self).exit()
    }

    fn findings(&self) -> &[Finding] {
        (**self).findings()
    }
}
