//! What the desk says, as messages: pure functions of what was read, in the language of the reader.

mod card;
mod list;
mod pages;

pub(crate) use self::{
    card::card,
    list::{inbox, list},
    pages::{attempts, commands, criteria, events, help, questions, welcome},
};

use provost_kernel::{Lang, Text, task::State};

use crate::{
    api::{Button, Markup, Outgoing},
    callback::{Press, Verb},
    html::{self, cut},
    words::{self, Word},
};
use provost_desk::task::Phase;

/// Who reads, and what they may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reader {
    pub(crate) lang: Lang,
    /// Whether orders are offered.
    pub(crate) may_order: bool,
}

/// A message of lines, cut to what Telegram takes.
pub(crate) fn message(lines: &[String], rows: Vec<Vec<Button>>) -> Outgoing {
    let rows: Vec<Vec<Button>> = rows.into_iter().filter(|it| !it.is_empty()).collect();
    let markup = if rows.is_empty() { Markup::Nothing } else { Markup::Buttons(rows) };
    Outgoing { html: cut(&lines.join("\n"), html::LONGEST), markup }
}

/// One sentence.
pub(crate) fn sentence(word: &Word, lang: Lang) -> Outgoing {
    message(&[html::escape(&word.say(lang))], Vec::new())
}

pub(crate) fn button(word: &Word, lang: Lang, press: Press) -> Button {
    Button { text: word.say(lang), data: press.to_string() }
}

/// What something of a task says, in one line, as text.
fn said(text: &Text, lang: Lang, most: usize) -> String {
    html::isolate(&html::excerpt(&lang.render(text), most))
}

/// The symbol and the word of where a task stands.
fn standing(phase: Phase, state: State, lang: Lang) -> String {
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
