//! The lines that a run leaves behind, as its files hold them.
//!
//! None of them has a time: equal answers make equal bytes. What took how long stands in
//! `timing.jsonl` alone.

use provost_kernel::{
    Digest,
    learn::{GroupId, Hypothesis, Label, MissionName, Operation, Reject, Spent, TicketKey},
    model::Decode,
};
use provost_rules_learn::measure::{Entry, event::Veto};
use serde::{Deserialize, Serialize};

/// What every line has.
#[derive(Debug, Serialize)]
pub(super) struct Line<'a, T> {
    pub v: u8,
    pub seq: u64,
    pub guidance_sha256: Digest,
    pub scaffold_sha256: Digest,
    #[serde(flatten)]
    pub body: &'a T,
}

/// One answer to one ticket.
#[derive(Debug, Serialize)]
pub(super) struct Trajectory<'a> {
    pub group_id: &'a str,
    pub mission: &'a MissionName,
    pub reflection_cycle: u64,
    pub guidance_step: u64,
    pub epoch: u32,
    pub ticket_key: &'a TicketKey,
    pub gt_label: Label,
    pub result: TrajectoryResult<'a>,
}

#[derive(Debug, Serialize)]
pub(super) struct TrajectoryResult<'a> {
    pub candidate_index: u32,
    pub decode: &'a Decode,
    pub text: Option<&'a str>,
    pub verdict: Option<Label>,
    pub reason: Option<&'a str>,
    pub format_ok: bool,
    /// The word for what is wrong with it.
    pub problem: Option<String>,
    pub label_match: Option<bool>,
    pub vote_strength: Option<f64>,
    pub low_agreement: Option<bool>,
    pub needs_manual_review: Option<bool>,
}

/// What the votes of one ticket came to.
#[derive(Debug, Serialize)]
pub(super) struct Chosen<'a> {
    pub group_id: &'a str,
    pub mission: &'a MissionName,
    pub epoch: u32,
    pub epoch_step: u64,
    pub global_step: u64,
    pub ticket_key: &'a TicketKey,
    pub gt_label: Label,
    pub result: ChosenResult<'a>,
}

#[derive(Debug, Serialize)]
pub(super) struct ChosenResult<'a> {
    pub verdict: Option<Label>,
    pub reason: Option<&'a str>,
    pub vote_strength: Option<f64>,
    pub label_match: Option<bool>,
    pub selected_candidate: Option<u32>,
    pub override_id: Option<&'a str>,
    pub guidance_step: u64,
    /// The reflection that changed the guidance last.
    pub reflection_change: Option<&'a str>,
    pub reflection_cycle: u64,
    pub manual_review_recommended: bool,
    pub eligible: bool,
    /// Why there is no verdict.
    pub ineligible_reason: Option<&'static str>,
    pub warnings: Vec<&'static str>,
    pub conflict_flag: Option<bool>,
    pub needs_manual_review: Option<bool>,
    pub low_agreement: Option<bool>,
    pub rollout_contradiction: Option<bool>,
}

/// An answer, or a ticket, that could not be used.
#[derive(Debug, Serialize)]
pub(super) struct Malformed<'a> {
    pub ticket_key: &'a TicketKey,
    pub group_id: &'a str,
    pub mission: &'a MissionName,
    pub gt_label: Label,
    pub epoch: u32,
    /// Absent when it is about the whole ticket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidate_index: Option<u32>,
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_text: Option<&'a str>,
}

/// One ticket that reflection gave up on (LEARN-3.6: there is one such file).
#[derive(Debug, Serialize)]
pub(super) struct Stopped<'a> {
    pub ticket_key: &'a TicketKey,
    pub group_id: &'a str,
    pub mission: &'a MissionName,
    pub gt_label: Label,
    pub pred_verdict: Option<Label>,
    pub pred_reason: Option<&'a str>,
    pub reason_code: &'static str,
    pub epoch: u32,
    pub reflection_cycle: u64,
    pub reflection_id: Option<&'a str>,
    pub uncertainty_note: Option<&'a str>,
}

/// One reflection batch.
#[derive(Debug, Serialize)]
pub(super) struct Reflected<'a> {
    pub epoch: u32,
    pub reflection: ReflectedBody<'a>,
}

#[derive(Debug, Serialize)]
pub(super) struct ReflectedBody<'a> {
    pub reflection_id: &'a str,
    pub mission: &'a MissionName,
    pub reflection_cycle: u64,
    pub cycle_root: u64,
    pub attempt: u32,
    pub ticket_keys: Vec<&'a TicketKey>,
    pub proposal: Proposal<'a>,
    pub rejects: &'a [Reject],
    /// What the gate said of each change, in the order of the changes.
    pub measured: Vec<Measured>,
    pub applied: bool,
    pub guidance_step_before: u64,
    pub guidance_step_after: u64,
    pub contributors: Vec<&'a TicketKey>,
    pub uncovered: Vec<&'a TicketKey>,
    /// The mean share of the learnable tickets that one proposal cites: near 1, it cites everything.
    pub stuffing: Option<f64>,
    pub warnings: &'a [String],
}

#[derive(Debug, Serialize)]
pub(super) struct Proposal<'a> {
    pub action: &'static str,
    pub summary: &'a str,
    pub critique: &'a str,
    pub operations: Vec<&'a Operation>,
    pub hypotheses: Vec<&'a Hypothesis>,
    pub no_evidence_group_ids: Vec<&'a TicketKey>,
}

/// What became of one change at the gate.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Measured {
    pub change: String,
    pub gate_run: Option<u64>,
    pub accepted: bool,
    /// Absent up to 0.1.0, where a change took effect at once or never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fate: Option<Fate>,
}

/// What becomes of a change that reflection wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Fate {
    /// It waits for the screen, and then bets.
    Proposed,
    /// It waits, bets or is in force already.
    Known,
    /// It cites no label of a person.
    NoPersonsLabel,
    /// It is about a rule that is gone, or changes nothing.
    Unknown,
    /// The guidance has no room for it.
    NotApplicable,
}

/// Where the ledger of the mission was when a run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Begun {
    pub lines: usize,
    pub ledger_sha256: Digest,
}

/// What happened to a rule, as the ledger has it.
#[derive(Debug, Serialize)]
pub(super) struct Happened<'a> {
    pub entry: &'a Entry,
}

/// What a proposal made of one label that was older than it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Screened {
    pub screened: ScreenedBody,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ScreenedBody {
    pub rule: String,
    pub group: GroupId,
    pub label: Label,
    pub with: Vec<Option<Label>>,
    pub without: Vec<Option<Label>>,
}

/// A proposal that decides a golden case or a probe otherwise.
#[derive(Debug, Serialize)]
pub(super) struct Refused<'a> {
    pub refused: RefusedBody<'a>,
}

#[derive(Debug, Serialize)]
pub(super) struct RefusedBody<'a> {
    pub rule: &'a str,
    pub veto: Veto,
}

impl Begun {
    /// The beginning of a run at the end of these lines.
    pub(super) fn at(lines: &[String]) -> Self {
        let chained = |before: Digest, line: &String| {
            let both = [before.to_string(), Digest::of_bytes(line.as_bytes()).to_string()].concat();
            Digest::of_bytes(both.as_bytes())
        };
        Self { lines: lines.len(), ledger_sha256: lines.iter().fold(Digest::ZERO, chained) }
    }
}

impl Measured {
    /// A change that nothing was asked about.
    pub(super) fn unmeasured(change: String) -> Self {
        Self { change, gate_run: None, accepted: false, fate: None }
    }

    /// A change that was given to the gate.
    pub(super) fn given(change: String, fate: Fate) -> Self {
        Self { fate: Some(fate), ..Self::unmeasured(change) }
    }
}

/// What a run has come to, for `timing.jsonl`: the one file with times.
#[derive(Debug, Serialize)]
pub(super) struct Timing {
    pub event: &'static str,
    pub at: String,
    pub epoch: u32,
    pub calls: u64,
    pub replayed: u64,
    pub spent: Spent,
}
