//! The words of notifications: what a person is told, and what the outbox records of it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Digest, Millis, TaskId, Text, Timestamp,
    task::{Creation, PauseCode, State, VerdictDecision},
    words::words,
};

words! {
    /// What a person is told about.
    pub enum NoticeKind {
        /// A result waits for its review.
        Ready = "ready",
        Failed = "failed",
        /// A task waits for a person.
        Paused = "paused",
        /// Four fifths of a task's budget are spent.
        Budget = "budget",
        /// The guard could not judge a tool call and refused it.
        Guard = "guard",
        /// A message that only shows that a channel works.
        Test = "test",
    }
}

/// The identity of one change: the same change never makes a second notice.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Fingerprint(String);

/// What a [`Fingerprint`] is made of.
#[derive(Clone, Copy, Debug)]
pub struct FingerprintParts<'a> {
    pub task_id: &'a str,
    pub state: &'a str,
    pub pause_reason_code: &'a str,
    pub last_decision: &'a str,
    pub attempt: u16,
    pub state_version: u64,
}

impl Fingerprint {
    /// The first 16 hexadecimal digits of the sha256 of the parts, joined by `|`.
    pub fn of(parts: FingerprintParts<'_>) -> Self {
        let FingerprintParts {
            task_id,
            state,
            pause_reason_code,
            last_decision,
            attempt,
            state_version,
        } = parts;
        let joined = format!(
            "{task_id}|{state}|{pause_reason_code}|{last_decision}|{attempt}|{state_version}"
        );
        let digest = Digest::of_bytes(joined.as_bytes()).to_string();
        Self(digest.chars().take(16).collect())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What one notice is known by: the change, and of which creation of its task. Another task may have come
/// to have the id, and to the same state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NoticeId(String);

impl NoticeId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One thing that a person is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    pub fingerprint: Fingerprint,
    pub kind: NoticeKind,
    pub at: Timestamp,
    /// None for what is about the whole project.
    #[serde(default)]
    pub task_id: Option<TaskId>,
    /// None for what is about the whole project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation: Option<Creation>,
    #[serde(default)]
    pub state: Option<State>,
    #[serde(default)]
    pub pause_reason_code: Option<PauseCode>,
    #[serde(default)]
    pub last_decision: Option<VerdictDecision>,
    /// The number of the newest attempt, as orders name it.
    #[serde(default)]
    pub attempt: u16,
    /// Which one it is among those that count; none where an earlier version wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u16>,
    #[serde(default)]
    pub max_attempts: u16,
    #[serde(default)]
    pub state_version: u64,
    /// What happened.
    pub message: Text,
    /// What spoke against the attempt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Text>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Text>,
}

impl Notice {
    pub fn id(&self) -> NoticeId {
        NoticeId(match &self.creation {
            Some(creation) => format!("{}.{creation}", self.fingerprint),
            None => self.fingerprint.to_string(),
        })
    }

    /// Whether a task waits for an answer, and not for a login, money or a permission, about which it asks,
    /// too.
    pub fn is_question(&self) -> bool {
        let is_asked = self.pause_reason_code == Some(PauseCode::WaitingUserInput);
        self.kind == NoticeKind::Paused && is_asked && !self.questions.is_empty()
    }

    /// A notice about the whole project: `source` and `detail` stand in its fingerprint where one about a
    /// task has its state and its pause code, and `number` tells it from others of its kind.
    pub fn of_project(
        kind: NoticeKind,
        at: Timestamp,
        (source, detail, number): (&str, &str, u64),
        message: Text,
    ) -> Self {
        let fingerprint = Fingerprint::of(FingerprintParts {
            task_id: "",
            state: source,
            pause_reason_code: detail,
            last_decision: "",
            attempt: 0,
            state_version: number,
        });
        Self {
            fingerprint,
            kind,
            at,
            task_id: None,
            creation: None,
            state: None,
            pause_reason_code: None,
            last_decision: None,
            attempt: 0,
            count: None,
            max_attempts: 0,
            state_version: number,
            message,
            reasons: Vec::new(),
            questions: Vec::new(),
        }
    }
}

/// One line of the outbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxLine {
    pub schema: String,
    pub at: Millis,
    #[serde(rename = "entry")]
    pub entry: OutboxEntry,
}

/// What a line of the outbox says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum OutboxEntry {
    /// A notice, and the targets that were configured when it was noted.
    Noted { notice: Box<Notice>, targets: Vec<String> },
    /// A target took these. What its rate limit had left afterwards is `units`.
    Sent { target: String, notices: Vec<NoticeId>, units: u64 },
}

impl OutboxLine {
    pub const SCHEMA: &'static str = "provost.outbox/1";

    pub fn new(entry: OutboxEntry, at: Millis) -> Self {
        Self { schema: Self::SCHEMA.to_owned(), at, entry }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of `printf 't1|PAUSED|PAUSED_BUDGET||2|7' | sha256sum`.
    #[test]
    fn a_fingerprint_is_that_of_the_forerunner() {
        let parts = FingerprintParts {
            task_id: "t1",
            state: "PAUSED",
            pause_reason_code: "PAUSED_BUDGET",
            last_decision: "",
            attempt: 2,
            state_version: 7,
        };
        assert_eq!(Fingerprint::of(parts).as_str(), "247004820a7b1d95");
        assert_ne!(
            Fingerprint::of(parts),
            Fingerprint::of(FingerprintParts { attempt: 3, ..parts })
        );
    }
}
