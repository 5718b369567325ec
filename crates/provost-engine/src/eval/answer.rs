//! What a model said, as the JSON object in it.

use serde_json::Value;

/// The first whole JSON object in a text, after what a model thought aloud.
pub(super) fn first_object(text: &str) -> Option<Value> {
    let said = match text.rsplit_once("</think>") {
        Some((thought, said)) if thought.trim_start().starts_with("<think>") => said,
        _ => text,
    };
    let starts = said.match_indices('{').map(|(at, _)| at);
    // A brace in a sentence before the object is not an object; a few are looked at, not all.
    starts.take(MAX_STARTS).find_map(|at| {
        let mut values = serde_json::Deserializer::from_str(said.get(at..)?).into_iter::<Value>();
        values.next()?.ok().filter(Value::is_object)
    })
}

const MAX_STARTS: usize = 16;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_is_found_in_what_models_say_around_it() {
        let check = |text: &str, expected: Option<Value>| {
            assert_eq!(first_object(text), expected, "{text}");
        };
        check(r#"{"a":1}"#, Some(json!({"a": 1})));
        check("```json\n{\"a\": {\"b\": 2}}\n```", Some(json!({"a": {"b": 2}})));
        check("<think>maybe {\"a\":0}</think>\n{\"a\":1} done", Some(json!({"a": 1})));
        check("Here {it} is: {\"a\":1}", Some(json!({"a": 1})));
        check("{\"a\":", None);
        check("[1,2]", None);
        check("no", None);
    }
}
