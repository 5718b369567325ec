//! The verdict on an update: compares the claims with what provost found itself.

use std::collections::BTreeMap;

use provost_kernel::{
    Finding, Severity, Text,
    story::{
        ClaimResult, ClaimVerdict, Criterion, CriterionId, CriterionStatus, EvidenceLabel,
        EvidenceResult, GateKind, GateOutcome, GateResult, KeptEvidence, ProofNeed, ScopeOutcome,
        Story, StoryUpdate, TreeId,
    },
};

use super::{
    check::{shortcoming, strangers},
    code, label, merge,
    remark::Remark,
    status::status,
    tampering,
};
use crate::proof::{self, shared};

/// Everything that provost measured and ran itself.
#[derive(Clone, Copy, Debug)]
pub struct ClaimFacts<'a> {
    /// The tree that is judged.
    pub tree: &'a TreeId,
    /// What is known from the updates before.
    pub kept: &'a BTreeMap<CriterionId, KeptEvidence>,
    /// What the evidence came to that was run for this update.
    pub evidence: &'a BTreeMap<CriterionId, EvidenceResult>,
    pub gates: &'a [GateResult],
    pub scope: ScopeOutcome,
    /// What the scope guard has to say.
    pub scope_findings: &'a [Finding],
    /// Tampering with tests and their runner that no person has waived.
    pub tampering: &'a [Finding],
    /// The change touches the product, not only documents and tests.
    pub changes_product: bool,
}

/// The gates without which no story passes, whatever the configuration says (STORY-1.2).
const HARD_GATES: [GateKind; 2] = [GateKind::Typecheck, GateKind::Build];

/// Judges an update.
///
/// A rejected update changes nothing that is kept. An accepted one passes exactly when the agent
/// claims it, every criterion is proven on this tree as strongly as it needs, every hard gate is
/// green on it, the scope guard accepts the change, and nothing was done to the tests.
pub fn judge(story: &Story, update: &StoryUpdate, facts: ClaimFacts<'_>) -> ClaimVerdict {
    let mut findings = strangers(story, update);
    let is_rejected = !findings.is_empty() || refuses(facts.scope, update);
    findings.extend_from_slice(facts.scope_findings);
    findings.extend(scope(facts));
    let kept =
        if is_rejected { facts.kept.clone() } else { merge(facts.kept, update, facts.evidence) };

    let mut ac_status = BTreeMap::new();
    let shared = shared(story, &kept);
    for criterion in &story.criteria {
        let known = kept.get(&criterion.id).cloned().unwrap_or_default();
        let label = label(&known, facts.tree);
        let need = needed(criterion, &known);
        let mut doubts = doubts(criterion, &known, label);
        if label == EvidenceLabel::Reproduced {
            doubts.extend(weakness(criterion, &known, need));
            let is_shared = shared.contains(&criterion.id);
            doubts.extend(is_shared.then(|| about(criterion, Remark::Shared(criterion.id))));
        }
        let passes = doubts.is_empty()
            && label == EvidenceLabel::Reproduced
            && known.claim.is_claimed()
            && known.claim.is_checkable();
        if !is_rejected {
            findings.extend(doubts);
            findings.extend(remark(criterion, &known, label));
        }
        ac_status.insert(criterion.id, status(&known, label, Some(need), passes));
    }
    let mut passes = !is_rejected && update.passes;
    if passes && ac_status.values().all(|it| it.passes) && is_nothing_shown(&ac_status, facts) {
        findings.push(Remark::NothingShown.finding("AC"));
        passes = false;
    }
    if passes {
        let gates = gates(update, facts);
        passes = gates.is_empty();
        findings.extend(gates);
    }
    findings.extend_from_slice(facts.tampering);
    passes = passes
        && !ac_status.is_empty()
        && ac_status.values().all(|it| it.passes)
        && facts.scope == ScopeOutcome::Accepted
        && facts.tampering.iter().all(|it| it.severity > Severity::P1);
    ClaimVerdict {
        result: if is_rejected { ClaimResult::Reject } else { ClaimResult::Accept },
        passes,
        original_passes: update.passes,
        ac_status,
        kept,
        findings,
    }
}

/// The finding about a worktree that changed while it was checked.
pub fn moved() -> Finding {
    Remark::Moved.finding("")
}

/// The finding about a lock file that is not installed: a notice, because what needs it fails.
pub fn not_prepared(lock_file: &str, message: Text) -> Finding {
    Finding {
        rule: code::NOT_PREPARED.into(),
        severity: Severity::P2,
        subject: lock_file.to_owned(),
        message,
        hint: None,
    }
}

/// Whether the scope guard refuses the update as a whole.
///
/// Over the hard limit, and where nothing could be measured, every update is refused. An
/// explanation is required of an update that claims something, and not of a report on the way.
fn refuses(scope: ScopeOutcome, update: &StoryUpdate) -> bool {
    match scope {
        ScopeOutcome::Accepted => false,
        ScopeOutcome::Unexplained | ScopeOutcome::Reassess => update.claims_something(),
        ScopeOutcome::Split | ScopeOutcome::Unverifiable => true,
    }
}

/// The outcome of the scope guard, where none of its own findings explains it.
fn scope(facts: ClaimFacts<'_>) -> Option<Finding> {
    let is_explained = facts.scope_findings.iter().any(|it| it.severity <= Severity::P1);
    Remark::scope(facts.scope).filter(|_| !is_explained).map(|it| it.finding("scope"))
}

/// Why a criterion cannot pass, apart from its label.
pub(super) fn doubts(
    criterion: &Criterion,
    known: &KeptEvidence,
    label: EvidenceLabel,
) -> Vec<Finding> {
    let id = criterion.id.to_string();
    let mut doubts: Vec<Finding> = shortcoming(criterion, &known.claim).into_iter().collect();
    if let Some(command) = &known.claim.command {
        doubts.extend(tampering::command(&id, command));
        // A command that a person wrote into the plan is not restricted.
        let is_of_plan = criterion.verify.as_ref() == Some(command);
        let unfit = tampering::inadmissible(&id, command).filter(|_| !is_of_plan);
        let is_known = |it: &Finding| doubts.iter().any(|doubt| doubt.rule == it.rule);
        let unfit = unfit.filter(|it| !is_known(it));
        doubts.extend(unfit);
    }
    let collected = known.result.as_ref().and_then(|it| it.tests.collected);
    if label == EvidenceLabel::Reproduced && collected == Some(0) {
        doubts.push(Remark::NoTests(criterion.id).finding(&id));
    }
    doubts
}

/// What a criterion needs, with what is known of the plan's command.
pub(super) fn needed(criterion: &Criterion, known: &KeptEvidence) -> ProofNeed {
    let proof = known.result.as_ref().and_then(|it| it.proof.as_ref());
    proof::need(criterion, proof.and_then(|it| it.verify_on_base))
}

/// Why evidence that was reproduced does not prove enough.
fn weakness(criterion: &Criterion, known: &KeptEvidence, need: ProofNeed) -> Vec<Finding> {
    let id = criterion.id;
    let Some(proof) = known.result.as_ref().and_then(|it| it.proof.as_ref()) else {
        // An earlier version ran it, and did not look further.
        return vec![about(criterion, Remark::NotRun(id))];
    };
    if need.is_met_by(proof.label) {
        return Vec::new();
    }
    let accusing = proof.findings.iter().map(|it| {
        let finding = it.text();
        about(criterion, Remark::Proof { id, code: it.code, finding: &finding })
    });
    let accusing: Vec<Finding> = accusing.collect();
    if !accusing.is_empty() {
        return accusing;
    }
    let why = proof::reason(proof.label);
    let (has, need) = (proof.label.as_str(), need.label().as_str());
    vec![about(criterion, Remark::Weak { id, has, need, why: &why })]
}

/// Whether the product changed and no criterion shows what the change does, although one has to.
fn is_nothing_shown(
    statuses: &BTreeMap<CriterionId, CriterionStatus>,
    facts: ClaimFacts<'_>,
) -> bool {
    let is_shown = |it: &CriterionStatus| it.proof.is_some_and(|it| ProofNeed::Shown.is_met_by(it));
    let only_holds = statuses.values().all(|it| it.need == Some(ProofNeed::Holds));
    facts.changes_product && !only_holds && !statuses.values().any(is_shown)
}

fn about(criterion: &Criterion, remark: Remark<'_>) -> Finding {
    remark.finding(&criterion.id.to_string())
}

/// What the label of a claimed criterion means; nothing for one that was reproduced as claimed.
fn remark(criterion: &Criterion, known: &KeptEvidence, label: EvidenceLabel) -> Option<Finding> {
    let id = criterion.id;
    if !known.claim.is_claimed() || !known.claim.is_checkable() {
        return None;
    }
    let result = known.result.as_ref();
    let remark = match label {
        EvidenceLabel::Reproduced => {
            let differs = result.and_then(|it| it.output_matches) == Some(false);
            return differs.then(|| Remark::OutputDiffers(id).finding(&id.to_string()));
        }
        EvidenceLabel::Contradicted => match result.and_then(|it| it.exit_code) {
            Some(exit) => Remark::Exited { id, exit },
            None => Remark::Contradicted(id),
        },
        EvidenceLabel::Stale => Remark::Stale(id),
        EvidenceLabel::NotRun => Remark::NotRun(id),
    };
    Some(remark.noted(id, result.and_then(EvidenceResult::note)))
}

/// What keeps the gates from being green.
fn gates(update: &StoryUpdate, facts: ClaimFacts<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for kind in HARD_GATES {
        if !facts.gates.iter().any(|it| it.kind == kind) {
            findings.push(Remark::GateNotRun(kind.as_str()).finding(kind.as_str()));
        }
    }
    let is_needed = |it: &&GateResult| it.required || HARD_GATES.contains(&it.kind);
    for result in facts.gates.iter().filter(is_needed) {
        let name = if result.name.is_empty() { result.kind.as_str() } else { &result.name };
        let failed = Remark::gate_failed(name, result.exit_code);
        let remark = match result.outcome {
            GateOutcome::NotApplicable => continue,
            GateOutcome::Passed if result.exit_code.is_some_and(|it| it != 0) => failed,
            GateOutcome::Passed if result.tree == *facts.tree => continue,
            GateOutcome::Passed => Remark::GateOnOtherTree(name),
            GateOutcome::Failed => failed,
            GateOutcome::NotRun => Remark::GateNotRun(name),
            GateOutcome::NotConfigured => Remark::GateNotConfigured(name),
        };
        findings.push(remark.finding(name));
    }
    // An agent that admits a failed gate is believed.
    let admitted = update.gates.iter().filter(|(_, it)| !it.passed);
    for (kind, _) in admitted {
        let name = kind.as_str();
        if !findings.iter().any(|it| it.rule == code::GATE_FAILED && it.subject == name) {
            findings.push(Remark::GateFailed(name).finding(name));
        }
    }
    findings
}
