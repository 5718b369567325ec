//! A log of lines that grows at its end, shared by processes.
//!
//! A writer takes the lock of the file, repairs what a crash left behind, adds one whole line
//! and, where it matters, syncs it before it says so. A reader drops a last line without its
//! newline, and last lines with a NUL in them, which is what a disk shows for a part that never
//! arrived: they were not acknowledged.

use std::{collections::VecDeque, io};

use serde::de::DeserializeOwned;

use crate::{
    Action, Disk, FileError, Location,
    disk::{append_all, open_in_folder},
};

/// Whether a line is on the disk before the append returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durable {
    /// The line survives a power cut.
    Now,
    /// The line survives the process. A power cut may take the newest such lines away.
    Later,
}

/// A log that is open for appending.
#[derive(Debug)]
pub struct Log<'a, D: Disk> {
    disk: &'a D,
    at: Location,
    file: D::File,
    /// Whether the name of the file is known to be durable.
    is_named: bool,
    /// The length after our own last line: nothing to repair if it is still the same.
    end: Option<u64>,
}

/// The records of a log, with what could not be read.
#[derive(Debug)]
pub struct Records<T> {
    pub records: Vec<T>,
    /// The numbers, from 1, of whole lines that are not records: reported, and skipped.
    pub unreadable: Vec<usize>,
}

/// The whole lines of a log, read in pieces.
#[derive(Debug)]
pub struct Lines<'a, D: Disk> {
    disk: &'a D,
    at: Location,
    file: Option<D::File>,
    buffer: Vec<u8>,
    start: usize,
    offset: u64,
    /// Lines that are remains of a crash unless a whole line follows them.
    doubtful: VecDeque<Vec<u8>>,
    next: Option<Vec<u8>>,
}

const PIECE: usize = 64 * 1024;

impl<'a, D: Disk> Log<'a, D> {
    /// Opens a log, and creates it with its folders if it is absent.
    pub fn open(disk: &'a D, at: &Location) -> Result<Self, FileError> {
        let file = open_in_folder(disk, at, |disk| disk.open_log(at))
            .map_err(FileError::on(Action::Open, at))?;
        Ok(Self { disk, at: at.clone(), file, is_named: false, end: None })
    }

    /// Adds one line; the newline is added here and may not be part of it, nor may a NUL.
    pub fn append(&mut self, line: &[u8], durable: Durable) -> Result<(), FileError> {
        self.append_after(durable, |_| Ok(line.to_vec()))
    }

    /// Adds one line that depends on the last ones, with no other process between the two.
    pub fn append_after<E: From<FileError>>(
        &mut self,
        durable: Durable,
        make: impl FnOnce(&mut Tail<'_, D>) -> Result<Vec<u8>, E>,
    ) -> Result<(), E> {
        self.locked(|log| log.append_locked(durable, make))
    }

    /// Replaces all lines by one, durably. A crash in between leaves an empty log.
    pub(crate) fn rewrite(&mut self, line: &[u8]) -> Result<(), FileError> {
        self.locked(|log| {
            log.disk.truncate(&log.file, 0).map_err(FileError::on(Action::Write, &log.at))?;
            log.end = None;
            log.append_locked(Durable::Now, |_| Ok::<_, FileError>(line.to_vec()))
        })
    }

    /// Makes every line so far durable.
    pub fn sync(&mut self) -> Result<(), FileError> {
        self.settle(Durable::Now)
    }

    /// Does something while no other process can.
    fn locked<T, E: From<FileError>>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.disk.lock(&self.file).map_err(FileError::on(Action::Lock, &self.at))?;
        let result = act(self);
        // The kernel frees the lock with the file at the latest.
        let _ = self.disk.unlock(&self.file);
        result
    }

    fn append_locked<E: From<FileError>>(
        &mut self,
        durable: Durable,
        make: impl FnOnce(&mut Tail<'_, D>) -> Result<Vec<u8>, E>,
    ) -> Result<(), E> {
        let mut tail = Tail::find(self.disk, &self.at, &self.file, self.end)?;
        let mut line = make(&mut tail)?;
        let end = tail.end;
        if line.iter().any(|byte| matches!(byte, b'\n' | b'\0')) {
            let why = io::Error::new(io::ErrorKind::InvalidInput, "a line has no newline or NUL");
            return Err(FileError::on(Action::Append, &self.at)(why).into());
        }
        line.push(b'\n');
        let written = append_all(self.disk, &self.file, &line)
            .map_err(FileError::on(Action::Append, &self.at))
            .and_then(|()| self.settle(durable));
        self.end = match written {
            Ok(()) => Some(end + line.len() as u64),
            // A full disk may have taken half of the line; the old lines stay as they were.
            Err(_) => self.disk.truncate(&self.file, end).ok().and(None),
        };
        Ok(written?)
    }

    fn settle(&mut self, durable: Durable) -> Result<(), FileError> {
        match durable {
            Durable::Later => Ok(()),
            Durable::Now => {
                self.disk.sync_data(&self.file).map_err(FileError::on(Action::Sync, &self.at))?;
                if !self.is_named {
                    // Somebody else may have created the file and not yet synced its folder.
                    if let Some(folder) = self.at.folder() {
                        let _ = self.disk.sync_folder(&folder);
                    }
                    self.is_named = true;
                }
                Ok(())
            }
        }
    }
}

/// The end of a log, under its lock.
#[derive(Debug)]
pub struct Tail<'a, D: Disk> {
    disk: &'a D,
    at: &'a Location,
    file: &'a D::File,
    /// Where the next line begins.
    end: u64,
    /// Whether the log ends with our own last line.
    is_own: bool,
    /// The last bytes of the log, read once: most logs are only asked for their last lines.
    seen: Vec<u8>,
    seen_from: u64,
}

impl<'a, D: Disk> Tail<'a, D> {
    /// As much of the end as is read at once.
    const SEEN: u64 = 4096;

    /// Finds the end of the last whole line and cuts off what a crash left behind it.
    fn find(
        disk: &'a D,
        at: &'a Location,
        file: &'a D::File,
        known_end: Option<u64>,
    ) -> Result<Self, FileError> {
        let mut tail = Self::look(disk, at, file)?;
        let len = tail.end;
        tail.is_own = known_end == Some(len);
        if tail.is_own {
            return Ok(tail);
        }
        let (end, _) = tail.last_sound_line()?;
        if end != len {
            tail.cut(end)?;
        }
        Ok(tail)
    }

    /// Looks at the end of a log as it is.
    fn look(disk: &'a D, at: &'a Location, file: &'a D::File) -> Result<Self, FileError> {
        let end = disk.len(file).map_err(FileError::on(Action::Read, at))?;
        let seen_from = end.saturating_sub(Self::SEEN);
        let mut tail = Self { disk, at, file, end, is_own: false, seen: Vec::new(), seen_from };
        tail.seen = tail.fetch(seen_from, end)?;
        Ok(tail)
    }

    /// Where the last line ends that is whole and has no hole, and the line itself.
    fn last_sound_line(&self) -> Result<(u64, Option<Vec<u8>>), FileError> {
        let mut end = self.start_of_line(self.end)?;
        while let Some(newline) = end.checked_sub(1) {
            let start = self.start_of_line(newline)?;
            let line = self.read(start, newline)?;
            if !is_doubtful(&line) {
                return Ok((end, Some(line)));
            }
            end = start;
        }
        Ok((end, None))
    }

    /// The last whole line, without its newline.
    pub fn last_line(&self) -> Result<Option<Vec<u8>>, FileError> {
        let Some(newline) = self.end.checked_sub(1) else { return Ok(None) };
        let start = self.start_of_line(newline)?;
        self.read(start, newline).map(Some)
    }

    /// Where the next line begins.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Whether the log is untouched since our own last line.
    pub(crate) fn is_own(&self) -> bool {
        self.is_own
    }

    /// Drops everything from a place on.
    pub(crate) fn cut(&mut self, end: u64) -> Result<(), FileError> {
        self.disk.truncate(self.file, end).map_err(FileError::on(Action::Write, self.at))?;
        let kept = usize::try_from(end.saturating_sub(self.seen_from)).unwrap_or(usize::MAX);
        self.seen.truncate(kept);
        self.end = end;
        Ok(())
    }

    /// Looks backward from a place for the byte after the newline before it.
    pub(crate) fn start_of_line(&self, before: u64) -> Result<u64, FileError> {
        let after_newline = |bytes: &[u8], start: u64| {
            bytes.iter().rposition(|&byte| byte == b'\n').map(|at| start + at as u64 + 1)
        };
        let mut end = before;
        if let Some(bytes) = self.seen(self.seen_from, before) {
            if let Some(found) = after_newline(bytes, self.seen_from) {
                return Ok(found);
            }
            end = self.seen_from;
        }
        while end > 0 {
            let start = end.saturating_sub(PIECE as u64);
            if let Some(found) = after_newline(&self.fetch(start, end)?, start) {
                return Ok(found);
            }
            end = start;
        }
        Ok(0)
    }

    /// The bytes between two places.
    pub(crate) fn read(&self, start: u64, end: u64) -> Result<Vec<u8>, FileError> {
        match self.seen(start, end) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => self.fetch(start, end),
        }
    }

    /// The bytes between two places, if they were read before.
    fn seen(&self, start: u64, end: u64) -> Option<&[u8]> {
        let place = |at: u64| usize::try_from(at.checked_sub(self.seen_from)?).ok();
        self.seen.get(place(start)?..place(end)?)
    }

    fn fetch(&self, start: u64, end: u64) -> Result<Vec<u8>, FileError> {
        let len = usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; len];
        let mut filled = 0;
        while let Some(free) = bytes.get_mut(filled..).filter(|it| !it.is_empty()) {
            match self.disk.read_at(self.file, free, start + filled as u64) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(FileError::on(Action::Read, self.at)(error)),
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }
}

/// The whole lines of a log, in order; none if the log is absent.
pub fn lines<'a, D: Disk>(disk: &'a D, at: &Location) -> Result<Lines<'a, D>, FileError> {
    let file = match disk.open(at) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(FileError::on(Action::Open, at)(error)),
    };
    Ok(Lines {
        disk,
        at: at.clone(),
        file,
        buffer: Vec::new(),
        start: 0,
        offset: 0,
        doubtful: VecDeque::new(),
        next: None,
    })
}

/// The last whole line of a log, without its newline; none if there is none. Unlike a writer, a
/// reader repairs nothing.
pub fn last_line<D: Disk>(disk: &D, at: &Location) -> Result<Option<Vec<u8>>, FileError> {
    let file = match disk.open(at) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::on(Action::Open, at)(error)),
    };
    Ok(Tail::look(disk, at, &file)?.last_sound_line()?.1)
}

/// The whole lines of a log from the last one back, each without its newline; none if the log is
/// absent. What a crash left at the end is passed over.
pub(crate) fn lines_backward<'a, D: Disk>(
    disk: &'a D,
    at: &'a Location,
) -> Result<impl Iterator<Item = Result<Vec<u8>, FileError>> + 'a, FileError> {
    let file = match disk.open(at) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(FileError::on(Action::Open, at)(error)),
    };
    let mut end = None;
    Ok(std::iter::from_fn(move || {
        let file = file.as_ref()?;
        let mut next = || -> Result<Option<Vec<u8>>, FileError> {
            let tail = Tail::look(disk, at, file)?;
            let from = match end {
                Some(from) => from,
                None => tail.last_sound_line()?.0,
            };
            let Some(newline) = u64::checked_sub(from, 1) else { return Ok(None) };
            let start = tail.start_of_line(newline)?;
            end = Some(start);
            tail.read(start, newline).map(Some)
        };
        next().transpose()
    }))
}

/// Whether a part of the line never reached the disk: no line was written with a NUL in it.
fn is_doubtful(line: &[u8]) -> bool {
    line.contains(&b'\0')
}

/// Reads a log of JSON records.
///
/// A half last line is dropped in silence; an unreadable line before it is counted (LOOP-B18).
pub fn read_records<D: Disk, T: DeserializeOwned>(
    disk: &D,
    at: &Location,
) -> Result<Records<T>, FileError> {
    let mut found = Records { records: Vec::new(), unreadable: Vec::new() };
    for (at, line) in lines(disk, at)?.enumerate() {
        match serde_json::from_slice(&line?) {
            Ok(record) => found.records.push(record),
            Err(_) => found.unreadable.push(at + 1),
        }
    }
    Ok(found)
}

impl<D: Disk> Iterator for Lines<'_, D> {
    type Item = Result<Vec<u8>, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.next.is_some() {
                let line = self.doubtful.pop_front().or_else(|| self.next.take());
                return line.map(Ok);
            }
            match self.read_line()? {
                Ok(line) if is_doubtful(&line) => self.doubtful.push_back(line),
                Ok(line) => self.next = Some(line),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl<D: Disk> Lines<'_, D> {
    fn read_line(&mut self) -> Option<Result<Vec<u8>, FileError>> {
        let file = self.file.as_ref()?;
        let mut looked = self.start;
        loop {
            let unread = self.buffer.get(looked..).unwrap_or_default();
            if let Some(length) = unread.iter().position(|&byte| byte == b'\n') {
                let end = looked + length;
                let line = self.buffer.get(self.start..end).unwrap_or_default().to_vec();
                self.start = end + 1;
                return Some(Ok(line));
            }
            self.buffer.drain(..self.start);
            self.start = 0;
            looked = self.buffer.len();
            self.buffer.resize(looked + PIECE, 0);
            let free = self.buffer.get_mut(looked..).unwrap_or_default();
            let n = match self.disk.read_at(file, free, self.offset) {
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.file = None;
                    return Some(Err(FileError::on(Action::Read, &self.at)(error)));
                }
            };
            self.buffer.truncate(looked + n);
            self.offset += n as u64;
            if n == 0 {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::{Layout, sim::SimDisk};

    fn events() -> Location {
        let layout = Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"));
        layout.events(&"t1".parse().unwrap())
    }

    fn all_lines(disk: &SimDisk, at: &Location) -> Vec<String> {
        lines(disk, at).unwrap().map(|it| String::from_utf8(it.unwrap()).unwrap()).collect()
    }

    /// LOOP-B18: a reader drops an unparseable last line.
    #[test]
    fn a_half_last_line_is_dropped_and_then_repaired() {
        let (disk, at) = (SimDisk::default(), events());
        Log::open(&disk, &at).unwrap().append(b"one", Durable::Now).unwrap();
        disk.append(&disk.open_log(&at).unwrap(), b"tw").unwrap();
        assert_eq!(all_lines(&disk, &at), ["one"]);

        Log::open(&disk, &at).unwrap().append(b"three", Durable::Now).unwrap();
        assert_eq!(all_lines(&disk, &at), ["one", "three"]);
    }

    #[test]
    fn the_last_line_is_the_last_whole_one_and_nothing_is_repaired() {
        let (disk, at) = (SimDisk::default(), events());
        assert_eq!(last_line(&disk, &at).unwrap(), None);
        let file = {
            Log::open(&disk, &at).unwrap().append(b"one", Durable::Now).unwrap();
            disk.open_log(&at).unwrap()
        };
        for remains in [b"".as_slice(), b"tw", b"\0\0\n", b"\0x\nhal"] {
            disk.append(&file, remains).unwrap();
            let steps = disk.steps();
            assert_eq!(last_line(&disk, &at).unwrap().as_deref(), Some(b"one".as_slice()));
            assert_eq!(disk.steps(), steps);
            disk.truncate(&file, 4).unwrap();
        }
        disk.append(&file, b"two\n").unwrap();
        assert_eq!(last_line(&disk, &at).unwrap().as_deref(), Some(b"two".as_slice()));
        disk.truncate(&file, 0).unwrap();
        assert_eq!(last_line(&disk, &at).unwrap(), None);
    }

    /// A disk shows NUL for a part of a write that never arrived.
    #[test]
    fn last_lines_with_a_hole_are_dropped_and_earlier_ones_are_not() {
        let (disk, at) = (SimDisk::default(), events());
        Log::open(&disk, &at).unwrap().append(b"1", Durable::Now).unwrap();
        let file = disk.open_log(&at).unwrap();
        disk.append(&file, b"\0\0\n4\n").unwrap();
        assert_eq!(all_lines(&disk, &at), ["1", "\0\0", "4"], "a hole in the middle is shown");
        disk.append(&file, b"\0\0\n\0\n").unwrap();
        assert_eq!(all_lines(&disk, &at), ["1", "\0\0", "4"], "at the end it is not");
        Log::open(&disk, &at).unwrap().append(b"5", Durable::Now).unwrap();
        assert_eq!(all_lines(&disk, &at), ["1", "\0\0", "4", "5"]);
    }

    #[test]
    fn lines_longer_than_a_piece_are_whole() {
        let (disk, at) = (SimDisk::default(), events());
        let long = "x".repeat(3 * PIECE + 17);
        let mut log = Log::open(&disk, &at).unwrap();
        for line in ["a", &long, "", "b"] {
            log.append(line.as_bytes(), Durable::Later).unwrap();
        }
        assert_eq!(all_lines(&disk, &at), ["a", &long, "", "b"]);
        disk.append(&disk.open_log(&at).unwrap(), long.as_bytes()).unwrap();
        log.append(b"c", Durable::Later).unwrap();
        assert_eq!(all_lines(&disk, &at), ["a", &long, "", "b", "c"]);
    }

    #[test]
    fn an_unreadable_earlier_line_is_counted_and_skipped() {
        let (disk, at) = (SimDisk::default(), events());
        let mut log = Log::open(&disk, &at).unwrap();
        for line in ["1", "{", "3"] {
            log.append(line.as_bytes(), Durable::Later).unwrap();
        }
        let found = read_records::<_, u8>(&disk, &at).unwrap();
        assert_eq!((found.records, found.unreadable), (vec![1, 3], vec![2]));
    }

    #[test]
    fn a_line_with_a_newline_is_refused_and_nothing_is_written() {
        let (disk, at) = (SimDisk::default(), events());
        let mut log = Log::open(&disk, &at).unwrap();
        for bad in [&b"a\nb"[..], b"a\0b"] {
            let error = log.append(bad, Durable::Now).unwrap_err();
            assert_eq!(error.to_string(), "cannot append to `/h/out/t1/events.jsonl`");
        }
        assert_eq!(all_lines(&disk, &at), [""; 0]);
        log.append(b"c", Durable::Now).unwrap();
        assert_eq!(all_lines(&disk, &at), ["c"]);
    }

    #[test]
    fn an_absent_log_has_no_lines() {
        assert_eq!(all_lines(&SimDisk::default(), &events()), [""; 0]);
    }
}
