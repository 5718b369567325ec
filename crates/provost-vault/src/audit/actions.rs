//! What people ordered from afar, on the page or through a bot: one line each, beside the chain
//! (LOOP-A9). A line names its entry in the chain, which is written first and cannot be rewritten unseen.

use provost_kernel::{Clock, RequestId, Source, Timestamp, canonical_json};
use serde::Serialize;
use serde_json::Value;

use super::{AuditError, Event, Head};
use crate::{Disk, Durable, Layout, Log};

const SCHEMA: &str = "provost.gui-action/1";

#[derive(Serialize)]
struct ActionLine<'a> {
    schema: &'static str,
    ts: Timestamp,
    actor: &'a str,
    source: Source,
    action: &'a str,
    /// The task that it is about, if it is about one.
    task_id: Option<&'a str>,
    subject: &'a str,
    request_id: Option<&'a str>,
    payload: &'a Value,
    audit: Head,
}

/// Whether an action came from afar.
pub(super) fn is_from_afar(event: &Event) -> bool {
    match event.actor.source {
        Source::Web | Source::Telegram => true,
        Source::Cli | Source::Agent | Source::Provost => false,
    }
}

/// Adds the line of an entry, durably.
pub(super) fn record<D: Disk>(
    disk: &D,
    layout: &Layout,
    event: &Event,
    audit: Head,
    clock: &dyn Clock,
) -> Result<(), AuditError> {
    let line = ActionLine {
        schema: SCHEMA,
        ts: clock.now(),
        actor: &event.actor.id,
        source: event.actor.source,
        action: &event.action,
        task_id: event.subject.strip_prefix("task:"),
        subject: &event.subject,
        request_id: event.request_id.as_ref().map(RequestId::as_str),
        payload: &event.detail,
        audit,
    };
    let line = canonical_json(&line)
        .map_err(|source| AuditError::Entry { action: event.action.clone(), source })?;
    Ok(Log::open(disk, &layout.gui_actions())?.append(&line, Durable::Now)?)
}
