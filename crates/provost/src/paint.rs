//! Colours with a meaning: what is well, what needs a look, what failed, what runs.
//!
//! A text says the same without them. A pipe, `NO_COLOR` and a dumb terminal get no escape at all.

use std::io::IsTerminal;

use clap::builder::styling::{AnsiColor, Style};
use rustix::{fd::AsFd, termios::tcgetwinsize};

use crate::{environment::Environment, output::plain};

/// What a part of a line means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Verified, ready.
    Ok,
    /// Paused, or with gaps.
    Warn,
    /// Failed, or not to be trusted.
    Bad,
    /// At work.
    Run,
    /// Times, costs, labels.
    Dim,
    /// Ids and commands.
    Bold,
    Plain,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) tone: Tone,
    pub(crate) text: String,
}

/// What the reader of a stream can see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Screen {
    pub(crate) has_colours: bool,
    /// How many columns fit; none where nothing has to.
    pub(crate) width: Option<usize>,
}

impl Tone {
    /// A part of a line that means this.
    pub(crate) fn of(self, text: impl Into<String>) -> Span {
        Span { tone: self, text: text.into() }
    }

    fn style(self) -> Style {
        let colour = |it: AnsiColor| Style::new().fg_color(Some(it.into()));
        match self {
            Self::Ok => colour(AnsiColor::Green),
            Self::Warn => colour(AnsiColor::Yellow),
            Self::Bad => colour(AnsiColor::Red),
            Self::Run => colour(AnsiColor::Cyan),
            Self::Dim => Style::new().dimmed(),
            Self::Bold => Style::new().bold(),
            Self::Plain => Style::new(),
        }
    }
}

impl Screen {
    /// What can be seen on this stream.
    pub(crate) fn of(stream: &(impl IsTerminal + AsFd), environment: &Environment) -> Self {
        if !stream.is_terminal() {
            return Self::default();
        }
        let width = tcgetwinsize(stream).ok().map(|it| usize::from(it.ws_col));
        Self { has_colours: is_wanted(environment), width: width.filter(|it| *it > 0) }
    }

    /// A line with its colours. Control characters in a part of it are shown, never sent.
    pub(crate) fn line(self, spans: &[Span]) -> String {
        spans.iter().map(|it| self.span(it)).collect()
    }

    fn span(self, span: &Span) -> String {
        let text = plain(&span.text);
        if !self.has_colours || span.tone == Tone::Plain || text.trim().is_empty() {
            return text.into_owned();
        }
        let style = span.tone.style();
        format!("{style}{text}{style:#}")
    }
}

/// Whether a terminal gets colours: `NO_COLOR` is not set, and `TERM` names one that has them.
fn is_wanted(environment: &Environment) -> bool {
    let is_refused = matches!(environment.text("NO_COLOR"), Ok(Some(_)) | Err(_));
    let terminal = environment.text("TERM").ok().flatten();
    !is_refused && terminal.is_some_and(|it| it != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_come_only_where_they_are_wanted() {
        for (variables, expected) in [
            (&[("TERM", "xterm")][..], true),
            (&[], false),
            (&[("TERM", "dumb")], false),
            (&[("TERM", "xterm"), ("NO_COLOR", "1")], false),
            (&[("TERM", "xterm"), ("NO_COLOR", "")], true),
        ] {
            assert_eq!(is_wanted(&Environment::of(variables)), expected, "{variables:?}");
        }
    }

    #[test]
    fn an_escape_of_somebody_else_is_shown_and_never_sent() {
        let spans = [Tone::Ok.of("fine"), Tone::Plain.of(" "), Tone::Bad.of("a\u{1b}[2J")];
        let plain = Screen::default().line(&spans);
        assert_eq!(plain, "fine a\\u{1b}[2J");
        let screen = Screen { has_colours: true, width: None };
        assert_eq!(screen.line(&spans), "\u{1b}[32mfine\u{1b}[0m \u{1b}[31ma\\u{1b}[2J\u{1b}[0m");
    }
}
