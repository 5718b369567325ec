//! Learning: missions, one of them in full, a step back, a word on a ticket.

use provost_desk::learn::{LearnBoard, MissionView, Resolving, RollingBack};
use provost_kernel::{RequestId, learn::Resolution};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::person::{Ordered, Wanted, once, port};
use crate::{
    answer::Answer,
    refusal::Refusal,
    route::{Asked, Kind, Param, Route, schema},
};

const MISSION: Param = Param::new("mission", Kind::Text { most: 200 }, "the name of the mission");

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/learn", "Missions, and how far judges agree with people", list)
        .answers(schema::<LearnBoard>),
    Route::get("/api/learn/{mission}", "One mission: rules, gate, agreement, queue", show)
        .with(&[MISSION])
        .answers(schema::<MissionView>),
    Route::post(
        "/api/learn/{mission}/rollback",
        "Puts an earlier step in force again",
        roll_back,
        schema::<Back>,
    )
    .with(&[MISSION])
    .answers(schema::<Ordered<RollingBack>>),
    Route::post(
        "/api/learn/{mission}/resolve",
        "Says what is the matter with a ticket",
        resolve,
        schema::<Word>,
    )
    .with(&[MISSION])
    .answers(schema::<Ordered<Resolving>>),
];

/// A step back, as a person orders it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Back {
    request_id: RequestId,
    step: u64,
}

/// A word on a ticket.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Word {
    request_id: RequestId,
    ticket_key: String,
    resolution: Resolution,
}

fn list(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let board = asked.app.desk.learn_board(&*asked.app.ports.learn);
    Answer::json(&board.map_err(|it| port(&it))?)
}

fn show(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let view = asked.app.desk.mission_view(&*asked.app.ports.learn, mission(asked));
    Answer::json(&view.map_err(|it| port(&it))?)
}

fn roll_back(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let Back { request_id: id, step } = asked.body()?;
    let actor = asked.actor();
    let wanted = Wanted {
        request_id: &id,
        action: "learn.rollback",
        subject: format!("mission:{}", mission(asked)),
        payload: json!({"step": step}),
    };
    once(asked, &wanted, || {
        let app = asked.app;
        app.ports.learn.roll_back(&app.desk, (&actor, Some(&id)), mission(asked), step)
    })
}

fn resolve(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let Word { request_id: id, ticket_key: key, resolution } = asked.body()?;
    let actor = asked.actor();
    let wanted = Wanted {
        request_id: &id,
        action: "learn.resolve",
        subject: format!("mission:{}", mission(asked)),
        payload: json!({"ticket_key": key, "resolution": resolution}),
    };
    once(asked, &wanted, || {
        let app = asked.app;
        app.ports.learn.resolve(&app.desk, (&actor, Some(&id)), mission(asked), &key, resolution)
    })
}

fn mission<'a>(asked: &'a Asked<'_>) -> &'a str {
    asked.text("mission").unwrap_or_default()
}
