//! A story by itself, as `check claim` is given one: `{"id", "acceptanceCriteria"}`.

use provost_kernel::{
    Digest, Lang, Message, Text,
    story::{Criterion, CriterionId, Story, StoryId},
};
use provost_rules::json::{self, Limits, StrictError, shorten};
use serde_json::Value;

const LIMITS: Limits = Limits { bytes: 1024 * 1024, depth: 16 };
const MAX_CRITERIA: usize = 100;

/// Why bytes are not a story.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub enum StoryFileError {
    Json(StrictError),
    NotAnObject,
    Id { found: String },
    NoCriteria,
    TooManyCriteria { found: usize },
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

impl Message for StoryFileError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Json(error) => error.text().render(lang),
            Self::NotAnObject => lang.pick("the story is not an object", "故事不是对象").to_owned(),
            Self::Id { found } => lang.pick(
                format!("`id` is `{found}`, which is not the id of a story"),
                format!("`id` 的值 `{found}` 不是故事 id"),
            ),
            Self::NoCriteria => lang
                .pick(
                    "`acceptanceCriteria` is not a list with something in it",
                    "`acceptanceCriteria` 不是非空列表",
                )
                .to_owned(),
            Self::TooManyCriteria { found } => lang.pick(
                format!("`acceptanceCriteria` has {found} entries, and {MAX_CRITERIA} are allowed"),
                format!("`acceptanceCriteria` 有 {found} 项,最多 {MAX_CRITERIA} 项"),
            ),
            Self::Criterion { index } => lang.pick(
                format!("`acceptanceCriteria[{index}]` is not a text that says something"),
                format!("`acceptanceCriteria[{index}]` 不是有内容的文本"),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let example = r#"{"id": "US-001", "acceptanceCriteria": ["…", "…"]}"#;
            match self {
                Self::Json(_) | Self::TooManyCriteria { .. } => Vec::new(),
                Self::NotAnObject | Self::Id { .. } | Self::NoCriteria | Self::Criterion { .. } => {
                    vec![
                        lang.pick(
                            format!("write it as `{example}`"),
                            format!("格式为 `{example}`"),
                        ),
                    ]
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<(&str, usize), &str>) {
        let read = read_story(text.as_bytes());
        let actual = read.as_ref().map(|it| (it.id.as_str(), it.criteria.len()));
        let actual = actual.map_err(ToString::to_string);
        assert_eq!(actual, expected.map_err(str::to_owned), "{text}");
        if let Err(error) = &read {
            assert_ne!(error.text().render(Lang::Zh), error.text().render(Lang::En));
        }
    }

    #[test]
    fn a_story_has_an_id_and_criteria() {
        check(r#"{"id": "US-001", "acceptanceCriteria": ["a", "b"]}"#, Ok(("US-001", 2)));
        let plan = r#"{"id": "us-2", "title": "t", "acceptanceCriteria": ["a"], "passes": false}"#;
        check(plan, Ok(("US-2", 1)));
        check("[]", Err("the story is not an object"));
        check("{}", Err("`id` is ``, which is not the id of a story"));
        check(
            r#"{"id": "x", "acceptanceCriteria": ["a"]}"#,
            Err("`id` is `x`, which is not the id of a story"),
        );
        let none = "`acceptanceCriteria` is not a list with something in it";
        check(r#"{"id": "US-1"}"#, Err(none));
        check(r#"{"id": "US-1", "acceptanceCriteria": []}"#, Err(none));
        check(
            r#"{"id": "US-1", "acceptanceCriteria": ["a", " "]}"#,
            Err("`acceptanceCriteria[1]` is not a text that says something"),
        );
        check("{", Err("the text is not JSON, at line 1, column 1"));
        let many = vec!["\"a\""; 101].join(",");
        check(
            &format!(r#"{{"id": "US-1", "acceptanceCriteria": [{many}]}}"#),
            Err("`acceptanceCriteria` has 101 entries, and 100 are allowed"),
        );
    }
}
