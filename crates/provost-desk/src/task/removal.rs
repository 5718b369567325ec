//! Removing a task.

use provost_kernel::{Actor, RecordFile, TaskId, task::TaskSpec};
use provost_vault::audit::Event;
use serde_json::json;

use crate::{Desk, DeskError};

impl Desk {
    /// The task that is meant by an id, which may be one whose removal did not end, and its spec.
    pub fn removable(&self, id: &str) -> Result<(TaskId, RecordFile<TaskSpec>), DeskError> {
        if let Ok(task) = id.parse::<TaskId>()
            && self.files(&task).spec()?.present().is_none()
            && let Some(spec) = self.files(&task).half_removed()?
        {
            return Ok((task, spec));
        }
        let task = self.meant(Some(id))?;
        let spec = self.kept_spec(&task)?;
        Ok((task, spec))
    }

    /// Takes a task out of sight, for good, and answers with its spec; the same for one whose
    /// removal did not end. None of its names is free before [`Desk::delete_removed`].
    pub fn take_away(
        &self,
        task: &TaskId,
        actor: &Actor,
    ) -> Result<RecordFile<TaskSpec>, DeskError> {
        let files = self.files(task);
        if files.spec()?.present().is_none()
            && let Some(spec) = files.half_removed()?
        {
            return Ok(spec);
        }
        let spec = self.kept_spec(task)?;
        let status = self.look(task)?.status.value;
        // Who runs it is named by this.
        let lock = self.lock(task)?;
        let entry = Event {
            actor: actor.clone(),
            action: "task.rm".to_owned(),
            subject: format!("task:{task}"),
            request_id: None,
            detail: json!({ "state": status.state, "attempts": status.current_attempt }),
        };
        files.take_away(&entry)?;
        drop(lock);
        Ok(spec)
    }

    /// Deletes what is left of a task that was taken out of sight.
    pub fn delete_removed(&self, task: &TaskId) -> Result<(), DeskError> {
        Ok(self.files(task).delete_removed()?)
    }
}
