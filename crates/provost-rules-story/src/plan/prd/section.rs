//! What a requirements document says outside of its stories: title, description, dependencies.

use super::{Opened, opens};
use crate::plan::{
    Place,
    draft::{At, Draft, dependency, paths},
    label::{self, Label},
    page::Block,
    remark::Remark,
};

/// Reads the parts of a page that belong to no story.
pub(super) fn read(blocks: &[Block], stories: &[Opened], draft: &mut Draft) {
    draft.title = blocks.iter().find_map(|it| match it {
        Block::Heading { level: 1, text, .. } => Some(text.clone()),
        Block::Heading { .. } | Block::Paragraph { .. } | Block::Item(_) => None,
    });
    let is_inside = |at: usize| stories.iter().any(|it| it.at == at || it.body.contains(&at));
    let mut has_description = false;
    for (at, block) in blocks.iter().enumerate() {
        if is_inside(at) {
            continue;
        }
        draft.leave.extend(leave(block));
        let Block::Heading { level, text, .. } = block else { continue };
        if *level == 1 {
            continue;
        }
        let below = below(&blocks[at + 1..]);
        // `用户故事` is a label inside a story, and the name of the section outside.
        if !has_description && opens(text, Label::Description) && !label::is_stories(text) {
            has_description = true;
            draft.description = below.iter().map(|(text, _)| text.clone()).collect();
        } else if opens(text, Label::Dependencies) {
            read_dependencies(&below, draft);
        } else if opens(text, Label::Leave) {
            draft.leave.extend(below.iter().flat_map(|(text, _)| text.lines()).flat_map(paths));
        }
    }
}

/// The tests that a line `Tests may change: …` names.
fn leave(block: &Block) -> Vec<String> {
    let lines = match block {
        Block::Heading { .. } => return Vec::new(),
        Block::Paragraph { lines, .. } => lines,
        Block::Item(item) => &item.lines,
    };
    let named = lines.iter().filter_map(|it| match label::of_line(it) {
        Some((Label::Leave, value)) => Some(value),
        _ => None,
    });
    named.flat_map(paths).collect()
}

/// The text of each block up to the next heading.
fn below(blocks: &[Block]) -> Vec<(String, usize)> {
    blocks
        .iter()
        .map_while(|it| match it {
            Block::Heading { .. } => None,
            Block::Paragraph { lines, line } => Some((lines.join("\n"), *line)),
            Block::Item(item) => Some((item.lines.join("\n"), item.line)),
        })
        .collect()
}

/// Takes the branches that the section names; a sentence that names none is remarked.
fn read_dependencies(below: &[(String, usize)], draft: &mut Draft) {
    for (text, line) in below {
        for entry in text.lines().map(str::trim).filter(|it| !it.is_empty()) {
            let place = Place::Line(*line);
            let name = in_code(entry).unwrap_or(entry);
            if is_nothing(name) {
                continue;
            }
            if dependency(name).is_ok() {
                draft.dependencies.push(At { value: name.to_owned(), place });
            } else {
                draft.remark(place, Remark::Dependency(entry.to_owned()));
            }
        }
    }
}

fn is_nothing(text: &str) -> bool {
    let text = text.trim_matches(|it: char| !it.is_alphanumeric()).to_lowercase();
    matches!(text.as_str(), "" | "none" | "n/a" | "na" | "nothing" | "无" | "没有" | "暂无")
}

/// What stands in the first pair of backticks.
fn in_code(text: &str) -> Option<&str> {
    text.split('`').nth(1).filter(|it| !it.trim().is_empty())
}
