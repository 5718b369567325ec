//! `check decision`: the table alone, asked with JSON.

use provost_kernel::{
    Exit, Lang, Message, Text,
    task::{Decision, ErrorClass, Facts, Role, State, VerdictDecision, WordError},
};
use provost_rules::nearest::nearest;
use serde::Serialize;
use serde_json::{Map, Value};

use super::decide;
use crate::strict::{self, Limits, StrictError, shorten};

const LIMITS: Limits = Limits { bytes: 64 * 1024, depth: 8 };

const KEYS: [&str; 11] = [
    "role",
    "rc",
    "error_class",
    "verdict_decision",
    "verdict_gated",
    "thresholds_pass",
    "current_attempt",
    "effective_max_attempts",
    "consecutive_timeout_count",
    "consecutive_timeout_key",
    "questions_for_user",
];

/// The answer of `check decision`, with the keys that scripts read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedDecision {
    pub next_state: State,
    /// Empty when the task is not paused.
    pub pause_reason_code: &'static str,
    pub consume_attempt: bool,
    pub last_decision: VerdictDecision,
    pub questions_for_user: Vec<String>,
    pub message: String,
    pub row: &'static str,
}

/// Why the table could not be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub enum DecisionInputError {
    Json(StrictError),
    NotAnObject,
    UnknownKey { key: String, nearest: Option<&'static str> },
    WrongType { key: &'static str, expected: InputKind },
    UnknownWord { key: &'static str, error: WordError },
}

/// The type that an input has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    Text,
    ExitCode,
    Count,
    Truth,
    Texts,
}

/// Asks the table; an input that is absent or `null` takes its default.
///
/// A decision that is none of the three words is unknown, and that has a row of its own. A key
/// of timeouts that names no kind says nothing.
pub fn check(bytes: &[u8], lang: Lang) -> Result<CheckedDecision, DecisionInputError> {
    let facts = read(bytes)?;
    let Decision {
        row,
        next_state,
        pause_reason_code,
        consume_attempt,
        last_decision,
        questions_for_user,
        message,
    } = decide(&facts);
    Ok(CheckedDecision {
        next_state,
        pause_reason_code: pause_reason_code.map_or("", |it| it.as_str()),
        consume_attempt,
        last_decision,
        questions_for_user: questions_for_user.iter().map(|it| it.render(lang)).collect(),
        message: message.render(lang),
        row: row.as_str(),
    })
}

fn read(bytes: &[u8]) -> Result<Facts, DecisionInputError> {
    let value = strict::parse(bytes, LIMITS).map_err(DecisionInputError::Json)?;
    let Value::Object(object) = value else { return Err(DecisionInputError::NotAnObject) };
    if let Some(key) = object.keys().find(|it| !KEYS.contains(&it.as_str())) {
        let nearest = nearest(key, KEYS);
        return Err(DecisionInputError::UnknownKey { key: shorten(key), nearest });
    }
    let input = Input { object: &object };
    Ok(Facts {
        role: input.word("role")?.unwrap_or(Role::Judge),
        rc: input.exit_code("rc")?,
        error_class: input.word("error_class")?.unwrap_or(ErrorClass::None),
        verdict_decision: input.text("verdict_decision")?.and_then(|it| it.parse().ok()),
        verdict_gated: input.truth("verdict_gated")?.unwrap_or(false),
        thresholds_pass: input.truth("thresholds_pass")?.unwrap_or(true),
        current_attempt: input.count("current_attempt")?.unwrap_or(1),
        effective_max_attempts: input.count("effective_max_attempts")?.unwrap_or(3),
        consecutive_timeout_count: input.count("consecutive_timeout_count")?.unwrap_or(0),
        consecutive_timeout_key: input
            .text("consecutive_timeout_key")?
            .and_then(|it| it.parse().ok()),
        questions_for_user: input.texts("questions_for_user")?,
    })
}

struct Input<'a> {
    object: &'a Map<String, Value>,
}

impl<'a> Input<'a> {
    fn present(&self, key: &str) -> Option<&'a Value> {
        self.object.get(key).filter(|it| !it.is_null())
    }

    fn typed<T>(
        &self,
        key: &'static str,
        expected: InputKind,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, DecisionInputError> {
        let wrong = DecisionInputError::WrongType { key, expected };
        self.present(key).map(|it| read(it).ok_or(wrong)).transpose()
    }

    fn text(&self, key: &'static str) -> Result<Option<&'a str>, DecisionInputError> {
        self.typed(key, InputKind::Text, Value::as_str)
    }

    fn word<T>(&self, key: &'static str) -> Result<Option<T>, DecisionInputError>
    where
        T: std::str::FromStr<Err = WordError>,
    {
        let word = self.text(key)?.map(str::parse).transpose();
        word.map_err(|error| DecisionInputError::UnknownWord { key, error })
    }

    fn exit_code(&self, key: &'static str) -> Result<i32, DecisionInputError> {
        let read = |it: &Value| it.as_i64().and_then(|it| i32::try_from(it).ok());
        Ok(self.typed(key, InputKind::ExitCode, read)?.unwrap_or(0))
    }

    fn count(&self, key: &'static str) -> Result<Option<u32>, DecisionInputError> {
        self.typed(key, InputKind::Count, |it| it.as_u64().and_then(|it| u32::try_from(it).ok()))
    }

    fn truth(&self, key: &'static str) -> Result<Option<bool>, DecisionInputError> {
        self.typed(key, InputKind::Truth, Value::as_bool)
    }

    fn texts(&self, key: &'static str) -> Result<Vec<String>, DecisionInputError> {
        let text = |it: &Value| it.as_str().map(str::to_owned);
        let read = |it: &Value| it.as_array()?.iter().map(text).collect();
        Ok(self.typed(key, InputKind::Texts, read)?.unwrap_or_default())
    }
}

impl Message for DecisionInputError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Json(error) => error.text().render(lang),
            Self::NotAnObject => lang
                .pick("the input of a decision is a JSON object", "决策的输入应为 JSON 对象")
                .to_owned(),
            Self::UnknownKey { key, .. } => {
                lang.pick(format!("unknown input `{key}`"), format!("未知的输入 `{key}`"))
            }
            Self::WrongType { key, expected } => {
                let expected = expected.describe(lang);
                lang.pick(format!("`{key}` is not {expected}"), format!("`{key}` 不是{expected}"))
            }
            Self::UnknownWord { key, error } => {
                let found = &error.found;
                lang.pick(
                    format!("`{key}` has no value `{found}`"),
                    format!("`{key}` 没有取值 `{found}`"),
                )
            }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::UnknownKey { nearest: Some(it), .. } => {
                vec![lang.pick(format!("did you mean `{it}`?"), format!("是否想写 `{it}`?"))]
            }
            Self::UnknownKey { nearest: None, .. } => {
                let known = KEYS.map(|it| format!("`{it}`")).join(", ");
                vec![lang.pick(format!("the inputs are {known}"), format!("可用的输入:{known}"))]
            }
            Self::UnknownWord { error, .. } => error.hints_in(lang),
            Self::Json(_) | Self::NotAnObject | Self::WrongType { .. } => Vec::new(),
        })
    }

    fn exit(&self) -> Exit {
        Exit::Unable
    }
}

impl InputKind {
    fn describe(self, lang: Lang) -> &'static str {
        match self {
            Self::Text => lang.pick("a text", "文本"),
            Self::ExitCode => lang.pick("an exit code", "退出码"),
            Self::Count => lang.pick("a count", "计数"),
            Self::Truth => lang.pick("true or false", "真或假"),
            Self::Texts => lang.pick("a list of texts", "文本列表"),
        }
    }
}
