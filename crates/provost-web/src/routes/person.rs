//! Orders of a person outside of tasks: one effect for a request id, however often it is sent.

use axum::http::StatusCode;
use provost_desk::{PageError, PortError, request::Claim};
use provost_kernel::{Message as _, RequestId};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::once::{self, Before};
use crate::{
    answer::Answer,
    refusal::{Own, Refusal},
    route::Asked,
};

/// What became of an order.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Ordered<T> {
    /// Whether it was carried out before, so that nothing was done now.
    pub(crate) deduplicated: bool,
    /// What was done; none where a crash kept that from being remembered.
    pub(crate) done: Option<T>,
}

/// An order: what must be the same when its id comes again.
pub(crate) struct Wanted<'a> {
    pub(crate) request_id: &'a RequestId,
    pub(crate) action: &'a str,
    pub(crate) subject: String,
    pub(crate) payload: Value,
}

/// Carries out an order unless it was carried out before. The same id with another body is refused.
pub(crate) fn once<T: Serialize>(
    asked: &Asked<'_>,
    wanted: &Wanted<'_>,
    carry_out: impl FnOnce() -> Result<T, PortError>,
) -> Result<Answer, Refusal> {
    let Wanted { request_id, action, subject, payload } = wanted;
    let claim = Claim { actor: asked.actor(), action, subject, request_id, payload, seen: None };
    let ordered = once::once(
        asked,
        &claim,
        || Ok(()),
        |before| {
            if before == Before::Unsettled && is_entered(asked, request_id, action)? {
                return Ok(Ordered { deduplicated: true, done: None });
            }
            let done = carry_out().map_err(|it| port(&it))?;
            Ok(Ordered { deduplicated: false, done: Some(done) })
        },
    )?;
    Answer::json(&ordered)
}

/// Whether the audit says that an order was carried out.
fn is_entered(asked: &Asked<'_>, request_id: &RequestId, action: &str) -> Result<bool, Refusal> {
    let unable = |_| Own::Integrity.with(StatusCode::SERVICE_UNAVAILABLE);
    let entry = asked.app.desk.request(request_id).map_err(unable)?;
    Ok(entry.is_some_and(|it| it.action == action))
}

/// What a port refuses, with the status that it has here.
pub(crate) fn port(PortError(fault): &PortError) -> Refusal {
    let text = fault.text();
    let is_unknown = text.code().is_some_and(|it| UNKNOWN.contains(&it));
    if is_unknown {
        return Refusal::of(StatusCode::NOT_FOUND, &text, &fault.hints());
    }
    Refusal::message(&**fault)
}

/// The codes of what is not there.
const UNKNOWN: [&str; 6] = [
    "desk.page.unknown",
    "learn.refusal.no_mission",
    "learn.refusal.no_run",
    "learn.refusal.never_run",
    "story.error.missing",
    "story.error.ambiguous",
];

impl From<PageError> for Refusal {
    fn from(error: PageError) -> Self {
        match &error {
            PageError::Cursor => Self::parameter("cursor"),
            PageError::Unknown { .. } => {
                Self::of(StatusCode::NOT_FOUND, &error.text(), &error.hints())
            }
            PageError::File(_) => Own::Integrity.with(StatusCode::SERVICE_UNAVAILABLE),
        }
    }
}
