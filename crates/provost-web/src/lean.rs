//! The page's sources as they are sent: without the comments that stand on lines of their own, and
//! without indentation.
//!
//! Comments are a sixth of what a browser would have to load. The lines stay, so that a place in a
//! source is the same here and there.

/// The text without whole-line comments, `// …` and `/* … */` over one line or several, and without
/// what stands before the first letter of a line.
pub(crate) fn lean(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut is_inside = false;
    for line in source.lines() {
        let text = line.trim();
        let begins = !is_inside && text.starts_with("/*");
        let ends = text.ends_with("*/");
        // What follows a comment on its line is code.
        let is_comment = is_inside
            || text.starts_with("//")
            || (begins && (ends || !text.contains("*/")) && text.matches("/*").count() == 1);
        if is_comment {
            is_inside = (is_inside || begins) && !ends;
        } else {
            out.push_str(line.trim_start());
        }
        out.push('\n');
    }
    out
}

/// A style sheet as it is sent: also without the blanks and line ends beside its punctuation, and without
/// the semicolon behind the last declaration of a rule.
pub(crate) fn lean_style(source: &str) -> String {
    let text = lean(source);
    let mut out = String::with_capacity(text.len());
    let mut is_string = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        is_string ^= letter == '"';
        let is_blank = matches!(letter, ' ' | '\n') && !is_string;
        let follows = out.is_empty() || out.ends_with(['{', '}', ';', ':', ',', '>', ' ', '\n']);
        let leads = matches!(letters.peek(), Some('{' | '}' | '>') | None);
        if is_blank && (follows || leads) {
            continue;
        }
        if letter == '}' && !is_string && out.ends_with(';') {
            out.pop();
        }
        out.push(letter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{lean, lean_style};

    #[test]
    fn a_style_keeps_its_strings_and_its_selectors() {
        for (source, expected) in [
            ("a :hover, b { c: d; e: f }\n", "a :hover,b{c:d;e:f}"),
            ("a::before { content: \"; }\"; }\n", "a::before{content:\"; }\"}"),
            ("/* x */\n\na,\nb\nc { d: e;\n f: g }\n", "a,b\nc{d:e;f:g}"),
            (
                "@media (max-width: 9px) {\n  a > b { c: calc(1px + 2px); }\n}\n",
                "@media (max-width:9px){a>b{c:calc(1px + 2px)}}",
            ),
        ] {
            assert_eq!(lean_style(source), expected, "{source}");
        }
    }

    #[test]
    fn comments_on_lines_of_their_own_are_left_out() {
        for (source, expected) in [
            ("// one\nlet a = 1; // two\n", "\nlet a = 1; // two\n"),
            ("/** one\n * two\n */\n  f();\n", "\n\n\nf();\n"),
            ("/** one */\ng('//');\n", "\ng('//');\n"),
            ("/* a */ .b { c: d }\n", "/* a */ .b { c: d }\n"),
            ("a\n\n  /* b */\nc", "a\n\n\nc\n"),
        ] {
            assert_eq!(lean(source), expected, "{source}");
        }
    }
}
