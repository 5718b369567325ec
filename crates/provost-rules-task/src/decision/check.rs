//! `check decision`: the table alone, asked with JSON.

use provost_kernel::{
    Message, Text,
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

/// The answer of `check decision`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedDecision {
    pub next_state: State,
    /// Empty when the task is not paused.
    pub pause_reason_code: &'static str,
    pub consume_attempt: bool,
    pub last_decision: VerdictDecision,
    pub questions_for_user: Vec<Text>,
    pub message: Text,
    pub row: &'static str,
}

/// Why the table could not be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.decision_input")]
pub enum DecisionInputError {
    #[message(transparent)]
    Json(StrictError),
    #[message(en = "the input of a decision is a JSON object", zh = "决策的输入应为 JSON 对象")]
    NotAnObject,
    #[message(
        en = "unknown input `{key}`",
        zh = "未知的输入 `{key}`",
        arg(known = KEYS),
        hint(when = nearest.is_some(), en = "did you mean `{nearest}`?", zh = "是否想写 `{nearest}`?"),
        hint(when = nearest.is_none(), en = "the inputs are {known:names}", zh = "可用的输入：{known:names}")
    )]
    UnknownKey { key: String, nearest: Option<&'static str> },
    #[message(en = "`{key}` is not {expected}", zh = "`{key}` 不是{expected}")]
    WrongType { key: &'static str, expected: InputKind },
    #[message(
        en = "`{key}` has no value `{found}`",
        zh = "`{key}` 没有取值 `{found}`",
        arg(found = &error.found),
        inherit = error
    )]
    UnknownWord { key: &'static str, error: WordError },
}

/// The type that an input has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "task.decision_input.kind")]
pub enum InputKind {
    #[message(en = "a string", zh = "字符串")]
    Text,
    #[message(en = "an exit code", zh = "退出码")]
    ExitCode,
    #[message(en = "a count", zh = "计数")]
    Count,
    #[message(en = "true or false", zh = "真或假")]
    Truth,
    #[message(en = "a list of strings", zh = "字符串列表")]
    Texts,
}

/// Asks the table; an input that is absent or `null` takes its default.
///
/// A decision that is none of the three words is unknown, and that has a row of its own. A key
/// of timeouts that names no kind says nothing.
pub fn check(bytes: &[u8]) -> Result<CheckedDecision, DecisionInputError> {
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
        questions_for_user,
        message,
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
