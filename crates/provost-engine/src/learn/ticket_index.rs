//! The tickets of a run: which there are and where each lies, so that a hundred thousand of them
//! need no more room than their keys. What is not a ticket is kept by name, never dropped in
//! silence.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    os::unix::fs::FileExt as _,
};

use camino::{Utf8Path, Utf8PathBuf};
use provost_form::Problem;
use provost_kernel::{
    Digest, Message, Text,
    learn::{LabelSource, Mission, Source, Split, Ticket, TicketKey},
};
use provost_rules_learn::{
    bound::Asked,
    measure::fresh::Way,
    pool,
    review::ReviewTicket,
    ticket::{TicketProblem, read_line},
};
use serde::{Serialize, Serializer};

use super::LearnError;

/// A longer line is not a ticket.
const LINE_CAP: u64 = 4 << 20;

/// The tickets of a mission.
#[derive(Debug)]
pub struct TicketIndex {
    files: Vec<(Utf8PathBuf, File)>,
    entries: Vec<Entry>,
    rejects: Vec<IngestReject>,
    excluded: usize,
    digest: Digest,
}

/// One ticket, without what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub key: TicketKey,
    pub split: Split,
    /// Whether a person gave the label.
    pub is_human: bool,
    /// How it came that it was labelled.
    pub way: Way,
    file: usize,
    offset: u64,
    length: usize,
}

/// A line that was rejected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Message)]
#[message(
    code = "learn.ingest_reject",
    en = "`{path}`, line {line}: {reason} ({problem})",
    zh = "`{path}` 第 {line} 行：{reason}（{problem}）"
)]
pub struct IngestReject {
    pub path: String,
    /// From 1.
    pub line: u64,
    /// The stable word for the reason.
    pub reason: &'static str,
    /// The files of a run are in English.
    #[serde(rename = "detail", serialize_with = "in_english")]
    pub problem: Text,
    pub sha256: Digest,
}

/// A line that is not even read as a ticket.
#[derive(Message)]
#[message(code = "learn.line_too_long", en = "more than {limit} bytes", zh = "超过 {limit} 字节")]
struct LineTooLong {
    limit: u64,
}

fn in_english<S: Serializer>(text: &Text, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(text)
}

/// What reading the lines of all files has come to so far.
struct Ingest<'a> {
    mission: &'a Mission,
    excluded_keys: BTreeSet<&'a TicketKey>,
    seen: BTreeSet<TicketKey>,
    ticket_index: TicketIndex,
}

impl TicketIndex {
    /// Reads every line of the files.
    pub fn read(paths: &[Utf8PathBuf], mission: &Mission) -> Result<Self, LearnError> {
        let mut ingest = Ingest {
            mission,
            excluded_keys: mission.exclude_ticket_keys.iter().collect(),
            seen: BTreeSet::new(),
            ticket_index: Self {
                files: Vec::new(),
                entries: Vec::new(),
                rejects: Vec::new(),
                excluded: 0,
                digest: Digest::ZERO,
            },
        };
        for path in paths {
            ingest.file(path)?;
        }
        let ticket_index = ingest.ticket_index;
        if ticket_index.entries.is_empty() {
            let rejected = ticket_index.rejects.len();
            return Err(match ticket_index.rejects.into_iter().next() {
                Some(first) => LearnError::AllRejected { rejected, first: Box::new(first) },
                None => LearnError::NoTickets,
            });
        }
        Ok(ticket_index)
    }

    /// The tickets of one pool, as places in the index, in the order of the files.
    pub fn pool(&self, split: Split) -> Vec<usize> {
        let is_in = |(at, entry): (usize, &Entry)| (entry.split == split).then_some(at);
        self.entries.iter().enumerate().filter_map(is_in).collect()
    }

    /// The tickets of one pool that a person labelled: nothing is measured against other labels.
    pub fn human_pool(&self, split: Split) -> Vec<usize> {
        self.pool(split).into_iter().filter(|at| self.entries[*at].is_human).collect()
    }

    /// How much is asked about when these tickets are.
    pub fn asked(&self, places: &[usize]) -> Asked {
        let number = |it: usize| u64::try_from(it).unwrap_or(u64::MAX);
        Asked {
            tickets: number(places.len()),
            bytes: places.iter().map(|at| number(self.entries[*at].length)).sum(),
        }
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn entry(&self, at: usize) -> &Entry {
        &self.entries[at]
    }

    pub fn rejects(&self) -> &[IngestReject] {
        &self.rejects
    }

    /// How many tickets the mission leaves out by their keys.
    pub fn excluded(&self) -> usize {
        self.excluded
    }

    /// What the run depends on: every line that became a ticket, in order.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Reads one ticket of the index.
    pub fn ticket(&self, at: usize, mission: &Mission) -> Result<Ticket, LearnError> {
        let entry = &self.entries[at];
        let (path, file) = &self.files[entry.file];
        let mut line = vec![0; entry.length];
        file.read_exact_at(&mut line, entry.offset)
            .map_err(|source| LearnError::Unreadable { path: path.clone(), source })?;
        match read_line(&line, &mission.mission) {
            Ok(Some(ticket)) if ticket.key() == entry.key => Ok(ticket),
            Ok(_) | Err(_) => Err(LearnError::TicketsChanged { path: path.clone() }),
        }
    }
}

impl Ingest<'_> {
    fn file(&mut self, path: &Utf8Path) -> Result<(), LearnError> {
        let fail = |source| LearnError::Unreadable { path: path.to_owned(), source };
        let file = File::open(path).map_err(fail)?;
        let number = self.ticket_index.files.len();
        let mut reader = BufReader::with_capacity(1 << 16, file.try_clone().map_err(fail)?);
        self.ticket_index.files.push((path.to_owned(), file));
        let (mut offset, mut at) = (0_u64, 0_u64);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read =
                (&mut reader).take(LINE_CAP + 1).read_until(b'\n', &mut line).map_err(fail)?;
            if read == 0 {
                return Ok(());
            }
            at += 1;
            let start = offset;
            offset += u64::try_from(read).unwrap_or(u64::MAX);
            if u64::try_from(read).is_ok_and(|it| it > LINE_CAP) {
                offset += skip_line(&mut reader).map_err(fail)?;
                let problem = LineTooLong { limit: LINE_CAP };
                self.reject(path, at, &line, "line_too_long", &problem);
                continue;
            }
            self.line(path, at, &line, (number, start))?;
        }
    }

    fn line(
        &mut self,
        path: &Utf8Path,
        at: u64,
        line: &[u8],
        (file, offset): (usize, u64),
    ) -> Result<(), LearnError> {
        let ticket = match read_line(line, &self.mission.mission) {
            Ok(Some(ticket)) => ticket,
            Ok(None) => return Ok(()),
            Err(Problem { kind: TicketProblem::OtherMission { found }, .. }) => {
                return Err(LearnError::OtherMission {
                    path: path.to_owned(),
                    line: at,
                    found,
                    wanted: self.mission.mission.clone(),
                });
            }
            Err(problem) => {
                self.reject(path, at, line, problem.kind.code(), &problem);
                return Ok(());
            }
        };
        let key = ticket.key();
        if self.excluded_keys.contains(&key) {
            self.ticket_index.excluded += 1;
            return Ok(());
        }
        if !self.seen.insert(key.clone()) {
            let problem = TicketProblem::DuplicateTicket { key };
            self.reject(path, at, line, problem.code(), &problem);
            return Ok(());
        }
        let both =
            [self.ticket_index.digest.to_string(), Digest::of_bytes(line).to_string()].concat();
        self.ticket_index.digest = Digest::of_bytes(both.as_bytes());
        self.ticket_index.entries.push(Entry {
            split: match pool::split(&ticket, self.mission.pools, self.mission.seed) {
                // There is no pool for the gate any more: each label measures the rules before it.
                Split::Gate if !self.mission.edition.is_first() => Split::Learn,
                split @ (Split::Learn
                | Split::Gate
                | Split::Audit
                | Split::Golden
                | Split::Probe) => split,
            },
            way: self.way(&ticket, line),
            is_human: ticket.label_source == LabelSource::Human,
            key,
            file,
            offset,
            length: line.len(),
        });
        Ok(())
    }

    /// How it came that a ticket was labelled. Those of a file count as drawn, unless they say that the
    /// verdict was seen; a review counts as what it was asked for.
    fn way(&self, ticket: &Ticket, line: &[u8]) -> Way {
        let way = match self.mission.source {
            Source::Files(_) => (ticket.blind != Some(false)).then_some(Way::DRAWN),
            Source::Reviews(_) => {
                serde_json::from_slice(line).ok().and_then(|it: ReviewTicket| it.way)
            }
        };
        way.unwrap_or(Way::Volunteered)
    }

    fn reject(
        &mut self,
        path: &Utf8Path,
        line: u64,
        bytes: &[u8],
        reason: &'static str,
        problem: &impl Message,
    ) {
        let path = path.file_name().unwrap_or(path.as_str()).to_owned();
        let sha256 = Digest::of_bytes(bytes);
        let problem = problem.text();
        self.ticket_index.rejects.push(IngestReject { path, line, reason, problem, sha256 });
    }
}

/// Reads past the end of a line without keeping it.
fn skip_line(reader: &mut impl std::io::BufRead) -> std::io::Result<u64> {
    let mut skipped = 0;
    loop {
        let buffer = reader.fill_buf()?;
        let end = buffer.iter().position(|it| *it == b'\n');
        let step = end.map_or(buffer.len(), |it| it + 1);
        let is_over = end.is_some() || buffer.is_empty();
        reader.consume(step);
        skipped += u64::try_from(step).unwrap_or(u64::MAX);
        if is_over {
            return Ok(skipped);
        }
    }
}
