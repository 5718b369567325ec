use provost_kernel::{Lang, Timestamp, story::TreeId, task::VerdictDecision};
use provost_rules_story::claim::read_story;
use serde_json::json;

use super::{CheckOutcome as Check, *};
use crate::score::{Because, lower};

const STORY: &str =
    r#"{"id": "US-001", "title": "Greet", "acceptanceCriteria": ["says hello", "is checked"]}"#;

fn story() -> Story {
    read_story(STORY.as_bytes()).unwrap()
}

fn tree() -> TreeId {
    TreeId("t".to_owned())
}

/// What was found where the two criteria have these labels, and pass if they were reproduced.
struct Look {
    statuses: BTreeMap<CriterionId, CriterionStatus>,
    evidence: BTreeMap<CriterionId, EvidenceResult>,
}

impl Look {
    fn new(labels: [EvidenceLabel; 2]) -> Self {
        let ids: Vec<CriterionId> = story().criteria.iter().map(|it| it.id).collect();
        let pairs = || ids.iter().copied().zip(labels);
        let status = |label| CriterionStatus {
            passes: label == EvidenceLabel::Reproduced,
            label,
            proof: None,
            need: None,
            evidence: None,
            command: Some("make check".to_owned()),
            output: None,
            claimed_output: None,
            files: Vec::new(),
            tests: Vec::new(),
            blocked_reason: None,
        };
        let result = |label: EvidenceLabel| {
            let exit_code = i32::from(label != EvidenceLabel::Reproduced);
            let json = json!({"label": label, "tree": "t", "exitCode": exit_code});
            serde_json::from_value::<EvidenceResult>(json).unwrap()
        };
        Self {
            statuses: pairs().map(|(id, it)| (id, status(it))).collect(),
            evidence: pairs().map(|(id, it)| (id, result(it))).collect(),
        }
    }

    fn found(&self, passes: bool, scope: ScopeOutcome) -> Found<'_> {
        let is_taken = scope == ScopeOutcome::Accepted;
        let (statuses, evidence) = (&self.statuses, &self.evidence);
        Found { is_taken, passes, statuses, evidence, scope: Some(scope) }
    }
}

fn proofs(stories: Vec<StoryProof>) -> Proofs {
    Proofs {
        task_id: "t1".parse().unwrap(),
        attempt: 1,
        checked_at: Timestamp::EPOCH,
        plan: "plan.md".to_owned(),
        plan_digest: None,
        commit: "c".to_owned(),
        stories,
        findings: Vec::new(),
    }
}

fn gate(kind: GateKind, outcome: GateOutcome) -> GateResult {
    GateResult {
        kind,
        name: String::new(),
        command: None,
        outcome,
        exit_code: (outcome == GateOutcome::Failed).then_some(2),
        tree: tree(),
        required: true,
    }
}

/// Weighs one story beside an approval of the judge, and says what spoke against it.
#[track_caller]
fn check(proof: StoryProof, expected: &[&str], standing: Standing, shown: &str) {
    let proofs = proofs(vec![proof]);
    let mut facts = MachineFacts { test_rc: Some(0), ..MachineFacts::default() };
    weigh(&proofs, &mut facts);
    let lowered = lower(VerdictDecision::Pass, &[], &facts);
    let against: Vec<String> = lowered.because.iter().map(|it| it.text().to_string()).collect();
    assert_eq!(against, expected, "{proofs:?}");
    let decision = if expected.is_empty() { VerdictDecision::Pass } else { VerdictDecision::Fail };
    assert_eq!(lowered.decision, decision, "{proofs:?}");
    let (found, detail) = checked(&proofs);
    assert_eq!((found, detail.to_string().as_str()), (standing, shown));
    assert!(!Lang::Zh.render(&detail).is_ascii());
}

const ONE: &str = "the acceptance criterion `US-001 AC-1` is not proven";
const TWO: &str = "the acceptance criterion `US-001 AC-2` is not proven";
const SCOPE: &str = "the change is too large or not explained";
const OPEN: &str = "the story `US-001` is not done";

/// STORY-6.1: a task is ready only when every criterion is proven, whatever the judge says.
#[test]
fn an_approval_stands_only_if_everything_is_proven() {
    use EvidenceLabel::{Contradicted, NotRun, Reproduced, Stale};
    let accepted = ScopeOutcome::Accepted;
    let of = |labels, passes, scope| proof(&story(), Some(Look::new(labels).found(passes, scope)));
    check(of([Reproduced; 2], true, accepted), &[], Standing::Verified, "US-001 2/2 AC");
    for (labels, against, shown) in [
        ([Reproduced, Contradicted], vec![TWO], "US-001 1/2 AC"),
        ([Stale, Reproduced], vec![ONE], "US-001 1/2 AC"),
        ([NotRun, Contradicted], vec![ONE, TWO], "US-001 0/2 AC"),
    ] {
        // No other statement makes up for a criterion.
        for passes in [false, true] {
            check(of(labels, passes, accepted), &against, Standing::Failed, shown);
        }
    }
    let shown = "no claim was submitted: US-001 0/2 AC";
    check(proof(&story(), None), &[ONE, TWO], Standing::NotVerified, shown);
    // Tests that were made easier, or a gate that is not configured.
    let shown = "US-001 2/2 AC (not done)";
    check(of([Reproduced; 2], false, accepted), &[OPEN], Standing::Failed, shown);
}

/// STORY-3.4: what a refused claim leaves in place is of another tree, and proves nothing.
#[test]
fn a_refused_claim_proves_nothing() {
    let look = Look::new([EvidenceLabel::Reproduced; 2]);
    for scope in [
        ScopeOutcome::Unexplained,
        ScopeOutcome::Reassess,
        ScopeOutcome::Split,
        ScopeOutcome::Unverifiable,
    ] {
        let proof = proof(&story(), Some(look.found(true, scope)));
        assert!(proof.criteria.iter().all(|it| it.label == EvidenceLabel::NotRun));
        check(proof, &[SCOPE, ONE, TWO], Standing::Failed, "US-001 0/2 AC");
    }
}

/// STORY-1.2: a gate that failed is a fact of its own.
#[test]
fn the_worst_gate_counts() {
    use GateOutcome::{Failed, NotApplicable, NotConfigured, NotRun, Passed};
    let look = Look::new([EvidenceLabel::Reproduced; 2]);
    let with = |gates: &[(GateKind, GateOutcome)]| {
        let proof = proof(&story(), Some(look.found(true, ScopeOutcome::Accepted)));
        let gates = gates.iter().map(|(kind, it)| gate(*kind, *it)).collect();
        let mut facts = MachineFacts::default();
        weigh(&proofs(vec![StoryProof { gates, ..proof }]), &mut facts);
        (facts.typecheck, facts.build)
    };
    let (types, build) = (GateKind::Typecheck, GateKind::Build);
    assert_eq!(with(&[]), (Check::NotRun, Check::NotRun));
    assert_eq!(with(&[(types, Passed), (build, NotRun)]), (Check::Passed, Check::NotRun));
    assert_eq!(with(&[(types, Failed), (types, Passed)]), (Check::Failed, Check::NotRun));
    assert_eq!(with(&[(build, Passed), (build, Failed)]), (Check::NotRun, Check::Failed));
    assert_eq!(with(&[(build, NotApplicable), (types, NotConfigured)]).1, Check::NotRun);
    assert_eq!(with(&[(GateKind::Lint, Failed)]), (Check::NotRun, Check::NotRun));
}

#[test]
fn every_story_counts() {
    let look = Look::new([EvidenceLabel::Reproduced; 2]);
    let done = proof(&story(), Some(look.found(true, ScopeOutcome::Accepted)));
    let mut other = story();
    other.id = "US-002".parse().unwrap();
    let both = proofs(vec![done, proof(&other, None)]);
    let mut facts = MachineFacts::default();
    weigh(&both, &mut facts);
    assert_eq!(facts.unproven_criteria, ["US-002 AC-1", "US-002 AC-2"]);
    let (standing, detail) = checked(&both);
    assert_eq!(standing, Standing::Failed);
    assert_eq!(detail.to_string(), "US-001 2/2 AC, US-002 0/2 AC");
    assert_eq!(Lang::Zh.render(&detail), "US-001 完成 2/2 AC、US-002 完成 0/2 AC");
    let open = Because::OpenStory { story: "US-002".to_owned() };
    assert_eq!(Lang::Zh.render(&open.text()), "故事 `US-002` 未完成");
}

#[test]
fn a_judge_reads_labels_and_exit_codes_and_the_next_attempt_what_to_do() {
    let look = Look::new([EvidenceLabel::Reproduced, EvidenceLabel::Contradicted]);
    let mut one = proof(&story(), Some(look.found(false, ScopeOutcome::Accepted)));
    one.gates = vec![gate(GateKind::Build, GateOutcome::Failed)];
    one.proposal = vec![vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned()]];
    let finding = |severity, hint: Option<&str>| Finding {
        rule: "EVIDENCE_MISMATCH".into(),
        severity,
        subject: "AC-2".to_owned(),
        message: "it ended with exit code 1".into(),
        hint: hint.map(str::to_owned).map(Into::into),
    };
    one.findings = vec![
        finding(Severity::P1, Some("run it")),
        finding(Severity::P1, Some("run it")),
        finding(Severity::P2, None),
    ];
    let mut all = proofs(vec![one]);
    all.findings = vec![ClaimProblem::Unreadable { why: "odd".into() }.finding()];
    let text = lines(&all);
    let (_, facts) = text.split_once('\n').unwrap();
    assert_eq!(
        facts,
        "US-001: 1 of 2 criteria proven, not done\n\
         US-001 AC-1: proven (REPRODUCED, exit code 0)\n\
         US-001 AC-2: not proven (CONTRADICTED, exit code 1)\n\
         US-001 build: failed, exit code 2\n\
         US-001 scope: accept\n",
    );
    assert!(claims(&all).contains("US-001 AC-2: is checked\n  command: make check\n"));
    assert_eq!(
        feedback(&all),
        [
            "task.claim.unreadable: cannot read the submitted claims: odd (submit one JSON object, or a list with one for each story)",
            "EVIDENCE_MISMATCH US-001 AC-2: it ended with exit code 1 (run it)",
            "a way to split the change: a, b",
            "a way to split the change: c",
        ],
    );
    assert_eq!(findings(&all).len(), 4);
}
