//! Looking at a task, and holding it.
//!
//! A process that looks at a RUNNING task whose lock is free finds that its coordinator is gone,
//! and says so in its state, once. One that finds its files behind its status brings them in step.

use std::{sync::Arc, time::Duration};

use provost_form::nearest::nearest;
use provost_kernel::{
    Actor, Message, RecordFile, Source, TaskId, Text,
    task::{EventKind, Note, PauseCode, Status, TaskSpec},
};
use provost_rules_task::{
    edit::edited,
    overrides, spec,
    status::{self, CrashSignal},
};
use provost_vault::{
    Corruption, FileError, RealDisk, Stored,
    audit::{Event, Provenance},
    is_present,
    lock::{Holder, LockError, TaskLock},
    task::{Commit, FoundStatus, TaskFiles, index},
};
use serde_json::json;

use crate::{DISK, Desk, DeskError, HeldError, LookError};

/// How often, and after which time, a task is tried again that somebody holds for a moment.
pub(super) const PATIENCE: u32 = 100;
pub(super) const PAUSE: Duration = Duration::from_millis(20);

/// A task as one look found it.
#[derive(Clone, Debug)]
pub struct Looked {
    pub status: RecordFile<Status>,
    /// The process that runs it, if any.
    pub holder: Option<Box<Holder>>,
    /// The state's file, if it does not match the audit chain: it is shown, and nothing is built on
    /// it.
    pub altered: Option<String>,
}

/// A task that this process holds: no other can change its state.
#[derive(Debug)]
pub struct OpenTask<'a> {
    desk: &'a Desk,
    files: TaskFiles<'a, RealDisk>,
    /// Held until this is dropped.
    _lock: TaskLock,
    /// The spec as it was made.
    kept: RecordFile<TaskSpec>,
    /// The spec with what people changed of it.
    pub spec: RecordFile<TaskSpec>,
    pub status: RecordFile<Status>,
}

impl Desk {
    /// The spec of a task, with what people changed of it.
    pub fn spec(&self, task: &TaskId) -> Result<RecordFile<TaskSpec>, DeskError> {
        let kept = self.kept_spec(task)?;
        let status = self.files(task).status()?.present();
        Ok(status.map_or_else(|| Ok(kept.clone()), |it| edited(&kept, &it.value.edited))?)
    }

    /// The spec of a task, as it was made.
    pub(crate) fn kept_spec(&self, task: &TaskId) -> Result<RecordFile<TaskSpec>, DeskError> {
        let files = self.files(task);
        match files.spec()? {
            Stored::Present(spec) => Ok(spec),
            Stored::Absent if matches!(files.status()?, Stored::Absent) => Err(self.unknown(task)?),
            Stored::Absent => {
                let path = self.layout.task_spec(task).path().to_string();
                Err(LookError::NoSpec { path }.into())
            }
            Stored::Corrupt(Corruption { why, .. }) => {
                let path = self.layout.task_spec(task).path().to_string();
                Err(LookError::Unreadable { path, why }.into())
            }
        }
    }

    /// Looks at a task; one whose coordinator is gone is paused by that, and files that are behind
    /// the status are brought in step with it.
    pub fn look(&self, task: &TaskId) -> Result<Looked, DeskError> {
        let files = self.files(task);
        let mut still = None;
        match files.found_status_in(&self.recorded)? {
            Stored::Present(found) if !found.status.value.is_driven() => {
                let is_settled = self.is_in_step(&found.status.value)?;
                let looked = self.looked(found, None);
                if is_settled || looked.altered.is_some() {
                    return Ok(looked);
                }
                still = Some(looked);
            }
            Stored::Absent if matches!(files.spec()?, Stored::Absent) => {
                return Err(self.unknown(task)?);
            }
            Stored::Present(_) | Stored::Absent | Stored::Corrupt(_) => {}
        }
        match (self.hold(task), still) {
            (Ok(open), _) => Ok(Looked { status: open.status, holder: None, altered: None }),
            (Err(DeskError::Held(HeldError { task, holder })), _) => {
                match files.found_status_in(&self.recorded)? {
                    Stored::Present(found) => {
                        let is_running = found.status.value.is_driven();
                        Ok(self.looked(found, holder.filter(|_| is_running)))
                    }
                    Stored::Absent | Stored::Corrupt(_) => Err(HeldError { task, holder }.into()),
                }
            }
            // What stands beside the state can wait until the spec is there again.
            (Err(DeskError::Look(_)), Some(looked)) => Ok(looked),
            (Err(error @ DeskError::Look(LookError::StatusAltered { .. })), None) => {
                let found = files.found_status()?.present();
                found.map(|it| self.looked(it, None)).ok_or(error)
            }
            (Err(error), _) => Err(error),
        }
    }

    /// The state of a task; one that does not match the audit chain is refused.
    fn trusted_status(
        &self,
        files: &TaskFiles<'_, RealDisk>,
    ) -> Result<Stored<RecordFile<Status>>, DeskError> {
        Ok(match files.found_status()? {
            Stored::Present(found) => Stored::Present(self.looked(found, None).trusted()?.status),
            Stored::Absent => Stored::Absent,
            Stored::Corrupt(it) => Stored::Corrupt(it),
        })
    }

    fn looked(&self, found: FoundStatus, holder: Option<Box<Holder>>) -> Looked {
        let FoundStatus { status, provenance } = found;
        let path = || self.layout.status(&status.value.task_id).path().to_string();
        let altered = (provenance == Provenance::Altered).then(path);
        Looked { status, holder, altered }
    }

    /// Whether nothing shows that a crash kept what follows from a status from being written.
    fn is_in_step(&self, status: &Status) -> Result<bool, DeskError> {
        let task = &status.task_id;
        let index = self.files(task).index_entry()?.present();
        let is_indexed = index.is_some_and(|it| it.value.state_version >= status.state_version);
        Ok(is_indexed && is_present(&self.layout.events(task)))
    }

    /// Takes hold of a task that exists.
    ///
    /// What a crash left is settled first: files that are behind the status, a coordinator that is
    /// gone, a status that cannot be read (then the task is paused and this is an error). A spec
    /// that is not the one that the task was made from is refused, as is a state that does not match
    /// the audit chain, and nothing is written.
    pub fn hold<'a>(&'a self, task: &'a TaskId) -> Result<OpenTask<'a>, DeskError> {
        let kept = self.kept_spec(task)?;
        let lock = self.lock(task)?;
        let files = self.files(task);
        files.check_readable()?;
        let found = self.trusted_status(&files)?;
        if let Stored::Present(status) = &found {
            self.check_unaltered(&status.value, &kept)?;
        }
        files.follow_orders()?;
        let status = match found {
            Stored::Present(status) => status,
            Stored::Absent => self.rebuild(&files, &kept.value, None)?,
            Stored::Corrupt(corruption) => {
                let at = self.layout.status(task);
                let kept_as = files.put_aside(&at, &corruption)?.path().to_string();
                self.rebuild(&files, &kept.value, Some(&kept_as))?;
                let path = at.path().to_string();
                return Err(LookError::Corrupt { task: task.clone(), path, kept_as }.into());
            }
        };
        files.reconcile(&status)?;
        let spec = edited(&kept, &status.value.edited)?;
        let mut open = OpenTask { desk: self, files, _lock: lock, kept, spec, status };
        if open.status.value.is_driven() {
            open.crashed(CrashSignal { signal_or_rc: None, name: None })?;
        }
        Ok(open)
    }

    /// Takes hold of a task that does not exist yet, and writes it; none when it exists by now.
    ///
    /// A task that has lost its spec gets it back if this is the one that it was made from.
    pub fn create<'a>(
        &'a self,
        task: &'a TaskId,
        spec: RecordFile<TaskSpec>,
        status: Status,
        entry: &Event,
    ) -> Result<Option<OpenTask<'a>>, DeskError> {
        let lock = self.lock(task)?;
        let files = self.files(task);
        match (files.spec()?, self.trusted_status(&files)?) {
            (Stored::Absent, Stored::Absent) => {}
            (Stored::Absent, Stored::Present(known)) => {
                put_back(&files, &spec, known)?;
                return Ok(None);
            }
            (Stored::Present(_) | Stored::Corrupt(_), _) | (_, Stored::Corrupt(_)) => {
                return Ok(None);
            }
        }
        let TaskSpec { repo_path, base_ref, .. } = &spec.value;
        let summary = format!("repo={repo_path} base={base_ref}");
        let notes = vec![Note::new(EventKind::TaskCreated, summary)];
        let commit = Commit { status: RecordFile::new(status), notes };
        let status = files.create_audited(&spec, entry, commit)?;
        let kept = spec.clone();
        Ok(Some(OpenTask { desk: self, files, _lock: lock, kept, spec, status }))
    }

    /// There is no such task, and this may have been meant.
    pub(crate) fn unknown(&self, task: &TaskId) -> Result<DeskError, FileError> {
        let nearest = self.nearest(task)?;
        Ok(LookError::Unknown { task: task.clone(), nearest }.into())
    }

    /// The task whose id is nearest to one that no task has.
    pub fn nearest(&self, task: &TaskId) -> Result<Option<String>, FileError> {
        let (entries, _) = index(&DISK, &self.layout)?;
        let known = entries.iter().map(|it| it.task_id.as_str());
        let known = known.filter(|it| *it != task.as_str());
        Ok(nearest(task.as_str(), known).map(str::to_owned))
    }

    /// Refuses a spec that is not the one that the task was made from. A status of a version that
    /// kept no digest takes any.
    fn check_unaltered(
        &self,
        status: &Status,
        spec: &RecordFile<TaskSpec>,
    ) -> Result<(), DeskError> {
        match status.kept_spec_digest.or(status.spec_digest) {
            Some(kept) if !spec::is_known_by(spec, kept) => {
                let path = self.layout.task_spec(&status.task_id).path().to_string();
                Err(LookError::Altered { path }.into())
            }
            Some(_) | None => Ok(()),
        }
    }

    pub(super) fn lock(&self, task: &TaskId) -> Result<TaskLock, DeskError> {
        let lock = self.acquire(task)?;
        if let Some((why, holder)) = lock.taken_over() {
            let pid = holder.as_ref().map(|it| it.process.pid);
            let note = Note::new(EventKind::LockStaleCleared, format!("{why:?}"))
                .with(&json!({ "reason": why, "pid": pid, "holder": holder }));
            self.files(task).append_note(note, 0)?;
        }
        Ok(lock)
    }

    /// Takes the lock. Who holds a task that does not run is only taking an order or looking, and
    /// is waited for.
    fn acquire(&self, task: &TaskId) -> Result<TaskLock, DeskError> {
        let at = self.layout.task_lock(task);
        let mut tries = 0;
        loop {
            let holder = match TaskLock::acquire(&at, Arc::clone(&self.clock), self.timing) {
                Err(LockError::Held { holder, .. }) => holder,
                acquired => return Ok(acquired?),
            };
            let status = self.files(task).status()?.present();
            let is_running = status.is_some_and(|it| it.value.is_driven());
            tries += 1;
            if is_running || tries > PATIENCE {
                return Err(HeldError { task: task.clone(), holder }.into());
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Writes a status where there is none that can be read.
    fn rebuild(
        &self,
        files: &TaskFiles<'_, RealDisk>,
        spec: &TaskSpec,
        kept_as: Option<&str>,
    ) -> Result<RecordFile<Status>, DeskError> {
        let attempts = files.attempts()?;
        let mut consumed: u16 = 0;
        for &attempt in &attempts {
            let decided = files.decision(attempt)?.present();
            let counts = decided.is_some_and(|it| it.value.decision.consume_attempt);
            consumed = consumed.saturating_add(u16::from(counts));
        }
        let index = files.index_entry()?.present().map(|it| it.value);
        let (mut status, mut notes) = status::rebuilt(
            spec,
            index.as_ref(),
            attempts.last().copied(),
            consumed,
            self.clock.now(),
        );
        status.edited = overrides::current(&files.overrides()?).fields;
        status.spec_digest = files.spec()?.present().and_then(|it| spec::digest(&it).ok());
        if let Some(kept_as) = kept_as {
            notes.push(
                Note::new(EventKind::StateQuarantined, "status.json")
                    .with(&json!({ "kept_as": kept_as })),
            );
        }
        let entry = by_provost("task.rebuilt", files.task(), json!({ "kept_as": kept_as }));
        Ok(files.commit_audited(&entry, Commit { status: RecordFile::new(status), notes })?)
    }
}

impl<'a> OpenTask<'a> {
    pub fn desk(&self) -> &'a Desk {
        self.desk
    }

    pub fn task(&self) -> &'a TaskId {
        self.files.task()
    }

    /// The spec as it was made.
    pub(super) fn kept(&self) -> &RecordFile<TaskSpec> {
        &self.kept
    }

    pub fn files(&self) -> &TaskFiles<'a, RealDisk> {
        &self.files
    }

    /// Writes the next status, with its events.
    pub fn commit(&mut self, status: Status, notes: Vec<Note>) -> Result<(), DeskError> {
        let status = RecordFile { value: status, rest: self.status.rest.clone() };
        self.status = self.files.commit(Commit { status, notes })?;
        self.spec = edited(&self.kept, &self.status.value.edited)?;
        Ok(())
    }

    /// Writes the next status, with its events and its entry in the audit chain.
    pub fn commit_audited(
        &mut self,
        entry: &Event,
        status: Status,
        notes: Vec<Note>,
    ) -> Result<(), DeskError> {
        let status = RecordFile { value: status, rest: self.status.rest.clone() };
        self.status = self.files.commit_audited(entry, Commit { status, notes })?;
        Ok(())
    }

    /// Says in the state that the coordinator ended in the middle of an attempt.
    pub fn crashed(&mut self, signal: CrashSignal) -> Result<(), DeskError> {
        let detail = json!({ "signal": signal.name, "code": PauseCode::Crash });
        let now = self.desk.clock.now();
        let (status, notes) = status::crashed(&self.status.value, signal, now);
        self.commit_audited(&by_provost("task.crashed", self.task(), detail), status, notes)
    }
}

/// Puts the spec of a task back, if it is the one that the task was made from.
fn put_back(
    files: &TaskFiles<'_, RealDisk>,
    spec: &RecordFile<TaskSpec>,
    known: RecordFile<Status>,
) -> Result<(), DeskError> {
    let digest = known.value.kept_spec_digest.or(known.value.spec_digest);
    let Some(digest) = digest.filter(|it| spec::is_known_by(spec, *it)) else {
        return Ok(());
    };
    files.reconcile(&known)?;
    let version = known.value.state_version.saturating_add(1);
    let status = RecordFile { value: Status { state_version: version, ..known.value }, ..known };
    let notes = vec![Note::new(EventKind::TaskCreated, "the spec was missing and is put back")];
    let entry = by_provost("task.spec_put_back", files.task(), json!({ "spec_digest": digest }));
    files.create_audited(spec, &entry, Commit { status, notes })?;
    Ok(())
}

/// An entry about what provost does by itself.
pub(crate) fn by_provost(action: &str, task: &TaskId, detail: serde_json::Value) -> Event {
    Event {
        actor: Actor { source: Source::Provost, id: "provost".to_owned() },
        action: action.to_owned(),
        subject: format!("task:{task}"),
        request_id: None,
        detail,
    }
}

/// The process that runs a task.
#[derive(Debug, Message)]
#[message(code = "task.holder", en = "process {pid} on {host}", zh = "{host} 上的进程 {pid}")]
struct HolderProcess {
    pid: u32,
    host: String,
}

impl Looked {
    /// The same, for a caller that builds on the state; one that does not match the chain is refused.
    pub fn trusted(self) -> Result<Self, LookError> {
        match self.altered {
            Some(path) => Err(LookError::StatusAltered { task: self.status.value.task_id, path }),
            None => Ok(self),
        }
    }

    /// Who runs the task, for a person.
    pub fn holder_text(&self) -> Option<Text> {
        let process = &self.holder.as_ref()?.process;
        Some(HolderProcess { pid: process.pid, host: process.host.clone() }.text())
    }
}
