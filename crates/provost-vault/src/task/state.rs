//! Reading the state of a task, and whether it is one that provost wrote.

use std::sync::Arc;

use provost_kernel::{Digest, RecordFile, task::Status};
use serde_json::Value;

use super::TaskFiles;
use crate::{
    Corruption, Disk, FileError, Location, Stored,
    audit::{Provenance, StatusMemory, Statuses, status_digest},
    read::{read_bytes, record_of},
    read_json, read_record,
};

/// A state, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundStatus {
    pub status: RecordFile<Status>,
    pub provenance: Provenance,
}

/// The digest of a state that the next one may replace.
#[derive(Clone, Copy, Debug)]
pub(super) enum KnownStatus {
    /// Its name is on the disk.
    Written(Digest),
    /// Its writer may have ended before its name was on the disk.
    Read(Digest),
}

/// Which look at the chain it is.
#[derive(Clone, Copy, Debug)]
enum Look {
    First,
    Again,
}

impl<D: Disk> TaskFiles<'_, D> {
    /// The state of the task, as the file has it.
    pub fn status(&self) -> Result<Stored<RecordFile<Status>>, FileError> {
        read_record(self.disk, &self.layout.status(self.task))
    }

    /// The state of the task, compared with the audit chain as it is now.
    pub fn found_status(&self) -> Result<Stored<FoundStatus>, FileError> {
        self.compared(|_| Statuses::read(self.disk, self.layout).map(Arc::new))
    }

    /// The state of the task for a look at it: compared with what is remembered of the chain.
    ///
    /// None is called altered before all that is remembered was compared with the chain.
    pub fn found_status_in(&self, memory: &StatusMemory) -> Result<Stored<FoundStatus>, FileError> {
        self.compared(|look| match look {
            Look::First => memory.now(self.disk, self.layout),
            Look::Again => memory.compared(self.disk, self.layout),
        })
    }

    /// The same for one of many tasks: compared with what was remembered a moment ago.
    pub fn found_status_since(
        &self,
        recorded: &Arc<Statuses>,
        memory: &StatusMemory,
    ) -> Result<Stored<FoundStatus>, FileError> {
        self.compared(|look| match look {
            Look::First => Ok(Arc::clone(recorded)),
            Look::Again => memory.compared(self.disk, self.layout),
        })
    }

    fn compared(
        &self,
        recorded: impl Fn(Look) -> Result<Arc<Statuses>, FileError>,
    ) -> Result<Stored<FoundStatus>, FileError> {
        let at = self.layout.status(self.task);
        let (mut said, mut before) = (recorded(Look::First)?, None);
        loop {
            let bytes = match read_bytes(self.disk, &at)? {
                Stored::Present(bytes) => bytes,
                Stored::Absent => return Ok(Stored::Absent),
                Stored::Corrupt(it) => return Ok(Stored::Corrupt(it)),
            };
            let (status, digest) = match status_of(&at, &bytes)? {
                Ok(found) => found,
                Err(why) => return Ok(Stored::Corrupt(Corruption { why, bytes })),
            };
            let provenance = digest.map_or(Provenance::Altered, |it| said.judge(self.task, it));
            if provenance != Provenance::Altered {
                *self.known.borrow_mut() = digest.map(KnownStatus::Read);
                return Ok(Stored::Present(FoundStatus { status, provenance }));
            }
            // A state that is the same before and after the chain was read was compared with the
            // chain of its time; any other may have been replaced between the two reads.
            if before == Some(digest) {
                return Ok(Stored::Present(FoundStatus { status, provenance }));
            }
            before = Some(digest);
            said = recorded(Look::Again)?;
        }
    }

    /// The digest of the state that the next one replaces: of the last one that these files wrote or
    /// found genuine, so that a file that was edited meanwhile is never entered.
    pub(super) fn replaced(&self) -> Result<Option<Digest>, FileError> {
        let at = self.layout.status(self.task);
        let found = match *self.known.borrow() {
            Some(KnownStatus::Written(digest)) => return Ok(Some(digest)),
            Some(KnownStatus::Read(digest)) => Some(digest),
            None => read_json::<D, Value>(self.disk, &at)?.present().and_then(status_digest),
        };
        // A power cut must not bring back the state before this one, which the next entry does not
        // name.
        if let (Some(_), Some(folder)) = (found, at.folder()) {
            let _ = self.disk.sync_folder(&folder);
        }
        Ok(found)
    }
}

/// A state with its digest, or what is wrong with it.
type Read = Result<(RecordFile<Status>, Option<Digest>), String>;

fn status_of(at: &Location, bytes: &[u8]) -> Result<Read, FileError> {
    let status = match record_of(at, bytes)? {
        Ok(status) => status,
        Err(why) => return Ok(Err(why)),
    };
    let digest = serde_json::from_slice(bytes).ok().and_then(status_digest);
    Ok(Ok((status, digest)))
}
