//! Evals: the reports of the project, and one of them in full.

use provost_desk::eval::{EvalReport, Evals};

use crate::{
    answer::Answer,
    refusal::Refusal,
    route::{Asked, Kind, Param, Route, schema},
};

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/evals", "The reports, the newest first", list).answers(schema::<Evals>),
    Route::get("/api/evals/{run}", "One report: gate, cases and checks, reasons", show)
        .with(&[Param::new(
            "run",
            Kind::Text { most: 200 },
            "the name of its file, without the ending",
        )])
        .answers(schema::<EvalReport>),
];

fn list(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    Answer::json(&asked.app.desk.evals())
}

fn show(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    Answer::json(&asked.app.desk.eval(asked.text("run").unwrap_or_default())?)
}
