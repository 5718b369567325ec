//! The change of an attempt, as it was kept.

use provost_kernel::{AttemptNumber, TaskId};
use provost_rules_task::evidence::{Section, by_risk_complete};
use provost_vault::{AttemptFile, is_present, task::read_tail};

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
        Ok(Diff { attempt, files: by_risk_complete(&patch, &self.diff_stat(task, attempt)?) })
    }

    /// One line for each file that an attempt changed, also where the patch was cut.
    pub(super) fn diff_stat(
        &self,
        task: &TaskId,
        attempt: AttemptNumber,
    ) -> Result<String, DeskError> {
        let at = self.layout.attempt_file(task, attempt, AttemptFile::DiffStat);
        Ok(if is_present(&at) { read_tail(&DISK, &at, u64::MAX)? } else { String::new() })
    }
}
