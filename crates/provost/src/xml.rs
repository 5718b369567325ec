//! Text in XML and HTML.

/// Escapes a text for XML and HTML. Control characters, which XML cannot hold, become spaces.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            it if it.is_control() || matches!(it, '\u{fffe}' | '\u{ffff}') => safe.push(' '),
            it => safe.push(it),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_a_text() {
        assert_eq!(escape("a\u{0}b\u{1b}"), "a b ");
        assert_eq!(
            escape("<a href='x' & \"y\">"),
            "&lt;a href=&#39;x&#39; &amp; &quot;y&quot;&gt;"
        );
    }
}
