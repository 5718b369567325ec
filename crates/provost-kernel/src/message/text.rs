//! A text that was not rendered yet.

use std::{borrow::Cow, fmt};

use super::{Argument, Template};
use crate::Lang;

/// What is said to a person, before anything knows in which language.
///
/// It displays in English, for logs and for the causes of errors.
#[derive(Clone, PartialEq, Eq)]
pub struct Text(pub(super) Box<Form>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Template {
        template: &'static Template,
        arguments: Vec<Argument>,
    },
    /// What a person, an agent or a program wrote: the same in every language.
    Verbatim(Cow<'static, str>),
    /// What an earlier version stored in both languages.
    Pair {
        en: String,
        zh: String,
    },
}

impl Text {
    /// A message of ours. The derive passes the arguments in the template's order.
    pub fn new(template: &'static Template, arguments: Vec<Argument>) -> Self {
        Self(Box::new(Form::Template { template, arguments }))
    }

    /// A text that somebody else wrote.
    pub fn verbatim(text: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Form::Verbatim(text.into())))
    }

    /// A text that an earlier version stored in both languages.
    pub(super) fn pair(en: String, zh: String) -> Self {
        if en == zh { Self::verbatim(en) } else { Self(Box::new(Form::Pair { en, zh })) }
    }

    /// The stable code, if it is a message of ours.
    pub fn code(&self) -> Option<&'static str> {
        match &*self.0 {
            Form::Template { template, .. } => Some(template.code),
            Form::Verbatim(_) | Form::Pair { .. } => None,
        }
    }

    pub fn is_empty(&self) -> bool {
        matches!(&*self.0, Form::Verbatim(text) if text.is_empty())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Lang::En.render(self))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({:?}: {:?})", self.code().unwrap_or("verbatim"), self.to_string())
    }
}

/// A text equals the string that it displays, for tests.
impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        let shown = self.to_string();
        shown == *other
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::verbatim(text)
    }
}

impl From<&'static str> for Text {
    fn from(text: &'static str) -> Self {
        Self::verbatim(text)
    }
}
