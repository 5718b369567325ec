//! An order that is being given: its fields, then the question, then the answer of the desk.

use crossterm::event::{KeyCode, KeyEvent};
use provost_desk::task::{FieldKind, Seen};
use provost_kernel::Message as _;

use super::{App, Effect, Mode, Notice, Sent};
use crate::{
    input::Input,
    look::Tone,
    model::{Detail, Offer},
    words::Word,
};

/// An order that is being given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) task: String,
    pub(crate) offer: Offer,
    pub(crate) inputs: Vec<Input>,
    pub(crate) stage: Stage,
    /// What the desk or a field said against it. What was typed stays.
    pub(crate) refusal: Option<String>,
    pub(crate) seen: Seen,
    pub(crate) commit: Option<String>,
    /// Where it was started.
    back: Box<Mode>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The number of the field that is typed.
    Typing(usize),
    Confirming,
    Sending,
}

impl Draft {
    pub(super) fn new(detail: &Detail, offer: Offer, back: Box<Mode>) -> Self {
        let inputs: Vec<Input> = offer.fields.iter().map(|it| Input::of(&it.value)).collect();
        Self {
            task: detail.id.clone(),
            stage: if inputs.is_empty() { Stage::Confirming } else { Stage::Typing(0) },
            inputs,
            offer,
            refusal: None,
            seen: detail.seen,
            commit: detail.commit.clone(),
            back,
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        if let Stage::Typing(at) = self.stage {
            let is_single_line = self.offer.fields[at].kind != FieldKind::Text;
            self.inputs[at].paste(text, is_single_line);
        }
    }

    /// What the order is about.
    pub(crate) fn about(&self) -> Word {
        match (self.seen.attempt, &self.commit) {
            (0, _) => Word::AboutNone,
            (attempt, Some(commit)) => Word::About { attempt, commit: commit.clone() },
            (attempt, None) => Word::AboutAttempt { attempt },
        }
    }

    /// What is wrong with a field, as far as it can be told here; the desk decides.
    fn complaint(&self, at: usize) -> Option<Word> {
        let field = &self.offer.fields[at];
        let text = self.inputs[at].text();
        let label = || field.label.clone();
        if field.is_required && text.trim().is_empty() {
            return Some(Word::Required { label: label() });
        }
        let max = field.max_chars.filter(|max| text.chars().count() > *max)?;
        Some(Word::TooLong { label: label(), max })
    }

    fn values(&self) -> Vec<(String, String)> {
        let names = self.offer.fields.iter().map(|it| it.name.clone());
        let values = self.inputs.iter().map(|it| it.text().to_owned());
        names.zip(values).filter(|it| !it.1.trim().is_empty()).collect()
    }
}

impl App {
    pub(super) fn draft_key(&mut self, key: KeyEvent) -> Option<Effect> {
        let lang = self.lang;
        let detail = self.detail.clone();
        let Mode::Order(draft) = &mut self.mode else { return None };
        match (draft.stage, key.code) {
            (Stage::Sending, _) => {}
            (_, KeyCode::Esc) | (Stage::Confirming, KeyCode::Char('n' | 'N')) => {
                self.mode = (*draft.back).clone();
            }
            (Stage::Typing(at), KeyCode::Enter) => {
                draft.refusal = draft.complaint(at).map(|it| lang.render(&it.text()));
                if draft.refusal.is_none() {
                    let is_last = at + 1 == draft.inputs.len();
                    draft.stage = if is_last { Stage::Confirming } else { Stage::Typing(at + 1) };
                    // The question names what is shown now.
                    if let Some(detail) = detail.filter(|it| is_last && it.id == draft.task) {
                        (draft.seen, draft.commit) = (detail.seen, detail.commit);
                    }
                }
            }
            (Stage::Typing(at), KeyCode::BackTab | KeyCode::Up) => {
                draft.stage = Stage::Typing(at.saturating_sub(1));
            }
            (Stage::Typing(at), _) => {
                let is_text = draft.offer.fields[at].kind == FieldKind::Text;
                let is_newline = key.code == KeyCode::Char('j')
                    && key.modifiers.contains(crossterm::event::KeyModifiers::CONTROL);
                if is_text || !is_newline {
                    draft.inputs[at].key(key);
                }
            }
            (Stage::Confirming, KeyCode::Char('y' | 'Y')) => {
                draft.stage = Stage::Sending;
                draft.refusal = None;
                return Some(Effect::Send(Box::new(Sent {
                    task: draft.task.clone(),
                    offer: draft.offer.clone(),
                    values: draft.values(),
                    seen: draft.seen,
                })));
            }
            (Stage::Confirming, KeyCode::Backspace | KeyCode::Up | KeyCode::Left)
                if !draft.inputs.is_empty() =>
            {
                draft.stage = Stage::Typing(draft.inputs.len() - 1);
            }
            (Stage::Confirming, _) => {}
        }
        None
    }

    /// Takes the answer to an order: a refused one keeps its text.
    pub(crate) fn take_answer(&mut self, task: &str, answer: Result<String, String>) {
        match (&mut self.mode, answer) {
            (Mode::Order(draft), Ok(text)) if draft.task == task => {
                self.mode = (*draft.back).clone();
                self.notice = Some(Notice { tone: Tone::Ok, text });
            }
            (Mode::Order(draft), Err(text)) if draft.task == task && !draft.inputs.is_empty() => {
                draft.refusal = Some(text);
                draft.stage = Stage::Typing(draft.inputs.len() - 1);
            }
            // Without a text there is nothing to keep: the question is asked anew.
            (Mode::Order(draft), Err(text)) if draft.task == task => {
                self.mode = (*draft.back).clone();
                self.notice = Some(Notice { tone: Tone::Bad, text });
            }
            (_, Ok(text)) => self.notice = Some(Notice { tone: Tone::Ok, text }),
            (_, Err(text)) => self.notice = Some(Notice { tone: Tone::Bad, text }),
        }
    }
}
