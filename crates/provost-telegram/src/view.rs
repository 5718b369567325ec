//! What the desk says, as messages: pure functions of what was read, in the language of the reader.

mod card;
mod commands;
mod list;
mod notice;
mod pages;

pub use self::notice::{ROOM, Told, notification, short_notification, weight};
pub(crate) use self::{
    card::card,
    commands::in_chat,
    list::{inbox, list},
    pages::{attempts, commands, criteria, events, help, questions, welcome},
};

use provost_kernel::{Lang, Message as _, TaskId, Text, task::State};

use crate::{
    api::{Button, Markup, Outgoing},
    callback::{Press, Verb},
    html::{self, cut},
    words::{self, Word},
};
use provost_desk::{board::ProjectRef, task::Phase};

/// Who reads, and what they may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reader {
    pub(crate) lang: Lang,
    /// Whether orders are offered.
    pub(crate) may_order: bool,
    /// What buttons lead back to.
    pub(crate) project: ProjectRef,
}

/// A message of lines, cut to what Telegram takes.
pub(crate) fn message(lines: &[String], rows: Vec<Vec<Button>>) -> Outgoing {
    let rows: Vec<Vec<Button>> = rows.into_iter().filter(|it| !it.is_empty()).collect();
    let markup = if rows.is_empty() { Markup::Nothing } else { Markup::Buttons(rows) };
    Outgoing { html: cut(&lines.join("\n"), html::LONGEST), markup }
}

impl Outgoing {
    /// The same below a text that says what went wrong.
    pub(crate) fn below(self, text: &str) -> Self {
        let html = format!("{}\n\n{}", html::bold(&html::escape(text)), self.html);
        Self { html: cut(&html, html::LONGEST), ..self }
    }
}

/// One sentence.
pub(crate) fn sentence(word: &Word, lang: Lang) -> Outgoing {
    message(&[html::escape(&word.say(lang))], Vec::new())
}

pub(crate) fn button(word: &Word, lang: Lang, press: Press) -> Button {
    Button { text: word.say(lang), data: press.to_string() }
}

/// What something of a task says, in one line. What is not one of our own texts stays letter for letter,
/// and is quoted.
fn said(text: &Text, task: &TaskId, lang: Lang, most: usize) -> String {
    let line = lang.render(text);
    if text.code().is_none() {
        return html::quoted(&html::excerpt(&line, most));
    }
    html::isolate(&html::excerpt(&in_chat(&line, Some(task)), most))
}

/// An answer that no attempt was told yet.
fn answered(answer: &str, lang: Lang, most: usize) -> String {
    let word = html::escape(&Word::AnswerWaits.say(lang));
    format!("{word}{}{}", lang.pick(": ", "："), html::quoted(&html::excerpt(answer, most)))
}

/// The symbol and the word of where a task stands.
fn standing(phase: Phase, state: State, lang: Lang) -> String {
    let reviewed = match phase {
        Phase::Approved | Phase::Landed => Some("✔"),
        Phase::Rejected | Phase::Undone => Some("✗"),
        Phase::Queued => Some("⏳"),
        Phase::Stale => Some("🟡"),
        Phase::Running
        | Phase::Paused
        | Phase::Ready
        | Phase::Landing
        | Phase::Failed
        | Phase::Untrusted => None,
    };
    if let Some(symbol) = reviewed {
        return format!("{symbol} {}", lang.render(&phase.text()).to_uppercase());
    }
    let (symbol, word) = words::state((phase != Phase::Untrusted).then_some(state));
    format!("{symbol} {}", word.say(lang))
}

pub(crate) fn verb(verb: Verb) -> Word {
    match verb {
        Verb::Answer => Word::Answer,
        Verb::Pause => Word::Pause,
        Verb::Resume => Word::Resume,
        Verb::Approve => Word::Approve,
        Verb::Reject => Word::Reject,
        Verb::Override => Word::Override,
    }
}
