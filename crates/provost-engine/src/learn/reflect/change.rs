//! What a reflection changes: hypotheses gather support, and what is valid is given to the gate. In a
//! run of 0.1.0, what passes the gate of that time becomes a rule at once.

use std::collections::BTreeSet;

use provost_kernel::learn::{Operation, RuleKey, TicketKey};
use provost_rules_learn::{
    budget,
    census::Class,
    closure,
    gate::Aim,
    guidance::{self as rules, Apply, ApplyError, Cause, Change},
    hypothesis::{self, At, EventKind},
    proposal::{self, OpsPass},
    signature::signature,
    text,
};

use super::Cycle;
use crate::learn::{
    LearnError, Run,
    gate::{Origin, Written},
    line::{Fate, Measured},
};

/// What a reflection would change, and where it came from.
struct Intent {
    change: Change,
    name: String,
    aim: Aim,
    signature: Option<String>,
}

impl Run<'_> {
    /// Takes in what was found valid.
    pub(super) fn absorb(
        &mut self,
        cycle: &mut Cycle,
        learnable: &[TicketKey],
        pass: OpsPass,
    ) -> Result<(), LearnError> {
        let cited = proposal::covered(&pass);
        let all: BTreeSet<TicketKey> = learnable.iter().cloned().collect();
        closure::check_sets(&cycle.stopped, &all, &cited)?;
        cycle.uncovered = proposal::uncovered(learnable, &pass);
        cycle.contributors = cited;
        cycle.critique = pass.evidence_analysis;
        cycle.rejects = pass.rejects;
        cycle.warnings.extend(pass.notes);
        cycle.operations = pass.operations.into_iter().map(|(_, it)| it).collect();
        cycle.hypotheses = pass.hypotheses.into_iter().map(|(_, it)| it).collect();
        self.record_hypotheses(cycle)?;
        let cap = self.setup.mission.reflection.change_cap_per_epoch;
        let n_changes = if self.gate.is_some() { self.tally.proposed } else { self.tally.changes };
        if !budget::allows_change(cap, n_changes) {
            return self.defer(cycle);
        }
        if self.gate.is_some() {
            return self.give_to_gate(cycle);
        }
        let intents = self.intents(cycle);
        let accepted = self.pass_gate(cycle, intents)?;
        self.apply(cycle, accepted, all)
    }

    /// Gives every valid change to the gate: none takes effect by being written.
    fn give_to_gate(&mut self, cycle: &mut Cycle) -> Result<(), LearnError> {
        let mut n_proposed = 0;
        for operation in cycle.operations.clone() {
            let name = name(&operation);
            let fate = match self.is_applicable(&operation, &cycle.id) {
                Ok(()) => {
                    let rationale = rationale(&operation).map(str::to_owned);
                    let origin = origin(operation.evidence(), rationale, &cycle.id);
                    self.propose(&Written::Operation(&operation), origin)?
                }
                Err(error) => {
                    cycle.warnings.push(format!("apply_failed: {name}: {error}"));
                    Fate::NotApplicable
                }
            };
            if matches!(fate, Fate::NotApplicable | Fate::Unknown) {
                Self::void(cycle, &operation);
            }
            n_proposed += u64::from(fate == Fate::Proposed);
            cycle.measured.push(Measured::given(name, fate));
        }
        for hypothesis in cycle.hypotheses.clone() {
            let (signature, text) = (hypothesis.signature.as_str(), hypothesis.text.as_str());
            let origin = origin(&hypothesis.evidence, None, &cycle.id);
            let fate = self.propose(&Written::Hypothesis { signature, text }, origin)?;
            n_proposed += u64::from(fate == Fate::Proposed);
            cycle.measured.push(Measured::given(format!("hypothesis:{signature}"), fate));
        }
        let is_unheard = |it: &&Measured| it.fate == Some(Fate::NoPersonsLabel);
        let n_unheard = cycle.measured.iter().filter(is_unheard).count();
        if n_unheard > 0 {
            cycle.warnings.push(format!("no_person_s_label={n_unheard}"));
        }
        self.tally.proposed += u64::from(n_proposed > 0);
        self.open_shadows()
    }

    /// Whether the guidance could hold an operation at all.
    fn is_applicable(&self, operation: &Operation, reflection_id: &str) -> Result<(), ApplyError> {
        let max_rules = self.setup.mission.guidance.max_rules;
        let context = Apply { reflection_id, max_rules };
        rules::apply(&self.guidance, &[Change::Operation(operation.clone())], &context).map(drop)
    }

    /// Tells a hypothesis of this run what became of it.
    pub(in crate::learn) fn turn_hypothesis(
        &mut self,
        signature: &str,
        kind: EventKind,
    ) -> Result<(), LearnError> {
        let rule = self.gate.as_ref().and_then(|it| it.key(signature));
        let at = At { epoch: self.epoch, reflection_cycle: self.cycle, cycle_root: self.cycle };
        self.turn_at(at, signature, kind, rule)
    }

    /// An operation came to nothing, so what it cites is not learned from by it (LEARN-5.1).
    fn void(cycle: &mut Cycle, operation: &Operation) {
        let others = cycle.operations.iter().filter(|it| *it != operation);
        let cited: BTreeSet<&TicketKey> = others
            .flat_map(Operation::evidence)
            .chain(cycle.hypotheses.iter().flat_map(|it| &it.evidence))
            .collect();
        let is_lost = |it: &&TicketKey| !cited.contains(it);
        let lost: Vec<TicketKey> = operation.evidence().iter().filter(is_lost).cloned().collect();
        for key in lost {
            cycle.contributors.remove(&key);
            cycle.uncovered.insert(key);
        }
    }

    fn at(&self, cycle: &Cycle) -> At {
        At { epoch: self.epoch, reflection_cycle: cycle.number, cycle_root: cycle.root }
    }

    fn record_hypotheses(&mut self, cycle: &Cycle) -> Result<(), LearnError> {
        let at = self.at(cycle);
        for hypothesis in &cycle.hypotheses {
            let terms = &self.setup.mission.verdict_terms;
            let concludes = text::conclusion(&hypothesis.text, terms)
                .filter(|it| it.otherwise.is_none())
                .map(|it| it.then);
            let humans = &self.humans;
            let is_human = |key: &TicketKey| humans.has(key);
            let seq = self.ledger.next_event();
            let event = self.pool.proposal(seq, at, hypothesis, concludes, is_human);
            self.ledger.event(&event)?;
            self.pool.absorb(&event);
        }
        Ok(())
    }

    fn turn(
        &mut self,
        cycle: &Cycle,
        signature: &str,
        kind: EventKind,
        rule: Option<RuleKey>,
    ) -> Result<(), LearnError> {
        self.turn_at(self.at(cycle), signature, kind, rule)
    }

    fn turn_at(
        &mut self,
        at: At,
        signature: &str,
        kind: EventKind,
        rule: Option<RuleKey>,
    ) -> Result<(), LearnError> {
        let seq = self.ledger.next_event();
        let Some(event) = self.pool.turn(seq, at, signature, kind) else { return Ok(()) };
        let event = match rule {
            Some(rule) => event.with_rule(rule),
            None => event,
        };
        self.ledger.event(&event)?;
        self.pool.absorb(&event);
        Ok(())
    }

    /// What this cycle would change: the hypotheses with enough support, then its operations. Those
    /// come second because nothing has waited for them, and each decision of the gate costs the
    /// later ones something.
    fn intents(&self, cycle: &mut Cycle) -> Vec<Intent> {
        let is_person =
            |it: &Operation| hypothesis::has_person(it.evidence(), |key| self.humans.has(key));
        let (known, others): (Vec<_>, Vec<_>) =
            cycle.operations.iter().cloned().partition(is_person);
        if !others.is_empty() {
            cycle.warnings.push(format!("no_person_s_label={}", others.len()));
        }
        let operations = known.into_iter().map(|it| Intent {
            name: name(&it),
            aim: match &it {
                Operation::Delete { .. } => Aim::Removal,
                Operation::Add { .. } | Operation::Update { .. } | Operation::Merge { .. } => {
                    Aim::Improvement
                }
            },
            change: Change::Operation(it),
            signature: None,
        });
        let reflection = &self.setup.mission.reflection;
        let left = reflection.max_promotions_per_epoch.saturating_sub(self.tally.promotions);
        let eligible = hypothesis::eligible(&self.pool, reflection);
        let promotions = eligible.into_iter().filter_map(|signature| {
            let record = self.pool.records().get(&signature)?;
            let evidence = record.support(reflection).keys.into_iter().collect();
            Some(Intent {
                change: Change::Promotion { text: record.text.clone(), evidence },
                name: format!("promote:{signature}"),
                aim: Aim::Improvement,
                signature: Some(signature),
            })
        });
        let promotions = promotions.take(usize::try_from(left).unwrap_or(usize::MAX));
        promotions.chain(operations).collect()
    }

    /// Measures each change on top of those that were accepted before it.
    fn pass_gate(
        &mut self,
        cycle: &mut Cycle,
        intents: Vec<Intent>,
    ) -> Result<Vec<Intent>, LearnError> {
        let max_rules = self.setup.mission.guidance.max_rules;
        let mut accepted: Vec<Intent> = Vec::new();
        let mut working = self.guidance.clone();
        for intent in intents {
            let context = Apply { reflection_id: &cycle.id, max_rules };
            let changes = [intent.change.clone()];
            let applied = match rules::apply(&working, &changes, &context) {
                Ok(applied) => applied,
                Err(error) => {
                    cycle.warnings.push(format!("apply_failed: {}: {error}", intent.name));
                    if let Change::Operation(operation) = &intent.change {
                        Self::void(cycle, operation);
                    }
                    cycle.measured.push(Measured::unmeasured(intent.name));
                    continue;
                }
            };
            if self.first_gate.has_refused(&intent.name) {
                cycle.measured.push(Measured::unmeasured(intent.name));
                continue;
            }
            if let Some(signature) = &intent.signature {
                self.turn(cycle, signature, EventKind::Shadow, None)?;
            }
            let passage = self.measure(&intent.name, intent.aim, &working, &applied.guidance)?;
            cycle.measured.push(Measured {
                change: intent.name.clone(),
                gate_run: passage.line,
                accepted: passage.accepted,
                fate: None,
            });
            if passage.accepted {
                working = applied.guidance;
                accepted.push(intent);
            } else if let Some(signature) = &intent.signature {
                self.turn(cycle, signature, EventKind::Rejected, None)?;
            } else {
                self.first_gate.refuse(&intent.name);
            }
        }
        Ok(accepted)
    }

    fn apply(
        &mut self,
        cycle: &mut Cycle,
        accepted: Vec<Intent>,
        learnable: BTreeSet<TicketKey>,
    ) -> Result<(), LearnError> {
        if accepted.is_empty() {
            return Ok(());
        }
        let max_rules = self.setup.mission.guidance.max_rules;
        let context = Apply { reflection_id: &cycle.id, max_rules };
        let changes: Vec<Change> = accepted.iter().map(|it| it.change.clone()).collect();
        let applied = match rules::apply(&self.guidance, &changes, &context) {
            Ok(applied) => applied,
            Err(error) => {
                cycle.warnings.push(format!("apply_failed: {error}"));
                cycle.contributors.clear();
                cycle.uncovered = learnable;
                return Ok(());
            }
        };
        self.change(Cause::Reflection, Some(&cycle.id), applied.guidance)?;
        for intent in &accepted {
            let Some(signature) = &intent.signature else { continue };
            let rule = match &intent.change {
                Change::Promotion { text, .. } => {
                    let has_it = |key: &&RuleKey| {
                        self.guidance.rules.get(key).is_some_and(|it| it.text == *text)
                    };
                    applied.written.iter().find(has_it).copied()
                }
                Change::Operation(_) => None,
            };
            self.turn(cycle, signature, EventKind::Promoted, rule)?;
            self.tally.promotions += 1;
        }
        self.credit.applied(&applied.written);
        self.last_change = Some(cycle.id.clone());
        self.tally.changes += 1;
        cycle.applied = true;
        Ok(())
    }

    /// The cap on changes is reached: what was learned waits for the next epoch.
    fn defer(&mut self, cycle: &mut Cycle) -> Result<(), LearnError> {
        cycle.warnings.push("change_cap_reached".to_owned());
        for key in std::mem::take(&mut cycle.contributors) {
            self.settle(&key, Class::Deferred)?;
            self.credit.discard(&key);
        }
        Ok(())
    }
}

fn origin(evidence: &[TicketKey], rationale: Option<String>, reflection_id: &str) -> Origin {
    Origin { evidence: evidence.to_vec(), rationale, reflection_id: reflection_id.to_owned() }
}

fn rationale(operation: &Operation) -> Option<&str> {
    match operation {
        Operation::Add { rationale, .. }
        | Operation::Update { rationale, .. }
        | Operation::Delete { rationale, .. }
        | Operation::Merge { rationale, .. } => rationale.as_deref(),
    }
}

/// What makes two operations one to the gate: the same change of the same rules, whatever the
/// evidence.
fn name(operation: &Operation) -> String {
    let text = operation.text().map(signature).unwrap_or_default();
    match operation {
        Operation::Add { .. } => format!("add:{text}"),
        Operation::Update { key, .. } => format!("update:{key}:{text}"),
        Operation::Delete { key, .. } => format!("delete:{key}"),
        Operation::Merge { key, merged_from, .. } => {
            let from: Vec<String> = merged_from.iter().map(ToString::to_string).collect();
            format!("merge:{key},{}:{text}", from.join(","))
        }
    }
}
