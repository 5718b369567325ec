//! What a model may propose: both passes of a reflection, read strictly and judged item by item.
//!
//! An answer that is not the one JSON object that was asked for is void as a whole. Otherwise each
//! operation and each hypothesis stands or falls by itself, with the reason as a code, and closure
//! counts only what stood. Nothing the model says of itself (`has_evidence`, `coverage`) decides.

mod bench;
mod checked;
mod hypothesis;
mod operation;
mod reader;
#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, fmt};

use provost_kernel::{
    learn::{
        Guidance, HypothesesMode, Hypothesis, Item, Operation, Reject, RejectCode, RejectKind,
        Scaffold, TicketKey, VerdictTerms,
    },
    shorten,
};
use serde_json::Value;

pub use self::checked::{
    AcceptedItem, CheckedProposal, ChoiceError, LearnableError, Pass, ProposalResult, check,
    read_guidance, read_learnable,
};
use self::{
    bench::{Bench, Refusal},
    operation::Judged,
};

/// What proposals are held against.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The tickets that may be cited.
    pub learnable: &'a [TicketKey],
    /// The cases in the order in which the prompt numbers them, from 1 on.
    pub handles: &'a [TicketKey],
    /// What a ticket shows; nothing where it is not known.
    pub evidence: &'a dyn Fn(&TicketKey) -> Option<&'a [Item]>,
    /// Whether a text names a ticket of the run.
    pub names_ticket: &'a dyn Fn(&str) -> bool,
    /// The rules as they are; without them it is not asked whether a key exists.
    pub guidance: Option<&'a Guidance>,
    pub scaffold: &'a Scaffold,
    pub limits: Limits,
    pub terms: &'a VerdictTerms,
    pub forbidden_dimensions: &'a [String],
    pub identity_names: &'a [String],
    pub mode: HypothesesMode,
}

/// How long texts may be, in characters, and how many operations are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub rule: u32,
    pub rationale: u32,
    pub falsifier: u32,
    pub max_operations: Option<u32>,
}

/// What a decision pass said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionPass {
    /// The tickets that nothing can be learned from.
    pub stop: BTreeSet<TicketKey>,
    pub analysis: String,
    /// What it listed besides, which is not a ticket of its input.
    pub ignored: Vec<String>,
}

/// What stood of an ops pass, and what did not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpsPass {
    /// Each with its place in the answer's list.
    pub operations: Vec<(usize, Operation)>,
    /// Each with its place in the list that it came from, which is `operations` for an addition or
    /// merge that became a hypothesis.
    pub hypotheses: Vec<(usize, Hypothesis)>,
    pub rejects: Vec<Reject>,
    pub evidence_analysis: String,
    /// The model's own word for it; nothing depends on it.
    pub has_evidence: Option<bool>,
    /// What was noticed and changed nothing.
    pub notes: Vec<String>,
}

/// More items than this are not looked at, so that no answer can keep a run busy.
const MOST_ITEMS: usize = 64;
/// The most texts that are kept for a person to see.
const MOST_NOTES: usize = 32;

const STOP_LIST: &str = "no_evidence_group_ids";
const DECISION_ANALYSIS: &str = "decision_analysis";
const OPERATIONS: &str = "operations";
const HYPOTHESES: &str = "hypotheses";
const HAS_EVIDENCE: &str = "has_evidence";
const EVIDENCE_ANALYSIS: &str = "evidence_analysis";
const COVERAGE: &str = "coverage";

/// Reads the answer of a decision pass (LEARN-3.3).
///
/// A ticket that was not given is ignored and named. What is no ticket key at all, such as a group
/// without its label, voids the answer: nobody can say which ticket is meant.
pub fn decision(raw: &str, given: &[TicketKey]) -> Result<DecisionPass, Reject> {
    let whole = |refusal: Refusal| refusal.at(RejectKind::Decision, 0);
    let answer = reader::object(raw.as_bytes()).map_err(whole)?;
    let is_known = |it: &str| [STOP_LIST, DECISION_ANALYSIS].contains(&it);
    if let Some(field) = answer.keys().find(|it| !is_known(it)) {
        return Err(whole(Refusal::new(RejectCode::UnknownField, field)));
    }
    let listed = reader::texts(answer.get(STOP_LIST)).map_err(|it| whole(it.about(STOP_LIST)))?;
    let mut pass = DecisionPass {
        analysis: reader::remark(answer.get(DECISION_ANALYSIS)),
        ..Default::default()
    };
    for text in listed {
        match reader::ticket(text, given, given) {
            Some(key) => drop(pass.stop.insert(key.clone())),
            None if text.trim().parse::<TicketKey>().is_err() => {
                return Err(whole(
                    Refusal::new(RejectCode::EvidenceOutside, text).about(STOP_LIST),
                ));
            }
            None if pass.ignored.len() < MOST_NOTES => pass.ignored.push(shorten(text)),
            None => {}
        }
    }
    Ok(pass)
}

/// Reads the answer of an ops pass (LEARN-3.4, LEARN-4.1).
pub fn ops(raw: &str, ground: &Ground<'_>) -> Result<OpsPass, Reject> {
    let whole = |kind: RejectKind| move |refusal: Refusal| refusal.at(kind, 0);
    let answer = reader::object(raw.as_bytes()).map_err(whole(RejectKind::Operation))?;
    let operations = reader::items(&answer, OPERATIONS)
        .and_then(|it| it.ok_or_else(|| Refusal::new(RejectCode::NotObject, OPERATIONS)))
        .map_err(whole(RejectKind::Operation))?;
    let hypotheses = reader::items(&answer, HYPOTHESES).map_err(whole(RejectKind::Hypothesis))?;
    let mut pass = OpsPass {
        evidence_analysis: reader::remark(answer.get(EVIDENCE_ANALYSIS)),
        has_evidence: answer.get(HAS_EVIDENCE).and_then(Value::as_bool),
        ..OpsPass::default()
    };
    let known = [OPERATIONS, HYPOTHESES, HAS_EVIDENCE, EVIDENCE_ANALYSIS, COVERAGE];
    pass.note_unknown("", answer.keys().filter(|it| !known.contains(&it.as_str())));
    let mut bench = Bench::new(ground);
    for (index, item) in operations.iter().enumerate() {
        pass.take_operation(&mut bench, index, item);
    }
    for (index, item) in hypotheses.unwrap_or_default().iter().enumerate() {
        pass.take_hypothesis(&mut bench, index, item);
    }
    Ok(pass)
}

/// The tickets that what stood cites.
pub fn covered(pass: &OpsPass) -> BTreeSet<TicketKey> {
    let operations = pass.operations.iter().flat_map(|(_, it)| it.evidence());
    let hypotheses = pass.hypotheses.iter().flat_map(|(_, it)| &it.evidence);
    operations.chain(hypotheses).cloned().collect()
}

/// The learnable tickets that nothing cites (LEARN-5.1).
pub fn uncovered(learnable: &[TicketKey], pass: &OpsPass) -> BTreeSet<TicketKey> {
    let covered = covered(pass);
    learnable.iter().filter(|it| !covered.contains(it)).cloned().collect()
}

impl OpsPass {
    fn take_operation(&mut self, bench: &mut Bench<'_, '_>, index: usize, item: &Value) {
        if index >= MOST_ITEMS {
            return self.reject(RejectKind::Operation, index, Refusal::bare(RejectCode::OverCap));
        }
        if let Some(fields) = item.as_object() {
            let unknown = fields.keys().filter(|it| !operation::FIELDS.contains(&it.as_str()));
            self.note_unknown(&format!("{OPERATIONS}[{index}]."), unknown);
        }
        match operation::judge(bench, item) {
            Ok(Judged::Nothing) => self.note(format!("{OPERATIONS}[{index}]: none")),
            Ok(Judged::Operation(operation)) => {
                if let Err(refusal) = bench.keep_operation(&operation, self.operations.len()) {
                    return self.reject(RejectKind::Operation, index, refusal);
                }
                self.operations.push((index, operation));
            }
            Ok(Judged::Hypothesis(hypothesis)) => match bench.keep_hypothesis(&hypothesis) {
                Ok(()) => self.hypotheses.push((index, hypothesis)),
                Err(refusal) => self.reject(RejectKind::Operation, index, refusal),
            },
            Err(refusal) => self.reject(RejectKind::Operation, index, refusal),
        }
    }

    fn take_hypothesis(&mut self, bench: &mut Bench<'_, '_>, index: usize, item: &Value) {
        if index >= MOST_ITEMS {
            return self.reject(RejectKind::Hypothesis, index, Refusal::bare(RejectCode::OverCap));
        }
        if let Some(fields) = item.as_object() {
            let unknown = fields.keys().filter(|it| !hypothesis::FIELDS.contains(&it.as_str()));
            self.note_unknown(&format!("{HYPOTHESES}[{index}]."), unknown);
        }
        let judged =
            hypothesis::judge(bench, item).and_then(|it| bench.keep_hypothesis(&it).map(|()| it));
        match judged {
            Ok(hypothesis) => self.hypotheses.push((index, hypothesis)),
            Err(refusal) => self.reject(RejectKind::Hypothesis, index, refusal),
        }
    }

    fn reject(&mut self, kind: RejectKind, index: usize, refusal: Refusal) {
        self.rejects.push(refusal.at(kind, index));
    }

    /// Notes fields that mean nothing; `coverage` and what else is advisory is none of them.
    fn note_unknown<'a>(&mut self, place: &str, fields: impl Iterator<Item = &'a String>) {
        for field in fields {
            self.note(format!("unknown_field: {place}{}", shorten(field)));
        }
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < MOST_NOTES {
            self.notes.push(note);
        }
    }
}

impl fmt::Debug for Ground<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ground")
            .field("learnable", &self.learnable)
            .field("handles", &self.handles)
            .field("guidance", &self.guidance)
            .field("scaffold", &self.scaffold)
            .field("limits", &self.limits)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}
