//! New tasks.

use axum::http::StatusCode;
use provost_desk::{DeskError, LookError, request::Claim};
use provost_kernel::{RequestId, TaskId, task::Order};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::once::{Before, once};
use crate::{
    Creation, Preview,
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
    request_id: RequestId,
    /// As in a file; without `task_id`, one is made of the goal.
    spec: Map<String, Value>,
    /// Whether it begins at once. Where it may not, nothing is made.
    #[serde(default)]
    run: bool,
}

/// The task that was made.
#[derive(Serialize, JsonSchema)]
struct Made {
    task_id: TaskId,
    /// Whether the same request had made it before.
    deduplicated: bool,
    /// Whether a process was started for it.
    started: bool,
}

fn create(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let NewTask { request_id, spec, run } = asked.body()?;
    let claim = Claim {
        actor: asked.actor(),
        action: CREATE,
        subject: "tasks",
        request_id: &request_id,
        payload: &json!({"spec": spec, "run": run}),
        seen: None,
    };
    let made = once(
        asked,
        &claim,
        || Ok(()),
        |before| {
            let task_id = match before {
                Before::Nothing => None,
                Before::Unsettled => made_for(asked, &request_id)?,
            };
            let task_id = make(asked, spec, (&request_id, run), task_id)?;
            asked.app.refresh(&task_id);
            if run && asked.app.desk.look(&task_id)?.status.value.is_queued() {
                asked.app.launch.prepare(&task_id, Order::Resume)?;
                asked.app.launch.run(&task_id)?;
            }
            Ok(Made { task_id, deduplicated: false, started: run })
        },
    )?;
    Answer::with(StatusCode::CREATED, &made)
}

/// What the audit calls it.
const CREATE: &str = "task.create";

/// The task that a request was about to make when it was cut off.
fn made_for(asked: &Asked<'_>, request_id: &RequestId) -> Result<Option<TaskId>, Refusal> {
    let unable = |_| Own::Integrity.with(StatusCode::SERVICE_UNAVAILABLE);
    let entry = asked.app.desk.request(request_id).map_err(unable)?;
    let entry = entry.filter(|it| it.action == CREATE);
    Ok(entry.and_then(|it| it.subject.strip_prefix("task:")?.parse().ok()))
}

/// Makes a task, unless it is the one that was made when the request was cut off.
fn make(
    asked: &Asked<'_>,
    mut spec: Map<String, Value>,
    (request_id, begins): (&RequestId, bool),
    made: Option<TaskId>,
) -> Result<TaskId, Refusal> {
    if let Some(task) = made {
        match asked.app.desk.look(&task) {
            Ok(_) => return Ok(task),
            // It was announced, and never written.
            Err(DeskError::Look(LookError::Unknown { .. })) => {
                spec.insert("task_id".to_owned(), task.as_str().into());
            }
            Err(error) => return Err(error.into()),
        }
    }
    let named = spec.get("task_id").and_then(Value::as_str).and_then(|it| it.parse().ok());
    let creation = Creation { spec: &spec.into(), request_id, begins };
    asked.app.launch.create(&creation)?.ok_or_else(|| {
        let taken = |task: TaskId| Own::IdTaken { task }.with(StatusCode::CONFLICT);
        named.map_or_else(|| Refusal::parameter("task_id"), taken)
    })
}

fn preview(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let Draft { spec } = asked.body()?;
    Answer::json(&asked.app.launch.preview(&spec.into())?)
}
