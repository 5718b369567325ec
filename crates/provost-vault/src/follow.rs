//! Reading a log that only grows again and again: what was read once is not read again.

use std::io;

use memchr::{memchr, memrchr};
use provost_kernel::{Clock as _, Digester};

use crate::{Action, Disk, FileError, Location, Stamp, SystemClock};

/// A place in a log, with what shows that the log before it is still the one that was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Followed {
    /// How the log looked when it was last read.
    last: Option<Stamp>,
    /// The same, where nothing can have changed since without leaving another stamp.
    seen: Option<Stamp>,
    /// The same, where all of it was compared, and not only its end.
    compared: Option<Stamp>,
    /// Behind the last whole line.
    end: u64,
    /// Of everything before that.
    digester: Digester,
    /// The bytes before it.
    tail: Vec<u8>,
}

/// What is compared when a log has grown. One that changed in any other way is read anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Care {
    /// The end of what was read.
    Tail,
    /// All of it: as much is read as for the first time, and nothing is parsed.
    Whole,
}

/// What a reader is given.
#[derive(Debug)]
pub(crate) enum Piece<'a> {
    /// It begins anew: what was learned is void.
    Anew,
    /// Whole lines, each with its end.
    Lines(&'a [u8]),
}

/// How much is read at once.
const PIECE: usize = 1 << 20;
/// How much of the end is kept.
const TAIL: usize = 4096;

impl Followed {
    /// Gives what was added. Lines that a crash left at the end are none until a whole one follows.
    pub(crate) fn read<D: Disk>(
        &mut self,
        disk: &D,
        at: &Location,
        care: Care,
        mut take: impl FnMut(Piece<'_>),
    ) -> Result<(), FileError> {
        let known = match care {
            Care::Tail => self.seen,
            Care::Whole => self.compared,
        };
        if known.is_some() && disk.stat(at).ok().map(|it| it.stamp) == known {
            return Ok(());
        }
        let read = self.read_changed(disk, at, care, &mut take);
        if read.is_err() {
            // What was learned of a log that cannot be read counts for nothing.
            self.forget(&mut take);
        }
        read
    }

    fn read_changed<D: Disk>(
        &mut self,
        disk: &D,
        at: &Location,
        care: Care,
        take: &mut impl FnMut(Piece<'_>),
    ) -> Result<(), FileError> {
        let file = match disk.open(at) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.forget(take);
                return Ok(());
            }
            Err(error) => return Err(FileError::on(Action::Open, at)(error)),
        };
        let fail = || FileError::on(Action::Read, at);
        // Before anything is read: what is written meanwhile is found by the next look.
        let now = SystemClock.millis();
        let stamp = disk.stamp(&file).map_err(fail())?;
        let is_continued = self.is_continued(disk, &file, stamp, care).map_err(fail())?;
        if !is_continued {
            self.forget(take);
        }
        self.read_on(disk, &file, take).map_err(fail())?;
        let settled = stamp.is_settled(now).then_some(stamp);
        (self.last, self.seen) = (Some(stamp), settled);
        if !is_continued || care == Care::Whole {
            self.compared = settled;
        }
        Ok(())
    }

    /// Whether what was read before is still there, and nothing happened to it but that it grew.
    fn is_continued<D: Disk>(
        &self,
        disk: &D,
        file: &D::File,
        stamp: Stamp,
        care: Care,
    ) -> io::Result<bool> {
        let Some(last) = self.last else { return Ok(false) };
        let is_grown = stamp.len > last.len || stamp == last;
        if stamp.identity != last.identity || stamp.len < self.end || !is_grown {
            return Ok(false);
        }
        let from = self.end.saturating_sub(self.tail.len() as u64);
        let mut tail = vec![0; self.tail.len()];
        if !fill(disk, file, &mut tail, from)? || tail != self.tail {
            return Ok(false);
        }
        match care {
            Care::Tail => Ok(true),
            Care::Whole => self.is_unchanged(disk, file),
        }
    }

    /// Whether every byte that was read is still the same.
    fn is_unchanged<D: Disk>(&self, disk: &D, file: &D::File) -> io::Result<bool> {
        let (mut digester, mut offset) = (Digester::default(), 0);
        let mut piece = vec![0; PIECE];
        while offset < self.end {
            let left = usize::try_from(self.end - offset).unwrap_or(usize::MAX).min(PIECE);
            let Some(part) = piece.get_mut(..left) else { return Ok(false) };
            if !fill(disk, file, part, offset)? {
                return Ok(false);
            }
            digester.add(part);
            offset += left as u64;
        }
        Ok(digester.finish() == self.digester.clone().finish())
    }

    fn read_on<D: Disk>(
        &mut self,
        disk: &D,
        file: &D::File,
        take: &mut impl FnMut(Piece<'_>),
    ) -> io::Result<()> {
        let left = usize::try_from(disk.len(file)?.saturating_sub(self.end)).unwrap_or(PIECE);
        let mut piece = vec![0; left.saturating_add(1).min(PIECE)];
        // Whole lines, and the start of one whose end was not read yet.
        let (mut text, mut offset): (Vec<u8>, u64) = (Vec::new(), self.end);
        loop {
            let read = match disk.read_at(file, &mut piece, offset) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            offset += read as u64;
            text.extend_from_slice(piece.get(..read).unwrap_or_default());
            let end = end_of_lines(&text);
            let lines = text.get(..end).unwrap_or_default();
            if !lines.is_empty() {
                take(Piece::Lines(lines));
                self.pass(lines);
                text.drain(..end);
            }
        }
    }

    fn pass(&mut self, lines: &[u8]) {
        self.digester.add(lines);
        self.end += lines.len() as u64;
        let kept = lines.get(lines.len().saturating_sub(TAIL)..).unwrap_or_default();
        self.tail.extend_from_slice(kept);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
    }

    fn forget(&mut self, take: &mut impl FnMut(Piece<'_>)) {
        *self = Self::default();
        take(Piece::Anew);
    }
}

/// Behind the last line that has its end and no hole.
fn end_of_lines(text: &[u8]) -> usize {
    let mut end = memrchr(b'\n', text).map_or(0, |it| it + 1);
    while let Some(line) = end.checked_sub(1).and_then(|it| text.get(..it)) {
        let start = memrchr(b'\n', line).map_or(0, |it| it + 1);
        if memchr(b'\0', line.get(start..).unwrap_or_default()).is_none() {
            return end;
        }
        end = start;
    }
    0
}

/// Fills a buffer from a place; whether there were as many bytes.
fn fill<D: Disk>(disk: &D, file: &D::File, buffer: &mut [u8], from: u64) -> io::Result<bool> {
    let mut filled = 0;
    while let Some(free) = buffer.get_mut(filled..).filter(|it| !it.is_empty()) {
        match disk.read_at(file, free, from + filled as u64) {
            Ok(0) => return Ok(false),
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::{Layout, disk::read_all, sim::SimDisk, write_atomic};

    /// What a reader has, and how many bytes it was given since it was last asked.
    #[derive(Default)]
    struct Reader {
        followed: Followed,
        text: Vec<u8>,
        given: usize,
    }

    /// What somebody does to a log.
    type Change<'a> = &'a dyn Fn(&SimDisk);

    fn at() -> Location {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s")).audit()
    }

    impl Reader {
        fn read(&mut self, disk: &SimDisk, care: Care) -> usize {
            let (text, mut given) = (&mut self.text, 0);
            let read = self.followed.read(disk, &at(), care, |it| match it {
                Piece::Anew => text.clear(),
                Piece::Lines(lines) => {
                    given += lines.len();
                    text.extend_from_slice(lines);
                }
            });
            read.unwrap();
            self.given = given;
            given
        }
    }

    fn disk_with(text: &[u8]) -> SimDisk {
        let disk = SimDisk::default();
        write_atomic(&disk, &at(), text).unwrap();
        disk
    }

    fn append(disk: &SimDisk, bytes: &[u8]) {
        disk.append(&disk.open_log(&at()).unwrap(), bytes).unwrap();
    }

    #[test]
    fn what_was_read_is_not_read_again() {
        let disk = disk_with(b"one\ntwo\n");
        let mut reader = Reader::default();
        assert_eq!(reader.read(&disk, Care::Tail), 8);
        assert_eq!(reader.read(&disk, Care::Tail), 0);
        append(&disk, b"three\nfo");
        assert_eq!(reader.read(&disk, Care::Tail), 6);
        append(&disk, b"ur\n");
        assert_eq!(reader.read(&disk, Care::Whole), 5);
        assert_eq!(reader.text, b"one\ntwo\nthree\nfour\n");
        // What a crash left counts as soon as a whole line follows, and not before.
        append(&disk, b"\0\0\n");
        assert_eq!(reader.read(&disk, Care::Tail), 0);
        append(&disk, b"six\n");
        assert_eq!(reader.read(&disk, Care::Tail), 7);
        let long = [vec![b'x'; 3 * PIECE], b"\n".to_vec()].concat();
        append(&disk, &long);
        assert_eq!(reader.read(&disk, Care::Tail), long.len());
        assert_eq!(reader.text, read_all(&disk, &disk.open(&at()).unwrap()).unwrap());
    }

    /// Whatever else happens to a log, it is read anew.
    #[test]
    fn a_log_that_did_not_only_grow_is_read_anew() {
        let before = [b"first\n".as_slice(), &[b'y'; 2 * TAIL], b"\nlast\n"].concat();
        let changed = |at: usize| {
            let mut text = before.clone();
            text[at] = b'z';
            text
        };
        let end = before.len() - 2;
        let in_place = |disk: &SimDisk, offset: usize, bytes: &[u8]| {
            disk.write_at(&disk.open_lock(&at()).unwrap(), bytes, offset as u64).unwrap();
        };
        let cases: [(&str, Change<'_>, Care, Vec<u8>); 8] = [
            ("nothing", &|_| {}, Care::Tail, before.clone()),
            ("its start", &|disk| in_place(disk, 0, b"z"), Care::Tail, changed(0)),
            ("its end", &|disk| in_place(disk, end, b"z"), Care::Tail, changed(end)),
            (
                "its end, and more",
                &|disk| {
                    in_place(disk, end, b"z");
                    append(disk, b"more\n");
                },
                Care::Tail,
                [changed(end), b"more\n".to_vec()].concat(),
            ),
            (
                "its start, and more",
                &|disk| {
                    in_place(disk, 0, b"z");
                    append(disk, b"more\n");
                },
                Care::Whole,
                [changed(0), b"more\n".to_vec()].concat(),
            ),
            (
                "shorter",
                &|disk| disk.truncate(&disk.open_lock(&at()).unwrap(), 6).unwrap(),
                Care::Tail,
                b"first\n".to_vec(),
            ),
            (
                "another file",
                &|disk| drop(write_atomic(disk, &at(), &[b"new\n", &before[..]].concat()).unwrap()),
                Care::Tail,
                [b"new\n", &before[..]].concat(),
            ),
            ("gone", &|disk| disk.remove(&at()).unwrap(), Care::Tail, Vec::new()),
        ];
        for (name, change, care, expected) in cases {
            let disk = disk_with(&before);
            let mut reader = Reader::default();
            reader.read(&disk, Care::Tail);
            change(&disk);
            reader.read(&disk, care);
            assert!(reader.text == expected, "{name}");
            let is_anew = reader.given == reader.text.len() && !reader.text.is_empty();
            assert_eq!(is_anew, !["nothing", "gone"].contains(&name), "{name}");
        }
    }
}
