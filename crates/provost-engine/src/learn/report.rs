//! What a run came to, for people and for a page.

use provost_kernel::{
    Digest,
    learn::{GateMode, MissionName, RuleKey, Spent, TicketKey},
};
use provost_rules_learn::{
    census::ClassCounts,
    hypothesis::Status,
    lifecycle,
    measure::summary::Summary,
    metrics::{Figures, Tally},
};
use serde::{Deserialize, Serialize};

use super::{Run, gate::Gate};

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// Every epoch was gone through.
    Epochs,
    /// An epoch changed nothing.
    Converged,
    /// The budget is spent.
    Budget,
}

/// What a run came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    pub schema: String,
    pub mission: MissionName,
    pub stop: Stop,
    /// What counts: the audit pool if there is one, else the tickets that were learned from.
    pub measured_on: MeasuredOn,
    pub before: Figures,
    pub after: Figures,
    pub epochs: Vec<EpochReport>,
    pub gate: GateReport,
    /// What was measured; none in a run of 0.1.0, whose rules are not put in force any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Summary>,
    pub rules: Vec<RuleReport>,
    pub hypotheses: HypothesisCounts,
    pub calls: u64,
    /// Of `calls.jsonl`, each line chained to those before it.
    pub calls_sha256: Digest,
    pub spent: Spent,
    pub guidance_step: u64,
    pub guidance_sha256: Digest,
    pub scaffold_sha256: Digest,
    pub rejected_lines: usize,
}

/// On which tickets before and after were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeasuredOn {
    /// Sealed until the end of the run.
    Audit,
    /// The first and the last epoch: tickets that were learned from, so the figures flatter.
    Learn,
    /// The same, because the budget was spent before the audit pool could be asked.
    Unaudited,
}

/// One epoch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EpochReport {
    pub epoch: u32,
    pub classes: ClassCounts,
    pub figures: Figures,
    /// Without tickets that failed or were given up. It looks better than it is.
    pub without_given_up: Figures,
    pub reflection_calls: u64,
    pub changes: u64,
    pub promotions: u32,
    pub removed: u64,
    pub guidance_step: u64,
    pub rules: usize,
    #[serde(skip)]
    pub has_changed: bool,
}

/// What the gate did.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct GateReport {
    pub mode: GateMode,
    /// How many labels count; in a run of 0.1.0, how many tickets were kept for the gate.
    pub tickets: usize,
    /// How many rules have an account; in a run of 0.1.0, how many decisions were taken.
    pub decisions: u32,
}

/// One rule at the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RuleReport {
    pub key: RuleKey,
    pub text: String,
    pub sources: Vec<TicketKey>,
    pub hits: u64,
    pub misses: u64,
    pub confidence: f64,
    pub expectation: f64,
}

/// How many hypotheses stand where.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct HypothesisCounts {
    pub candidate: u64,
    pub shadow: u64,
    pub promoted: u64,
    pub rejected: u64,
    pub retired: u64,
}

const SCHEMA: &str = "provost.learn.report/1";

impl Run<'_> {
    /// What the run came to.
    pub(super) fn report(
        &self,
        epochs: Vec<EpochReport>,
        stop: Stop,
        audit: Option<(Tally, Tally)>,
        has_audit: bool,
    ) -> Report {
        let none = Tally::default().figures();
        let (measured_on, before, after) = match audit {
            Some((before, after)) => (MeasuredOn::Audit, before.figures(), after.figures()),
            None => (
                if has_audit { MeasuredOn::Unaudited } else { MeasuredOn::Learn },
                epochs.first().map_or(none, |it| it.figures),
                epochs.last().map_or(none, |it| it.figures),
            ),
        };
        Report {
            schema: SCHEMA.to_owned(),
            mission: self.setup.mission.mission.clone(),
            stop,
            measured_on,
            before,
            after,
            epochs,
            gate: self.gate_report(),
            measured: self.gate.as_ref().map(Gate::summary),
            rules: self.rules(),
            hypotheses: self.hypotheses(),
            calls: self.calls.count(),
            calls_sha256: self.calls.digest(),
            spent: self.calls.spent(),
            guidance_step: self.guidance.step,
            guidance_sha256: self.guidance.digest(),
            scaffold_sha256: self.setup.seed.scaffold.digest(),
            rejected_lines: self.setup.ticket_index.rejects().len(),
        }
    }

    fn gate_report(&self) -> GateReport {
        let Some(gate) = &self.gate else {
            return GateReport {
                mode: self.first_gate.mode,
                tickets: self.first_gate.tickets().len(),
                decisions: self.first_gate.decisions(),
            };
        };
        let mode = match self.setup.mission.gate.mode {
            GateMode::Shadow => GateMode::Shadow,
            GateMode::Auto | GateMode::Enforce | GateMode::Off => GateMode::Enforce,
        };
        let Summary { counted, rules, .. } = gate.summary();
        GateReport {
            mode,
            tickets: usize::try_from(counted).unwrap_or(usize::MAX),
            decisions: u32::try_from(rules.len()).unwrap_or(u32::MAX),
        }
    }

    fn rules(&self) -> Vec<RuleReport> {
        let rules = self.guidance.rules.iter().map(|(key, rule)| RuleReport {
            key: *key,
            text: rule.text.clone(),
            sources: rule.sources.clone(),
            hits: rule.hits,
            misses: rule.misses,
            confidence: lifecycle::confidence(rule.hits, rule.misses),
            expectation: lifecycle::expectation(rule.hits, rule.misses),
        });
        rules.collect()
    }

    fn hypotheses(&self) -> HypothesisCounts {
        let mut counts = HypothesisCounts::default();
        for record in self.pool.records().values() {
            *match record.status {
                Status::Candidate => &mut counts.candidate,
                Status::Shadow => &mut counts.shadow,
                Status::Promoted => &mut counts.promoted,
                Status::Rejected => &mut counts.rejected,
                Status::Retired => &mut counts.retired,
            } += 1;
        }
        counts
    }
}
