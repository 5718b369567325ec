//! A story by itself, as `check claim` is given one: `{"id", "acceptanceCriteria"}`.

use provost_kernel::{
    Digest, Message,
    story::{Criterion, CriterionId, Story, StoryId},
};
use provost_rules::json::{self, Limits, StrictError, shorten};
use serde_json::Value;

const LIMITS: Limits = Limits { bytes: 1024 * 1024, depth: 16 };
const MAX_CRITERIA: usize = 100;

/// Why bytes are not a story.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "story.file")]
pub enum StoryFileError {
    #[message(en = "{why}", zh = "{why}", arg(why = field0.text()))]
    Json(StrictError),
    #[message(
        en = "the story is not an object",
        zh = "故事不是对象",
        hint(
            en = "write it as `{{\"id\": \"US-001\", \"acceptanceCriteria\": [\"…\", \"…\"]}}`",
            zh = "格式为 `{{\"id\": \"US-001\", \"acceptanceCriteria\": [\"…\", \"…\"]}}`",
        )
    )]
    NotAnObject,
    #[message(
        en = "`id` is `{found}`, which is not a story id",
        zh = "`id` 的值 `{found}` 不是故事 id",
        hint(
            en = "write it as `{{\"id\": \"US-001\", \"acceptanceCriteria\": [\"…\", \"…\"]}}`",
            zh = "格式为 `{{\"id\": \"US-001\", \"acceptanceCriteria\": [\"…\", \"…\"]}}`",
        )
    )]
    Id { found: String },
    #[message(
        en = "`acceptanceCriteria` is missing or empty",
        zh = "`acceptanceCriteria` 缺失或为空",
        hint(
            en = "write it as `{{\"id\": \"US-001\", \"acceptanceCriteria\": [\"…\", \"…\"]}}`",
            zh = "格式为 `{{\"id\": \"US-001\", \"acceptanceCriteria\": [\"…\", \"…\"]}}`",
        )
    )]
    NoCriteria,
    #[message(
        en = "`acceptanceCriteria` has {found} entries; at most {limit} are allowed",
        zh = "`acceptanceCriteria` 有 {found} 项，最多 {limit} 项",
        arg(limit = MAX_CRITERIA)
    )]
    TooManyCriteria { found: usize },
    #[message(
        en = "`acceptanceCriteria[{index}]` is not a text with content",
        zh = "`acceptanceCriteria[{index}]` 不是有内容的文本",
        hint(
            en = "write it as `{{\"id\": \"US-001\", \"acceptanceCriteria\": [\"…\", \"…\"]}}`",
            zh = "格式为 `{{\"id\": \"US-001\", \"acceptanceCriteria\": [\"…\", \"…\"]}}`",
        )
    )]
    Criterion { index: usize },
}

/// Reads a story. Keys besides `id`, `title`, `description` and `acceptanceCriteria` are those of
/// a plan, and say nothing here.
pub fn read_story(bytes: &[u8]) -> Result<Story, StoryFileError> {
    let value = json::parse(bytes, LIMITS).map_err(StoryFileError::Json)?;
    let Value::Object(object) = value else { return Err(StoryFileError::NotAnObject) };
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let id: StoryId =
        text("id").parse().map_err(|_| StoryFileError::Id { found: shorten(&text("id")) })?;
    let texts = object.get("acceptanceCriteria").and_then(Value::as_array);
    let texts = texts.ok_or(StoryFileError::NoCriteria)?;
    if texts.len() > MAX_CRITERIA {
        return Err(StoryFileError::TooManyCriteria { found: texts.len() });
    }
    let criteria = texts.iter().enumerate().map(|(index, it)| {
        let text = it.as_str().filter(|it| !it.trim().is_empty());
        let number = u16::try_from(index + 1).ok().and_then(|it| CriterionId::try_from(it).ok());
        match (text, number) {
            (Some(text), Some(id)) => Ok(Criterion {
                id,
                text: text.trim().to_owned(),
                digest: Digest::of_bytes(text.trim().as_bytes()),
                verify: None,
            }),
            (None, _) | (_, None) => Err(StoryFileError::Criterion { index }),
        }
    });
    let criteria = criteria.collect::<Result<Vec<_>, _>>()?;
    if criteria.is_empty() {
        return Err(StoryFileError::NoCriteria);
    }
    Ok(Story { id, title: text("title"), description: text("description"), priority: 1, criteria })
}

#[cfg(test)]
mod tests {
    use provost_kernel::Lang;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<(&str, usize), &str>) {
        let read = read_story(text.as_bytes());
        let actual = read.as_ref().map(|it| (it.id.as_str(), it.criteria.len()));
        let actual = actual.map_err(ToString::to_string);
        assert_eq!(actual, expected.map_err(str::to_owned), "{text}");
        if let Err(error) = &read {
            assert_ne!(Lang::Zh.render(&error.text()), error.to_string());
        }
    }

    #[test]
    fn a_story_has_an_id_and_criteria() {
        check(r#"{"id": "US-001", "acceptanceCriteria": ["a", "b"]}"#, Ok(("US-001", 2)));
        let plan = r#"{"id": "us-2", "title": "t", "acceptanceCriteria": ["a"], "passes": false}"#;
        check(plan, Ok(("US-2", 1)));
        check("[]", Err("the story is not an object"));
        check("{}", Err("`id` is ``, which is not a story id"));
        check(
            r#"{"id": "x", "acceptanceCriteria": ["a"]}"#,
            Err("`id` is `x`, which is not a story id"),
        );
        let none = "`acceptanceCriteria` is missing or empty";
        check(r#"{"id": "US-1"}"#, Err(none));
        check(r#"{"id": "US-1", "acceptanceCriteria": []}"#, Err(none));
        check(
            r#"{"id": "US-1", "acceptanceCriteria": ["a", " "]}"#,
            Err("`acceptanceCriteria[1]` is not a text with content"),
        );
        check("{", Err("the text is not JSON, at line 1, column 1"));
        let many = vec!["\"a\""; 101].join(",");
        check(
            &format!(r#"{{"id": "US-1", "acceptanceCriteria": [{many}]}}"#),
            Err("`acceptanceCriteria` has 101 entries; at most 100 are allowed"),
        );
    }
}
