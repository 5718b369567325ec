//! What the guard refused and what people permitted of it (KEEP-1).
//!
//! Both files are changed under one lock. A permission that is used up is taken out of its file,
//! durably, before the call that uses it is answered: a crash in between costs the permission and
//! never gives it twice.

use provost_kernel::{
    Message, RecordFile,
    guard::{PendingRefusals, Permits},
};

use super::{GuardFiles, locked};
use crate::{
    Action, Corruption, Disk, FileError, FolderSync, Location, Stored,
    read::read_record_or_quarantine, read_record, write_json,
};

/// Why nobody can say what is permitted.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "guard.permits")]
pub enum PermitsError {
    #[message(
        en = "cannot read what people permitted in `{path}`: {why}",
        zh = "无法读取 `{path}` 中由人许可的内容：{why}",
        hint(
            en = "a person moves the file away; what it permitted is then permitted no more",
            zh = "请由人移走该文件；其中的许可随之失效"
        ),
        exit = Integrity
    )]
    Corrupt { path: String, why: String },
    #[error(transparent)]
    #[message(transparent)]
    File(#[from] FileError),
}

impl<D: Disk> GuardFiles<'_, D> {
    /// What people permitted. A corrupt file stays where it is: putting it aside would forget a
    /// person's order without a word.
    pub fn permits(&self) -> Result<Permits, PermitsError> {
        Ok(self.kept_permits()?.value)
    }

    /// What was refused and can be permitted. This file permits nothing, so a corrupt one is put
    /// aside and starts empty.
    pub fn refusals(&self) -> Result<PendingRefusals, FileError> {
        Ok(self.kept_refusals()?.value)
    }

    /// Changes what is permitted, as `decide` says; no other process can do so in between. The
    /// change is on the disk when this returns, or there is an error.
    pub fn change_permits<T, E: From<PermitsError> + From<FileError>>(
        &self,
        decide: impl FnOnce(Permits) -> Result<(Permits, T), E>,
    ) -> Result<T, E> {
        locked(self.disk, &self.layout.permits_lock(), || {
            let RecordFile { value, rest } = self.kept_permits()?;
            let (after, found) = decide(value.clone())?;
            if after != value {
                let at = self.layout.permits();
                self.write_durably(&at, &RecordFile { value: after, rest })?;
            }
            Ok(found)
        })
    }

    /// Changes what can be permitted.
    pub fn change_refusals<T>(
        &self,
        decide: impl FnOnce(PendingRefusals) -> (PendingRefusals, T),
    ) -> Result<T, FileError> {
        locked(self.disk, &self.layout.permits_lock(), || {
            let RecordFile { value, rest } = self.kept_refusals()?;
            let (after, found) = decide(value.clone());
            if after != value {
                let file = RecordFile { value: after, rest };
                write_json(self.disk, &self.layout.refusals(), &file)?;
            }
            Ok(found)
        })
    }

    fn kept_permits(&self) -> Result<RecordFile<Permits>, PermitsError> {
        let at = self.layout.permits();
        match read_record(self.disk, &at)? {
            Stored::Present(kept) => Ok(kept),
            Stored::Absent => Ok(RecordFile::new(Permits::default())),
            Stored::Corrupt(Corruption { why, .. }) => {
                Err(PermitsError::Corrupt { path: at.path().to_string(), why })
            }
        }
    }

    fn kept_refusals(&self) -> Result<RecordFile<PendingRefusals>, FileError> {
        let at = self.layout.refusals();
        let kept = read_record_or_quarantine(self.disk, self.layout, self.clock, &at)?;
        Ok(kept.unwrap_or_else(|| RecordFile::new(PendingRefusals::default())))
    }

    /// Replaces the file, and takes no "perhaps": where the name cannot be synced, a power cut may
    /// bring back a permission that was used.
    fn write_durably(&self, at: &Location, file: &RecordFile<Permits>) -> Result<(), FileError> {
        match write_json(self.disk, at, file)?.folder {
            FolderSync::Done => Ok(()),
            FolderSync::NotPossible(error) => Err(FileError::on(Action::SyncFolder, at)(error)),
        }
    }
}
