//! Orders of a person outside of tasks: one effect for a request id, however often it is sent.

use std::sync::{Mutex, PoisonError};

use axum::http::StatusCode;
use provost_desk::{PageError, PortError};
use provost_kernel::{Message as _, RequestId};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::{
    answer::Answer,
    refusal::{Own, Refusal},
    route::Asked,
};

/// Two requests with one id that come at once are looked at one after the other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// What became of an order.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Ordered<T> {
    /// Whether it was carried out before, so that nothing was done now.
    pub(crate) deduplicated: bool,
    /// What was done; none where it was done before.
    pub(crate) done: Option<T>,
}

/// An order as the audit chain has it: what must be the same when its id comes again.
pub(crate) struct Known<'a> {
    pub(crate) action: &'a str,
    pub(crate) subject: Option<String>,
    /// Parts of the detail, by their pointers.
    pub(crate) parts: &'a [(&'a str, Value)],
}

/// Carries out an order unless it was carried out before. The same id with another body is refused.
pub(crate) fn once<T: Serialize>(
    asked: &Asked<'_>,
    request_id: &RequestId,
    known: &Known<'_>,
    carry_out: impl FnOnce() -> Result<T, PortError>,
) -> Result<Answer, Refusal> {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let unable = |_| Own::Integrity.with(StatusCode::SERVICE_UNAVAILABLE);
    if let Some(entry) = asked.app.desk.request(request_id).map_err(unable)? {
        let is_same = entry.action == known.action
            && known.subject.as_ref().is_none_or(|it| *it == entry.subject)
            && known.parts.iter().all(|(at, it)| entry.detail.pointer(at) == Some(it));
        if !is_same {
            let request_id = request_id.to_string();
            return Err(Own::RequestIdReused { request_id }.with(StatusCode::CONFLICT));
        }
        return Answer::json(&Ordered::<T> { deduplicated: true, done: None });
    }
    let done = carry_out().map_err(|it| port(&it))?;
    Answer::json(&Ordered { deduplicated: false, done: Some(done) })
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
