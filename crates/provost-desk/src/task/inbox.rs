//! What waits for a person.

use std::collections::BTreeMap;

use provost_kernel::{
    TaskId, Text, Timestamp,
    message::MessageRecord,
    task::{IndexEntry, PauseCode, State, Status},
};
use provost_rules_task::proven::proof_text;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Listed, Listing, Next, Phase};
use crate::{Desk, DeskError, LookError};

/// Everything that waits for a person, what changed last first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Inbox {
    pub waiting: Vec<Waiting>,
    /// Files that cannot be read, as paths.
    pub unreadable: Vec<String>,
    /// Tasks whose state does not match the audit chain, with its file; what they wait for is not
    /// known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub altered: BTreeMap<TaskId, String>,
}

/// A task that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    pub task_id: TaskId,
    pub state: State,
    pub pause_reason_code: Option<PauseCode>,
    pub updated_at: Timestamp,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_code: Option<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub message_args: Map<String, Value>,
    pub questions_for_user: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions_for_user_codes: Vec<Option<MessageRecord>>,
    /// The questions, for a page.
    #[serde(skip)]
    pub questions: Vec<Text>,
    pub phase: Phase,
    /// What was answered since, and no attempt was told yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
    /// What the green test proves, in one line.
    #[serde(skip)]
    pub proof: Option<Text>,
    /// What can be done about it; never empty.
    pub next: Vec<Next>,
}

impl Desk {
    /// Collects everything that waits for a person: pauses, and results that are not reviewed.
    pub fn inbox(&self) -> Result<Inbox, DeskError> {
        let listed = self.list(Listing::default())?;
        let Listed { tasks, unreadable, altered, .. } = listed;
        let mut inbox = Inbox { waiting: Vec::new(), unreadable, altered };
        for entry in tasks {
            if inbox.altered.contains_key(&entry.task_id) {
                continue;
            }
            match self.waiting(&entry) {
                Ok(waiting) => inbox.waiting.extend(waiting),
                Err(error) => inbox.unreadable.push(error.unreadable().ok_or(error)?),
            }
        }
        inbox.unreadable.dedup();
        Ok(inbox)
    }

    /// A task, if a person has something to do with it.
    fn waiting(&self, entry: &IndexEntry) -> Result<Option<Waiting>, DeskError> {
        let Some(status) = self.waits(entry)? else { return Ok(None) };
        let next = self.next(&status)?;
        let answers = self.response(&status)?.answers;
        let proof = self.test_proof(&status)?.map(|it| proof_text(&it));
        Ok(Some(Waiting { answers, proof, ..Waiting::of(status, next) }))
    }

    /// The status of a task, if a person has something to do with it.
    fn waits(&self, entry: &IndexEntry) -> Result<Option<Status>, DeskError> {
        if entry.state == State::Running {
            return Ok(None);
        }
        let looked = match self.look(&entry.task_id) {
            // It is paused by that, and waits like any other.
            Err(DeskError::Look(LookError::Corrupt { .. })) => self.look(&entry.task_id),
            // An entry without a task, or one that somebody is just busy with.
            Err(DeskError::Look(LookError::Unknown { .. }) | DeskError::Held(_)) => {
                return Ok(None);
            }
            looked => looked,
        };
        let status = looked?.status.value;
        Ok(Phase::of(&status).waits().then_some(status))
    }
}

impl Waiting {
    fn of(status: Status, next: Vec<Next>) -> Self {
        Self {
            questions: status.questions(),
            phase: Phase::of(&status),
            answers: Vec::new(),
            proof: None,
            next,
            task_id: status.task_id,
            state: status.state,
            pause_reason_code: status.pause_reason_code,
            updated_at: status.updated_at,
            message: status.message,
            message_code: status.message_code,
            message_args: status.message_args,
            questions_for_user: status.questions_for_user,
            questions_for_user_codes: status.questions_for_user_codes,
        }
    }
}
