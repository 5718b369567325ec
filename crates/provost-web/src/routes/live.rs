//! The event stream.

use crate::{
    answer::Answer,
    refusal::Refusal,
    route::{Asked, Handler, Kind, Param, Route},
};

pub(crate) const ROUTES: &[Route] = &[Route {
    handler: Handler::Stream,
    ..Route::get("/api/stream", "Events of topics, as they come", never).with(&[Param::new(
        "topics",
        Kind::Text { most: 4000 },
        "such as `board,task:t1,log:t1:2:test`; required",
    )])
}];

/// The stream has a handler of its own.
fn never(_: &Asked<'_>) -> Result<Answer, Refusal> {
    Err(Refusal::not_found())
}
