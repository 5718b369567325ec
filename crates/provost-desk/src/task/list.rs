//! The list of tasks, from the index and, for what it lost, from the tasks.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    TaskId,
    task::{IndexEntry, State},
};
use provost_vault::{
    Stored,
    audit::{Provenance, Statuses},
    is_present,
    task::{index, names_of_tasks},
};

use crate::{DISK, Desk, DeskError, LookError};

/// What a list should hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Listing {
    /// Only tasks in this state.
    pub state: Option<State>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// A list of tasks, the newest first.
#[derive(Clone, Debug)]
pub struct Listed {
    pub tasks: Vec<IndexEntry>,
    /// How many there are besides, because of the limit.
    pub left_out: usize,
    /// Files because of which a task may be missing or stale here, as paths.
    pub unreadable: Vec<String>,
    /// Tasks whose state does not match the audit chain, with its file.
    pub altered: BTreeMap<TaskId, String>,
}

/// What a list finds besides the tasks.
#[derive(Default)]
struct Trouble {
    unreadable: Vec<String>,
    altered: BTreeMap<TaskId, String>,
}

impl Desk {
    /// Lists tasks, the one that changed last first.
    ///
    /// The index is a hint for finding tasks: every state comes from `status.json` (LOOP-A11). A
    /// task that runs is inspected as well, because its coordinator can be gone. A task that the
    /// index lost gets its entry back.
    pub fn list(&self, listing: Listing) -> Result<Listed, DeskError> {
        let (entries, broken) = index(&DISK, &self.layout)?;
        let recorded = Statuses::read(&DISK, &self.layout)?;
        let unreadable = broken.iter().map(|it| it.path().to_string()).collect();
        let mut trouble = Trouble { unreadable, ..Trouble::default() };
        let indexed: BTreeSet<TaskId> = entries.iter().map(|it| it.task_id.clone()).collect();
        let mut tasks = Vec::with_capacity(entries.len());
        for entry in entries {
            tasks.push(self.current(entry, &recorded, &mut trouble)?);
        }
        for task in names_of_tasks(&DISK, &self.layout)? {
            if !indexed.contains(&task) && is_present(&self.layout.task_spec(&task)) {
                // What the index cannot say is said by the task itself.
                let entry = self.layout.index_entry(&task).path().to_string();
                trouble.unreadable.retain(|it| *it != entry);
                tasks.extend(self.lost(&task, &mut trouble)?);
            }
        }
        tasks.retain(|it| listing.state.is_none_or(|state| state == it.state));
        tasks.sort_by(|one, two| {
            two.updated_at.cmp(&one.updated_at).then_with(|| one.task_id.cmp(&two.task_id))
        });
        let limit = listing.limit.unwrap_or(usize::MAX);
        let left_out = tasks.len().saturating_sub(limit);
        tasks.truncate(limit);
        let Trouble { unreadable, mut altered } = trouble;
        altered.retain(|task, _| tasks.iter().any(|it| it.task_id == *task));
        Ok(Listed { tasks, left_out, unreadable, altered })
    }

    /// The entry of a task as its own status says it.
    fn current(
        &self,
        entry: IndexEntry,
        recorded: &Statuses,
        trouble: &mut Trouble,
    ) -> Result<IndexEntry, DeskError> {
        if let Ok(Stored::Present(found)) = self.files(&entry.task_id).found_status_in(recorded)
            && found.status.value.state != State::Running
            && found.provenance != Provenance::Altered
        {
            return Ok(IndexEntry::of(&found.status.value));
        }
        match self.look(&entry.task_id) {
            Ok(looked) => {
                trouble.altered.extend(looked.altered.map(|it| (entry.task_id.clone(), it)));
                Ok(IndexEntry::of(&looked.status.value))
            }
            Err(DeskError::Look(LookError::Unknown { .. })) => Ok(entry),
            Err(DeskError::Look(LookError::Corrupt { task, .. })) => {
                let now = self.files(&task).index_entry()?.present();
                Ok(now.map_or(entry, |it| it.value))
            }
            Err(error) => {
                trouble.unreadable.push(error.unreadable().ok_or(error)?);
                Ok(entry)
            }
        }
    }

    /// The entry of a task that has a spec and none in the index; a process that can hold the task
    /// writes it.
    fn lost(&self, task: &TaskId, trouble: &mut Trouble) -> Result<Option<IndexEntry>, DeskError> {
        let status = match self.hold(task) {
            Ok(open) => Ok(Some(open.status)),
            // It is paused by that, and has an entry.
            Err(DeskError::Look(LookError::Corrupt { .. }) | DeskError::Lock(_)) => {
                self.files(task).status().map(Stored::present).map_err(DeskError::from)
            }
            Err(error) => Err(error),
        };
        match status {
            Ok(status) => Ok(status.map(|it| IndexEntry::of(&it.value))),
            Err(error) => {
                if let DeskError::Look(LookError::StatusAltered { task, path }) = error {
                    trouble.altered.insert(task, path);
                } else {
                    trouble.unreadable.push(error.unreadable().ok_or(error)?);
                }
                // What its state says is still shown, if that is not what is broken.
                let status = self.files(task).status().map(Stored::present).unwrap_or_default();
                Ok(status.map(|it| IndexEntry::of(&it.value)))
            }
        }
    }
}
