//! Orders: what a person tells a task.

use axum::http::StatusCode;
use provost_desk::{
    Desk, DeskError, LookError, PortError,
    task::{Coordinator, Decision, PlaceError, PlacedOrder, Placement, Receipt, Seen},
};
use provost_kernel::{
    RequestId, TaskId,
    task::{ChangeKind, Order, OverrideVersion, SpecChange, State, Status},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{start, task::TASK};
use crate::{
    answer::Answer,
    refusal::{Own, Refusal},
    route::{Asked, Method, Route, schema},
};

pub(crate) const ROUTES: &[Route] = &[
    Route::post("/api/tasks/{id}/orders", "Orders something", give, schema::<Given>)
        .with(&[TASK])
        .answers(schema::<Done>)
        .waits(),
    Route::post("/api/tasks/{id}/spec", "Changes fields of the spec", edit, schema::<Edited>)
        .method(Method::Put)
        .with(&[TASK])
        .answers(schema::<Done>)
        .waits(),
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
    /// What was looked at; APPROVE, REJECT, ACCEPT and LAND need it.
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
    /// Why the task does not go on although the order lets it, as an error says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<Value>,
}

fn give(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    take(asked, &asked.task()?, asked.body::<Given>()?)
}

/// Takes an order as a request names it.
pub(super) fn take(asked: &Asked<'_>, task: &TaskId, given: Given) -> Result<Answer, Refusal> {
    match given.action.as_str() {
        "RUN" => start::run(asked, task, given),
        "LAND" | "UNDO_LAND" => start::land(asked, task, &given),
        _ => {
            let order = parse(&given)?;
            if matches!(order, Order::Approve | Order::Reject { .. } | Order::Accept { .. }) {
                check_seen(asked, task, &given, Decision::of(&order))?;
            }
            if matches!(order, Order::Answer { .. }) {
                return placed(asked, task, (order, given.seen), given.request_id, Desk::tell);
            }
            place(asked, task, (order, given.seen), given.request_id)
        }
    }
}

/// The order that a request names.
fn parse(given: &Given) -> Result<Order, Refusal> {
    let whole = json!({"action": given.action, "payload": given.payload});
    let order = serde_json::from_value(whole).or_else(|error| {
        // An order that takes no payload has none, not an empty one.
        let bare = json!({"action": given.action});
        let bare = given.payload.is_empty().then(|| serde_json::from_value(bare).ok()).flatten();
        bare.ok_or(error)
    });
    let order = order.map_err(|error| {
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
pub(super) fn check_seen(
    asked: &Asked<'_>,
    task: &TaskId,
    given: &Given,
    decision: Decision,
) -> Result<Status, Refusal> {
    let looked = asked.app.desk.look(task)?.trusted().map_err(refused)?;
    let status = looked.status.value;
    if !asked.app.desk.is_placed(task, &given.request_id)? {
        let seen = given.seen.ok_or_else(|| Refusal::parameter("seen"))?;
        asked.app.desk.check_seen(seen, &status, decision)?;
    }
    Ok(status)
}

/// Places an order, and starts the coordinator that it needs.
pub(super) fn place(
    asked: &Asked<'_>,
    task: &TaskId,
    order: (Order, Option<Seen>),
    request_id: RequestId,
) -> Result<Answer, Refusal> {
    placed(asked, task, order, request_id, Desk::place)
}

/// How a desk takes an order.
type Taking = fn(&Desk, &dyn Coordinator, Placement<'_>) -> Result<PlacedOrder, PlaceError>;

fn placed(
    asked: &Asked<'_>,
    task: &TaskId,
    (order, seen): (Order, Option<Seen>),
    request_id: RequestId,
    taking: Taking,
) -> Result<Answer, Refusal> {
    let app = asked.app;
    let _turn = app.turns.take(&request_id);
    let placement = Placement { task, order, request_id, actor: asked.actor(), seen };
    let placed = taking(&app.desk, &*app.launch, placement)?;
    app.refresh(task);
    let PlacedOrder { receipt, started, held } = placed;
    let status = if receipt.applied { StatusCode::OK } else { StatusCode::ACCEPTED };
    let held = held.and_then(|it| Refusal::from(it).body);
    let Receipt { task_id, action, seq, deduplicated, applied, state, state_version } = receipt;
    let action = action.to_owned();
    let seq = Some(seq);
    Answer::with(
        status,
        &Done { task_id, action, seq, deduplicated, applied, state, state_version, started, held },
    )
}

fn edit(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let (task, Edited { request_id, spec }) = (asked.task()?, asked.body::<Edited>()?);
    let how = ChangeKind::Set;
    let changes = spec.into_iter().map(|(key, value)| SpecChange { key, how, value }).collect();
    place(asked, &task, (Order::Set { changes }, None), request_id)
}

impl Done {
    /// What only starts a process.
    pub(super) fn started(status: &Status, action: &str) -> Self {
        Self {
            task_id: status.task_id.clone(),
            action: action.to_owned(),
            seq: None,
            deduplicated: false,
            applied: false,
            state: status.state,
            state_version: status.state_version,
            started: true,
            held: None,
        }
    }
}

pub(super) fn refused(error: LookError) -> Refusal {
    DeskError::from(error).into()
}

impl From<PortError> for Refusal {
    fn from(PortError(fault): PortError) -> Self {
        Self::message(&*fault)
    }
}

impl From<PlaceError> for Refusal {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::Desk(error) => error.into(),
            PlaceError::Port(fault) => Self::message(&*fault),
            PlaceError::Id(_) => Self::parameter("request_id"),
            PlaceError::RequestIdReused { request_id } => {
                Own::RequestIdReused { request_id }.with(StatusCode::CONFLICT)
            }
        }
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
