//! What a desk asks of the engine about missions: the functions that the commands call.

use provost_desk::{
    Desk, PortError,
    learn::{
        AccountView, EpochView, GateRunView, HypothesisView, LearnPort, LearnRun, MissionLine,
        MissionView, QueueView, Resolving, RollingBack, RuleView, Share,
    },
};
use provost_kernel::{
    Actor, Message as _, RequestId, Text,
    learn::{GateMode, MissionName, Resolution, RunName, TicketKey},
    task::TaskType,
};
use provost_rules_learn::{gate::Measurement, measure::summary::RuleSummary};
use provost_vault::{
    Layout, RealDisk,
    learn::{ArtifactFile, read_current},
};
use serde::{Deserialize, Serialize};

use super::{
    GuidanceStore, LearnError, MissionDir, QueueRow, RuleRow, RunState,
    force::log,
    mission_dir::{missions, records},
};

/// The missions of a home.
#[derive(Clone, Copy, Debug)]
pub struct Missions;

/// A line of `gate_runs.jsonl`, as far as it is shown. Only runs of 0.1.0 have decisions.
#[derive(Deserialize)]
struct GateLine {
    change: Option<String>,
    mode: Option<GateMode>,
    measurement: Option<Measurement>,
}

/// So many decisions, hypotheses and tickets are shown.
const SHOWN: usize = 100;
/// So many tickets are named for a rule.
const SOURCES: usize = 20;

impl LearnPort for Missions {
    fn missions(&self, desk: &Desk) -> Result<Vec<MissionLine>, PortError> {
        let layout = desk.layout();
        let mut names: Vec<MissionName> = missions(layout);
        for &task_type in TaskType::ALL {
            let judge = MissionName::of_judge(task_type);
            let is_known = names.contains(&judge);
            let is_taught = read_current(&RealDisk, layout, &judge).is_ok_and(|it| it.is_some());
            names.extend((is_taught && !is_known).then_some(judge));
        }
        names.sort();
        Ok(names.iter().map(|it| line(layout, it)).collect())
    }

    fn mission(&self, desk: &Desk, name: &str) -> Result<MissionView, PortError> {
        let layout = desk.layout();
        let dir = MissionDir::named(layout, name)?;
        let mut view = MissionView {
            mission: dir.mission.to_string(),
            task_type: dir.mission.judged_type(),
            ..MissionView::default()
        };
        // What cannot be read is named, and the rest is shown.
        let mut noted: Vec<Text> = Vec::new();
        match dir.rules(layout, None) {
            Ok(list) => {
                view.is_in_force = list.is_in_force;
                view.step = list.step;
                view.rules = list.rules.into_iter().map(rule).collect();
            }
            Err(error) => noted.push(error.text()),
        }
        match dir.verify(layout) {
            Ok(ledger) => {
                (view.labels, view.counted) = (ledger.summary.labels, ledger.summary.counted);
                view.accounts = ledger.summary.rules.into_iter().rev().map(account).collect();
            }
            Err(error) => noted.push(error.text()),
        }
        match dir.status(layout, None) {
            Ok(status) => {
                noted.extend(status.problem.map(|it| it.text()));
                let runs = status.runs.into_iter();
                view.runs = runs.map(|(run, it)| LearnRun { run, state: state(it) }).collect();
                if let Some(run) = status.run {
                    view.epochs = run
                        .epochs
                        .iter()
                        .map(|it| EpochView {
                            epoch: it.epoch,
                            tickets: it.tickets,
                            accuracy: it.accuracy.map(Share::from),
                            false_passes: it.false_passes,
                            false_fails: it.false_fails,
                        })
                        .collect();
                    view.gate_mode = run.report.as_ref().map(|it| word(&it.gate.mode));
                    view.run = Some(run.run.to_string());
                }
            }
            Err(error) => noted.push(error.text()),
        }
        if let Some(run) = view.run.as_ref().and_then(|it| it.parse::<RunName>().ok()) {
            noted.extend(of_run(&dir, &run, &mut view).err().map(|it| it.text()));
        }
        view.problems = noted;
        Ok(view)
    }

    fn roll_back(
        &self,
        desk: &Desk,
        (actor, request_id): (&Actor, Option<&RequestId>),
        mission: &str,
        step: u64,
    ) -> Result<RollingBack, PortError> {
        let dir = MissionDir::named(desk.layout(), mission)?;
        let store = GuidanceStore { layout: desk.layout(), clock: desk.clock(), actor, request_id };
        let done = store.roll_back(&dir, None, step)?;
        Ok(RollingBack {
            mission: dir.mission.to_string(),
            run: done.run.to_string(),
            changed: done.is_changed,
            to_step: step,
            step: done.guidance.step,
            rules: done.guidance.rules.len(),
        })
    }

    fn resolve(
        &self,
        desk: &Desk,
        (actor, request_id): (&Actor, Option<&RequestId>),
        mission: &str,
        key: &str,
        resolution: Resolution,
    ) -> Result<Resolving, PortError> {
        let dir = MissionDir::named(desk.layout(), mission)?;
        let key: TicketKey = key.parse()?;
        let store = GuidanceStore { layout: desk.layout(), clock: desk.clock(), actor, request_id };
        let changed = store.resolve(&dir, &key, resolution)?;
        Ok(Resolving {
            mission: dir.mission.to_string(),
            ticket_key: key.to_string(),
            resolution,
            changed,
            left_out: resolution.leaves_out(),
        })
    }
}

/// One mission in a list; what cannot be read of it is said there.
fn line(layout: &Layout, name: &MissionName) -> MissionLine {
    let mut line = MissionLine {
        mission: name.to_string(),
        task_type: name.judged_type(),
        step: None,
        rules: 0,
        runs: 0,
        state: None,
        queue: 0,
        problem: None,
    };
    let read = || -> Result<MissionLine, LearnError> {
        let dir = MissionDir::named(layout, name.as_str())?;
        let status = dir.status(layout, None)?;
        let shown = status.run.as_ref().map(|it| it.run.clone());
        let waiting = match &shown {
            Some(run) => {
                let (_, rows) = dir.queue(Some(run))?;
                rows.iter().filter(|it| it.resolution.is_none()).count()
            }
            None => 0,
        };
        Ok(MissionLine {
            step: status.in_force.as_ref().map(|it| it.step),
            rules: status.in_force.as_ref().map_or(0, |it| it.rules),
            runs: status.runs.len(),
            state: status.run.as_ref().map(|it| state(it.state)),
            queue: waiting,
            problem: status.problem.map(|it| it.text()),
            ..line.clone()
        })
    };
    match read() {
        Ok(found) => found,
        Err(error) => {
            line.problem = Some(error.text());
            line
        }
    }
}

/// What one run has to say.
fn of_run(dir: &MissionDir, run: &RunName, view: &mut MissionView) -> Result<(), LearnError> {
    let at = dir.view(run);
    let mut lines: Vec<GateLine> = records(&at, ArtifactFile::GateRuns)?;
    lines.reverse();
    view.gate = lines.into_iter().filter_map(gate).take(SHOWN).collect();
    let (_, pool) = dir.hypotheses(Some(run))?;
    view.hypotheses = pool
        .records()
        .values()
        .take(SHOWN)
        .map(|it| {
            let human: Vec<_> = it.cited.values().filter(|it| it.human).collect();
            let cycles: std::collections::BTreeSet<u64> =
                human.iter().map(|it| it.cycle_root).collect();
            HypothesisView {
                text: it.text.clone(),
                falsifier: it.falsifier.clone(),
                status: word(&it.status),
                tickets: human.len(),
                cycles: cycles.len(),
            }
        })
        .collect();
    let (_, queue) = dir.queue(Some(run))?;
    view.queue = queue.into_iter().take(SHOWN).map(queued).collect();
    let newest = log(&at)?.last().map_or(0, |it| it.step_after);
    view.back_to = (0..=newest).rev().take(SHOWN).collect();
    Ok(())
}

fn rule(it: RuleRow) -> RuleView {
    RuleView {
        key: it.key,
        text: it.text,
        is_fixed: it.is_read_only,
        hits: it.hits,
        misses: it.misses,
        confidence: it.confidence,
        sources: it.sources.iter().take(SOURCES).map(ToString::to_string).collect(),
        rationale: it.rationale,
        epoch: it.reflection.as_ref().and_then(|it| it.epoch),
        cycle: it.reflection.as_ref().and_then(|it| it.cycle),
        written_by: it.reflection.map(|it| it.id),
    }
}

fn account(it: RuleSummary) -> AccountView {
    AccountView {
        claim: word(&it.claim),
        standing: word(&it.standing),
        name: it.name,
        text: it.text,
        wins: it.wins,
        losses: it.losses,
        e_value: it.e_value,
        bound: it.bound,
        wins_to_proof: it.wins_to_proof,
    }
}

fn gate(GateLine { change, mode, measurement }: GateLine) -> Option<GateRunView> {
    let (change, mode, it) = (change?, mode?, measurement?);
    Some(GateRunView {
        decision: it.decision,
        change,
        aim: word(&it.aim),
        mode: word(&mode),
        tickets: it.tickets,
        wins: it.wins,
        losses: it.losses,
        false_passes_before: it.false_passes_before,
        false_passes_after: it.false_passes_after,
        e_value: it.e_value,
        bound: if it.alpha > 0.0 { 1.0 / it.alpha } else { 0.0 },
        alpha: it.alpha,
        is_accepted: it.accepted,
        refusals: it.refusals.iter().map(word).collect(),
    })
}

fn queued(it: QueueRow) -> QueueView {
    QueueView {
        key: it.ticket_key.to_string(),
        reason: it.reason_code,
        verdict: it.pred_verdict.map(|it| word(&it)),
        said: it.pred_reason,
        note: it.uncertainty_note,
        epochs: it.epochs.into_iter().collect(),
        resolution: it.resolution,
    }
}

fn state(it: RunState) -> &'static str {
    match it {
        RunState::Running => "running",
        RunState::Unfinished => "unfinished",
        RunState::Finished => "finished",
    }
}

/// The word that a value has in a file.
fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().map(str::to_owned).unwrap_or_default()
}
