//! The change of an attempt, as it was kept.

use provost_kernel::{AttemptNumber, TaskId};
use provost_rules_task::evidence::{Section, by_risk};
use provost_vault::{AttemptFile, is_present, task::read_tail};

use super::Listing;
use crate::{DISK, Desk, DeskError, LookError};

/// The change of one attempt, what could bend a verdict first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    pub attempt: AttemptNumber,
    pub files: Vec<Section>,
}

impl Desk {
    /// The change of an attempt; of the newest one that delivered something, unless one is named.
    pub fn diff(&self, task: &TaskId, named: Option<AttemptNumber>) -> Result<Diff, DeskError> {
        self.look(task)?;
        let at = |attempt| self.layout.attempt_file(task, attempt, AttemptFile::DiffPatch);
        let attempts = self.files(task).attempts()?;
        let mut candidates = attempts.into_iter().rev().filter(|it| named.is_none_or(|n| n == *it));
        let Some(attempt) = candidates.find(|it| is_present(&at(*it))) else {
            let attempt = named.map(AttemptNumber::get);
            return Err(LookError::NoChange { task: task.clone(), attempt }.into());
        };
        let patch = read_tail(&DISK, &at(attempt), u64::MAX)?;
        Ok(Diff { attempt, files: by_risk(&patch) })
    }

    /// The task that a person means: its id, the start of one that no other task has, or the task
    /// that changed last.
    pub fn meant(&self, given: Option<&str>) -> Result<TaskId, DeskError> {
        let listed = || self.list(Listing { state: None, limit: None });
        let Some(given) = given else {
            let newest = listed()?.tasks.into_iter().next();
            return newest.map(|it| it.task_id).ok_or_else(|| LookError::NoTasks.into());
        };
        let task: TaskId = given.parse().map_err(LookError::Id)?;
        if is_present(&self.layout.task(&task)) {
            return Ok(task);
        }
        let listed = listed()?.tasks;
        let mut starting = listed.iter().filter(|it| it.task_id.as_str().starts_with(given));
        match (starting.next(), starting.next()) {
            (Some(only), None) => Ok(only.task_id.clone()),
            _ => Ok(task),
        }
    }
}
