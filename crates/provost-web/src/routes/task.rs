//! Tasks: the list, the inbox, one task.

use axum::http::StatusCode;
use provost_desk::{
    Extent,
    board::{BoardInbox, Cursor, Page, Query},
};
use provost_kernel::{
    TaskId, WordSet,
    task::{State, Status, TaskGroup},
};
use serde::Serialize;

use crate::{
    answer::{Answer, Ready},
    pages::Lasts,
    refusal::{Own, Refusal},
    route::{Asked, Kind, Param, Route, schema},
};

pub(crate) const TASK: Param = Param::new("id", Kind::Task, "the id of the task");

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/tasks", "Tasks by state and time", list)
        .with(&[
            Param::new("group", Kind::Word(<TaskGroup as WordSet>::WORDS), "only this group"),
            Param::new("state", Kind::Word(<State as WordSet>::WORDS), "only this state"),
            Param::new("q", Kind::Text { most: 200 }, "only with this text in id, goal or reason"),
            Param::new("limit", Kind::Number { least: 1, most: 100 }, "at most so many, else 50"),
            Param::new("cursor", Kind::Text { most: 2000 }, "`next_cursor` of the page before"),
        ])
        .answers(schema::<Page>),
    Route::get("/api/inbox", "What waits for a person", inbox).answers(schema::<BoardInbox>),
    Route::get("/api/tasks/{id}/status", "The state of a task", status).with(&[TASK]),
];

/// A day in seconds.
const DAY: i64 = 86_400;

fn list(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    kept(asked, "tasks", || {
        let page = asked.app.board.page(&query(asked)?);
        ready(&page.map_err(|_| Refusal::parameter("limit"))?)
    })
}

/// The answer to a question about the board, made once for each board.
fn kept(
    asked: &Asked<'_>,
    name: &str,
    make: impl FnOnce() -> Result<Ready, Refusal>,
) -> Result<Answer, Refusal> {
    let app = asked.app;
    let stamp = (app.board.version(), app.desk.clock().now().seconds().div_euclid(DAY));
    let question = format!("{name} {:?}", asked.values);
    Ok(Answer::ready(app.pages.get(&question, stamp, || Ok((make()?, Lasts::Yes)))?))
}

/// The answer to a question about a task, made once for what its files are.
pub(super) fn kept_of_task(
    asked: &Asked<'_>,
    name: &str,
    extent: Extent,
    make: impl FnOnce(&TaskId) -> Result<(Ready, Lasts), Refusal>,
) -> Result<Answer, Refusal> {
    let (app, task) = (asked.app, asked.task()?);
    // What cannot be told apart from what comes next is read each time.
    let ready = match app.desk.task_stamp(&task, extent).unwrap_or_default() {
        Some(stamp) => {
            let question = format!("{name} {:?}", asked.values);
            app.of_tasks.get(&question, stamp, || make(&task))?
        }
        None => make(&task)?.0,
    };
    Ok(Answer::ready(ready))
}

/// Of a task that runs somebody must look whether it still does, and of a state that is not to be
/// trusted whether it still is not.
pub(super) fn lasts(status: &Status, is_trusted: bool) -> Lasts {
    if is_trusted && !status.is_driven() { Lasts::Yes } else { Lasts::No }
}

pub(super) fn ready(value: &impl Serialize) -> Result<Ready, Refusal> {
    let unable = |_| Own::Unable.with(StatusCode::INTERNAL_SERVER_ERROR);
    Ok(Ready::json(serde_json::to_value(value).map_err(unable)?))
}

fn query(asked: &Asked<'_>) -> Result<Query, Refusal> {
    let cursor = asked.text("cursor").map(Cursor::decode).transpose();
    Ok(Query {
        group: asked.text("group").and_then(|it| it.parse().ok()),
        state: asked.text("state").and_then(|it| it.parse().ok()),
        text: asked.text("q").map(str::to_owned),
        limit: asked.number("limit").and_then(|it| usize::try_from(it).ok()),
        cursor: cursor.map_err(|_| Refusal::parameter("cursor"))?,
    })
}

fn inbox(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    kept(asked, "inbox", || ready(&asked.app.board.inbox()))
}

fn status(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    kept_of_task(asked, "status", Extent::State, |task| {
        let looked = asked.app.desk.look(task)?;
        let status = &looked.status.value;
        Ok((ready(status)?, lasts(status, looked.altered.is_none())))
    })
}
