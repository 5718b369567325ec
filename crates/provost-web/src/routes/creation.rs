//! New tasks.

use axum::http::StatusCode;
use provost_kernel::{RequestId, TaskId, task::Order};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Preview,
    answer::Answer,
    refusal::{Own, Refusal},
    route::{Asked, Route, schema},
};

pub(crate) const ROUTES: &[Route] = &[
    Route::post("/api/tasks", "Makes a task of a spec", create, schema::<NewTask>)
        .answers(schema::<Made>)
        .status(201),
    Route::post("/api/tasks/preview", "What a spec would prove", preview, schema::<Draft>)
        .answers(schema::<Preview>)
        .reads(),
];

/// A spec that is being written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Draft {
    spec: Map<String, Value>,
}

/// A task in the making; its repository is the one that the server was started in.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewTask {
    #[expect(dead_code, reason = "a spec that comes again is the same task by its content")]
    request_id: RequestId,
    /// As in a file; without `task_id`, one is made of the goal.
    spec: Map<String, Value>,
    /// Whether it begins at once.
    #[serde(default)]
    run: bool,
}

#[derive(Serialize, JsonSchema)]
struct Made {
    task_id: TaskId,
}

fn create(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let NewTask { spec, run, .. } = asked.body()?;
    let named = spec.get("task_id").and_then(Value::as_str).and_then(|it| it.parse().ok());
    let launch = &asked.app.launch;
    let Some(task_id) = launch.create(&spec.into())? else {
        let taken = |task: TaskId| Own::IdTaken { task }.with(StatusCode::CONFLICT);
        return Err(named.map_or_else(|| Refusal::parameter("task_id"), taken));
    };
    asked.app.refresh(&task_id);
    if run {
        launch.prepare(&task_id, Order::Resume)?;
        launch.run(&task_id)?;
    }
    Answer::with(StatusCode::CREATED, &Made { task_id })
}

fn preview(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let Draft { spec } = asked.body()?;
    Answer::json(&asked.app.launch.preview(&spec.into())?)
}
