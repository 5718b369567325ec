//! The server itself: session, health, and its own description.

use axum::http::StatusCode;
use provost_desk::board::Counts;
use provost_kernel::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    answer::Answer,
    chain::ChainHealth,
    refusal::{Own, Refusal},
    route::{Asked, Method, Route, schema},
};

pub(crate) const ROUTES: &[Route] = &[
    Route::post("/api/session", "Trades the token for a key", open, schema::<Trade>)
        .answers(schema::<Session>)
        .reads()
        .open(),
    Route { body: None, ..Route::post("/api/session", "Ends the key", end, schema::<Trade>) }
        .method(Method::Delete)
        .status(204)
        .reads(),
    Route::get("/api/health", "Whether it works; with a key, how", health)
        .answers(schema::<Health>)
        .open(),
    Route::get("/api/openapi.json", "This description", openapi).open(),
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Trade {
    token: String,
}

#[derive(Serialize, JsonSchema)]
struct Session {
    key: String,
    expires_at: Timestamp,
    person: String,
    read_only: bool,
}

/// Without a key, only the first.
#[derive(Serialize, JsonSchema)]
struct Health {
    status: &'static str,
    #[serde(flatten)]
    more: Option<More>,
}

/// The time since the start is told in whole minutes, so that an unchanged answer has an unchanged
/// validator.
const MINUTE: u64 = 60_000;

#[derive(Serialize, JsonSchema)]
struct More {
    uptime_ms: u64,
    task_count: usize,
    counts: Counts,
    read_only: bool,
    allow_partial_run: bool,
    chain: ChainHealth,
    capabilities: Vec<&'static str>,
    person: String,
    project: String,
    version: String,
    lang: String,
}

fn open(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let Trade { token } = asked.body()?;
    let app = asked.app;
    let traded = app.sessions.trade(&token, app.desk.clock().millis());
    let (key, expires_at) = traded.ok_or_else(|| Own::WrongToken.with(StatusCode::UNAUTHORIZED))?;
    let person = app.setup.person.clone();
    Answer::json(&Session { key, expires_at, person, read_only: app.setup.is_read_only })
}

#[expect(clippy::unnecessary_wraps, reason = "a handler of the table")]
fn end(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    if let Some(key) = asked.key {
        asked.app.sessions.end(key);
    }
    Ok(Answer::empty())
}

fn health(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    if !asked.is_known {
        return Answer::json(&json!({"status": "ok"}));
    }
    let (app, setup) = (asked.app, &asked.app.setup);
    let counts = app.board.counts();
    let uptime = app.desk.clock().millis().0.saturating_sub(app.started.0) + 1;
    Answer::json(&Health {
        status: "ok",
        more: Some(More {
            uptime_ms: uptime.next_multiple_of(MINUTE) - MINUTE,
            task_count: counts.all,
            counts,
            read_only: setup.is_read_only,
            allow_partial_run: setup.allow_partial_run,
            chain: app.chain.health(&app.desk),
            capabilities: vec!["tasks", "stories", "evals", "learn", "guard", "audit"],
            person: setup.person.clone(),
            project: setup.project.clone(),
            version: setup.version.clone(),
            lang: setup.lang.to_string(),
        }),
    })
}

#[expect(clippy::unnecessary_wraps, reason = "a handler of the table")]
fn openapi(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    Ok(Answer::ready(asked.app.openapi.clone()))
}
