//! The answer of a coder that was asked which files it will change.
//!
//! It is an object with `expectedFiles`, or a list of them with one for each story; a whole claim is
//! one as well. All stories of an attempt are one change, so the files are taken together.

use provost_form::{Limits, json};
use provost_rules::json_reply;

/// More than the longest declaration, and a claim that comes too early.
const LIMITS: Limits = Limits { bytes: 4 * 1024 * 1024, depth: 9 };

/// The files that were declared; none where the answer is not a declaration.
pub fn declared(bytes: &[u8]) -> Option<Vec<String>> {
    let answer = json::parse(bytes, LIMITS).ok()?;
    let items = answer.as_array().map_or(std::slice::from_ref(&answer), Vec::as_slice);
    let mut files: Option<Vec<String>> = None;
    for item in items {
        let Some(list) = item.get("expectedFiles") else { continue };
        for file in list.as_array()? {
            let file = file.as_str()?.to_owned();
            let files = files.get_or_insert_default();
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    files
}

/// The declaration in a reply: its one object, or its list.
pub fn object(reply: &str) -> &str {
    let whole = reply.trim();
    if whole.starts_with('[') { whole } else { json_reply::object(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// STORY-4.1: whatever form the answer has, its files are taken together; anything else is no
    /// declaration.
    #[test]
    fn a_declaration_is_read_in_the_forms_that_agents_write() {
        let check = |text: &str, expected: Option<&[&str]>| {
            let expected = expected.map(|it| it.iter().map(|it| (*it).to_owned()).collect());
            assert_eq!(declared(object(text).as_bytes()), expected, "{text}");
        };
        check(r#"{"expectedFiles": ["a.sh"]}"#, Some(&["a.sh"]));
        check(
            r#"{"storyId": "US-001", "passes": true, "expectedFiles": ["a", "b"]}"#,
            Some(&["a", "b"]),
        );
        check(
            r#"[{"storyId": "US-001", "expectedFiles": ["a"]}, {"expectedFiles": ["b", "a"]}]"#,
            Some(&["a", "b"]),
        );
        check(
            "I will change one file.\n\n```json\n{\"expectedFiles\": [\"a\"]}\n```\n",
            Some(&["a"]),
        );
        for text in [
            "",
            "done",
            "{}",
            "[]",
            r#"{"expectedFiles": "a"}"#,
            r#"{"expectedFiles": [1]}"#,
            r#"{"expectedFiles": []}"#,
            r#"{"files": ["a"]}"#,
            r#"{"expectedFiles": ["a"], "expectedFiles": ["b"]}"#,
        ] {
            check(text, None);
        }
    }
}
