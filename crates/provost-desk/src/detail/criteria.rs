//! The criteria of a plan, each with what was claimed and what a run of it came to.

use provost_kernel::{
    AttemptNumber,
    story::{EvidenceLabel, ProofNeed, VerifyOnBase},
    task::{CriterionProof, Proofs, SealStanding, StoryProof},
};
use provost_vault::{AttemptFile, Stored, read_record};
use schemars::JsonSchema;
use serde::Serialize;

use super::FindingView;
use crate::{DISK, Desk, DeskError, task::View};

/// One criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CriterionView {
    /// The story and the criterion, such as `US-001 AC-2`.
    pub id: String,
    pub text: String,
    pub standing: SealStanding,
    /// How strong the proof is, such as `SHOWN`; where nothing was reproduced, what became of the evidence.
    pub label: String,
    pub needs: Option<ProofNeed>,
    pub command: Option<String>,
    pub exit: Option<i32>,
    /// Null: the proof of a criterion keeps no time.
    pub duration_ms: Option<u64>,
    /// Null: of a run on the base the proof keeps how it ended, not its number; see `on_base`.
    pub base_exit: Option<i32>,
    /// How the command of the plan ends on the base.
    pub on_base: Option<VerifyOnBase>,
    pub tree: Option<String>,
    /// What the agent said of it.
    pub claimed: Option<String>,
    /// The end of what was printed.
    pub tail: String,
    pub findings: Vec<FindingView>,
}

impl Desk {
    /// What is proven of the plan of the newest attempt; none where the task has no plan.
    pub(super) fn proofs(
        &self,
        view: &View,
        unreadable: &mut Vec<String>,
    ) -> Result<Option<Proofs>, DeskError> {
        let status = view.status();
        let Ok(attempt) = AttemptNumber::try_from(status.current_attempt) else { return Ok(None) };
        let at = self.layout().attempt_file(&status.task_id, attempt, AttemptFile::Proofs);
        Ok(match read_record::<_, Proofs>(&DISK, &at)? {
            Stored::Present(proofs) => Some(proofs.value),
            Stored::Absent => None,
            Stored::Corrupt(_) => {
                unreadable.push(at.path().to_string());
                None
            }
        })
    }
}

pub(super) fn criteria(proofs: &Proofs) -> Vec<CriterionView> {
    let of_story = |story: &StoryProof| {
        let id = story.story_id.clone();
        let criteria = story.criteria.iter();
        criteria.map(|it| criterion(&format!("{id} {}", it.id), it)).collect::<Vec<_>>()
    };
    proofs.stories.iter().flat_map(of_story).collect()
}

fn criterion(id: &str, proof: &CriterionProof) -> CriterionView {
    let standing = match proof.label {
        EvidenceLabel::Reproduced if proof.is_proven => SealStanding::Verified,
        EvidenceLabel::Contradicted => SealStanding::Contradicted,
        EvidenceLabel::Stale => SealStanding::Stale,
        EvidenceLabel::Reproduced | EvidenceLabel::NotRun => SealStanding::NotVerified,
    };
    let label = proof.proof.map_or_else(|| proof.label.to_string(), |it| it.to_string());
    CriterionView {
        id: id.to_owned(),
        text: proof.text.clone(),
        standing,
        label,
        needs: proof.needs,
        command: proof.command.clone(),
        exit: proof.exit_code,
        duration_ms: None,
        base_exit: None,
        on_base: proof.on_base,
        tree: proof.tree.clone(),
        claimed: proof.claimed.clone(),
        tail: proof.output.clone().unwrap_or_default(),
        findings: proof.findings.iter().map(|it| FindingView::of_proof(it, &[])).collect(),
    }
}
