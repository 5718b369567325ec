//! The ledger of a mission, `accounts.jsonl`: each line is in the audit chain before it is written.
//!
//! The chain holds the lines themselves, so what a crash cut off is written again from there, and
//! a line that was changed, removed or added by hand differs from what the chain says.

mod chain;

use std::sync::Arc;

use camino::Utf8PathBuf;
use provost_kernel::{Actor, Clock, Message, learn::MissionName};
use serde_json::json;

use self::chain::Batch;
use super::{MissionLog, subject};
use crate::{
    Disk, Durable, FileError, Layout, Location, RealDisk,
    audit::{Audit, AuditError, Event},
    lines,
    lock::{LockError, TaskLock, Timing},
    write_atomic,
};

/// The ledger of one mission, for the one process that writes it.
#[derive(Debug)]
pub struct AccountLog<D: Disk = RealDisk> {
    disk: D,
    layout: Layout,
    mission: MissionName,
    lines: Vec<String>,
    /// Held for its end; a simulated disk has no other process.
    _lock: Option<TaskLock>,
}

/// Why a ledger cannot be read or continued.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.account_log")]
pub enum AccountLogError {
    #[error(transparent)]
    #[message(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    #[message(transparent)]
    Audit(#[from] AuditError),
    /// Another process writes the ledger.
    #[error(transparent)]
    #[message(transparent)]
    Lock(#[from] LockError),
    #[message(
        en = "line {line} of `{path}` is not the one in the audit chain",
        zh = "`{path}` 第 {line} 行与审计链中的不符",
        hint(
            en = "`provost audit verify` checks the chain itself; restore the file from a backup",
            zh = "`provost audit verify` 检查审计链本身；请从备份恢复该文件"
        ),
        exit = Integrity
    )]
    Differs { path: Utf8PathBuf, line: u64 },
}

const ACTION: &str = "learn.account";
const LOCK: &str = "accounts.lock";

impl AccountLog {
    /// Opens the ledger, or says which process writes it. What a crash kept from the file is written.
    pub fn open(
        layout: &Layout,
        mission: &MissionName,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, AccountLogError> {
        let at = layout.mission(mission).join(LOCK);
        let lock = TaskLock::acquire(&at, clock, Timing::default())?;
        Self::with(RealDisk, layout, mission, Some(lock))
    }
}

impl<D: Disk> AccountLog<D> {
    /// The ledger on a disk of its own.
    #[cfg(test)]
    pub(crate) fn on(
        disk: D,
        layout: &Layout,
        mission: &MissionName,
    ) -> Result<Self, AccountLogError> {
        Self::with(disk, layout, mission, None)
    }

    fn with(
        disk: D,
        layout: &Layout,
        mission: &MissionName,
        lock: Option<TaskLock>,
    ) -> Result<Self, AccountLogError> {
        let (lines, unwritten) = checked(&disk, layout, mission)?;
        if unwritten > 0 {
            write(&disk, &place(layout, mission), &lines)?;
        }
        let (layout, mission) = (layout.clone(), mission.clone());
        Ok(Self { disk, layout, mission, lines, _lock: lock })
    }

    /// Every line so far.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Adds lines, all of them or none, durably: to the chain, then to the file.
    pub fn append(
        &mut self,
        texts: Vec<String>,
        actor: &Actor,
        clock: &dyn Clock,
    ) -> Result<(), AccountLogError> {
        if texts.is_empty() {
            return Ok(());
        }
        let batch = Batch { line: count(self.lines.len()).saturating_add(1), texts };
        let event = Event {
            actor: actor.clone(),
            action: ACTION.to_owned(),
            subject: subject(&self.mission),
            request_id: None,
            detail: json!({"line": batch.line, "texts": batch.texts}),
        };
        let mut chain = Audit::open(&self.disk, &self.layout)?;
        let head = chain.append(&event, clock, Durable::Now)?;
        chain.store_head(head, ACTION, clock)?;
        self.lines.extend(batch.texts);
        Ok(write(&self.disk, &place(&self.layout, &self.mission), &self.lines)?)
    }
}

/// Every line of a ledger, checked against the chain; nothing is written. Lines that a crash kept from
/// the file count: they are in the chain.
pub fn read_accounts<D: Disk>(
    disk: &D,
    layout: &Layout,
    mission: &MissionName,
) -> Result<Vec<String>, AccountLogError> {
    checked(disk, layout, mission).map(|(lines, _)| lines)
}

/// The lines, and how many of the last ones the file lacks.
fn checked<D: Disk>(
    disk: &D,
    layout: &Layout,
    mission: &MissionName,
) -> Result<(Vec<String>, usize), AccountLogError> {
    let at = place(layout, mission);
    let differs = |index: usize| {
        let line = count(index).saturating_add(1);
        AccountLogError::Differs { path: at.path(), line }
    };
    let mut written = Vec::new();
    for line in lines(disk, &at)? {
        let number = written.len();
        written.push(String::from_utf8(line?).map_err(|_| differs(number))?);
    }
    let chain = chain::read(disk, layout, &subject(mission))?;
    // A chain that a person began anew knows only the lines that came after.
    let first = match chain.batches.first() {
        _ if chain.is_whole => 0,
        Some(it) => index(it.line),
        None => written.len(),
    };
    let n_last = chain.batches.last().map_or(0, |it| it.texts.len());
    let mut audited = Vec::new();
    for Batch { line, texts } in chain.batches {
        if index(line) != first.saturating_add(audited.len()) {
            return Err(differs(first.saturating_add(audited.len())));
        }
        audited.extend(texts);
    }
    let total = first.saturating_add(audited.len());
    let known = written.get(first..).ok_or_else(|| differs(written.len()))?;
    if let Some(at) = known.iter().zip(&audited).position(|(known, said)| known != said) {
        return Err(differs(first + at));
    }
    // A crash keeps lines of the last batch from the file, and of no other.
    let unwritten = total.saturating_sub(written.len());
    if written.len() > total || unwritten > n_last {
        return Err(differs(written.len().min(total)));
    }
    let rest = audited.len() - unwritten;
    written.extend(audited.drain(rest..));
    Ok((written, unwritten))
}

/// Replaces the file as a whole: of lines that are added one by one, a crash keeps later ones and loses
/// earlier ones.
fn write<D: Disk>(disk: &D, at: &Location, lines: &[String]) -> Result<(), FileError> {
    let mut text = lines.join("\n");
    text.push('\n');
    write_atomic(disk, at, text.as_bytes()).map(drop)
}

fn place(layout: &Layout, mission: &MissionName) -> Location {
    layout.mission(mission).join(MissionLog::Accounts.file_name())
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// The place of a line, which is numbered from 1 on.
fn index(line: u64) -> usize {
    usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
