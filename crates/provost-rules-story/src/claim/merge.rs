//! What is known of the criteria over several updates.
//!
//! A later update adds to what is known and wipes nothing: a note on the way leaves what was
//! proven. What was proven holds for its tree alone, and is stale on every other.

use std::collections::BTreeMap;

use provost_kernel::story::{
    CriterionClaim, CriterionId, EvidenceLabel, EvidenceResult, KeptEvidence, StoryUpdate, TreeId,
};

/// Adds an update, and what its evidence came to, to what is known.
pub fn merge(
    kept: &BTreeMap<CriterionId, KeptEvidence>,
    update: &StoryUpdate,
    evidence: &BTreeMap<CriterionId, EvidenceResult>,
) -> BTreeMap<CriterionId, KeptEvidence> {
    let mut merged = kept.clone();
    for (id, claim) in &update.criteria {
        let entry = merged.entry(*id).or_default();
        let next = succeed(&entry.claim, claim);
        // What another piece of evidence showed says nothing about this one.
        if !is_same_evidence(&entry.claim, &next) {
            entry.result = None;
        }
        entry.claim = next;
    }
    // Evidence that was run again because it was stale, or because it is new.
    for (id, result) in evidence {
        if let Some(entry) = merged.get_mut(id) {
            entry.result = Some(result.clone());
        }
    }
    merged
}

/// What a kept piece of evidence is worth on a tree.
pub fn label(kept: &KeptEvidence, tree: &TreeId) -> EvidenceLabel {
    let Some(result) = &kept.result else { return EvidenceLabel::NotRun };
    match result.label {
        EvidenceLabel::Reproduced | EvidenceLabel::Contradicted if result.tree != *tree => {
            EvidenceLabel::Stale
        }
        // An exit code says more than a label.
        EvidenceLabel::Reproduced if result.exit_code.is_some_and(|it| it != 0) => {
            EvidenceLabel::Contradicted
        }
        label @ (EvidenceLabel::Reproduced
        | EvidenceLabel::Contradicted
        | EvidenceLabel::Stale
        | EvidenceLabel::NotRun) => label,
    }
}

/// Whether a kept piece of evidence was reproduced on a tree, with what it proves.
pub fn is_known(kept: &KeptEvidence, tree: &TreeId) -> bool {
    let has_proof = kept.result.as_ref().is_some_and(|it| it.proof.is_some());
    has_proof && label(kept, tree) == EvidenceLabel::Reproduced
}

/// The claim after another one about the same criterion.
///
/// One that brings something to check takes the place of the old evidence; one that does not only
/// says anew whether the criterion holds.
fn succeed(before: &CriterionClaim, next: &CriterionClaim) -> CriterionClaim {
    if next.is_checkable() {
        return next.clone();
    }
    CriterionClaim {
        passes: next.passes.or(before.passes),
        evidence: next.evidence.clone().or_else(|| before.evidence.clone()),
        output: next.output.clone().or_else(|| before.output.clone()),
        blocked_reason: match next.passes {
            Some(true) => next.blocked_reason.clone(),
            Some(false) | None => {
                next.blocked_reason.clone().or_else(|| before.blocked_reason.clone())
            }
        },
        ..before.clone()
    }
}

fn is_same_evidence(a: &CriterionClaim, b: &CriterionClaim) -> bool {
    (&a.command, &a.cwd, &a.files, &a.tests) == (&b.command, &b.cwd, &b.files, &b.tests)
}
