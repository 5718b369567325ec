//! A case: what an engine is given, and what may be expected of its answer.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::words::words;

words! {
    /// Where the text of a case comes from.
    pub enum SourceType {
        Web = "web",
        Youtube = "youtube",
        Newsletter = "newsletter",
        Other = "other",
    }
}

words! {
    /// For whom the engine writes.
    pub enum Profile {
        Engineer = "engineer",
        Creator = "creator",
        Manager = "manager",
    }
}

/// One case, as it was read and found good.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub id: String,
    /// The fields of the file, without `expect`.
    pub fields: Map<String, Value>,
    pub expect: Option<Expect>,
}

/// What the author of a case knows about a right answer (an extension: a check of form cannot
/// see that a score has nothing to do with its text).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The labels of which one is right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub priority_in: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_min: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_max: Option<f64>,
    /// The checks that a bad engine's answer must fail; these failures are not counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must_fail: Vec<String>,
}

impl Case {
    /// A text of the case; nothing if the field is absent or is not a text.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.as_str()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// EVAL-1.2, EVAL-2.1: the words are the published ones, and no other is accepted.
    #[test]
    fn the_words_are_the_published_ones() {
        assert_eq!(SourceType::WORDS, ["web", "youtube", "newsletter", "other"]);
        assert_eq!(Profile::WORDS, ["engineer", "creator", "manager"]);
        assert!("Web".parse::<SourceType>().is_err());
        assert!("x".parse::<Profile>().is_err());
    }

    #[test]
    fn only_a_text_is_a_text() {
        let Value::Object(fields) = json!({"title": "T", "n": 1}) else { unreachable!() };
        let case = Case { id: "a".to_owned(), fields, expect: None };
        assert_eq!(case.text("title"), Some("T"));
        assert_eq!(case.text("n"), None);
        assert_eq!(case.text("domain"), None);
    }
}
