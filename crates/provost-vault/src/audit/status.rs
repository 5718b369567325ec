//! The digests of `status.json` in the chain: whether a state is one that provost wrote.
//!
//! An entry names the digest of the state that it replaces and of the one that it announces, and is
//! durable before the file is renamed. So the newest entry of a task names the state on the disk
//! however often the machine stopped between the two, and no other state does.

use std::{collections::BTreeMap, io};

use memchr::{memchr, memmem, memrchr};
use provost_kernel::{Digest, TaskId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Body, read_link};
use crate::{Action, Disk, FileError, Layout};

/// How a state follows another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusChange {
    pub task: TaskId,
    /// The digest of the state before; none for the first one, and for one that takes the place of
    /// a file that could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Digest>,
    pub to: Digest,
}

/// Where a state comes from, as far as the chain knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// provost wrote it, and it is the newest.
    Genuine,
    /// The chain has no digest of the task: an earlier version wrote its state.
    Unrecorded,
    /// It is neither of the two newest states.
    Altered,
}

/// The newest change of the state of each task.
#[derive(Clone, Debug, Default)]
pub struct Statuses {
    /// With the number of the entry.
    tasks: BTreeMap<TaskId, (u64, StatusChange)>,
}

/// Stands in every line that has a change, and in few others.
const KEY: &[u8] = b"\"task_status\":{";
/// How much of the chain is read at once.
const PIECE: usize = 1 << 20;

impl Statuses {
    /// Reads what the chain says now. A line that is not as it was written says nothing.
    pub fn read<D: Disk>(disk: &D, layout: &Layout) -> Result<Self, FileError> {
        let (mut statuses, at) = (Self::default(), layout.audit());
        let file = match disk.open(&at) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(statuses),
            Err(error) => return Err(FileError::on(Action::Open, &at)(error)),
        };
        let finder = memmem::Finder::new(KEY);
        let (mut piece, mut offset) = (vec![0; PIECE], 0);
        // Whole lines, and the start of one whose end was not read yet.
        let mut text: Vec<u8> = Vec::new();
        loop {
            let read = match disk.read_at(&file, &mut piece, offset) {
                Ok(0) => return Ok(statuses),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(FileError::on(Action::Read, &at)(error)),
            };
            offset += read as u64;
            text.extend_from_slice(piece.get(..read).unwrap_or_default());
            let end = memrchr(b'\n', &text).map_or(0, |it| it + 1);
            statuses.look(text.get(..end).unwrap_or_default(), &finder);
            text.drain(..end);
        }
    }

    /// Learns from those of the lines that have a change: most of a chain is about other things.
    fn look(&mut self, mut lines: &[u8], finder: &memmem::Finder<'_>) {
        while let Some(found) = finder.find(lines) {
            let (before, behind) = lines.split_at(found);
            let start = memrchr(b'\n', before).map_or(0, |it| it + 1);
            let end = found + memchr(b'\n', behind).unwrap_or(behind.len());
            if let Some(link) = lines.get(start..end).and_then(read_link) {
                self.learn(&link.body);
            }
            lines = lines.get(end..).unwrap_or_default();
        }
    }

    pub(super) fn learn(&mut self, body: &Body) {
        if let Some(change) = &body.task_status {
            self.tasks.insert(change.task.clone(), (body.seq, change.clone()));
        }
    }

    /// Where the state with this digest comes from.
    pub fn judge(&self, task: &TaskId, digest: Digest) -> Provenance {
        match self.tasks.get(task) {
            None => Provenance::Unrecorded,
            Some((_, it)) if it.to == digest || it.from == Some(digest) => Provenance::Genuine,
            Some(_) => Provenance::Altered,
        }
    }

    /// The number of the entry with the newest change; 0 if there is none.
    pub(super) fn entry(&self, task: &TaskId) -> u64 {
        self.tasks.get(task).map_or(0, |it| it.0)
    }
}

/// The digest of a state. The head of the chain is left out: it names the entry that has the digest.
pub(crate) fn status_digest(mut status: Value) -> Option<Digest> {
    status.as_object_mut()?.remove("audit_head");
    Digest::of_json(&status).ok()
}
