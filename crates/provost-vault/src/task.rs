//! The files of one task, kept in step with each other.
//!
//! `status.json` is the only state. What belongs to it, its events, the final summary and the
//! entry in the index, follows from it and is brought in step by the process that finds it behind,
//! so that a crash between two of these files is never seen twice. People's orders lie in a log of
//! their own; the files that repeat them for other readers follow from that log in the same way.

mod commit;
mod orders;
mod removal;
mod stamped;
mod state;

use std::{cell::RefCell, rc::Rc};

use provost_kernel::{
    AttemptNumber, Clock, Record, RecordFile, TaskId,
    task::{DecisionRecord, EventLine, IndexEntry, Metrics, Note, Proofs, TaskSpec},
};

use self::state::KnownStatus;
pub use self::{
    commit::Commit,
    orders::{Placed, Standing},
    stamped::{Extent, TaskStamp},
    state::FoundStatus,
};
pub use crate::task_names::names_of_tasks;
use crate::{
    Action, AttemptFile, Corruption, Disk, Durable, FileError, Layout, Location, Log, Records,
    Stored, disk::read_all, read::quarantine, read_record, read_records, task_names::names,
};

/// The files of one task.
pub struct TaskFiles<'a, D: Disk> {
    disk: &'a D,
    layout: &'a Layout,
    clock: &'a dyn Clock,
    task: &'a TaskId,
    /// Open from the first event on: its name is synced once, and not with every line.
    events: Rc<RefCell<Option<Log<'a, D>>>>,
    /// The state that these files wrote last, or found genuine.
    known: Rc<RefCell<Option<KnownStatus>>>,
}

impl<'a, D: Disk> TaskFiles<'a, D> {
    pub fn new(disk: &'a D, layout: &'a Layout, clock: &'a dyn Clock, task: &'a TaskId) -> Self {
        Self { disk, layout, clock, task, events: Rc::default(), known: Rc::default() }
    }

    pub fn task(&self) -> &'a TaskId {
        self.task
    }

    pub fn layout(&self) -> &'a Layout {
        self.layout
    }

    /// The spec that runs under this id.
    pub fn spec(&self) -> Result<Stored<RecordFile<TaskSpec>>, FileError> {
        self.read(&self.layout.task_spec(self.task))
    }

    /// What the index says of the task.
    pub fn index_entry(&self) -> Result<Stored<RecordFile<IndexEntry>>, FileError> {
        self.read(&self.layout.index_entry(self.task))
    }

    /// How an attempt was decided.
    pub fn decision(
        &self,
        attempt: AttemptNumber,
    ) -> Result<Stored<RecordFile<DecisionRecord>>, FileError> {
        self.read(&self.layout.attempt_file(self.task, attempt, AttemptFile::Decision))
    }

    /// What an attempt cost.
    pub fn metrics(
        &self,
        attempt: AttemptNumber,
    ) -> Result<Stored<RecordFile<Metrics>>, FileError> {
        self.read(&self.layout.attempt_file(self.task, attempt, AttemptFile::Metrics))
    }

    /// What an attempt has proven of its plan.
    pub fn proofs(&self, attempt: AttemptNumber) -> Result<Stored<RecordFile<Proofs>>, FileError> {
        self.read(&self.layout.attempt_file(self.task, attempt, AttemptFile::Proofs))
    }

    /// What happened to the task.
    pub fn events(&self) -> Result<Records<EventLine>, FileError> {
        read_records(self.disk, &self.layout.events(self.task))
    }

    /// The attempts that have a folder, in order.
    pub fn attempts(&self) -> Result<Vec<AttemptNumber>, FileError> {
        let names = names(self.disk, &self.layout.task(self.task))?;
        let number = |name: &String| {
            let digits = name.strip_prefix("attempt_").filter(|it| it.len() >= 3)?;
            digits.parse::<u16>().ok()?.try_into().ok()
        };
        let mut attempts: Vec<AttemptNumber> = names.iter().filter_map(number).collect();
        attempts.sort_unstable();
        Ok(attempts)
    }

    /// Adds an event of an attempt, durably; 0 is none.
    pub fn append_note(&self, note: Note, attempt: u16) -> Result<(), FileError> {
        self.append_event(note.line(self.task, attempt, self.clock.now()))
    }

    /// Adds an event with the next number, durably.
    fn append_event(&self, mut event: EventLine) -> Result<(), FileError> {
        let at = self.layout.events(self.task);
        let mut open = self.events.borrow_mut();
        let log = match &mut *open {
            Some(log) => log,
            None => open.insert(Log::open(self.disk, &at)?),
        };
        log.append_after(Durable::Now, |tail| {
            let last = tail.last_line()?.map(|it| serde_json::from_slice::<EventLine>(&it));
            event.value.seq = match last {
                None => 1,
                Some(Ok(last)) => last.value.seq.saturating_add(1),
                // A line that somebody else broke: count what can be read.
                Some(Err(_)) => {
                    let all = read_records::<D, EventLine>(self.disk, &at)?.records;
                    all.iter().map(|it| it.value.seq).max().unwrap_or(0).saturating_add(1)
                }
            };
            encode(&at, &event)
        })
    }

    /// Keeps a copy of a corrupt file of this task, and says where.
    pub fn put_aside(&self, at: &Location, corruption: &Corruption) -> Result<Location, FileError> {
        quarantine(self.disk, self.layout, self.clock, at, &corruption.bytes)
    }

    fn read<T: Record>(&self, at: &Location) -> Result<Stored<RecordFile<T>>, FileError> {
        read_record(self.disk, at)
    }
}

impl<D: Disk> Clone for TaskFiles<'_, D> {
    fn clone(&self) -> Self {
        Self { events: Rc::clone(&self.events), known: Rc::clone(&self.known), ..*self }
    }
}

impl<D: Disk> std::fmt::Debug for TaskFiles<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskFiles").field("task", &self.task).finish_non_exhaustive()
    }
}

/// Every task that the index knows, in the order of their names.
///
/// An entry that cannot be read is left out and named: the task's own files still say everything.
pub fn index<D: Disk>(
    disk: &D,
    layout: &Layout,
) -> Result<(Vec<IndexEntry>, Vec<Location>), FileError> {
    let folder = layout.index();
    let mut names = names(disk, &folder)?;
    let task = |name: &str| name.strip_suffix(".json")?.parse::<TaskId>().ok();
    names.retain(|name| task(name).is_some());
    let mut entries = Vec::with_capacity(names.len());
    let mut unreadable = Vec::new();
    let mut failed = None;
    let mut look = |name: &str, opened: std::io::Result<D::File>| {
        let Some(task) = task(name) else { return };
        match opened.and_then(|file| read_all(disk, &file)) {
            Ok(bytes) => match entry(&bytes).filter(|it| it.task_id == task) {
                Some(entry) => entries.push(entry),
                None => unreadable.push(layout.index_entry(&task)),
            },
            // Somebody removed it a moment ago.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                failed = Some(FileError::on(Action::Read, &layout.index_entry(&task))(error));
            }
        }
    };
    if !names.is_empty() {
        let opened = disk.open_each(&folder, &names, &mut look);
        opened.map_err(FileError::on(Action::Open, &folder))?;
    }
    failed.map_or(Ok((entries, unreadable)), Err)
}

/// Reads an entry of the index; what it holds besides is not looked at, and so costs nothing.
fn entry(bytes: &[u8]) -> Option<IndexEntry> {
    #[derive(serde::Deserialize)]
    struct Schema {
        #[serde(default)]
        schema: Option<String>,
    }
    let Schema { schema } = serde_json::from_slice(bytes).ok()?;
    let is_ours = schema.is_none_or(|it| it == IndexEntry::SCHEMA);
    is_ours.then(|| serde_json::from_slice(bytes).ok()).flatten()
}

/// The text of a file, up to so many bytes from its end; empty when it is absent.
///
/// What is not UTF-8 is replaced: these are logs, for people and for prompts.
pub fn read_tail<D: Disk>(disk: &D, at: &Location, most: u64) -> Result<String, FileError> {
    let file = match disk.open(at) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(FileError::on(Action::Open, at)(error)),
    };
    let fail = || FileError::on(Action::Read, at);
    let length = disk.len(&file).map_err(fail())?;
    if length <= most {
        let bytes = read_all(disk, &file).map_err(fail())?;
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    let mut bytes = vec![0; usize::try_from(most).unwrap_or(usize::MAX)];
    let read = disk.read_at(&file, &mut bytes, length - most).map_err(fail())?;
    bytes.truncate(read);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// At most so many bytes of a file from a place on, and how long the file is; one that is absent is
/// empty.
pub fn read_part<D: Disk>(
    disk: &D,
    at: &Location,
    from: u64,
    most: u64,
) -> Result<(Vec<u8>, u64), FileError> {
    let file = match disk.open(at) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        Err(error) => return Err(FileError::on(Action::Open, at)(error)),
    };
    let fail = || FileError::on(Action::Read, at);
    let length = disk.len(&file).map_err(fail())?;
    let wanted = usize::try_from(most.min(length.saturating_sub(from))).unwrap_or_default();
    let mut bytes = vec![0; wanted];
    let mut done = 0;
    while done < wanted {
        match disk.read_at(&file, &mut bytes[done..], from + done as u64).map_err(fail())? {
            0 => break,
            read => done += read,
        }
    }
    bytes.truncate(done);
    Ok((bytes, length))
}

/// One line of a log of JSON records.
fn encode(at: &Location, record: &impl serde::Serialize) -> Result<Vec<u8>, FileError> {
    serde_json::to_vec(record)
        .map_err(std::io::Error::from)
        .map_err(FileError::on(Action::Encode, at))
}
