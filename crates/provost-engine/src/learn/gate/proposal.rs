//! What reflection wrote, as proposals to the gate. Nothing of it changes the guidance.

use provost_kernel::learn::{Guidance, Operation, RuleKey, TicketKey};
use provost_rules_learn::{
    measure::{e_value::Claim, procedure::Proposal},
    signature::signature,
};

use super::Gate;
use crate::learn::{LearnError, Run, line::Fate};

/// Where a rule comes from.
#[derive(Clone, Debug)]
pub(in crate::learn) struct Origin {
    pub evidence: Vec<TicketKey>,
    pub rationale: Option<String>,
    pub reflection_id: String,
}

/// A change that reflection wrote.
#[derive(Clone, Debug)]
pub(in crate::learn) enum Written<'a> {
    Operation(&'a Operation),
    Hypothesis { signature: &'a str, text: &'a str },
}

/// How the account of a removal is called.
const REMOVAL: &str = "delete:";

impl Run<'_> {
    /// Gives a change to the gate, and says what became of it.
    pub(in crate::learn) fn propose(
        &mut self,
        written: &Written<'_>,
        origin: Origin,
    ) -> Result<Fate, LearnError> {
        let Some(gate) = &mut self.gate else {
            return Err(LearnError::Invariant { what: "a run without a gate".to_owned() });
        };
        let Some(proposal) = gate.proposal(written) else { return Ok(Fate::Unknown) };
        if !origin.evidence.iter().any(|it| self.humans.has(it)) {
            return Ok(Fate::NoPersonsLabel);
        }
        let rule = proposal.rule.clone();
        if proposal.claim == Claim::Better || !proposal.replaces.is_empty() {
            gate.arrangement.word(&rule, &proposal.text, &proposal.replaces);
        }
        self.origins.entry(rule).or_insert(origin);
        Ok(if gate.procedure.propose(proposal) { Fate::Proposed } else { Fate::Known })
    }

    /// Guidance whose new rules say where they come from.
    pub(super) fn with_origins(&self, gate: &Gate, mut guidance: Guidance) -> Guidance {
        for rule in guidance.rules.values_mut() {
            let name = signature(&rule.text);
            let is_ours = gate.procedure.book.account(&name).is_some();
            if let Some(origin) =
                self.origins.get(&name).filter(|_| is_ours && rule.sources.is_empty())
            {
                rule.sources.clone_from(&origin.evidence);
                rule.rationale.clone_from(&origin.rationale);
                rule.reflection_id = Some(origin.reflection_id.clone());
            }
        }
        guidance
    }
}

impl Gate {
    /// What a change claims; nothing where it names a rule that is gone, or changes nothing.
    fn proposal(&self, written: &Written<'_>) -> Option<Proposal> {
        let named = |key: &RuleKey| self.arrangement.rule(*key);
        let better = |text: &str, replaces: Vec<String>| Proposal {
            rule: signature(text),
            text: text.to_owned(),
            claim: Claim::Better,
            replaces,
        };
        let proposal = match written {
            Written::Hypothesis { signature, text } => Proposal {
                rule: (*signature).to_owned(),
                text: (*text).to_owned(),
                claim: Claim::Better,
                replaces: Vec::new(),
            },
            Written::Operation(Operation::Add { text, .. }) => better(text, Vec::new()),
            Written::Operation(Operation::Update { key, text, .. }) => {
                better(text, vec![named(key)?])
            }
            Written::Operation(Operation::Delete { key, .. }) => {
                let target = named(key)?;
                Proposal {
                    rule: format!("{REMOVAL}{target}"),
                    text: target,
                    claim: Claim::NotWorse,
                    replaces: Vec::new(),
                }
            }
            Written::Operation(Operation::Merge { key, merged_from, text, .. }) => {
                let merged = std::iter::once(key).chain(merged_from).map(named);
                Proposal { claim: Claim::NotWorse, ..better(text, merged.collect::<Option<_>>()?) }
            }
        };
        let is_change = !proposal.rule.is_empty() && !proposal.replaces.contains(&proposal.rule);
        is_change.then_some(proposal)
    }
}
