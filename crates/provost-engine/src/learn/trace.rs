//! Where a rule comes from and what it changed: from the reflection that wrote it over the tickets
//! that support it to the verdicts that became others.

use std::collections::BTreeMap;

use provost_kernel::learn::{Label, RuleKey, RunName, TicketKey};
use provost_rules_learn::{
    gate::Measurement,
    guidance::{self as rules, Cause, Difference, Logged},
};
use provost_vault::{
    Layout, RealDisk,
    learn::{ArtifactFile, read_current},
};
use serde::{Deserialize, Serialize};

use super::{
    LearnError, Refusal,
    force::log,
    mission_dir::{MissionDir, each, missions},
};

/// The story of one rule of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RuleTrace {
    pub schema: &'static str,
    pub mission: String,
    pub run: RunName,
    pub key: RuleKey,
    /// Each text that the rule had, and how it came to it or was removed.
    pub changes: Vec<RuleChange>,
    /// The tickets that support its last text.
    pub sources: Vec<TicketKey>,
    pub flips: Vec<Flip>,
}

/// One change of a rule.
#[derive(Clone, Debug, Serialize)]
pub struct RuleChange {
    pub step: u64,
    pub cause: Cause,
    /// Nothing where the rule was removed.
    pub text: Option<String>,
    pub rationale: Option<String>,
    pub reflection: Option<ReflectionTrace>,
}

/// What a reflection said, and what the gate said of it.
#[derive(Clone, Debug, Serialize)]
pub struct ReflectionTrace {
    pub id: String,
    pub epoch: u32,
    pub cycle: u64,
    /// What the decision pass noticed.
    pub decision: String,
    /// What the ops pass noticed.
    pub evidence: String,
    pub gate: Vec<GateTrace>,
}

/// One decision of the gate.
#[derive(Clone, Debug, Serialize)]
pub struct GateTrace {
    pub change: String,
    pub accepted: bool,
    pub wins: u64,
    pub losses: u64,
}

/// A ticket whose verdict was another one before the rule took effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flip {
    pub ticket_key: TicketKey,
    pub before: Option<Label>,
    pub after: Option<Label>,
    /// Whether the rule cites the ticket.
    pub is_source: bool,
}

/// Two states of guidance, compared.
#[derive(Clone, Debug, Serialize)]
pub struct GuidanceDiff {
    pub schema: &'static str,
    pub mission: String,
    pub run: RunName,
    pub from: u64,
    /// The step that it is compared with; nothing for what is in force.
    pub to: Option<u64>,
    pub differences: Vec<Difference>,
}

const WHY: &str = "provost.learn.why/1";
const DIFF: &str = "provost.learn.diff/1";

/// A line of `selections.jsonl`, as far as it is compared.
#[derive(Deserialize)]
struct Selected {
    ticket_key: TicketKey,
    result: SelectedResult,
}

#[derive(Deserialize)]
struct SelectedResult {
    verdict: Option<Label>,
    guidance_step: u64,
}

/// The last verdict on a ticket before a step, and since; nothing where it was not judged.
#[derive(Default)]
struct Judged {
    before: Option<Verdict>,
    after: Option<Verdict>,
}

/// What the votes came to.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Verdict(Option<Label>);

/// A line of `reflection.jsonl`.
#[derive(Deserialize)]
struct Reflected {
    epoch: u32,
    reflection: ReflectedBody,
}

#[derive(Deserialize)]
struct ReflectedBody {
    reflection_id: String,
    reflection_cycle: u64,
    proposal: Said,
    #[serde(default)]
    measured: Vec<Measured>,
}

#[derive(Deserialize)]
struct Said {
    summary: String,
    critique: String,
}

#[derive(Deserialize)]
struct Measured {
    change: String,
    gate_run: Option<u64>,
    accepted: bool,
}

/// A line of `gate_runs.jsonl`.
#[derive(Deserialize)]
struct GateRun {
    seq: u64,
    /// Absent since 0.1.0, where the ledger of the mission says what was measured.
    #[serde(default)]
    measurement: Option<Measurement>,
}

impl MissionDir {
    /// The only mission of a home, for a person who named none.
    pub fn only(layout: &Layout) -> Result<Self, LearnError> {
        match missions(layout).as_slice() {
            [only] => Self::named(layout, only.as_str()),
            several => {
                let known: Vec<String> = several.iter().map(|it| format!("`{it}`")).collect();
                Err(Refusal::WhichMission { known: known.join(", ") }.into())
            }
        }
    }

    /// Why a rule is there, in a run or in the one that is in force.
    pub fn why(
        &self,
        layout: &Layout,
        named: Option<&RunName>,
        key: RuleKey,
    ) -> Result<RuleTrace, LearnError> {
        let run = self.in_question(layout, named)?;
        let lines = log(&self.view(&run))?;
        rules::replay(&lines)?;
        let reflections = self.reflections(&run)?;
        let changes = changes(&lines, key, &reflections);
        let Some(first) = changes.first().map(|it| it.step) else {
            let (mission, rule) = (self.mission.clone(), key.to_string());
            return Err(Refusal::NoRule { mission, rule }.into());
        };
        let sets = lines.iter().rev().filter_map(|it| it.set.get(&key));
        let sources = sets.map(|it| it.sources.clone()).next().unwrap_or_default();
        Ok(RuleTrace {
            schema: WHY,
            mission: self.mission.to_string(),
            key,
            flips: self.flips(&run, first, &sources)?,
            changes,
            sources,
            run,
        })
    }

    /// What changed from one step of a run to another, or to what is in force.
    pub fn diff(
        &self,
        layout: &Layout,
        named: Option<&RunName>,
        from: u64,
        to: Option<u64>,
    ) -> Result<GuidanceDiff, LearnError> {
        let run = self.in_question(layout, named)?;
        let lines = log(&self.view(&run))?;
        let before = rules::rebuild(&lines, from)?;
        let current = match (named, to) {
            (None, None) => read_current(&RealDisk, layout, &self.mission)?,
            (Some(_), _) | (_, Some(_)) => None,
        };
        let (to, after) = match (current, to) {
            (Some(current), _) => (None, current.into_guidance()),
            (None, Some(step)) => (Some(step), rules::rebuild(&lines, step)?),
            (None, None) => {
                let last = rules::replay(&lines)?;
                (Some(last.step), last)
            }
        };
        Ok(GuidanceDiff {
            schema: DIFF,
            mission: self.mission.to_string(),
            differences: rules::differences(&before, &after),
            run,
            from,
            to,
        })
    }

    /// The run that is asked about: the one that is named, that is in force, or that ran last.
    fn in_question(&self, layout: &Layout, named: Option<&RunName>) -> Result<RunName, LearnError> {
        if named.is_none()
            && let Some(current) = read_current(&RealDisk, layout, &self.mission)?
        {
            return self.choose(Some(current.run()));
        }
        self.choose(named)
    }

    /// Every reflection of a run, by its id.
    fn reflections(&self, run: &RunName) -> Result<BTreeMap<String, ReflectionTrace>, LearnError> {
        let view = self.view(run);
        let mut gate = BTreeMap::new();
        each(&view, ArtifactFile::GateRuns, |it: GateRun| {
            if let Some(it_was) = it.measurement {
                gate.insert(it.seq, (it_was.wins, it_was.losses));
            }
        })?;
        let mut reflections = BTreeMap::new();
        each(&view, ArtifactFile::Reflection, |it: Reflected| {
            let body = it.reflection;
            let measured = body.measured.into_iter().filter_map(|it| {
                let (wins, losses) = *gate.get(&it.gate_run?)?;
                Some(GateTrace { change: it.change, accepted: it.accepted, wins, losses })
            });
            let trace = ReflectionTrace {
                id: body.reflection_id.clone(),
                epoch: it.epoch,
                cycle: body.reflection_cycle,
                decision: body.proposal.summary,
                evidence: body.proposal.critique,
                gate: measured.collect(),
            };
            reflections.insert(body.reflection_id, trace);
        })?;
        Ok(reflections)
    }

    /// The tickets whose last verdict before a step is another one than their last since.
    pub(super) fn flips(
        &self,
        run: &RunName,
        step: u64,
        sources: &[TicketKey],
    ) -> Result<Vec<Flip>, LearnError> {
        let mut verdicts: BTreeMap<TicketKey, Judged> = BTreeMap::new();
        each(&self.view(run), ArtifactFile::Selections, |it: Selected| {
            let judged = verdicts.entry(it.ticket_key).or_default();
            let is_before = it.result.guidance_step < step;
            let side = if is_before { &mut judged.before } else { &mut judged.after };
            *side = Some(Verdict(it.result.verdict));
        })?;
        let flip = |(ticket_key, judged): (TicketKey, Judged)| {
            let (before, after) = (judged.before?, judged.after?);
            let is_source = sources.contains(&ticket_key);
            let flip = Flip { ticket_key, before: before.0, after: after.0, is_source };
            (before != after).then_some(flip)
        };
        Ok(verdicts.into_iter().filter_map(flip).collect())
    }
}

/// Every change of a rule's text, in order. An update of its hit counts is not a change.
fn changes(
    lines: &[Logged],
    key: RuleKey,
    reflections: &BTreeMap<String, ReflectionTrace>,
) -> Vec<RuleChange> {
    let mut changes: Vec<RuleChange> = Vec::new();
    for line in lines {
        let (text, rationale, written_by) = match line.set.get(&key) {
            Some(rule) => {
                (Some(rule.text.clone()), rule.rationale.clone(), rule.reflection_id.as_ref())
            }
            None if line.removed.contains(&key) => (None, None, None),
            None => continue,
        };
        // What the ledger put in force was written by a reflection long before.
        let written_by = written_by.or(line.reflection_id.as_ref());
        if changes.last().is_some_and(|it| it.text == text) {
            continue;
        }
        changes.push(RuleChange {
            step: line.step_after,
            cause: line.cause,
            text,
            rationale,
            reflection: written_by.and_then(|it| reflections.get(it).cloned()),
        });
    }
    changes
}
