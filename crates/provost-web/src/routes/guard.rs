//! The guard: what it ruled, where it is proven, how it is set, what it would say.

use provost_desk::guard::{GuardClient, GuardRuling, GuardState, RulingFilter, Rulings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{audit::page_size, person::port};
use crate::{
    answer::Answer,
    refusal::Refusal,
    route::{Asked, Kind, Param, Route, schema},
};

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/guard/rulings", "What was ruled, the newest first", rulings)
        .with(&[
            Param::new(
                "effect",
                Kind::Text { most: 60 },
                "`refused`, `asked`, `unblockable`, `passed`; several with commas",
            ),
            Param::new("rule", Kind::Text { most: 120 }, "only by this rule"),
            Param::new("limit", Kind::Number { least: 1, most: 200 }, "at most so many, else 50"),
            Param::new("cursor", Kind::Text { most: 30 }, "`next_cursor` of the page before"),
        ])
        .answers(schema::<Rulings>),
    Route::get("/api/guard/clients", "Clients, and whether their guard is proven", clients)
        .answers(schema::<Clients>),
    Route::get("/api/guard/state", "Level and packs, what waits to be permitted, what is", state)
        .answers(schema::<GuardState>),
    Route::post(
        "/api/guard/explain",
        "What the guard would say; nothing is run",
        explain,
        schema::<Question>,
    )
    .answers(schema::<GuardRuling>)
    .reads(),
];

#[derive(Serialize, JsonSchema)]
struct Clients {
    clients: Vec<GuardClient>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Question {
    command: String,
}

/// The longest command that is explained, in bytes.
const LONGEST: usize = 16 << 10;

fn rulings(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let of = |name: &str| asked.text(name).filter(|it| !it.is_empty()).map(str::to_owned);
    let filter = RulingFilter { effect: of("effect"), rule: of("rule") };
    Answer::json(&asked.app.desk.rulings(&filter, asked.text("cursor"), page_size(asked))?)
}

fn clients(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let clients = asked.app.ports.guard.clients().map_err(|it| port(&it))?;
    Answer::json(&Clients { clients })
}

fn state(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    Answer::json(&asked.app.desk.guard_state(&*asked.app.ports.guard))
}

fn explain(asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let Question { command } = asked.body()?;
    if command.trim().is_empty() || command.len() > LONGEST {
        return Err(Refusal::parameter("command"));
    }
    Answer::json(&asked.app.ports.guard.explain(&command).map_err(|it| port(&it))?)
}
