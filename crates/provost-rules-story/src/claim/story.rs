//! A story by itself, as `check claim` is given one: `{"id", "acceptanceCriteria"}`.

use provost_form::{Form, Invalid, Limits, ProblemKind, Problems, Shape as _, list, text};
use provost_kernel::{
    Digest, Message, shorten,
    story::{Criterion, CriterionId, Story, StoryId},
};

const LIMITS: Limits = Limits { bytes: 1024 * 1024, depth: 16 };
const MAX_CRITERIA: usize = 100;

/// Why bytes are not a story: everything that is wrong with them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "story.file",
    en = "{0}",
    zh = "{0}",
    hint(
        en = "write it as `{{\"id\": \"US-001\", \"acceptanceCriteria\": [\"…\", \"…\"]}}`",
        zh = "格式为 `{{\"id\": \"US-001\", \"acceptanceCriteria\": [\"…\", \"…\"]}}`",
    )
)]
pub struct StoryFileError(pub Invalid<StoryFileProblem>);

/// One thing that is wrong with the file of a story.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "story.file_problem")]
pub enum StoryFileProblem {
    #[message(transparent)]
    Form(ProblemKind),
    #[message(en = "`{found}` is not a story id", zh = "`{found}` 不是故事 id")]
    Id { found: String },
}

impl From<ProblemKind> for StoryFileProblem {
    fn from(kind: ProblemKind) -> Self {
        Self::Form(kind)
    }
}

/// Reads a story. Keys besides `id`, `title`, `description` and `acceptanceCriteria` are those of
/// a plan, and are ignored.
pub fn read_story(bytes: &[u8]) -> Result<Story, StoryFileError> {
    let form = Form::json(bytes, LIMITS)
        .map_err(|it| StoryFileError(it.map(StoryFileProblem::Form).into()))?;
    let problems = Problems::default();
    let read = form.table(&problems).and_then(|mut table| {
        let id = |it: String| {
            it.parse::<StoryId>().map_err(|_| StoryFileProblem::Id { found: shorten(&it) })
        };
        let id = table.required("id", text().and_then(id));
        let criteria = list(text().filled()).min(1).max(MAX_CRITERIA);
        let criteria = table.required("acceptanceCriteria", criteria);
        let mut plain = |key| table.field(key)?.value.as_str().map(str::to_owned);
        let title = plain("title").unwrap_or_default();
        let description = plain("description").unwrap_or_default();
        let criteria = (1_u16..).zip(criteria?).map(|(number, text)| {
            let (id, text) = (CriterionId::try_from(number).ok()?, text.trim().to_owned());
            let digest = Digest::of_bytes(text.as_bytes());
            Some(Criterion { id, digest, text, verify: None, need: None })
        });
        Some(Story {
            id: id?,
            title,
            description,
            priority: 1,
            criteria: criteria.collect::<Option<_>>()?,
            tests_may_change: Vec::new(),
        })
    });
    problems.into_result(read).map_err(StoryFileError)
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
        check("[]", Err("line 1: expected an object, found `[]`"));
        check(
            "{}",
            Err(
                "`id`: missing, expected a string; `acceptanceCriteria`: missing, expected a list of strings",
            ),
        );
        check("{", Err("line 1: not valid JSON at column 1"));
        let at_criteria = |text: &str, expected: &str| {
            let text = format!(r#"{{"id": "US-1", "acceptanceCriteria": {text}}}"#);
            check(&text, Err(&format!("line 1: `acceptanceCriteria{expected}")));
        };
        at_criteria("[]", "`: expected 1 to 100 entries, found 0");
        at_criteria(r#"["a", " "]"#, "[1]`: blank");
        let many = vec!["\"a\""; 101].join(",");
        at_criteria(&format!("[{many}]"), "`: expected 1 to 100 entries, found 101");
        check(
            r#"{"id": "x", "acceptanceCriteria": ["a"]}"#,
            Err("line 1: `id`: `x` is not a story id"),
        );
    }
}
