//! One task in full, and its attempts one by one.

use provost_desk::{
    Extent,
    detail::{AttemptLine, AttemptProof, Detail, FactView, JudgeView},
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::{
    log::ATTEMPT,
    task::{TASK, kept_of_task, lasts, ready},
};
use crate::{
    answer::Answer,
    refusal::Refusal,
    route::{Asked, Kind, Param, Route, schema},
};

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/tasks/{id}", "One task, with its proof and what it takes now", show)
        .with(&[TASK])
        .answers(schema::<Detail>),
    Route::get("/api/tasks/{id}/attempts/{n}", "One attempt", attempt)
        .with(&[TASK, ATTEMPT])
        .answers(schema::<AttemptLine>),
    Route::get("/api/tasks/{id}/attempts/{n}/proof", "Facts of an attempt", proof)
        .with(&[TASK, ATTEMPT])
        .answers(schema::<Proof>),
    Route::get("/api/tasks/{id}/attempts/{n}/verdict", "Scores of an attempt", verdict)
        .with(&[TASK, ATTEMPT])
        .answers(schema::<Verdict>),
    Route::get("/api/tasks/{id}/attempts/{n}/diff", "Files by risk, or the lines of one", diff)
        .with(&[
            TASK,
            ATTEMPT,
            Param::new("file", Kind::Text { most: 4096 }, "one of the files of the change"),
        ])
        .answers(change),
];

/// Each fact with its evidence.
#[derive(Serialize, JsonSchema)]
struct Proof {
    proof: Vec<FactView>,
}

/// What the judge said; null where none was asked.
#[derive(Serialize, JsonSchema)]
struct Verdict {
    judge: Option<JudgeView>,
}

fn change(generator: &mut SchemaGenerator) -> Schema {
    let files = generator.subschema_for::<provost_desk::detail::ChangeView>();
    let lines = generator.subschema_for::<provost_desk::detail::FileDiff>();
    schemars::json_schema!({"anyOf": [files, lines]})
}

fn show(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    // A page of a read-only server shows the commands of the orders instead of buttons.
    kept_of_task(asked, "task", Extent::Everything, |task| {
        let detail = asked.app.desk.detail(task)?;
        Ok((ready(&detail)?, lasts(&detail.status, detail.altered.is_none())))
    })
}

fn attempt(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let number = asked.attempt()?.get();
    let detail = asked.app.desk.detail(&asked.task()?)?;
    let found = detail.attempts.into_iter().find(|it| it.attempt == number);
    Answer::json(&found.ok_or_else(Refusal::not_found)?)
}

fn proof(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    Answer::json(&Proof { proof: of_attempt(asked)?.proof })
}

fn verdict(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    Answer::json(&Verdict { judge: of_attempt(asked)?.judge })
}

/// What is on record of the attempt that is asked for.
fn of_attempt(asked: &Asked<'_>) -> Result<AttemptProof, Refusal> {
    let found = asked.app.desk.attempt_proof(&asked.task()?, asked.attempt()?)?;
    found.ok_or_else(Refusal::not_found)
}

fn diff(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let (desk, task, attempt) = (&asked.app.desk, asked.task()?, asked.attempt()?);
    match asked.text("file") {
        Some(file) => Answer::json(&desk.file_diff(&task, attempt, file)?),
        None => Answer::json(&desk.change_of(&task, Some(attempt))?),
    }
}
