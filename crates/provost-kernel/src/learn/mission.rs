//! A mission: one binary question, and everything that says how it is learned.
//!
//! The file is TOML. Every key has its meaning in `docs/learn.md`; which values are allowed is
//! judged in `provost-rules-learn` before the first call to a model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Label, MissionName, TicketKey};
use crate::{
    Lang,
    model::{Decode, ResponseFormat},
    task::TaskType,
    words::words,
};

/// One mission, with a value for every key.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mission {
    pub mission: MissionName,
    #[serde(skip_serializing_if = "Edition::is_first")]
    pub edition: Edition,
    pub language: Lang,
    pub seed: u64,
    pub source: Source,
    pub guidance: GuidanceSettings,
    pub output: Output,
    pub sampler: Sampler,
    pub reflection: Reflection,
    /// Below it, the votes of a ticket disagree: thousandths of the votes.
    pub min_verdict_agreement: u16,
    pub runner: Runner,
    /// What is asked of the server for replies that are one JSON object.
    #[serde(skip_serializing_if = "ResponseFormat::is_text")]
    pub response_format: ResponseFormat,
    /// The share of malformed answers beyond which a run fails: thousandths.
    pub max_malformed: u16,
    /// Absent: no rule is ever removed by itself.
    pub lifecycle: Option<Lifecycle>,
    pub feedback: Feedback,
    pub verdict_terms: VerdictTerms,
    /// How many answers of a ticket must be well-formed.
    pub min_format_ok: u32,
    pub forbidden_dimensions: Vec<String>,
    /// Names that no rule may mention.
    pub identity_names: Vec<String>,
    /// The names in `meta` that a rollout may see.
    pub render_meta: Vec<String>,
    pub overrides: Vec<Override>,
    pub exclude_ticket_keys: Vec<TicketKey>,
    /// Absent: a ticket is in the pool that it names, or in `learn`.
    pub pools: Option<Pools>,
    pub gate: GateSettings,
    pub budget: Budget,
    /// How many questions are under way at once, over all endpoints.
    pub concurrency: u32,
    pub endpoints: Vec<Endpoint>,
    pub price: Price,
    /// Whether a run that was ended goes on.
    pub resume: bool,
    /// Whether the run may begin although its caps cannot cover the worst case.
    pub allow_partial: bool,
    pub distillation: bool,
}

/// With which prompts, defaults and forms of answers a run works. A run keeps its edition, so that
/// one that was begun by an earlier version, or its recording, is still understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Edition {
    /// Up to 0.1.0: the verdict before its reason, and every answer exactly as it was asked for.
    #[serde(rename = "1")]
    First,
    /// The reason before the verdict, answers taken out of their wrapping, and the judge's own
    /// contract for the missions of judges.
    #[default]
    #[serde(rename = "2")]
    Second,
}

/// Where tickets come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Files of tickets, as paths that the caller resolves.
    Files(Vec<String>),
    /// What people said of the finished tasks of a type.
    Reviews(TaskType),
}

/// Where guidance begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuidanceSettings {
    /// The file with the scaffold and the first rules; it is read and never written.
    /// Absent only for a mission over reviews, which has a scaffold of its own.
    pub path: Option<String>,
    /// How many snapshots are kept; every step can be rebuilt from the log anyway.
    pub retention: u32,
    /// Whether a new run starts from the file, and not from what was learned before.
    pub reset_on_rerun: bool,
    pub max_rules: u32,
    pub rule_max_chars: u32,
    pub rationale_max_chars: u32,
    pub falsifier_max_chars: u32,
}

/// Where a run is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Absent: in the home of provost.
    pub root: Option<String>,
    /// Absent: named after what the run depends on.
    pub run_name: Option<String>,
    pub group_report: bool,
}

/// How often, and how, each ticket is judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampler {
    pub grid: Vec<Decode>,
    pub samples_per_decode: u32,
}

words! {
    /// What an ops pass may do with rules that were not measured.
    pub enum HypothesesMode {
        /// Additions and merges take effect at once, or through the gate where there is one.
        Mixed = "mixed",
        /// They become hypotheses and wait for support.
        HypothesesOnly = "hypotheses_only",
    }
}

/// How rules are proposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reflection {
    /// Instructions of the person's own, in place of the built-in ones.
    pub decision_prompt_path: Option<String>,
    pub ops_prompt_path: Option<String>,
    pub batch_size: u32,
    pub max_operations: Option<u32>,
    /// Applied reflections in one epoch.
    pub change_cap_per_epoch: Option<u32>,
    pub hypotheses_mode: HypothesesMode,
    pub hypothesis_min_support_cycles: u32,
    pub hypothesis_min_unique_ticket_keys: u32,
    pub max_promotions_per_epoch: u32,
    pub retry_budget_per_group_per_epoch: u32,
    /// Decision and ops calls together.
    pub max_calls_per_epoch: Option<u32>,
    pub decode: Decode,
    /// The model of both passes; the endpoints' own where it is absent.
    pub model: Option<String>,
    /// The most characters that a prompt may have.
    pub max_reflection_length: u32,
    /// The most tokens, by estimate, that cases may take in a prompt.
    pub token_budget: u32,
    /// Whether support is counted only from tickets whose label the hypothesis concludes.
    pub polarity: bool,
}

/// How a run goes through its tickets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runner {
    pub epochs: u32,
    /// Tickets that are judged under one state of the guidance.
    pub rollout_batch_size: u32,
    /// Tickets in one line of metrics.
    pub logging_steps: u32,
}

/// When a rule that stops working is removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifecycle {
    /// Thousandths.
    pub confidence_drop_threshold: u16,
    pub min_miss_before_drop: u32,
    pub enable_auto_cleanup: bool,
}

/// For how long tickets are credited to the last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    pub window_tickets: u32,
}

/// The words that a model may answer with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictTerms {
    pub pass: Vec<String>,
    pub fail: Vec<String>,
}

/// A check on the evidence that decides before any model does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Override {
    pub id: String,
    /// The item that is looked at; all of them where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// What must be found.
    pub regex: String,
    /// What must not be found besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless_regex: Option<String>,
    #[serde(default = "fail")]
    pub verdict: Label,
    pub reason: String,
}

/// In which shares tickets that name no pool are spread, by their group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pools {
    pub learn: u32,
    pub gate: u32,
    pub audit: u32,
}

words! {
    /// What a measurement has to say about a promotion.
    pub enum GateMode {
        /// `enforce` where the gate pool is large enough, else `off`.
        Auto = "auto",
        Off = "off",
        /// Measured and recorded, without a say.
        Shadow = "shadow",
        Enforce = "enforce",
    }
}

/// How a rule is measured before it is promoted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateSettings {
    pub mode: GateMode,
    /// What all decisions of a run may err together: thousandths.
    pub alpha: u16,
    /// In how many decisions a ticket of the gate pool may take part.
    pub max_looks: u32,
    pub min_tickets: u32,
    pub min_tickets_per_label: u32,
}

/// What a run may spend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    pub max_model_calls: Option<u64>,
    pub max_tokens: Option<u64>,
    pub max_micro_usd: Option<u64>,
}

/// Something that answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Endpoint {
    /// A model behind an OpenAI-compatible interface.
    Chat {
        /// The address up to and without `/chat/completions`.
        base_url: String,
        model: String,
        /// The environment variable that holds the key.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key_variable: Option<String>,
        /// How many questions it takes at once.
        #[serde(default = "one")]
        concurrency: u32,
        #[serde(default = "minute")]
        timeout_seconds: u32,
    },
    /// A program: one question as JSON on its standard input, one answer on its standard output.
    Command {
        command: Vec<String>,
        /// The model that the program is told to ask.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        #[serde(default = "one")]
        concurrency: u32,
        #[serde(default = "minute")]
        timeout_seconds: u32,
    },
    /// Answers of an earlier run: its `calls.jsonl`.
    Recording {
        path: String,
        /// The model that was asked when the answers were recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
}

/// What tokens cost, in millionths of a dollar for a million of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    pub prompt_micro_usd_per_million: u64,
    pub completion_micro_usd_per_million: u64,
}

impl Edition {
    pub fn is_first(&self) -> bool {
        *self == Self::First
    }
}

impl Mission {
    /// How many answers there are for one ticket.
    pub fn candidates(&self) -> u32 {
        let grid = u32::try_from(self.sampler.grid.len()).unwrap_or(u32::MAX);
        grid.saturating_mul(self.sampler.samples_per_decode)
    }

    /// The model that every question of a rollout names: all endpoints that name one name the same.
    pub fn model(&self) -> Option<String> {
        let of = |it: &Endpoint| match it {
            Endpoint::Chat { model, .. } => Some(model.clone()),
            Endpoint::Command { model, .. } | Endpoint::Recording { model, .. } => model.clone(),
        };
        self.endpoints.iter().find_map(of)
    }

    /// The words for a label, in the order in which they are offered.
    pub fn terms(&self) -> BTreeMap<Label, &[String]> {
        let terms = &self.verdict_terms;
        [(Label::Pass, terms.pass.as_slice()), (Label::Fail, terms.fail.as_slice())].into()
    }
}

fn fail() -> Label {
    Label::Fail
}

fn one() -> u32 {
    1
}

fn minute() -> u32 {
    60
}
