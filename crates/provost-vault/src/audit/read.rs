//! The chain as people read it: from its newest entry backwards, a page at a time.
//!
//! A place in the chain is the number of bytes before it. The chain only grows, so a place stays what
//! it was however much is added meanwhile.

use provost_kernel::{Actor, Digest, RequestId, Timestamp};
use serde_json::Value;

use super::{Body, Head, Link, PutAside, read_body, read_link};
use crate::{Action, Disk, FileError, Layout, lines};

/// One line of the chain.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainLine {
    /// The bytes before it.
    pub place: u64,
    pub standing: Standing,
    /// What it says; nothing where it cannot be read at all.
    pub entry: Option<ChainEntry>,
}

/// Whether a line is what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// As it was written. Whether it follows the one before it is not looked at here.
    Whole,
    /// It can be read, and its digest is not that of its contents.
    Altered,
    Unreadable,
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainEntry {
    pub seq: u64,
    pub at: Timestamp,
    pub actor: Actor,
    pub action: String,
    pub subject: String,
    pub request_id: Option<RequestId>,
    pub detail: Value,
    /// The digest that the line carries.
    pub hash: Digest,
    pub prev: Digest,
}

/// Whether a reader wants more lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum More {
    Yes,
    No,
}

/// Where reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Everything before this place is unread.
    Place(u64),
    Beginning,
    /// The place that was asked for is not the end of a line of this chain.
    NoSuchPlace,
}

/// A head that was stored apart from the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptHead {
    pub at: Timestamp,
    pub head: Head,
    pub because: String,
    pub put_aside: Option<PutAside>,
}

/// What a broken entry is, and what the entry behind it says that it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    pub found: Option<Digest>,
    pub expected: Option<Digest>,
}

/// How much is read at once.
const CHUNK: u64 = 64 * 1024;

/// Reads lines backwards from a place, or from the end. A half line at the end was never acknowledged
/// and is none.
pub fn read_back<D: Disk>(
    disk: &D,
    layout: &Layout,
    before: Option<u64>,
    mut take: impl FnMut(ChainLine) -> More,
) -> Result<Reached, FileError> {
    let at = layout.audit();
    let fail = |source| FileError { action: Action::Read, path: at.path(), source };
    let file = match disk.open(&at) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(if before.is_none() { Reached::Beginning } else { Reached::NoSuchPlace });
        }
        Err(error) => return Err(fail(error)),
    };
    let len = disk.len(&file).map_err(fail)?;
    let read = |from: u64, to: u64| -> Result<Vec<u8>, FileError> {
        let mut bytes = vec![0; usize::try_from(to.saturating_sub(from)).unwrap_or_default()];
        let mut filled = 0;
        while filled < bytes.len() {
            let Some(rest) = bytes.get_mut(filled..) else { break };
            let offset = from + u64::try_from(filled).unwrap_or_default();
            match disk.read_at(&file, rest, offset).map_err(fail)? {
                0 => break,
                n => filled += n,
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    };
    let end = match before {
        None => len,
        Some(0) => return Ok(Reached::Beginning),
        Some(place) => {
            let is_end = place <= len && read(place - 1, place)? == b"\n";
            if !is_end {
                return Ok(Reached::NoSuchPlace);
            }
            place
        }
    };
    // What is read and not given yet: it begins at `start`, and ends with a whole line.
    let (mut start, mut held) = (end, Vec::new());
    if before.is_none() {
        // The half line at the end.
        loop {
            if let Some(newline) = held.iter().rposition(|it| *it == b'\n') {
                held.truncate(newline + 1);
                break;
            }
            if start == 0 {
                return Ok(Reached::Beginning);
            }
            let from = start.saturating_sub(CHUNK);
            held = [read(from, start)?, held].concat();
            start = from;
        }
    }
    loop {
        // The last line, without its end.
        let line_end = held.len().saturating_sub(1);
        let newline = held.get(..line_end).and_then(|it| it.iter().rposition(|it| *it == b'\n'));
        let first = match newline {
            Some(newline) => newline + 1,
            None if start == 0 => 0,
            None => {
                let from = start.saturating_sub(CHUNK);
                held = [read(from, start)?, held].concat();
                start = from;
                continue;
            }
        };
        if held.is_empty() {
            return Ok(Reached::Beginning);
        }
        let place = start + u64::try_from(first).unwrap_or_default();
        let more = take(chain_line(place, held.get(first..line_end).unwrap_or_default()));
        held.truncate(first);
        if place == 0 {
            return Ok(Reached::Beginning);
        }
        if more == More::No {
            return Ok(Reached::Place(place));
        }
    }
}

/// What is wrong at a line, from 1.
pub fn mismatch<D: Disk>(disk: &D, layout: &Layout, line: u64) -> Result<Mismatch, FileError> {
    let skipped = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
    let mut rest = lines(disk, &layout.audit())?.skip(skipped);
    let found = rest.next().transpose()?.and_then(|it| contents(&it));
    let behind = rest.next().transpose()?;
    let expected = behind.and_then(|it| serde_json::from_slice::<Link>(&it).ok());
    Ok(Mismatch { found, expected: expected.map(|it| it.body.prev) })
}

/// The digest of what a line says, whatever digest it carries.
fn contents(line: &[u8]) -> Option<Digest> {
    if let Some((_, hash)) = read_body(line) {
        return Some(hash);
    }
    let inner = line.strip_prefix(super::BEFORE_BODY)?;
    let at = inner.windows(super::BEFORE_HASH.len()).rposition(|it| it == super::BEFORE_HASH)?;
    inner.get(..at).map(Digest::of_bytes)
}

fn chain_line(place: u64, line: &[u8]) -> ChainLine {
    if let Some(link) = read_link(line) {
        return ChainLine { place, standing: Standing::Whole, entry: Some(entry(link)) };
    }
    match serde_json::from_slice::<Link>(line) {
        Ok(link) => ChainLine { place, standing: Standing::Altered, entry: Some(entry(link)) },
        Err(_) => ChainLine { place, standing: Standing::Unreadable, entry: None },
    }
}

fn entry(Link { body, hash }: Link) -> ChainEntry {
    let Body { seq, ts, actor, action, subject, request_id, detail, prev, .. } = body;
    ChainEntry { seq, at: ts, actor, action, subject, request_id, detail, hash, prev }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use provost_kernel::{Clock, Millis, Source};

    use super::*;
    use crate::{
        Durable, Log,
        audit::{Audit, Event},
        disk::read_all,
        sim::SimDisk,
        write_atomic,
    };

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    fn layout() -> Layout {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
    }

    fn chain(n: u64, padding: usize) -> SimDisk {
        let (disk, layout) = (SimDisk::default(), layout());
        let mut audit = Audit::open(&disk, &layout).unwrap();
        for n in 1..=n {
            let event = Event {
                actor: Actor { source: Source::Web, id: "ann".to_owned() },
                action: "task.pause".to_owned(),
                subject: format!("task:t{n}"),
                request_id: None,
                detail: serde_json::json!({"padding": "x".repeat(padding)}),
            };
            let head = audit.append(&event, &Noon, Durable::Now).unwrap();
            if n == 2 {
                audit.store_head(head, "the second", &Noon).unwrap();
            }
        }
        disk
    }

    /// Everything, by pages of so many lines.
    fn pages(disk: &SimDisk, size: usize) -> Vec<Option<u64>> {
        let (mut found, mut before) = (Vec::new(), None);
        loop {
            let mut n = 0;
            let reached = read_back(disk, &layout(), before, |line| {
                found.push(line.entry.map(|it| it.seq));
                n += 1;
                if n == size { More::No } else { More::Yes }
            });
            match reached.unwrap() {
                Reached::Place(place) => before = Some(place),
                Reached::Beginning => return found,
                Reached::NoSuchPlace => panic!("{before:?}"),
            }
        }
    }

    #[test]
    fn a_chain_is_read_backwards_without_a_gap_or_a_repetition() {
        for (n, padding) in [(0, 0), (1, 0), (7, 10), (5, 100_000), (3, 65_300)] {
            let disk = chain(n, padding);
            let expected: Vec<_> = (1..=n).rev().map(Some).collect();
            for size in [1, 2, 3, 100] {
                assert_eq!(pages(&disk, size), expected, "{n} {padding} {size}");
            }
        }
    }

    #[test]
    fn a_half_line_at_the_end_is_none_and_a_bad_place_is_refused() {
        let (disk, layout) = (chain(2, 0), layout());
        let whole = read_all(&disk, &disk.open(&layout.audit()).unwrap()).unwrap();
        write_atomic(&disk, &layout.audit(), &[&whole[..], b"{\"body\":"].concat()).unwrap();
        assert_eq!(pages(&disk, 5), [Some(2), Some(1)]);
        let look = |place| read_back(&disk, &layout, Some(place), |_| More::Yes).unwrap();
        assert_eq!(look(3), Reached::NoSuchPlace);
        assert_eq!(look(1 << 40), Reached::NoSuchPlace);
        assert_eq!(look(0), Reached::Beginning);
        let _ = Log::open(&disk, &layout.audit()).unwrap();
    }

    #[test]
    fn an_altered_line_is_shown_as_one_with_what_it_was() {
        let (disk, layout) = (chain(3, 0), layout());
        let whole = read_all(&disk, &disk.open(&layout.audit()).unwrap()).unwrap();
        let text = String::from_utf8(whole).unwrap();
        write_atomic(&disk, &layout.audit(), text.replace("task:t2", "task:t9").as_bytes())
            .unwrap();
        let mut found = Vec::new();
        read_back(&disk, &layout, None, |line| {
            found.push((line.standing, line.entry.unwrap().subject));
            More::Yes
        })
        .unwrap();
        let expected = [
            (Standing::Whole, "task:t3".to_owned()),
            (Standing::Altered, "task:t9".to_owned()),
            (Standing::Whole, "task:t1".to_owned()),
        ];
        assert_eq!(found, expected);
        let Mismatch { found, expected } = mismatch(&disk, &layout, 2).unwrap();
        assert!(found.is_some() && expected.is_some() && found != expected);
    }
}
