//! The fields of an answer, read strictly.

use provost_form::{Limits, ProblemKind, json};
use provost_kernel::{
    learn::{RejectCode, TicketKey},
    shorten, shorten_to,
};
use serde_json::{Map, Value};

use super::bench::Refusal;
use crate::text::{normal, one_line};

/// Several times what a pass may answer with, and far less than would take long to read.
const LIMITS: Limits = Limits { bytes: 256 * 1024, depth: 16 };
/// The most characters of a remark that are kept.
const REMARK: usize = 500;

/// The one object that an answer is.
pub(super) fn object(raw: &[u8]) -> Result<Map<String, Value>, Refusal> {
    let value = json::parse(raw, LIMITS).map_err(|error| {
        let code = if error.kind == ProblemKind::DuplicateKey {
            RejectCode::DuplicateKey
        } else if matches!(error.kind, ProblemKind::TrailingText { .. }) {
            RejectCode::TrailingText
        } else {
            RejectCode::NotJson
        };
        Refusal::new(code, &error.to_string())
    })?;
    match value {
        Value::Object(object) => Ok(object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(Refusal::new(RejectCode::NotObject, kind(&value)))
        }
    }
}

/// A list of items; nothing where it is absent.
pub(super) fn items<'a>(
    answer: &'a Map<String, Value>,
    field: &str,
) -> Result<Option<&'a [Value]>, Refusal> {
    match answer.get(field) {
        None => Ok(None),
        Some(Value::Array(items)) => Ok(Some(items)),
        Some(other) => {
            Err(Refusal::new(RejectCode::NotObject, &format!("{field}: {}", kind(other))))
        }
    }
}

/// A list of texts that must be there.
pub(super) fn texts(value: Option<&Value>) -> Result<Vec<&str>, Refusal> {
    let list = match value {
        None | Some(Value::Null) => return Err(Refusal::bare(RejectCode::EvidenceMissing)),
        Some(Value::Array(list)) => list,
        Some(other) => return Err(Refusal::new(RejectCode::EvidenceNotList, kind(other))),
    };
    list.iter()
        .map(|it| it.as_str().ok_or_else(|| Refusal::new(RejectCode::EvidenceNotList, kind(it))))
        .collect()
}

/// The ticket that a text means: by its key, or by its number in the prompt.
pub(super) fn ticket<'a>(
    text: &str,
    allowed: &'a [TicketKey],
    handles: &[TicketKey],
) -> Option<&'a TicketKey> {
    let by_key = text.trim().parse::<TicketKey>().ok();
    let meant = by_key.or_else(|| handle(text, handles).cloned())?;
    allowed.iter().find(|it| **it == meant)
}

/// A text field: nothing where it is absent, null, or no text.
pub(super) fn text(item: &Map<String, Value>, field: &str) -> Option<String> {
    item.get(field).and_then(Value::as_str).map(one_line).filter(|it| !it.is_empty())
}

/// A remark for a person, cut to a length that people read.
pub(super) fn remark(value: Option<&Value>) -> String {
    shorten_to(&one_line(value.and_then(Value::as_str).unwrap_or_default()), REMARK)
}

/// What a value is, for a person.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// What stands in a field, as it may be shown.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => shorten(&one_line(text)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            kind(value).to_owned()
        }
    }
}

/// The case of a number: `case 3` or `第3组`.
fn handle<'a>(text: &str, handles: &'a [TicketKey]) -> Option<&'a TicketKey> {
    let compact = normal(text).replace(' ', "");
    let number = compact
        .strip_prefix("case")
        .or_else(|| compact.strip_prefix('第').and_then(|it| it.strip_suffix('组')))?;
    let is_plain = number.bytes().all(|it| it.is_ascii_digit()) && !number.starts_with('0');
    let number: usize = is_plain.then(|| number.parse().ok()).flatten()?;
    handles.get(number.checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_meant_by_key_or_number() {
        let keys: Vec<TicketKey> =
            ["a::fail", "b::pass", "case 9::fail"].iter().map(|it| it.parse().unwrap()).collect();
        for (text, expected) in [
            ("a::fail", Some("a::fail")),
            (" a::fail ", Some("a::fail")),
            ("case 2", Some("b::pass")),
            ("Case2", Some("b::pass")),
            ("第1组", Some("a::fail")),
            ("第 2 组", Some("b::pass")),
            ("case 9::fail", Some("case 9::fail")),
            ("case 0", None),
            ("case 4", None),
            ("case 01", None),
            ("case -1", Some("a::fail")),
            ("case 99999999999999999999999", None),
            ("case", None),
            ("a", None),
            ("a::pass", None),
            ("A::fail", None),
            ("a::FAIL", None),
            ("", None),
        ] {
            let found = ticket(text, &keys, &keys).map(ToString::to_string);
            assert_eq!(found.as_deref(), expected, "{text:?}");
        }
        // A case of the prompt that is not learnable is not cited.
        assert_eq!(ticket("case 2", &keys[..1], &keys), None);
    }

    #[test]
    fn a_remark_is_short() {
        let long = Value::String("字 ".repeat(5000));
        assert_eq!(remark(Some(&long)).chars().count(), REMARK + 1);
        assert_eq!(remark(Some(&Value::Bool(true))), "");
        assert_eq!(remark(None), "");
    }
}
