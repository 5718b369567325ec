//! A command's answer: one value, which a script reads as JSON and a person as a page.

use std::fmt::Display;

use provost_kernel::{Finding, Lang, Text};
use serde::Serialize;

use crate::{
    output::{Format, Output},
    paint::{Screen, Span, Tone},
    wrap::{below, wrap},
};

/// The answer of a command. Its JSON form is its serialisation.
pub(crate) trait View: Serialize {
    /// Writes the answer for a person.
    fn page(&self, page: &mut Page<'_>);

    /// Writes what is said beside the answer in either form, to standard error.
    fn notes(&self, _page: &mut Page<'_>) {}
}

/// Where a view writes its lines, in the language of the reader.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    pub(crate) lang: Lang,
    output: &'a mut Output,
}

impl Output {
    /// Prints an answer in the form that was asked for.
    pub(crate) fn show(&mut self, view: &impl View) {
        match self.format() {
            Format::Json => self.document(view),
            Format::Text => view.page(&mut self.page()),
        }
        view.notes(&mut self.page());
    }

    /// Writes a part of an answer for a person before the rest of it is known.
    pub(crate) fn begin(&mut self, write: impl FnOnce(&mut Page<'_>)) {
        match self.format() {
            Format::Json => {}
            Format::Text => write(&mut self.page()),
        }
    }

    /// A page for lines that are not an answer of their own.
    pub(crate) fn page(&mut self) -> Page<'_> {
        Page { lang: self.lang, output: self }
    }
}

impl Page<'_> {
    /// Writes one line of somebody else's text, whatever the screen is.
    pub(crate) fn exact(&mut self, text: &str) {
        self.exact_as(Tone::Plain, text);
    }

    /// The same, with a meaning.
    pub(crate) fn exact_as(&mut self, tone: Tone, text: &str) {
        self.output.tabbed_line(tone, text);
    }

    /// Writes one line; on a narrow screen, several.
    pub(crate) fn line(&mut self, text: &str) {
        self.spans(&[Tone::Plain.of(text)]);
    }

    /// Writes one line whose parts have a meaning; on a narrow screen, several.
    pub(crate) fn spans(&mut self, spans: &[Span]) {
        self.indented(spans, below(spans));
    }

    /// The same, with the column in which further lines begin.
    pub(crate) fn indented(&mut self, spans: &[Span], indent: usize) {
        match self.screen().width {
            Some(width) => {
                for line in wrap(spans, width, indent) {
                    self.output.spans(&line);
                }
            }
            None => self.output.spans(spans),
        }
    }

    /// What the reader can see.
    pub(crate) fn screen(&self) -> Screen {
        self.output.screen()
    }

    /// Writes one line in the language of the reader.
    pub(crate) fn write<T: AsRef<str>>(&mut self, en: T, zh: T) {
        self.line(self.lang.pick(en, zh).as_ref());
    }

    /// Writes a message on a line of its own.
    pub(crate) fn text(&mut self, text: &Text) {
        self.line(&self.lang.render(text));
    }

    /// A label and its value: `label: value`.
    pub(crate) fn labelled(&self, label: impl Display, value: impl Display) -> String {
        self.lang.pick(format!("{label}: {value}"), format!("{label}：{value}"))
    }

    /// Writes a labelled line: `label: value`.
    pub(crate) fn row(&mut self, en: &str, zh: &str, value: impl AsRef<str>) {
        self.line(&self.labelled(self.lang.pick(en, zh), value.as_ref()));
    }

    /// Writes a labelled line below another one.
    pub(crate) fn item(&mut self, en: &str, zh: &str, value: impl AsRef<str>) {
        self.line(&format!("  {}", self.labelled(self.lang.pick(en, zh), value.as_ref())));
    }

    /// Writes a finding with its subject, and below it what to do about it.
    pub(crate) fn finding(&mut self, finding: &Finding) {
        let Finding { rule, severity, subject, message, hint } = finding;
        let message = self.lang.render(message);
        let about = match subject.as_str() {
            "" => message,
            subject => {
                self.lang.pick(format!("{message} ({subject})"), format!("{message}（{subject}）"))
            }
        };
        self.line(&format!("  {severity:?} {}", self.labelled(rule, about)));
        if let Some(hint) = hint {
            self.line(&format!("    {}", self.lang.render(hint)));
        }
    }

    /// Tells the person something beside the answer.
    pub(crate) fn message<T: AsRef<str>>(&mut self, en: T, zh: T) {
        self.output.message(self.lang.pick(en, zh).as_ref());
    }

    /// Warns the person beside the answer.
    pub(crate) fn warning(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        self.message(format!("warning: {text}"), format!("警告：{text}"));
    }

    /// Advises the person beside the answer.
    pub(crate) fn hint(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        self.message(format!("hint: {text}"), format!("提示：{text}"));
    }
}
