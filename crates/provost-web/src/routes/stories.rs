//! Stories: plans, one story with its evidence, a waiver.

use axum::http::StatusCode;
use provost_desk::story::{StoryBoard, StoryView, StoryViewError, Waiver, Waiving};
use provost_kernel::{
    Message as _, RequestId,
    story::{CriterionId, StoryName},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::person::{Ordered, Wanted, once, port};
use crate::{
    answer::Answer,
    refusal::{Own, Refusal},
    route::{Asked, Kind, Param, Route, schema},
};

const KEY: Param =
    Param::new("key", Kind::Text { most: 300 }, "`US-001`, or with its plan `PLAN:US-001`");
const PAGE: usize = 20;

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/stories", "Plans and how far their stories are", list)
        .with(&[
            Param::new(
                "limit",
                Kind::Number { least: 1, most: 50 },
                "at most so many plans, else 20",
            ),
            Param::new("cursor", Kind::Text { most: 200 }, "`next_cursor` of the page before"),
        ])
        .answers(schema::<StoryBoard>),
    Route::get("/api/stories/{key}", "One story with its evidence", show)
        .with(&[KEY])
        .answers(schema::<StoryView>),
    Route::post(
        "/api/stories/{key}/waivers",
        "Does without the proof of a criterion",
        waive,
        schema::<Given>,
    )
    .with(&[KEY])
    .answers(schema::<Ordered<Waiving>>),
];

/// A waiver, as a person gives it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Given {
    request_id: RequestId,
    criterion: String,
    because: String,
}

fn list(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let limit = asked.number("limit").and_then(|it| usize::try_from(it).ok()).unwrap_or(PAGE);
    let (desk, stories) = (&asked.app.desk, &*asked.app.ports.stories);
    Answer::json(&desk.story_board(stories, asked.text("cursor"), limit).map_err(refused)?)
}

fn show(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let (desk, stories) = (&asked.app.desk, &*asked.app.ports.stories);
    Answer::json(&desk.story(stories, &key(asked)?).map_err(refused)?)
}

/// A waiver proves nothing and makes no story done.
fn waive(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let Given { request_id: id, criterion, because } = asked.body()?;
    let story = key(asked)?;
    let criterion: CriterionId = criterion.parse().map_err(|_| Refusal::parameter("criterion"))?;
    let wanted = Wanted {
        request_id: &id,
        action: "story.waive",
        subject: format!("story:{}", asked.text("key").unwrap_or_default()),
        payload: json!({"criterion": criterion, "because": because}),
    };
    let actor = asked.actor();
    once(asked, &wanted, || {
        let waiver = Waiver {
            actor: &actor,
            request_id: Some(&id),
            story: &story,
            criterion,
            because: &because,
        };
        asked.app.ports.stories.waive(&asked.app.desk, &waiver)
    })
}

fn key(asked: &Asked<'_>) -> Result<StoryName, Refusal> {
    asked.text("key").and_then(|it| it.parse().ok()).ok_or_else(|| Refusal::parameter("key"))
}

fn refused(error: StoryViewError) -> Refusal {
    match error {
        StoryViewError::Page(error) => error.into(),
        StoryViewError::Port(error) => port(&error),
        StoryViewError::Stories(error) if error.exit() == provost_kernel::Exit::Integrity => {
            Refusal::of(StatusCode::SERVICE_UNAVAILABLE, &error.text(), &error.hints())
        }
        StoryViewError::Stories(_) => Own::Busy.with(StatusCode::SERVICE_UNAVAILABLE),
    }
}
