//! Removing a task: entered in the audit chain, out of sight by one rename, then deleted.
//!
//! A crash leaves the task whole or out of sight. What is left of one that is out of sight lies in a
//! folder of its own, from which the removal goes on.

use provost_kernel::{Digest, RecordFile, task::TaskSpec};

use super::TaskFiles;
use crate::{
    Action, Disk, FileError,
    audit::{self, Audit, AuditError, StatusChange},
    read_record, remove,
};

impl<D: Disk> TaskFiles<'_, D> {
    /// The spec of a task whose removal began and did not end.
    pub fn half_removed(&self) -> Result<Option<RecordFile<TaskSpec>>, FileError> {
        let at = self.layout.removed(self.task).join("task.json");
        Ok(read_record(self.disk, &at)?.present())
    }

    /// Enters the removal in the audit chain and takes the task out of sight. The caller holds its
    /// lock.
    pub fn take_away(&self, entry: &audit::Event) -> Result<(), AuditError> {
        let (from, to) = (self.layout.task(self.task), self.layout.removed(self.task));
        // An earlier task of the same name whose removal did not end.
        remove(&to)?;
        let mut chain = Audit::open(self.disk, self.layout)?;
        let reached = self.status()?.present().and_then(|it| it.value.audit_head);
        let change = StatusChange {
            task: self.task.clone(),
            from: self.replaced()?,
            // No state has this digest. The state before stays genuine, so that a removal that is
            // interrupted here can be repeated.
            to: Digest::of_bytes(format!("removed {}", self.task).as_bytes()),
        };
        let head = chain.append_status(reached, entry, change, self.clock)?;
        chain.store_head(head, &entry.action, self.clock)?;
        let fail = || FileError::on(Action::Replace, &to);
        self.disk.rename(&from, &to).map_err(fail())?;
        match to.folder() {
            Some(folder) => Ok(self.disk.sync_folder(&folder).map_err(fail())?),
            None => Ok(()),
        }
    }

    /// Deletes what is left of a task that is out of sight.
    pub fn delete_removed(&self) -> Result<(), FileError> {
        remove(&self.layout.work(self.task))?;
        remove(&self.layout.index_entry(self.task))?;
        remove(&self.layout.removed(self.task))
    }
}
