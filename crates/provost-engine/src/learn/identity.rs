//! What a run depends on: two starts with the same identity are one run.

use provost_kernel::{
    Digest, Message,
    learn::{Edition, GateMode, Mission, Split},
};
use provost_rules_learn::{
    closure,
    guidance::{self as rules, Seed},
    signature::SIGNATURE_VERSION,
};
use serde_json::{Value, json};

use super::{Instructions, LearnError, Setup, TicketIndex};

const SCHEMA: &str = "provost.learn.run/1";
/// Absent from the runs of the first edition.
const EDITION: &str = "edition";
/// What measures rules: a run that was begun with another gate does not go on with this one.
const GATE: &str = "gate";
const BANK: &str = "bank/1";

/// What a run depends on, besides the answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inputs<'a> {
    pub mission: &'a Mission,
    pub instructions: &'a Instructions,
    pub seed: &'a Seed,
    pub ticket_index: &'a TicketIndex,
}

impl<'a> Setup<'a> {
    pub(super) fn inputs(&self) -> Inputs<'a> {
        let Self { mission, instructions, seed, ticket_index, pool: _, cancel: _, watch: _ } =
            *self;
        Inputs { mission, instructions, seed, ticket_index }
    }
}

impl Inputs<'_> {
    /// Everything that the artifacts follow from, besides the answers. How many questions are
    /// under way at once, and where they are asked, is not among it.
    pub(super) fn identity(&self) -> Result<Value, LearnError> {
        let Self { mission, instructions, seed, ticket_index } = self;
        let count = |split| ticket_index.pool(split).len();
        let mut identity = json!({
            "schema": SCHEMA,
            "mission": mission.mission,
            "config_sha256": Digest::of_json(&essence(mission)?)?,
            "tickets_sha256": ticket_index.digest(),
            "tickets": {
                "learn": count(Split::Learn),
                "gate": count(Split::Gate),
                "audit": count(Split::Audit),
                "rejected": ticket_index.rejects().len(),
                "excluded": ticket_index.excluded(),
            },
            "scaffold_sha256": seed.scaffold.digest(),
            "guidance_sha256": seed.guidance.digest(),
            "start": rules::write(&mission.mission, &seed.guidance, &seed.updated_at),
            "decision_prompt_sha256": digest(instructions.decision.as_deref()),
            "ops_prompt_sha256": digest(instructions.ops.as_deref()),
            "model": mission.model(),
            "reflection_model": mission.reflection.model,
            "signature_version": SIGNATURE_VERSION,
            "provost": env!("CARGO_PKG_VERSION"),
        });
        if let Some(fields) = identity.as_object_mut().filter(|_| !mission.edition.is_first()) {
            fields.insert(EDITION.to_owned(), json!(mission.edition));
            fields.insert(GATE.to_owned(), json!(BANK));
        }
        Ok(identity)
    }

    /// Refuses a run that has nothing to learn from.
    pub(super) fn check_pool(&self) -> Result<(), LearnError> {
        let is_empty = self.ticket_index.pool(Split::Learn).is_empty();
        if is_empty { Err(LearnError::NothingToLearn) } else { Ok(()) }
    }

    /// Refuses a mission that wants no gate.
    pub(super) fn check_gate(&self) -> Result<(), LearnError> {
        let is_off = self.mission.gate.mode == GateMode::Off;
        if is_off && !self.mission.edition.is_first() { Err(LearnError::GateOff) } else { Ok(()) }
    }

    /// Refuses a run whose cap on reflection cannot cover the worst case, unless that is meant.
    pub(super) fn check_bound(&self) -> Result<(), LearnError> {
        let Some(cap) = self.mission.reflection.max_calls_per_epoch.map(u64::from) else {
            return Ok(());
        };
        let worst = self.worst_calls();
        if worst <= cap || self.mission.allow_partial {
            return Ok(());
        }
        Err(LearnError::BeyondBudget { worst, cap })
    }

    /// The most calls of reflection that an epoch can need.
    pub(super) fn worst_calls(&self) -> u64 {
        let tickets = u64::try_from(self.ticket_index.pool(Split::Learn).len()).unwrap_or(u64::MAX);
        let reflection = &self.mission.reflection;
        let retries = reflection.retry_budget_per_group_per_epoch;
        closure::worst_calls(tickets, reflection.batch_size, retries)
    }
}

/// The mission without what changes no answer and no verdict.
fn essence(mission: &Mission) -> Result<Value, LearnError> {
    let mut value = serde_json::to_value(mission).map_err(LearnError::encode)?;
    if let Some(fields) = value.as_object_mut() {
        for name in [
            "concurrency",
            "endpoints",
            "resume",
            "allow_partial",
            "source",
            "output",
            "max_malformed",
        ] {
            fields.remove(name);
        }
        fields.insert("group_report".to_owned(), mission.output.group_report.into());
    }
    Ok(value)
}

fn digest(text: Option<&str>) -> Option<Digest> {
    text.map(|it| Digest::of_bytes(it.as_bytes()))
}

/// A part of what a run depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "learn.part")]
pub enum Part {
    #[message(en = "mission", zh = "任务目标")]
    Mission,
    #[message(en = "set of tickets", zh = "工单")]
    Tickets,
    #[message(en = "scaffold", zh = "骨架规则")]
    Scaffold,
    #[message(en = "guidance", zh = "指引")]
    Guidance,
    #[message(en = "set of instructions", zh = "反思指示")]
    Instructions,
    #[message(en = "model", zh = "模型")]
    Model,
    #[message(en = "version of provost", zh = " provost 版本")]
    Version,
}

/// The keys of an identity and what each stands for, in the order in which people look.
const PARTS: [(&str, Part); 13] = [
    ("schema", Part::Version),
    (EDITION, Part::Version),
    (GATE, Part::Version),
    ("mission", Part::Mission),
    ("config_sha256", Part::Mission),
    ("tickets_sha256", Part::Tickets),
    ("tickets", Part::Tickets),
    ("scaffold_sha256", Part::Scaffold),
    ("start", Part::Guidance),
    ("decision_prompt_sha256", Part::Instructions),
    ("ops_prompt_sha256", Part::Instructions),
    ("model", Part::Model),
    ("reflection_model", Part::Model),
];

/// The edition that a run was begun with.
pub(super) fn edition_of(identity: &Value) -> Edition {
    match identity.get(EDITION) {
        None => Edition::First,
        Some(_) => Edition::Second,
    }
}

impl Part {
    /// The first part in which two identities differ.
    pub(super) fn differing(before: &Value, after: &Value) -> Option<Self> {
        if before == after {
            return None;
        }
        let differs = |key: &str| before.get(key) != after.get(key);
        let found = PARTS.into_iter().find(|(key, _)| differs(key));
        Some(found.map_or(Self::Version, |(_, part)| part))
    }
}
