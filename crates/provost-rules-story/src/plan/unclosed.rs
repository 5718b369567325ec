//! What is opened on a page and never closed: a fence of code, a comment. It takes everything below
//! it along, stories among it, and a reader of the source does not see that.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

/// How HTML begins that goes on until it is closed, and how it is closed.
const HTML: [(&str, &str); 7] = [
    ("<!--", "-->"),
    ("<![cdata[", "]]>"),
    ("<?", "?>"),
    ("<script", "</script"),
    ("<pre", "</pre"),
    ("<style", "</style"),
    ("<textarea", "</textarea"),
];

/// The line on which something is opened that is never closed; the first line has this number.
pub(super) fn unclosed(text: &str, first_line: usize) -> Option<usize> {
    let mut events = Parser::new_ext(text, Options::ENABLE_TASKLISTS).into_offset_iter();
    let start = events.find_map(|(event, range)| {
        let source = text.get(range.clone())?;
        let is_open = if let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) = event {
            !is_fenced(source)
        } else {
            matches!(event, Event::Start(Tag::HtmlBlock)) && !is_closed(source)
        };
        is_open.then_some(range.start)
    })?;
    Some(first_line + memchr::memchr_iter(b'\n', &text.as_bytes()[..start]).count())
}

/// Whether the last line of a block of code is the fence of the first one.
fn is_fenced(source: &str) -> bool {
    let source = source.trim_end();
    let Some((first, rest)) = source.split_once('\n') else { return false };
    let first = first.trim_start();
    let Some(mark) = first.chars().next() else { return false };
    let length = first.chars().take_while(|it| *it == mark).count();
    // Inside a quotation each line has its own mark.
    let last = rest.rsplit('\n').next().unwrap_or_default();
    let last = last.trim_start_matches(['>', ' ', '\t']).trim_end();
    last.chars().count() >= length && last.chars().all(|it| it == mark)
}

fn is_closed(source: &str) -> bool {
    let source = source.trim_start().to_ascii_lowercase();
    let opened = HTML.iter().find(|(start, _)| source.starts_with(start));
    opened.is_none_or(|(start, end)| source[start.len()..].contains(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<usize>) {
        assert_eq!(unclosed(text, 1), expected, "{text:?}");
    }

    #[test]
    fn what_is_never_closed_is_found_with_its_line() {
        check("a\n\n```\nb\n\n### US-002: B\n", Some(3));
        check("a\n\n~~~md\nb\n```\n", Some(3));
        check("````\n```\n", Some(1));
        check("```", Some(1));
        check("- a\n\n  ```\n  b\n- c\n", Some(3));
        check("a\n\n<!-- todo\n\n### US-002: B\n", Some(3));
        check("<script>\n# A\n", Some(1));
    }

    #[test]
    fn what_is_closed_is_fine() {
        check("", None);
        check("```\na\n```\n", None);
        check("```\na\n```", None);
        check("```\n```\n", None);
        check("````\n```\n````\n", None);
        check("~~~md\na\n~~~~\n", None);
        check("- a\n\n  ```sh\n  b\n  ```\n- c\n", None);
        check("> ```\n> a\n> ```\n", None);
        check("    indented\n", None);
        check("<!-- a -->\n\n<!--\nb\n-->\n\n<div>\nx\n", None);
    }
}
