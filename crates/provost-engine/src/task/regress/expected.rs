//! What must be true after a scene.

use std::fmt;

use provost_kernel::{
    Exit,
    task::{EventKind, PauseCode, Row, Standing, State, VerdictDecision},
};

use super::scene::Seen;

/// One thing that must be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    State(State),
    /// Paused, with this code and at least one question.
    Paused(PauseCode),
    Decision(VerdictDecision),
    /// The row that decided the newest attempt.
    Row(Row),
    /// How many attempts counted.
    Consumed(u16),
    /// How many attempts there were.
    Attempts(usize),
    /// A question that a person is asked holds this.
    Asked(&'static str),
    /// There are so many events of this kind.
    Events(EventKind, usize),
    /// What the last command would exit with.
    Exit(Exit),
    /// What a second coordinator would have exited with meanwhile.
    Second(Exit),
    /// The last act did not touch the status.
    Unchanged,
    /// The prompt of this attempt holds this.
    InPrompt(usize, &'static str),
    /// The prompt of this attempt does not hold this.
    NotInPrompt(usize, &'static str),
    /// How something stands that was checked in the newest attempt.
    Checked(&'static str, Standing),
    /// The look over the home finds nothing.
    Sound,
    /// The look over the home finds something.
    Unsound,
}

impl Expected {
    pub(super) fn holds(&self, seen: &Seen) -> bool {
        let status = seen.status.as_ref();
        let prompt = |number: usize| seen.prompts.get(number - 1);
        match *self {
            Self::State(state) => status.is_some_and(|it| it.state == state),
            Self::Paused(code) => status.is_some_and(|it| {
                it.state == State::Paused
                    && it.pause_reason_code == Some(code)
                    && !it.questions_for_user.is_empty()
            }),
            Self::Decision(decision) => status.is_some_and(|it| it.last_decision == Some(decision)),
            Self::Row(row) => seen.row() == Some(row),
            Self::Consumed(count) => status.is_some_and(|it| it.attempts_consumed == count),
            Self::Attempts(count) => seen.decisions.len() == count,
            Self::Asked(text) => {
                status.is_some_and(|it| it.questions_for_user.iter().any(|it| it.contains(text)))
            }
            Self::Events(kind, count) => seen.count(kind) == count,
            Self::Exit(exit) => seen.exit == Some(exit),
            Self::Second(exit) => seen.second == Some(exit),
            Self::Unchanged => seen.is_unchanged,
            Self::InPrompt(number, text) => prompt(number).is_some_and(|it| it.contains(text)),
            Self::NotInPrompt(number, text) => prompt(number).is_some_and(|it| !it.contains(text)),
            Self::Checked(name, standing) => seen.standing(name) == Some(standing),
            Self::Sound => seen.findings.is_empty(),
            Self::Unsound => !seen.findings.is_empty(),
        }
    }

    /// What there is instead.
    pub(super) fn found(&self, seen: &Seen) -> String {
        let status = seen.status.as_ref();
        match *self {
            Self::State(_) | Self::Paused(_) => seen.summary(),
            Self::Decision(_) => {
                format!("last_decision {:?}", status.and_then(|it| it.last_decision))
            }
            Self::Row(_) => format!("row {:?}", seen.row()),
            Self::Consumed(_) => format!("consumed {:?}", status.map(|it| it.attempts_consumed)),
            Self::Attempts(_) => format!("attempts {}", seen.decisions.len()),
            Self::Asked(_) => {
                format!("asked {:?}", status.map(|it| it.questions_for_user.clone()))
            }
            Self::Events(kind, _) => format!("{kind} {} times", seen.count(kind)),
            Self::Exit(_) => format!("exit {:?} {:?}", seen.exit, seen.error),
            Self::Second(_) => format!("second {:?}", seen.second),
            Self::Unchanged => "the status changed".to_owned(),
            Self::InPrompt(number, _) => format!("prompt {number} without it"),
            Self::NotInPrompt(number, _) => format!("prompt {number} with it"),
            Self::Checked(name, _) => format!("{name} {:?}", seen.standing(name)),
            Self::Sound => format!("selfcheck {:?}", seen.findings),
            Self::Unsound => "selfcheck finds nothing".to_owned(),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::State(state) => write!(f, "{state}"),
            Self::Paused(code) => write!(f, "PAUSED {code}"),
            Self::Decision(decision) => write!(f, "last_decision {decision}"),
            Self::Row(row) => write!(f, "row {row}"),
            Self::Consumed(count) => write!(f, "consumed {count}"),
            Self::Attempts(count) => write!(f, "attempts {count}"),
            Self::Asked(text) => write!(f, "asked \"{text}\""),
            Self::Events(kind, count) => write!(f, "{kind} {count} times"),
            Self::Exit(exit) => write!(f, "exit {}", exit.code()),
            Self::Second(exit) => write!(f, "second coordinator exit {}", exit.code()),
            Self::Unchanged => write!(f, "status unchanged"),
            Self::InPrompt(number, text) => write!(f, "prompt {number} with \"{text}\""),
            Self::NotInPrompt(number, text) => write!(f, "prompt {number} without \"{text}\""),
            Self::Checked(name, standing) => write!(f, "{name} {standing}"),
            Self::Sound => write!(f, "selfcheck green"),
            Self::Unsound => write!(f, "selfcheck red"),
        }
    }
}
