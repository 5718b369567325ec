//! Which of the tasks that had one id after another.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Event, EventKind, EventLine};
use crate::Digest;

/// How many digits name a creation.
const DIGITS: usize = 16;

/// The creation of a task: an id that was removed can be given to another task, which is not the one that
/// was asked about or told of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[0-9a-f]{16}$"))]
pub struct Creation(String);

/// A text that does not name a creation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not name a creation: write 16 hexadecimal digits")]
pub struct CreationError(String);

impl Creation {
    /// The key of an event that says it.
    pub const KEY: &'static str = "creation";

    /// That of the task with these events; none where they do not say how it began.
    pub fn of(events: &[EventLine]) -> Option<Self> {
        let first = events.iter().find(|it| it.value.kind == EventKind::TaskCreated)?;
        let said = first.rest.get(Self::KEY).and_then(Value::as_str);
        said.and_then(|it| it.parse().ok()).or_else(|| Some(Self::of_time(&first.value)))
    }

    /// That of a task of an earlier version: its time is all that tells it from another.
    fn of_time(first: &Event) -> Self {
        let named = format!("{}|{}", first.task_id, first.ts);
        let digest = Digest::of_bytes(named.as_bytes()).to_string();
        Self(digest.chars().take(DIGITS).collect())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Creation {
    type Err = CreationError;

    fn from_str(text: &str) -> Result<Self, CreationError> {
        let is_hex = text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
        if text.len() == DIGITS && is_hex {
            Ok(Self(text.to_owned()))
        } else {
            Err(CreationError(crate::shorten(text)))
        }
    }
}

impl TryFrom<String> for Creation {
    type Error = CreationError;

    fn try_from(text: String) -> Result<Self, CreationError> {
        text.parse()
    }
}

impl From<Creation> for String {
    fn from(creation: Creation) -> Self {
        creation.0
    }
}

impl fmt::Display for Creation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Creation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Timestamp, task::Note};

    fn created(ts: &str, creation: Option<&str>) -> EventLine {
        let note = Note::new(EventKind::TaskCreated, "");
        let mut line = note.line(&"t1".parse().unwrap(), 0, ts.parse().unwrap());
        line.rest.extend(creation.map(|it| (Creation::KEY.to_owned(), it.into())));
        line
    }

    #[test]
    fn a_creation_is_what_the_first_event_says_or_its_time() {
        let of = |ts, creation| Creation::of(&[created(ts, creation)]).unwrap();
        let (early, late) = ("2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z");
        assert_eq!(of(early, Some("0123456789abcdef")).as_str(), "0123456789abcdef");
        assert_ne!(of(early, None), of(late, None));
        assert_eq!(of(early, Some("0123456789ABCDEF")), of(early, None));
        // A spec that was put back makes a second event of the same task.
        let both = [created(early, None), created(late, Some("0123456789abcdef"))];
        assert_eq!(Creation::of(&both), Some(of(early, None)));
        assert_eq!(Creation::of(&[]), None);
        let other = Note::new(EventKind::CoderStarted, "");
        let other = other.line(&"t1".parse().unwrap(), 1, Timestamp::EPOCH);
        assert_eq!(Creation::of(&[other]), None);
    }
}
