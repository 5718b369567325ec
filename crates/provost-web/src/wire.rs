//! Texts as they travel: a code with its arguments, never a sentence of ours.

use provost_kernel::message::Phrase;
use serde_json::{Map, Value, json};

/// Turns every text inside a value into the form that pages read: `{"code", "args"}` for a message
/// of ours, `{"text"}` for what somebody else wrote, `{"text_en", "text_zh"}` for what an earlier
/// version stored in both languages.
pub(crate) fn rewrite(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(rewrite),
        Value::Object(map) => {
            if let Some(inner) = map.get_mut(Phrase::MARK) {
                *value = inner.take();
                return rewrite(value);
            }
            match text(map) {
                Some(mut text) => {
                    // Arguments can be texts again.
                    if let Some(args) = text.get_mut("args") {
                        rewrite(args);
                    }
                    *value = text;
                }
                None => map.values_mut().for_each(rewrite),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The form of a text, if the map is one.
fn text(map: &mut Map<String, Value>) -> Option<Value> {
    let is_text = map.keys().all(|it| matches!(it.as_str(), "code" | "args" | "en" | "zh"));
    let (Some(Value::String(en)), Some(Value::String(zh)), true) =
        (map.get("en"), map.get("zh"), is_text)
    else {
        return None;
    };
    if let Some(Value::String(code)) = map.get("code") {
        let args = map.get("args").cloned().unwrap_or_else(|| json!({}));
        return Some(json!({"code": code, "args": args}));
    }
    Some(if en == zh { json!({"text": en}) } else { json!({"text_en": en, "text_zh": zh}) })
}

#[cfg(test)]
mod tests {
    use provost_kernel::Text;

    use super::*;

    #[track_caller]
    fn check(mut value: Value, expected: Value) {
        rewrite(&mut value);
        assert_eq!(value, expected);
    }

    #[test]
    fn a_text_travels_as_code_and_arguments() {
        check(json!({"a": Text::verbatim("<b>")}), json!({"a": {"text": "<b>"}}));
        let record = json!({"code": "x.y", "args": {"n": 1}, "en": "one", "zh": "一"});
        check(record.clone(), json!({"code": "x.y", "args": {"n": 1}}));
        check(json!({"$text": record}), json!({"code": "x.y", "args": {"n": 1}}));
        check(json!({"code": "x", "en": "a", "zh": "b"}), json!({"code": "x", "args": {}}));
        check(json!({"en": "a", "zh": "b"}), json!({"text_en": "a", "text_zh": "b"}));
        let nested =
            json!({"code": "x", "args": {"why": {"en": "a", "zh": "b"}}, "en": "", "zh": ""});
        let expected = json!({"code": "x", "args": {"why": {"text_en": "a", "text_zh": "b"}}});
        check(nested, expected);
        // What merely looks similar stays.
        let other = json!({"en": "a", "zh": "b", "fr": "c"});
        check(other.clone(), other);
        check(json!([{"code": "x", "args": {}}]), json!([{"code": "x", "args": {}}]));
    }
}
