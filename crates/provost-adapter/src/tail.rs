//! Reads what a program prints while it runs, line by line.
//!
//! The program writes to a file, which needs no reader; this one looks at it again and again. Where
//! the guardian cuts the file back to its cap, reading goes on behind the cut. What cannot be read is
//! left out: nothing here may hold up or end the program, except the reader that says so.

use std::{fs::File, os::unix::fs::FileExt as _};

/// Somebody who is given each line.
pub(crate) trait LineReader: Send {
    /// Takes a line without its end, and says whether the program may go on.
    fn line(&mut self, line: &[u8]) -> Next;
}

/// What becomes of a program after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    GoOn,
    Stop,
}

/// The place in a file up to which its lines were read.
#[derive(Debug)]
pub(crate) struct Tail {
    file: File,
    at: u64,
    /// The line that has no end yet.
    open: Vec<u8>,
    /// Whether the open line is longer than any that is read.
    is_skipped: bool,
}

/// How much is read at once.
const PIECE: usize = 64 << 10;
/// The longest line that is read: a file in a tool call fits, a flood does not.
const LONGEST: usize = 4 << 20;

impl Tail {
    pub(crate) fn new(file: File) -> Self {
        Self { file, at: 0, open: Vec::new(), is_skipped: false }
    }

    /// Gives the reader every line that is whole by now.
    pub(crate) fn read(&mut self, reader: &mut dyn LineReader) -> Next {
        let mut next = Next::GoOn;
        let mut piece = vec![0; PIECE];
        let length = self.file.metadata().map_or(0, |it| it.len());
        if length < self.at {
            self.at = length;
            self.open.clear();
            self.is_skipped = true;
        }
        // What is written meanwhile is for the next time.
        while self.at < length {
            let Ok(n_read @ 1..) = self.file.read_at(&mut piece, self.at) else { break };
            self.at += n_read as u64;
            if self.take(&piece[..n_read], reader) == Next::Stop {
                next = Next::Stop;
            }
        }
        next
    }

    /// Gives the reader the last line, which has no end.
    pub(crate) fn finish(&mut self, reader: &mut dyn LineReader) {
        self.read(reader);
        if !self.is_skipped && !self.open.is_empty() {
            reader.line(&std::mem::take(&mut self.open));
        }
    }

    fn take(&mut self, piece: &[u8], reader: &mut dyn LineReader) -> Next {
        let mut next = Next::GoOn;
        let mut lines = piece.split(|&byte| byte == b'\n').peekable();
        while let Some(part) = lines.next() {
            if !self.is_skipped {
                self.open.extend_from_slice(part);
            }
            if self.open.len() > LONGEST {
                self.open = Vec::new();
                self.is_skipped = true;
            }
            // The part after the last line break is still open.
            if lines.peek().is_some() {
                let is_whole = !std::mem::take(&mut self.is_skipped);
                let line = std::mem::take(&mut self.open);
                if is_whole && reader.line(&line) == Next::Stop {
                    next = Next::Stop;
                }
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, SeekFrom, Write as _};

    use super::*;

    #[derive(Default)]
    struct Heard(Vec<String>);

    impl LineReader for Heard {
        fn line(&mut self, line: &[u8]) -> Next {
            self.0.push(String::from_utf8_lossy(line).into_owned());
            if line == b"stop" { Next::Stop } else { Next::GoOn }
        }
    }

    #[test]
    fn lines_are_read_as_they_are_written() {
        let mut file = tempfile::tempfile().unwrap();
        let mut tail = Tail::new(file.try_clone().unwrap());
        let mut heard = Heard::default();
        assert_eq!(tail.read(&mut heard), Next::GoOn);
        file.write_all(b"one\ntw").unwrap();
        assert_eq!(tail.read(&mut heard), Next::GoOn);
        assert_eq!(heard.0, ["one"]);
        file.write_all(b"o\nstop\nthree\n").unwrap();
        assert_eq!(tail.read(&mut heard), Next::Stop);
        assert_eq!(heard.0, ["one", "two", "stop", "three"]);
        file.write_all(b"last").unwrap();
        tail.finish(&mut heard);
        assert_eq!(heard.0.last().unwrap(), "last");
    }

    #[test]
    fn a_flood_and_a_cut_lose_only_their_own_lines() {
        let mut file = tempfile::tempfile().unwrap();
        let mut tail = Tail::new(file.try_clone().unwrap());
        let mut heard = Heard::default();
        file.write_all(&vec![b'x'; LONGEST + PIECE]).unwrap();
        file.write_all(b"\nafter\nhalf a li").unwrap();
        tail.read(&mut heard);
        assert_eq!(heard.0, ["after"]);
        // What the guardian does with a file that is over its cap.
        file.set_len(10).unwrap();
        tail.read(&mut heard);
        file.seek(SeekFrom::End(0)).unwrap();
        file.write_all(b"ne\nbehind the cut\n").unwrap();
        tail.read(&mut heard);
        assert_eq!(heard.0, ["after", "behind the cut"]);
    }
}
