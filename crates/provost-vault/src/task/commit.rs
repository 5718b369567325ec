//! One step of a task: its status, and what follows from it.

use std::io;

use provost_kernel::{
    Actor, Digest, RecordFile, Source,
    task::{
        Creation, EventKind, EventLine, FinalSummary, IndexEntry, Note, Review, State,
        StateChanged, Status, TaskSpec,
    },
};
use serde_json::{Value, json};

use super::{TaskFiles, state::KnownStatus};
use crate::{
    Action, AttemptFile, Disk, FileError, Stored,
    audit::{self, Audit, AuditError, StatusChange, status_digest},
    read_json, read_record, write_json,
};

/// A status to be written, and the events that belong to it.
#[derive(Clone, Debug)]
pub struct Commit {
    pub status: RecordFile<Status>,
    pub notes: Vec<Note>,
}

/// What the files that follow from a status hold so far.
struct Known {
    summary: Option<RecordFile<FinalSummary>>,
    index: Option<RecordFile<IndexEntry>>,
}

/// Names the creation of a task: another one that gets its id later is known apart.
fn named(note: Note) -> Note {
    if note.kind != EventKind::TaskCreated {
        return note;
    }
    let name = uuid::Uuid::new_v4().simple().to_string();
    note.with(&json!({ Creation::KEY: name.get(..16) }))
}

/// Which write an event belongs to.
const STATE_VERSION: &str = "state_version";

impl<D: Disk> TaskFiles<'_, D> {
    /// Writes a new task: its spec first, so that a status never stands alone.
    pub fn create_audited(
        &self,
        spec: &RecordFile<TaskSpec>,
        entry: &audit::Event,
        commit: Commit,
    ) -> Result<RecordFile<Status>, AuditError> {
        let at = self.layout.task_spec(self.task);
        write_json(self.disk, &at, spec)?;
        let commit = Commit { notes: commit.notes.into_iter().map(named).collect(), ..commit };
        let created = self.commit_audited(entry, commit);
        // A spec without a status would be taken for that of another task.
        if created.as_ref().is_err_and(AuditError::is_refusal) {
            self.disk.remove(&at).map_err(FileError::on(Action::Remove, &at))?;
        }
        created
    }

    /// Writes a status, and everything that follows from it. Its digest is entered in the audit
    /// chain, under provost's own name.
    ///
    /// The caller holds the lock of the task. After a crash at any step the status is the old one
    /// or the new one, and [`reconcile`](TaskFiles::reconcile) completes the rest, once.
    pub fn commit(&self, commit: Commit) -> Result<RecordFile<Status>, AuditError> {
        let Status { state, state_version, .. } = &commit.status.value;
        let entry = audit::Event {
            actor: Actor { source: Source::Provost, id: "provost".to_owned() },
            action: "task.state".to_owned(),
            subject: format!("task:{}", self.task),
            request_id: None,
            detail: json!({ "state": state, "state_version": state_version }),
        };
        let mut chain = Audit::open(self.disk, self.layout)?;
        Ok(self.write(&mut chain, &entry, commit)?.0)
    }

    /// Enters a status in the chain, and writes it and everything that follows from it.
    fn write(
        &self,
        chain: &mut Audit<'_, D>,
        entry: &audit::Event,
        commit: Commit,
    ) -> Result<(RecordFile<Status>, audit::Head), AuditError> {
        let Commit { mut status, notes } = commit;
        let follows = self.following()?;
        let (version, attempt) = (status.value.state_version, status.value.current_attempt);
        let change = StateChanged::of(&status.value);
        let line = |note: Note| {
            let note = if note.kind == EventKind::StateChanged { note.with(&change) } else { note };
            let mut line = note.line(self.task, attempt, self.clock.now());
            line.rest.insert(STATE_VERSION.to_owned(), version.into());
            line
        };
        status.value.outbox = notes.into_iter().map(line).collect();
        let (from, to) = (self.replaced()?, self.digest_of(&status)?);
        let change = StatusChange { task: self.task.clone(), from, to };
        let head = chain.append_status(status.value.audit_head, entry, change, self.clock)?;
        status.value.audit_head = Some(head);
        write_json(self.disk, &self.layout.status(self.task), &status)?;
        *self.known.borrow_mut() = Some(KnownStatus::Written(to));
        for event in &status.value.outbox {
            self.append_event(event.clone())?;
        }
        self.follow(&status.value, follows)?;
        Ok((status, head))
    }

    fn digest_of(&self, status: &RecordFile<Status>) -> Result<Digest, FileError> {
        let fail = || FileError::on(Action::Encode, &self.layout.status(self.task));
        let value = serde_json::to_value(status).map_err(io::Error::from).map_err(fail())?;
        status_digest(value).ok_or_else(|| fail()(io::ErrorKind::InvalidData.into()))
    }

    /// Commits what is also recorded in the audit chain.
    ///
    /// The entry comes before its effect, the head of the chain stands in the status, and is
    /// stored apart afterwards. A chain that is behind the head in the status takes no entry.
    pub fn commit_audited(
        &self,
        entry: &audit::Event,
        commit: Commit,
    ) -> Result<RecordFile<Status>, AuditError> {
        let mut chain = Audit::open(self.disk, self.layout)?;
        let (status, head) = self.write(&mut chain, entry, commit)?;
        chain.store_head(head, &entry.action, self.clock)?;
        Ok(status)
    }

    /// Completes what a crash may have left undone after a status was written.
    ///
    /// The caller holds the lock of the task, and nothing of it has been written since.
    pub fn reconcile(&self, status: &RecordFile<Status>) -> Result<(), FileError> {
        let (status, known) = (&status.value, self.following()?);
        let version = Value::from(status.state_version);
        let events = self.events()?.records;
        let belongs = |it: &&EventLine| it.rest.get(STATE_VERSION) == Some(&version);
        let present = events.iter().filter(belongs).count();
        for event in status.outbox.iter().skip(present) {
            self.append_event(event.clone())?;
        }
        self.follow(status, known)
    }

    /// Refuses, before anything is written, a task of which a newer version wrote a file that
    /// would have to be written.
    pub fn check_readable(&self) -> Result<(), FileError> {
        self.following().map(drop)
    }

    fn following(&self) -> Result<Known, FileError> {
        let summary = read_record(self.disk, &self.layout.final_summary(self.task))?.present();
        let index = read_record(self.disk, &self.layout.index_entry(self.task))?.present();
        Ok(Known { summary, index })
    }

    /// Brings the summary, the review and the index in step with a status.
    fn follow(&self, status: &Status, known: Known) -> Result<(), FileError> {
        if status.state != State::Running {
            self.follow_in_summary(status, known.summary)?;
        }
        if let Some(review) = &status.review {
            self.follow_in_review(review)?;
        }
        let at = self.layout.index_entry(self.task);
        let known = known.index;
        if known.as_ref().is_some_and(|it| it.value == IndexEntry::of(status)) {
            return Ok(());
        }
        let rest = known.map(|it| it.rest).unwrap_or_default();
        write_json(self.disk, &at, &RecordFile { value: IndexEntry::of(status), rest }).map(drop)
    }

    fn follow_in_summary(
        &self,
        status: &Status,
        known: Option<RecordFile<FinalSummary>>,
    ) -> Result<(), FileError> {
        let at = self.layout.final_summary(self.task);
        let summary = FinalSummary::of(status, self.head_commit(status)?);
        if known.as_ref().is_some_and(|it| it.value == summary) {
            return Ok(());
        }
        let rest = known.map(|it| it.rest).unwrap_or_default();
        write_json(self.disk, &at, &RecordFile { value: summary, rest }).map(drop)
    }

    fn follow_in_review(&self, review: &Review) -> Result<(), FileError> {
        let at = self.layout.review(self.task);
        match read_json::<D, Review>(self.disk, &at)? {
            Stored::Present(known) if known == *review => Ok(()),
            Stored::Present(_) | Stored::Absent | Stored::Corrupt(_) => {
                write_json(self.disk, &at, review).map(drop)
            }
        }
    }

    /// The commit of the newest attempt's result, if there is one.
    fn head_commit(&self, status: &Status) -> Result<Option<String>, FileError> {
        let Ok(attempt) = status.current_attempt.try_into() else { return Ok(None) };
        let at = self.layout.attempt_file(self.task, attempt, AttemptFile::HeadCommit);
        let text = super::read_tail(self.disk, &at, 1024)?;
        Ok(Some(text.trim().to_owned()).filter(|it| !it.is_empty()))
    }
}
