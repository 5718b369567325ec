//! One reflection batch, in the order that makes a crash harmless: the answers are on the disk
//! before anything that follows from them, events before the pool, the log before the guidance.

mod change;
mod close;

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    Digest,
    learn::{CallKind, Edition, Hypothesis, Item, Operation, Reject, Ticket, TicketKey},
    model::ModelRequest,
};
use provost_rules_learn::{
    budget,
    closure::Batch,
    prompt::{self, Case, Frame, Packed},
    proposal::{self, Ground, Limits, OpsPass},
    reply,
    vote::{Candidate, Selection},
};

use self::close::Why;
use super::{
    LearnError, Run, Setup,
    calls::{Asked, Purpose, Said},
    line::Measured,
};

/// A ticket that waits for reflection, with what was said of it.
#[derive(Debug)]
pub(super) struct Waiting {
    pub at: usize,
    pub selection: Selection,
    pub candidates: Vec<Candidate>,
}

/// What one cycle has come to.
#[derive(Debug)]
struct Cycle {
    id: String,
    number: u64,
    root: u64,
    attempt: u32,
    keys: Vec<TicketKey>,
    analysis: String,
    critique: String,
    stopped: BTreeSet<TicketKey>,
    operations: Vec<Operation>,
    hypotheses: Vec<Hypothesis>,
    rejects: Vec<Reject>,
    measured: Vec<Measured>,
    contributors: BTreeSet<TicketKey>,
    uncovered: BTreeSet<TicketKey>,
    applied: bool,
    step_before: u64,
    learnable: usize,
    warnings: Vec<String>,
}

/// The two passes of a reflection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    Decision,
    Ops,
}

impl Run<'_> {
    /// Reflects while there are batches to take; at the end of an epoch also on those that are not
    /// full.
    pub(super) fn reflect(&mut self, flush: bool) -> Result<(), LearnError> {
        while let Some(batch) = self.queue.next_batch(flush) {
            self.reflect_on(batch)?;
        }
        Ok(())
    }

    fn reflect_on(&mut self, batch: Batch) -> Result<(), LearnError> {
        if !self.may_reflect() {
            return self.give_up(&batch.keys, Why::BudgetExhausted, None, None);
        }
        let mut cycle = self.new_cycle(&batch);
        let tickets = self.tickets(&batch.keys)?;
        let packed = self.pack(Pass::Decision, &batch.keys, &tickets)?;
        let shown = self.shown(&batch, &packed)?;
        if shown.is_empty() {
            return Ok(());
        }
        cycle.keys.clone_from(&shown);
        self.decide(&mut cycle, &shown, packed, &tickets)?;
        self.close(&mut cycle)
    }

    /// Both passes, and what they change.
    fn decide(
        &mut self,
        cycle: &mut Cycle,
        shown: &[TicketKey],
        packed: Packed,
        tickets: &BTreeMap<TicketKey, Ticket>,
    ) -> Result<(), LearnError> {
        let said = self.pass(Pass::Decision, cycle, packed, shown)?;
        let decided = said.and_then(|raw| {
            let read = proposal::decision(self.object(&raw), shown).map_err(|it| problem(&it));
            self.answers.read(&raw, read.as_ref().err().map(String::as_str));
            read
        });
        match decided {
            Ok(pass) => {
                cycle.stopped = pass.stop;
                cycle.analysis = pass.analysis;
            }
            Err(why) => {
                cycle.warnings.push(format!("decision_error: {why}"));
                cycle.uncovered = shown.iter().cloned().collect();
                return Ok(());
            }
        }
        let stopped: Vec<TicketKey> = cycle.stopped.iter().cloned().collect();
        let (id, note) = (cycle.id.clone(), cycle.analysis.clone());
        self.give_up(&stopped, Why::NoEvidence, Some((cycle.number, &id)), Some(&note))?;
        let learnable: Vec<TicketKey> =
            shown.iter().filter(|it| !cycle.stopped.contains(it)).cloned().collect();
        if learnable.is_empty() {
            return Ok(());
        }
        if !self.may_reflect() {
            cycle.warnings.push("budget_exhausted_before_ops".to_owned());
            return self.give_up(
                &learnable,
                Why::BudgetExhausted,
                Some((cycle.number, &id)),
                Some(&note),
            );
        }
        let packed = self.pack(Pass::Ops, &learnable, tickets)?;
        let batch = Batch { attempt: cycle.attempt, keys: learnable, root: Some(cycle.root) };
        let learnable = self.shown(&batch, &packed)?;
        if learnable.is_empty() {
            return Ok(());
        }
        cycle.learnable = learnable.len();
        let said = self.pass(Pass::Ops, cycle, packed, &learnable)?;
        let judged = said.and_then(|raw| {
            let object = self.object(&raw);
            let read = self.judge_ops(object, &learnable, tickets).map_err(|it| problem(&it));
            self.answers.read(&raw, read.as_ref().err().map(String::as_str));
            read
        });
        match judged {
            Ok(pass) => self.absorb(cycle, &learnable, pass),
            Err(why) => {
                cycle.warnings.push(format!("ops_error: {why}"));
                cycle.uncovered = learnable.into_iter().collect();
                Ok(())
            }
        }
    }

    /// The object of an answer. Up to the first edition an answer was nothing else.
    fn object<'r>(&self, raw: &'r str) -> &'r str {
        match self.setup.mission.edition {
            Edition::First => raw,
            Edition::Second => reply::object(raw),
        }
    }

    fn new_cycle(&self, batch: &Batch) -> Cycle {
        let number = self.cycle;
        let id =
            Digest::of_bytes(format!("{}:{}:{number}", self.form.nonce, self.epoch).as_bytes());
        Cycle {
            id: id.to_string()[..12].to_owned(),
            number,
            root: batch.root.unwrap_or(number),
            attempt: batch.attempt,
            keys: Vec::new(),
            analysis: String::new(),
            critique: String::new(),
            stopped: BTreeSet::new(),
            operations: Vec::new(),
            hypotheses: Vec::new(),
            rejects: Vec::new(),
            measured: Vec::new(),
            contributors: BTreeSet::new(),
            uncovered: BTreeSet::new(),
            applied: false,
            step_before: self.guidance.step,
            learnable: 0,
            warnings: Vec::new(),
        }
    }

    fn may_reflect(&self) -> bool {
        let cap = self.setup.mission.reflection.max_calls_per_epoch;
        budget::allows_reflection(cap, self.tally.reflection_calls) && self.calls.is_allowed()
    }

    fn tickets(&self, keys: &[TicketKey]) -> Result<BTreeMap<TicketKey, Ticket>, LearnError> {
        let take = |key: &TicketKey| {
            let at = self.waiting(key)?.at;
            Ok((key.clone(), self.setup.ticket_index.ticket(at, self.setup.mission)?))
        };
        keys.iter().map(take).collect()
    }

    fn waiting(&self, key: &TicketKey) -> Result<&Waiting, LearnError> {
        self.waiting.get(key).ok_or_else(|| LearnError::Invariant {
            what: format!("{key} is reflected on and does not wait for it"),
        })
    }

    fn pack(
        &self,
        pass: Pass,
        keys: &[TicketKey],
        tickets: &BTreeMap<TicketKey, Ticket>,
    ) -> Result<Packed, LearnError> {
        let mut cases = Vec::with_capacity(keys.len());
        for key in keys {
            let waiting = self.waiting(key)?;
            let Some(ticket) = tickets.get(key) else { continue };
            let (selection, candidates) = (&waiting.selection, waiting.candidates.as_slice());
            cases.push(Case { ticket, selection, candidates });
        }
        let Setup { mission, instructions, seed, .. } = self.setup;
        let frame = |instructions| Frame {
            mission,
            scaffold: &seed.scaffold,
            guidance: &self.guidance,
            instructions,
        };
        let cycle = u32::try_from(self.cycle).unwrap_or(u32::MAX);
        Ok(match pass {
            Pass::Decision => prompt::decision(
                &frame(instructions.decision.as_deref()),
                &cases,
                cycle,
                &self.form.nonce,
            ),
            Pass::Ops => {
                prompt::ops(&frame(instructions.ops.as_deref()), &cases, cycle, &self.form.nonce)
            }
        })
    }

    /// The tickets that a prompt shows, in its order. The others go back, but for those that would
    /// not fit alone either: nothing can be learned from them.
    fn shown(&mut self, batch: &Batch, packed: &Packed) -> Result<Vec<TicketKey>, LearnError> {
        let key = |at: &usize| batch.keys.get(*at).cloned();
        let fits = |at: &&usize| !packed.overlong.contains(at);
        let unshown: Vec<TicketKey> = packed.unshown.iter().filter(fits).filter_map(key).collect();
        let overlong: Vec<TicketKey> = packed.overlong.iter().filter_map(key).collect();
        for lost in self.queue.put_back(batch, &unshown).into_iter().chain(overlong) {
            self.fail_overlength(&lost)?;
        }
        Ok(packed.shown.iter().filter_map(key).collect())
    }

    /// Asks one pass; the error is a text for the line of the cycle.
    fn pass(
        &mut self,
        pass: Pass,
        cycle: &Cycle,
        packed: Packed,
        keys: &[TicketKey],
    ) -> Result<Result<String, String>, LearnError> {
        let reflection = &self.setup.mission.reflection;
        let mut request = ModelRequest::new(packed.messages, reflection.decode.clone());
        request.model = reflection.model.clone().or_else(|| self.setup.mission.model());
        request.format = self.setup.mission.response_format;
        let kind = match pass {
            Pass::Decision => CallKind::Decision,
            Pass::Ops => CallKind::Ops,
        };
        let purpose = Purpose { kind, epoch: self.epoch, cycle: Some(cycle.number) };
        self.tally.reflection_calls += 1;
        let said = self.calls.ask(purpose, &[Asked { request, tickets: keys.to_vec() }])?;
        Ok(match said.into_iter().next() {
            Some(Said::Answer(answer)) => Ok(answer.text),
            Some(Said::Problem(problem)) => Err(problem.to_string()),
            Some(Said::NotAsked) | None => Err("budget_exhausted".to_owned()),
        })
    }

    fn judge_ops(
        &self,
        raw: &str,
        learnable: &[TicketKey],
        tickets: &BTreeMap<TicketKey, Ticket>,
    ) -> Result<OpsPass, Reject> {
        let mission = self.setup.mission;
        let evidence = lending(|key| tickets.get(key).map(|it| it.items.as_slice()));
        let names_ticket = |text: &str| self.names.are_in(text);
        proposal::ops(
            raw,
            &Ground {
                learnable,
                handles: learnable,
                evidence: &evidence,
                names_ticket: &names_ticket,
                guidance: Some(&self.guidance),
                scaffold: &self.setup.seed.scaffold,
                limits: Limits {
                    rule: mission.guidance.rule_max_chars,
                    rationale: mission.guidance.rationale_max_chars,
                    falsifier: mission.guidance.falsifier_max_chars,
                    max_operations: mission.reflection.max_operations,
                },
                terms: &mission.verdict_terms,
                forbidden_dimensions: &mission.forbidden_dimensions,
                identity_names: &mission.identity_names,
                mode: mission.reflection.hypotheses_mode,
            },
        )
    }
}

/// Fixes what a closure over tickets lends: it lives as long as they do, not as long as the key.
fn lending<'a, F: Fn(&TicketKey) -> Option<&'a [Item]>>(closure: F) -> F {
    closure
}

fn problem(reject: &Reject) -> String {
    format!("{}: {}", reject.code, reject.detail)
}
