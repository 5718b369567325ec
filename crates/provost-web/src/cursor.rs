//! How far a client has read a stream: one opaque text over all of its topics.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use provost_desk::task::{LogRole, StreamName};
use provost_kernel::{AttemptNumber, TaskId};
use serde::{Deserialize, Serialize};

/// So many topics at most in one stream.
const TOPICS: usize = 16;

/// What a stream can be about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Topic {
    Board,
    Task(TaskId),
    Log { task: TaskId, attempt: u16, role: &'static str, stream: &'static str },
}

/// Where each topic was read to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cursor {
    /// The run of the server, and how many changes of the board it had told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) board: Option<(String, u64)>,
    /// The number of the last event, by topic.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) at: BTreeMap<String, u64>,
}

impl Topic {
    /// Reads a list such as `board,task:t1,log:t1:2:test`; none where one of them is not a topic.
    pub(crate) fn parse_all(text: &str) -> Option<Vec<Self>> {
        let mut topics: Vec<Self> = text.split(',').map(Self::parse).collect::<Option<_>>()?;
        topics.sort();
        topics.dedup();
        (topics.len() <= TOPICS).then_some(topics)
    }

    fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split(':').collect();
        let word =
            |given: &str, known: &[&'static str]| known.iter().find(|it| **it == given).copied();
        match parts.as_slice() {
            ["board"] => Some(Self::Board),
            ["task", id] => Some(Self::Task(id.parse().ok()?)),
            ["log", id, attempt, role, rest @ ..] => {
                let stream = match rest {
                    [] => "stdout",
                    [stream] => word(stream, &["stdout", "stderr"])?,
                    _ => return None,
                };
                let attempt: u16 = attempt.parse().ok()?;
                AttemptNumber::try_from(attempt).ok()?;
                let role = word(role, LogRole::NAMES)?;
                Some(Self::Log { task: id.parse().ok()?, attempt, role, stream })
            }
            _ => None,
        }
    }

    /// Its name in a cursor.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Board => "board".to_owned(),
            Self::Task(task) => format!("task:{task}"),
            Self::Log { task, attempt, role, stream } => {
                format!("log:{task}:{attempt}:{role}:{stream}")
            }
        }
    }
}

/// The stream of a name.
pub(crate) fn stream_name(text: &str) -> StreamName {
    if text == "stderr" { StreamName::Stderr } else { StreamName::Stdout }
}

impl Cursor {
    /// Reads what [`Cursor::to_text`] wrote; none for anything else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
    }

    pub(crate) fn to_text(&self) -> String {
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&[&str]>) {
        let names = Topic::parse_all(text).map(|it| it.iter().map(Topic::name).collect::<Vec<_>>());
        let expected = expected.map(|it| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        assert_eq!(names, expected, "{text:?}");
    }

    #[test]
    fn a_topic_is_made_of_ids() {
        check("board", Some(&["board"]));
        check("task:t1,board,board", Some(&["board", "task:t1"]));
        check("log:t1:2:test", Some(&["log:t1:2:test:stdout"]));
        check("log:t1:2:test:stderr", Some(&["log:t1:2:test:stderr"]));
        for text in [
            "",
            ",",
            "boards",
            "task:",
            "task:..",
            "task:../x",
            "log:t1:0:test",
            "log:t1:1:passwd",
            "log:t1:1:test:stdin",
            "log:t1:1:test:stdout:x",
            "task:a:b",
            "log:t1:1",
        ] {
            check(text, None);
        }
        let many: Vec<String> = (0..17).map(|it| format!("task:t{it}")).collect();
        check(&many.join(","), None);
    }

    #[test]
    fn a_cursor_is_read_back() {
        let board = Some(("boot".to_owned(), 7));
        let cursor = Cursor { board, at: [("task:t1".to_owned(), 3)].into() };
        assert_eq!(Cursor::parse(&cursor.to_text()), Some(cursor));
        for text in ["", "x", "!", "bnVsbA", "e30x"] {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
    }
}
