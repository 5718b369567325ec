//! The body of one story: which of its lists are criteria, and what the rest says.

use crate::plan::{
    Place,
    draft::{At, DraftCriterion, DraftStory, paths},
    label::{self, Label},
    page::{self, Block, Item},
    remark::Remark,
};

/// What the text that comes next belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Nothing in particular: text describes the story, and lists wait for a label.
    Body,
    /// No label says where the criteria are, so every list is.
    Whole,
    /// The criteria, opened by a heading of this level or, at 0, by a label in the text.
    Criteria {
        level: u8,
    },
    Description,
    /// Tests that the work may change, one to a line.
    Leave,
    /// Another part that is known.
    Aside,
    /// A part with an unknown heading: a list below it gets a remark.
    Unknown,
}

struct Reader<'a> {
    story: &'a mut DraftStory,
    remarks: &'a mut Vec<At<Remark>>,
    part: Part,
    /// What stands behind the label of the criteria, in case there is no list.
    inline: Option<DraftCriterion>,
}

/// Reads the blocks below a story's heading.
pub(super) fn read(blocks: &[Block], story: &mut DraftStory, remarks: &mut Vec<At<Remark>>) {
    let part = if blocks.iter().any(opens_criteria) { Part::Body } else { Part::Whole };
    let mut reader = Reader { story, remarks, part, inline: None };
    let mut at = 0;
    while at < blocks.len() {
        at += reader.take(blocks, at);
    }
    if reader.story.criteria.is_empty() {
        reader.story.criteria.extend(reader.inline);
    }
}

/// Whether a block says where the criteria are.
fn opens_criteria(block: &Block) -> bool {
    let is_label = |line: &String| matches!(label::of_line(line), Some((Label::Criteria, _)));
    match block {
        Block::Heading { text, .. } => label::of_heading(text) == Some(Label::Criteria),
        Block::Paragraph { lines, .. } => lines.iter().any(is_label),
        Block::Item(item) => label::of_line(item.first()) == Some((Label::Criteria, "")),
    }
}

impl Reader<'_> {
    /// Reads the block at this place, and says how many it took.
    fn take(&mut self, blocks: &[Block], at: usize) -> usize {
        match &blocks[at] {
            Block::Heading { level, text, .. } => self.heading(*level, text),
            Block::Paragraph { lines, line } => self.paragraph(lines, *line),
            Block::Item(item) => return self.item(blocks, at, item),
        }
        1
    }

    fn heading(&mut self, level: u8, text: &str) {
        self.part = match label::of_heading(text) {
            Some(Label::Criteria) => Part::Criteria { level },
            Some(Label::Description) => Part::Description,
            Some(Label::Leave) => Part::Leave,
            Some(
                Label::Priority | Label::Dependencies | Label::Command | Label::Note | Label::Other,
            ) => Part::Aside,
            None => match self.part {
                Part::Whole => Part::Whole,
                Part::Criteria { level: outer } if outer > 0 && level > outer => self.part,
                // Right below a label in the text, headings divide the criteria.
                Part::Criteria { level: 0 } if self.story.criteria.is_empty() => {
                    Part::Criteria { level: level.saturating_sub(1) }
                }
                Part::Body
                | Part::Criteria { .. }
                | Part::Description
                | Part::Leave
                | Part::Aside
                | Part::Unknown => Part::Unknown,
            },
        };
    }

    fn paragraph(&mut self, lines: &[String], line: usize) {
        let mut is_in_item = false;
        let mut skipped = None;
        for (number, text) in (line..).zip(lines) {
            if let Some(item) = numbered(text)
                && matches!(self.part, Part::Criteria { .. } | Part::Whole)
            {
                let (parts, place) = (vec![vec![item.to_owned()]], Place::Line(number));
                self.story.criteria.push(DraftCriterion { parts, verify: None, place });
                is_in_item = true;
                continue;
            }
            if let Some((label, value)) = label::of_line(text) {
                is_in_item = false;
                self.label(label, value, Place::Line(number));
                continue;
            }
            match self.part {
                // A line right below an item continues it.
                Part::Criteria { .. } | Part::Whole if is_in_item => {
                    let last = self.story.criteria.last_mut();
                    if let Some(own) = last.and_then(|it| it.parts.first_mut()) {
                        own.push(text.clone());
                    }
                }
                Part::Body | Part::Whole | Part::Description => {
                    self.story.description.push(text.clone());
                }
                // What announces a list is part of no criterion.
                Part::Criteria { .. } if !text.trim_end().ends_with([':', '：']) => {
                    skipped.get_or_insert(number);
                }
                Part::Leave => self.story.leave.extend(paths(text)),
                Part::Criteria { .. } | Part::Aside | Part::Unknown => {}
            }
        }
        if let Some(number) = skipped {
            self.remark(Remark::TextSkipped, Place::Line(number));
        }
    }

    /// Reads a label in running text, and enters the part that it opens.
    fn label(&mut self, label: Label, value: &str, place: Place) {
        match label {
            Label::Criteria => {
                self.part = Part::Criteria { level: 0 };
                if !value.is_empty() {
                    let parts = vec![vec![value.to_owned()]];
                    self.inline = Some(DraftCriterion { parts, verify: None, place });
                }
                return;
            }
            Label::Description => self.story.description.push(value.to_owned()),
            Label::Priority => self.story.priority = Some(At { value: value.to_owned(), place }),
            Label::Leave => self.story.leave.extend(paths(value)),
            Label::Command => self.remark(Remark::UnboundCommand, place),
            Label::Dependencies | Label::Note | Label::Other => {}
        }
        self.part = match (self.part, label) {
            // A field that stands on its own line says nothing about the lists below it.
            (Part::Whole, Label::Description | Label::Priority) => Part::Whole,
            (_, Label::Leave) if value.is_empty() => Part::Leave,
            (Part::Whole | Part::Body, _) if !value.is_empty() => self.part,
            (_, Label::Description) => Part::Description,
            // A list after it would be neither the criteria nor what the label announces.
            (Part::Criteria { .. }, _) if !value.is_empty() => Part::Unknown,
            (Part::Description, Label::Priority) => Part::Body,
            (part, Label::Priority) => part,
            (
                _,
                Label::Criteria
                | Label::Leave
                | Label::Command
                | Label::Dependencies
                | Label::Note
                | Label::Other,
            ) => Part::Aside,
        };
    }

    fn item(&mut self, blocks: &[Block], at: usize, item: &Item) -> usize {
        let (_, taken) = page::item_at(blocks, at).unwrap_or((item, 1));
        let inner = &blocks[at + 1..at + taken];
        let label = label::of_line(item.first());
        match self.part {
            _ if label == Some((Label::Criteria, "")) => {
                self.criteria_inside(inner, item.depth + 1);
            }
            Part::Criteria { .. } | Part::Whole => self.candidate(item, inner, label),
            Part::Body | Part::Description => self.field(item, inner, label),
            Part::Unknown => {
                self.remark(Remark::ListSkipped, Place::Line(item.line));
                // Once for each heading is enough.
                self.part = Part::Aside;
            }
            Part::Leave => self.story.leave.extend(paths(item.first())),
            Part::Aside => {}
        }
        taken
    }

    /// Reads an item that is a criterion unless it says that it is something else.
    ///
    /// In doubt it is one: a gate with a criterion too many is met by a person, one with a
    /// criterion too few by no one.
    fn candidate(&mut self, item: &Item, inner: &[Block], label: Option<(Label, &str)>) {
        let place = Place::Line(item.line);
        let is_whole = self.part == Part::Whole;
        match label {
            Some((Label::Priority, value)) => {
                self.story.priority.get_or_insert(At { value: value.to_owned(), place });
            }
            Some((Label::Leave, value)) if !paths(value).is_empty() => {
                self.story.leave.extend(paths(value));
            }
            Some((Label::Note, _)) => {
                self.remark(Remark::NotACriterion(item.first().to_owned()), place);
            }
            Some((Label::Description, value)) if is_whole => {
                self.story.description.push(value.to_owned());
            }
            Some((Label::Dependencies, _)) if is_whole => {}
            None if is_whole && is_wish(item.first()) => {
                self.story.description.push(item.lines.join(" "));
            }
            _ => self.criterion(item, inner),
        }
    }

    /// Reads an item that stands before the criteria.
    fn field(&mut self, item: &Item, inner: &[Block], label: Option<(Label, &str)>) {
        let place = Place::Line(item.line);
        match label {
            Some((Label::Criteria, _)) => self.criterion(item, inner),
            Some((Label::Description, value)) => self.story.description.push(value.to_owned()),
            Some((Label::Priority, value)) => {
                self.story.priority = Some(At { value: value.to_owned(), place });
            }
            Some((Label::Leave, value)) => self.story.leave.extend(paths(value)),
            Some((Label::Command, _)) => self.remark(Remark::UnboundCommand, place),
            Some((Label::Dependencies | Label::Note | Label::Other, _)) => {}
            None => self.story.description.push(item.lines.join(" ")),
        }
    }

    /// Reads the items of this depth as criteria, each with the items inside it.
    fn criteria_inside(&mut self, blocks: &[Block], depth: usize) {
        let mut at = 0;
        while let Some((item, taken)) = page::item_at(blocks, at) {
            if item.depth == depth {
                self.criterion(item, &blocks[at + 1..at + taken]);
            }
            at += taken;
        }
    }

    fn criterion(&mut self, item: &Item, inner: &[Block]) {
        let place = Place::Line(item.line);
        let mut own = item.lines.clone();
        // A line right below an item continues it, whatever its author meant.
        if let Some(at) = own.iter().skip(1).position(|it| is_priority(it)) {
            let (_, value) = label::of_line(&own[at + 1]).unwrap_or((Label::Priority, ""));
            let value = value.to_owned();
            self.story.priority.get_or_insert(At { value, place: place.clone() });
            own.truncate(at + 1);
        }
        let is_empty = |it: &String| matches!(it.trim(), "" | "[ ]" | "[x]" | "[X]");
        if inner.is_empty() && own.iter().all(is_empty) {
            return;
        }
        let parts = std::iter::once(own).chain(page::lines_of(inner)).collect();
        self.story.criteria.push(DraftCriterion { parts, verify: None, place });
    }

    fn remark(&mut self, remark: Remark, place: Place) {
        self.remarks.push(At { value: remark, place });
    }
}

/// The text of a line that is an item as it is written in Chinese: `1、`, `（1）`, `①`.
fn numbered(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = if let Some(inner) = line.strip_prefix(['（', '(']) {
        without_number(inner)?.strip_prefix(['）', ')'])?
    } else if let Some(rest) = line.strip_prefix(|it: char| ('①'..='⑳').contains(&it)) {
        rest
    } else {
        without_number(line)?.strip_prefix(['、', '．'])?
    };
    Some(rest.trim_start())
}

/// What follows a number; none where there is none.
fn without_number(text: &str) -> Option<&str> {
    let is_digit = |it: char| it.is_ascii_digit() || "一二三四五六七八九十".contains(it);
    let rest = text.trim_start_matches(is_digit);
    (rest.len() < text.len()).then_some(rest)
}

fn is_priority(line: &str) -> bool {
    matches!(label::of_line(line), Some((Label::Priority, _)))
}

/// Whether a text is the wish itself, and no criterion.
fn is_wish(text: &str) -> bool {
    let text = text.to_lowercase();
    ["as a ", "as an ", "作为"].iter().any(|it| text.starts_with(it))
}
