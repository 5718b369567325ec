//! A Markdown page as the few things that a plan is made of: headings, paragraphs and items.
//!
//! Code, comments and quotations are not part of a plan, nor is a story in a fence. Inside an
//! item they belong to what the item says. The page is flat: an item knows how deep it lies, so
//! that no nesting, however deep, costs a stack.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Heading { level: u8, text: String, line: usize },
    Paragraph { lines: Vec<String>, line: usize },
    Item(Item),
}

/// One item of a list. The items inside it follow it, with a greater depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// 0 for an item of a list that lies in no other.
    pub depth: usize,
    pub has_checkbox: bool,
    /// Each line without its end; a block of code is one line in backticks.
    pub lines: Vec<String>,
    pub line: usize,
}

impl Item {
    /// The first line, where a label would stand.
    pub(super) fn first(&self) -> &str {
        self.lines.first().map_or("", |it| it.trim())
    }
}

/// The item at this place and how many blocks it takes with the items inside it.
pub(super) fn item_at(blocks: &[Block], at: usize) -> Option<(&Item, usize)> {
    let Some(Block::Item(item)) = blocks.get(at) else { return None };
    let inner = blocks[at + 1..]
        .iter()
        .take_while(|it| matches!(it, Block::Item(inner) if inner.depth > item.depth));
    Some((item, 1 + inner.count()))
}

/// The lines of each item among the blocks.
pub(super) fn lines_of(blocks: &[Block]) -> impl Iterator<Item = Vec<String>> {
    blocks.iter().filter_map(|it| match it {
        Block::Item(item) => Some(item.lines.clone()),
        Block::Heading { .. } | Block::Paragraph { .. } => None,
    })
}

/// Reads a page whose first line has this number in its file.
pub(super) fn read(text: &str, first_line: usize) -> Vec<Block> {
    let starts = memchr::memchr_iter(b'\n', text.as_bytes()).map(|it| it + 1).collect();
    let mut page = Page { text, first_line, starts, ..Page::default() };
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TASKLISTS).into_offset_iter() {
        page.take(event, range);
    }
    page.blocks
}

#[derive(Default)]
struct Page<'a> {
    text: &'a str,
    first_line: usize,
    /// Where each line but the first one starts.
    starts: Vec<usize>,
    blocks: Vec<Block>,
    /// Where the open items stand in `blocks`, the outermost first.
    open: Vec<usize>,
    /// How many quotations outside of any item are open.
    quotes: usize,
    /// How many links and images are open: their source is taken as a whole.
    links: usize,
    /// The contents of an open block of code.
    code: Option<String>,
    /// Whether text now belongs to the last heading or paragraph.
    is_writing: bool,
}

impl Page<'_> {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.write(&text),
            },
            Event::SoftBreak | Event::HardBreak => self.break_line(),
            Event::InlineHtml(html) if is_break(&html) => self.break_line(),
            // A comment is for those who edit the document.
            Event::InlineHtml(html) if html.starts_with("<!--") => {}
            Event::Code(_) | Event::InlineHtml(_) => self.write_source(range),
            Event::TaskListMarker(_) => {
                if let Some(item) = self.item() {
                    item.has_checkbox = true;
                }
            }
            // These say nothing here, or their options are off.
            Event::Html(_)
            | Event::Rule
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_) => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what a page may contain is not ours")]
    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        let line = self.line(range.start);
        let is_outside = self.open.is_empty() && self.quotes == 0;
        match tag {
            Tag::Heading { level, .. } if is_outside => {
                let level = level_of(*level);
                self.blocks.push(Block::Heading { level, text: String::new(), line });
                self.is_writing = true;
            }
            Tag::Paragraph if is_outside => {
                self.blocks.push(Block::Paragraph { lines: vec![String::new()], line });
                self.is_writing = true;
            }
            Tag::Paragraph | Tag::Heading { .. } => self.break_line(),
            Tag::BlockQuote(_) if self.open.is_empty() => self.quotes += 1,
            Tag::Item if self.quotes == 0 => {
                let depth = self.open.len();
                self.open.push(self.blocks.len());
                let lines = vec![String::new()];
                self.blocks.push(Block::Item(Item { depth, has_checkbox: false, lines, line }));
            }
            Tag::CodeBlock(_) => self.code = Some(String::new()),
            Tag::Link { .. } | Tag::Image { .. } => {
                self.write_source(range);
                self.links += 1;
            }
            // Emphasis says nothing that a gate could check; the rest is not a part of a page.
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what a page may contain is not ours")]
    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) | TagEnd::Paragraph => self.is_writing = false,
            TagEnd::BlockQuote(_) if self.open.is_empty() => {
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::Item if self.quotes == 0 => {
                self.open.pop();
            }
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                self.break_line();
                self.write(&in_backticks(code.trim()));
                self.break_line();
            }
            TagEnd::Link | TagEnd::Image => self.links = self.links.saturating_sub(1),
            _ => {}
        }
    }

    fn item(&mut self) -> Option<&mut Item> {
        match self.open.last().and_then(|&at| self.blocks.get_mut(at)) {
            Some(Block::Item(item)) => Some(item),
            Some(Block::Heading { .. } | Block::Paragraph { .. }) | None => None,
        }
    }

    /// The line that text is written to: of the innermost item, else of what is being written.
    fn target(&mut self) -> Option<&mut String> {
        if !self.open.is_empty() {
            return self.item().and_then(|it| it.lines.last_mut());
        }
        if !self.is_writing {
            return None;
        }
        match self.blocks.last_mut()? {
            Block::Heading { text, .. } => Some(text),
            Block::Paragraph { lines, .. } => lines.last_mut(),
            Block::Item(_) => None,
        }
    }

    fn write(&mut self, text: &str) {
        if self.links == 0
            && let Some(target) = self.target()
        {
            target.push_str(text);
        }
    }

    fn write_source(&mut self, range: Range<usize>) {
        let source = self.text;
        self.write(source.get(range).unwrap_or_default());
    }

    fn break_line(&mut self) {
        if self.links > 0 {
            return;
        }
        if !self.open.is_empty() {
            if let Some(item) = self.item() {
                item.lines.push(String::new());
            }
            return;
        }
        match self.blocks.last_mut() {
            Some(Block::Heading { text, .. }) if self.is_writing => text.push(' '),
            Some(Block::Paragraph { lines, .. }) if self.is_writing => lines.push(String::new()),
            _ => {}
        }
    }

    fn line(&self, offset: usize) -> usize {
        self.first_line + self.starts.partition_point(|&it| it <= offset)
    }
}

fn level_of(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

fn is_break(html: &str) -> bool {
    let name = html.trim_matches(|it: char| "</> ".contains(it));
    name.eq_ignore_ascii_case("br")
}

/// Text as one span of code, whatever backticks it contains.
fn in_backticks(code: &str) -> String {
    if code.is_empty() {
        return String::new();
    }
    let longest = code.split(|it| it != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // A space keeps a backtick at the edge apart from the fence.
    let edge = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    format!("{fence}{edge}{code}{edge}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line for each block: `#` for a heading, `=` for a paragraph, `-` by depth for an item.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let shown = |block: &Block| match block {
            Block::Heading { level, text, line } => {
                format!("{line} {} {text}", "#".repeat((*level).into()))
            }
            Block::Paragraph { lines, line } => format!("{line} = {}", lines.join("|")),
            Block::Item(item) => {
                let checkbox = if item.has_checkbox { "[]" } else { "" };
                let lines: Vec<_> = item.lines.iter().filter(|it| !it.is_empty()).collect();
                let lines: Vec<_> = lines.into_iter().map(String::as_str).collect();
                let dashes = "-".repeat(item.depth + 1);
                format!("{} {dashes}{checkbox} {}", item.line, lines.join("|"))
            }
        };
        let actual: Vec<_> = read(text, 1).iter().map(shown).collect();
        assert_eq!(actual, expected, "{text}");
    }

    #[test]
    fn a_page_is_headings_paragraphs_and_items() {
        check("# A\n\ntext\nmore\n", &["1 # A", "3 = text|more"]);
        check("A *b* **c**\n===\n", &["1 # A b c"]);
        check("- a\n- [x] b\n  - c\n    1. d\n", &["1 - a", "2 -[] b", "3 -- c", "4 --- d"]);
        check("1. a\n\n   more\n\n2. b\n", &["1 - a|more", "5 - b"]);
        check("**x**:\n- a\n+ b\n", &["1 = x:", "2 - a", "3 - b"]);
        check("# A\r\n\r\n- b\r\n  c\r\n", &["1 # A", "3 - b|c"]);
    }

    #[test]
    fn what_is_code_comment_or_quotation_is_no_part_of_the_plan() {
        check("```\n### US-009: x\n- y\n```\n\nz\n", &["6 = z"]);
        check("~~~md\n# A\n```\n# B\n~~~\n", &[]);
        check("    # indented\n", &[]);
        check("<!--\n### US-009: x\n-->\n\n# B\n", &["5 # B"]);
        check("> # A\n> - b\n>\n> c\n\nd\n", &["6 = d"]);
    }

    #[test]
    fn inside_an_item_code_and_quotation_are_what_the_item_says() {
        check("- a\n\n  ```sh\n  b\n  c\n  ```\n  d\n", &["1 - a|`b\nc`|d"]);
        check("- a\n\n  > b\n- c\n", &["1 - a|b", "4 - c"]);
        check("- a\n\n  ```\n  x `y`\n  ```\n", &["1 - a|`` x `y` ``"]);
        check("- a <!-- hidden --> b<br>c <u>d</u>\n", &["1 - a  b|c <u>d</u>"]);
    }

    #[test]
    fn code_and_links_keep_their_source_and_emphasis_does_not() {
        check("- run `a *b*` **now** or ``x`y``\n", &["1 - run `a *b*` now or ``x`y``"]);
        check(
            "- see [the *spec*](docs/spec.md) now\n",
            &["1 - see [the *spec*](docs/spec.md) now"],
        );
        check("- a &amp; b \\* c\n", &["1 - a & b * c"]);
    }

    #[test]
    fn an_item_takes_those_inside_it_along() {
        let blocks = read("- a\n  - b\n    - c\n  - d\n- e\n", 1);
        let taken = |at| item_at(&blocks, at).map(|(item, taken)| (item.first(), taken));
        assert_eq!(taken(0), Some(("a", 4)));
        assert_eq!(taken(1), Some(("b", 2)));
        assert_eq!(taken(4), Some(("e", 1)));
        assert_eq!(taken(5), None);
    }

    #[test]
    fn no_depth_costs_a_stack() {
        for deep in [">".repeat(100_000), "- ".repeat(20_000), "[".repeat(50_000)] {
            let _ = read(&deep, 1);
        }
    }
}
