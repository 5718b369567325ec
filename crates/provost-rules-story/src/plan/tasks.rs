//! A task list as spec-kit writes it: `- [ ] T001 [P] [US1] description`, in phases.
//!
//! A story's tasks are its criteria. Tasks without a story are those of a phase, such as setup;
//! each such phase becomes a story of its own, numbered from 901 by the place of the phase, so
//! that nothing that the list asks for is lost.

use std::collections::BTreeSet;

use provost_kernel::story::StoryId;

use super::{
    LIMITS, Place, PlanProblem, Refusal,
    draft::{Draft, DraftCriterion, DraftStory},
    heading,
    label::{self, Label},
    page::{self, Block, Item},
    remark::Remark,
};

/// The story of the first phase, less one.
const SHARED: u32 = 900;

struct Task<'a> {
    id: &'a str,
    /// The digits of `[US1]`.
    story: Option<&'a str>,
    text: &'a str,
}

/// Whether a page has a task with a checkbox and an id.
pub(super) fn is_task_list(blocks: &[Block]) -> bool {
    blocks.iter().any(|it| matches!(it, Block::Item(item) if task(item).is_some()))
}

/// Reads the tasks of a page as the criteria of their stories.
pub(super) fn read(blocks: &[Block]) -> Result<Draft, Refusal> {
    let mut draft = Draft::default();
    let mut seen = BTreeSet::new();
    let mut phase = Phase::default();
    let mut at = 0;
    while at < blocks.len() {
        let taken = match &blocks[at] {
            Block::Heading { level, text, .. } => {
                phase.enter(*level, text, &mut draft);
                1
            }
            Block::Paragraph { lines, .. } => {
                phase.describe(lines);
                1
            }
            Block::Item(item) => {
                let (_, taken) = page::item_at(blocks, at).unwrap_or((item, 1));
                if let Some(task) = task(item) {
                    if !seen.insert(task.id.to_ascii_uppercase()) {
                        let remark = Remark::TaskRepeated(task.id.to_owned());
                        draft.remark(Place::Line(item.line), remark);
                    }
                    phase.add(&task, item, &blocks[at + 1..at + taken], &mut draft)?;
                }
                taken
            }
        };
        at += taken;
    }
    Ok(draft)
}

#[derive(Default)]
struct Phase<'a> {
    heading: &'a str,
    /// How many phases came before this one, and this one.
    number: u32,
    goal: Vec<&'a str>,
}

impl<'a> Phase<'a> {
    fn enter(&mut self, level: u8, text: &'a str, draft: &mut Draft) {
        match level {
            1 => {
                let title = text.trim_start_matches("Tasks").trim_start_matches([':', '：', ' ']);
                let title = if title.is_empty() { text } else { title };
                draft.title.get_or_insert_with(|| title.to_owned());
            }
            2 => {
                let lower = text.to_lowercase();
                let is_phase = lower.starts_with("phase") || lower.starts_with("阶段");
                let number = self.number + u32::from(is_phase);
                *self = Self { heading: text, number, goal: Vec::new() };
            }
            // Inside a phase, headings only group its tasks.
            _ => {}
        }
    }

    fn describe(&mut self, lines: &'a [String]) {
        let goals = lines.iter().filter_map(|it| match label::of_line(it) {
            Some((Label::Description, value)) => Some(value),
            _ => None,
        });
        self.goal.extend(goals);
    }

    fn add(
        &self,
        task: &Task<'_>,
        item: &Item,
        inner: &[Block],
        draft: &mut Draft,
    ) -> Result<(), Refusal> {
        let place = Place::Line(item.line);
        let named = heading::phase_story(self.heading);
        let (id, title) = match (task.story, named) {
            (Some(digits), named) => {
                let id = format!("US-{digits:0>3}").parse::<StoryId>();
                let id = id.map_err(|error| (place.clone(), PlanProblem::StoryId(error)))?;
                (id.clone(), named.filter(|(it, _)| it.number() == id.number()).map(|(_, it)| it))
            }
            (None, Some((id, title))) => (id, Some(title)),
            (None, None) => {
                let id = StoryId::from_number(SHARED + self.number);
                if draft.stories.iter().all(|it| it.id.number() != id.number()) {
                    draft.remark(place.clone(), Remark::TaskWithoutStory(id.clone()));
                }
                (id, Some(self.heading.to_owned()))
            }
        };
        let at = draft.stories.iter().position(|it| it.id.number() == id.number());
        let at = at.unwrap_or_else(|| {
            draft.stories.push(DraftStory::new(id, String::new(), place.clone()));
            draft.stories.len() - 1
        });
        if at >= LIMITS.stories {
            return Err((place, PlanProblem::TooManyStories));
        }
        let story = &mut draft.stories[at];
        if story.title.is_empty()
            && let Some(title) = title
        {
            story.title = title;
            story.description = self.goal.iter().map(|&it| it.to_owned()).collect();
        }
        story.criteria.push(criterion(task, item, inner, place));
        Ok(())
    }
}

fn criterion(task: &Task<'_>, item: &Item, inner: &[Block], place: Place) -> DraftCriterion {
    let first = format!("{} {}", task.id, task.text);
    let own = std::iter::once(first).chain(item.lines.iter().skip(1).cloned()).collect();
    let parts = std::iter::once(own).chain(page::lines_of(inner)).collect();
    DraftCriterion { parts, verify: None, place }
}

/// Reads `T001 [P] [US1] description`.
fn task(item: &Item) -> Option<Task<'_>> {
    if !item.has_checkbox {
        return None;
    }
    let text = item.first();
    let (id, mut rest) = text.split_once(char::is_whitespace)?;
    let digits = id.strip_prefix(['T', 't'])?;
    let is_id = (1..=6).contains(&digits.len()) && digits.bytes().all(|it| it.is_ascii_digit());
    if !is_id {
        return None;
    }
    let mut story = None;
    while let Some((tag, after)) =
        rest.trim_start().strip_prefix('[').and_then(|it| it.split_once(']'))
    {
        let digits = tag
            .trim()
            .get(2..)
            .filter(|_| tag.trim().get(..2).is_some_and(|it| it.eq_ignore_ascii_case("US")));
        match digits.map(|it| it.trim_start_matches('-')) {
            Some(digits) if !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit()) => {
                story = Some(digits);
            }
            _ if tag.trim().eq_ignore_ascii_case("P") => {}
            // Other brackets belong to the text.
            _ => break,
        }
        rest = after;
    }
    Some(Task { id, story, text: rest.trim() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(&str, Option<&str>, &str)>) {
        let blocks = page::read(line, 1);
        let Some(Block::Item(item)) = blocks.first() else { panic!("{line}") };
        let actual = task(item).map(|it| (it.id, it.story, it.text));
        assert_eq!(actual, expected, "{line}");
    }

    #[test]
    fn a_task_is_a_checkbox_with_an_id() {
        check("- [ ] T001 Set up in src/", Some(("T001", None, "Set up in src/")));
        check("- [x] T010 [P] [US1] Test x", Some(("T010", Some("1"), "Test x")));
        check("- [ ] T010 [US2] [P] Test", Some(("T010", Some("2"), "Test")));
        check("- [ ] T010 [US-12] Test", Some(("T010", Some("12"), "Test")));
        check("- [ ] T010 [x] Test", Some(("T010", None, "[x] Test")));
        check("- T001 Set up", None);
        check("- [ ] Test it", None);
        check("- [ ] T001", None);
        check("- [ ] TXXX Docs", None);
        check("- [ ] T1234567 Docs", None);
    }
}
