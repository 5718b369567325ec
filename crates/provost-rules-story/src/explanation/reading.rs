//! The forms in which explanations are written: a list, a map by path, or one alone.

use provost_form::{Field, Form, Invalid, Limits, Problems, text, whole};
use provost_kernel::{Message, story::Explanation};
use serde_json::Value;

/// More than the longest list that says something.
const LIMITS: Limits = Limits { bytes: 1024 * 1024, depth: 6 };

/// Explanations that cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "story.explanations",
    en = "invalid explanations: {0}",
    zh = "解释无效：{0}",
    hint(
        en = r#"write `[{{"file": "src/a.ts", "reason": "…", "lines": 12}}]`"#,
        zh = r#"请写成 `[{{"file": "src/a.ts", "reason": "…", "lines": 12}}]`"#,
    )
)]
pub struct ExplanationError(pub Invalid);

/// Reads a list of `{file, reason, lines}`, a map from paths to `{reason, lines}`, or one entry.
pub fn read(bytes: &[u8]) -> Result<Vec<Explanation>, ExplanationError> {
    let form = Form::json(bytes, LIMITS).map_err(|it| ExplanationError(it.into()))?;
    let problems = Problems::default();
    let field = form.field(&problems);
    let is_one = form.root().get("reason").is_some_and(Value::is_string);
    let entries: Vec<(Option<String>, Field<'_>)> = if is_one {
        vec![(None, field)]
    } else if form.root().is_object() {
        field.entries().into_iter().flatten().map(|(path, it)| (Some(path), it)).collect()
    } else {
        field.items().into_iter().flatten().map(|it| (None, it)).collect()
    };
    let read = entries.into_iter().filter_map(|(path, it)| entry(path, &it)).collect();
    problems.into_result(Some(read)).map_err(ExplanationError)
}

fn entry(path: Option<String>, field: &Field<'_>) -> Option<Explanation> {
    let mut table = field.table()?;
    let file = path.or_else(|| table.required("file", text()));
    let reason = table.required("reason", text());
    let lines = table.optional("lines", whole(0..=u64::MAX));
    table.finish();
    Some(Explanation { file: file?, reason: reason?, lines })
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
            ("3", "expected a list, found `3`"),
            ("[3]", "`[0]`: expected an object, found `3`"),
            (r#"[{"file": "a"}]"#, "`[0].reason`: missing, expected a string"),
            (r#"[{"reason": "a"}]"#, "`[0].file`: missing, expected a string"),
            (r#"{"a": {"reason": 1}}"#, "`a.reason`: expected a string, found `1`"),
            (
                r#"{"a": {"reason": "x", "lines": -1}}"#,
                "`a.lines`: expected a whole number of at least 0, found `-1`",
            ),
            (
                r#"{"a": {"reason": "x", "line": 1}}"#,
                "`a.line`: unknown key, did you mean `lines`?",
            ),
            (r#"{"a": "x"}"#, "`a`: expected an object, found `\"x\"`"),
            ("[] x", "text after the JSON value at column 4"),
            (r#"{"a": {}, "a": {}}"#, "`a`: duplicate key"),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), format!("invalid explanations: line 1: {expected}"));
        }
    }
}
