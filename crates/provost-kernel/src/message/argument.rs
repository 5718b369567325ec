//! The arguments of a message.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf},
};

use camino::{Utf8Path, Utf8PathBuf};

use super::Text;

/// A value that a message is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A name, a path, a value: the same in every language.
    Literal(String),
    Number(i64),
    /// A text that differs between languages.
    Text(Text),
    List(Vec<Self>),
}

/// A type that can be an argument of a message.
pub trait IntoArgument {
    fn to_argument(&self) -> Argument;
}

impl Argument {
    /// An argument that is printed as it displays itself.
    pub fn display(value: &(impl fmt::Display + ?Sized)) -> Self {
        Self::Literal(value.to_string())
    }

    /// The number that a plural depends on.
    pub(super) fn count(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::List(items) => i64::try_from(items.len()).ok(),
            Self::Literal(_) | Self::Text(_) => None,
        }
    }
}

impl IntoArgument for Argument {
    fn to_argument(&self) -> Argument {
        self.clone()
    }
}

impl IntoArgument for Text {
    fn to_argument(&self) -> Argument {
        Argument::Text(self.clone())
    }
}

impl<T: IntoArgument + ?Sized> IntoArgument for Box<T> {
    fn to_argument(&self) -> Argument {
        (**self).to_argument()
    }
}

impl<T: IntoArgument + ?Sized> IntoArgument for &T {
    fn to_argument(&self) -> Argument {
        (**self).to_argument()
    }
}

/// An absent argument is an empty text: a hint that needs it has a condition.
impl<T: IntoArgument> IntoArgument for Option<T> {
    fn to_argument(&self) -> Argument {
        self.as_ref().map_or_else(|| Argument::Literal(String::new()), T::to_argument)
    }
}

impl<T: IntoArgument> IntoArgument for [T] {
    fn to_argument(&self) -> Argument {
        Argument::List(self.iter().map(T::to_argument).collect())
    }
}

impl<T: IntoArgument, const N: usize> IntoArgument for [T; N] {
    fn to_argument(&self) -> Argument {
        self.as_slice().to_argument()
    }
}

impl<T: IntoArgument> IntoArgument for Vec<T> {
    fn to_argument(&self) -> Argument {
        self.as_slice().to_argument()
    }
}

impl<T: IntoArgument> IntoArgument for BTreeSet<T> {
    fn to_argument(&self) -> Argument {
        Argument::List(self.iter().map(T::to_argument).collect())
    }
}

impl IntoArgument for Path {
    fn to_argument(&self) -> Argument {
        Argument::display(&self.display())
    }
}

impl IntoArgument for PathBuf {
    fn to_argument(&self) -> Argument {
        self.as_path().to_argument()
    }
}

macro_rules! displayed {
    ($($type:ty),* $(,)?) => { $(
        impl IntoArgument for $type {
            fn to_argument(&self) -> Argument {
                Argument::display(self)
            }
        }
    )* };
}

/// Makes types that display themselves the same way in every language arguments of messages.
#[macro_export]
macro_rules! display_arguments {
    ($($type:ty),* $(,)?) => { $(
        impl $crate::message::IntoArgument for $type {
            fn to_argument(&self) -> $crate::message::Argument {
                $crate::message::Argument::display(self)
            }
        }
    )* };
}

displayed! {
    str, String, char, bool, f64, Utf8Path, Utf8PathBuf, Cow<'_, str>,
    serde_json::Value, serde_json::Error, std::io::Error,
    crate::Digest, crate::Timestamp,
}

macro_rules! numbers {
    ($($type:ty),*) => { $(
        impl IntoArgument for $type {
            fn to_argument(&self) -> Argument {
                i64::try_from(*self).map_or_else(|_| Argument::display(self), Argument::Number)
            }
        }
    )* };
}

numbers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, isize);
