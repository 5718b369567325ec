//! Orders that start a process and join no queue: begin, land, take back.

use axum::http::StatusCode;
use provost_desk::{
    PortError,
    request::{Claim, Claimed},
    task::Decision,
};
use provost_kernel::{
    TaskId,
    task::{LandMethod, Landing as Landed, Order, Status},
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    once::{Before, once},
    order::{Done, Given, check_seen, place, refused},
};
use crate::{
    Landing,
    answer::Answer,
    refusal::{Own, Refusal},
    route::Asked,
};

/// How a result lands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Onto {
    #[serde(default)]
    branch: Option<String>,
    #[serde(default)]
    method: Option<LandMethod>,
}

/// What starts a process.
struct Start<'a> {
    task: &'a TaskId,
    given: &'a Given,
    /// As the audit names it.
    action: &'static str,
}

/// Begins a task that waits for its turn; another one goes on.
pub(super) fn run(asked: &Asked<'_>, task: &TaskId, given: Given) -> Result<Answer, Refusal> {
    let start = Start { task, given: &given, action: "task.run" };
    let is_new = start.recall(asked)? == Claimed::First;
    if is_new && !status(asked, task)?.is_queued() {
        return place(asked, task, (Order::Resume, given.seen), given.request_id);
    }
    let is_done = |status: &Status| !status.is_queued();
    start.once(
        asked,
        || Ok(()),
        is_done,
        || {
            asked.app.launch.prepare(task, Order::Resume)?;
            asked.app.launch.run(task)
        },
    )
}

/// Puts a result onto a branch, or takes it back.
pub(super) fn land(asked: &Asked<'_>, task: &TaskId, given: &Given) -> Result<Answer, Refusal> {
    let landing = if given.action == "UNDO_LAND" {
        Landing::Undo
    } else {
        let onto: Onto = serde_json::from_value(given.payload.clone().into())
            .map_err(|_| Refusal::parameter("payload"))?;
        Landing::Onto { branch: onto.branch, method: onto.method }
    };
    let is_undo = landing == Landing::Undo;
    let action = if is_undo { "task.undo_land" } else { "task.land" };
    let is_done = |status: &Status| {
        let done = if is_undo { Landed::is_taken_back } else { Landed::is_there };
        status.landed.as_ref().is_some_and(done)
    };
    let start = Start { task, given, action };
    let decision = if is_undo { Decision::Adverse } else { Decision::Favourable };
    let admit = || check_seen(asked, task, given, decision).map(drop);
    start.once(asked, admit, is_done, || asked.app.launch.land(task, &landing))
}

impl Start<'_> {
    fn recall(&self, asked: &Asked<'_>) -> Result<Claimed, Refusal> {
        self.claimed(asked, |claim| Ok(asked.app.desk.recall_request(claim)?))
    }

    fn claimed<T>(
        &self,
        asked: &Asked<'_>,
        then: impl FnOnce(&Claim<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let payload = Value::from(self.given.payload.clone());
        then(&Claim {
            actor: asked.actor(),
            action: self.action,
            subject: &format!("task:{}", self.task),
            request_id: &self.given.request_id,
            payload: &payload,
            seen: self.given.seen,
        })
    }

    /// Starts it, unless a request that was cut off had done so: `is_done` sees that in the task.
    fn once(
        &self,
        asked: &Asked<'_>,
        admit: impl FnOnce() -> Result<(), Refusal>,
        is_done: impl Fn(&Status) -> bool,
        start: impl FnOnce() -> Result<(), PortError>,
    ) -> Result<Answer, Refusal> {
        let Self { task, given, action } = self;
        let admit = || {
            // The queue of the task has the id for something else.
            if asked.app.desk.is_placed(task, &given.request_id)? {
                let request_id = given.request_id.to_string();
                return Err(Own::RequestIdReused { request_id }.with(StatusCode::CONFLICT));
            }
            // What a crash cut off behind its effect is only answered.
            let is_left = self.recall(asked)? != Claimed::First && is_done(&status(asked, task)?);
            if is_left { Ok(()) } else { admit() }
        };
        let done = self.claimed(asked, |claim| {
            once(asked, claim, admit, |before| {
                let status = status(asked, task)?;
                if before == Before::Nothing || !is_done(&status) {
                    start()?;
                }
                Ok(Done::started(&status, action))
            })
        })?;
        Answer::with(StatusCode::ACCEPTED, &done)
    }
}

fn status(asked: &Asked<'_>, task: &TaskId) -> Result<Status, Refusal> {
    Ok(asked.app.desk.look(task)?.trusted().map_err(refused)?.status.value)
}
