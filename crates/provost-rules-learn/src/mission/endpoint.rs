//! The endpoints of a mission: what answers its questions.

use provost_kernel::learn::Endpoint;
use serde_json::Value;

use super::{
    problem::{Expected, Refusal},
    table::Table,
};

const KINDS: &[&str] = &["chat", "command", "recording"];

/// Reads every endpoint; there is at least one.
pub(super) fn read(table: &mut Table) -> Vec<Endpoint> {
    const NONE: Refusal = Refusal { en: "nothing would answer", zh: "没有可作答的模型" };
    const MODELS: Refusal = Refusal {
        en: "they name different models, and a verdict must not depend on who is free",
        zh: "各端点的模型不同,而判定不能取决于哪个空闲",
    };
    if !table.has("endpoints") {
        table.missing("endpoints", Expected::Tables);
    }
    let endpoints = table.tables("endpoints", endpoint);
    if endpoints.as_ref().is_some_and(Vec::is_empty) {
        table.refuse("endpoints", NONE);
    }
    let endpoints = endpoints.unwrap_or_default();
    let mut models = endpoints.iter().filter_map(model);
    if let Some(first) = models.next()
        && models.any(|it| it != first)
    {
        table.refuse("endpoints", MODELS);
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

fn endpoint(table: &mut Table) -> Option<Endpoint> {
    let kind = table.take("kind");
    match kind.as_ref().and_then(Value::as_str) {
        Some("chat") => Some(chat(table)),
        Some("command") => command(table),
        Some("recording") => {
            let (path, model) = (table.required_text("path"), table.text("model"));
            path.map(|path| Endpoint::Recording { path, model })
        }
        Some(_) | None => {
            match kind {
                Some(found) => table.unexpected("kind", &found, Expected::OneOf(KINDS)),
                None => table.missing("kind", Expected::OneOf(KINDS)),
            }
            // Which other keys there may be depends on the kind.
            table.forget();
            None
        }
    }
}

fn chat(table: &mut Table) -> Endpoint {
    let base_url = table.required_text("base_url").unwrap_or_default();
    let is_address = ["http://", "https://"].iter().any(|it| base_url.starts_with(it));
    if !base_url.is_empty() && !is_address {
        table.unexpected("base_url", &Value::from(base_url.as_str()), Expected::Address);
    }
    let key_variable = table.text("key_variable");
    if let Some(name) = &key_variable
        && !is_variable(name)
    {
        table.unexpected("key_variable", &Value::from(name.as_str()), Expected::Variable);
    }
    let model = table.required_text("model");
    let concurrency = concurrency(table);
    let timeout_seconds = timeout(table);
    Endpoint::Chat {
        base_url,
        model: model.unwrap_or_default(),
        key_variable,
        concurrency,
        timeout_seconds,
    }
}

fn command(table: &mut Table) -> Option<Endpoint> {
    const EMPTY: Refusal =
        Refusal { en: "there is no program to start", zh: "没有可启动的程序" };
    if !table.has("command") {
        table.missing("command", Expected::Texts);
    }
    let command = table.texts("command");
    if command.as_ref().is_some_and(Vec::is_empty) {
        table.refuse("command", EMPTY);
    }
    let concurrency = concurrency(table);
    let timeout_seconds = timeout(table);
    let model = table.text("model");
    command.map(|command| Endpoint::Command { command, model, concurrency, timeout_seconds })
}

fn concurrency(table: &mut Table) -> u32 {
    table.count("concurrency", 1..=1024).unwrap_or(1)
}

fn timeout(table: &mut Table) -> u32 {
    table.count("timeout_seconds", 1..=86_400).unwrap_or(60)
}

fn is_variable(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|it| it.is_ascii_alphabetic() || it == '_')
        && letters.all(|it| it.is_ascii_alphanumeric() || it == '_')
}
