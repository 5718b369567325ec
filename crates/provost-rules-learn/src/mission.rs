//! Reads the file of a mission, and refuses it before a model is asked anything.
//!
//! Everything that is wrong is listed at once, each with its key. An unknown key is wrong, and so
//! is one of the original whose meaning here is fixed and that asks for another: a setting that
//! silently does not hold is worse than none.

mod endpoint;
mod fixed;
mod problem;
mod section;
mod terms;

use std::ops::RangeInclusive;

use provost_form::{
    Form, Limits, Problems, Shape as _, Table, choice, flag, list, steps, text, whole, word,
};
use provost_kernel::{
    learn::{Edition, Mission, MissionName},
    shorten,
};

pub use self::problem::{MissionError, MissionProblem};

/// Many times what a mission needs.
const LIMITS: Limits = Limits { bytes: 1024 * 1024, depth: 16 };
const ANY: RangeInclusive<u32> = 0..=u32::MAX;
const SOME: RangeInclusive<u32> = 1..=u32::MAX;

type Document<'a> = Table<'a, MissionProblem>;

/// Reads a mission, for a run of the current edition.
pub fn read(text: &str) -> Result<Mission, MissionError> {
    read_as(text, Edition::default())
}

/// Reads a mission with the defaults of an edition.
pub fn read_as(text: &str, edition: Edition) -> Result<Mission, MissionError> {
    let form = Form::toml(text.as_bytes(), LIMITS)?;
    let problems = Problems::default();
    let mission = form.sections(&problems).and_then(|mut table| {
        let mission = mission(&mut table, edition);
        table.finish();
        mission
    });
    problems.into_result(mission).map_err(MissionError)
}

/// The mission; nothing, and problems in the table, where a key without a default is missing.
fn mission(table: &mut Document<'_>, edition: Edition) -> Option<Mission> {
    table.alias("tickets", "stage_a_paths");
    table.alias("runner.rollout_batch_size", "runner.per_rank_rollout_batch_size");
    for key in ["hypotheses_mode", "max_promotions_per_epoch"] {
        table.alias(&format!("reflection.{key}"), key);
    }
    for key in ["max_rules", "rule_max_chars", "rationale_max_chars", "falsifier_max_chars"] {
        table.alias(&format!("guidance.{key}"), key);
    }
    fixed::check(table);
    let texts = || list(text().line());
    let language = table.optional("language", word()).unwrap_or_default();
    let source = section::source(table);
    let sampler = section::sampler(table, edition);
    let candidates = section::candidates(table, &sampler);
    let endpoints = endpoint::read(table);
    let concurrency = section::concurrency(table, &endpoints);
    let name = table.required("mission", text().line().and_then(name));
    let mission = Mission {
        edition,
        language,
        seed: table.optional("seed", whole(0..=u64::MAX)).unwrap_or(17),
        guidance: section::guidance(table, source.as_ref()),
        output: section::output(table),
        reflection: section::reflection(table, edition),
        min_verdict_agreement: thousandths(table, "manual_review.min_verdict_agreement")
            .unwrap_or(670),
        runner: section::runner(table),
        response_format: table
            .optional("response_format", choice(section::FORMATS))
            .unwrap_or_default(),
        max_malformed: thousandths(table, "runner.max_malformed").unwrap_or(50),
        lifecycle: section::lifecycle(table),
        feedback: section::feedback(table),
        verdict_terms: terms::read(table, language),
        min_format_ok: section::min_format_ok(table, candidates),
        forbidden_dimensions: table
            .optional("forbidden_dimensions", texts())
            .unwrap_or_else(|| vec!["brand".to_owned(), "品牌".to_owned()]),
        identity_names: table.optional("identity_names", texts()).unwrap_or_default(),
        render_meta: table.optional("render_meta", texts()).unwrap_or_default(),
        overrides: terms::overrides(table),
        exclude_ticket_keys: section::excluded(table),
        pools: section::pools(table),
        gate: section::gate(table),
        budget: section::budget(table),
        concurrency,
        endpoints,
        price: section::price(table),
        resume: table.optional("resume", flag()).unwrap_or(true),
        allow_partial: table.optional("allow_partial", flag()).unwrap_or(false),
        distillation: table.optional("stage_b_distillation.enabled", flag()).unwrap_or(true),
        sampler,
        // Last, so that every other key was read and is known.
        source: source?,
        mission: name?,
    };
    Some(mission)
}

/// The name of a mission, or of anything else that becomes a folder.
fn name(text: String) -> Result<MissionName, MissionProblem> {
    text.parse().map_err(|_| MissionProblem::NotAName { found: shorten(&text) })
}

/// A share from 0 to 1 with at most three decimals, in thousandths.
fn thousandths(table: &mut Document<'_>, key: &str) -> Option<u16> {
    table.optional(key, steps(1000, 0..=1000)).and_then(|it| u16::try_from(it).ok())
}

/// Dollars with at most six decimals, in millionths.
fn dollars(table: &mut Document<'_>, key: &str) -> Option<u64> {
    table.optional(key, steps(1_000_000, 0..=i64::MAX)).and_then(|it| u64::try_from(it).ok())
}

#[cfg(test)]
pub(super) mod tests;
