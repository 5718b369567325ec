//! The task that a person means by what was typed.

use provost_kernel::TaskId;
use provost_vault::is_present;

use super::Listing;
use crate::{Desk, DeskError, LookError};

/// How many tasks are named that an id could mean.
const NAMED: usize = 10;

impl Desk {
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
        let starting = listed.iter().filter(|it| it.task_id.as_str().starts_with(given));
        let starting: Vec<&TaskId> = starting.map(|it| &it.task_id).collect();
        match starting.as_slice() {
            [] => Ok(task),
            [only] => Ok((*only).clone()),
            several => {
                let count = several.len();
                let tasks = several.iter().take(NAMED).map(ToString::to_string).collect();
                Err(LookError::Ambiguous { given: given.to_owned(), count, tasks }.into())
            }
        }
    }
}
