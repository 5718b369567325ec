//! The forms in which explanations are written: a list, a map by path, or one alone.

use provost_kernel::{Message, story::Explanation};
use provost_rules::json::{self, Limits, StrictError};
use serde_json::{Map, Value};

/// More than the longest list that says something.
const LIMITS: Limits = Limits { bytes: 1024 * 1024, depth: 6 };

/// How much of a place is shown.
const SHOWN: usize = 120;

/// Explanations that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "story.explanations")]
pub enum ExplanationError {
    #[error(transparent)]
    #[message(transparent)]
    Json(StrictError),
    /// Neither a list nor an object.
    #[message(
        en = "explanations must be a list or a map by path",
        zh = "解释应为列表或以路径为键的映射",
        hint(
            en = "write `[{{\"file\": \"src/a.ts\", \"reason\": \"…\", \"lines\": 12}}]`",
            zh = "请写成 `[{{\"file\": \"src/a.ts\", \"reason\": \"…\", \"lines\": 12}}]`",
        )
    )]
    NotAList,
    /// An entry, by its position or its path, with a missing or mistyped field.
    #[message(
        en = "`{part}` of explanation {at:?} is missing or of the wrong type",
        zh = "解释 {at:?} 的 `{part}` 缺失或类型不符",
        hint(
            en = "write `[{{\"file\": \"src/a.ts\", \"reason\": \"…\", \"lines\": 12}}]`",
            zh = "请写成 `[{{\"file\": \"src/a.ts\", \"reason\": \"…\", \"lines\": 12}}]`",
        )
    )]
    Entry { at: String, part: &'static str },
    #[message(
        en = "explanation {at:?} has the unknown key {key:?}",
        zh = "解释 {at:?} 含有未知的键 {key:?}",
        hint(
            en = "write `[{{\"file\": \"src/a.ts\", \"reason\": \"…\", \"lines\": 12}}]`",
            zh = "请写成 `[{{\"file\": \"src/a.ts\", \"reason\": \"…\", \"lines\": 12}}]`",
        )
    )]
    UnknownKey { at: String, key: String },
}

/// Reads a list of `{file, reason, lines}`, a map from paths to `{reason, lines}`, or one entry.
pub fn read(bytes: &[u8]) -> Result<Vec<Explanation>, ExplanationError> {
    match json::parse(bytes, LIMITS).map_err(ExplanationError::Json)? {
        Value::Array(list) => {
            let numbered = list.iter().enumerate();
            numbered.map(|(position, it)| entry(&position.to_string(), None, it)).collect()
        }
        Value::Object(object) if object.get("reason").is_some_and(Value::is_string) => {
            Ok(vec![entry("0", None, &Value::Object(object))?])
        }
        Value::Object(object) => {
            object.iter().map(|(path, it)| entry(path, Some(path), it)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            Err(ExplanationError::NotAList)
        }
    }
}

fn entry(at: &str, path: Option<&str>, value: &Value) -> Result<Explanation, ExplanationError> {
    let at: String = at.chars().take(SHOWN).collect();
    let wrong = |part| ExplanationError::Entry { at: at.clone(), part };
    let object = value.as_object().ok_or_else(|| wrong("entry"))?;
    let known = |key: &str| matches!(key, "reason" | "lines") || (key == "file" && path.is_none());
    if let Some(key) = object.keys().find(|it| !known(it)) {
        let key = key.chars().take(SHOWN).collect();
        return Err(ExplanationError::UnknownKey { at, key });
    }
    let file = path.or_else(|| text(object, "file")).ok_or_else(|| wrong("file"))?;
    let lines = match object.get("lines") {
        None | Some(Value::Null) => None,
        Some(value) => Some(value.as_u64().ok_or_else(|| wrong("lines"))?),
    };
    Ok(Explanation {
        file: file.to_owned(),
        reason: text(object, "reason").ok_or_else(|| wrong("reason"))?.to_owned(),
        lines,
    })
}

fn text<'v>(object: &'v Map<String, Value>, key: &str) -> Option<&'v str> {
    object.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explanation(file: &str, reason: &str, lines: Option<u64>) -> Explanation {
        Explanation { file: file.to_owned(), reason: reason.to_owned(), lines }
    }

    /// STORY-3.5: the list, the map of the prompt, and one alone are the same explanations.
    #[test]
    fn every_form_is_read() {
        let expected = [explanation("a", "x", Some(3))];
        for text in [
            r#"[{"file": "a", "reason": "x", "lines": 3}]"#,
            r#"{"a": {"reason": "x", "lines": 3}}"#,
            r#"{"file": "a", "reason": "x", "lines": 3}"#,
        ] {
            assert_eq!(read(text.as_bytes()).unwrap(), expected, "{text}");
        }
        assert_eq!(read(b"[]").unwrap(), []);
        assert_eq!(read(b"{}").unwrap(), []);
        let read = read(br#"{"reason": {"reason": "y"}, "file": {"reason": "z"}}"#).unwrap();
        assert_eq!(read, [explanation("file", "z", None), explanation("reason", "y", None)]);
    }

    #[test]
    fn what_is_no_explanation_is_refused() {
        for (text, expected) in [
            ("3", "explanations must be a list or a map by path"),
            ("[3]", "`entry` of explanation \"0\" is missing or of the wrong type"),
            (r#"[{"file": "a"}]"#, "`reason` of explanation \"0\" is missing or of the wrong type"),
            (r#"[{"reason": "a"}]"#, "`file` of explanation \"0\" is missing or of the wrong type"),
            (
                r#"{"a": {"reason": 1}}"#,
                "`reason` of explanation \"a\" is missing or of the wrong type",
            ),
            (
                r#"{"a": {"reason": "x", "lines": -1}}"#,
                "`lines` of explanation \"a\" is missing or of the wrong type",
            ),
            (
                r#"{"a": {"reason": "x", "line": 1}}"#,
                "explanation \"a\" has the unknown key \"line\"",
            ),
            (r#"{"a": "x"}"#, "`entry` of explanation \"a\" is missing or of the wrong type"),
        ] {
            assert_eq!(read(text.as_bytes()).unwrap_err().to_string(), expected, "{text}");
        }
        assert!(matches!(read(b"[] x"), Err(ExplanationError::Json(_))));
        assert!(matches!(read(br#"{"a": {}, "a": {}}"#), Err(ExplanationError::Json(_))));
    }
}
