//! The sections of a mission, each with the value that holds where none is written.

use std::ops::RangeInclusive;

use provost_form::{
    Expected, ProblemKind, Shape as _, flag, list, number, one_or_more, text, whole, word,
};
use provost_kernel::{
    learn::{
        Budget, Edition, Endpoint, Feedback, GateMode, GateSettings, GuidanceSettings,
        HypothesesMode, Lifecycle, Output, Pools, Price, Reflection, Runner, Sampler, Source,
        TicketKey,
    },
    model::{Decode, ResponseFormat},
    shorten,
};

use super::{ANY, Document, MissionProblem, SOME, dollars, name, thousandths};

/// How many answers one ticket has at most.
const CANDIDATES: u32 = 256;
/// What the settings of the original are unless a mission says otherwise.
const GRID: [(f64, Option<u64>); 3] = [(0.1, Some(43)), (0.4, Some(43)), (0.7, None)];
const TOP_P: f64 = 0.9;

/// What a server may be asked to answer in.
pub(super) const FORMATS: &[(&str, ResponseFormat)] =
    &[("text", ResponseFormat::Text), ("json_object", ResponseFormat::JsonObject)];
const TEMPERATURE: RangeInclusive<f64> = 0.0..=2.0;
const SHARE: RangeInclusive<f64> = 0.0..=1.0;
const PENALTY: RangeInclusive<f64> = 0.1..=10.0;
const TOKENS: RangeInclusive<u32> = 1..=1_000_000;

/// The penalty where none is configured: none. The first edition had one, which is no standard
/// parameter, and which some servers refuse.
fn penalty(edition: Edition) -> f64 {
    match edition {
        Edition::First => 1.05,
        Edition::Second => 1.0,
    }
}

/// Where tickets come from: files, or what people said of finished tasks.
pub(super) fn source(table: &mut Document<'_>) -> Option<Source> {
    let (has_tickets, has_reviews) =
        (table.field("tickets").is_some(), table.field("reviews").is_some());
    let tickets = table.optional("tickets", one_or_more(text().line()));
    let reviews = table.optional("reviews", word());
    match (has_tickets, has_reviews) {
        (false, false) => {
            table.report("tickets", ProblemKind::Missing { expected: Expected::TextOrTexts });
            None
        }
        (true, true) => {
            table.report("tickets", MissionProblem::TicketsAndReviews);
            None
        }
        (true, false) => tickets.map(Source::Files),
        (false, true) => reviews.map(Source::Reviews),
    }
}

pub(super) fn guidance(table: &mut Document<'_>, source: Option<&Source>) -> GuidanceSettings {
    let needs_path = matches!(source, Some(Source::Files(_)));
    GuidanceSettings {
        path: if needs_path {
            table.required("guidance.path", text().line())
        } else {
            table.optional("guidance.path", text().line())
        },
        retention: table.optional("guidance.retention", whole(SOME)).unwrap_or(5),
        reset_on_rerun: table.optional("guidance.reset_on_rerun", flag()).unwrap_or(true),
        max_rules: table.optional("guidance.max_rules", whole(SOME)).unwrap_or(24),
        rule_max_chars: table.optional("guidance.rule_max_chars", whole(SOME)).unwrap_or(160),
        rationale_max_chars: table
            .optional("guidance.rationale_max_chars", whole(SOME))
            .unwrap_or(60),
        falsifier_max_chars: table
            .optional("guidance.falsifier_max_chars", whole(SOME))
            .unwrap_or(80),
    }
}

pub(super) fn output(table: &mut Document<'_>) -> Output {
    // It becomes a folder: the name of a mission cannot lead out of its own, and so nor can it.
    let run_name = text().line().and_then(|it| name(it.clone()).map(|_| it));
    let run_name = table.optional("output.run_name", run_name);
    Output {
        root: table.optional("output.root", text().line()),
        run_name,
        group_report: table.optional("output.group_report", flag()).unwrap_or(true),
    }
}

pub(super) fn sampler(table: &mut Document<'_>, edition: Edition) -> Sampler {
    let grid = table.tables("sampler.grid", |it| {
        let temperature = it.required("temperature", number(TEMPERATURE));
        Some(Decode {
            temperature: temperature.unwrap_or_default(),
            top_p: it.optional("top_p", number(SHARE)).or(Some(TOP_P)),
            max_new_tokens: it.optional("max_new_tokens", whole(TOKENS)).or(Some(1024)),
            seed: it.optional("seed", whole(0..=u64::MAX)),
            repetition_penalty: it
                .optional("repetition_penalty", number(PENALTY))
                .unwrap_or_else(|| penalty(edition)),
            no_repeat_ngram_size: it.optional("no_repeat_ngram_size", whole(SOME)),
            stop: it.optional("stop", list(text().line())).unwrap_or_default(),
        })
    });
    if grid.as_ref().is_some_and(Vec::is_empty) {
        table.report("sampler.grid", MissionProblem::NoDecode);
    }
    let built_in = |(temperature, seed)| Decode {
        temperature,
        top_p: Some(TOP_P),
        max_new_tokens: Some(1024),
        seed,
        repetition_penalty: penalty(edition),
        no_repeat_ngram_size: None,
        stop: Vec::new(),
    };
    Sampler {
        grid: grid.unwrap_or_else(|| GRID.map(built_in).into()),
        samples_per_decode: table.optional("sampler.samples_per_decode", whole(SOME)).unwrap_or(1),
    }
}

/// How many answers a ticket has, if that is not too many.
pub(super) fn candidates(table: &mut Document<'_>, sampler: &Sampler) -> u32 {
    let grid = u32::try_from(sampler.grid.len()).unwrap_or(u32::MAX);
    let candidates = grid.saturating_mul(sampler.samples_per_decode);
    if candidates > CANDIDATES {
        table.report("sampler.samples_per_decode", MissionProblem::TooManyAnswers);
    }
    candidates
}

/// How many answers must be well-formed: half of them, unless the mission asks for more or less.
pub(super) fn min_format_ok(table: &mut Document<'_>, candidates: u32) -> u32 {
    let most = candidates.max(1);
    table.optional("min_format_ok", whole(1..=most)).unwrap_or(most.div_ceil(2))
}

pub(super) fn reflection(table: &mut Document<'_>, edition: Edition) -> Reflection {
    let length = table.optional("reflection.max_reflection_length", whole(SOME)).unwrap_or(24_000);
    Reflection {
        decision_prompt_path: table.optional("reflection.decision_prompt_path", text().line()),
        ops_prompt_path: table.optional("reflection.ops_prompt_path", text().line()),
        batch_size: table.optional("reflection.batch_size", whole(SOME)).unwrap_or(16),
        max_operations: table.optional("reflection.max_operations", whole(SOME)).or(Some(2)),
        change_cap_per_epoch: table.optional("reflection.change_cap_per_epoch", whole(SOME)),
        hypotheses_mode: table
            .optional("reflection.hypotheses_mode", word())
            .unwrap_or(HypothesesMode::Mixed),
        hypothesis_min_support_cycles: table
            .optional("reflection.hypothesis_min_support_cycles", whole(SOME))
            .unwrap_or(2),
        hypothesis_min_unique_ticket_keys: table
            .optional("reflection.hypothesis_min_unique_ticket_keys", whole(SOME))
            .unwrap_or(6),
        max_promotions_per_epoch: table
            .optional("reflection.max_promotions_per_epoch", whole(SOME))
            .unwrap_or(1),
        retry_budget_per_group_per_epoch: table
            .optional("reflection.retry_budget_per_group_per_epoch", whole(0..=16))
            .unwrap_or(2),
        max_calls_per_epoch: table.optional("reflection.max_calls_per_epoch", whole(SOME)),
        decode: Decode {
            temperature: table
                .optional("reflection.temperature", number(TEMPERATURE))
                .unwrap_or(0.1),
            top_p: table.optional("reflection.top_p", number(SHARE)).or(Some(TOP_P)),
            max_new_tokens: table
                .optional("reflection.max_new_tokens", whole(TOKENS))
                .or(Some(12_000)),
            seed: table.optional("reflection.seed", whole(0..=u64::MAX)),
            repetition_penalty: table
                .optional("reflection.repetition_penalty", number(PENALTY))
                .unwrap_or_else(|| penalty(edition)),
            no_repeat_ngram_size: None,
            stop: Vec::new(),
        },
        model: table.optional("reflection.model", text().line()),
        max_reflection_length: length,
        token_budget: table.optional("reflection.token_budget", whole(SOME)).unwrap_or(length),
        polarity: table.optional("reflection.polarity", flag()).unwrap_or(!edition.is_first()),
    }
}

pub(super) fn runner(table: &mut Document<'_>) -> Runner {
    Runner {
        epochs: table.optional("runner.epochs", whole(1..=1000)).unwrap_or(3),
        rollout_batch_size: table.optional("runner.rollout_batch_size", whole(SOME)).unwrap_or(64),
        logging_steps: table.optional("runner.logging_steps", whole(SOME)).unwrap_or(64),
    }
}

/// How rules are removed; without the section, none is.
pub(super) fn lifecycle(table: &mut Document<'_>) -> Option<Lifecycle> {
    let is_there = table.has_section("guidance_lifecycle");
    let lifecycle = Lifecycle {
        confidence_drop_threshold: thousandths(
            table,
            "guidance_lifecycle.confidence_drop_threshold",
        )
        .unwrap_or(350),
        min_miss_before_drop: table
            .optional("guidance_lifecycle.min_miss_before_drop", whole(SOME))
            .unwrap_or(3),
        enable_auto_cleanup: table
            .optional("guidance_lifecycle.enable_auto_cleanup", flag())
            .unwrap_or(true),
    };
    is_there.then_some(lifecycle)
}

pub(super) fn feedback(table: &mut Document<'_>) -> Feedback {
    Feedback {
        window_tickets: table.optional("feedback_window_tickets", whole(SOME)).unwrap_or(256),
    }
}

pub(super) fn excluded(table: &mut Document<'_>) -> Vec<TicketKey> {
    let key =
        |it: String| it.parse().map_err(|_| MissionProblem::NotATicketKey { found: shorten(&it) });
    table.optional("exclude_ticket_keys", list(text().and_then(key))).unwrap_or_default()
}

/// The shares of the pools; without the section, every ticket that names no pool is learned from.
pub(super) fn pools(table: &mut Document<'_>) -> Option<Pools> {
    let is_there = table.has_section("pools");
    let pools = Pools {
        learn: table.optional("pools.learn", whole(ANY)).unwrap_or(60),
        gate: table.optional("pools.gate", whole(ANY)).unwrap_or(20),
        audit: table.optional("pools.audit", whole(ANY)).unwrap_or(20),
    };
    if is_there && pools.learn == 0 {
        table.report("pools.learn", MissionProblem::NothingToLearn);
    }
    is_there.then_some(pools)
}

pub(super) fn gate(table: &mut Document<'_>) -> GateSettings {
    let alpha = thousandths(table, "gate.alpha").unwrap_or(50);
    if alpha == 0 || alpha == 1000 {
        table.report("gate.alpha", MissionProblem::CertainAlpha);
    }
    GateSettings {
        mode: table.optional("gate.mode", word()).unwrap_or(GateMode::Auto),
        alpha,
        max_looks: table.optional("gate.max_looks", whole(SOME)).unwrap_or(50),
        min_tickets: table.optional("gate.min_tickets", whole(ANY)).unwrap_or(30),
        min_tickets_per_label: table
            .optional("gate.min_tickets_per_label", whole(ANY))
            .unwrap_or(10),
    }
}

pub(super) fn budget(table: &mut Document<'_>) -> Budget {
    Budget {
        max_model_calls: table.optional("budget.max_model_calls", whole(1..=u64::MAX)),
        max_tokens: table.optional("budget.max_tokens", whole(1..=u64::MAX)),
        max_micro_usd: dollars(table, "budget.max_usd"),
    }
}

pub(super) fn price(table: &mut Document<'_>) -> Price {
    Price {
        prompt_micro_usd_per_million: dollars(table, "price.prompt_usd_per_million")
            .unwrap_or_default(),
        completion_micro_usd_per_million: dollars(table, "price.completion_usd_per_million")
            .unwrap_or_default(),
    }
}

/// How many questions are under way at once: what the endpoints take, unless it is less.
pub(super) fn concurrency(table: &mut Document<'_>, endpoints: &[Endpoint]) -> u32 {
    let of = |it: &Endpoint| match it {
        Endpoint::Chat { concurrency, .. } | Endpoint::Command { concurrency, .. } => *concurrency,
        Endpoint::Recording { .. } => 1,
    };
    let all: u32 = endpoints.iter().map(of).fold(0, u32::saturating_add);
    table.optional("concurrency", whole(1..=1024)).unwrap_or(all.clamp(1, 1024))
}
