//! Where a page ends: the place of its last task in the order of the board.

use std::cmp::Reverse;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use provost_kernel::{Message, TaskId, Timestamp, task::State};
use serde::{Deserialize, Serialize};

use super::BoardRow;

/// The place of a task: by its state, then what changed last, then its id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) rank: u8,
    pub(super) updated_at: Reverse<Timestamp>,
    pub(super) task_id: TaskId,
}

/// A place to go on from, as a reader hands it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    state_rank: u8,
    updated_at: Timestamp,
    task_id: TaskId,
}

/// A text that is not a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "desk.cursor",
    en = "the cursor does not come from this list",
    zh = "游标不是来自此列表",
    hint(en = "ask for the first page again", zh = "请重新读取第一页")
)]
pub struct CursorError;

impl Key {
    pub(super) fn of(row: &BoardRow) -> Self {
        let rank = match row.state {
            State::Running => 0,
            State::Paused => 1,
            State::ReadyForReview => 2,
            State::Failed => 3,
        };
        Self { rank, updated_at: Reverse(row.updated_at), task_id: row.task_id.clone() }
    }

    pub(super) fn task(&self) -> &TaskId {
        &self.task_id
    }

    pub(super) fn cursor(&self) -> Cursor {
        let Self { rank, updated_at: Reverse(updated_at), task_id } = self.clone();
        Cursor { state_rank: rank, updated_at, task_id }
    }
}

impl Cursor {
    /// Reads what [`Cursor::encode`] wrote.
    pub fn decode(text: &str) -> Result<Self, CursorError> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| CursorError)?;
        let cursor: Self = serde_json::from_slice(&bytes).map_err(|_| CursorError)?;
        if cursor.state_rank > 3 { Err(CursorError) } else { Ok(cursor) }
    }

    pub fn encode(&self) -> String {
        // Plain data always has a JSON form.
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    pub(super) fn key(&self) -> Key {
        let Self { state_rank, updated_at, task_id } = self.clone();
        Key { rank: state_rank, updated_at: Reverse(updated_at), task_id }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_was_and_nothing_else_does() {
        let cursor =
            Cursor { state_rank: 2, updated_at: Timestamp::EPOCH, task_id: "t1".parse().unwrap() };
        assert_eq!(Cursor::decode(&cursor.encode()), Ok(cursor.clone()));
        let forged = Cursor { state_rank: 9, ..cursor.clone() };
        let traversing = URL_SAFE_NO_PAD
            .encode(r#"{"state_rank":1,"updated_at":"1970-01-01T00:00:00Z","task_id":"../x"}"#);
        let padded = format!("{}=", cursor.encode());
        for text in ["", "x", "e30", padded.as_str(), &forged.encode(), &traversing] {
            assert_eq!(Cursor::decode(text), Err(CursorError), "{text}");
        }
    }
}
