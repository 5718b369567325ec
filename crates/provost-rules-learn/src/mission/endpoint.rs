//! The endpoints of a mission: what answers its questions.

use provost_form::{Shape as _, choice, list, text, whole};
use provost_kernel::{learn::Endpoint, shorten};

use super::{Document, MissionProblem};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Chat,
    Command,
    Recording,
}

const KINDS: &[(&str, Kind)] =
    &[("chat", Kind::Chat), ("command", Kind::Command), ("recording", Kind::Recording)];

/// Reads every endpoint; there is at least one.
pub(super) fn read(table: &mut Document<'_>) -> Vec<Endpoint> {
    let endpoints = table.required_tables("endpoints", endpoint);
    if endpoints.as_ref().is_some_and(Vec::is_empty) {
        table.report("endpoints", MissionProblem::NoEndpoint);
    }
    let endpoints = endpoints.unwrap_or_default();
    let mut models = endpoints.iter().filter_map(model);
    if let Some(first) = models.next()
        && models.any(|it| it != first)
    {
        table.report("endpoints", MissionProblem::DifferentModels);
    }
    endpoints
}

/// The model that an endpoint names.
fn model(endpoint: &Endpoint) -> Option<&str> {
    match endpoint {
        Endpoint::Chat { model, .. } => Some(model),
        Endpoint::Command { model, .. } | Endpoint::Recording { model, .. } => model.as_deref(),
    }
}

fn endpoint(table: &mut Document<'_>) -> Option<Endpoint> {
    match table.required("kind", choice(KINDS)) {
        Some(Kind::Chat) => Some(chat(table)),
        Some(Kind::Command) => command(table),
        Some(Kind::Recording) => {
            let path = table.required("path", text().line());
            let model = table.optional("model", text().line());
            path.map(|path| Endpoint::Recording { path, model })
        }
        None => {
            // Which other keys there may be depends on the kind.
            table.skip_rest();
            None
        }
    }
}

fn chat(table: &mut Document<'_>) -> Endpoint {
    let base_url = table.required("base_url", text().line().and_then(address));
    let key_variable = table.optional("key_variable", text().line().and_then(variable));
    let model = table.required("model", text().line());
    Endpoint::Chat {
        base_url: base_url.unwrap_or_default(),
        model: model.unwrap_or_default(),
        key_variable,
        concurrency: concurrency(table),
        timeout_seconds: timeout(table),
    }
}

fn command(table: &mut Document<'_>) -> Option<Endpoint> {
    let command = table.required("command", list(text().line()));
    if command.as_ref().is_some_and(Vec::is_empty) {
        table.report("command", MissionProblem::NoProgram);
    }
    let concurrency = concurrency(table);
    let timeout_seconds = timeout(table);
    let model = table.optional("model", text().line());
    command.map(|command| Endpoint::Command { command, model, concurrency, timeout_seconds })
}

fn concurrency(table: &mut Document<'_>) -> u32 {
    table.optional("concurrency", whole(1..=1024)).unwrap_or(1)
}

fn timeout(table: &mut Document<'_>) -> u32 {
    table.optional("timeout_seconds", whole(1..=86_400)).unwrap_or(60)
}

fn address(text: String) -> Result<String, MissionProblem> {
    let is_address = ["http://", "https://"].iter().any(|it| text.starts_with(it));
    if is_address { Ok(text) } else { Err(MissionProblem::NotAnAddress { found: shorten(&text) }) }
}

fn variable(name: String) -> Result<String, MissionProblem> {
    let mut letters = name.chars();
    let is_variable = letters.next().is_some_and(|it| it.is_ascii_alphabetic() || it == '_')
        && letters.all(|it| it.is_ascii_alphanumeric() || it == '_');
    if is_variable { Ok(name) } else { Err(MissionProblem::NotAVariable { found: shorten(&name) }) }
}
