//! Reads the file of a mission, and refuses it before a model is asked anything.
//!
//! Everything that is wrong is listed at once, each with its key. A key that nobody reads is
//! wrong, and so is one of the original whose meaning here is fixed and that asks for another:
//! a setting that silently does not hold is worse than none.

mod endpoint;
mod fixed;
mod problem;
mod section;
mod table;
mod terms;

use provost_kernel::learn::{Mission, MissionName};
use serde_json::Value;

pub use self::problem::{Expected, MissionError, MissionProblem};
use self::table::Table;

/// A mission of a megabyte is no mission.
const LIMIT: usize = 1024 * 1024;

/// Reads a mission.
pub fn read(text: &str) -> Result<Mission, MissionError> {
    if text.len() > LIMIT {
        return Err(MissionError::TooLarge { limit: LIMIT });
    }
    let document: toml::Table =
        toml::from_str(text).map_err(|error| MissionError::syntax(text, &error))?;
    let mut table = Table::document(document.into_iter().map(|(name, it)| (name, json(it))));
    let mission = mission(&mut table);
    let problems = table.finish();
    match mission {
        Some(mission) if problems.is_empty() => Ok(mission),
        Some(_) | None => Err(MissionError::Problems(problems)),
    }
}

/// The mission; nothing, and problems in the table, where a key without a default is missing.
fn mission(table: &mut Table) -> Option<Mission> {
    table.alias("tickets", "stage_a_paths");
    table.alias("runner.rollout_batch_size", "runner.per_rank_rollout_batch_size");
    for key in ["hypotheses_mode", "max_promotions_per_epoch"] {
        table.alias(&format!("reflection.{key}"), key);
    }
    for key in ["max_rules", "rule_max_chars", "rationale_max_chars", "falsifier_max_chars"] {
        table.alias(&format!("guidance.{key}"), key);
    }
    fixed::check(table);
    let language = table.word("language").unwrap_or_default();
    let source = section::source(table);
    let sampler = section::sampler(table);
    let candidates = section::candidates(table, &sampler);
    let endpoints = endpoint::read(table);
    let concurrency = section::concurrency(table, &endpoints);
    let name = table.required_text("mission").and_then(|it| name(table, &it));
    let mission = Mission {
        language,
        seed: table.whole("seed", 0..=u64::MAX).unwrap_or(17),
        guidance: section::guidance(table, source.as_ref()),
        output: section::output(table),
        reflection: section::reflection(table),
        min_verdict_agreement: table
            .thousandths("manual_review.min_verdict_agreement")
            .unwrap_or(670),
        runner: section::runner(table),
        lifecycle: section::lifecycle(table),
        feedback: section::feedback(table),
        verdict_terms: terms::read(table, language),
        min_format_ok: section::min_format_ok(table, candidates),
        forbidden_dimensions: table
            .texts("forbidden_dimensions")
            .unwrap_or_else(|| vec!["brand".to_owned(), "品牌".to_owned()]),
        identity_names: table.texts("identity_names").unwrap_or_default(),
        render_meta: table.texts("render_meta").unwrap_or_default(),
        overrides: terms::overrides(table),
        exclude_ticket_keys: section::excluded(table),
        pools: section::pools(table),
        gate: section::gate(table),
        budget: section::budget(table),
        concurrency,
        endpoints,
        price: section::price(table),
        resume: table.flag("resume").unwrap_or(true),
        allow_partial: table.flag("allow_partial").unwrap_or(false),
        distillation: table.flag("stage_b_distillation.enabled").unwrap_or(true),
        sampler,
        // Last, so that every other key was read and is known.
        source: source?,
        mission: name?,
    };
    Some(mission)
}

fn name(table: &mut Table, text: &str) -> Option<MissionName> {
    let name = text.parse();
    if name.is_err() {
        table.unexpected("mission", &Value::from(text), Expected::Name);
    }
    name.ok()
}

/// A value as JSON; `null` where JSON has no such value.
fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(flag) => flag.into(),
        toml::Value::Datetime(_) => Value::Null,
        toml::Value::Array(list) => list.into_iter().map(json).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(name, it)| (name, json(it))).collect(),
    }
}

#[cfg(test)]
pub(super) mod tests;
