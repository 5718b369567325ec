//! Inspection of a mission: its runs, its rules, its hypotheses, its queue.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    Digest,
    learn::{Answer, Current, Guidance, Label, Resolution, RunName, Scaffold, Spent, TicketKey},
};
use provost_rules_learn::{
    guidance as rules,
    hypothesis::{Event, Pool},
    lifecycle,
    measure::summary::RuleSummary,
    metrics::{Moment, Rate, View},
    signature::signature,
};
use provost_vault::{
    Layout, RealDisk,
    learn::{ArtifactFile, CurrentFileError, RunView, read_current},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    LearnError, Refusal, Report,
    force::{log, scaffold},
    mission_dir::{MissionDir, each, records},
    prepare::{finished, identity_of, judge_seed},
};

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// A process is at work on it.
    Running,
    /// It was ended before its end, and goes on when it is started again.
    Unfinished,
    Finished,
}

/// A mission, and one of its runs in full.
#[derive(Debug)]
pub struct MissionStatus {
    pub mission: String,
    pub in_force: Option<InForce>,
    /// Why it is not known what is in force.
    pub problem: Option<CurrentFileError>,
    pub run: Option<RunStatus>,
    pub runs: BTreeMap<RunName, RunState>,
}

/// What is in force.
#[derive(Clone, Debug, Serialize)]
pub struct InForce {
    pub run: RunName,
    pub step: u64,
    pub rules: usize,
    pub scaffold_sha256: Digest,
    pub guidance_sha256: Digest,
}

/// One run.
#[derive(Debug, Serialize)]
pub struct RunStatus {
    pub run: RunName,
    pub folder: String,
    pub state: RunState,
    pub holder: Option<Worker>,
    /// The epoch of the last call; 0 before the first.
    pub epoch: u32,
    pub calls: u64,
    pub spent: Spent,
    pub guidance_step: u64,
    pub rules: usize,
    /// Each whole epoch, on the tickets that are learned from.
    pub epochs: Vec<EpochStatus>,
    pub report: Option<Report>,
}

/// The process that is at work on a run.
#[derive(Clone, Debug, Serialize)]
pub struct Worker {
    pub pid: u32,
    pub host: String,
    pub since: String,
}

/// One whole epoch.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct EpochStatus {
    pub epoch: u32,
    pub tickets: u64,
    pub accuracy: Option<Rate>,
    pub false_passes: u64,
    pub false_fails: u64,
}

/// The rules of a mission.
#[derive(Debug, Serialize)]
pub struct RuleList {
    pub schema: &'static str,
    pub mission: String,
    /// The run that they come from; none for what every judge begins with.
    pub run: Option<RunName>,
    pub is_in_force: bool,
    pub step: u64,
    pub scaffold_sha256: Digest,
    pub guidance_sha256: Digest,
    pub rules: Vec<RuleRow>,
    #[serde(skip)]
    pub scaffold: Scaffold,
    #[serde(skip)]
    pub guidance: Guidance,
    #[serde(skip)]
    pub updated_at: String,
}

/// One rule, with everything that is known of it.
#[derive(Debug, Serialize)]
pub struct RuleRow {
    pub key: String,
    pub text: String,
    /// Whether nothing may change it.
    pub is_read_only: bool,
    pub sources: Vec<TicketKey>,
    pub hits: u64,
    pub misses: u64,
    pub confidence: Option<f64>,
    pub rationale: Option<String>,
    pub reflection: Option<WrittenBy>,
    /// What labels say of it; none for a rule that nobody measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<RuleSummary>,
}

/// The reflection that wrote a rule.
#[derive(Clone, Debug, Serialize)]
pub struct WrittenBy {
    pub id: String,
    /// Where in the run it was; unknown for a rule of an earlier run.
    pub epoch: Option<u32>,
    pub cycle: Option<u64>,
}

/// A ticket that reflection gave up on, over all epochs of a run.
#[derive(Clone, Debug, Serialize)]
pub struct QueueRow {
    pub ticket_key: TicketKey,
    pub pred_verdict: Option<Label>,
    pub pred_reason: Option<String>,
    pub reason_code: String,
    pub epochs: BTreeSet<u32>,
    pub uncertainty_note: Option<String>,
    /// What a person said of it.
    pub resolution: Option<Resolution>,
}

const RULES: &str = "provost.learn.rules/1";

/// A line of `calls.jsonl`, as far as it is counted.
#[derive(Deserialize)]
struct Call {
    epoch: u32,
    #[serde(default, alias = "answer")]
    reply: Option<Answer>,
}

/// A line of `metrics.jsonl`: the head of every line is passed over.
#[derive(Deserialize)]
struct Metrics {
    event: Moment,
    epoch: u32,
    include_manual_review: View,
}

/// A line of `reflection.jsonl`, as far as a rule names it.
#[derive(Deserialize)]
struct Reflected {
    epoch: u32,
    reflection: ReflectedBody,
}

#[derive(Deserialize)]
struct ReflectedBody {
    reflection_id: String,
    reflection_cycle: u64,
}

/// A line of `stop_gradient_queue.jsonl`.
#[derive(Deserialize)]
struct Stopped {
    ticket_key: TicketKey,
    pred_verdict: Option<Label>,
    pred_reason: Option<String>,
    reason_code: String,
    epoch: u32,
    uncertainty_note: Option<String>,
}

impl MissionDir {
    /// Where the mission stands.
    pub fn status(
        &self,
        layout: &Layout,
        named: Option<&RunName>,
    ) -> Result<MissionStatus, LearnError> {
        let (in_force, problem) = match read_current(&RealDisk, layout, &self.mission) {
            Ok(current) => (current.map(|it| InForce::of(&it)), None),
            Err(error) => (None, Some(error)),
        };
        let mut runs = BTreeMap::new();
        for run in self.begun()? {
            let state = state(&self.view(&run))?;
            runs.insert(run, state);
        }
        let chosen = match (named, runs.is_empty()) {
            (None, true) => None,
            (named, _) => Some(self.choose(named)?),
        };
        let run = chosen.map(|it| self.run_status(it)).transpose()?;
        let mission = self.mission.to_string();
        Ok(MissionStatus { mission, in_force, problem, run, runs })
    }

    /// The rules of a run, or those that are in force.
    pub fn rules(&self, layout: &Layout, named: Option<&RunName>) -> Result<RuleList, LearnError> {
        let current = match named {
            Some(_) => None,
            None => read_current(&RealDisk, layout, &self.mission)?,
        };
        let is_in_force = current.is_some();
        if let Some(current) = current {
            let run = current.run().clone();
            let view = self.view(&run);
            let scaffold =
                if is_own(&view)? { scaffold(&view)? } else { self.judge_scaffold(&run)? };
            if scaffold.digest() != current.scaffold() {
                let path = view.location().path().join("scaffold.json");
                return Err(Refusal::Altered { path }.into());
            }
            return self.list(layout, Some(run), is_in_force, scaffold, current.into_guidance());
        }
        if named.is_none() && self.begun()?.is_empty() && self.mission.judged_type().is_some() {
            let seed = judge_seed();
            return self.list(layout, None, false, seed.scaffold, seed.guidance);
        }
        let run = self.choose(named)?;
        let view = self.view(&run);
        let guidance = rules::replay(&log(&view)?)?;
        self.list(layout, Some(run), false, scaffold(&view)?, guidance)
    }

    /// The hypotheses of a run, without the support of tickets whose label is wrong.
    pub fn hypotheses(&self, named: Option<&RunName>) -> Result<(RunName, Pool), LearnError> {
        let run = self.choose(named)?;
        let resolutions = self.resolutions()?.into_iter();
        let wrong = resolutions.filter(|(_, it)| *it == Resolution::LabelWrong);
        let wrong: BTreeSet<TicketKey> = wrong.map(|(key, _)| key).collect();
        let events: Vec<Event> = records(&self.view(&run), ArtifactFile::HypothesisEvents)?;
        Ok((run, Pool::fold_without(&events, &wrong)))
    }

    /// The tickets that reflection gave up on in a run, each once.
    pub fn queue(&self, named: Option<&RunName>) -> Result<(RunName, Vec<QueueRow>), LearnError> {
        let run = self.choose(named)?;
        let resolutions = self.resolutions()?;
        let mut rows: BTreeMap<TicketKey, QueueRow> = BTreeMap::new();
        each(&self.view(&run), ArtifactFile::StopGradientQueue, |it: Stopped| {
            let mut epochs = rows.remove(&it.ticket_key).map(|it| it.epochs).unwrap_or_default();
            epochs.insert(it.epoch);
            let row = QueueRow {
                resolution: resolutions.get(&it.ticket_key).copied(),
                ticket_key: it.ticket_key.clone(),
                pred_verdict: it.pred_verdict,
                pred_reason: it.pred_reason,
                reason_code: it.reason_code,
                epochs,
                uncertainty_note: it.uncertainty_note,
            };
            rows.insert(it.ticket_key, row);
        })?;
        Ok((run, rows.into_values().collect()))
    }

    fn run_status(&self, run: RunName) -> Result<RunStatus, LearnError> {
        let view = self.view(&run);
        let (mut calls, mut epoch, mut spent) = (0_u64, 0_u32, Spent::default());
        each(&view, ArtifactFile::Calls, |it: Call| {
            calls += 1;
            epoch = it.epoch;
            spent = spent.plus(it.reply.map(|it| it.spent).unwrap_or_default());
        })?;
        let mut epochs = Vec::new();
        each(&view, ArtifactFile::Metrics, |it: Metrics| {
            if it.event == Moment::EpochEnd {
                epochs.push(EpochStatus::of(it.epoch, it.include_manual_review));
            }
        })?;
        let lines = log(&view)?;
        let guidance = if lines.is_empty() { None } else { Some(rules::replay(&lines)?) };
        let holder = view.holder()?.map(|it| Worker {
            pid: it.process.pid,
            host: it.process.host.clone(),
            since: it.since.to_string(),
        });
        Ok(RunStatus {
            folder: view.location().path().into_string(),
            state: state(&view)?,
            holder,
            epoch,
            calls,
            spent,
            guidance_step: guidance.as_ref().map_or(0, |it| it.step),
            rules: guidance.as_ref().map_or(0, |it| it.rules.len()),
            epochs,
            report: finished(&view)?,
            run,
        })
    }

    fn list(
        &self,
        layout: &Layout,
        run: Option<RunName>,
        is_in_force: bool,
        scaffold: Scaffold,
        guidance: Guidance,
    ) -> Result<RuleList, LearnError> {
        let written = self.written_by(run.as_ref())?;
        let known = RuleSummary::all(&self.book(layout)?);
        let fixed = scaffold.rules().iter().map(|(key, text)| RuleRow {
            key: key.to_string(),
            text: text.clone(),
            is_read_only: true,
            sources: Vec::new(),
            hits: 0,
            misses: 0,
            confidence: None,
            rationale: None,
            reflection: None,
            account: None,
        });
        let learned = guidance.rules.iter().map(|(key, rule)| RuleRow {
            key: key.to_string(),
            text: rule.text.clone(),
            is_read_only: false,
            sources: rule.sources.clone(),
            hits: rule.hits,
            misses: rule.misses,
            confidence: Some(lifecycle::confidence(rule.hits, rule.misses)),
            rationale: rule.rationale.clone(),
            reflection: rule.reflection_id.as_ref().map(|id| {
                let at = written.get(id).copied();
                WrittenBy { id: id.clone(), epoch: at.map(|it| it.0), cycle: at.map(|it| it.1) }
            }),
            account: known.iter().find(|it| signature(&it.text) == signature(&rule.text)).cloned(),
        });
        Ok(RuleList {
            schema: RULES,
            mission: self.mission.to_string(),
            is_in_force,
            step: guidance.step,
            scaffold_sha256: scaffold.digest(),
            guidance_sha256: guidance.digest(),
            rules: fixed.chain(learned).collect(),
            updated_at: self.updated_at(run.as_ref())?,
            run,
            scaffold,
            guidance,
        })
    }

    /// Where in a run each reflection was.
    fn written_by(
        &self,
        run: Option<&RunName>,
    ) -> Result<BTreeMap<String, (u32, u64)>, LearnError> {
        let mut written = BTreeMap::new();
        if let Some(run) = run {
            each(&self.view(run), ArtifactFile::Reflection, |it: Reflected| {
                let ReflectedBody { reflection_id, reflection_cycle } = it.reflection;
                written.insert(reflection_id, (it.epoch, reflection_cycle));
            })?;
        }
        Ok(written)
    }

    /// The time that the guidance of a run was given.
    fn updated_at(&self, run: Option<&RunName>) -> Result<String, LearnError> {
        let kept = run.map(|it| identity_of(&self.view(it))).transpose()?.flatten();
        let start = kept.as_ref().and_then(|it| it.get("start")?.get(self.mission.as_str()));
        let at = start.and_then(|it| it.get("updated_at")?.as_str()).map(str::to_owned);
        Ok(at.unwrap_or_else(|| judge_seed().updated_at))
    }

    /// The scaffold of a judge, whose run may be gone; that of any other mission is in its run.
    fn judge_scaffold(&self, run: &RunName) -> Result<Scaffold, LearnError> {
        if self.mission.judged_type().is_some() {
            return Ok(judge_seed().scaffold);
        }
        // A run that is not there says so; one that is there has lost its scaffold.
        let run = self.choose(Some(run))?;
        scaffold(&self.view(&run))
    }
}

impl InForce {
    fn of(current: &Current) -> Self {
        let guidance = current.guidance();
        Self {
            run: current.run().clone(),
            step: guidance.step,
            rules: guidance.rules.len(),
            scaffold_sha256: current.scaffold(),
            guidance_sha256: guidance.digest(),
        }
    }
}

impl EpochStatus {
    fn of(epoch: u32, view: View) -> Self {
        let View { false_fail, false_pass, n, .. } = view;
        let correct = n.saturating_sub(false_fail).saturating_sub(false_pass);
        let accuracy = Rate::new(correct, n);
        Self { epoch, tickets: n, accuracy, false_passes: false_pass, false_fails: false_fail }
    }
}

fn state(view: &RunView) -> Result<RunState, LearnError> {
    Ok(match (finished(view)?, view.holder()?) {
        (_, Some(_)) => RunState::Running,
        (Some(_), None) => RunState::Finished,
        (None, None) => RunState::Unfinished,
    })
}

/// Whether a run has its own scaffold to read.
fn is_own(view: &RunView) -> Result<bool, LearnError> {
    Ok(view.scaffold::<Value>()?.present().is_some())
}
