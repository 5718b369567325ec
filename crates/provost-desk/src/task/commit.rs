//! The commit that an attempt left.

use provost_kernel::{AttemptNumber, task::Status};
use provost_vault::{AttemptFile, is_present, task::read_tail};

use crate::{DISK, Desk, DeskError};

/// More than any name of a commit takes.
const LONGEST: u64 = 200;

impl Desk {
    /// The commit of the newest result; none where nothing was delivered.
    pub fn head_commit(&self, status: &Status) -> Result<Option<String>, DeskError> {
        let Ok(attempt) = AttemptNumber::try_from(status.current_attempt) else { return Ok(None) };
        let at = self.layout.attempt_file(&status.task_id, attempt, AttemptFile::HeadCommit);
        if !is_present(&at) {
            return Ok(None);
        }
        let text = read_tail(&DISK, &at, LONGEST)?.trim().to_owned();
        Ok(Some(text).filter(|it| !it.is_empty()))
    }
}
