//! A read that tells present, absent and corrupt apart (HOOK-2.5).

use std::io;

use provost_kernel::{
    Clock, Digest, Millis, Record, RecordError, RecordFile,
    guard::{LastToolError, Moment},
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    Action, Disk, FileError, Layout, Location,
    disk::read_all,
    error::InvalidContents,
    guard::{Reaction, replace_tool_error},
    lines, write_atomic,
};

/// What a file holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Stored<T> {
    Present(T),
    /// There is no such file: not an error, and not worth a line in a log.
    Absent,
    /// There is a file, and it does not hold what it should.
    Corrupt(Corruption),
}

/// What is wrong with a corrupt file.
#[derive(Debug, PartialEq, Eq)]
pub struct Corruption {
    pub why: String,
    pub bytes: Vec<u8>,
}

/// How many corrupt copies are kept of each file.
pub(crate) const QUARANTINE_COPIES: usize = 3;

impl<T> Stored<T> {
    /// The value, if there is one: the view of a caller for whom absent and corrupt are the same.
    pub fn present(self) -> Option<T> {
        match self {
            Self::Present(value) => Some(value),
            Self::Absent | Self::Corrupt(_) => None,
        }
    }
}

/// Reads a JSON file.
///
/// A file that is empty, cut off, not UTF-8 or of the wrong shape is [`Stored::Corrupt`]. A file
/// that may not be read, or that is a folder or a link, is an error: that is not corruption, and
/// overwriting it would hide it.
pub fn read_json<D: Disk, T: DeserializeOwned>(
    disk: &D,
    at: &Location,
) -> Result<Stored<T>, FileError> {
    let bytes = match read_bytes(disk, at)? {
        Stored::Present(bytes) => bytes,
        Stored::Absent => return Ok(Stored::Absent),
        Stored::Corrupt(corruption) => return Ok(Stored::Corrupt(corruption)),
    };
    Ok(match serde_json::from_slice(&bytes) {
        Ok(value) => Stored::Present(value),
        Err(error) => Stored::Corrupt(Corruption { why: error.to_string(), bytes }),
    })
}

/// Reads a record. One of a newer version is an error and not corruption: the process that replaced
/// it would destroy what they cannot know.
pub fn read_record<D: Disk, T: Record>(
    disk: &D,
    at: &Location,
) -> Result<Stored<RecordFile<T>>, FileError> {
    let bytes = match read_bytes(disk, at)? {
        Stored::Present(bytes) => bytes,
        Stored::Absent => return Ok(Stored::Absent),
        Stored::Corrupt(corruption) => return Ok(Stored::Corrupt(corruption)),
    };
    match record_of(at, &bytes)? {
        Ok(kept) => Ok(Stored::Present(kept)),
        Err(why) => Ok(Stored::Corrupt(Corruption { why, bytes })),
    }
}

/// Reads a log of records of which none may be missing: a line that cannot be read is an error
/// that names it, and only what a crash left at the end is dropped.
pub(crate) fn read_every<D: Disk, T: Record>(disk: &D, at: &Location) -> Result<Vec<T>, FileError> {
    let mut records = Vec::new();
    for (line, number) in lines(disk, at)?.zip(1..) {
        match record_of::<T>(at, &line?)? {
            Ok(kept) => records.push(kept.value),
            Err(why) => {
                return Err(FileError::invalid(at, InvalidContents::Line { line: number, why }));
            }
        }
    }
    Ok(records)
}

/// A record, or what is wrong with it; one of a newer version is an error.
pub(crate) fn record_of<T: Record>(
    at: &Location,
    bytes: &[u8],
) -> Result<Result<RecordFile<T>, String>, FileError> {
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => return Ok(Err(error.to_string())),
    };
    match RecordFile::read(value) {
        Ok(kept) => Ok(Ok(kept)),
        Err(error @ RecordError::OtherSchema { .. }) => {
            Err(FileError::invalid(at, InvalidContents::Newer(error)))
        }
        Err(RecordError::Malformed { source, .. }) => Ok(Err(source.to_string())),
        Err(error @ RecordError::NotAnObject { .. }) => Ok(Err(error.to_string())),
    }
}

/// The bytes of a file; an empty one is corrupt.
pub(crate) fn read_bytes<D: Disk>(disk: &D, at: &Location) -> Result<Stored<Vec<u8>>, FileError> {
    let file = match disk.open(at) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Stored::Absent),
        Err(error) => return Err(FileError::on(Action::Open, at)(error)),
    };
    let bytes = read_all(disk, &file).map_err(FileError::on(Action::Read, at))?;
    if bytes.is_empty() {
        return Ok(Stored::Corrupt(Corruption { why: "the file is empty".to_owned(), bytes }));
    }
    Ok(Stored::Present(bytes))
}

/// The bytes of a file, whatever they are; nothing if there is none.
pub(crate) fn contents<D: Disk>(disk: &D, at: &Location) -> Result<Option<Vec<u8>>, FileError> {
    Ok(match read_bytes(disk, at)? {
        Stored::Present(bytes) | Stored::Corrupt(Corruption { bytes, .. }) => Some(bytes),
        Stored::Absent => None,
    })
}

/// Reads a JSON file; a corrupt one is copied to quarantine and recorded, and the caller starts
/// empty.
///
/// The corrupt file itself stays where it is until the next write replaces it: removing it could
/// hit a good one that somebody wrote meanwhile.
pub fn read_or_quarantine<D: Disk, T: DeserializeOwned>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
    at: &Location,
) -> Result<Stored<T>, FileError> {
    let stored = read_json(disk, at)?;
    if let Stored::Corrupt(corruption) = &stored {
        put_aside(disk, layout, clock, at, corruption)?;
    }
    Ok(stored)
}

/// Reads a record in the same way. One of a newer version is an error and stays where it is.
pub(crate) fn read_record_or_quarantine<D: Disk, T: Record>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
    at: &Location,
) -> Result<Option<RecordFile<T>>, FileError> {
    match read_record(disk, at)? {
        Stored::Present(kept) => Ok(Some(kept)),
        Stored::Absent => Ok(None),
        Stored::Corrupt(corruption) => {
            put_aside(disk, layout, clock, at, &corruption)?;
            Ok(None)
        }
    }
}

/// Keeps the bytes of a corrupt file, and says in `last-tool-error.json` that there was one.
fn put_aside<D: Disk>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
    at: &Location,
    corruption: &Corruption,
) -> Result<(), FileError> {
    quarantine(disk, layout, clock, at, &corruption.bytes)?;
    record(disk, layout, clock, at, &corruption.why)
}

/// Keeps the bytes of a corrupt file as evidence, and drops the oldest copies beyond three.
///
/// Bytes that are there already are not kept twice: a file that is read again and again before
/// it is replaced would push out the evidence of other times.
pub(crate) fn quarantine<D: Disk>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
    at: &Location,
    bytes: &[u8],
) -> Result<Location, FileError> {
    let folder = layout.quarantine();
    let prefix = quarantine_prefix(at);
    let copies = copies_of(disk, &folder, &prefix)?;
    if let Some(newest) = copies.last().map(|name| folder.join(name))
        && disk.open(&newest).and_then(|file| read_all(disk, &file)).is_ok_and(|it| it == bytes)
    {
        return Ok(newest);
    }
    let mut millis = clock.millis();
    let mut copy = folder.join(format!("{prefix}{:015}", millis.0));
    while disk.stat(&copy).is_ok() {
        millis = Millis(millis.0 + 1);
        copy = folder.join(format!("{prefix}{:015}", millis.0));
    }
    write_atomic(disk, &copy, bytes)?;

    for name in copies_of(disk, &folder, &prefix)?.iter().rev().skip(QUARANTINE_COPIES) {
        let old = folder.join(name);
        disk.remove(&old).map_err(FileError::on(Action::Remove, &old))?;
    }
    Ok(copy)
}

/// The names of the copies of one file, oldest first.
fn copies_of<D: Disk>(disk: &D, folder: &Location, prefix: &str) -> Result<Vec<String>, FileError> {
    match disk.list(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Ok(names) => Ok(names.into_iter().filter(|it| it.starts_with(prefix)).collect()),
        Err(error) => Err(FileError::on(Action::List, folder)(error)),
    }
}

/// What the copies of one file have in common: a readable part, and a digest of the whole path.
fn quarantine_prefix(at: &Location) -> String {
    const READABLE: usize = 120;
    let readable = at.below().as_str().replace('/', "__");
    let skipped = readable.chars().count().saturating_sub(READABLE);
    let readable: String = readable.chars().skip(skipped).collect();
    let digest = Digest::of_bytes(at.path().as_str().as_bytes()).to_string();
    format!("{}.{}.", readable.trim_start_matches('.'), &digest[..8])
}

fn record<D: Disk>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
    at: &Location,
    why: &str,
) -> Result<(), FileError> {
    if *at == layout.last_tool_error() {
        // The record itself was corrupt: the next one replaces it.
        return Ok(());
    }
    let now = Moment::from(clock.now());
    let tool_name = LastToolError::STATE_READ;
    replace_tool_error(disk, layout, |before| {
        Reaction::Replace(LastToolError {
            tool_name: tool_name.to_owned(),
            tool_input_preview: Some(at.path().to_string()),
            error: why.chars().take(LastToolError::ERROR_CHARACTERS).collect(),
            timestamp: now.clone(),
            retry_count: before.map_or(1, |it| it.next_count(tool_name, now)),
        })
    })
    .map(drop)
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::{sim::SimDisk, write_json};

    struct At(u64);

    impl Clock for At {
        fn millis(&self) -> Millis {
            Millis(self.0)
        }
    }

    fn layout() -> Layout {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
    }

    #[track_caller]
    fn check(contents: &[u8], expected: &str) {
        let (disk, layout) = (SimDisk::default(), layout());
        let at = layout.tracking();
        write_atomic(&disk, &at, contents).unwrap();
        let stored = read_json::<_, std::collections::BTreeMap<String, u8>>(&disk, &at).unwrap();
        let actual = match stored {
            Stored::Present(map) => format!("present {}", map.len()),
            Stored::Absent => "absent".to_owned(),
            Stored::Corrupt(_) => "corrupt".to_owned(),
        };
        assert_eq!(actual, expected, "{contents:?}");
    }

    /// HOOK-2.5.
    #[test]
    fn present_absent_and_corrupt_are_three_things() {
        check(b"{\"a\": 1}\n", "present 1");
        check(b"{}", "present 0");
        check(b"", "corrupt");
        check(b"{\"a\": 1", "corrupt");
        check(b"[]", "corrupt");
        check(b"{\"a\": \"\xff\"}", "corrupt");
        check(b"\0\0\0\0", "corrupt");
        let (disk, layout) = (SimDisk::default(), layout());
        assert_eq!(read_json::<_, u8>(&disk, &layout.tracking()).unwrap(), Stored::Absent);
        assert_eq!(disk.steps(), 0, "a missing file is not recorded anywhere");
    }

    /// HOOK-2.5.
    #[test]
    fn a_corrupt_file_is_kept_recorded_and_replaced_by_the_next_write() {
        let (disk, layout) = (SimDisk::default(), layout());
        let at = layout.tracking();
        for n in 1..=5_u64 {
            write_atomic(&disk, &at, format!("{{broken {n}").as_bytes()).unwrap();
            let stored = read_or_quarantine::<_, u8>(&disk, &layout, &At(n * 1000), &at).unwrap();
            assert!(matches!(stored, Stored::Corrupt(_)));
            assert!(matches!(read_json::<_, u8>(&disk, &at).unwrap(), Stored::Corrupt(_)));
        }
        let kept = disk.list(&layout.quarantine()).unwrap();
        assert_eq!(kept.len(), QUARANTINE_COPIES, "{kept:?}");
        let newest = layout.quarantine().join(kept.last().unwrap());
        let bytes = read_all(&disk, &disk.open(&newest).unwrap()).unwrap();
        assert_eq!(bytes, b"{broken 5");

        let record = read_json::<_, LastToolError>(&disk, &layout.last_tool_error()).unwrap();
        let record = record.present().unwrap();
        assert_eq!(record.tool_name, "state-read");
        assert_eq!(record.tool_input_preview.as_deref(), Some(at.path().as_str()));
        assert_eq!(record.retry_count, 5);

        write_json(&disk, &at, &7).unwrap();
        assert_eq!(read_json::<_, u8>(&disk, &at).unwrap(), Stored::Present(7));
    }

    #[test]
    fn two_corruptions_in_one_millisecond_are_both_kept() {
        let (disk, layout) = (SimDisk::default(), layout());
        for bytes in [b"x", b"y", b"y"] {
            quarantine(&disk, &layout, &At(1), &layout.tracking(), bytes).unwrap();
        }
        let kept = disk.list(&layout.quarantine()).unwrap();
        assert_eq!(kept.len(), 2, "the same bytes are kept once: {kept:?}");
    }

    #[test]
    fn the_longest_path_still_fits_into_a_file_name() {
        let layout = layout();
        let task = "t".repeat(200).parse().unwrap();
        let at = layout.verdict(&task, provost_kernel::AttemptNumber::FIRST);
        let name = format!("{}{:015}", quarantine_prefix(&at), 1);
        assert!(name.len() + ".".len() + ".tmp.".len() + 36 <= 255, "{}", name.len());
    }
}
