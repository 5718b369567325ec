//! The standard input of a program, as far as the command line determines it.

use provost_shell::{Invocation, Redirect, RedirectKind, Script, Word};

use super::super::arguments::program;

/// What could reach an input.
#[derive(Clone, Debug, Default)]
pub(super) struct Feed {
    /// Texts that stand in the command line itself.
    pub(super) texts: Vec<String>,
    /// The programs that write into it, by their index.
    pub(super) programs: Vec<usize>,
}

/// What could reach the input of an invocation, or of the one that starts it.
pub(super) fn of(script: &Script, index: usize) -> Feed {
    let mut feed = Feed { texts: Vec::new(), programs: script.feeders(index) };
    let mut at = Some(index);
    while let Some(invocation) = at.and_then(|it| script.invocations.get(it)) {
        feed.texts.extend(given(invocation));
        at = invocation.launched_by;
    }
    for &feeder in &feed.programs {
        if let Some(feeder) = script.invocations.get(feeder) {
            feed.texts.extend(printed(feeder));
            feed.texts.extend(given(feeder));
        }
    }
    if let Some(multiplier) = script.invocations.get(index) {
        let words = multiplier.arguments().iter().map(Word::to_string);
        let listed = words.skip_while(|it| !it.starts_with(":::")).skip(1);
        feed.texts.extend(listed.filter(|it| !it.starts_with(":::")));
    }
    feed
}

/// The here-documents and here-strings of an invocation.
pub(super) fn given(invocation: &Invocation) -> impl Iterator<Item = String> + '_ {
    let is_text = |it: RedirectKind| match it {
        RedirectKind::HereDocument | RedirectKind::HereString => true,
        RedirectKind::Read
        | RedirectKind::Write
        | RedirectKind::Append
        | RedirectKind::ReadWrite
        | RedirectKind::Duplicate => false,
    };
    invocation.redirects.iter().filter(move |it| is_text(it.kind)).map(|it| it.target.to_string())
}

/// What `echo` and `printf` print; shells disagree about escapes, so there may be two readings.
pub(super) fn printed(invocation: &Invocation) -> Vec<String> {
    let words: Vec<String> = invocation.arguments().iter().map(Word::to_string).collect();
    match program(invocation).as_deref() {
        Some("echo") => {
            let is_option =
                |it: &&String| matches!(it.as_str(), "-n" | "-e" | "-E" | "-ne" | "-en");
            let text: Vec<String> = words.iter().skip_while(is_option).cloned().collect();
            let text = text.join(" ");
            if text.contains('\\') { vec![unescape(&text), text] } else { vec![text] }
        }
        Some("printf") => {
            let is_end = words.first().is_some_and(|it| it == "--");
            formatted(words.get(usize::from(is_end)..).unwrap_or_default()).into_iter().collect()
        }
        Some("yes") => words.into_iter().take(1).collect(),
        _ => Vec::new(),
    }
}

fn formatted(words: &[String]) -> Option<String> {
    let (format, values) = words.split_first()?;
    let mut text = String::new();
    let mut values = values.iter();
    let mut is_used = true;
    // The format is used again as long as there are values for it.
    while std::mem::take(&mut is_used) || values.len() > 0 {
        let before = values.len();
        let mut rest = format.as_str();
        while let Some(at) = rest.find('%') {
            text.push_str(&unescape(rest.get(..at).unwrap_or_default()));
            let (value, length) = match rest.as_bytes().get(at + 1) {
                Some(b's' | b'q') => (values.next().cloned(), 2),
                Some(b'b') => (values.next().map(|it| unescape(it)), 2),
                Some(b'%') => (Some("%".to_owned()), 2),
                Some(_) | None => (Some("%".to_owned()), 1),
            };
            text.push_str(&value.unwrap_or_default());
            rest = rest.get(at + length..).unwrap_or_default();
        }
        text.push_str(&unescape(rest));
        if values.len() == before {
            // What no directive takes is looked at all the same.
            values.by_ref().for_each(|it| {
                text.push(' ');
                text.push_str(it);
            });
        }
    }
    Some(text)
}

/// Decodes `\x72`, `\162`, `\u0072` and `\n`, as most languages and `printf` do.
pub(super) fn unescape(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        decoded.push_str(before);
        let body = escape.get(1..).unwrap_or_default();
        let (one, used) = decode(body);
        decoded.push_str(&one);
        rest = body.get(used..).unwrap_or_default();
    }
    decoded.push_str(rest);
    decoded
}

/// What an escape stands for, and how many bytes after the backslash it takes.
fn decode(body: &str) -> (String, usize) {
    let number = |skip: usize, most: usize, radix: u32| {
        let digits: String =
            body.chars().skip(skip).take(most).take_while(|it| it.is_digit(radix)).collect();
        let value = u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32);
        value.map(|it| (it.to_string(), skip + digits.len()))
    };
    let Some(first) = body.chars().next() else { return ("\\".to_owned(), 0) };
    let simple = |it: &str| (it.to_owned(), 1);
    match first {
        'n' => simple("\n"),
        't' => simple("\t"),
        'r' => simple("\r"),
        'x' => number(1, 2, 16).unwrap_or_else(|| simple("x")),
        'u' => number(1, 4, 16).unwrap_or_else(|| simple("u")),
        'U' => number(1, 8, 16).unwrap_or_else(|| simple("U")),
        '0' => number(0, 4, 8).unwrap_or_else(|| simple("")),
        '1'..='7' => number(0, 3, 8).unwrap_or_else(|| simple("")),
        other => (other.to_string(), other.len_utf8()),
    }
}

/// The texts that `xargs` takes its words from: its input, or the file that `-a` names, if the line
/// writes that file. A NUL is written `\0` where `printf` prints it.
pub(super) fn of_xargs(script: &Script, index: usize) -> Vec<String> {
    let mut texts = of(script, index).texts;
    let words = script.invocations.get(index).map_or(&[][..], Invocation::arguments);
    let named = words.iter().zip(words.iter().skip(1));
    let file = named.filter(|it| it.0.text() == Some("-a")).find_map(|it| it.1.text());
    for invocation in script.invocations.iter().filter(|_| file.is_some()) {
        let writes = |it: &Redirect| {
            matches!(it.kind, RedirectKind::Write | RedirectKind::Append)
                && it.target.text() == file
        };
        if invocation.redirects.iter().any(writes) {
            texts.extend(printed(invocation));
        }
    }
    texts.iter().map(|it| it.replace("\\0", " ").replace('\0', " ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded() {
        for (text, expected) in [
            (r"\x72\x6d -rf", "rm -rf"),
            (r"\162\155", "rm"),
            (r"\u0072m\n", "rm\n"),
            (r"a\", "a\\"),
            (r"\é", "é"),
            ("plain 文", "plain 文"),
        ] {
            assert_eq!(unescape(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_printed_is_known() {
        for (command, expected) in [
            ("echo -n rm -rf /", vec!["rm -rf /"]),
            (r"echo '\x72m'", vec!["rm", r"\x72m"]),
            ("printf '%s\\n' / x", vec!["/\nx\n"]),
            (r"printf '\x72m'", vec!["rm"]),
            (r"printf '%b%%%s' '\x72m' '\x'", vec![r"rm%\x"]),
            ("printf a b", vec!["a b"]),
            ("printf %", vec!["%"]),
            ("printf %é x", vec!["%é x"]),
            ("cat x", vec![]),
        ] {
            let script = provost_shell::parse(command);
            assert_eq!(printed(&script.invocations[0]), expected, "{command}");
        }
    }
}
