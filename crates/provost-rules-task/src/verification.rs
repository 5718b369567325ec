//! What a branch is worth without an agent: the verdict of `provost verify`.
//!
//! The facts are those of an attempt and are weighed by the same rule, without a judge.
//! What a person would be asked in a task stays a question.

mod error;
mod note;

use provost_kernel::{
    Finding, Severity,
    task::{
        CheckKind, ProofCode, ProofEffect, ProofFinding, ProofLabel, Standing, Strictness,
        TestProof, VerdictDecision, VerifyOutcome,
    },
};

pub use self::{
    error::VerifyError,
    note::{BranchPermission, VerifyNote},
};
use crate::score::{MachineFacts, lower};

/// What is known of a branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BranchFacts<'a> {
    /// What the policy objects to: nothing of the change was run then.
    pub is_refused_by_policy: bool,
    /// The test, what speaks against it, and what a person would be asked.
    pub machine: MachineFacts,
    /// Whether a check besides the test is left open: it could not be run, or is red on the base.
    pub has_gaps: bool,
    /// What the green test proves; none where it is red or was not run.
    pub proof: Option<&'a TestProof>,
}

/// What becomes of a branch, and how strong the evidence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchVerdict {
    pub outcome: VerifyOutcome,
    pub label: ProofLabel,
}

/// Judges a branch by its facts.
pub fn judge(facts: &BranchFacts<'_>, strictness: Strictness) -> BranchVerdict {
    let label = match (facts.proof, facts.machine.test_rc) {
        (Some(proof), _) => proof.label,
        (None, Some(rc)) if rc != 0 => ProofLabel::Contradicted,
        (None, _) => ProofLabel::NotRun,
    };
    let decision = lower(VerdictDecision::Pass, &[], &facts.machine).decision;
    let has_gaps = facts.has_gaps || facts.proof.is_none_or(|it| !gaps(it).is_empty());
    let outcome = match decision {
        _ if facts.is_refused_by_policy => VerifyOutcome::Refused,
        VerdictDecision::Fail => VerifyOutcome::Refused,
        VerdictDecision::NeedUserInput => VerifyOutcome::NeedsPerson,
        // What was not put to the proof is never passed.
        VerdictDecision::Pass if label == ProofLabel::NotRun => VerifyOutcome::NeedsPerson,
        VerdictDecision::Pass if has_gaps && strictness == Strictness::NoGaps => {
            VerifyOutcome::Refused
        }
        VerdictDecision::Pass => VerifyOutcome::Passed,
    };
    BranchVerdict { outcome, label }
}

/// What a green test leaves open: it does not show the change, or does not always say the same.
pub fn gaps(proof: &TestProof) -> Vec<ProofFinding> {
    let is_gap = |it: ProofCode| it.is_gap() || it.leaves_open() || it == ProofCode::Flaky;
    proof.findings.iter().filter(|it| is_gap(it.code)).cloned().collect()
}

/// What a green test proves, in one line; what speaks against it comes first.
pub fn proof_note(proof: &TestProof, against: &[ProofFinding]) -> (Standing, VerifyNote) {
    let label = proof.label.as_str();
    let n_new = proof.new_tests.as_ref().map(Vec::len);
    let gaps = gaps(proof);
    match (against.first().or(gaps.first()), proof.label, n_new) {
        (Some(finding), ..) => {
            let found = VerifyNote::Found { label, finding: finding.text() };
            let is_against = !against.is_empty();
            (if is_against { Standing::Failed } else { Standing::NotVerified }, found)
        }
        (None, ProofLabel::Proven | ProofLabel::Shown, Some(n)) if n > 0 => {
            (Standing::Verified, VerifyNote::Shown { label, n })
        }
        (None, ProofLabel::Proven | ProofLabel::Shown, _) => {
            (Standing::Verified, VerifyNote::ShownByExit { label })
        }
        (None, ..) => (Standing::NotVerified, VerifyNote::Label { label }),
    }
}

/// A finding of the proof, as every gate says it.
pub fn proof_finding(finding: &ProofFinding) -> Finding {
    Finding {
        rule: finding.code.as_str().into(),
        severity: match finding.code.effect() {
            ProofEffect::Hollow => Severity::P0,
            ProofEffect::NotProven => Severity::P1,
            ProofEffect::Notice => Severity::P2,
        },
        subject: String::new(),
        message: finding.text(),
        hint: None,
    }
}

/// The name under which every report has a check that a branch broke.
pub fn check_rule(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::Lint => "task.verify.lint",
        CheckKind::Types => "task.verify.types",
        CheckKind::Build => "task.verify.build",
    }
}

/// A place in a file of the branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePosition {
    pub path: String,
    pub line: Option<u32>,
}

/// Where a subject lies: a path, `PATH:LINE`, or the `PATH::NAME` of a test.
pub fn locate(subject: &str, is_file: &dyn Fn(&str) -> bool) -> Option<FilePosition> {
    let position = |path: &str, line| FilePosition { path: path.to_owned(), line };
    if is_file(subject) {
        return Some(position(subject, None));
    }
    if let Some((path, line)) = subject.rsplit_once(':')
        && let (true, Ok(line)) = (is_file(path), line.parse())
    {
        return Some(position(path, Some(line)));
    }
    let (path, _) = subject.split_once("::")?;
    is_file(path).then(|| position(path, None))
}

#[cfg(test)]
mod tests {
    use provost_kernel::task::{CheckKind, ProofLevel, ProofRequirement};

    use super::*;
    use crate::{checks::BrokenCheck, score::Ask};

    fn proof(label: ProofLabel, codes: &[ProofCode]) -> TestProof {
        TestProof {
            level: ProofLevel::Standard,
            command: "make test".to_owned(),
            label,
            runs: Vec::new(),
            findings: codes.iter().map(|it| ProofFinding::whole(*it)).collect(),
            changed_tests: Vec::new(),
            digest: None,
            new_tests: None,
        }
    }

    fn asks() -> Vec<Ask> {
        vec![Ask::Planted { path: "AGENTS.md".to_owned(), reader: "Codex".to_owned() }]
    }

    /// What is known of a branch whose test is green and proves this.
    fn green(proof: &TestProof, asks: Vec<Ask>) -> BranchFacts<'_> {
        let machine = MachineFacts {
            test_rc: Some(0),
            test_findings: proof.against(ProofRequirement::Holds),
            asks,
            ..MachineFacts::default()
        };
        BranchFacts { is_refused_by_policy: false, machine, has_gaps: false, proof: Some(proof) }
    }

    #[track_caller]
    fn check(facts: &BranchFacts<'_>, expected: [&str; 2], label: &str) {
        for (strictness, expected) in [Strictness::AsTask, Strictness::NoGaps].iter().zip(expected)
        {
            let verdict = judge(facts, *strictness);
            let actual = (verdict.outcome.as_str(), verdict.label.as_str());
            assert_eq!(actual, (expected, label), "{facts:?} {strictness:?}");
        }
    }

    #[test]
    fn a_branch_is_judged_by_its_facts() {
        use ProofCode::{CommentsOnly, CountsUnknown, Flaky, NothingNew, PlantBlind, TestsGone};
        use ProofLabel::{Contradicted, Holds, Hollow, NotRun, Present, Proven, Shown};
        let of = |label, codes: &[ProofCode], expected, word| {
            check(&green(&proof(label, codes), Vec::new()), expected, word);
        };
        of(Proven, &[], ["passed"; 2], "PROVEN");
        of(Proven, &[CountsUnknown], ["passed"; 2], "PROVEN");
        of(Shown, &[], ["passed"; 2], "SHOWN");
        of(Shown, &[Flaky], ["passed", "refused"], "SHOWN");
        of(Shown, &[ProofCode::TestsMoved], ["passed", "refused"], "SHOWN");
        of(Holds, &[NothingNew], ["passed", "refused"], "HOLDS");
        of(Present, &[CommentsOnly], ["passed", "refused"], "PRESENT");
        of(Contradicted, &[TestsGone], ["refused"; 2], "CONTRADICTED");
        of(Hollow, &[PlantBlind], ["refused"; 2], "HOLLOW");
        of(NotRun, &[ProofCode::NotPrepared], ["needs_person"; 2], "NOT_RUN");

        let proven = proof(Proven, &[]);
        check(&green(&proven, asks()), ["needs_person"; 2], "PROVEN");
        let weak = proof(Contradicted, &[TestsGone]);
        check(&green(&weak, asks()), ["refused"; 2], "CONTRADICTED");

        let open = BranchFacts { has_gaps: true, ..green(&proven, Vec::new()) };
        check(&open, ["passed", "refused"], "PROVEN");
        let broken = BrokenCheck { kind: CheckKind::Types, command: "mypy .".to_owned(), rc: 1 };
        let mut facts = green(&proven, asks());
        facts.machine.broken_checks.push(broken);
        check(&facts, ["refused"; 2], "PROVEN");

        let machine = MachineFacts { test_rc: Some(1), asks: asks(), ..Default::default() };
        let red = BranchFacts { machine, ..Default::default() };
        check(&red, ["refused"; 2], "CONTRADICTED");
        let unsafe_change = BranchFacts { is_refused_by_policy: true, ..Default::default() };
        check(&unsafe_change, ["refused"; 2], "NOT_RUN");
        // Nothing is known: nothing is passed.
        check(&BranchFacts::default(), ["needs_person"; 2], "NOT_RUN");
    }

    #[test]
    fn a_subject_is_found_in_its_file() {
        let is_file = |path: &str| ["a.py", "t/test_a.py", "odd:1"].contains(&path);
        let check = |subject: &str, expected: Option<(&str, Option<u32>)>| {
            let found = locate(subject, &is_file);
            let found = found.as_ref().map(|it| (it.path.as_str(), it.line));
            assert_eq!(found, expected, "{subject}");
        };
        check("a.py", Some(("a.py", None)));
        check("a.py:12", Some(("a.py", Some(12))));
        check("odd:1", Some(("odd:1", None)));
        check("odd:1:4", Some(("odd:1", Some(4))));
        check("t/test_a.py::Sum::test_one", Some(("t/test_a.py", None)));
        check("b.py", None);
        check("a.py:x", None);
        check("b.py::test", None);
        check("", None);
    }

    #[test]
    fn a_finding_of_the_proof_has_its_weight() {
        let severity = |code| proof_finding(&ProofFinding::whole(code)).severity;
        assert_eq!(severity(ProofCode::PlantBlind), Severity::P0);
        assert_eq!(severity(ProofCode::TestsGone), Severity::P1);
        assert_eq!(severity(ProofCode::NothingNew), Severity::P2);
        assert_eq!(proof_finding(&ProofFinding::whole(ProofCode::Flaky)).rule, "FLAKY");
    }
}
