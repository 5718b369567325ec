//! Text for a message: escaped, cleaned, and cut where Telegram would refuse it.

use std::fmt::Write as _;

use provost_desk::remote::{is_invisible, redact};

/// The most UTF-16 units of a message. Telegram counts them after the entities are resolved; counting
/// them before is never less.
pub(crate) const LONGEST: usize = 4096;

/// What stands where something was cut off.
const ELLIPSIS: &str = "…";

/// Escapes a text, and removes secrets and what could change how its surroundings are shown.
pub(crate) fn escape(text: &str) -> String {
    let text = redact(text);
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\n' => html.push('\n'),
            '\t' => html.push(' '),
            it if it.is_control() || is_invisible(it) => {}
            it => html.push(it),
        }
    }
    html
}

/// The same in one line, apart from the direction of the text around it.
pub(crate) fn isolate(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("\u{2068}{}\u{2069}", escape(&line))
}

/// At most so many characters of a text, in one line.
pub(crate) fn excerpt(text: &str, most: usize) -> String {
    // Before it is cut: a part of a secret is not recognised.
    let text = redact(text);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let mut cut: String = line.chars().take(most.saturating_sub(1)).collect();
    cut.push_str(ELLIPSIS);
    cut
}

/// What somebody else wrote, in one line: it is told from provost's own words, and nothing in it is a link,
/// a command or a name to be called.
pub(crate) fn quoted(text: &str) -> String {
    format!("<code>{}</code>", isolate(text))
}

pub(crate) fn bold(html: &str) -> String {
    format!("<b>{html}</b>")
}

pub(crate) fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

/// Cuts what this module made to a length in UTF-16 units: between characters, never inside an entity, and
/// with every tag closed.
pub(crate) fn cut(html: &str, most: usize) -> String {
    if units(html) <= most {
        return html.to_owned();
    }
    let (mut open, mut used, mut end): (Vec<&str>, usize, usize) = (Vec::new(), 0, 0);
    let mut kept: (usize, Vec<&str>) = (0, Vec::new());
    while let Some(token) = token(&html[end..]) {
        used += units(token);
        end += token.len();
        if let Some(name) = token.strip_prefix("</") {
            let name = name.trim_end_matches('>');
            if open.last() == Some(&name) {
                open.pop();
            }
        } else if let Some(tag) = token.strip_prefix('<') {
            open.push(tag.split([' ', '>']).next().unwrap_or_default());
        }
        let closing: usize = open.iter().map(|it| it.len() + "</>".len()).sum();
        if used + units(ELLIPSIS) + closing > most {
            break;
        }
        kept = (end, open.clone());
    }
    let (end, open) = kept;
    let mut cut = format!("{}{ELLIPSIS}", &html[..end]);
    for name in open.iter().rev() {
        let _ = write!(cut, "</{name}>");
    }
    cut
}

/// A tag, an entity or a character.
fn token(html: &str) -> Option<&str> {
    let first = html.chars().next()?;
    let end = match first {
        '<' => html.find('>').map(|it| it + 1),
        '&' => html.find(';').map(|it| it + 1),
        _ => None,
    };
    Some(&html[..end.unwrap_or(first.len_utf8())])
}

pub(crate) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_wrote_stays_text() {
        for (text, expected) in [
            ("a < b & c > d", "a &lt; b &amp; c &gt; d"),
            ("<script>", "&lt;script&gt;"),
            ("<a href=\"x\">", "&lt;a href=&quot;x&quot;&gt;"),
            ("&amp;", "&amp;amp;"),
            ("a\nb\tc\r\u{7}\u{1b}[31m", "a\nb c[31m"),
            ("\u{202e}gnp.exe\u{202c}", "gnp.exe"),
            ("\u{2066}x\u{2069}\u{200b}\u{feff}", "x"),
            ("שלום", "שלום"),
            ("👩\u{200d}💻", "👩\u{200d}💻"),
        ] {
            assert_eq!(escape(text), expected, "{text:?}");
        }
        let key = format!("the key is AKIA{}", "Q3EGRLZ7TW5NXKVD");
        assert!(!escape(&key).contains("Q3EGRLZ"), "{}", escape(&key));
        assert!(!excerpt(&key, 20).contains("AKIA"), "{}", excerpt(&key, 20));
        assert_eq!(isolate("\u{202e}שם\n<b>"), "\u{2068}שם &lt;b&gt;\u{2069}");
        assert_eq!(excerpt("one  two\nthree", 9), "one two …");
        assert_eq!(excerpt("one  two", 7), "one two");
    }

    #[test]
    fn a_cut_ends_between_characters_with_every_tag_closed() {
        for (html, most, expected) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("a&amp;b", 7, "a&amp;b"),
            ("a&amp;bc", 7, "a&amp;…"),
            ("a&amp;bc", 6, "a…"),
            ("<b>abcd</b>", 10, "<b>ab…</b>"),
            ("<b>ab</b>cd", 10, "<b>ab</b>…"),
            ("<b><code>abcdefgh</code></b>", 27, "<b><code>abcdef…</code></b>"),
            ("<a href=\"x\">abcdef</a>", 18, "<a href=\"x\">a…</a>"),
            ("😀😀", 3, "😀…"),
            ("😀😀", 2, "…"),
        ] {
            let found = cut(html, most);
            assert_eq!(found, expected, "{html} to {most}");
            assert!(units(&found) <= most.max(1));
        }
    }

    /// A message is at most 4,096 UTF-16 units, whatever it is made of.
    #[test]
    fn any_length_can_be_sent() {
        for part in ["a", "é", "汉", "😀", "<", "&", "👩\u{200d}💻"] {
            for repeats in [1000, 2047, 2048, 2049, 4095, 4096, 4097, 20_000] {
                let html = bold(&escape(&part.repeat(repeats)));
                let found = cut(&html, LONGEST);
                assert!(units(&found) <= LONGEST, "{part} {repeats}");
                assert!(found.ends_with("</b>"), "{part} {repeats}");
                let inner = found.trim_start_matches("<b>").trim_end_matches("</b>");
                let rest = inner.replace("&lt;", "").replace("&amp;", "");
                assert!(!rest.contains(['&', ';', '<']), "{part} {repeats}");
            }
        }
    }
}
