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
    Action, Corruption, Disk, FileError, FolderSync, Layout, Location, Stored,
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

/// What people permitted in a home, for a reader that changes nothing.
pub fn read_permits<D: Disk>(disk: &D, layout: &Layout) -> Result<Permits, PermitsError> {
    Ok(kept_permits(disk, layout)?.value)
}

/// What waits in a home to be permitted, for a reader that changes nothing: a corrupt file counts
/// as empty, as it will for the next hook, and stays where it is.
pub fn read_refusals<D: Disk>(disk: &D, layout: &Layout) -> Result<PendingRefusals, FileError> {
    let kept = read_record(disk, &layout.refusals())?.present();
    Ok(kept.map(|it: RecordFile<PendingRefusals>| it.value).unwrap_or_default())
}

impl<D: Disk> GuardFiles<'_, D> {
    /// What people permitted. A corrupt file stays where it is: putting it aside would forget a
    /// person's order without a word.
    pub fn permits(&self) -> Result<Permits, PermitsError> {
        read_permits(self.disk, self.layout)
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
            let RecordFile { value, rest } = kept_permits(self.disk, self.layout)?;
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

fn kept_permits<D: Disk>(disk: &D, layout: &Layout) -> Result<RecordFile<Permits>, PermitsError> {
    let at = layout.permits();
    match read_record(disk, &at)? {
        Stored::Present(kept) => Ok(kept),
        Stored::Absent => Ok(RecordFile::new(Permits::default())),
        Stored::Corrupt(Corruption { why, .. }) => {
            Err(PermitsError::Corrupt { path: at.path().to_string(), why })
        }
    }
}
