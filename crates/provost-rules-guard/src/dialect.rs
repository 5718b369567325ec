//! How each client must be told (HOOK-1.4, HOOK-1.5).
//!
//! A client obeys its own form and runs the tool on any other. What is written here was observed:
//! `continue: false` does not stop a tool on Claude Code or Codex, exit code 1 stops nothing
//! anywhere, Gemini CLI ignores the form of Claude Code, and Codex ignores a reply with one key
//! that it does not know.

mod claude;
mod cursor;
mod gemini;
mod plain;
#[cfg(test)]
mod tests;

use provost_kernel::guard::{Client, HookAnswer, HookType, client::Dialect};
use serde_json::Value;

use super::answer::presentable;

/// Who is answered, and about what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker<'a> {
    pub client: Client,
    pub hook: HookType,
    /// The client's name of the event, if it gave one.
    pub event: Option<&'a str>,
}

/// What the process writes and how it exits. The exit code is 0 or 2, never another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub stdout: String,
    pub stderr: String,
    pub exit: u8,
    pub effect: Effect,
}

/// What the client does with a reply, for the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It goes on.
    Passed,
    /// It does not do the thing.
    Refused,
    /// It asks a person.
    Asked,
    /// It was to be refused, and this client cannot be stopped here.
    Unblockable,
}

/// Puts an answer into the words of the client.
pub fn reply(asker: Asker<'_>, answer: &HookAnswer<String>) -> Reply {
    let answer = match answer {
        HookAnswer::Nothing | HookAnswer::Allow => Answer::Go,
        HookAnswer::Deny { reason } => Answer::Deny(presentable(reason)),
        HookAnswer::Ask { reason } => Answer::Ask(presentable(reason)),
        HookAnswer::Note { text } => Answer::Note(presentable(text)),
    };
    match asker.client.entry().dialect {
        Dialect::Claude => claude::reply(claude::Reader::Lenient, asker, answer),
        Dialect::Codex => claude::reply(claude::Reader::Strict, asker, answer),
        Dialect::Gemini => gemini::reply(asker, answer),
        Dialect::Cursor => cursor::reply(asker, answer),
        Dialect::Plain => plain::reply(asker.hook, answer),
    }
}

/// The reply to an unknown client or event: this stops a tool on every client.
pub fn reply_to_unknown(reason: &str) -> Reply {
    Reply::silent(Effect::Refused).with_exit_2(&presentable(reason))
}

/// The reply to an event that no hook type is about.
pub fn reply_to_no_type() -> Reply {
    Reply::silent(Effect::Passed)
}

/// An answer whose texts are fit to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Go,
    Deny(String),
    Ask(String),
    Note(String),
}

impl Reply {
    /// Nothing on either stream.
    fn silent(effect: Effect) -> Self {
        Self { stdout: String::new(), stderr: String::new(), exit: 0, effect }
    }

    /// One JSON document, and nothing before it.
    fn saying(document: &Value, effect: Effect) -> Self {
        Self { stdout: format!("{document}\n"), ..Self::silent(effect) }
    }

    /// The second way to say no, which survives a standard output that is cut off.
    fn with_exit_2(self, reason: &str) -> Self {
        Self { exit: 2, ..self.with_stderr(reason) }
    }

    fn with_stderr(self, reason: &str) -> Self {
        Self { stderr: format!("{reason}\n"), ..self }
    }
}
