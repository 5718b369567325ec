//! Orders: what a person tells a task.

use axum::http::StatusCode;
use provost_desk::{
    DeskError, LookError,
    task::{Receipt, Seen, Take},
};
use provost_kernel::{
    RequestId, TaskId,
    task::{ChangeKind, LandMethod, Order, OverrideVersion, SpecChange, State, Status},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::task::TASK;
use crate::{
    Landing, LaunchError,
    answer::Answer,
    launched::Known,
    refusal::{Own, Refusal},
    route::{Asked, Method, Route, schema},
};

pub(crate) const ROUTES: &[Route] = &[
    Route::post("/api/tasks/{id}/orders", "Orders something", give, schema::<Given>)
        .with(&[TASK])
        .answers(schema::<Done>),
    Route::post("/api/tasks/{id}/spec", "Changes fields of the spec", edit, schema::<Edited>)
        .method(Method::Put)
        .with(&[TASK])
        .answers(schema::<Done>),
    Route::get("/api/tasks/{id}/overrides", "Versions of what was changed", overrides)
        .with(&[TASK])
        .answers(schema::<Versions>),
];

/// Every version, the newest last; that one holds.
#[derive(Serialize, JsonSchema)]
struct Versions {
    versions: Vec<OverrideVersion>,
    holds: Option<u32>,
}

/// An order, and what its giver saw.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    pub(super) request_id: RequestId,
    pub(super) action: String,
    #[serde(default)]
    pub(super) payload: Map<String, Value>,
    #[serde(default)]
    pub(super) seen: Option<Seen>,
}

/// Fields of the spec, as they shall be.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edited {
    request_id: RequestId,
    spec: Map<String, Value>,
}

/// What became of an order.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Done {
    task_id: TaskId,
    action: String,
    /// The number of the order in the task's queue; none for what only starts a process.
    seq: Option<u64>,
    deduplicated: bool,
    applied: bool,
    state: State,
    state_version: u64,
    /// Whether a process was started for it.
    started: bool,
}

/// How a result lands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Onto {
    #[serde(default)]
    branch: Option<String>,
    #[serde(default)]
    method: Option<LandMethod>,
}

fn give(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    take(asked, &asked.task()?, asked.body::<Given>()?)
}

/// Takes an order as a request names it.
pub(super) fn take(asked: &Asked<'_>, task: &TaskId, given: Given) -> Result<Answer, Refusal> {
    match given.action.as_str() {
        "RUN" => {
            let status = asked.app.desk.look(task)?.trusted().map_err(refused)?.status.value;
            if !status.is_queued() {
                return place(asked, task, (Order::Resume, None), given.request_id);
            }
            once(asked, &status, &given, "task.run", || {
                asked.app.launch.prepare(task, Order::Resume)?;
                asked.app.launch.run(task)
            })
        }
        "LAND" | "UNDO_LAND" => land(asked, task, &given),
        _ => {
            let order = parse(&given)?;
            if matches!(order, Order::Approve | Order::Reject { .. } | Order::Accept { .. }) {
                check_seen(asked, task, &given)?;
            }
            place(asked, task, (order, given.seen), given.request_id)
        }
    }
}

/// The order that a request names.
fn parse(given: &Given) -> Result<Order, Refusal> {
    let mut value = json!({"action": given.action});
    // An order without a payload has none, not an empty one.
    if !given.payload.is_empty() {
        value["payload"] = given.payload.clone().into();
    }
    let order = serde_json::from_value(value).map_err(|error| {
        let why = provost_kernel::shorten(&error.to_string());
        Own::BadBody { why }.with(StatusCode::BAD_REQUEST)
    })?;
    // The binary makes the commits that these name.
    if matches!(order, Order::Land { .. } | Order::UndoLand { .. }) {
        return Err(Refusal::parameter("action"));
    }
    Ok(order)
}

/// Refuses a decision that does not say which result it is about.
fn check_seen(asked: &Asked<'_>, task: &TaskId, given: &Given) -> Result<Status, Refusal> {
    let looked = asked.app.desk.look(task)?.trusted().map_err(refused)?;
    let status = looked.status.value;
    if !is_known(asked, task, &given.request_id)? {
        let seen = given.seen.ok_or_else(|| Refusal::parameter("seen"))?;
        seen.check(&status).map_err(DeskError::from)?;
    }
    Ok(status)
}

/// Whether a request came before: it is then answered again, whatever happened since.
fn is_known(asked: &Asked<'_>, task: &TaskId, request_id: &RequestId) -> Result<bool, Refusal> {
    let orders = asked.app.desk.files(task).orders().map_err(DeskError::from)?;
    Ok(orders.iter().any(|it| it.request_id.as_ref() == Some(request_id)))
}

/// Places an order, and starts the coordinator that it needs.
pub(super) fn place(
    asked: &Asked<'_>,
    task: &TaskId,
    (order, seen): (Order, Option<Seen>),
    request_id: RequestId,
) -> Result<Answer, Refusal> {
    let app = asked.app;
    app.desk.look(task)?;
    let is_known = is_known(asked, task, &request_id)?;
    let order = if is_known { order } else { app.launch.prepare(task, order)? };
    let drives = matches!(order, Order::Resume | Order::Rerun { .. } | Order::Rejudge);
    let id = Some(request_id.clone());
    let take = Take { task, order: order.clone(), request_id: id, actor: asked.actor(), seen };
    let receipt = app.desk.order(take)?;
    // One that a crash kept from being carried out is carried out when it is sent again.
    let needs = drives && !receipt.applied && app.desk.look(task)?.holder.is_none();
    if needs {
        app.launch.carry_out(task, &order, &request_id)?;
    }
    app.refresh(task);
    done(receipt, needs)
}

fn done(receipt: Receipt, started: bool) -> Result<Answer, Refusal> {
    let status = if receipt.applied { StatusCode::OK } else { StatusCode::ACCEPTED };
    let Receipt { task_id, action, seq, deduplicated, applied, state, state_version } = receipt;
    let action = action.to_owned();
    let seq = Some(seq);
    let done = Done { task_id, action, seq, deduplicated, applied, state, state_version, started };
    Answer::with(status, &done)
}

fn started(status: &Status, action: &str, deduplicated: bool) -> Result<Answer, Refusal> {
    let done = Done {
        task_id: status.task_id.clone(),
        action: action.to_owned(),
        seq: None,
        deduplicated,
        applied: false,
        state: status.state,
        state_version: status.state_version,
        started: !deduplicated,
    };
    Answer::with(StatusCode::ACCEPTED, &done)
}

fn land(asked: &Asked<'_>, task: &TaskId, given: &Given) -> Result<Answer, Refusal> {
    let status = check_seen(asked, task, given)?;
    let landing = if given.action == "UNDO_LAND" {
        Landing::Undo
    } else {
        let onto: Onto = serde_json::from_value(given.payload.clone().into())
            .map_err(|_| Refusal::parameter("payload"))?;
        Landing::Onto { branch: onto.branch, method: onto.method }
    };
    let action = if landing == Landing::Undo { "task.undo_land" } else { "task.land" };
    once(asked, &status, given, action, || asked.app.launch.land(task, &landing))
}

/// Starts a process for a request that places no order of its own, once.
fn once(
    asked: &Asked<'_>,
    status: &Status,
    given: &Given,
    action: &str,
    start: impl FnOnce() -> Result<(), LaunchError>,
) -> Result<Answer, Refusal> {
    let payload = Value::from(given.payload.clone());
    let body = format!("{action} {} {payload}", status.task_id);
    match asked.app.launched.take(&given.request_id, &body) {
        Known::Same => started(status, action, true),
        Known::Other => {
            let request_id = given.request_id.to_string();
            Err(Own::RequestIdReused { request_id }.with(StatusCode::CONFLICT))
        }
        Known::New => {
            start().inspect_err(|_| asked.app.launched.forget(&given.request_id))?;
            started(status, action, false)
        }
    }
}

fn edit(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let (task, Edited { request_id, spec }) = (asked.task()?, asked.body::<Edited>()?);
    let how = ChangeKind::Set;
    let changes = spec.into_iter().map(|(key, value)| SpecChange { key, how, value }).collect();
    place(asked, &task, (Order::Set { changes }, None), request_id)
}

fn refused(error: LookError) -> Refusal {
    DeskError::from(error).into()
}

impl From<LaunchError> for Refusal {
    fn from(LaunchError(fault): LaunchError) -> Self {
        Self::message(&*fault)
    }
}

fn overrides(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let versions = versions(asked)?;
    let holds = versions.last().map(|it| it.version);
    Answer::json(&Versions { versions, holds })
}

/// Every version of what was changed, the oldest first.
pub(super) fn versions(asked: &Asked<'_>) -> Result<Vec<OverrideVersion>, Refusal> {
    let (desk, task) = (&asked.app.desk, asked.task()?);
    desk.look(&task)?;
    Ok(desk.files(&task).overrides().map_err(DeskError::from)?)
}
