//! What tasks are judged by and who can work on them.

use provost_desk::task::{RubricView, decision_rows, rubric_of};
use provost_kernel::{WordSet, task::TaskType};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    AdapterRow,
    answer::Answer,
    refusal::Refusal,
    route::{Asked, Kind, Param, Route, schema},
};

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/rubric/{type}", "The rubric of a type of task", rubric)
        .with(&[Param::new("type", Kind::Word(<TaskType as WordSet>::WORDS), "the type")])
        .answers(schema::<RubricView>),
    Route::get("/api/table", "The rows of the decision table", table).answers(schema::<Table>),
    Route::get("/api/adapters", "Agents, and how far they are supported", adapters)
        .answers(schema::<Adapters>),
];

#[derive(Serialize, JsonSchema)]
struct Table {
    rows: &'static [&'static str],
}

#[derive(Serialize, JsonSchema)]
struct Adapters {
    adapters: Vec<AdapterRow>,
}

fn rubric(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let task_type = asked.text("type").and_then(|it| it.parse().ok());
    let task_type: TaskType = task_type.ok_or_else(|| Refusal::parameter("type"))?;
    Answer::json(&rubric_of(task_type).map_err(|it| Refusal::message(&it))?)
}

fn table(_: &Asked<'_>) -> Result<Answer, Refusal> {
    Answer::json(&Table { rows: decision_rows() })
}

fn adapters(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    Answer::json(&Adapters { adapters: asked.app.launch.adapters()? })
}
