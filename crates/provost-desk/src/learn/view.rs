//! Learning as people read it: rules in force with their evidence, the gate's arithmetic, how far
//! judge and people agree, and what waits for a person.

use provost_kernel::{
    Actor, RequestId, TaskId, Text, Timestamp,
    learn::{MissionName, Resolution, RunName},
    task::TaskType,
};
use provost_rules_learn::{
    agreement::{Agreement, Caveat, agreement},
    metrics::Rate,
    review::opinions,
};
use provost_vault::{FileError, audit::More};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::{Desk, PageError, PortError};

/// What the binary does about missions: the same functions that its commands call.
pub trait LearnPort: Send + Sync {
    /// The missions of the home, and those of judges that people have reviewed.
    fn missions(&self, desk: &Desk) -> Result<Vec<MissionLine>, PortError>;

    /// One mission in full, without agreement and steps.
    fn mission(&self, desk: &Desk, name: &str) -> Result<MissionView, PortError>;

    /// Puts an earlier step in force again.
    fn roll_back(
        &self,
        desk: &Desk,
        by: (&Actor, Option<&RequestId>),
        mission: &str,
        step: u64,
    ) -> Result<RollingBack, PortError>;

    /// Keeps a person's word on a ticket.
    fn resolve(
        &self,
        desk: &Desk,
        by: (&Actor, Option<&RequestId>),
        mission: &str,
        key: &str,
        resolution: Resolution,
    ) -> Result<Resolving, PortError>;
}

/// Everything that is learned here.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LearnBoard {
    pub missions: Vec<MissionLine>,
    /// How far each judge agrees with people, where anybody reviewed anything.
    pub agreements: Vec<AgreementView>,
}

/// One mission in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MissionLine {
    pub mission: String,
    /// The type whose judge it teaches.
    pub task_type: Option<TaskType>,
    /// The step that is in force; none where nothing is.
    pub step: Option<u64>,
    pub rules: usize,
    pub runs: usize,
    /// `running`, `unfinished` or `finished`; none before the first run.
    pub state: Option<&'static str>,
    /// Tickets that wait for a person.
    pub queue: usize,
    /// Why it cannot be read.
    pub problem: Option<Text>,
}

/// One mission in full.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct MissionView {
    pub mission: String,
    pub task_type: Option<TaskType>,
    pub is_in_force: bool,
    pub step: u64,
    pub rules: Vec<RuleView>,
    pub runs: Vec<LearnRun>,
    /// The run that is shown.
    pub run: Option<String>,
    pub epochs: Vec<EpochView>,
    /// How many labels were read in the life of the mission, and how many of them count for rules
    /// that are younger.
    pub labels: u64,
    pub counted: u64,
    /// What labels say of each rule, the newest first.
    pub accounts: Vec<AccountView>,
    /// The decisions of the gate in runs of 0.1.0, the newest first.
    pub gate: Vec<GateRunView>,
    pub gate_mode: Option<String>,
    pub hypotheses: Vec<HypothesisView>,
    pub queue: Vec<QueueView>,
    /// The steps that can be gone back to, the newest first.
    pub back_to: Vec<u64>,
    pub steps: Vec<StepView>,
    pub agreement: Option<AgreementView>,
    /// What could not be read: the rest is shown all the same.
    pub problems: Vec<Text>,
}

/// One rule.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RuleView {
    pub key: String,
    pub text: String,
    /// Part of the scaffold: nothing may change it.
    pub is_fixed: bool,
    pub hits: u64,
    pub misses: u64,
    pub confidence: Option<f64>,
    pub sources: Vec<String>,
    pub rationale: Option<String>,
    pub written_by: Option<String>,
    pub epoch: Option<u32>,
    pub cycle: Option<u64>,
}

/// One run in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LearnRun {
    pub run: RunName,
    pub state: &'static str,
}

/// One whole epoch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EpochView {
    pub epoch: u32,
    pub tickets: u64,
    pub accuracy: Option<Share>,
    pub false_passes: u64,
    pub false_fails: u64,
}

/// A share with its interval at 95 %.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Share {
    pub of: u64,
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// What labels say of one rule.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AccountView {
    /// What people call it, such as `h7`.
    pub name: String,
    pub text: String,
    /// `better`, or `not_worse` for a rule that is to be removed.
    pub claim: String,
    /// `shadow`, `offered`, `measured`, `adopted` or `retired`.
    pub standing: String,
    pub wins: u32,
    pub losses: u32,
    pub e_value: f64,
    /// The e-value at which it takes effect; none for what bets no more.
    pub bound: Option<f64>,
    /// How many more wins, without a loss, would prove it.
    pub wins_to_proof: Option<u32>,
}

/// One decision of the gate, with every number that it rests on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GateRunView {
    pub decision: u32,
    pub change: String,
    /// `improvement` or `removal`.
    pub aim: String,
    pub mode: String,
    pub tickets: u64,
    pub wins: u64,
    pub losses: u64,
    pub false_passes_before: u64,
    pub false_passes_after: u64,
    pub e_value: f64,
    /// What it has to reach.
    pub bound: f64,
    pub alpha: f64,
    pub is_accepted: bool,
    pub refusals: Vec<String>,
}

/// Something that was proposed as a rule.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HypothesisView {
    pub text: String,
    pub falsifier: String,
    pub status: String,
    pub tickets: usize,
    pub cycles: usize,
}

/// A ticket that nothing could be learned from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct QueueView {
    pub key: String,
    pub reason: String,
    pub verdict: Option<String>,
    pub said: Option<String>,
    pub note: Option<String>,
    pub epochs: Vec<u32>,
    pub resolution: Option<Resolution>,
}

/// What was put in force, by whom.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepView {
    pub at: Timestamp,
    /// `learn.adopt`, `learn.rollback` or `learn.resolve`.
    pub action: String,
    pub actor: String,
    pub step: Option<u64>,
    pub about: Option<String>,
}

/// How far a judge agrees with people.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgreementView {
    pub task_type: TaskType,
    pub mission: MissionName,
    pub n: u64,
    pub true_pass: u64,
    pub true_fail: u64,
    pub false_pass: u64,
    pub false_fail: u64,
    pub accuracy: Option<Share>,
    pub true_pass_rate: Option<Share>,
    pub true_fail_rate: Option<Share>,
    pub kappa: Option<f64>,
    /// Labels given before the verdict was seen.
    pub blind: u64,
    /// What people would accept of what the judge passes.
    pub corrected: Option<f64>,
    pub corrected_low: Option<f64>,
    pub corrected_high: Option<f64>,
    pub left_out: u64,
    /// What keeps a figure from meaning what it seems to: words.
    pub caveats: Vec<&'static str>,
    pub unreadable: Vec<TaskId>,
}

/// What became of a step back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RollingBack {
    pub mission: String,
    pub run: String,
    pub changed: bool,
    pub to_step: u64,
    pub step: u64,
    pub rules: usize,
}

/// What became of a word on a ticket.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Resolving {
    pub mission: String,
    pub ticket_key: String,
    pub resolution: Resolution,
    pub changed: bool,
    /// Whether later runs leave the ticket out.
    pub left_out: bool,
}

/// So many steps are shown.
const STEPS: usize = 30;

impl Desk {
    /// Every mission, and how far each judge agrees with people.
    pub fn learn_board(&self, port: &dyn LearnPort) -> Result<LearnBoard, PortError> {
        let mut agreements = Vec::new();
        for &task_type in TaskType::ALL {
            let found = self.agreement_view(task_type)?;
            agreements.extend(Some(found).filter(|it| it.n > 0 || it.left_out > 0));
        }
        Ok(LearnBoard { missions: port.missions(self)?, agreements })
    }

    /// One mission in full.
    pub fn mission_view(&self, port: &dyn LearnPort, name: &str) -> Result<MissionView, PortError> {
        let mut view = port.mission(self, name)?;
        view.steps = self.steps(name)?;
        if let Some(task_type) = view.task_type {
            let found = self.agreement_view(task_type)?;
            view.agreement = Some(found).filter(|it| it.n > 0 || it.left_out > 0);
        }
        Ok(view)
    }

    /// How far the judge of a type agrees with people. Nothing is written.
    fn agreement_view(&self, task_type: TaskType) -> Result<AgreementView, FileError> {
        let labels = self.labels_seen(task_type)?;
        let Agreement { all, blind, left_out, acceptance, caveats, .. } =
            agreement(&opinions(&labels.log), labels.verdicts.all());
        Ok(AgreementView {
            task_type,
            mission: MissionName::of_judge(task_type),
            n: all.n,
            true_pass: all.tally.true_pass,
            true_fail: all.tally.true_fail,
            false_pass: all.tally.false_pass,
            false_fail: all.tally.false_fail,
            accuracy: all.accuracy.map(Share::from),
            true_pass_rate: all.true_pass_rate.map(Share::from),
            true_fail_rate: all.true_fail_rate.map(Share::from),
            kappa: all.kappa,
            blind: blind.n,
            corrected: acceptance.map(|it| it.corrected),
            corrected_low: acceptance.map(|it| it.low),
            corrected_high: acceptance.map(|it| it.high),
            left_out,
            caveats: caveats.into_iter().map(caveat).collect(),
            unreadable: labels.unreadable,
        })
    }

    /// What people and runs put in force, from the audit chain.
    fn steps(&self, mission: &str) -> Result<Vec<StepView>, PageError> {
        let subject = format!("mission:{mission}");
        let mut steps = Vec::new();
        self.read_chain(None, |line| {
            let Some(entry) = line.entry else { return More::Yes };
            // A request is on record apart from what it put in force.
            // The ledger of accounts has its own place.
            let is_step = entry.action.starts_with("learn.")
                && entry.action != "learn.account"
                && !entry.action.ends_with(".requested");
            if entry.subject == subject && is_step {
                let text = |name: &str| entry.detail.get(name).and_then(Value::as_str);
                let about = match (text("ticket_key"), text("as")) {
                    (Some(key), Some(word)) => Some(format!("{key}: {word}")),
                    _ => None,
                };
                steps.push(StepView {
                    at: entry.at,
                    step: entry.detail.pointer("/new/step").and_then(Value::as_u64),
                    about,
                    action: entry.action,
                    actor: entry.actor.to_string(),
                });
            }
            if steps.len() >= STEPS { More::No } else { More::Yes }
        })?;
        Ok(steps)
    }
}

impl From<Rate> for Share {
    fn from(Rate { of, value, low, high }: Rate) -> Self {
        Self { of, value, low, high }
    }
}

fn caveat(it: Caveat) -> &'static str {
    match it {
        Caveat::NoHumanLabels => "no_human_labels",
        Caveat::OnlyPassesReviewed => "only_passes_reviewed",
        Caveat::OnlyFailsReviewed => "only_fails_reviewed",
        Caveat::FewLabels => "few_labels",
        Caveat::NoneBlind => "none_blind",
        Caveat::NotBetterThanChance => "not_better_than_chance",
    }
}
