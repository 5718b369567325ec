//! The audit chain: what people and rules did, in an order that cannot be rewritten unseen.
//!
//! Each entry carries the digest of the one before it. The head of the chain is stored apart
//! whenever an attempt ends or an order is carried out, so that a chain that was cut short is
//! found out as well as one that was altered. A copy of the head lies outside the project
//! (`witness`), so that a chain that was removed together with its heads is missed. An entry that
//! comes with a new `status.json` carries its digest, so that a state that somebody edited is found out
//! by its readers.

mod actions;
mod claims;
mod inspect;
mod read;
mod restart;
mod status;
mod verifier;
mod verify;
mod witness;

use provost_kernel::{
    Actor, Clock, Digest, DigestError, Message, RequestId, Timestamp, canonical_json,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[cfg(test)]
pub(crate) use self::witness::keep as keep_outside;
pub use self::{
    inspect::mark_if_broken,
    read::{
        ChainEntry, ChainLine, KeptHead, Mismatch, More, Reached, Standing, mismatch, read_back,
    },
    restart::{Restarted, restart},
    status::{Provenance, StatusChange, StatusMemory, Statuses},
    verifier::Verifier,
    verify::{Problem, Report, Trouble, verify},
    witness::{check_absent, set_aside_gone},
};
pub(crate) use self::{restart::ACTION as RESTART, status::status_digest};
use crate::{
    Disk, Durable, FileError, Layout, Location, Log, last_line, log::Tail, read::quarantine,
    read_records,
};
pub use provost_kernel::task::AuditHead as Head;

const SCHEMA: &str = "provost.audit/1";

/// Something to be recorded.
#[derive(Clone, Debug)]
pub struct Event {
    pub actor: Actor,
    /// What was done, such as `task.pause`.
    pub action: String,
    /// To what it was done, such as `task:t1`.
    pub subject: String,
    pub request_id: Option<RequestId>,
    pub detail: Value,
}

/// One line of the chain.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Link {
    body: Body,
    hash: Digest,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Body {
    schema: String,
    seq: u64,
    ts: Timestamp,
    actor: Actor,
    action: String,
    subject: String,
    request_id: Option<RequestId>,
    detail: Value,
    prev: Digest,
    /// The state that is written next, if the entry comes with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task_status: Option<StatusChange>,
}

/// One line of the list of stored heads.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredHead {
    schema: String,
    ts: Timestamp,
    head: Head,
    because: String,
    /// What was found behind this head and put aside, if a crash or a hand damaged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    put_aside: Option<PutAside>,
    /// What a session found wrong with the chain, which takes no entry from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    broken: Option<String>,
}

/// An end of the chain that could not be read and is kept in quarantine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutAside {
    pub bytes: u64,
    pub kept_as: String,
}

/// Why nothing was recorded.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "vault.audit")]
pub enum AuditError {
    #[error(transparent)]
    #[message(transparent)]
    File(#[from] FileError),
    #[message(
        en = "the entry `{action}` has no canonical form",
        zh = "条目 `{action}` 没有规范形式"
    )]
    Entry { action: String, source: DigestError },
    /// The chain is damaged where a stored head vouches for it: no crash does that.
    #[message(
        en = "the audit chain `{at}` was altered or cut short",
        zh = "审计链 `{at}` 被改动或截断",
        hint(
            en = "`provost audit verify` names the line; a person begins a new chain with `provost audit restart`",
            zh = "`provost audit verify` 会指出是哪一行；可由使用者用 `provost audit restart` 开始新链"
        ),
        exit = Integrity
    )]
    Broken { at: Location },
    /// A head of it is known, and there is no entry.
    #[message(
        en = "the audit chain `{at}` is missing: its entry {seq} is known",
        zh = "审计链 `{at}` 缺失：已知有第 {seq} 条",
        hint(
            en = "`provost audit verify` says what is left; a person begins a new chain with `provost audit restart`",
            zh = "`provost audit verify` 会说明还剩什么；可由使用者用 `provost audit restart` 开始新链"
        ),
        exit = Integrity
    )]
    Missing { at: Location, seq: u64 },
    /// The head outside the project cannot be read.
    #[message(
        en = "`{at}` does not hold the head of an audit chain",
        zh = "`{at}` 中不是审计链的链头",
        hint(
            en = "a person begins a new chain with `provost audit restart`",
            zh = "可由使用者用 `provost audit restart` 开始新链"
        ),
        exit = Integrity
    )]
    Witness { at: Location },
}

impl AuditError {
    /// Whether the chain itself takes no entry, so that nothing was written.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Broken { .. } | Self::Missing { .. } | Self::Witness { .. })
    }
}

/// The chain, open for appending.
#[derive(Debug)]
pub struct Audit<'a, D: Disk> {
    disk: &'a D,
    layout: &'a Layout,
    log: Log<'a, D>,
    vouching: Vouching,
}

/// Which heads a chain is compared with before it takes an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vouching {
    /// The last stored head, and the one outside the project.
    All,
    /// The last stored head. The one outside the project is read where there is none.
    Nearest,
}

impl<'a, D: Disk> Audit<'a, D> {
    pub fn open(disk: &'a D, layout: &'a Layout) -> Result<Self, FileError> {
        let log = Log::open(disk, &layout.audit())?;
        Ok(Self { disk, layout, log, vouching: Vouching::All })
    }

    /// Opens it for one entry that somebody waits for: the head outside the project is only read where
    /// no other is stored.
    pub fn open_for_call(disk: &'a D, layout: &'a Layout) -> Result<Self, FileError> {
        Ok(Self { vouching: Vouching::Nearest, ..Self::open(disk, layout)? })
    }

    /// Adds an entry to the chain.
    ///
    /// If a power cut left an unreadable end, that is put into quarantine and recorded among the
    /// stored heads before the chain goes on: nothing disappears without a trace. Damage that a
    /// crash cannot explain is refused, and nothing is written.
    pub fn append(
        &mut self,
        event: &Event,
        clock: &dyn Clock,
        durable: Durable,
    ) -> Result<Head, AuditError> {
        self.append_behind(None, event, clock, durable)
    }

    /// Adds an entry to a chain that has reached this head: one that is shorter, or ends with
    /// another entry of that number, was cut or replaced, and takes none.
    pub fn append_behind(
        &mut self,
        reached: Option<Head>,
        event: &Event,
        clock: &dyn Clock,
        durable: Durable,
    ) -> Result<Head, AuditError> {
        self.append_entry(reached, event, None, clock, durable)
    }

    /// Adds the entry of a state that is written next, durably, to a chain that has reached this head.
    pub(crate) fn append_status(
        &mut self,
        reached: Option<Head>,
        event: &Event,
        change: StatusChange,
        clock: &dyn Clock,
    ) -> Result<Head, AuditError> {
        self.append_entry(reached, event, Some(&change), clock, Durable::Now)
    }

    fn append_entry(
        &mut self,
        reached: Option<Head>,
        event: &Event,
        task_status: Option<&StatusChange>,
        clock: &dyn Clock,
        durable: Durable,
    ) -> Result<Head, AuditError> {
        let (mut head, disk, layout, vouching) = (None, self.disk, self.layout, self.vouching);
        let reached = reached.unwrap_or(Head::NONE);
        self.log.append_after(durable, |tail| {
            let last = if tail.is_own() {
                let knot = tail.last_line()?.and_then(|line| read_knot(&line));
                knot.map_or(Head::NONE, |it| it.head)
            } else {
                let last = recover(disk, layout, tail, reached, clock)?;
                // Under the lock of the chain, where no other process can store a newer one.
                for head in vouched(disk, layout, vouching)? {
                    reaches(layout, last, head)?;
                }
                last
            };
            reaches(layout, last, reached)?;
            let seq = last.seq + 1;
            let (line, hash) = encode(event, task_status, clock.now(), seq, last.hash)?;
            head = Some(Head { seq, hash });
            Ok::<_, AuditError>(line)
        })?;
        let head = head.unwrap_or(Head::NONE);
        if actions::is_from_afar(event) {
            actions::record(disk, layout, event, head, clock)?;
        }
        Ok(head)
    }

    /// Stores the head of the chain apart from it, durably, and after the chain itself.
    pub fn store_head(
        &mut self,
        head: Head,
        because: &str,
        clock: &dyn Clock,
    ) -> Result<(), AuditError> {
        self.log.sync()?;
        let line = StoredHead::line(head, because, None, None, clock)?;
        store(self.disk, self.layout, &line)?;
        witness::keep(self.disk, self.layout, head, clock)
    }
}

/// The heads that a chain must have.
fn vouched<D: Disk>(
    disk: &D,
    layout: &Layout,
    vouching: Vouching,
) -> Result<[Head; 2], AuditError> {
    let stored = match last_line(disk, &layout.audit_heads())? {
        None => None,
        Some(line) => match serde_json::from_slice::<StoredHead>(&line) {
            Ok(StoredHead { head, broken: None, .. }) => Some(head),
            Ok(StoredHead { broken: Some(_), .. }) | Err(_) => {
                return Err(AuditError::Broken { at: layout.audit() });
            }
        },
    };
    let outside = match (stored, vouching) {
        (Some(_), Vouching::Nearest) => None,
        (_, _) => witness::witnessed(disk, layout)?,
    };
    Ok([stored, outside].map(|it| it.unwrap_or(Head::NONE)))
}

/// Refuses a chain whose last entry is this one where a head is known that it does not reach.
pub(crate) fn check_heads<D: Disk>(
    disk: &D,
    layout: &Layout,
    last: Head,
) -> Result<(), AuditError> {
    for head in vouched(disk, layout, Vouching::All)? {
        reaches(layout, last, head)?;
    }
    Ok(())
}

/// Refuses a chain that ends before a head, or whose last entry is another one than the head of that
/// number.
fn reaches(layout: &Layout, last: Head, head: Head) -> Result<(), AuditError> {
    if last.seq == 0 && head.seq > 0 {
        return Err(AuditError::Missing { at: layout.audit(), seq: head.seq });
    }
    if last.seq < head.seq || (last.seq == head.seq && last.hash != head.hash) {
        return Err(AuditError::Broken { at: layout.audit() });
    }
    Ok(())
}

/// Puts an unreadable end aside, if there is one, and gives the last entry before it.
fn recover<D: Disk>(
    disk: &D,
    layout: &Layout,
    tail: &mut Tail<'_, D>,
    reached: Head,
    clock: &dyn Clock,
) -> Result<Head, AuditError> {
    let (head, bytes) = unreadable_end(tail)?;
    if bytes.is_empty() {
        return Ok(head);
    }
    if bytes.split(|&it| it == b'\n').any(is_altered) {
        return Err(AuditError::Broken { at: layout.audit() });
    }
    let heads = read_records::<D, StoredHead>(disk, &layout.audit_heads())?.records;
    if reached.seq > head.seq || heads.iter().any(|it| it.head.seq > head.seq) {
        return Err(AuditError::Broken { at: layout.audit() });
    }
    let n_bytes = bytes.len() as u64;
    let copy = quarantine(disk, layout, clock, &layout.audit(), &bytes)?;
    let put_aside = PutAside { bytes: n_bytes, kept_as: copy.name().to_owned() };
    store(disk, layout, &StoredHead::line(head, "recovery", Some(put_aside), None, clock)?)?;
    tail.cut(tail.end().saturating_sub(n_bytes))?;
    Ok(head)
}

/// Stores a head apart from the chain, durably.
fn store<D: Disk>(disk: &D, layout: &Layout, line: &[u8]) -> Result<(), FileError> {
    Log::open(disk, &layout.audit_heads())?.append(line, Durable::Now)
}

impl StoredHead {
    /// The line of a head.
    fn line(
        head: Head,
        because: &str,
        put_aside: Option<PutAside>,
        broken: Option<String>,
        clock: &dyn Clock,
    ) -> Result<Vec<u8>, AuditError> {
        let stored = Self {
            schema: "provost.audit-head/1".to_owned(),
            ts: clock.now(),
            head,
            because: because.to_owned(),
            put_aside,
            broken,
        };
        canonical_json(&stored)
            .map_err(|source| AuditError::Entry { action: because.to_owned(), source })
    }
}

/// The last entry that is whole and continues the one before it, and the bytes behind it.
///
/// An entry that agrees with its own digest is not enough: behind a hole it stands alone.
fn unreadable_end<D: Disk>(tail: &Tail<'_, D>) -> Result<(Head, Vec<u8>), FileError> {
    let line_before = |end: u64| {
        let Some(newline) = end.checked_sub(1) else { return Ok((0, None)) };
        let start = tail.start_of_line(newline)?;
        Ok::<_, FileError>((start, read_knot(&tail.read(start, newline)?)))
    };
    let mut end = tail.end();
    let mut last = line_before(end)?;
    while end > 0 {
        let (start, knot) = last;
        let before = line_before(start)?;
        let previous = match start {
            0 => Some(read_origin(&tail.read(0, end.saturating_sub(1))?)),
            _ => before.1.map(|it| it.head),
        };
        if let (Some(Knot { head, prev }), Some(previous)) = (knot, previous)
            && (head.seq, prev) == (previous.seq + 1, previous.hash)
        {
            return Ok((head, tail.read(end, tail.end())?));
        }
        (end, last) = (start, before);
    }
    Ok((Head::NONE, tail.read(0, tail.end())?))
}

fn encode(
    event: &Event,
    task_status: Option<&StatusChange>,
    ts: Timestamp,
    seq: u64,
    prev: Digest,
) -> Result<(Vec<u8>, Digest), AuditError> {
    let fail = |source| AuditError::Entry { action: event.action.clone(), source };
    let body = Body {
        schema: SCHEMA.to_owned(),
        seq,
        ts,
        actor: event.actor.clone(),
        action: event.action.clone(),
        subject: event.subject.clone(),
        request_id: event.request_id.clone(),
        detail: event.detail.clone(),
        prev,
        task_status: task_status.cloned(),
    };
    let body = canonical_json(&body).map_err(fail)?;
    let hash = Digest::of_bytes(&body);
    // The canonical form of the whole: its two keys stand in this order.
    let line = [BEFORE_BODY, &body, BEFORE_HASH, hash.to_string().as_bytes(), END].concat();
    Ok((line, hash))
}

/// What stands around the body and the digest in a line.
const BEFORE_BODY: &[u8] = b"{\"body\":";
const BEFORE_HASH: &[u8] = b",\"hash\":\"";
const END: &[u8] = b"\"}";

/// What ties an entry to the one before it.
#[derive(Clone, Copy, Debug)]
struct Knot {
    head: Head,
    prev: Digest,
}

/// The body of a line, if the line has the form that [`encode`] writes and its digest is that of
/// the body: a changed byte anywhere is found.
fn read_body(line: &[u8]) -> Option<(&[u8], Digest)> {
    const HEX: usize = 64;
    let inner = line.strip_prefix(BEFORE_BODY)?.strip_suffix(END)?;
    let (rest, hash) = inner.split_at_checked(inner.len().checked_sub(HEX)?)?;
    let body = rest.strip_suffix(BEFORE_HASH)?;
    let hash: Digest = std::str::from_utf8(hash).ok()?.parse().ok()?;
    (Digest::of_bytes(body) == hash).then_some((body, hash))
}

/// Whether a line is whole and yet not what was written: a crash leaves a part or a hole, and no
/// other text.
fn is_altered(line: &[u8]) -> bool {
    let is_whole = line.starts_with(BEFORE_BODY) && line.ends_with(END) && !line.contains(&0);
    is_whole && read_body(line).is_none()
}

/// Reads what an appender needs of a line. That its body is in canonical form is left to
/// [`verify`]: a line that was written otherwise was not written by provost, and stays as it is.
fn read_knot(line: &[u8]) -> Option<Knot> {
    #[derive(Deserialize)]
    struct Tied {
        seq: u64,
        prev: Digest,
    }
    let (body, hash) = read_body(line)?;
    let Tied { seq, prev } = serde_json::from_slice(body).ok()?;
    Some(Knot { head: Head { seq, hash }, prev })
}

/// The head that the first line of a chain goes on behind.
fn read_origin(line: &[u8]) -> Head {
    read_link(line).map_or(Head::NONE, |it| restart::origin(&it.body))
}

/// Reads a line that is exactly what [`encode`] writes.
fn read_link(line: &[u8]) -> Option<Link> {
    let (body, hash) = read_body(line)?;
    let value: Value = serde_json::from_slice(body).ok()?;
    let is_exact = canonical_json(&value).ok()? == body;
    let body: Body = serde_json::from_value(value).ok()?;
    is_exact.then_some(Link { body, hash })
}
