//! Identifiers, checked once, where they enter the process.
//!
//! After that the type is the proof: no code below the surface looks at the characters again,
//! and each of them is safe as one component of a path.

use std::{fmt, num::NonZeroU16, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Message, text_id::text_id};

/// Why a text is not an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "id",
    en = "invalid {kind} id: {why}",
    zh = "{kind} id 无效：{why}",
    arg(grammar = kind.grammar()),
    arg(limit = MAX_LEN),
    hint(
        en = "use `{grammar}`, at most {limit} bytes",
        zh = "格式为 `{grammar}`，最多 {limit} 字节"
    )
)]
pub struct IdError {
    kind: Kind,
    pub(crate) why: Why,
}

#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "id.why")]
pub(crate) enum Why {
    #[message(en = "it is empty", zh = "不能为空")]
    Empty,
    #[message(
        en = "it has {len} bytes, at most {limit} are allowed",
        zh = "有 {len} 字节，最多允许 {limit} 字节",
        arg(limit = MAX_LEN)
    )]
    TooLong { len: usize },
    #[message(en = "this form is reserved for provost", zh = "这种形式由 provost 保留")]
    Reserved,
    #[message(en = "it contains {found:?} at position {at}", zh = "位置 {at} 处有 {found:?}")]
    BadCharacter { found: char, at: usize },
}

/// What an id names, with the rule that its characters follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "id.kind")]
enum Kind {
    #[message(en = "task", zh = "任务")]
    Task,
    #[message(en = "request", zh = "请求")]
    Request,
    #[message(en = "session", zh = "会话")]
    Session,
}

text_id! {
    /// The name of a task (LOOP-A6).
    ///
    /// The grammar is `[A-Za-z0-9_-]+`, at most 200 bytes; a leading `_` is reserved, because names
    /// that start with it belong to provost itself (`_audit`, `_index`).
    #[schemars(with = "String", extend("pattern" = "^[A-Za-z0-9-][A-Za-z0-9_-]{0,199}$"))]
    pub struct TaskId(String): IdError;
}

text_id! {
    /// The name under which a person's order is remembered, so that it takes effect once.
    ///
    /// The grammar is `[A-Za-z0-9._:-]+`, at most 200 bytes, and not `.` or `..`.
    #[schemars(with = "String", extend("pattern" = "^[A-Za-z0-9._:-]{1,200}$"))]
    pub struct RequestId(String): IdError;
}

text_id! {
    /// The name that a client gives to one of its sessions.
    ///
    /// The grammar is `[A-Za-z0-9_][A-Za-z0-9_-]*`, at most 200 bytes.
    #[schemars(with = "String", extend("pattern" = "^[A-Za-z0-9_][A-Za-z0-9_-]{0,199}$"))]
    pub struct SessionId(String): IdError;
}

/// The number of an attempt, from 1 to 999: three digits in the name of its folder.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "u16", into = "u16")]
#[schemars(with = "u16", extend("minimum" = 1, "maximum" = 999))]
pub struct AttemptNumber(NonZeroU16);

/// A number that is not an [`AttemptNumber`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "id.attempt",
    en = "invalid attempt number {0}: use 1 to 999",
    zh = "尝试编号 {0} 无效：应为 1 到 999"
)]
pub struct AttemptNumberError(u16);

crate::display_arguments!(AttemptNumber);

const MAX_LEN: usize = 200;

impl Kind {
    fn allows(self, found: char, at: usize) -> bool {
        let plain = found.is_ascii_alphanumeric();
        match self {
            Self::Task => plain || matches!(found, '_' | '-'),
            Self::Request => plain || matches!(found, '.' | '_' | ':' | '-'),
            Self::Session => plain || found == '_' || (at > 0 && found == '-'),
        }
    }

    fn reserves(self, text: &str) -> bool {
        match self {
            Self::Task => text.starts_with('_'),
            Self::Request => matches!(text, "." | ".."),
            Self::Session => false,
        }
    }

    fn check(self, text: &str) -> Result<(), IdError> {
        let fail = |why| Err(IdError { kind: self, why });
        if text.is_empty() {
            return fail(Why::Empty);
        }
        // The length comes first: a text of a megabyte is refused without being read.
        if text.len() > MAX_LEN {
            return fail(Why::TooLong { len: text.len() });
        }
        let bad = text.chars().enumerate().find(|&(at, found)| !self.allows(found, at));
        if let Some((at, found)) = bad {
            return fail(Why::BadCharacter { found, at });
        }
        if self.reserves(text) {
            return fail(Why::Reserved);
        }
        Ok(())
    }

    fn grammar(self) -> &'static str {
        match self {
            Self::Task => "[A-Za-z0-9-][A-Za-z0-9_-]*",
            Self::Request => "[A-Za-z0-9._:-]+",
            Self::Session => "[A-Za-z0-9_][A-Za-z0-9_-]*",
        }
    }
}

macro_rules! parse {
    ($($name:ident: $kind:expr),+) => { $(
        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                $kind.check(text).map(|()| Self(text.to_owned()))
            }
        }
    )+ };
}

parse!(TaskId: Kind::Task, RequestId: Kind::Request, SessionId: Kind::Session);

impl AttemptNumber {
    pub const FIRST: Self = Self(NonZeroU16::MIN);

    pub fn get(self) -> u16 {
        self.0.get()
    }
}

impl TryFrom<u16> for AttemptNumber {
    type Error = AttemptNumberError;

    fn try_from(number: u16) -> Result<Self, AttemptNumberError> {
        match NonZeroU16::new(number) {
            Some(it) if number <= 999 => Ok(Self(it)),
            _ => Err(AttemptNumberError(number)),
        }
    }
}

impl From<AttemptNumber> for u16 {
    fn from(number: AttemptNumber) -> Self {
        number.get()
    }
}

/// Written with three digits, as in `attempt_001` (LOOP-B14).
impl fmt::Display for AttemptNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:03}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lang;

    #[track_caller]
    fn check<T: FromStr<Err = IdError>>(text: &str, expected: Option<Why>) {
        let actual = text.parse::<T>().err().map(|it| it.why);
        assert_eq!(actual, expected, "{text:?}");
    }

    /// LOOP-A6.
    #[test]
    fn a_task_id_follows_its_grammar() {
        check::<TaskId>("fix-login_2", None);
        check::<TaskId>("-", None);
        check::<TaskId>(&"a".repeat(200), None);
        check::<TaskId>("", Some(Why::Empty));
        check::<TaskId>("_audit", Some(Why::Reserved));
        check::<TaskId>("../etc", Some(Why::BadCharacter { found: '.', at: 0 }));
        check::<TaskId>("a/b", Some(Why::BadCharacter { found: '/', at: 1 }));
        check::<TaskId>("a\0b", Some(Why::BadCharacter { found: '\0', at: 1 }));
        check::<TaskId>("a\n", Some(Why::BadCharacter { found: '\n', at: 1 }));
        check::<TaskId>("任务", Some(Why::BadCharacter { found: '任', at: 0 }));
        check::<TaskId>("ａ", Some(Why::BadCharacter { found: 'ａ', at: 0 }));
        check::<TaskId>(&"a".repeat(201), Some(Why::TooLong { len: 201 }));
        check::<TaskId>(&"../".repeat(400_000), Some(Why::TooLong { len: 1_200_000 }));
    }

    #[test]
    fn request_and_session_ids_follow_theirs() {
        check::<RequestId>("2026.11:15-a_b", None);
        check::<RequestId>("..", Some(Why::Reserved));
        check::<RequestId>("a/..", Some(Why::BadCharacter { found: '/', at: 1 }));
        check::<SessionId>("0190-abcdef", None);
        check::<SessionId>("-x", Some(Why::BadCharacter { found: '-', at: 0 }));
        check::<SessionId>("a.b", Some(Why::BadCharacter { found: '.', at: 1 }));
    }

    #[test]
    fn an_id_keeps_its_proof_through_json() {
        assert!(serde_json::from_str::<TaskId>("\"../x\"").is_err());
        let id: TaskId = serde_json::from_str("\"t1\"").unwrap();
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"t1\"");
    }

    /// LOOP-B14: three digits.
    #[test]
    fn an_attempt_has_three_digits() {
        assert_eq!(AttemptNumber::FIRST.to_string(), "001");
        assert_eq!(AttemptNumber::try_from(999).unwrap().to_string(), "999");
        assert!(AttemptNumber::try_from(0).is_err());
        assert!(AttemptNumber::try_from(1000).is_err());
    }

    #[test]
    fn an_error_names_the_rule_in_both_languages() {
        let error = "a/b".parse::<TaskId>().unwrap_err();
        assert_eq!(error.to_string(), "invalid task id: it contains \"/\" at position 1");
        assert_eq!(Lang::Zh.render(&error.text()), "任务 id 无效：位置 1 处有 \"/\"");
        assert_eq!(error.hints(), ["use `[A-Za-z0-9-][A-Za-z0-9_-]*`, at most 200 bytes"]);
    }
}
