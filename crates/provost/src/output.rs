//! The only place that prints: data to standard output, messages to standard error.
//!
//! What an agent named, such as a file, is shown without its control characters, so that a name
//! cannot forge a line or move the cursor. A reader that went away is not an error: the command
//! goes on to its exit code, which says what it would have said.

use std::{
    borrow::Cow,
    ffi::OsStr,
    io::{self, Write},
};

use provost_kernel::{Lang, Message, message::Phrase, shorten_to};
use serde::Serialize;

use crate::{
    cli::Flags,
    environment::Environment,
    paint::{Screen, Span, Tone},
};

/// How many characters of one line of an error are shown: more than the longest sensible path.
const SHOWN: usize = 1000;

/// Where a command puts what it has to say.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) lang: Lang,
    format: Format,
    messages: Messages,
    stdout: Stream,
    stderr: io::Stderr,
    /// What the readers of both streams can see.
    screens: Screens,
}

#[derive(Clone, Copy, Debug, Default)]
struct Screens {
    stdout: Screen,
    stderr: Screen,
}

/// What standard output carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Messages {
    All,
    ErrorsOnly,
}

#[derive(Debug)]
enum Stream {
    Open,
    /// The reader went away.
    Closed,
    Failed(io::Error),
}

/// Standard output did not take the data.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "output", en = "cannot write to standard output", zh = "无法写入标准输出")]
pub(crate) struct OutputError(#[source] io::Error);

impl Output {
    /// Text, with all messages.
    pub(crate) fn new(lang: Lang) -> Self {
        Self {
            lang,
            format: Format::Text,
            messages: Messages::All,
            stdout: Stream::Open,
            stderr: io::stderr(),
            screens: Screens::default(),
        }
    }

    /// The same, for readers who may sit at a terminal.
    pub(crate) fn on_screens(mut self, environment: &Environment) -> Self {
        self.screens = Screens {
            stdout: Screen::of(&io::stdout(), environment),
            stderr: Screen::of(&io::stderr(), environment),
        };
        self
    }

    /// What the reader of the data can see.
    pub(crate) fn screen(&self) -> Screen {
        self.screens.stdout
    }

    /// Prints one line of data, with its colours.
    pub(crate) fn spans(&mut self, spans: &[Span]) {
        let line = self.screens.stdout.line(spans);
        self.write(format!("{line}\n").as_bytes());
    }

    /// Takes over what the flags say.
    pub(crate) fn configure(&mut self, flags: &Flags) {
        self.ask(flags.lang, flags.json);
        self.messages = if flags.quiet { Messages::ErrorsOnly } else { Messages::All };
    }

    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Takes over what can be told when the flags as a whole cannot be read.
    pub(crate) fn ask(&mut self, lang: Option<Lang>, json: bool) {
        self.lang = lang.unwrap_or(self.lang);
        self.format = if json { Format::Json } else { Format::Text };
    }

    /// Prints one line of data.
    pub(crate) fn line(&mut self, text: &str) {
        self.write(format!("{}\n", plain(text)).as_bytes());
    }

    /// Prints one line whose tabs stay: a patch is to be applied, and tabs only move forwards.
    pub(crate) fn tabbed_line(&mut self, tone: Tone, text: &str) {
        let screen = self.screen();
        let parts: Vec<String> = text.split('\t').map(|it| screen.line(&[tone.of(it)])).collect();
        self.write(format!("{}\n", parts.join("\t")).as_bytes());
    }

    /// Prints one JSON object on a line of its own.
    pub(crate) fn record(&mut self, value: &impl Serialize) {
        match serde_json::to_string(value) {
            Ok(text) => self.write(format!("{}\n", plain_json(&text)).as_bytes()),
            Err(error) => self.stdout = Stream::Failed(error.into()),
        }
    }

    /// Prints data that provost made itself, as it is.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.write(bytes);
    }

    /// Prints one JSON document.
    pub(crate) fn document(&mut self, value: &impl Serialize) {
        let localized = || {
            let mut value = serde_json::to_value(value)?;
            self.lang.localize(&mut value);
            serde_json::to_string_pretty(&value)
        };
        let encoded = match self.lang {
            // English stands in most answers as it is, in the order of the fields.
            Lang::En => serde_json::to_string_pretty(value)
                .and_then(|text| if text.contains(Phrase::MARK) { localized() } else { Ok(text) }),
            Lang::Zh => localized(),
        };
        match encoded {
            Ok(text) => self.write(format!("{}\n", plain_json(&text)).as_bytes()),
            Err(error) => self.stdout = Stream::Failed(error.into()),
        }
    }

    /// Tells the person something that is neither data nor an error.
    pub(crate) fn message(&mut self, text: &str) {
        match self.messages {
            Messages::All => self.complain(text),
            Messages::ErrorsOnly => {}
        }
    }

    /// Prints one line of an error, cut to a length that people read.
    pub(crate) fn complain(&mut self, text: &str) {
        // A caller that closed standard error does not want to read it, and there is nowhere to say
        // so.
        let _ = writeln!(self.stderr, "{}", shorten(&plain(text)));
    }

    /// Prints one line of an error behind its label, cut to a length that people read.
    pub(crate) fn complain_labelled(&mut self, label: Span, text: &str) {
        let label = self.screens.stderr.line(&[label]);
        let _ = writeln!(self.stderr, "{label}{}", shorten(&plain(text)));
    }

    /// Says whether everything that was printed arrived, or was not wanted.
    pub(crate) fn finish(mut self) -> Result<(), OutputError> {
        if let Stream::Open = self.stdout
            && let Err(error) = io::stdout().flush()
        {
            self.stdout = Stream::after(error);
        }
        match std::mem::replace(&mut self.stdout, Stream::Closed) {
            Stream::Open | Stream::Closed => Ok(()),
            Stream::Failed(error) => {
                let error = OutputError(error);
                self.format = Format::Text;
                crate::report::print(&mut self, &error);
                Err(error)
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Stream::Open = self.stdout
            && let Err(error) = io::stdout().write_all(bytes)
        {
            self.stdout = Stream::after(error);
        }
    }
}

impl Stream {
    fn after(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::Closed } else { Self::Failed(error) }
    }
}

/// The text on one line, with what would move the cursor or turn the direction of writing shown
/// as an escape.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for found in text.chars() {
        if is_unsafe(found) {
            shown.extend(found.escape_default());
        } else {
            shown.push(found);
        }
    }
    Cow::Owned(shown)
}

/// A JSON document in which the same is escaped, as JSON does: it reads as before, and a terminal
/// obeys none of it. Only its texts can have such a character, besides the newlines between them.
fn plain_json(document: &str) -> Cow<'_, str> {
    use std::fmt::Write as _;

    let is_unsafe = |it: char| it != '\n' && is_unsafe(it);
    if !document.contains(is_unsafe) {
        return Cow::Borrowed(document);
    }
    let mut shown = String::with_capacity(document.len() + 16);
    for found in document.chars() {
        if is_unsafe(found) {
            // All of them are in the first plane.
            let _ = write!(shown, "\\u{:04x}", u32::from(found));
        } else {
            shown.push(found);
        }
    }
    Cow::Owned(shown)
}

/// Shortens a foreign text to what a page may have.
pub(crate) fn shorten(text: &str) -> String {
    shorten_to(text, SHOWN)
}

/// The text of an argument, a name or a value, with `\xNN` where it is not UTF-8.
pub(crate) fn escaped(text: &OsStr) -> String {
    let mut shown = String::new();
    for chunk in text.as_encoded_bytes().utf8_chunks() {
        shown += chunk.valid();
        shown.extend(chunk.invalid().iter().flat_map(|it| it.escape_ascii()).map(char::from));
    }
    shown
}

fn is_unsafe(found: char) -> bool {
    found.is_control()
        || matches!(found, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_forge_a_line_or_move_the_cursor() {
        for (text, expected) in [
            ("src/main.rs", "src/main.rs"),
            ("任务 é 😀", "任务 é 😀"),
            ("a\nerror: b", "a\\nerror: b"),
            ("\u{1b}[2Jx\r", "\\u{1b}[2Jx\\r"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\u{202e}sr.niam", "a\\u{202e}sr.niam"),
            ("a\0", "a\\u{0}"),
        ] {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_document_reads_the_same_and_moves_no_cursor() {
        let text = "a\u{9b}31m \u{202e}b\u{2066}\r\u{1b}[2J 任务\u{7f}";
        for document in [
            serde_json::to_string(&text).unwrap(),
            serde_json::to_string_pretty(&serde_json::json!({ text: [text] })).unwrap(),
        ] {
            let shown = plain_json(&document);
            assert!(!shown.contains(|it| it != '\n' && is_unsafe(it)), "{shown}");
            let value = |it: &str| serde_json::from_str::<serde_json::Value>(it).unwrap();
            assert_eq!(value(&shown), value(&document));
        }
    }
}
