//! A requirements document in Markdown: a heading for each story, a list of its criteria.

mod section;
mod story;

use std::ops::Range;

use provost_kernel::story::StoryId;

use super::{
    LIMITS, Place, PlanProblem, Refusal,
    draft::{Draft, DraftStory},
    heading,
    label::{self, Label},
    page::{self, Block},
    remark::Remark,
};

/// More headings of stories than any plan has, those outside its section included.
const HEADINGS: usize = 2 * LIMITS.stories;

/// A story's heading and the blocks below it.
struct Opened {
    id: StoryId,
    title: String,
    line: usize,
    /// Where the heading stands among the blocks.
    at: usize,
    body: Range<usize>,
}

/// Whether a heading of the page opens a story.
pub(super) fn has_stories(blocks: &[Block]) -> bool {
    blocks
        .iter()
        .any(|it| matches!(it, Block::Heading { text, .. } if heading::story(text).is_some()))
}

/// Reads the stories of a page, and what it says about itself.
pub(super) fn read(blocks: &[Block]) -> Result<Draft, Refusal> {
    let mut draft = Draft::default();
    let mut stories = opened(blocks)?;
    let listed = section_of(blocks);
    if let Some(section) = &listed
        && stories.iter().any(|it| section.contains(&it.at))
    {
        stories = only_inside(section, stories, &mut draft);
    }
    for it in &stories {
        let mut found = DraftStory::new(it.id.clone(), it.title.clone(), Place::Line(it.line));
        story::read(&blocks[it.body.clone()], &mut found, &mut draft.remarks);
        draft.stories.push(found);
    }
    if let Some(section) = listed.filter(|_| stories.is_empty()) {
        read_listed(&blocks[section], &mut draft)?;
    }
    section::read(blocks, &stories, &mut draft);
    Ok(draft)
}

/// Keeps the stories inside the section, and names those outside that are not there again.
fn only_inside(section: &Range<usize>, stories: Vec<Opened>, draft: &mut Draft) -> Vec<Opened> {
    let (inside, outside): (Vec<_>, Vec<_>) =
        stories.into_iter().partition(|it| section.contains(&it.at));
    for it in outside {
        if inside.iter().all(|other| other.id.number() != it.id.number()) {
            draft.remark(Place::Line(it.line), Remark::OutsideSection(it.id));
        }
    }
    inside
}

/// The stories that headings open, each up to the next one or to a heading that is as high.
fn opened(blocks: &[Block]) -> Result<Vec<Opened>, Refusal> {
    let mut stories = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let Block::Heading { level, text, line } = block else { continue };
        let Some(found) = heading::story(text) else { continue };
        let fail = |error| (Place::Line(*line), PlanProblem::StoryId(error));
        let (id, title) = found.map_err(fail)?;
        let ends = |it: &Block| match it {
            Block::Heading { level: other, text, .. } => {
                other <= level || heading::story(text).is_some()
            }
            Block::Paragraph { .. } | Block::Item(_) => false,
        };
        let rest = &blocks[at + 1..];
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        if stories.len() == HEADINGS {
            return Err((Place::Line(*line), PlanProblem::TooManyStories));
        }
        stories.push(Opened { id, title, line: *line, at, body: at + 1..at + 1 + length });
    }
    Ok(stories)
}

/// The blocks of the section that is called the stories, if there is one.
fn section_of(blocks: &[Block]) -> Option<Range<usize>> {
    let (start, level) = blocks.iter().enumerate().find_map(|(at, it)| match it {
        Block::Heading { level, text, .. } => label::is_stories(text).then_some((at + 1, *level)),
        Block::Paragraph { .. } | Block::Item(_) => None,
    })?;
    let ends = |it: &Block| matches!(it, Block::Heading { level: other, .. } if *other <= level);
    let length = blocks[start..].iter().position(ends).unwrap_or(blocks.len() - start);
    Some(start..start + length)
}

/// Reads stories that are the items of a list, with their criteria as the items inside.
fn read_listed(blocks: &[Block], draft: &mut Draft) -> Result<(), Refusal> {
    let mut at = 0;
    while at < blocks.len() {
        let Some((item, taken)) = page::item_at(blocks, at) else {
            at += 1;
            continue;
        };
        let place = Place::Line(item.line);
        let counted = u32::try_from(draft.stories.len() + 1).unwrap_or(u32::MAX);
        let (id, title) = match heading::story(item.first()) {
            Some(found) => found.map_err(|error| (place.clone(), PlanProblem::StoryId(error)))?,
            None => (
                StoryId::from_number(counted),
                item.first().trim_end_matches([':', '：']).to_owned(),
            ),
        };
        let mut found = DraftStory::new(id, title, place);
        let inner: Vec<_> = blocks[at + 1..at + taken].iter().map(raised).collect();
        story::read(&inner, &mut found, &mut draft.remarks);
        draft.stories.push(found);
        at += taken;
    }
    Ok(())
}

/// An item as it would be without the one around it.
fn raised(block: &Block) -> Block {
    let mut block = block.clone();
    if let Block::Item(item) = &mut block {
        item.depth = item.depth.saturating_sub(1);
    }
    block
}

/// Whether a label of a heading opens a part of a plan that is told apart.
fn opens(text: &str, wanted: Label) -> bool {
    label::of_heading(text) == Some(wanted)
}
