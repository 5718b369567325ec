//! A plan as one of the readers found it, and what it takes to make a [`Plan`] of it.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    Digest,
    story::{
        BranchName, BranchNameError, Criterion, CriterionId, Plan, PlanPriority, Story, StoryId,
    },
};

use super::{LIMITS, Place, PlanProblem, Refusal, criterion, normalise, remark::Remark, stem};

/// A text and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct At<T> {
    pub value: T,
    pub place: Place,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Draft {
    pub title: Option<String>,
    pub branch: Option<At<String>>,
    /// One entry for each paragraph.
    pub description: Vec<String>,
    pub priority: Option<At<String>>,
    pub dependencies: Vec<At<String>>,
    /// As written.
    pub stories: Vec<DraftStory>,
    /// Tests that the work on every story may change.
    pub leave: Vec<String>,
    pub remarks: Vec<At<Remark>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DraftStory {
    pub id: StoryId,
    pub title: String,
    pub description: Vec<String>,
    pub priority: Option<At<String>>,
    pub criteria: Vec<DraftCriterion>,
    /// Tests that the work may change.
    pub leave: Vec<String>,
    pub place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DraftCriterion {
    /// The lines of the criterion, then those of each point below it.
    pub parts: Vec<Vec<String>>,
    /// A command that is given apart from the text.
    pub verify: Option<String>,
    pub place: Place,
}

/// The most notices that are reported.
const NOTICES: usize = 200;

/// The first part of the branches under which the claims of tasks are on record.
const OF_TASKS: &str = "task";

/// The first part of a branch that is made from the name of a file.
const PREFIX: &str = "ralph/";

impl DraftStory {
    pub(super) fn new(id: StoryId, title: String, place: Place) -> Self {
        let (description, criteria, leave) = (Vec::new(), Vec::new(), Vec::new());
        Self { id, title, description, priority: None, criteria, leave, place }
    }
}

impl Draft {
    pub(super) fn remark(&mut self, place: Place, remark: Remark) {
        self.remarks.push(At { value: remark, place });
    }

    pub(super) fn finish(mut self, file: &str) -> Result<Plan, Refusal> {
        let branch = match &self.branch {
            Some(branch) => {
                let fail = |problem| (branch.place.clone(), problem);
                let parsed: BranchName =
                    branch.value.parse().map_err(|error| fail(PlanProblem::Branch(error)))?;
                let first = parsed.as_str().split('/').next().unwrap_or_default();
                if first.eq_ignore_ascii_case(OF_TASKS) {
                    return Err(fail(PlanProblem::BranchOfTask));
                }
                parsed
            }
            None => default_branch(file)?,
        };
        let dependencies = self.finish_dependencies()?;
        let priority = self.finish_priority();
        let stories = self.finish_stories()?;
        let title = self.title.as_deref().map(normalise).filter(|it| !it.is_empty());
        let title = title.unwrap_or_else(|| normalise(stem(file)));
        let description = paragraphs(&self.description);
        let description = if description.is_empty() { title.clone() } else { description };
        let notices =
            self.remarks.iter().take(NOTICES).map(|it| it.value.finding(file, &it.place)).collect();
        Ok(Plan { title, branch, description, priority, dependencies, stories, notices })
    }

    fn finish_dependencies(&self) -> Result<Vec<String>, Refusal> {
        let mut names = Vec::new();
        let mut seen = BTreeSet::new();
        for it in &self.dependencies {
            let name = dependency(&it.value)
                .map_err(|error| (it.place.clone(), PlanProblem::Dependency(error)))?;
            if seen.insert(name.clone()) {
                names.push(name.into());
            }
        }
        Ok(names)
    }

    fn finish_priority(&mut self) -> PlanPriority {
        let Some(written) = self.priority.take() else { return PlanPriority::P1 };
        written.value.trim().parse().unwrap_or_else(|_| {
            self.remark(written.place, Remark::PlanPriority(written.value));
            PlanPriority::P1
        })
    }

    fn finish_stories(&mut self) -> Result<Vec<Story>, Refusal> {
        let drafts = std::mem::take(&mut self.stories);
        if drafts.is_empty() {
            return Err((Place::File, PlanProblem::NoStories));
        }
        if let Some(extra) = drafts.get(LIMITS.stories) {
            return Err((extra.place.clone(), PlanProblem::TooManyStories));
        }
        let mut stories: Vec<Story> = Vec::new();
        for (place, draft) in (1..).zip(drafts) {
            if stories.iter().any(|it| it.id.number() == draft.id.number()) {
                return Err((draft.place, PlanProblem::DuplicateStory(draft.id)));
            }
            stories.push(self.finish_story(draft, place)?);
        }
        // The sort is stable, so that stories of one priority stay as they are written.
        stories.sort_by_key(|it| it.priority);
        Ok(stories)
    }

    fn finish_story(&mut self, draft: DraftStory, place: u32) -> Result<Story, Refusal> {
        let criteria = self.finish_criteria(&draft)?;
        let DraftStory { id, title, description, priority, criteria: _, leave, place: at } = draft;
        if criteria.is_empty() {
            return Err((at, PlanProblem::NoCriteria(id)));
        }
        let priority = match priority {
            None => place,
            Some(written) => story_priority(&written.value).unwrap_or_else(|| {
                self.remark(written.place, Remark::StoryPriority(written.value));
                place
            }),
        };
        let title = normalise(&title);
        let title = if title.is_empty() { id.to_string() } else { title };
        let tests_may_change = self.leave.iter().cloned().chain(leave).collect();
        let description = paragraphs(&description);
        Ok(Story { id, title, description, priority, criteria, tests_may_change })
    }

    fn finish_criteria(&mut self, story: &DraftStory) -> Result<Vec<Criterion>, Refusal> {
        let mut criteria: Vec<Criterion> = Vec::new();
        let mut seen: BTreeMap<Digest, CriterionId> = BTreeMap::new();
        for draft in &story.criteria {
            let too_many = || (draft.place.clone(), PlanProblem::TooManyCriteria(story.id.clone()));
            let number = u16::try_from(criteria.len() + 1).map_err(|_| too_many())?;
            let id = CriterionId::try_from(number).map_err(|_| too_many())?;
            let fail = |problem| (draft.place.clone(), problem);
            let Some((criterion, remark)) = criterion::finish(id, draft).map_err(fail)? else {
                continue;
            };
            if criteria.len() == LIMITS.criteria {
                return Err(too_many());
            }
            let repeated = seen.get(&criterion.digest).map(|&first| Remark::Repeated(first));
            for remark in remark.into_iter().chain(repeated) {
                self.remark(draft.place.clone(), remark);
            }
            seen.entry(criterion.digest).or_insert(id);
            criteria.push(criterion);
        }
        Ok(criteria)
    }
}

/// The paths of a label's value: separated by commas, each perhaps in backticks. A sentence is none.
pub(super) fn paths(value: &str) -> Vec<String> {
    let named = value.split([',', '，', '、']).map(|it| it.trim().trim_matches('`').to_owned());
    let paths: Vec<String> = named.filter(|it| !it.is_empty()).collect();
    let is_sentence = paths.iter().any(|it| it.contains(char::is_whitespace));
    if is_sentence { Vec::new() } else { paths }
}

fn paragraphs(texts: &[String]) -> String {
    let texts = texts.iter().map(|it| normalise(it)).filter(|it| !it.is_empty());
    texts.collect::<Vec<_>>().join("\n")
}

fn default_branch(file: &str) -> Result<BranchName, Refusal> {
    let name = BranchName::from_words(stem(file));
    let name = name.as_ref().map_or("plan", BranchName::as_str);
    let branch = format!("{PREFIX}{name}").parse();
    branch.map_err(|error| (Place::File, PlanProblem::Branch(error)))
}

/// The branch that a dependency means: a branch as it is, the plan in a file by its name.
pub(super) fn dependency(text: &str) -> Result<BranchName, BranchNameError> {
    let text = text.trim().replace('\\', "/");
    let file = [".md", ".json"].iter().find_map(|it| text.strip_suffix(it));
    match file {
        Some(path) => format!("{PREFIX}{}", super::file_name(path)).parse(),
        None if text.contains('/') || text.is_empty() => text.parse(),
        None => format!("{PREFIX}{text}").parse(),
    }
}

/// A written priority: `1`, `P1`, `1 (high)`.
fn story_priority(text: &str) -> Option<u32> {
    let text = text.trim().trim_start_matches(['P', 'p']);
    let end = text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
    let is_apart = !text[end..].starts_with(|it: char| it.is_alphanumeric() || it == '.');
    text[..end].parse().ok().filter(|_| is_apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_a_branch_or_the_plan_in_a_file() {
        for (text, expected) in [
            ("login", Some("ralph/login")),
            ("login.md", Some("ralph/login")),
            ("docs/plans/login.json", Some("ralph/login")),
            ("docs\\plans\\login.md", Some("ralph/login")),
            ("ralph/login", Some("ralph/login")),
            ("feature/login", Some("feature/login")),
            ("", None),
            ("a b", None),
            ("$(x)", None),
            ("../x", None),
            ("-x/y", None),
        ] {
            let actual = dependency(text).ok();
            assert_eq!(actual.as_ref().map(BranchName::as_str), expected, "{text:?}");
        }
    }

    #[test]
    fn a_priority_is_a_number() {
        for (text, expected) in [
            ("1", Some(1)),
            (" P2 ", Some(2)),
            ("3 (high)", Some(3)),
            ("0", Some(0)),
            ("high", None),
            ("1.5", None),
            ("1st", None),
            ("", None),
            ("-1", None),
            ("99999999999", None),
        ] {
            assert_eq!(story_priority(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_file_without_a_usable_name_has_a_branch_all_the_same() {
        for (file, expected) in [
            ("a/my plan.md", "ralph/my-plan"),
            ("$(x).md", "ralph/x"),
            (".md", "ralph/md"),
            ("", "ralph/plan"),
        ] {
            assert_eq!(default_branch(file).unwrap().as_str(), expected, "{file:?}");
        }
    }
}
