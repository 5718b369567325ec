//! What people are told: the changes of tasks, read from their events into the outbox.
//!
//! Every change of a state is an event that is written with it, so a task that moved on twice between
//! two looks is told about twice. A look at a running task also finds a coordinator that is gone.

use std::collections::BTreeSet;

use provost_kernel::{
    AttemptNumber, Clock as _, Millis, TaskId,
    notify::Notice,
    task::{Creation, State},
};
pub use provost_rules::rate::Bucket;
pub use provost_rules_task::notice::{Parcel, parcels};
use provost_rules_task::notice::{guard_failure, notices, with_reasons};
pub use provost_vault::notify::{OutboxState, SenderRank};
use provost_vault::{
    Disk as _, FileError, RealDisk, Stored, SystemClock,
    audit::{More, read_back},
    notify::{LogStamp, Outbox, OutboxCursor, OutboxSender, SenderPresence, TaskCursor},
    task::names_of_tasks,
};

use crate::{DISK, Desk, DeskError, LookError};

/// A target that took something within so many milliseconds is told also by who does not know it.
const REMEMBERED: u64 = 30 * 24 * 60 * 60 * 1000;

/// One line of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticeLine {
    pub text: String,
    /// Whether somebody else wrote it: nothing in it is a command, a link or a name to be called.
    pub is_quoted: bool,
}

/// The one process that sends, for as long as it lives.
#[derive(Debug)]
pub struct Sender<'a> {
    desk: &'a Desk,
    outbox: OutboxSender<'a, RealDisk>,
}

/// Says that a process of a rank runs, for as long as it lives.
#[derive(Debug)]
pub struct Presence<'a>(#[expect(dead_code, reason = "it is held")] SenderPresence<'a, RealDisk>);

impl Desk {
    /// The right to send, for a process of this rank; none while another process has it, or one of a
    /// better rank runs (ruling 93).
    pub fn sender(&self, rank: SenderRank) -> Result<Option<Sender<'_>>, FileError> {
        let outbox = self.outbox();
        if outbox.is_outranked(rank)? {
            return Ok(None);
        }
        Ok(outbox.acquire()?.map(|outbox| Sender { desk: self, outbox }))
    }

    /// Says that a process of this rank runs; none where another one of the rank does.
    pub fn announce_sender(&self, rank: SenderRank) -> Result<Option<Presence<'_>>, FileError> {
        Ok(self.outbox().announce(rank)?.map(Presence))
    }

    /// What the outbox holds.
    pub fn outbox_state(&self) -> Result<OutboxState, FileError> {
        self.outbox().read()
    }

    fn outbox(&self) -> Outbox<'_, RealDisk> {
        Outbox::new(&DISK, &self.layout, &*self.clock)
    }
}

impl Sender<'_> {
    /// Notes for these targets what has changed since the last time, and says how much that was. The
    /// first time nothing is told: only what happens from then on is news.
    pub fn collect(&self, targets: &[String]) -> Result<usize, DeskError> {
        let before = self.outbox.cursor()?;
        let is_first = before.is_none();
        let mut cursor = before.unwrap_or_default();
        OutboxCursor::SCHEMA.clone_into(&mut cursor.schema);
        let old = cursor.clone();
        let names = names_of_tasks(&DISK, self.desk.layout())?;
        cursor.tasks.retain(|task, _| names.binary_search(task).is_ok());
        let mut notices = Vec::new();
        for task in &names {
            let from = cursor.tasks.get(task).cloned().unwrap_or_default();
            if let Some((to, found)) = self.changes(task, &from)? {
                notices.extend(found);
                cursor.tasks.insert(task.clone(), to);
            }
        }
        notices.extend(self.guard_failures(&mut cursor)?);
        if is_first {
            notices.clear();
        }
        notices.sort_by_key(|it: &Notice| it.at);
        let known = if notices.is_empty() { OutboxState::default() } else { self.outbox.read()? };
        notices.retain(|it| !known.knows(&it.id()));
        let since = Millis(self.desk.clock().millis().0.saturating_sub(REMEMBERED));
        let mut all: BTreeSet<&str> = targets.iter().map(String::as_str).collect();
        all.extend(known.accounts(since));
        let all: Vec<String> = all.into_iter().map(str::to_owned).collect();
        self.outbox.note(&notices, &all)?;
        if is_first || cursor != old {
            self.outbox.store_cursor(&cursor)?;
        }
        Ok(notices.len())
    }

    pub fn state(&self) -> Result<OutboxState, FileError> {
        self.outbox.read()
    }

    /// Records that a target took these, with what its rate limit has left.
    pub fn sent(&self, target: &str, notices: &[&Notice], units: u64) -> Result<(), FileError> {
        let notices = notices.iter().map(|it| it.id()).collect();
        self.outbox.sent(target, notices, units)
    }

    /// Rewrites an outbox that has grown long.
    pub fn compact(&mut self) -> Result<(), FileError> {
        self.outbox.compact().map(drop)
    }

    /// The notices of a task behind a place in its events, and the new place; none where nothing happened.
    fn changes(
        &self,
        task: &TaskId,
        from: &TaskCursor,
    ) -> Result<Option<(TaskCursor, Vec<Notice>)>, DeskError> {
        // A task that was never seen may have been left without a state, which a look mends.
        let is_gone = (from.runs || from.seq == 0) && !self.is_running(task)?;
        let at = self.desk.layout().events(task);
        let Ok(stat) = DISK.stat(&at) else { return Ok(None) };
        // The times of files are those of the system, whatever the clock of the desk says.
        let stamp = LogStamp::of(stat.stamp, SystemClock.millis());
        if stamp.is_some() && stamp == from.stamp && !is_gone {
            return Ok(None);
        }
        let events = self.desk.files(task).events()?.records;
        let creation = Creation::of(&events);
        // Nothing was told of a task that was made again under the id of one that was removed.
        let is_other = from.creation.is_some() && creation.is_some() && from.creation != creation;
        let after = if is_other { 0 } else { from.seq };
        let seq = events.iter().map(|it| it.value.seq).max().unwrap_or_default();
        let notices = notices(&events, after).into_iter().map(|it| self.explained(task, it));
        let notices = notices.collect();
        let to = TaskCursor { seq, stamp, creation, runs: self.is_running(task)? };
        Ok(Some((to, notices)))
    }

    /// A notice with the reasons that the record of its attempt gives. The record is older than the
    /// event, so it is there also after a crash; one that cannot be read holds up no news.
    fn explained(&self, task: &TaskId, notice: Notice) -> Notice {
        let Ok(attempt) = AttemptNumber::try_from(notice.attempt) else { return notice };
        let record = self.desk.files(task).decision(attempt).ok().and_then(Stored::present);
        match record {
            Some(record) => with_reasons(notice, &record.value),
            None => notice,
        }
    }

    /// Whether a task runs. A look at one whose coordinator is gone pauses it.
    fn is_running(&self, task: &TaskId) -> Result<bool, DeskError> {
        match self.desk.look(task) {
            Ok(looked) => Ok(looked.status.value.state == State::Running),
            // Whatever is wrong with one task holds up no news of the others.
            Err(
                DeskError::Look(LookError::Unknown { .. } | LookError::Corrupt { .. })
                | DeskError::Held(_),
            ) => Ok(false),
            Err(error) => match error.unreadable() {
                Some(_) => Ok(false),
                None => Err(error),
            },
        }
    }

    /// The tool calls that the guard could not judge since, from the audit chain.
    fn guard_failures(&self, cursor: &mut OutboxCursor) -> Result<Vec<Notice>, DeskError> {
        let seen = cursor.audit;
        let mut failures = Vec::new();
        read_back(&DISK, self.desk.layout(), None, |line| {
            let Some(entry) = line.entry else { return More::Yes };
            if entry.seq <= seen {
                return More::No;
            }
            cursor.audit = cursor.audit.max(entry.seq);
            if entry.action == "guard.refused" {
                let error = entry.detail["error"].as_str().unwrap_or_default();
                failures.push(guard_failure(entry.seq, entry.at, error));
            }
            More::Yes
        })?;
        Ok(failures)
    }
}
