//! The crash-safe replacement of a file (LOOP-A5, HOOK-2.1).

use std::io;

use serde::Serialize;

use crate::{
    Action, Disk, Durable, FileError, Location,
    disk::{append_all, open_in_folder},
};

/// What a finished write could promise.
#[derive(Debug)]
pub struct Written {
    pub folder: FolderSync,
}

/// Whether the name is on the disk as well as the contents.
#[derive(Debug)]
pub enum FolderSync {
    Done,
    /// The platform or the file system cannot sync a folder. The file is whole either way; a
    /// power cut may bring the old one back.
    NotPossible(io::Error),
}

/// Replaces the file at a location with `value` as JSON, two spaces deep, with a final newline.
pub fn write_json<D: Disk>(
    disk: &D,
    at: &Location,
    value: &impl Serialize,
) -> Result<Written, FileError> {
    let mut bytes = serde_json::to_vec_pretty(value)
        .map_err(io::Error::from)
        .map_err(FileError::on(Action::Encode, at))?;
    bytes.push(b'\n');
    write_atomic(disk, at, &bytes)
}

/// Replaces the file at a location.
///
/// The new contents are on the disk before the name points to them, and the name is on the disk
/// before this returns. The steps: the folder exists; a temporary file beside the target,
/// exclusive, 0600; write; sync; close; rename; sync the folder. Before the rename every failure
/// removes the temporary file and leaves the old contents as they were.
pub fn write_atomic<D: Disk>(disk: &D, at: &Location, bytes: &[u8]) -> Result<Written, FileError> {
    replace(disk, at, bytes, Durable::Now)?;
    // Without this a power cut may bring the old name back.
    let synced = at.folder().map_or(Ok(()), |folder| disk.sync_folder(&folder));
    let folder = match synced {
        Ok(()) => FolderSync::Done,
        Err(error) => FolderSync::NotPossible(error),
    };
    Ok(Written { folder })
}

/// Replaces a file that nothing is concluded from: a log or a copy, for people.
///
/// A reader sees the old contents or the new ones. It survives the process; a power cut may take
/// it away.
pub fn write_record<D: Disk>(disk: &D, at: &Location, bytes: &[u8]) -> Result<(), FileError> {
    replace(disk, at, bytes, Durable::Later)
}

fn replace<D: Disk>(
    disk: &D,
    at: &Location,
    bytes: &[u8],
    durable: Durable,
) -> Result<(), FileError> {
    let fail = |action| FileError::on(action, at);
    let Some(folder) = at.folder() else {
        return Err(fail(Action::Replace)(io::ErrorKind::IsADirectory.into()));
    };
    let temporary = folder.join(format!(".{}.tmp.{}", at.name(), uuid::Uuid::new_v4()));

    let file = open_in_folder(disk, &temporary, |disk| disk.create(&temporary))
        .map_err(fail(Action::CreateTemporary))?;
    let written =
        append_all(disk, &file, bytes).map_err(fail(Action::Write)).and_then(|()| match durable {
            Durable::Now => disk.sync(&file).map_err(fail(Action::Sync)),
            Durable::Later => Ok(()),
        });
    drop(file);
    let replaced =
        written.and_then(|()| disk.rename(&temporary, at).map_err(fail(Action::Replace)));
    if let Err(error) = replaced {
        // What remains of it, if this fails too, is swept later.
        let _ = disk.remove(&temporary);
        return Err(error);
    }
    Ok(())
}

/// Whether a name is one that [`write_atomic`] gives to its temporary files.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.strip_prefix('.')
        .and_then(|rest| rest.rsplit_once(".tmp."))
        .is_some_and(|(base, id)| !base.is_empty() && uuid::Uuid::try_parse(id).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_temporary_names_are_temporary() {
        for (name, expected) in [
            (".status.json.tmp.8c0f5b9e-2f0a-4bb0-9a53-0a3a9a3f1c11", true),
            ("status.json.tmp.8c0f5b9e-2f0a-4bb0-9a53-0a3a9a3f1c11", false),
            (".status.json.tmp.x", false),
            (".tmp.8c0f5b9e-2f0a-4bb0-9a53-0a3a9a3f1c11", false),
            ("status.json", false),
            (".gitignore", false),
        ] {
            assert_eq!(is_temporary(name), expected, "{name}");
        }
    }
}
