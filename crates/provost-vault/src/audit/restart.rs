//! A new chain in place of one that is broken, by order of a person.
//!
//! What is left of the old one goes to quarantine. The first entry of the new chain names the last
//! entry that was known of the old one and goes on behind its number, so that everything which names an
//! entry of the old chain is known to be of that.

use provost_kernel::{Actor, Clock};
use serde_json::{Value, json};

use super::{AuditError, Body, Event, Head, StoredHead, encode, read_link, verify, witness};
use crate::{
    Disk, FileError, Layout, Location, Log, Stored, read::quarantine, read_json, read_records,
    task_names::names_of_tasks, write_atomic,
};

/// What the first entry of such a chain is called.
pub(crate) const ACTION: &str = "audit.restart";

/// A chain that was begun anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restarted {
    /// The last entry that was known of the old chain.
    pub old: Head,
    pub head: Head,
    /// The names of the copies in quarantine.
    pub kept_as: Vec<String>,
}

/// Sets a broken chain aside and begins a new one. One that is intact is left alone.
///
/// A crash at any point leaves the old chain, a chain that is missing, or the new one: in each case
/// the order can be given again, and the copies are in quarantine before anything is changed.
pub fn restart<D: Disk>(
    disk: &D,
    layout: &Layout,
    actor: &Actor,
    reason: &str,
    clock: &dyn Clock,
) -> Result<Option<Restarted>, AuditError> {
    let report = verify(disk, layout)?;
    if report.is_intact() {
        return Ok(None);
    }
    let old = last_known(disk, layout)?;
    let mut kept_as = Vec::new();
    for at in [layout.audit(), layout.audit_heads(), layout.chain_head()] {
        kept_as.extend(copy(disk, layout, clock, &at)?);
    }
    let event = Event {
        actor: actor.clone(),
        action: ACTION.to_owned(),
        subject: "audit:chain".to_owned(),
        request_id: None,
        detail: json!({
            "old_head": old,
            "problems": report.problems.len(),
            "reason": reason,
            "kept_as": kept_as,
        }),
    };
    let (line, hash) = encode(&event, None, clock.now(), old.seq + 1, old.hash)?;
    let head = Head { seq: old.seq + 1, hash };
    Log::open(disk, &layout.audit())?.rewrite(&line)?;
    let stored = StoredHead::line(head, ACTION, None, None, clock)?;
    write_atomic(disk, &layout.audit_heads(), &[&stored[..], b"\n"].concat())?;
    witness::replace(disk, layout, head, clock)?;
    Ok(Some(Restarted { old, head, kept_as }))
}

/// The head that the first entry of a chain goes on behind: that of an empty chain, or the one that a
/// restart names.
pub(super) fn origin(first: &Body) -> Head {
    let named = (first.action == ACTION).then(|| named(&first.detail)).flatten();
    named.unwrap_or(Head::NONE)
}

fn named(detail: &Value) -> Option<Head> {
    serde_json::from_value(detail.get("old_head")?.clone()).ok()
}

/// The head with the greatest number that anything names: an entry that can still be read, a stored
/// head, the one kept outside the project, or the state of a task.
fn last_known<D: Disk>(disk: &D, layout: &Layout) -> Result<Head, AuditError> {
    let mut last = Head::NONE;
    let mut learn = |head: Head| {
        if head.seq > last.seq {
            last = head;
        }
    };
    for line in crate::lines(disk, &layout.audit())? {
        if let Some(link) = read_link(&line?) {
            learn(Head { seq: link.body.seq, hash: link.hash });
        }
    }
    let heads = read_records::<D, StoredHead>(disk, &layout.audit_heads())?.records;
    for it in &heads {
        learn(it.head);
    }
    // One that cannot be read says nothing, and is replaced.
    if let Ok(Some(head)) = witness::witnessed(disk, layout) {
        learn(head);
    }
    for task in names_of_tasks(disk, layout)? {
        if let Stored::Present(state) = read_json::<D, Value>(disk, &layout.status(&task))? {
            let head = state.get("audit_head").cloned().map(serde_json::from_value);
            if let Some(Ok(head)) = head {
                learn(head);
            }
        }
    }
    Ok(last)
}

fn copy<D: Disk>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
    at: &Location,
) -> Result<Option<String>, FileError> {
    let bytes = crate::read::contents(disk, at)?;
    let Some(bytes) = bytes.filter(|it| !it.is_empty()) else { return Ok(None) };
    Ok(Some(quarantine(disk, layout, clock, at, &bytes)?.name().to_owned()))
}
