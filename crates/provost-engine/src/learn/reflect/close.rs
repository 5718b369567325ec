//! The end of a cycle: everybody in it has a class or comes again, and its line is written.

use provost_kernel::learn::TicketKey;
use provost_rules_learn::{census::Class, metrics};

use super::Cycle;
use crate::learn::{
    LearnError, Progress, Run,
    ledger::Book,
    line::{Proposal, Reflected, ReflectedBody, Stopped},
};

/// Why a ticket left for the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    NoEvidence,
    BudgetExhausted,
}

impl Why {
    fn code(self) -> &'static str {
        match self {
            Self::NoEvidence => "reflection_no_evidence_after_gt",
            Self::BudgetExhausted => "budget_exhausted",
        }
    }
}

impl Run<'_> {
    /// Ends a cycle: everybody in it has a class or comes again.
    pub(super) fn close(&mut self, cycle: &mut Cycle) -> Result<(), LearnError> {
        for key in &cycle.contributors.clone() {
            self.settle(key, Class::Contributor)?;
            self.credit.commit(key);
        }
        if !cycle.uncovered.is_empty() {
            cycle.warnings.push(format!("uncovered={}", cycle.uncovered.len()));
        }
        let exhausted = self.queue.settle(cycle.root, &cycle.uncovered);
        let (id, note) = (cycle.id.clone(), cycle.analysis.clone());
        let note = (!note.is_empty()).then_some(note.as_str());
        self.give_up(&exhausted, Why::BudgetExhausted, Some((cycle.number, &id)), note)?;
        self.write_cycle(cycle)?;
        self.cycle += 1;
        self.ledger.flush()?;
        self.setup.watch.tell(&Progress::Reflected {
            cycle: cycle.number,
            applied: cycle.applied,
            rejects: cycle.rejects.len(),
            rules: self.guidance.rules.len(),
        });
        Ok(())
    }

    fn write_cycle(&mut self, cycle: &Cycle) -> Result<(), LearnError> {
        let cited: Vec<usize> = cycle
            .operations
            .iter()
            .map(|it| it.evidence().len())
            .chain(cycle.hypotheses.iter().map(|it| it.evidence.len()))
            .collect();
        let stuffing = (!cited.is_empty()).then(|| metrics::stuffing(&cited, cycle.learnable));
        let is_noop = cycle.operations.is_empty() && cycle.hypotheses.is_empty();
        let body = Reflected {
            epoch: self.epoch,
            reflection: ReflectedBody {
                reflection_id: &cycle.id,
                mission: &self.setup.mission.mission,
                reflection_cycle: cycle.number,
                cycle_root: cycle.root,
                attempt: cycle.attempt,
                ticket_keys: cycle.keys.iter().collect(),
                proposal: Proposal {
                    action: if is_noop { "noop" } else { "refine" },
                    summary: &cycle.analysis,
                    critique: &cycle.critique,
                    operations: cycle.operations.iter().collect(),
                    hypotheses: cycle.hypotheses.iter().collect(),
                    no_evidence_group_ids: cycle.stopped.iter().collect(),
                },
                rejects: &cycle.rejects,
                measured: cycle.measured.clone(),
                applied: cycle.applied,
                guidance_step_before: cycle.step_before,
                guidance_step_after: self.guidance.step,
                contributors: cycle.contributors.iter().collect(),
                uncovered: cycle.uncovered.iter().collect(),
                stuffing,
                warnings: &cycle.warnings,
            },
        };
        self.ledger.write(Book::Reflections, self.guidance.digest(), &body).map(drop)
    }

    /// Puts tickets into the one queue of those that reflection gave up on.
    pub(super) fn give_up(
        &mut self,
        keys: &[TicketKey],
        why: Why,
        reflection: Option<(u64, &str)>,
        note: Option<&str>,
    ) -> Result<(), LearnError> {
        for key in keys {
            let selection = self.waiting(key)?.selection.clone();
            let body = Stopped {
                ticket_key: key,
                group_id: key.group().as_str(),
                mission: &self.setup.mission.mission,
                gt_label: key.label(),
                pred_verdict: Some(selection.verdict),
                pred_reason: Some(&selection.reason),
                reason_code: why.code(),
                epoch: self.epoch,
                reflection_cycle: reflection.map_or(self.cycle, |it| it.0),
                reflection_id: reflection.map(|it| it.1),
                uncertainty_note: note,
            };
            self.ledger.write(Book::Stopped, self.guidance.digest(), &body)?;
            self.credit.discard(key);
            self.settle(key, Class::StopGradient)?;
        }
        Ok(())
    }
}
