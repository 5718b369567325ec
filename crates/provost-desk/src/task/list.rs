//! The list of tasks, from the index and, for what it lost, from the tasks.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use provost_kernel::{
    TaskId,
    task::{IndexEntry, State, Status},
};
use provost_rules_task::status::goes_on;
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

/// Every task of the home, the newest first.
pub(super) struct Every {
    pub(super) tasks: Vec<Known>,
    pub(super) unreadable: Vec<String>,
    pub(super) altered: BTreeMap<TaskId, String>,
}

/// What is known of a task: of one whose state cannot be read, only its entry.
pub(super) struct Known {
    pub(super) entry: IndexEntry,
    pub(super) status: Option<Status>,
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
        let mut every = self.every()?;
        let left_out = every.narrow(listing);
        let Every { tasks, unreadable, altered } = every;
        let tasks = tasks.into_iter().map(|it| it.entry).collect();
        Ok(Listed { tasks, left_out, unreadable, altered })
    }

    /// Every task, the one that changed last first.
    pub(super) fn every(&self) -> Result<Every, DeskError> {
        let (entries, broken) = index(&DISK, &self.layout)?;
        let recorded = self.recorded.now(&DISK, &self.layout)?;
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
        tasks.sort_by(|one, two| {
            let (one, two) = (&one.entry, &two.entry);
            two.updated_at.cmp(&one.updated_at).then_with(|| one.task_id.cmp(&two.task_id))
        });
        let Trouble { unreadable, altered } = trouble;
        Ok(Every { tasks, unreadable, altered })
    }

    /// The tasks that go on by themselves, in the order in which they came to wait, behind those
    /// that run already.
    pub fn waiting_tasks(&self) -> Result<Vec<TaskId>, DeskError> {
        let listed = self.list(Listing::default())?;
        let mut waiting = Vec::new();
        for entry in listed.tasks.into_iter().filter(|it| !it.state.is_terminal()) {
            if listed.altered.contains_key(&entry.task_id) {
                continue;
            }
            let status = self.files(&entry.task_id).status()?.present().map(|it| it.value);
            if let Some(status) = status.filter(|it| it.is_driven() || goes_on(it)) {
                let place = status.audit_head.map(|it| it.seq);
                waiting.push((!status.is_driven(), place, status.task_id));
            }
        }
        waiting.sort();
        Ok(waiting.into_iter().map(|(_, _, task)| task).collect())
    }

    /// The entry of a task as its own status says it.
    fn current(
        &self,
        entry: IndexEntry,
        recorded: &Arc<Statuses>,
        trouble: &mut Trouble,
    ) -> Result<Known, DeskError> {
        let files = self.files(&entry.task_id);
        if let Ok(Stored::Present(found)) = files.found_status_since(recorded, &self.recorded)
            && !found.status.value.is_driven()
            && found.provenance != Provenance::Altered
        {
            return Ok(Known::of(found.status.value));
        }
        match self.look(&entry.task_id) {
            Ok(looked) => {
                trouble.altered.extend(looked.altered.map(|it| (entry.task_id.clone(), it)));
                Ok(Known::of(looked.status.value))
            }
            Err(DeskError::Look(LookError::Unknown { .. })) => Ok(Known { entry, status: None }),
            Err(DeskError::Look(LookError::Corrupt { task, .. })) => {
                let now = self.files(&task).index_entry()?.present();
                Ok(Known { entry: now.map_or(entry, |it| it.value), status: None })
            }
            Err(error) => {
                trouble.unreadable.push(error.unreadable().ok_or(error)?);
                Ok(Known { entry, status: None })
            }
        }
    }

    /// The entry of a task that has a spec and none in the index; a process that can hold the task
    /// writes it.
    fn lost(&self, task: &TaskId, trouble: &mut Trouble) -> Result<Option<Known>, DeskError> {
        let status = match self.hold(task) {
            Ok(open) => Ok(Some(open.status)),
            // It is paused by that, and has an entry.
            Err(DeskError::Look(LookError::Corrupt { .. }) | DeskError::Held(_)) => {
                self.files(task).status().map(Stored::present).map_err(DeskError::from)
            }
            Err(error) => Err(error),
        };
        match status {
            Ok(status) => Ok(status.map(|it| Known::of(it.value))),
            Err(error) => {
                if let DeskError::Look(LookError::StatusAltered { task, path }) = error {
                    trouble.altered.insert(task, path);
                } else {
                    trouble.unreadable.push(error.unreadable().ok_or(error)?);
                }
                // What its state says is still shown, if that is not what is broken.
                let status = self.files(task).status().map(Stored::present).unwrap_or_default();
                Ok(status.map(|it| Known::of(it.value)))
            }
        }
    }
}

impl Every {
    /// Leaves what a listing asks for, and says how many the limit left out.
    pub(super) fn narrow(&mut self, listing: Listing) -> usize {
        let Self { tasks, altered, .. } = self;
        tasks.retain(|it| listing.state.is_none_or(|state| state == it.entry.state));
        let limit = listing.limit.unwrap_or(usize::MAX);
        let left_out = tasks.len().saturating_sub(limit);
        tasks.truncate(limit);
        altered.retain(|task, _| tasks.iter().any(|it| it.entry.task_id == *task));
        left_out
    }
}

impl Known {
    fn of(status: Status) -> Self {
        Self { entry: IndexEntry::of(&status), status: Some(status) }
    }
}
