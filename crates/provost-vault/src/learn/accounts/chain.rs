//! What the audit chain says of a ledger.

use provost_kernel::Digest;
use serde::Deserialize;

use super::ACTION;
use crate::{
    Disk, Layout,
    audit::{AuditError, ChainLine, Head, More, RESTART, Standing, check_heads, read_back},
};

/// Lines that were added together.
#[derive(Debug, Deserialize)]
pub(super) struct Batch {
    /// The number of the first, from 1 on.
    pub line: u64,
    pub texts: Vec<String>,
}

/// The lines of one ledger.
#[derive(Debug)]
pub(super) struct Chain {
    /// The oldest first.
    pub batches: Vec<Batch>,
    /// Whether the chain goes back to the beginning of everything.
    pub is_whole: bool,
}

/// One line of the chain, as far as it matters here.
struct Seen {
    /// Nothing where it cannot be read as it was written.
    tie: Option<Tie>,
    is_altered: bool,
    is_restart: bool,
    batch: Option<serde_json::Value>,
}

#[derive(Clone, Copy)]
struct Tie {
    head: Head,
    prev: Digest,
}

/// Reads everything that the chain says of a ledger.
///
/// What a crash left behind the last entry that is whole and goes on from the one before it was never
/// acknowledged, and says nothing; the next entry of the chain puts it aside. Anything else that
/// cannot be read is no crash.
pub(super) fn read<D: Disk>(disk: &D, layout: &Layout, subject: &str) -> Result<Chain, AuditError> {
    let mut seen = Vec::new();
    read_back(disk, layout, None, |line| {
        seen.push(Seen::of(line, subject));
        More::Yes
    })?;
    let broken = || AuditError::Broken { at: layout.audit() };
    let end = (0..seen.len()).find(|at| is_tied(&seen, *at)).unwrap_or(seen.len());
    let left: Vec<Seen> = seen.drain(..end).collect();
    let is_sound = (0..seen.len()).all(|at| is_tied(&seen, at));
    if !is_sound || left.iter().any(|it| it.is_altered) {
        return Err(broken());
    }
    let head = seen.first().and_then(|it| it.tie).map_or(Head::NONE, |it| it.head);
    check_heads(disk, layout, head)?;
    let is_whole = !seen.iter().any(|it| it.is_restart);
    let batches = seen.into_iter().rev().filter_map(|it| it.batch);
    let batches: Result<Vec<Batch>, _> = batches.map(serde_json::from_value).collect();
    Ok(Chain { batches: batches.map_err(|_| broken())?, is_whole })
}

/// Whether a line, counted from the newest, is whole and goes on from the one before it.
fn is_tied(seen: &[Seen], at: usize) -> bool {
    let Some(tie) = seen.get(at).and_then(|it| it.tie) else { return false };
    match seen.get(at + 1) {
        None => true,
        Some(before) => before.tie.is_some_and(|before| {
            (tie.head.seq, tie.prev) == (before.head.seq.saturating_add(1), before.head.hash)
        }),
    }
}

impl Seen {
    fn of(line: ChainLine, subject: &str) -> Self {
        let is_altered = line.standing == Standing::Altered;
        let Some(entry) = line.entry.filter(|_| line.standing == Standing::Whole) else {
            return Self { tie: None, is_altered, is_restart: false, batch: None };
        };
        let is_ours = entry.action == ACTION && entry.subject == subject;
        Self {
            tie: Some(Tie { head: Head { seq: entry.seq, hash: entry.hash }, prev: entry.prev }),
            is_altered,
            is_restart: entry.action == RESTART,
            batch: is_ours.then_some(entry.detail),
        }
    }
}
