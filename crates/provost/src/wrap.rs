//! Lines that fit their screen: broken between words, and indented below their start.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::{
    output::plain,
    paint::{Span, Tone},
};

/// Breaks a line into lines of at most so many columns; all but the first are indented. A word that
/// is longer than a line stays whole: it may be a command, or a path that somebody wants to copy.
pub(crate) fn wrap(spans: &[Span], width: usize, indent: usize) -> Vec<Vec<Span>> {
    let shown: Vec<Span> = spans.iter().map(|it| it.tone.of(plain(&it.text))).collect();
    if shown.iter().map(|it| it.text.width()).sum::<usize>() <= width {
        return vec![shown];
    }
    let parts = shown.iter().flat_map(parts);
    let indent = indent.min(width / 2);
    let (mut lines, mut line, mut column) = (Vec::new(), Vec::<Span>::new(), 0);
    let mut has_word = false;
    for part in parts {
        let is_blank = part.text.trim().is_empty();
        let needed = part.text.width();
        if !is_blank && has_word && column + needed > width {
            lines.push(trimmed(std::mem::take(&mut line)));
            line.push(Tone::Plain.of(" ".repeat(indent)));
            (column, has_word) = (indent, false);
        }
        // A blank that a line was broken at is gone.
        if is_blank && !has_word && !lines.is_empty() {
            continue;
        }
        has_word |= !is_blank;
        column += needed;
        line.push(part);
    }
    lines.push(trimmed(line));
    lines
}

/// How far a line is indented, and a little more.
pub(crate) fn below(spans: &[Span]) -> usize {
    let text: String = spans.iter().map(|it| it.text.as_str()).collect();
    text.width() - text.trim_start().width() + 2
}

/// The pieces between which a line can be broken: blanks, words, and single wide characters with
/// the mark that follows them.
fn parts(span: &Span) -> Vec<Span> {
    let mut parts: Vec<String> = Vec::new();
    let mut kind = None;
    for it in span.text.chars() {
        let now = if it.is_whitespace() {
            Kind::Blank
        } else if it.width() == Some(2) {
            Kind::Wide
        } else {
            Kind::Word
        };
        let goes_on = match (kind, now) {
            (Some(Kind::Wide), Kind::Wide) => "，。：；、）？！》”".contains(it),
            (Some(before), now) => before == now,
            (None, _) => false,
        };
        match parts.last_mut() {
            Some(last) if goes_on => last.push(it),
            Some(_) | None => parts.push(it.to_string()),
        }
        kind = Some(now);
    }
    parts.into_iter().map(|it| span.tone.of(it)).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Word,
    Wide,
}

/// A line without blanks at its end.
fn trimmed(mut line: Vec<Span>) -> Vec<Span> {
    while line.last().is_some_and(|it| it.text.trim().is_empty()) {
        line.pop();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::Screen;

    #[track_caller]
    fn check(text: &str, width: usize, indent: usize, expected: &[&str]) {
        let lines = wrap(&[Tone::Plain.of(text)], width, indent);
        let lines: Vec<_> = lines.iter().map(|it| Screen::default().line(it)).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_line_is_broken_between_words() {
        check("one two three", 13, 2, &["one two three"]);
        check("one two three", 12, 2, &["one two", "  three"]);
        check("  a: one two", 8, 5, &["  a: one", "    two"]);
        // Nothing that a person copies is broken.
        check("see /a/very/long/path now", 10, 2, &["see", "  /a/very/long/path", "  now"]);
        check("", 10, 2, &[""]);
        // An escape of somebody else takes the columns that it is shown in.
        check("a\u{1b} b c", 9, 0, &["a\\u{1b} b", "c"]);
    }

    #[test]
    fn chinese_is_broken_between_characters_and_before_no_mark() {
        check("测试没有通过，请重试", 12, 2, &["测试没有通", "  过，请重试"]);
        check("运行 provost show 查看", 14, 2, &["运行 provost", "  show 查看"]);
    }

    #[test]
    fn what_is_broken_keeps_its_tones() {
        let spans = [Tone::Plain.of("next: "), Tone::Bold.of("provost show t1")];
        let lines = wrap(&spans, 14, 6);
        assert_eq!(lines[0][0], Tone::Plain.of("next:"));
        assert!(lines[1].contains(&Tone::Bold.of("show")), "{lines:?}");
        assert_eq!(below(&[Tone::Plain.of("   x")]), 5);
    }
}
