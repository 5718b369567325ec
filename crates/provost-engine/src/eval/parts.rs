//! Files with many cases: JSON Lines, and tables with a header.
//!
//! They are read line by line, so that a file may be larger than memory.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read as _},
    ops::Range,
    os::unix::fs::FileExt as _,
    sync::Arc,
};

use camino::Utf8Path;
use provost_kernel::{Message as _, Text};
use provost_rules_eval::{case::csv, suite::CaseForm};

use super::{cases::MOST, fault::Fault};

/// What a file with many cases is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Many {
    /// One JSON object on each line.
    Lines,
    /// One record for each case.
    Table,
}

/// Where a case stands in such a file.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// From 1.
    pub(super) line: usize,
    bytes: Range<u64>,
    /// The names of the fields of a table.
    header: Option<Arc<[String]>>,
}

/// A case of its own, or what is wrong with a line.
pub(super) type Found = Result<(Part, Vec<u8>), (usize, Text)>;

impl Many {
    /// What the ending of a file says; nothing of a file with one case.
    pub(super) fn of(path: &Utf8Path) -> Option<Self> {
        match path.extension()? {
            "jsonl" | "ndjson" => Some(Self::Lines),
            "csv" => Some(Self::Table),
            _ => None,
        }
    }
}

impl Part {
    /// Reads the case again; nothing if it is not there any more.
    pub(super) fn read(&self, path: &Utf8Path, form: &CaseForm) -> Option<Vec<u8>> {
        let length = usize::try_from(self.bytes.end - self.bytes.start).ok()?;
        let mut bytes = vec![0; length];
        File::open(path).ok()?.read_exact_at(&mut bytes, self.bytes.start).ok()?;
        match &self.header {
            None => Some(bytes),
            Some(header) => csv::case(header, &bytes, form).ok(),
        }
    }
}

/// Calls `take` with every case of a file, in its order.
pub(super) fn each(
    path: &Utf8Path,
    many: Many,
    form: &CaseForm,
    take: &mut dyn FnMut(Found),
) -> io::Result<()> {
    // Opening a pipe would wait for its other end.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut records = Records { file: BufReader::new(File::open(path)?), line: 1, at: 0, many };
    let mut header = None;
    if many == Many::Table {
        let first = records.next()?.map(|it| it.bytes).unwrap_or_default();
        match csv::header(&first) {
            Ok(names) => header = Some(Arc::from(names)),
            Err(error) => {
                take(Err((1, error.text())));
                return Ok(());
            }
        }
    }
    while let Some(Record { line, start, bytes }) = records.next()? {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if bytes.len() as u64 > MOST {
            take(Err((line, Fault::LongCase { limit: MOST >> 20 }.text())));
            return Ok(());
        }
        let range = start..start + bytes.len() as u64;
        let part = Part { line, bytes: range, header: header.clone() };
        take(match &header {
            None => Ok((part, bytes)),
            Some(header) => match csv::case(header, &bytes, form) {
                Ok(case) => Ok((part, case)),
                Err(error) => Err((line, error.text())),
            },
        });
    }
    Ok(())
}

/// The records of a file: lines, or as many lines as a quoted value has.
struct Records {
    file: BufReader<File>,
    line: usize,
    at: u64,
    many: Many,
}

struct Record {
    line: usize,
    start: u64,
    bytes: Vec<u8>,
}

impl Records {
    fn next(&mut self) -> io::Result<Option<Record>> {
        let (line, start) = (self.line, self.at);
        let mut bytes = Vec::new();
        loop {
            // No longer than a case may be, and a little more, so that it is seen.
            let room = (MOST + 2).saturating_sub(bytes.len() as u64);
            let read = self.file.by_ref().take(room).read_until(b'\n', &mut bytes)?;
            self.line += usize::from(bytes.ends_with(b"\n"));
            let is_whole = self.many == Many::Lines || !csv::is_open(&bytes);
            if read == 0 || is_whole || bytes.len() as u64 > MOST {
                break;
            }
        }
        self.at += bytes.len() as u64;
        Ok((!bytes.is_empty()).then_some(Record { line, start, bytes }))
    }
}
