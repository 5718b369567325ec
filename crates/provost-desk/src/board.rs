//! The board: every task of a home in memory, with what a list shows of each.
//!
//! A program that goes on keeps one. It is filled from the states of the tasks (LOOP-A11: never from
//! the index), told which tasks changed, and looks for itself now and then. A page of it costs what
//! the page holds, however many tasks there are.

mod address;
mod brief;
mod cursor;
mod inbox;
mod page;
mod row;

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::resume_unwind,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
    thread::{self, available_parallelism},
};

use provost_kernel::{
    Clock as _, TaskId,
    task::{State, TaskGroup},
};
use provost_vault::{
    Disk as _, Stamp, Stored, SystemClock,
    audit::{Provenance, Statuses},
    is_present,
    task::names_of_tasks,
};

pub use self::{
    address::{AddressError, ProjectRef, ShownTask, TaskAddress},
    brief::{BriefError, ListEnd, ListPart, ListPlace, TaskRef},
    cursor::{Cursor, CursorError},
    inbox::{BoardInbox, WaitKind, WaitingRow},
    page::{Counts, Page, PageError, Query},
    row::{BoardRow, SpentView, Tries},
};
use self::{cursor::Key, row::Made};
use crate::{DISK, Desk, DeskError, LookError, task::Looked};

/// From so many tasks on several threads look at them, and at most so many.
const MANY: usize = 200;
const MOST_THREADS: usize = 8;

/// Every task of a home, ready to be shown.
#[derive(Debug)]
pub struct Board {
    desk: Desk,
    kept: RwLock<Kept>,
    /// Held while tasks are read, so that an older look never takes the place of a newer one.
    reading: Mutex<()>,
}

/// A task that is shown otherwise than before, or no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub task_id: TaskId,
    /// None for a task that is gone.
    pub state_version: Option<u64>,
}

#[derive(Debug, Default)]
struct Kept {
    tasks: BTreeMap<TaskId, Arc<Entry>>,
    /// In the order in which they are shown.
    order: BTreeSet<Key>,
    groups: BTreeMap<TaskGroup, BTreeSet<Key>>,
    /// Files that cannot be read, by their task.
    unreadable: BTreeMap<TaskId, String>,
    altered: BTreeMap<TaskId, String>,
    version: u64,
}

/// One task.
#[derive(Debug, PartialEq)]
struct Entry {
    key: Key,
    made: Made,
    stamp: Option<Stamp>,
}

impl Board {
    /// The board of a home, filled.
    pub fn fill(desk: Desk) -> Result<Self, DeskError> {
        let board = Self { desk, kept: RwLock::default(), reading: Mutex::default() };
        board.sweep()?;
        Ok(board)
    }

    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    /// Grows whenever something is shown otherwise.
    pub fn version(&self) -> u64 {
        self.read().version
    }

    /// One task as it is shown.
    pub fn row(&self, task: &TaskId) -> Option<BoardRow> {
        self.read().tasks.get(task).map(|it| it.made.row.clone())
    }

    /// Looks at one task again, and says whether it is shown otherwise now.
    pub fn refresh(&self, task: &TaskId) -> Result<Option<Change>, DeskError> {
        let _reading = self.lock();
        let recorded = self.desk.recorded.now(&DISK, self.desk.layout())?;
        self.look(task, &recorded)
    }

    /// Looks at every task whose state may have changed since, and says which are shown otherwise now.
    pub fn sweep(&self) -> Result<Vec<Change>, DeskError> {
        let _reading = self.lock();
        let layout = self.desk.layout();
        let names = names_of_tasks(&DISK, layout)?;
        // Now and then everything that is remembered of the chain is compared with it.
        let recorded = self.desk.recorded.compared(&DISK, layout)?;
        let known: BTreeMap<TaskId, Arc<Entry>> = self.read().tasks.clone();
        let mut changes = Vec::new();
        for task in known.keys().filter(|it| names.binary_search(it).is_err()) {
            changes.extend(self.put(task, None));
        }
        let looked = in_parallel(&names, |task| {
            // One that runs changes without its state.
            let is_still = known.get(task).is_some_and(|it| {
                let is_driven = it.made.row.state == State::Running;
                !is_driven && it.stamp.is_some() && it.stamp == self.stamp(task)
            });
            if is_still { Ok(None) } else { self.look(task, &recorded) }
        });
        for change in looked {
            changes.extend(change?);
        }
        Ok(changes)
    }

    fn look(&self, task: &TaskId, recorded: &Arc<Statuses>) -> Result<Option<Change>, DeskError> {
        // Before the state is read: what is written meanwhile is found by the next look.
        let stamp = self.stamp(task);
        let entry = match self.read_task(task, recorded) {
            Ok(Some(made)) => {
                let key = Key::of(&made.row);
                Some(Arc::new(Entry { key, made, stamp }))
            }
            Ok(None) => None,
            Err(error) => {
                let path = error.unreadable().ok_or(error)?;
                return Ok(self.put_unreadable(task, path));
            }
        };
        Ok(self.put(task, entry))
    }

    /// A task as it is now; none where it does not exist.
    fn read_task(
        &self,
        task: &TaskId,
        recorded: &Arc<Statuses>,
    ) -> Result<Option<Made>, DeskError> {
        let desk = &self.desk;
        let looked = match desk.files(task).found_status_since(recorded, &desk.recorded)? {
            Stored::Present(found)
                if !found.status.value.is_driven() && found.provenance != Provenance::Altered =>
            {
                Looked { status: found.status, holder: None, altered: None }
            }
            Stored::Absent if !is_present(&desk.layout().task_spec(task)) => return Ok(None),
            // A coordinator that is gone, a state that is broken: who looks finds it out.
            Stored::Present(_) | Stored::Absent | Stored::Corrupt(_) => match desk.look(task) {
                Err(DeskError::Look(LookError::Corrupt { .. })) => desk.look(task)?,
                Err(DeskError::Look(LookError::Unknown { .. })) => return Ok(None),
                looked => looked?,
            },
        };
        desk.make_row(&looked).map(Some)
    }

    fn stamp(&self, task: &TaskId) -> Option<Stamp> {
        let now = SystemClock.millis();
        let stat = DISK.stat(&self.desk.layout().status(task)).ok()?;
        // One that the next write could leave as well tells nothing.
        Some(stat.stamp).filter(|it| it.is_settled(now))
    }

    fn put(&self, task: &TaskId, entry: Option<Arc<Entry>>) -> Option<Change> {
        let state_version = entry.as_ref().map(|it| it.made.row.state_version);
        let is_changed = self.write().put(task, entry);
        is_changed.then(|| Change { task_id: task.clone(), state_version })
    }

    /// What was known of a task whose files cannot be read any more is not shown: nothing but its state
    /// says it.
    fn put_unreadable(&self, task: &TaskId, path: String) -> Option<Change> {
        let mut kept = self.write();
        if kept.unreadable.get(task) == Some(&path) && !kept.tasks.contains_key(task) {
            return None;
        }
        kept.put(task, None);
        kept.unreadable.insert(task.clone(), path);
        kept.version += 1;
        Some(Change { task_id: task.clone(), state_version: None })
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> RwLockReadGuard<'_, Kept> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Kept> {
        self.kept.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does the same for each task, with every processor where there are many; in the order of the tasks.
fn in_parallel<T: Send>(tasks: &[TaskId], each: impl Fn(&TaskId) -> T + Sync) -> Vec<T> {
    let threads = available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    if threads == 1 || tasks.len() < MANY {
        return tasks.iter().map(each).collect();
    }
    let each = &each;
    thread::scope(|scope| {
        let work = move |part: &[TaskId]| part.iter().map(each).collect::<Vec<T>>();
        let parts = tasks.chunks(tasks.len().div_ceil(threads));
        let running: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        let joined = running.into_iter().map(|it| it.join().unwrap_or_else(|it| resume_unwind(it)));
        joined.flatten().collect()
    })
}

impl Kept {
    /// Puts a task where it belongs now, and says whether it is shown otherwise.
    fn put(&mut self, task: &TaskId, entry: Option<Arc<Entry>>) -> bool {
        let before = self.tasks.remove(task);
        let was_unreadable = self.unreadable.remove(task).is_some();
        let was_altered = self.altered.remove(task);
        if let Some(before) = &before {
            self.order.remove(&before.key);
            if let Some(group) = self.groups.get_mut(&before.made.row.group) {
                group.remove(&before.key);
            }
        }
        let is_same = match (&before, &entry) {
            (Some(before), Some(entry)) => before.made == entry.made,
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        if let Some(entry) = entry {
            self.order.insert(entry.key.clone());
            let group = self.groups.entry(entry.made.row.group).or_default();
            group.insert(entry.key.clone());
            if let Some(path) = &entry.made.altered {
                self.altered.insert(task.clone(), path.clone());
            }
            self.tasks.insert(task.clone(), entry);
        }
        let is_changed =
            !is_same || was_unreadable || was_altered != self.altered.get(task).cloned();
        self.version += u64::from(is_changed);
        is_changed
    }
}
