//! The gate of 0.1.0, for runs and recordings of that time: a change is measured on tickets that were
//! not learned from, before it takes effect. What such a run comes to is shown, and is not put in
//! force: see [`super::gate`] for what measures rules since.

use std::collections::BTreeSet;

use provost_kernel::{
    Digest,
    learn::{CallKind, GateMode, Guidance, Label, Mission, Split},
};
use provost_rules_learn::gate::{self, Aim, LabelCounts, Looks, Measurement, Pair};
use serde::Serialize;

use super::{LearnError, Run, TicketIndex, ledger::Book};

/// What the gate of a run has seen so far.
#[derive(Debug)]
pub(super) struct FirstGate {
    pub mode: GateMode,
    tickets: Vec<usize>,
    looks: Looks,
    decisions: u32,
    /// Operations that were refused: they are not measured again, and spend nothing.
    refused: BTreeSet<String>,
    /// The verdicts under a guidance that was measured before.
    known: Option<(Digest, Vec<usize>, Vec<Option<Label>>)>,
}

/// What the gate says of one change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passage {
    /// The line of `gate_runs.jsonl`; nothing where there is no gate.
    pub line: Option<u64>,
    pub accepted: bool,
}

/// One decision, with both verdict vectors, so that it can be taken again.
#[derive(Debug, Serialize)]
struct GateLine<'a> {
    epoch: u32,
    reflection_cycle: u64,
    change: &'a str,
    mode: GateMode,
    base_guidance_sha256: Digest,
    new_guidance_sha256: Digest,
    ticket_keys: Vec<&'a provost_kernel::learn::TicketKey>,
    pairs: &'a [Pair],
    measurement: &'a Measurement,
}

/// Whether there is a gate, and what it has to say.
pub(super) fn mode(mission: &Mission, ticket_index: &TicketIndex) -> GateMode {
    let mut counts = LabelCounts::default();
    for at in ticket_index.human_pool(Split::Gate) {
        match ticket_index.entry(at).key.label() {
            Label::Pass => counts.pass += 1,
            Label::Fail => counts.fail += 1,
        }
    }
    gate::mode(counts, &mission.gate)
}

impl FirstGate {
    pub(super) fn new(setup: &super::Setup<'_>) -> Self {
        Self {
            mode: mode(setup.mission, setup.ticket_index),
            tickets: setup.ticket_index.human_pool(Split::Gate),
            looks: Looks::default(),
            decisions: 0,
            refused: BTreeSet::new(),
            known: None,
        }
    }

    /// Whether a change was refused before.
    pub(super) fn has_refused(&self, change: &str) -> bool {
        self.refused.contains(change)
    }

    /// Remembers that a change was refused.
    pub(super) fn refuse(&mut self, change: &str) {
        self.refused.insert(change.to_owned());
    }

    pub(super) fn decisions(&self) -> u32 {
        self.decisions
    }

    pub(super) fn tickets(&self) -> &[usize] {
        &self.tickets
    }
}

impl Run<'_> {
    /// Measures a change of the guidance from `base` to `new`.
    pub(super) fn measure(
        &mut self,
        change: &str,
        aim: Aim,
        base: &Guidance,
        new: &Guidance,
    ) -> Result<Passage, LearnError> {
        if self.first_gate.mode == GateMode::Off {
            return Ok(Passage { line: None, accepted: true });
        }
        let ticket_index = self.setup.ticket_index;
        let settings = &self.setup.mission.gate;
        let looks = &self.first_gate.looks;
        let is_fresh = |at: &usize| looks.allow(&ticket_index.entry(*at).key, settings);
        let tickets: Vec<usize> =
            self.first_gate.tickets.iter().copied().filter(is_fresh).collect();
        let before = self.known_verdicts(base, &tickets)?;
        let after = self.verdicts(CallKind::Gate, new, &tickets)?;
        let label = |at: &usize| ticket_index.entry(*at).key.label();
        let pairs: Vec<Pair> = tickets
            .iter()
            .zip(before.iter().zip(&after))
            .map(|(at, (&base, &new))| Pair { label: label(at), base, new })
            .collect();
        self.first_gate.decisions += aim.spends();
        let decisions = self.first_gate.decisions;
        let measurement = gate::decide(&pairs, aim, decisions, settings);
        self.first_gate.looks.count(tickets.iter().map(|at| &ticket_index.entry(*at).key));
        let accepted = measurement.accepted || self.first_gate.mode == GateMode::Shadow;
        let line = GateLine {
            epoch: self.epoch,
            reflection_cycle: self.cycle,
            change,
            mode: self.first_gate.mode,
            base_guidance_sha256: base.digest(),
            new_guidance_sha256: new.digest(),
            ticket_keys: tickets.iter().map(|at| &ticket_index.entry(*at).key).collect(),
            pairs: &pairs,
            measurement: &measurement,
        };
        let line = self.ledger.write(Book::GateRuns, self.guidance.digest(), &line)?;
        if accepted {
            self.first_gate.known = Some((new.digest(), tickets, after));
        }
        Ok(Passage { line: Some(line), accepted })
    }

    /// The verdicts under a guidance, asked once as long as the guidance stays what it is.
    fn known_verdicts(
        &mut self,
        guidance: &Guidance,
        tickets: &[usize],
    ) -> Result<Vec<Option<Label>>, LearnError> {
        let digest = guidance.digest();
        if let Some((known, places, verdicts)) = &self.first_gate.known
            && *known == digest
            && places == tickets
        {
            return Ok(verdicts.clone());
        }
        let verdicts = self.verdicts(CallKind::Gate, guidance, tickets)?;
        self.first_gate.known = Some((digest, tickets.to_vec(), verdicts.clone()));
        Ok(verdicts)
    }
}
