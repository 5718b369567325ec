//! The audit chain: what people and rules did, in an order that cannot be rewritten unseen.
//!
//! Each entry carries the digest of the one before it. The head of the chain is stored apart
//! whenever an attempt ends or an order is carried out, so that a chain that was cut short is
//! found out as well as one that was altered.

mod verify;

use provost_kernel::{
    Actor, Clock, Digest, DigestError, Exit, Fault, Lang, RequestId, Source, Timestamp,
    canonical_json,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::verify::{Problem, Report, Trouble, verify};
use crate::{Disk, Durable, FileError, Layout, Log, log::Tail, read::quarantine};

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

/// A place in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub seq: u64,
    pub hash: Digest,
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
}

/// One line of the list of stored heads.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredHead {
    schema: String,
    ts: Timestamp,
    head: Head,
    because: String,
}

/// Why nothing was recorded.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the entry `{action}` has no canonical form")]
    Entry { action: String, source: DigestError },
}

/// The chain, open for appending.
#[derive(Debug)]
pub struct Audit<'a, D: Disk> {
    disk: &'a D,
    layout: &'a Layout,
    log: Log<'a, D>,
}

impl<'a, D: Disk> Audit<'a, D> {
    pub fn open(disk: &'a D, layout: &'a Layout) -> Result<Self, FileError> {
        Ok(Self { disk, layout, log: Log::open(disk, &layout.audit())? })
    }

    /// Adds an entry to the chain.
    ///
    /// If a power cut left an unreadable end, that is put into quarantine and the chain says so
    /// in an entry of its own before it goes on: nothing disappears without a trace.
    pub fn append(
        &mut self,
        event: &Event,
        clock: &dyn Clock,
        durable: Durable,
    ) -> Result<Head, AuditError> {
        self.recover(clock)?;
        self.add(event, clock, durable)
    }

    /// Stores the head of the chain apart from it, durably, and after the chain itself.
    pub fn store_head(
        &mut self,
        head: Head,
        because: &str,
        clock: &dyn Clock,
    ) -> Result<(), AuditError> {
        self.log.sync()?;
        let stored = StoredHead {
            schema: "provost.audit-head/1".to_owned(),
            ts: clock.now(),
            head,
            because: because.to_owned(),
        };
        let line = canonical_json(&stored)
            .map_err(|source| AuditError::Entry { action: because.to_owned(), source })?;
        Ok(Log::open(self.disk, &self.layout.audit_heads())?.append(&line, Durable::Now)?)
    }

    fn add(
        &mut self,
        event: &Event,
        clock: &dyn Clock,
        durable: Durable,
    ) -> Result<Head, AuditError> {
        let mut head = None;
        self.log.append_after(durable, |tail| {
            let last = tail.last_line()?.and_then(|line| read_link(&line));
            let (seq, prev) = last.map_or((1, Digest::ZERO), |it| (it.body.seq + 1, it.hash));
            let (line, hash) = encode(event, clock.now(), seq, prev)?;
            head = Some(Head { seq, hash });
            Ok::<_, AuditError>(line)
        })?;
        Ok(head.unwrap_or(Head { seq: 0, hash: Digest::ZERO }))
    }

    /// Puts an unreadable end aside, if there is one.
    fn recover(&mut self, clock: &dyn Clock) -> Result<(), AuditError> {
        let (disk, layout) = (self.disk, self.layout);
        let mut lost = None;
        self.log.repair(|tail| {
            let bytes = unreadable_end(tail)?;
            if !bytes.is_empty() {
                let copy = quarantine(disk, layout, clock, &layout.audit(), &bytes)?;
                lost = Some((bytes.len(), copy));
            }
            Ok::<_, FileError>(bytes.len() as u64)
        })?;
        let Some((n_bytes, copy)) = lost else { return Ok(()) };
        let event = Event {
            actor: Actor { source: Source::Provost, id: "vault".to_owned() },
            action: "audit.recover".to_owned(),
            subject: "audit".to_owned(),
            request_id: None,
            detail: serde_json::json!({ "bytes": n_bytes, "kept_as": copy.name() }),
        };
        self.add(&event, clock, Durable::Now).map(drop)
    }
}

/// The bytes behind the last entry that is whole and agrees with its own digest.
fn unreadable_end<D: Disk>(tail: &Tail<'_, D>) -> Result<Vec<u8>, FileError> {
    let mut end = tail.end();
    while end > 0 {
        let start = tail.start_of_line(end - 1)?;
        if read_link(&tail.read(start, end - 1)?).is_some() {
            break;
        }
        end = start;
    }
    tail.read(end, tail.end())
}

fn encode(
    event: &Event,
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
    };
    let hash = Digest::of_json(&body).map_err(fail)?;
    let line = canonical_json(&Link { body, hash }).map_err(fail)?;
    Ok((line, hash))
}

/// Reads a line that is exactly what [`encode`] writes: a changed byte anywhere is no link.
fn read_link(line: &[u8]) -> Option<Link> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let digest = Digest::of_json(value.get("body")?).ok()?;
    let is_exact = canonical_json(&value).ok()? == line;
    let link: Link = serde_json::from_value(value).ok()?;
    (is_exact && digest == link.hash).then_some(link)
}

impl Fault for AuditError {
    fn text(&self, lang: Lang) -> String {
        match self {
            Self::File(error) => error.text(lang),
            Self::Entry { action, .. } => lang.pick(
                format!("the entry `{action}` has no canonical form"),
                format!("条目 `{action}` 没有规范形式"),
            ),
        }
    }

    fn hints(&self, lang: Lang) -> Vec<String> {
        match self {
            Self::File(error) => error.hints(lang),
            Self::Entry { .. } => Vec::new(),
        }
    }

    fn exit(&self) -> Exit {
        match self {
            Self::File(error) => error.exit(),
            Self::Entry { .. } => Exit::Unable,
        }
    }
}
