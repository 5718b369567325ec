//! Truncation of foreign text for display.

/// How many characters of a foreign text are shown.
const SHOWN: usize = 80;

/// Truncates a foreign text to a length that people read, with `…` in place of the rest.
pub fn shorten(text: &str) -> String {
    shorten_to(text, SHOWN)
}

/// Truncates a text to a number of characters, with `…` in place of the rest.
pub fn shorten_to(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_text_is_truncated() {
        for (text, chars, expected) in [
            ("", 0, ""),
            ("abc", 3, "abc"),
            ("abcd", 3, "abc…"),
            ("智能体", 2, "智能…"),
            ("a", 0, "…"),
        ] {
            assert_eq!(shorten_to(text, chars), expected, "{text:?}");
        }
        assert_eq!(shorten(&"x".repeat(80)).chars().count(), 80);
        assert_eq!(shorten(&"x".repeat(81)).chars().count(), 81);
    }
}
