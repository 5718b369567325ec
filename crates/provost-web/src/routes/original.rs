//! The routes of the original, with its shapes, on the handlers of today.

use provost_desk::task::{AttemptView, Printed};
use provost_kernel::{
    RequestId,
    task::{Order, Overrides},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    order::{self, Given, versions},
    task::TASK,
};
use crate::{
    answer::Answer,
    refusal::Refusal,
    route::{Asked, Kind, Param, Route, schema},
};

/// So much of a log is shown.
const TAIL: u64 = 256 << 10;
/// The last events of a task.
const TIMELINE: usize = 50;

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/task/{id}", "As in the original: spec, state, attempts, timeline", show)
        .with(&[TASK]),
    Route::get("/api/task/{id}/log/{name}", "As in the original: a log as text", log)
        .with(&[
            TASK,
            Param::new("name", Kind::Word(LOGS), "which log"),
            Param::new("tail", Kind::Number { least: 1, most: 100_000 }, "only so many lines"),
        ])
        .answers(text),
    Route::get("/api/task/{id}/runtime_overrides", "As in the original", overrides).with(&[TASK]),
    Route::post(
        "/api/task/{id}/control",
        "As in the original: an order",
        control,
        schema::<Control>,
    )
    .with(&[TASK]),
    Route::post("/api/tasks/{id}/user_input", "As in the original", input, schema::<Input>)
        .with(&[TASK]),
    Route::post("/api/tasks/{id}/runtime_overrides", "As in the original", set, schema::<Set>)
        .with(&[TASK]),
    Route::post("/api/tasks/{id}/overrides/rollback", "Returns to a version", back, schema::<Back>)
        .with(&[TASK]),
];

const LOGS: &[&str] = &["run.log", "coordinator.log", "coder.log", "judge.log"];

fn text(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "string"})
}

#[derive(Deserialize, JsonSchema)]
struct Control {
    action: String,
    #[serde(default)]
    payload: Map<String, Value>,
    /// Any text of the client's own; a new one is made without it.
    #[serde(default)]
    nonce: Option<RequestId>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    request_id: RequestId,
    text: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Set {
    request_id: RequestId,
    overrides: Overrides,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Back {
    request_id: RequestId,
    #[serde(default)]
    to_version: Option<u32>,
}

fn show(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let task = asked.task()?;
    let view = asked.app.desk.view(&task)?;
    let mut timeline = asked.app.desk.events(&task, 0, usize::MAX)?.events;
    timeline.drain(..timeline.len().saturating_sub(TIMELINE));
    let attempts: Vec<Value> = view.attempts.iter().map(attempt).collect();
    Answer::json(&json!({
        "task": view.spec, "status": view.status(), "attempts": attempts, "timeline": timeline,
    }))
}

fn attempt(it: &AttemptView) -> Value {
    let decision = it.decision.as_ref();
    json!({
        "name": format!("attempt_{:03}", it.attempt),
        "judge_decision": decision.and_then(|it| it.facts.verdict_decision),
        "state": decision.map(|it| it.decision.next_state),
    })
}

fn log(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let (task, name) = (asked.task()?, asked.text("name").unwrap_or_default());
    let role = name.trim_end_matches(".log");
    let step = if role == "judge" { Printed::Judge } else { Printed::Agent };
    asked.app.desk.look(&task)?;
    let text = match asked.app.desk.step_output(&task, step, None, TAIL) {
        Ok(output) => output.streams.into_iter().map(|it| it.text).collect::<String>(),
        Err(_) => format!("No logs found for role={role}"),
    };
    let lines: Vec<&str> = text.lines().collect();
    let tail = asked.number("tail").and_then(|it| usize::try_from(it).ok()).unwrap_or(usize::MAX);
    let tail = lines.iter().skip(lines.len().saturating_sub(tail));
    let mut text = tail.copied().collect::<Vec<_>>().join("\n");
    if !text.is_empty() {
        text.push('\n');
    }
    Ok(Answer::text(text))
}

fn overrides(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let versions = versions(asked)?;
    let newest = versions.last();
    Answer::json(&json!({
        "overrides": newest.map(|it| &it.overrides).cloned().unwrap_or_default(),
        "request_id": newest.and_then(|it| it.request_id.clone()),
    }))
}

fn control(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let Control { action, payload, nonce } = asked.body()?;
    let request_id = match nonce {
        Some(nonce) => nonce,
        None => {
            uuid::Uuid::new_v4().to_string().parse().map_err(|_| Refusal::parameter("nonce"))?
        }
    };
    // An order of the original says nothing about what was seen; a review needs that.
    let given = Given { request_id: request_id.clone(), action, payload, seen: None };
    order::take(asked, &asked.task()?, given)?;
    Answer::json(&json!({"ok": true, "nonce": request_id}))
}

fn input(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let Input { request_id, text } = asked.body()?;
    order::place(asked, &asked.task()?, (Order::Answer { text }, None), request_id)
}

fn set(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let Set { request_id, overrides } = asked.body()?;
    order::place(asked, &asked.task()?, (Order::Override { overrides }, None), request_id)
}

fn back(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let Back { request_id, to_version } = asked.body()?;
    order::place(asked, &asked.task()?, (Order::Rollback { to_version }, None), request_id)
}
