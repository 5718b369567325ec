//! The causes of an error: messages of ours, or errors of others.
//!
//! The derive does not know whether the type of a source is a message. It calls `causes` on
//! [`Cause`], and method resolution finds [`MessageCause`] first, where it is implemented.

use std::{error::Error, iter::successors};

use super::{Message, Text};

/// The source of an error.
#[derive(Debug)]
pub struct Cause<'a, T>(pub &'a T);

/// The causes of a source that is a message of ours.
pub trait MessageCause {
    fn causes(&self) -> Vec<Text>;
}

/// The causes of any other source.
pub trait ErrorCause {
    fn causes(&self) -> Vec<Text>;
}

impl<T: Message> MessageCause for Cause<'_, T> {
    fn causes(&self) -> Vec<Text> {
        let mut causes = vec![self.0.text()];
        causes.extend(self.0.causes());
        causes
    }
}

impl<T: Error + 'static> ErrorCause for &Cause<'_, T> {
    fn causes(&self) -> Vec<Text> {
        quoted(self.0)
    }
}

/// A boxed error does not implement `Error`; an inherent method is found before those of traits.
impl Cause<'_, Box<dyn Error + Send + Sync>> {
    pub fn causes(&self) -> Vec<Text> {
        quoted(self.0.as_ref())
    }
}

fn quoted(first: &(dyn Error + 'static)) -> Vec<Text> {
    successors(Some(first), |&it| it.source()).map(|it| Text::verbatim(it.to_string())).collect()
}
