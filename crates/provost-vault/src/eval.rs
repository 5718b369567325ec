//! The files of `eval`: a report that is whole or the one before, and the journal of a run.
//!
//! They lie where a person wants them, not under the home. A report replaces the earlier one only
//! when all of it is on the disk; a journal holds what was measured, so that a run that was ended
//! can go on. What a run has to remember until its end, and what is too much for memory, is in a
//! file without a name.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufRead as _, BufReader, BufWriter, Seek as _, SeekFrom, Write},
    ops::Range,
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
};

use camino::{Utf8Path, Utf8PathBuf};

use crate::{Action, FileError};

/// Replaces a person's file with what `write` puts there, or leaves it as it was.
///
/// Folders that are missing are made. A link to a file stays a link. A device or a pipe, such as
/// `/dev/null`, is written to and never replaced.
pub fn publish(
    path: &Utf8Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    let target = path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
    let fail = |action| failed(action, path);
    match fs::metadata(&target).map(|it| it.file_type()) {
        Ok(kind) if kind.is_dir() => {
            return Err(fail(Action::Replace)(io::ErrorKind::IsADirectory.into()));
        }
        Ok(kind) if !kind.is_file() => {
            let mut out = BufWriter::new(existing(&target).map_err(fail(Action::Open))?);
            return write(&mut out).and_then(|()| out.flush()).map_err(fail(Action::Write));
        }
        Ok(_) | Err(_) => {}
    }
    let (folder, name) = (folder(&target), target.file_name().unwrap_or_default());
    make_folder(folder)?;
    let temporary = folder.join(format!(".{name}.tmp.{}", uuid::Uuid::new_v4()));
    let written = written(&temporary, path, write).and_then(|()| {
        #[expect(clippy::disallowed_methods, reason = "the vault is the one that renames")]
        fs::rename(&temporary, &target).map_err(fail(Action::Replace))
    });
    if written.is_err() {
        // What remains of it, if this fails too, is a hidden file that is never read.
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

/// Whether the reader of lines wants to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    More,
    Enough,
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

    /// Reads what a run that was ended left, line by line; a last line without an end is none.
    /// Says how many bytes the lines have. Where there is no journal there is no line.
    pub fn read(path: &Utf8Path, mut line: impl FnMut(&str) -> Wanted) -> u64 {
        let Ok(file) = File::open(path) else { return 0 };
        let (mut lines, mut read, mut bytes) = (BufReader::new(file), 0, Vec::new());
        loop {
            bytes.clear();
            let length = lines.read_until(b'\n', &mut bytes).unwrap_or_default();
            let Some(text) = bytes.strip_suffix(b"\n").and_then(|it| str::from_utf8(it).ok())
            else {
                return read;
            };
            match line(text) {
                Wanted::More => read += u64::try_from(length).unwrap_or_default(),
                Wanted::Enough => return read,
            }
        }
    }

    /// Opens a journal, without what was in it.
    pub fn create(path: &Utf8Path) -> Result<Self, FileError> {
        Self::go_on(path, 0)
    }

    /// Opens a journal after so many bytes; what comes after them is cut off.
    pub fn go_on(path: &Utf8Path, bytes: u64) -> Result<Self, FileError> {
        make_folder(folder(path))?;
        let opened = open(path).and_then(|mut file| {
            file.set_len(bytes)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        });
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

/// Bytes that are too many for memory and are needed only as long as the process lives: beyond a
/// small part they are in a file that has no name, so that nothing of it stays.
#[derive(Debug)]
pub struct Spill {
    /// Where the file lies when there is one.
    folder: Utf8PathBuf,
    file: Option<File>,
    /// How many bytes are in the file.
    written: u64,
    /// What comes after them.
    tail: Vec<u8>,
}

impl Spill {
    /// What stays in memory.
    const ROOM: usize = 2 << 20;

    /// Nothing yet. If it grows, it does so in this folder, which is made.
    pub fn new(folder: &Utf8Path) -> Self {
        Self { folder: folder.to_owned(), file: None, written: 0, tail: Vec::new() }
    }

    /// Adds bytes, and says where they are.
    pub fn append(&mut self, bytes: &[u8]) -> Result<Range<u64>, FileError> {
        if self.tail.len() + bytes.len() > Self::ROOM {
            self.flush()?;
        }
        let start = self.written + u64::try_from(self.tail.len()).unwrap_or(u64::MAX);
        self.tail.extend_from_slice(bytes);
        Ok(start..start + u64::try_from(bytes.len()).unwrap_or(u64::MAX))
    }

    /// The bytes at a place that [`Self::append`] named.
    pub fn read(&self, place: &Range<u64>) -> Result<Vec<u8>, FileError> {
        let fail = |source| failed(Action::Read, &self.folder)(source);
        let gone = || fail(io::ErrorKind::UnexpectedEof.into());
        let length = usize::try_from(place.end - place.start).map_err(|_| gone())?;
        let mut bytes = vec![0; length];
        match (place.start.checked_sub(self.written), &self.file) {
            (Some(start), _) => {
                let start = usize::try_from(start).map_err(|_| gone())?;
                let kept = self.tail.get(start..start + length).ok_or_else(gone)?;
                bytes.copy_from_slice(kept);
            }
            (None, Some(file)) => file.read_exact_at(&mut bytes, place.start).map_err(fail)?,
            (None, None) => return Err(gone()),
        }
        Ok(bytes)
    }

    /// A file in this folder, which has lost its name.
    fn file_in(folder: &Utf8Path) -> Result<File, FileError> {
        make_folder(folder)?;
        let path = folder.join(format!(".eval.tmp.{}", uuid::Uuid::new_v4()));
        let file = nameless(&path).map_err(failed(Action::CreateTemporary, &path))?;
        remove_file(&path).map_err(failed(Action::Remove, &path))?;
        Ok(file)
    }

    fn flush(&mut self) -> Result<(), FileError> {
        let fail = |action| failed(action, &self.folder);
        let mut file = match self.file.take() {
            Some(file) => file,
            // Beside a report that is a device nothing can be made.
            None => Self::file_in(&self.folder).or_else(|error| {
                let elsewhere = Utf8PathBuf::from_path_buf(std::env::temp_dir());
                elsewhere.ok().and_then(|it| Self::file_in(&it).ok()).ok_or(error)
            })?,
        };
        file.write_all(&self.tail).map_err(fail(Action::Write))?;
        self.written += u64::try_from(self.tail.len()).unwrap_or(u64::MAX);
        self.tail.clear();
        self.file = Some(file);
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "the vault is the one that opens files")]
fn open(path: &Utf8Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)
}

#[expect(clippy::disallowed_methods, reason = "the vault is the one that opens files")]
fn existing(path: &Utf8Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

#[expect(clippy::disallowed_methods, reason = "the vault is the one that opens files")]
fn nameless(path: &Utf8Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
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

    /// A user who has the right to replace a device does not want to.
    #[test]
    fn a_device_is_written_to_and_never_replaced() {
        let (_folder, path) = place();
        let link = path.with_file_name("null");
        make_folder(folder(&path)).unwrap();
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        publish(&link, |it| it.write_all(b"new")).unwrap();
        publish(Utf8Path::new("/dev/null"), |it| it.write_all(b"new")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        assert!(publish(Utf8Path::new("/dev/full"), |it| it.write_all(b"new")).is_err());
        assert!(!fs::metadata("/dev/full").unwrap().is_file());
    }

    #[test]
    fn a_journal_is_read_line_by_line_and_is_gone_afterwards() {
        let (_folder, path) = place();
        let at = Journal::of(&path);
        let read = |most: usize| {
            let mut lines = Vec::new();
            let bytes = Journal::read(&at, |line| {
                lines.push(line.to_owned());
                if lines.len() > most { Wanted::Enough } else { Wanted::More }
            });
            (lines.join("|"), bytes)
        };
        assert_eq!(read(9), (String::new(), 0));
        let mut journal = Journal::create(&at).unwrap();
        journal.append(b"one").unwrap();
        journal.append(b"two").unwrap();
        assert_eq!(read(9), ("one|two".to_owned(), 8));
        assert_eq!(read(1), ("one|two".to_owned(), 4));

        // Half a line is cut off, and the next one stands alone.
        journal.file.write_all(b"thr").unwrap();
        assert_eq!(read(9), ("one|two".to_owned(), 8));
        let mut journal = Journal::go_on(&at, 8).unwrap();
        journal.append(b"four").unwrap();
        assert_eq!(read(9), ("one|two|four".to_owned(), 13));
        Journal::create(&at).unwrap();
        assert_eq!(read(9), (String::new(), 0));
        Journal::forget(&at).unwrap();
        Journal::forget(&at).unwrap();
        assert!(!at.exists());
    }

    #[test]
    fn what_is_too_much_for_memory_is_in_a_file_without_a_name() {
        let (_folder, path) = place();
        let folder = path.parent().unwrap();
        let mut spill = Spill::new(folder);
        let parts: Vec<Vec<u8>> = (0..40).map(|it| vec![it; 200_000]).collect();
        let places: Vec<_> = parts.iter().map(|it| spill.append(it).unwrap()).collect();
        assert!(spill.tail.len() <= Spill::ROOM && spill.written > 4_000_000);
        for (part, place) in parts.iter().zip(&places) {
            assert_eq!(spill.read(place).unwrap(), *part);
        }
        assert!(spill.read(&(8_000_000..8_000_001)).is_err());
        assert_eq!(fs::read_dir(folder).unwrap().count(), 0);

        // Where nothing can be made, it is made elsewhere.
        let mut spill = Spill::new(Utf8Path::new("/dev/null/x"));
        let places: Vec<_> = parts.iter().map(|it| spill.append(it).unwrap()).collect();
        assert_eq!(spill.read(&places[0]).unwrap(), parts[0]);
    }

    #[test]
    fn what_is_kept_is_whole() {
        let (_folder, path) = place();
        keep(&path, b"one").unwrap();
        keep(&path, b"two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
    }
}
