//! What an attempt proved, and what its judge said, also when newer ones came after it.

use provost_kernel::{AttemptNumber, TaskId, task::Seal};
use provost_rules_task::seals::{Attempted, seals};

use super::{FactView, JudgeView};
use crate::{
    Desk, DeskError,
    task::{AttemptView, View},
};

/// What is on record of one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptProof {
    /// Six, in the order of the facts.
    pub proof: Vec<FactView>,
    pub judge: Option<JudgeView>,
}

impl Desk {
    /// What an attempt proved; none where the task had no such attempt.
    pub fn attempt_proof(
        &self,
        task: &TaskId,
        attempt: AttemptNumber,
    ) -> Result<Option<AttemptProof>, DeskError> {
        let mut view = self.view(task)?;
        let newest = view.status().current_attempt;
        let Some(found) = view.attempts.iter().find(|it| it.attempt == attempt.get()) else {
            return Ok(None);
        };
        let found = found.clone();
        let seals = if newest == attempt.get() {
            self.row_of(&view.looked)?.seals
        } else {
            self.turn_back(&mut view, &found)?
        };
        let mut unreadable = Vec::new();
        Ok(Some(AttemptProof {
            proof: self.facts(&view, &seals, &mut unreadable)?,
            judge: self.judge_view(&view, &mut unreadable)?,
        }))
    }

    /// Makes a view that of an earlier attempt, and gives its seals: nothing of it runs any more.
    fn turn_back(&self, view: &mut View, attempt: &AttemptView) -> Result<Vec<Seal>, DeskError> {
        let status = &mut view.looked.status.value;
        status.current_attempt = attempt.attempt;
        if let Some(summary) = &mut status.verdict_summary {
            summary.final_score_0_100 = attempt.final_score_0_100;
        }
        view.proof = self.test_proof(view.status())?;
        Ok(seals(&Attempted {
            status: view.status(),
            spec: view.spec.as_ref().map(|it| &it.value),
            decision: attempt.decision.as_ref(),
            proof: view.proof.as_ref(),
            so_far: &[],
            running: None,
            is_judge_called: view.attempts.iter().any(AttemptView::is_judged),
            is_trusted: view.looked.altered.is_none(),
        }))
    }
}
