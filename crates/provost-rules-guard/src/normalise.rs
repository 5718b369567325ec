//! The one way in: nothing of provost reads a payload that did not pass here (HOOK-1.2).
//!
//! Strict JSON, one spelling for each field, and only the fields that the type knows. The author
//! of the payload cannot say one thing to the client and another to the guard.

mod error;
#[cfg(test)]
mod tests;

use provost_form::{Limits, ProblemKind, json};
use provost_kernel::{
    Finding, Message, Severity,
    guard::{HookInput, HookType, UnknownFields},
};
use serde_json::{Map, Value};

pub use self::error::InputError;
use super::fields::{
    ANSWER_KEYS, EVENT_NAME, MAPPED, Mapped, PROTOTYPE_KEYS, Shape, TOOL_DATA, is_known, of, shape,
};

/// How much is read: 4 MiB, and values on at most 128 levels.
///
/// The reader below gives up at 128 containers by itself, so 127 of them and what is in the last
/// are the 128 levels.
pub const LIMITS: Limits = Limits { bytes: 4 << 20, depth: 127 };

/// What is unusual about a payload that was accepted.
#[derive(Message)]
#[message(code = "guard.remark")]
enum Remark {
    #[message(
        en = "the tool's data has a key with a special meaning in JavaScript",
        zh = "工具数据中有在 JavaScript 里具有特殊含义的键"
    )]
    PrototypeKey,
    #[message(
        en = "a `{hook}` hook normally has the field `{field}`, and this one does not",
        zh = "`{hook}` 钩子通常带有字段 `{field}`，此处没有"
    )]
    ExpectedField { hook: HookType, field: String },
}

/// A payload that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Normalised {
    pub input: HookInput,
    /// The client's names of the fields that were left out, in order.
    pub dropped: Vec<String>,
    /// The client's names of the fields that the type does not know and that stayed all the same.
    pub passed: Vec<String>,
    pub findings: Vec<Finding>,
}

/// Reads the bytes of a payload.
pub fn parse(bytes: &[u8]) -> Result<Map<String, Value>, InputError> {
    // The limit comes first: nothing else looks at a payload that is too long.
    if bytes.len() <= LIMITS.bytes && bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(InputError::Empty);
    }
    match json::parse(bytes, LIMITS) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(InputError::NotAnObject),
        Err(error) => Err(InputError::json(error)),
    }
}

/// Reads the bytes of a payload that may start with a byte order mark.
pub fn parse_marked(bytes: &[u8]) -> Result<Map<String, Value>, InputError> {
    if bytes.len() > LIMITS.bytes {
        return Err(InputError::json(ProblemKind::TooLarge { limit: LIMITS.bytes }));
    }
    parse(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes))
}

/// What some editors put before a text.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Turns a payload into the input of a hook.
pub fn normalise(
    hook: HookType,
    mut payload: Map<String, Value>,
    unknown: UnknownFields,
) -> Result<Normalised, InputError> {
    let mut findings = Vec::new();
    refuse_forbidden(hook, &payload, &mut findings)?;
    for (name, value) in &payload {
        check_shape(name, value)?;
    }
    let keeps_all = unknown == UnknownFields::Pass && !hook.is_sensitive();
    let mut sorting = Sorting { hook, keeps_all, dropped: Vec::new(), passed: Vec::new() };

    for name in EVENT_NAME {
        payload.remove(name);
    }
    let mut take = |it: Mapped| sorting.take(it, &mut payload);
    let [session_id, directory, tool_name, tool_input, tool_output, prompt] = MAPPED.map(&mut take);
    let fields = payload.into_iter().filter(|(name, value)| sorting.keeps(name, value)).collect();
    let input = HookInput {
        hook,
        session_id: session_id.and_then(text),
        directory: directory.and_then(text),
        tool_name: tool_name.and_then(text),
        tool_input,
        tool_output,
        prompt: prompt.and_then(text),
        fields,
    };

    let is_absent = |name: &&&str| !input.has(name);
    if let Some(&field) = of(hook).required.iter().find(is_absent) {
        return Err(InputError::MissingField { hook, field });
    }
    findings.extend(of(hook).expected.iter().filter(is_absent).map(|it| expected(hook, it)));
    if hook == HookType::KeywordDetector && input.prompt_text().is_none() {
        findings.push(expected(hook, "prompt"));
    }
    let Sorting { mut dropped, mut passed, .. } = sorting;
    dropped.sort_unstable();
    passed.sort_unstable();
    Ok(Normalised { input, dropped, passed, findings })
}

/// Which fields stay, and which did not.
struct Sorting {
    hook: HookType,
    keeps_all: bool,
    dropped: Vec<String>,
    passed: Vec<String>,
}

impl Sorting {
    /// Takes every spelling of a field out of the payload and gives back the one that counts.
    fn take(&mut self, field: Mapped, payload: &mut Map<String, Value>) -> Option<Value> {
        let mut found = None;
        for &spelling in field.spellings {
            let value = payload.remove(spelling).filter(|it| !it.is_null());
            found = found.or(value.map(|it| (spelling, it)));
        }
        let (spelling, value) = found?;
        self.is_kept(spelling, field.name).then_some(value)
    }

    /// Whether a field without another spelling stays. One that is `null` is absent.
    fn keeps(&mut self, name: &str, value: &Value) -> bool {
        self.is_kept(name, name) && !value.is_null()
    }

    fn is_kept(&mut self, spelling: &str, name: &str) -> bool {
        if is_known(self.hook, name) {
            return true;
        }
        let list = if self.keeps_all { &mut self.passed } else { &mut self.dropped };
        list.push(spelling.to_owned());
        self.keeps_all
    }
}

/// Refuses keys that are tricks. Inside what belongs to the tool they are somebody's data.
fn refuse_forbidden(
    hook: HookType,
    payload: &Map<String, Value>,
    findings: &mut Vec<Finding>,
) -> Result<(), InputError> {
    for (name, value) in payload {
        if PROTOTYPE_KEYS.contains(&name.as_str()) {
            return Err(InputError::PrototypeKey { at: step(name) });
        }
        let Some(at) = prototype_key(value) else { continue };
        if !TOOL_DATA.contains(&name.as_str()) {
            return Err(InputError::PrototypeKey { at: step(name) + &at });
        }
        let rule = "guard.prototype_key";
        findings.push(Finding::new(rule, Severity::P2, name, &Remark::PrototypeKey));
    }
    let is_decision = matches!(hook, HookType::PermissionRequest | HookType::PreToolUse);
    match ANSWER_KEYS.into_iter().find(|it| is_decision && payload.contains_key(*it)) {
        Some(key) => Err(InputError::AnswerKey { hook, key }),
        None => Ok(()),
    }
}

/// The JSON pointer of the first such key below a value.
fn prototype_key(value: &Value) -> Option<String> {
    match value {
        Value::Object(object) => object.iter().find_map(|(key, inner)| {
            if PROTOTYPE_KEYS.contains(&key.as_str()) {
                return Some(step(key));
            }
            prototype_key(inner).map(|at| step(key) + &at)
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, inner)| prototype_key(inner).map(|at| format!("/{index}{at}"))),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// One step of a JSON pointer.
fn step(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn check_shape(name: &str, value: &Value) -> Result<(), InputError> {
    let Some(shape) = shape(name) else { return Ok(()) };
    let is_text_or_absent = |it: Option<&Value>| it.is_none_or(|it| it.is_string() || it.is_null());
    let fits = value.is_null()
        || match shape {
            Shape::Text => value.is_string(),
            Shape::Truth => value.is_boolean(),
            Shape::Message => value.is_object() && is_text_or_absent(value.get("content")),
            Shape::Parts => value.as_array().is_some_and(|parts| {
                parts.iter().all(|it| {
                    it.get("type").is_some_and(Value::is_string)
                        && is_text_or_absent(it.get("text"))
                })
            }),
        };
    if fits { Ok(()) } else { Err(InputError::WrongShape { field: name.to_owned(), shape }) }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

fn expected(hook: HookType, field: &str) -> Finding {
    let remark = Remark::ExpectedField { hook, field: field.to_owned() };
    Finding::new("guard.expected_field", Severity::P2, field, &remark)
}
