//! The files of `eval`: a report that is whole or the one before, and the journal of a run.
//!
//! They lie where a person wants them, not under the home. A report replaces the earlier one only
//! when all of it is on the disk; a journal holds what was measured, so that a run that was ended
//! can go on.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    os::unix::fs::OpenOptionsExt as _,
};

use camino::{Utf8Path, Utf8PathBuf};

use crate::{Action, FileError};

/// Replaces a person's file with what `write` puts there, or leaves it as it was.
///
/// Folders that are missing are made. A link to a file stays a link.
pub fn publish(
    path: &Utf8Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    let target = path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
    let fail = |action| failed(action, path);
    if target.is_dir() {
        return Err(fail(Action::Replace)(io::ErrorKind::IsADirectory.into()));
    }
    let (folder, name) = (folder(&target), target.file_name().unwrap_or_default());
    make_folder(folder)?;
    let temporary = folder.join(format!(".{name}.tmp.{}", uuid::Uuid::new_v4()));
    let written = written(&temporary, path, write).and_then(|()| {
        #[expect(clippy::disallowed_methods, reason = "the vault is the one that renames")]
        fs::rename(&temporary, &target).map_err(fail(Action::Replace))
    });
    if written.is_err() {
        // What remains of it, if this fails too, is a hidden file that nobody reads.
        let _ = remove_file(&temporary);
    }
    written?;
    // Best effort, as for every folder: the file is whole either way.
    let _ = File::open(folder).and_then(|it| it.sync_all());
    Ok(())
}

/// Writes a small file that nothing is concluded from without its own digest: whole or not at all,
/// but not made durable one by one.
pub fn keep(path: &Utf8Path, bytes: &[u8]) -> Result<(), FileError> {
    let (folder, name) = (folder(path), path.file_name().unwrap_or_default());
    make_folder(folder)?;
    let temporary = folder.join(format!(".{name}.tmp.{}", uuid::Uuid::new_v4()));
    let fail = |action| failed(action, path);
    let mut file = create(&temporary).map_err(fail(Action::CreateTemporary))?;
    let written = file.write_all(bytes).map_err(fail(Action::Write)).and_then(|()| {
        #[expect(clippy::disallowed_methods, reason = "the vault is the one that renames")]
        fs::rename(&temporary, path).map_err(fail(Action::Replace))
    });
    if written.is_err() {
        let _ = remove_file(&temporary);
    }
    written
}

/// The lines of a run that goes on, next to the report that it will become.
#[derive(Debug)]
pub struct Journal {
    path: Utf8PathBuf,
    file: File,
}

impl Journal {
    /// Where the journal of a report lies.
    pub fn of(report: &Utf8Path) -> Utf8PathBuf {
        let name = report.file_name().unwrap_or("report");
        report.with_file_name(format!(".{name}.journal"))
    }

    /// What a run that was ended left; nothing if there is none, or if it is no text.
    pub fn read(path: &Utf8Path) -> Option<String> {
        fs::read_to_string(path).ok()
    }

    /// Opens a journal, without what was in it.
    pub fn create(path: &Utf8Path) -> Result<Self, FileError> {
        make_folder(folder(path))?;
        let opened = open(path);
        Ok(Self { path: path.to_owned(), file: opened.map_err(failed(Action::Open, path))? })
    }

    /// Adds one line.
    pub fn append(&mut self, line: &[u8]) -> Result<(), FileError> {
        // One write, so that only the last line can be half a line.
        let whole = [line, b"\n"].concat();
        self.file.write_all(&whole).map_err(failed(Action::Append, &self.path))
    }

    /// Removes a journal, if there is one: the report holds everything.
    pub fn forget(path: &Utf8Path) -> Result<(), FileError> {
        match remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(failed(Action::Remove, path)(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the vault is the one that opens files")]
fn open(path: &Utf8Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

#[expect(clippy::disallowed_methods, reason = "the vault is the one that opens files")]
fn create(path: &Utf8Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o644).open(path)
}

/// Writes a new file and brings it to the disk.
fn written(
    temporary: &Utf8Path,
    path: &Utf8Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    let fail = |action| failed(action, path);
    let file = create(temporary).map_err(fail(Action::CreateTemporary))?;
    let mut buffered = BufWriter::new(file);
    write(&mut buffered).and_then(|()| buffered.flush()).map_err(fail(Action::Write))?;
    buffered.get_ref().sync_all().map_err(fail(Action::Sync))
}

fn folder(path: &Utf8Path) -> &Utf8Path {
    path.parent().filter(|it| !it.as_str().is_empty()).unwrap_or(Utf8Path::new("."))
}

fn make_folder(folder: &Utf8Path) -> Result<(), FileError> {
    #[expect(clippy::disallowed_methods, reason = "the vault is the one that makes folders")]
    fs::create_dir_all(folder).map_err(failed(Action::CreateFolder, folder))
}

#[expect(clippy::disallowed_methods, reason = "the vault is the one that removes")]
fn remove_file(path: &Utf8Path) -> io::Result<()> {
    fs::remove_file(path)
}

fn failed(action: Action, path: &Utf8Path) -> impl FnOnce(io::Error) -> FileError + use<> {
    let path = path.to_owned();
    move |source| FileError { action, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().join("a/b/latest.json")).unwrap();
        (folder, path)
    }

    #[test]
    fn a_report_is_replaced_as_a_whole_or_not_at_all() {
        let (_folder, path) = place();
        publish(&path, |it| it.write_all(b"old")).unwrap();
        let failing = publish(&path, |it| {
            it.write_all(b"ne")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(failing.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        publish(&path, |it| it.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_journal_is_read_line_by_line_and_is_gone_afterwards() {
        let (_folder, path) = place();
        let at = Journal::of(&path);
        assert_eq!(Journal::read(&at), None);
        let mut journal = Journal::create(&at).unwrap();
        journal.append(b"one").unwrap();
        journal.append(b"two").unwrap();
        assert_eq!(Journal::read(&at).as_deref(), Some("one\ntwo\n"));
        Journal::forget(&at).unwrap();
        Journal::forget(&at).unwrap();
        assert_eq!(Journal::read(&at), None);
    }

    #[test]
    fn what_is_kept_is_whole() {
        let (_folder, path) = place();
        keep(&path, b"one").unwrap();
        keep(&path, b"two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
    }
}
