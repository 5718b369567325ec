//! What waits for a person: questions, then results, then what stopped.

use std::collections::BTreeMap;

use provost_kernel::{
    TaskId, Text,
    task::{PauseCode, Status, TaskGroup},
};
use provost_rules_task::offers::Offer;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Board, BoardRow};
use crate::{
    Desk, DeskError,
    task::{Phase, Response},
};

/// Everything that waits for a person.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BoardInbox {
    pub waiting: Vec<WaitingRow>,
    /// Files because of which a task may be missing here, as paths.
    pub unreadable: Vec<String>,
    /// Tasks whose state does not match the audit chain, with its file.
    pub altered: BTreeMap<TaskId, String>,
}

/// A task that waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WaitingRow {
    pub row: BoardRow,
    pub kind: WaitKind,
    pub message: Text,
    pub questions: Vec<Text>,
    /// What was answered since, and no attempt was told yet.
    pub answers: Vec<String>,
    /// The last lines that an agent printed before it failed.
    pub said: Vec<String>,
    pub orders: Vec<Offer>,
}

/// What a person is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitKind {
    Question,
    Review,
    Stop,
}

impl Board {
    /// Everything that waits for a person: questions, then results, then what stopped; what waits longest
    /// comes last in each.
    pub fn inbox(&self) -> BoardInbox {
        let kept = self.read();
        let keys = kept.groups.get(&TaskGroup::Waits).into_iter().flatten();
        let entries = keys.filter_map(|it| kept.tasks.get(it.task()));
        let mut waiting: Vec<WaitingRow> =
            entries.filter_map(|it| it.made.waiting.clone()).collect();
        waiting.sort_by_key(|it| it.kind);
        BoardInbox {
            waiting,
            unreadable: kept.unreadable.values().cloned().collect(),
            altered: kept.altered.clone(),
        }
    }
}

pub(super) fn waiting(
    desk: &Desk,
    status: &Status,
    row: &BoardRow,
    orders: Vec<Offer>,
    response: &Response,
) -> Result<WaitingRow, DeskError> {
    let is_asked = status.pause_reason_code == Some(PauseCode::WaitingUserInput);
    let kind = if row.phase == Phase::Paused && is_asked {
        WaitKind::Question
    } else if row.phase == Phase::Ready {
        WaitKind::Review
    } else {
        WaitKind::Stop
    };
    let questions = if row.phase == Phase::Paused { status.questions() } else { Vec::new() };
    Ok(WaitingRow {
        row: row.clone(),
        kind,
        message: row.why.clone(),
        questions,
        answers: response.answers.clone(),
        said: desk.agent_said(status)?,
        orders,
    })
}
