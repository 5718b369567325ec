//! A log that is made again: what is there already is compared, and only then does it grow.
//!
//! A crash leaves half a line, or a line with a hole in it, and it is unknown how much of what
//! comes after it is whole: everything from there on is dropped and made again. New lines wait in
//! memory until they are flushed; answers do not, because each was paid for.

use std::io;

use serde::Serialize;

use super::ArtifactError;
use crate::{
    Action, Disk, FileError, Location, RealDisk,
    disk::{append_all, open_in_folder},
};

/// A log of which every line must be the one that is made again.
#[derive(Debug)]
pub struct Verified<D: Disk = RealDisk> {
    disk: D,
    at: Location,
    file: D::File,
    /// What was read and not compared yet begins at `start` and ends at `read` in the file.
    ahead: Vec<u8>,
    start: usize,
    read: u64,
    /// Where the next line begins.
    position: u64,
    /// Whether everything that was there is compared.
    is_past: bool,
    lines: u64,
    unwritten: Vec<u8>,
    /// More than this does not wait in memory.
    patience: usize,
    is_synced: bool,
    is_named: bool,
}

const PIECE: usize = 64 * 1024;
/// What can be made again waits up to this.
const PATIENCE: usize = 1 << 20;

impl<D: Disk> Verified<D> {
    /// Opens a log, and creates it with its folders if it is absent.
    pub(super) fn open(disk: D, at: &Location) -> Result<Self, FileError> {
        let file = open_in_folder(&disk, at, |disk| disk.open_log(at))
            .map_err(FileError::on(Action::Open, at))?;
        Ok(Self {
            disk,
            at: at.clone(),
            file,
            ahead: Vec::new(),
            start: 0,
            read: 0,
            position: 0,
            is_past: false,
            lines: 0,
            unwritten: Vec::new(),
            patience: PATIENCE,
            is_synced: false,
            is_named: false,
        })
    }

    /// The same log, with every line written at once: for lines that cost something.
    #[must_use]
    pub(super) fn at_once(mut self) -> Self {
        self.patience = 0;
        self
    }

    /// Passes over everything that is there: for lines that cannot be made again.
    pub(super) fn pass(&mut self) -> Result<(), FileError> {
        while let Some(end) = self.next_end()? {
            self.advance(end);
        }
        Ok(())
    }

    /// The next line that is there and was not made again yet; none when all were.
    pub fn pending(&mut self) -> Result<Option<Vec<u8>>, FileError> {
        let end = self.next_end()?;
        Ok(end.and_then(|end| self.ahead.get(self.start..end)).map(<[u8]>::to_vec))
    }

    /// How many lines were made so far, those that were there included.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Makes the next line: it must be the one that is there, or it is added. The newline is added
    /// here and may not be part of it, nor may a NUL.
    pub fn append(&mut self, line: &[u8]) -> Result<(), ArtifactError> {
        if line.iter().any(|byte| matches!(byte, b'\n' | b'\0')) {
            let why = io::Error::new(io::ErrorKind::InvalidInput, "a line has no newline or NUL");
            return Err(FileError::on(Action::Append, &self.at)(why).into());
        }
        if let Some(end) = self.next_end()? {
            if self.ahead.get(self.start..end) != Some(line) {
                return Err(ArtifactError::differs(&self.at, self.lines + 1));
            }
            self.advance(end);
            return Ok(());
        }
        self.unwritten.extend_from_slice(line);
        self.unwritten.push(b'\n');
        self.lines += 1;
        if self.unwritten.len() > self.patience {
            self.flush()?;
        }
        Ok(())
    }

    /// Makes the next line of a value, as JSON.
    pub fn append_json(&mut self, value: &impl Serialize) -> Result<(), ArtifactError> {
        let line = serde_json::to_vec(value)
            .map_err(|error| FileError::on(Action::Encode, &self.at)(error.into()))?;
        self.append(&line)
    }

    /// Writes what waits: it survives the process. What it follows from must be synced before.
    pub fn flush(&mut self) -> Result<(), FileError> {
        if self.unwritten.is_empty() {
            return Ok(());
        }
        self.is_synced = false;
        if let Err(error) = append_all(&self.disk, &self.file, &self.unwritten) {
            // A full disk may have taken half of it; the old lines stay as they were.
            let _ = self.disk.truncate(&self.file, self.position);
            return Err(FileError::on(Action::Append, &self.at)(error));
        }
        self.position += self.unwritten.len() as u64;
        self.unwritten.clear();
        Ok(())
    }

    /// Makes every line so far durable, those included that an earlier process left.
    pub fn sync(&mut self) -> Result<(), FileError> {
        self.flush()?;
        if !self.is_synced {
            self.disk.sync_data(&self.file).map_err(FileError::on(Action::Sync, &self.at))?;
            self.is_synced = true;
        }
        if !self.is_named {
            // Best effort, as for every folder.
            if let Some(folder) = self.at.folder() {
                let _ = self.disk.sync_folder(&folder);
            }
            self.is_named = true;
        }
        Ok(())
    }

    /// Ends the log: everything that was there must have been made again.
    pub fn finish(&mut self) -> Result<(), ArtifactError> {
        if self.next_end()?.is_some() {
            return Err(ArtifactError::Beyond { path: self.at.path(), line: self.lines + 1 });
        }
        Ok(self.sync()?)
    }

    /// Where in `ahead` the next line ends that is there, if there is one that is whole.
    fn next_end(&mut self) -> Result<Option<usize>, FileError> {
        let mut looked = self.start;
        while !self.is_past {
            let unread = self.ahead.get(looked..).unwrap_or_default();
            if let Some(length) = unread.iter().position(|&byte| byte == b'\n') {
                let end = looked + length;
                let is_whole = self.ahead.get(self.start..end).is_some_and(|it| !it.contains(&0));
                if is_whole {
                    return Ok(Some(end));
                }
                return self.cut().map(|()| None);
            }
            looked = self.ahead.len() - self.start;
            if !self.read_on()? {
                return self.cut().map(|()| None);
            }
        }
        Ok(None)
    }

    /// Reads another piece; says whether there was one. What is unread begins at 0 afterwards.
    fn read_on(&mut self) -> Result<bool, FileError> {
        self.ahead.drain(..self.start);
        self.start = 0;
        let filled = self.ahead.len();
        self.ahead.resize(filled + PIECE, 0);
        let n = loop {
            let free = self.ahead.get_mut(filled..).unwrap_or_default();
            match self.disk.read_at(&self.file, free, self.read) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.ahead.truncate(filled + n.as_ref().map_or(0, |it| *it));
        let n = n.map_err(FileError::on(Action::Read, &self.at))?;
        self.read += n as u64;
        Ok(n > 0)
    }

    fn advance(&mut self, end: usize) {
        self.position += (end + 1 - self.start) as u64;
        self.start = end + 1;
        self.lines += 1;
    }

    /// Drops what is left from here on: nothing, or what a crash has left.
    fn cut(&mut self) -> Result<(), FileError> {
        let is_torn = self.start < self.ahead.len();
        if is_torn {
            self.disk
                .truncate(&self.file, self.position)
                .map_err(FileError::on(Action::Write, &self.at))?;
        }
        self.is_past = true;
        self.ahead = Vec::new();
        self.start = 0;
        Ok(())
    }
}

impl<D: Disk> Drop for Verified<D> {
    fn drop(&mut self) {
        // What is lost here is made again from the answers.
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::{disk::read_all, sim::SimDisk};

    fn place() -> Location {
        Location::root(Utf8Path::new("/r")).join("m").join("selections.jsonl")
    }

    fn with(bytes: &[u8]) -> SimDisk {
        let (disk, at) = (SimDisk::default(), place());
        let file = open_in_folder(&disk, &at, |disk| disk.open_log(&at)).unwrap();
        append_all(&disk, &file, bytes).unwrap();
        disk
    }

    fn bytes(disk: &SimDisk) -> Vec<u8> {
        read_all(disk, &disk.open(&place()).unwrap()).unwrap()
    }

    /// Makes these lines; what the file holds afterwards.
    fn made(disk: &SimDisk, lines: &[&str]) -> Result<Vec<u8>, ArtifactError> {
        let mut log = Verified::open(disk, &place())?;
        lines.iter().try_for_each(|line| log.append(line.as_bytes()))?;
        log.finish()?;
        assert_eq!(log.lines(), lines.len() as u64);
        Ok(bytes(disk))
    }

    #[test]
    fn what_is_there_is_compared_and_what_a_crash_left_is_made_again() {
        let check = |before: &[u8]| {
            let after = made(&with(before), &["one", "two", "three"]).unwrap();
            assert_eq!(after, b"one\ntwo\nthree\n", "{:?}", before.escape_ascii().to_string());
        };
        for before in [
            &b""[..],
            b"one\n",
            b"one\ntw",
            b"o",
            b"one\ntwo\nthree\n",
            b"one\ntwo\nthree",
            b"one\n\0\0\0",
            b"one\n\0\0\0\nthree\n",
            b"\0\0\0\ntwo\nthree\nrubbish\n",
            b"one\ntwo\nthree\n\0\0",
        ] {
            check(before);
        }
    }

    #[test]
    fn a_line_that_is_another_is_refused_and_the_file_stays_as_it_was() {
        for (before, line) in [
            (&b"one\n2\n"[..], 2),
            (b"One\n", 1),
            (b"one\ntwo \n", 2),
            (b"one\n\n", 2),
            (b"\n", 1),
            (b"two\none\n", 1),
        ] {
            let disk = with(before);
            let error = made(&disk, &["one", "two"]).unwrap_err();
            assert!(
                matches!(error, ArtifactError::Differs { line: it, .. } if it == line),
                "{error}"
            );
            assert_eq!(bytes(&disk), before);
        }
        let disk = with(b"one\ntwo\n");
        let error = made(&disk, &["one"]).unwrap_err();
        assert!(matches!(error, ArtifactError::Beyond { line: 2, .. }), "{error}");
        assert_eq!(bytes(&disk), b"one\ntwo\n");
    }

    #[test]
    fn a_pending_line_is_shown_until_it_is_made_again() {
        let disk = with(b"one\ntwo\nth");
        let mut log = Verified::open(&disk, &place()).unwrap();
        for line in [&b"one"[..], b"two"] {
            assert_eq!(log.pending().unwrap().as_deref(), Some(line));
            assert_eq!(log.pending().unwrap().as_deref(), Some(line));
            log.append(line).unwrap();
        }
        assert_eq!(log.pending().unwrap(), None);
        log.append(b"three").unwrap();
        assert_eq!(log.pending().unwrap(), None);
        assert_eq!(bytes(&disk), b"one\ntwo\n", "it waits");
        log.flush().unwrap();
        assert_eq!(bytes(&disk), b"one\ntwo\nthree\n");
    }

    #[test]
    fn lines_longer_than_a_piece_are_compared_too() {
        let long = ["a".repeat(PIECE * 2 + 7), "b".repeat(PIECE - 1), "c".repeat(PIECE)];
        let lines: Vec<&str> = long.iter().map(String::as_str).collect();
        let disk = with(b"");
        let first = made(&disk, &lines).unwrap();
        assert_eq!(made(&disk, &lines).unwrap(), first);
        let other = "c".repeat(PIECE - 1) + "d";
        let error = made(&disk, &[lines[0], lines[1], &other]).unwrap_err();
        assert!(matches!(error, ArtifactError::Differs { line: 3, .. }), "{error}");
    }

    #[test]
    fn a_line_is_one_line() {
        for bad in [&b"a\nb"[..], b"a\n", b"\0"] {
            let disk = with(b"");
            let mut log = Verified::open(&disk, &place()).unwrap();
            assert!(log.append(bad).is_err());
            log.finish().unwrap();
            assert_eq!(bytes(&disk), b"");
        }
    }

    #[test]
    fn lines_that_cannot_be_made_again_are_passed_over() {
        let disk = with(b"{\"at\":1}\n{\"at\"");
        let mut log = Verified::open(&disk, &place()).unwrap();
        log.pass().unwrap();
        log.append(b"{\"at\":3}").unwrap();
        log.finish().unwrap();
        assert_eq!(bytes(&disk), b"{\"at\":1}\n{\"at\":3}\n");
    }
}
