//! The verdict on a note. It says nothing about the work, so nothing is measured for it.

use std::collections::BTreeMap;

use provost_kernel::story::{
    ClaimResult, ClaimVerdict, CriterionId, CriterionStatus, EvidenceLabel, KeptEvidence, Story,
    StoryUpdate,
};

use super::{
    check::strangers,
    judge::{doubts, needed},
    status::status,
};

/// Judges a note: every criterion stays as it was recorded, with the evidence that is kept of it, and
/// the story is not done. What a criterion lacks is said again.
pub fn note(
    story: &Story,
    update: &StoryUpdate,
    recorded: &BTreeMap<CriterionId, CriterionStatus>,
    kept: &BTreeMap<CriterionId, KeptEvidence>,
) -> ClaimVerdict {
    let mut findings = strangers(story, update);
    let is_rejected = !findings.is_empty();
    let mut ac_status = BTreeMap::new();
    for criterion in &story.criteria {
        let known = kept.get(&criterion.id).cloned().unwrap_or_default();
        let status = recorded.get(&criterion.id).cloned().unwrap_or_else(|| {
            let need = needed(criterion, &known);
            status(&known, EvidenceLabel::NotRun, Some(need), false)
        });
        if !is_rejected {
            findings.extend(doubts(criterion, &known, status.label));
        }
        ac_status.insert(criterion.id, status);
    }
    ClaimVerdict {
        result: if is_rejected { ClaimResult::Reject } else { ClaimResult::Accept },
        passes: false,
        original_passes: false,
        ac_status,
        kept: kept.clone(),
        findings,
    }
}
