//! The part of a reply that counts: what a model says after it has thought, and the one object in it.
//!
//! Leniency is transport only (ruling 76): what is taken out is read as strictly as any other text.

use provost_rules::json_reply;

/// What opens and what ends thinking.
const OPENS: [&str; 2] = ["<think>", "<thinking>"];
const ENDS: [&str; 2] = ["</think>", "</thinking>"];

/// What stands after the thinking; nothing where the thinking never ended.
pub fn without_thinking(reply: &str) -> &str {
    let ends = ENDS.iter().filter_map(|it| Some(reply.rfind(it)? + it.len()));
    if let Some(end) = ends.max() {
        return reply.get(end..).unwrap_or_default();
    }
    let opens = OPENS.iter().any(|it| reply.trim_start().starts_with(it));
    if opens { "" } else { reply }
}

/// The one object of a reply: alone, in a fence, after the thinking, or at the end of what was said.
/// The whole reply where it is not clear which object is meant: a strict reader refuses it.
pub fn object(reply: &str) -> &str {
    let taken = json_reply::object(reply);
    if taken.starts_with('{') {
        return taken;
    }
    let said = without_thinking(reply).trim();
    match said.find('{').map(|at| said.split_at(at)) {
        Some((before, object)) if before.ends_with('\n') && object.ends_with('}') => object,
        _ => taken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ruling 76.
    #[test]
    fn one_object_is_taken_out() {
        let object = r#"{"operations": [{"op": "none"}]}"#;
        for reply in [
            object.to_owned(),
            format!("```json\n{object}\n```"),
            format!("<think>{{}}</think>\n{object}"),
            format!("Here you are:\n{object}\n"),
            format!("<think>so</think>I looked at each case.\n\n{object}"),
        ] {
            assert_eq!(super::object(&reply), object, "{reply}");
        }
        for reply in [
            format!("Here: {object}"),
            format!("As {{x}} shows:\n{object}"),
            format!("First:\n{object}\nThat is all."),
            format!("<think>\n{object}"),
            "nothing".to_owned(),
        ] {
            assert_eq!(super::object(&reply), reply.trim(), "{reply}");
        }
        // Two objects stay two, and the strict reader finds the second.
        let two = format!("Both:\n{object}\n{object}");
        assert!(super::object(&two).matches("operations").count() == 2);
    }

    #[test]
    fn thinking_is_passed_over() {
        for (reply, expected) in [
            ("a", "a"),
            ("<think>x</think>a", "a"),
            ("x</thinking>a", "a"),
            ("<think>x</think>y</think>a", "a"),
            (" <think>x", ""),
            ("I <think> so", "I <think> so"),
            ("", ""),
        ] {
            assert_eq!(without_thinking(reply), expected, "{reply}");
        }
    }
}
