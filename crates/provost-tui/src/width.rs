//! Text by display cells: a Chinese letter takes two.

use unicode_width::UnicodeWidthStr as _;

/// How many cells a text takes.
pub(crate) fn cells(text: &str) -> usize {
    text.width()
}

/// The text in at most so many cells, with an ellipsis in place of the rest.
pub(crate) fn cut(text: &str, width: usize, ellipsis: &str) -> String {
    if cells(text) <= width {
        return text.to_owned();
    }
    let mark = if cells(ellipsis) <= width { ellipsis } else { "" };
    format!("{}{mark}", prefix(text, width - cells(mark)))
}

/// The text in exactly so many cells.
pub(crate) fn fit(text: &str, width: usize, ellipsis: &str) -> String {
    let text = cut(text, width, ellipsis);
    let space = width - cells(&text);
    format!("{text}{:space$}", "")
}

/// The same at the right side.
pub(crate) fn fit_right(text: &str, width: usize, ellipsis: &str) -> String {
    let text = cut(text, width, ellipsis);
    let space = width - cells(&text);
    format!("{:space$}{text}", "")
}

/// The text on lines of at most so many cells, broken between words where it can be.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = Vec::new();
    let mut rest = text;
    while cells(rest) > width {
        let head = prefix(rest, width);
        // A letter wider than the line still moves on.
        let head = if head.is_empty() { first(rest) } else { head };
        let behind = &rest[head.len()..];
        let is_between = behind.starts_with(' ');
        let space = head.rfind(' ').filter(|it| *it > 0 && !head[..*it].trim().is_empty());
        let end = if is_between { head.len() } else { space.unwrap_or(head.len()) };
        lines.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].trim_start();
    }
    lines.push(rest.to_owned());
    lines
}

/// The longest start of a text that takes at most so many cells.
fn prefix(text: &str, width: usize) -> &str {
    let mut end = 0;
    for (at, letter) in text.char_indices() {
        let next = at + letter.len_utf8();
        // Measured as a whole: letters that are joined take less than their sum.
        if cells(&text[..next]) > width {
            break;
        }
        end = next;
    }
    &text[..end]
}

fn first(text: &str) -> &str {
    let length = text.chars().next().map_or(0, char::len_utf8);
    &text[..length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_its_width_in_any_script() {
        for (text, width, expected) in [
            ("abc", 5, "abc  "),
            ("abcdef", 5, "abcd…"),
            ("修复登录", 8, "修复登录"),
            ("修复登录", 7, "修复登…"),
            ("修复登录", 6, "修复… "),
            ("修", 1, "…"),
            ("abc", 0, ""),
        ] {
            assert_eq!(fit(text, width, "…"), expected, "{text:?} {width}");
            assert_eq!(cells(&fit(text, width, "…")), width);
        }
        assert_eq!(fit_right("7h", 4, "…"), "  7h");
        assert_eq!(fit("abcdef", 5, "..."), "ab...");
        assert_eq!(fit("abcdef", 2, "..."), "ab");
    }

    #[test]
    fn lines_break_between_words_and_never_lose_one() {
        for (text, width, expected) in [
            ("one two three", 7, &["one two", "three"][..]),
            ("one two three", 8, &["one two", "three"]),
            ("abcdefgh", 3, &["abc", "def", "gh"]),
            ("修复登录", 4, &["修复", "登录"]),
            ("修复登录", 1, &["修", "复", "登", "录"]),
            ("", 5, &[""]),
        ] {
            assert_eq!(wrap(text, width), expected, "{text:?} {width}");
        }
    }
}
