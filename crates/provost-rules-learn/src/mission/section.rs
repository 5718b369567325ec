//! The sections of a mission, each with the value that holds where none is written.

use provost_kernel::learn::{
    Budget, Decode, Endpoint, Feedback, GateMode, GateSettings, GuidanceSettings, HypothesesMode,
    Lifecycle, Output, Pools, Price, Reflection, Runner, Sampler, Source, TicketKey,
};
use serde_json::Value;

use super::{
    problem::{Expected, Refusal},
    table::Table,
};

/// How many answers one ticket has at most.
const CANDIDATES: u32 = 256;
/// What the settings of the original are unless a mission says otherwise.
const GRID: [(f64, Option<u64>); 3] = [(0.1, Some(43)), (0.4, Some(43)), (0.7, None)];
const TOP_P: f64 = 0.9;
const REPETITION_PENALTY: f64 = 1.05;
const TEMPERATURE: std::ops::RangeInclusive<f64> = 0.0..=2.0;
const SHARE: std::ops::RangeInclusive<f64> = 0.0..=1.0;
const PENALTY: std::ops::RangeInclusive<f64> = 0.1..=10.0;
const TOKENS: std::ops::RangeInclusive<u32> = 1..=1_000_000;
const ANY: std::ops::RangeInclusive<u32> = 0..=u32::MAX;
const SOME: std::ops::RangeInclusive<u32> = 1..=u32::MAX;

/// Where tickets come from: files, or what people said of finished tasks.
pub(super) fn source(table: &mut Table) -> Option<Source> {
    const BOTH: Refusal = Refusal {
        en: "tickets come from `tickets` or from `reviews`, not from both",
        zh: "工单来自 `tickets` 或 `reviews`,不能两者都写",
    };
    let (has_tickets, has_reviews) = (table.has("tickets"), table.has("reviews"));
    let tickets = table.text_or_texts("tickets");
    let reviews = table.word("reviews");
    match (has_tickets, has_reviews) {
        (false, false) => {
            table.missing("tickets", Expected::TextOrTexts);
            None
        }
        (true, true) => {
            table.refuse("tickets", BOTH);
            None
        }
        (true, false) => tickets.map(Source::Files),
        (false, true) => reviews.map(Source::Reviews),
    }
}

pub(super) fn guidance(table: &mut Table, source: Option<&Source>) -> GuidanceSettings {
    let needs_path = matches!(source, Some(Source::Files(_)));
    GuidanceSettings {
        path: if needs_path {
            table.required_text("guidance.path")
        } else {
            table.text("guidance.path")
        },
        retention: table.count("guidance.retention", SOME).unwrap_or(5),
        reset_on_rerun: table.flag("guidance.reset_on_rerun").unwrap_or(true),
        max_rules: table.count("guidance.max_rules", SOME).unwrap_or(24),
        rule_max_chars: table.count("guidance.rule_max_chars", SOME).unwrap_or(160),
        rationale_max_chars: table.count("guidance.rationale_max_chars", SOME).unwrap_or(60),
        falsifier_max_chars: table.count("guidance.falsifier_max_chars", SOME).unwrap_or(80),
    }
}

pub(super) fn output(table: &mut Table) -> Output {
    let run_name = table.text("output.run_name");
    // It becomes a folder: the names of missions cannot lead out of theirs, and so nor can it.
    if let Some(name) = &run_name
        && name.parse::<provost_kernel::learn::MissionName>().is_err()
    {
        table.unexpected("output.run_name", &Value::from(name.as_str()), Expected::Name);
    }
    Output {
        root: table.text("output.root"),
        run_name,
        group_report: table.flag("output.group_report").unwrap_or(true),
    }
}

pub(super) fn sampler(table: &mut Table) -> Sampler {
    const EMPTY: Refusal =
        Refusal { en: "there is no way to ask a model", zh: "没有任何解码设置" };
    let grid = table.tables("sampler.grid", |it| {
        let temperature = it.number("temperature", TEMPERATURE);
        if temperature.is_none() && !it.is_reported("temperature") {
            it.missing("temperature", Expected::Number { min: 0.0, max: 2.0 });
        }
        Some(Decode {
            temperature: temperature.unwrap_or_default(),
            top_p: it.number("top_p", SHARE).unwrap_or(TOP_P),
            max_new_tokens: it.count("max_new_tokens", TOKENS).unwrap_or(1024),
            seed: it.whole("seed", 0..=u64::MAX),
            repetition_penalty: it
                .number("repetition_penalty", PENALTY)
                .unwrap_or(REPETITION_PENALTY),
            no_repeat_ngram_size: it.count("no_repeat_ngram_size", SOME),
            stop: it.texts("stop").unwrap_or_default(),
        })
    });
    if grid.as_ref().is_some_and(Vec::is_empty) {
        table.refuse("sampler.grid", EMPTY);
    }
    let built_in = |(temperature, seed)| Decode {
        temperature,
        top_p: TOP_P,
        max_new_tokens: 1024,
        seed,
        repetition_penalty: REPETITION_PENALTY,
        no_repeat_ngram_size: None,
        stop: Vec::new(),
    };
    Sampler {
        grid: grid.unwrap_or_else(|| GRID.map(built_in).into()),
        samples_per_decode: table.count("sampler.samples_per_decode", SOME).unwrap_or(1),
    }
}

/// How many answers a ticket has, if that is not too many.
pub(super) fn candidates(table: &mut Table, sampler: &Sampler) -> u32 {
    const MANY: Refusal = Refusal {
        en: "a ticket would have more than 256 answers, with `sampler.grid`",
        zh: "与 `sampler.grid` 相乘,每个工单的回答超过 256 个",
    };
    let grid = u32::try_from(sampler.grid.len()).unwrap_or(u32::MAX);
    let candidates = grid.saturating_mul(sampler.samples_per_decode);
    if candidates > CANDIDATES {
        table.refuse("sampler.samples_per_decode", MANY);
    }
    candidates
}

/// How many answers must be well-formed: half of them, unless the mission asks for more or less.
pub(super) fn min_format_ok(table: &mut Table, candidates: u32) -> u32 {
    let most = candidates.max(1);
    table.count("min_format_ok", 1..=most).unwrap_or(most.div_ceil(2))
}

pub(super) fn reflection(table: &mut Table) -> Reflection {
    let length = table.count("reflection.max_reflection_length", SOME).unwrap_or(24_000);
    Reflection {
        decision_prompt_path: table.text("reflection.decision_prompt_path"),
        ops_prompt_path: table.text("reflection.ops_prompt_path"),
        batch_size: table.count("reflection.batch_size", SOME).unwrap_or(16),
        max_operations: table.count("reflection.max_operations", SOME).or(Some(2)),
        change_cap_per_epoch: table.count("reflection.change_cap_per_epoch", SOME),
        hypotheses_mode: table.word("reflection.hypotheses_mode").unwrap_or(HypothesesMode::Mixed),
        hypothesis_min_support_cycles: table
            .count("reflection.hypothesis_min_support_cycles", SOME)
            .unwrap_or(2),
        hypothesis_min_unique_ticket_keys: table
            .count("reflection.hypothesis_min_unique_ticket_keys", SOME)
            .unwrap_or(6),
        max_promotions_per_epoch: table
            .count("reflection.max_promotions_per_epoch", SOME)
            .unwrap_or(1),
        retry_budget_per_group_per_epoch: table
            .count("reflection.retry_budget_per_group_per_epoch", 0..=16)
            .unwrap_or(2),
        max_calls_per_epoch: table.count("reflection.max_calls_per_epoch", SOME),
        decode: Decode {
            temperature: table.number("reflection.temperature", TEMPERATURE).unwrap_or(0.1),
            top_p: table.number("reflection.top_p", SHARE).unwrap_or(TOP_P),
            max_new_tokens: table.count("reflection.max_new_tokens", TOKENS).unwrap_or(12_000),
            seed: table.whole("reflection.seed", 0..=u64::MAX),
            repetition_penalty: table
                .number("reflection.repetition_penalty", PENALTY)
                .unwrap_or(REPETITION_PENALTY),
            no_repeat_ngram_size: None,
            stop: Vec::new(),
        },
        model: table.text("reflection.model"),
        max_reflection_length: length,
        token_budget: table.count("reflection.token_budget", SOME).unwrap_or(length),
        polarity: table.flag("reflection.polarity").unwrap_or(false),
    }
}

pub(super) fn runner(table: &mut Table) -> Runner {
    Runner {
        epochs: table.count("runner.epochs", 1..=1000).unwrap_or(3),
        rollout_batch_size: table.count("runner.rollout_batch_size", SOME).unwrap_or(64),
        logging_steps: table.count("runner.logging_steps", SOME).unwrap_or(64),
    }
}

/// How rules are removed; without the section, none is.
pub(super) fn lifecycle(table: &mut Table) -> Option<Lifecycle> {
    let is_there = table.has_section("guidance_lifecycle");
    let lifecycle = Lifecycle {
        confidence_drop_threshold: table
            .thousandths("guidance_lifecycle.confidence_drop_threshold")
            .unwrap_or(350),
        min_miss_before_drop: table
            .count("guidance_lifecycle.min_miss_before_drop", SOME)
            .unwrap_or(3),
        enable_auto_cleanup: table.flag("guidance_lifecycle.enable_auto_cleanup").unwrap_or(true),
    };
    is_there.then_some(lifecycle)
}

pub(super) fn feedback(table: &mut Table) -> Feedback {
    Feedback { window_tickets: table.count("feedback_window_tickets", SOME).unwrap_or(256) }
}

pub(super) fn excluded(table: &mut Table) -> Vec<TicketKey> {
    let Some(value) = table.take("exclude_ticket_keys") else { return Vec::new() };
    let keys = value.as_array().and_then(|list| {
        list.iter().map(|it| it.as_str()?.parse().ok()).collect::<Option<Vec<TicketKey>>>()
    });
    if keys.is_none() {
        table.unexpected("exclude_ticket_keys", &value, Expected::TicketKeys);
    }
    keys.unwrap_or_default()
}

/// The shares of the pools; without the section, every ticket that names no pool is learned from.
pub(super) fn pools(table: &mut Table) -> Option<Pools> {
    const NOTHING: Refusal = Refusal {
        en: "nothing would be learned from: give it a share",
        zh: "没有可学习的工单:请给它一个份额",
    };
    let is_there = table.has_section("pools");
    let pools = Pools {
        learn: table.count("pools.learn", ANY).unwrap_or(60),
        gate: table.count("pools.gate", ANY).unwrap_or(20),
        audit: table.count("pools.audit", ANY).unwrap_or(20),
    };
    if is_there && pools.learn == 0 {
        table.refuse("pools.learn", NOTHING);
    }
    is_there.then_some(pools)
}

pub(super) fn gate(table: &mut Table) -> GateSettings {
    const CERTAIN: Refusal = Refusal {
        en: "no measurement is certain: write more than 0 and less than 1",
        zh: "没有绝对可靠的测量:须大于 0 且小于 1",
    };
    let alpha = table.thousandths("gate.alpha").unwrap_or(50);
    if alpha == 0 || alpha == 1000 {
        table.refuse("gate.alpha", CERTAIN);
    }
    GateSettings {
        mode: table.word("gate.mode").unwrap_or(GateMode::Auto),
        alpha,
        max_looks: table.count("gate.max_looks", SOME).unwrap_or(50),
        min_tickets: table.count("gate.min_tickets", ANY).unwrap_or(30),
        min_tickets_per_label: table.count("gate.min_tickets_per_label", ANY).unwrap_or(10),
    }
}

pub(super) fn budget(table: &mut Table) -> Budget {
    Budget {
        max_model_calls: table.whole("budget.max_model_calls", 1..=u64::MAX),
        max_tokens: table.whole("budget.max_tokens", 1..=u64::MAX),
        max_micro_usd: table.dollars("budget.max_usd"),
    }
}

pub(super) fn price(table: &mut Table) -> Price {
    Price {
        prompt_micro_usd_per_million: table
            .dollars("price.prompt_usd_per_million")
            .unwrap_or_default(),
        completion_micro_usd_per_million: table
            .dollars("price.completion_usd_per_million")
            .unwrap_or_default(),
    }
}

/// How many questions are under way at once: what the endpoints take, unless it is less.
pub(super) fn concurrency(table: &mut Table, endpoints: &[Endpoint]) -> u32 {
    let of = |it: &Endpoint| match it {
        Endpoint::Chat { concurrency, .. } | Endpoint::Command { concurrency, .. } => *concurrency,
        Endpoint::Recording { .. } => 1,
    };
    let all: u32 = endpoints.iter().map(of).fold(0, u32::saturating_add);
    table.count("concurrency", 1..=1024).unwrap_or(all.clamp(1, 1024))
}
