//! Text of agents and people, made safe to draw.
//!
//! Escape sequences, control characters and marks that turn the direction of writing are removed.
//! Nothing visible is lost with them: a sequence without an end loses its introducer only, and a
//! carriage return starts a new line instead of writing over the old one.

/// How many characters without a width may follow one that has one.
const MARKS: usize = 4;
const TAB: &str = "    ";

/// The text on one line.
pub(crate) fn clean(text: &str) -> String {
    let lines = clean_lines(text);
    let lines: Vec<&str> = lines.iter().map(|it| it.trim_end()).collect();
    lines.join(" ").trim().to_owned()
}

/// The lines of a text.
pub(crate) fn clean_lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n");
    let mut lines: Vec<String> =
        text.split(['\n', '\r', '\u{2028}', '\u{2029}']).map(line).collect();
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

fn line(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let (mut shown, mut at, mut marks) = (String::with_capacity(text.len()), 0, 0);
    while let Some(letter) = letters.get(at) {
        if let Some(length) = sequence(&letters[at..]) {
            at += length;
            continue;
        }
        at += 1;
        if *letter == '\t' {
            shown.push_str(TAB);
            continue;
        }
        let width = unicode_width::UnicodeWidthChar::width(*letter);
        marks = if width == Some(0) { marks + 1 } else { 0 };
        if !is_hidden(*letter) && marks <= MARKS {
            shown.push(*letter);
        }
    }
    shown
}

/// The length of the escape sequence that a text starts with.
fn sequence(letters: &[char]) -> Option<usize> {
    let (kind, start) = match letters {
        ['\u{1b}', kind, ..] => (*kind, 2),
        ['\u{9b}', ..] => ('[', 1),
        ['\u{9d}', ..] => (']', 1),
        ['\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}', ..] => ('P', 1),
        _ => return None,
    };
    let rest = &letters[start..];
    Some(match kind {
        '[' => {
            let body = rest.iter().take_while(|it| matches!(it, ' '..='?')).count();
            let is_ended = rest.get(body).is_some_and(|it| matches!(it, '@'..='~'));
            if is_ended { start + body + 1 } else { start }
        }
        ']' | 'P' | 'X' | '^' | '_' => start + string_end(rest).unwrap_or(0),
        ' '..='/' => {
            let body = rest.iter().take_while(|it| matches!(it, ' '..='/')).count();
            start + body + usize::from(rest.get(body).is_some())
        }
        _ => start,
    })
}

/// The length of the string of a control sequence with its terminator, if it has one.
fn string_end(letters: &[char]) -> Option<usize> {
    letters.iter().enumerate().find_map(|(at, letter)| match letter {
        '\u{7}' | '\u{9c}' => Some(at + 1),
        '\u{1b}' if letters.get(at + 1) == Some(&'\\') => Some(at + 2),
        _ => None,
    })
}

fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_move_the_cursor_is_gone_and_the_rest_stays() {
        for (text, expected) in [
            ("plain", "plain"),
            ("任务 é 😀", "任务 é 😀"),
            ("a\u{1b}[2Jb\u{1b}[31;1mc\u{1b}[0m", "abc"),
            ("a\u{1b}]0;title\u{7}b\u{1b}]8;;http://x\u{1b}\\c", "abc"),
            ("\u{1b}Pq data\u{1b}\\x\u{90}y\u{9c}z", "xz"),
            ("\u{9b}31mred", "red"),
            // Without an end, only the introducer goes: nothing may hide the rest of a line.
            ("a\u{1b}]0;rm -rf /", "a0;rm -rf /"),
            ("a\u{1b}[31", "a31"),
            ("a\u{1b}(Bb\u{1b}c\u{1b}", "ab"),
            ("\u{202e}gnp.exe\u{2066}\u{feff}\u{200b}", "gnp.exe"),
            ("a\0\u{8}\u{7f}b", "ab"),
            ("one\ntwo\r\nthree\rfour\tfive", "one two three four    five"),
            ("z\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}", "z\u{301}\u{301}\u{301}\u{301}"),
        ] {
            assert_eq!(clean(text), expected, "{text:?}");
        }
        assert_eq!(clean_lines("a\nb\n\nc\n"), ["a", "b", "", "c"]);
        assert!(clean_lines("").is_empty());
    }
}
