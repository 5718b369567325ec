//! What happened to a task and what its steps printed.

use provost_desk::task::LogRole;

use super::task::TASK;
use crate::{
    answer::Answer,
    cursor::stream_name,
    refusal::Refusal,
    route::{Asked, Kind, Param, Route, schema},
};

pub(crate) const ATTEMPT: Param = Param::new("n", Kind::Attempt, "the number of the attempt");
const LIMIT: u64 = 64 << 10;

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/tasks/{id}/events", "The events of a task, by number", events).with(&[
        TASK,
        Param::new("after", Kind::Number { least: 0, most: u64::MAX >> 11 }, "only later ones"),
        Param::new("limit", Kind::Number { least: 1, most: 1000 }, "at most so many, else 200"),
    ]),
    Route::get("/api/tasks/{id}/attempts/{n}/logs/{role}", "A log, by bytes", log)
        .with(&[
            TASK,
            ATTEMPT,
            Param::new("role", Kind::Word(LogRole::NAMES), "who wrote it"),
            Param::new("stream", Kind::Word(&["stdout", "stderr"]), "else `stdout`"),
            Param::new("from", Kind::Number { least: 0, most: u64::MAX >> 11 }, "the first byte"),
            Param::new(
                "limit",
                Kind::Number { least: 1, most: 256 << 10 },
                "at most so many bytes",
            ),
        ])
        .answers(schema::<provost_desk::task::LogPart>),
];

fn events(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let limit = asked.number("limit").and_then(|it| usize::try_from(it).ok()).unwrap_or(200);
    let after = asked.number("after").unwrap_or(0);
    Answer::json(&asked.app.desk.events(&asked.task()?, after, limit)?)
}

fn log(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let role = asked.text("role").and_then(LogRole::named);
    let role = role.ok_or_else(|| Refusal::parameter("role"))?;
    let stream = stream_name(asked.text("stream").unwrap_or_default());
    let (from, limit) = (asked.number("from").unwrap_or(0), asked.number("limit").unwrap_or(LIMIT));
    let (task, attempt) = (asked.task()?, asked.attempt()?);
    Answer::json(&asked.app.desk.log(&task, attempt, (role, stream), from, limit)?)
}
