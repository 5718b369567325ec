//! Closed sets of words, as files and commands write them.
//!
//! Each set is an enum whose variants know their word. Reading accepts the words and, where the
//! original used another one, that as well; writing uses the word alone.

use crate::{Message, shorten};

/// A text that is none of the words of a set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "word",
    en = "unknown {kind} `{found}`",
    zh = "未知的 {kind} `{found}`",
    arg(kind = spaced(set)),
    hint(en = "use one of {known:names}", zh = "可用：{known:names}")
)]
pub struct WordError {
    /// What the set is called, such as `State`.
    pub set: &'static str,
    /// The text, cut to a length that people read.
    pub found: String,
    /// Every word of the set.
    pub known: &'static [&'static str],
}

/// A closed set of words, for readers that name every word when none of them was written.
pub trait WordSet: std::str::FromStr {
    const WORDS: &'static [&'static str];
}

impl WordSet for crate::Lang {
    const WORDS: &'static [&'static str] = &["en", "zh"];
}

impl WordError {
    pub(crate) fn new(set: &'static str, found: &str, known: &'static [&'static str]) -> Self {
        Self { set, found: shorten(found), known }
    }
}

/// The name of a set as people write it: `TaskType` is a `task type`.
fn spaced(set: &str) -> String {
    let mut words = String::with_capacity(set.len() + 4);
    for letter in set.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

/// Defines a closed set of words: the enum, its words, and how they are read and written.
macro_rules! words {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $(
                $(#[$doc:meta])*
                $variant:ident = $word:literal $(| $alias:literal)*,
            )+
        }
    ) => {
        $(#[$about])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        pub enum $name {
            $(
                $(#[$doc])*
                #[serde(rename = $word $(, alias = $alias)*)]
                $variant,
            )+
        }

        impl $name {
            /// Every word of the set, in the order of its definition.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The words themselves, in the same order.
            pub const WORDS: &[&str] = &[$($word),+];

            /// The word as files and commands write it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl $crate::WordSet for $name {
            const WORDS: &'static [&'static str] = &[$($word),+];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::WordError;

            fn from_str(text: &str) -> Result<Self, $crate::WordError> {
                match text {
                    $($word $(| $alias)* => Ok(Self::$variant),)+
                    _ => Err($crate::WordError::new(stringify!($name), text, Self::WORDS)),
                }
            }
        }
    };
}

pub(crate) use words;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lang, task::State};

    #[test]
    fn a_word_that_is_none_comes_with_those_that_are() {
        let error = "DONE".parse::<State>().unwrap_err();
        assert_eq!(error.to_string(), "unknown state `DONE`");
        assert_eq!(Lang::Zh.render(&error.text()), "未知的 state `DONE`");
        assert_eq!(error.hints(), ["use one of `RUNNING`, `PAUSED`, `READY_FOR_REVIEW`, `FAILED`"],);
        assert_eq!("x".repeat(1000).parse::<State>().unwrap_err().found.chars().count(), 81);
    }
}
