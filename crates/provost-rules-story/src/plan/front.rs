//! The front matter of a Markdown plan: YAML between two lines `---` at its very start.

use std::{collections::BTreeMap, fmt};

use provost_kernel::story::{CriterionId, StoryId};
use serde::{
    Deserialize, Deserializer,
    de::{SeqAccess, Visitor},
};

use super::{
    Place, PlanProblem, Refusal,
    draft::{At, Draft},
};

/// What the front matter says. Unknown keys are left to other programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Front {
    title: Option<String>,
    branch: Option<String>,
    #[serde(rename = "branchName")]
    branch_name: Option<String>,
    description: Option<String>,
    priority: Option<String>,
    #[serde(deserialize_with = "one_or_many")]
    dependencies: Vec<String>,
    #[serde(deserialize_with = "one_or_many")]
    tests_may_change: Vec<String>,
    /// Commands by story and criterion.
    verify: BTreeMap<String, BTreeMap<String, String>>,
    /// Where each key stands; not a key itself.
    #[serde(skip)]
    lines: BTreeMap<String, usize>,
}

/// The page below the front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Body<'a> {
    pub text: &'a str,
    pub first_line: usize,
}

/// A longer block is not front matter.
const MAX_BYTES: usize = 64 * 1024;

/// Splits a document into its front matter and its page.
///
/// A first line `---` that nothing closes is a line across the page, unless a key follows it.
pub(super) fn split(text: &str) -> Result<(Front, Body<'_>), Refusal> {
    let whole = Body { text, first_line: 1 };
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|it| it.trim_end() == "---") else {
        return Ok((Front::default(), whole));
    };
    let mut end = first.len();
    for (number, line) in (2..).zip(lines) {
        if matches!(line.trim_end(), "---" | "...") {
            let front = read(&text[first.len()..end])?;
            return Ok((front, Body { text: &text[end + line.len()..], first_line: number + 1 }));
        }
        end += line.len();
    }
    match text.lines().nth(1) {
        Some(line) if is_key(line) => Err((Place::Line(1), PlanProblem::FrontMatter)),
        Some(_) | None => Ok((Front::default(), whole)),
    }
}

/// Whether a line is a key and its value.
fn is_key(line: &str) -> bool {
    let is_word =
        |it: &str| !it.is_empty() && it.chars().all(|it| it.is_alphanumeric() || it == '_');
    line.split_once(':').is_some_and(|(key, _)| is_word(key))
}

/// A front matter is small and flat, and repeats nothing: what is more is hostile.
fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 16,
            max_nodes: 4096,
            max_aliases: 0,
            max_anchors: 0,
        },
    }
}

fn read(yaml: &str) -> Result<Front, Refusal> {
    if yaml.len() > MAX_BYTES {
        return Err((Place::Line(1), PlanProblem::FrontMatter));
    }
    let yaml = yaml.replace("\r\n", "\n");
    // A document without a value is one of comments alone.
    let read = serde_saphyr::from_str_with_options::<Option<Front>>(&yaml, options());
    let front = read.map_err(|error| {
        let lines = yaml.lines().count().max(1);
        let line = error.location().and_then(|it| usize::try_from(it.line()).ok()).unwrap_or(0);
        (Place::Line(1 + line.clamp(0, lines)), PlanProblem::FrontMatter)
    })?;
    let mut front = front.unwrap_or_default();
    for (number, line) in (2..).zip(yaml.lines()) {
        if let Some((key, _)) = line.split_once(':') {
            front.lines.entry(key.trim_matches(['"', '\'']).to_owned()).or_insert(number);
        }
    }
    Ok(front)
}

impl Front {
    /// Lays the front matter over what the page says.
    pub(super) fn merge(mut self, mut draft: Draft) -> Result<Draft, Refusal> {
        let lines = std::mem::take(&mut self.lines);
        let place = |key: &str| Place::Line(lines.get(key).copied().unwrap_or(1));
        let at = |value: String, key: &str| At { value, place: place(key) };
        draft.title = self.title.filter(|it| !it.trim().is_empty()).or(draft.title);
        if let Some(it) = self.description {
            draft.description = vec![it];
        }
        let branch = self.branch.map(|it| at(it, "branch"));
        let branch = branch.or_else(|| self.branch_name.map(|it| at(it, "branchName")));
        draft.branch = branch.or(draft.branch);
        draft.priority = self.priority.map(|it| at(it, "priority")).or(draft.priority);
        let written = self.dependencies.into_iter().map(|it| at(it, "dependencies"));
        draft.dependencies.splice(0..0, written);
        draft.leave.extend(self.tests_may_change);
        for (story, commands) in self.verify {
            for (criterion, command) in commands {
                bind(&mut draft, &story, &criterion, command)
                    .map_err(|problem| (place("verify"), problem))?;
            }
        }
        Ok(draft)
    }
}

fn bind(
    draft: &mut Draft,
    story: &str,
    criterion: &str,
    command: String,
) -> Result<(), PlanProblem> {
    let nowhere = || PlanProblem::VerifyNowhere(format!("{story} {criterion}"));
    let story_id: StoryId = story.parse().map_err(|_| nowhere())?;
    let criterion_id: CriterionId = criterion.parse().map_err(|_| nowhere())?;
    let mut stories = draft.stories.iter_mut();
    let found = stories.find(|it| it.id.number() == story_id.number()).ok_or_else(nowhere)?;
    let at = usize::from(criterion_id.get()) - 1;
    let found = found.criteria.get_mut(at).ok_or_else(nowhere)?;
    if found.verify.replace(command).is_some() {
        return Err(PlanProblem::VerifyTwice);
    }
    Ok(())
}

/// A list of texts, or one text, or nothing.
fn one_or_many<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<String>, D::Error> {
    struct Texts;

    impl<'de> Visitor<'de> for Texts {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of texts")
        }

        fn visit_unit<E>(self) -> Result<Vec<String>, E> {
            Ok(Vec::new())
        }

        fn visit_none<E>(self) -> Result<Vec<String>, E> {
            Ok(Vec::new())
        }

        fn visit_str<E>(self, text: &str) -> Result<Vec<String>, E> {
            Ok(match text.trim() {
                "" | "none" | "None" | "无" => Vec::new(),
                text => text.split([',', '，']).map(|it| it.trim().to_owned()).collect(),
            })
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<String>, A::Error> {
            let mut texts = Vec::new();
            while let Some(text) = items.next_element()? {
                texts.push(text);
            }
            Ok(texts)
        }
    }

    reader.deserialize_any(Texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<(&str, usize), usize>) {
        let actual = split(text).map(|(_, body)| (body.text, body.first_line));
        let actual = actual.map_err(|(place, problem)| match (place, problem) {
            (Place::Line(line), PlanProblem::FrontMatter) => line,
            other => panic!("{other:?}"),
        });
        assert_eq!(actual, expected, "{text:?}");
    }

    #[test]
    fn the_front_matter_ends_where_its_line_says() {
        check("# A\n", Ok(("# A\n", 1)));
        check("---\ntitle: x\n---\n# A\n", Ok(("# A\n", 4)));
        check("---\r\ntitle: x\r\n---\r\n# A\r\n", Ok(("# A\r\n", 4)));
        check("---\ntitle: x\n...\n# A\n", Ok(("# A\n", 4)));
        check("---\n---\n# A\n", Ok(("# A\n", 3)));
        check("---\n# nothing\n---\n# A\n", Ok(("# A\n", 4)));
        check("---\n# A\n", Ok(("---\n# A\n", 1)));
        check("---\n\nSee: this\n", Ok(("---\n\nSee: this\n", 1)));
        check("---\nbranch: x\n### US-001: A\n", Err(1));
        check("----\n# A\n---\n", Ok(("----\n# A\n---\n", 1)));
    }

    #[test]
    fn what_is_not_the_yaml_of_a_plan_is_refused() {
        check("---\ntitle: [x\n---\n", Err(2));
        check("---\ntitle: x\ntitle: y\n---\n", Err(3));
        check("---\ntitle:\n  - x\n---\n", Err(3));
        check("---\njust a sentence\n---\n", Err(2));
        check(&format!("---\na: {}\n---\n", "x".repeat(MAX_BYTES)), Err(1));
        let bomb = "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n\
            c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n\
            e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n\
            g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n---\n";
        assert!(split(bomb).is_err());
        check("---\ntitle: &a x\n---\n", Err(2));
        assert!(split(&format!("---\na: {}\n---\n", "[".repeat(50_000))).is_err());
    }

    #[test]
    fn values_are_texts_as_they_are_written() {
        let (front, _) = split(
            "---\ntitle: 1.10\nbranch: \"a/b\"\npriority: p0\ndependencies: [a, b.md]\nmode: x\n---\n",
        )
        .unwrap();
        assert_eq!(front.title.as_deref(), Some("1.10"));
        assert_eq!(front.dependencies, ["a", "b.md"]);
        assert_eq!(front.lines["dependencies"], 5);
        for (yaml, expected) in [
            ("dependencies:", vec![]),
            ("dependencies: none", vec![]),
            ("dependencies: []", vec![]),
            ("dependencies: a, b", vec!["a", "b"]),
            ("dependencies:\n  - a\n  - 1", vec!["a", "1"]),
        ] {
            let (front, _) = split(&format!("---\n{yaml}\n---\n")).unwrap();
            assert_eq!(front.dependencies, expected, "{yaml}");
        }
    }
}
