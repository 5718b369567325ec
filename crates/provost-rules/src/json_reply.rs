//! The one JSON object in a model's reply.
//!
//! Models put an object into a code fence or think aloud before it. That is transport: the object is
//! taken out, and from then on it is read as strictly as any other. A reply with a second object is
//! returned as it is, and the strict reader refuses it.

/// What ends thinking.
const THOUGHT: [&str; 2] = ["</think>", "</thinking>"];
const FENCE: &str = "```";

/// The object in a reply; the whole reply where it is not clear which object is meant.
pub fn object(reply: &str) -> &str {
    let whole = reply.trim();
    if whole.starts_with('{') {
        return whole;
    }
    let ends = THOUGHT.iter().filter_map(|it| Some(whole.rfind(it)? + it.len()));
    let answer = ends.max().map_or(whole, |end| whole[end..].trim());
    if answer.starts_with('{') {
        return answer;
    }
    fenced(answer).unwrap_or(whole)
}

/// What the only code fence holds, if no brace stands outside it.
fn fenced(text: &str) -> Option<&str> {
    let (before, rest) = text.split_once(FENCE)?;
    let (info, rest) = rest.split_once('\n')?;
    let (inner, after) = rest.split_once(FENCE)?;
    let is_json = matches!(info.trim(), "" | "json" | "JSON");
    let is_line = before.is_empty() || before.ends_with('\n');
    let is_only = !after.contains(FENCE) && !before.contains('{') && !after.contains('{');
    let inner = inner.trim();
    (is_json && is_line && is_only && inner.starts_with('{')).then_some(inner)
}

#[cfg(test)]
mod tests {
    /// Ruling 76: one object is taken out of a fence or from after the thinking.
    #[test]
    fn one_object_is_taken_out_of_its_wrapping() {
        let object = r#"{"decision": "PASS"}"#;
        for reply in [
            object.to_owned(),
            format!("\n  {object}\n"),
            format!("```json\n{object}\n```"),
            format!("```\n{object}\n```\n"),
            format!("Here is my verdict:\n\n```json\n{object}\n```\n\nI hope this helps."),
            format!("<think>\nIs it {{good}}? Yes.\n</think>\n\n{object}"),
            format!("<thinking>it is</thinking>{object}"),
            format!("The prompt opened it.\n</think>\n{object}"),
            format!(
                "<think>```json\n{{\"decision\":\"FAIL\"}}\n```</think>\n```json\n{object}\n```"
            ),
            format!("我的裁决：\n```json\n{object}\n```"),
        ] {
            assert_eq!(super::object(&reply), object, "{reply}");
        }
    }

    #[test]
    fn what_is_not_clear_is_left_as_it_is() {
        let object = r#"{"decision": "PASS"}"#;
        for reply in [
            format!("```json\n{object}\n```\n```json\n{object}\n```"),
            format!("The agent wrote {object}. My verdict:\n```json\n{object}\n```"),
            format!("```json\n{object}\n```\n{object}"),
            format!("```python\n{object}\n```"),
            format!("Verdict: {object}"),
            format!("```json\n{object}"),
            "no object at all".to_owned(),
            "```json\n[1]\n```".to_owned(),
        ] {
            assert_eq!(super::object(&reply), reply.trim(), "{reply}");
        }
        // Two objects in a row start with one, and the strict reader finds the second.
        let two = format!("{object}\n{object}");
        assert_eq!(super::object(&two), two);
        assert_eq!(super::object(""), "");
    }
}
