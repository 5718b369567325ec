//! The audit chain: entries, and whether all of it is what was written.

use axum::http::StatusCode;
use provost_desk::audit::{AuditFilter, AuditPage, AuditState};

use crate::{
    answer::Answer,
    refusal::{Own, Refusal},
    route::{Asked, Kind, Param, Route, schema},
};

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/audit", "Entries, the newest first", list)
        .with(&[
            Param::new(
                "actor",
                Kind::Text { most: 200 },
                "`web:ann`, or `web`; several with commas",
            ),
            Param::new(
                "action",
                Kind::Text { most: 200 },
                "`task.pause`, or all below `task`; several with commas",
            ),
            Param::new(
                "subject",
                Kind::Text { most: 300 },
                "`task:t1`, or all of a kind; several with commas",
            ),
            Param::new(
                "q",
                Kind::Text { most: 200 },
                "only with this text in one of them or in the request id",
            ),
            Param::new("limit", Kind::Number { least: 1, most: 200 }, "at most so many, else 50"),
            Param::new("cursor", Kind::Text { most: 30 }, "`next_cursor` of the page before"),
        ])
        .answers(schema::<AuditPage>),
    Route::get("/api/audit/state", "Whether the chain is intact, or where it is broken", state)
        .answers(schema::<AuditState>),
];

const PAGE: usize = 50;

pub(crate) fn page_size(asked: &Asked<'_>) -> usize {
    asked.number("limit").and_then(|it| usize::try_from(it).ok()).unwrap_or(PAGE)
}

fn list(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let of = |name: &str| asked.text(name).filter(|it| !it.is_empty()).map(str::to_owned);
    let filter = AuditFilter {
        actor: of("actor"),
        action: of("action"),
        subject: of("subject"),
        text: of("q"),
    };
    Answer::json(&asked.app.desk.audit_page(&filter, asked.text("cursor"), page_size(asked))?)
}

fn state(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let state = asked.app.chain.state(&asked.app.desk);
    Answer::json(&state.ok_or_else(|| Own::Integrity.with(StatusCode::SERVICE_UNAVAILABLE))?)
}
