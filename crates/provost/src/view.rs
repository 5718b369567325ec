//! A command's answer: one value, which a script reads as JSON and a person as a page.

use provost_kernel::{Finding, Lang, Text};
use serde::Serialize;

use crate::output::{Format, Output};

/// The answer of a command. Its JSON form is its serialisation.
pub(crate) trait View: Serialize {
    /// Writes the answer for a person.
    fn page(&self, page: &mut Page<'_>);
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
    }

    /// A page for lines that are not an answer of their own.
    pub(crate) fn page(&mut self) -> Page<'_> {
        Page { lang: self.lang, output: self }
    }
}

impl Page<'_> {
    /// Writes one line as it is.
    pub(crate) fn line(&mut self, text: &str) {
        self.output.line(text);
    }

    /// Writes a message on a line of its own.
    pub(crate) fn text(&mut self, text: &Text) {
        self.line(&self.lang.render(text));
    }

    /// Writes a labelled line: `label: value`.
    pub(crate) fn row(&mut self, en: &str, zh: &str, value: impl AsRef<str>) {
        let value = value.as_ref();
        self.line(&self.lang.pick(format!("{en}: {value}"), format!("{zh}：{value}")));
    }

    /// Writes a labelled line below another one.
    pub(crate) fn item(&mut self, en: &str, zh: &str, value: impl AsRef<str>) {
        let value = value.as_ref();
        self.line(&self.lang.pick(format!("  {en}: {value}"), format!("  {zh}：{value}")));
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
        self.line(&format!("  {severity:?} {rule}: {about}"));
        if let Some(hint) = hint {
            self.line(&format!("    {}", self.lang.render(hint)));
        }
    }

    /// Tells the person something beside the answer.
    pub(crate) fn message(&mut self, en: &str, zh: &str) {
        self.output.message(self.lang.pick(en, zh));
    }
}
