use std::collections::BTreeMap;

use provost_kernel::{
    Finding, Severity,
    story::{
        ClaimResult, ClaimVerdict, CriterionId, EvidenceLabel, EvidenceProof, EvidenceResult,
        GateKind, GateOutcome, GateResult, KeptEvidence, ScopeOutcome, Story, StoryUpdate,
        TestFacts, TreeId,
    },
    task::{ProofCode, ProofFinding, ProofLabel},
};
use serde_json::{Value, json};

use super::*;
use crate::update;

fn story() -> Story {
    read_story(br#"{"id": "US-001", "acceptanceCriteria": ["a", "b"]}"#).unwrap()
}

fn id(number: u16) -> CriterionId {
    CriterionId::try_from(number).unwrap()
}

fn tree(name: &str) -> TreeId {
    TreeId(name.to_owned())
}

/// An update of US-001 with these claims.
fn claims(passes: bool, criteria: Value) -> StoryUpdate {
    let update = json!({"storyId": "US-001", "passes": passes, "acStatus": criteria});
    update::parse(update.to_string().as_bytes()).unwrap()
}

fn proven() -> StoryUpdate {
    claims(true, json!({"AC-1": {"command": "make a"}, "AC-2": {"command": "make b"}}))
}

fn result(label: EvidenceLabel, on: &str) -> EvidenceResult {
    EvidenceResult {
        label,
        tree: tree(on),
        exit_code: None,
        tests: TestFacts::default(),
        base: None,
        proof: Some(EvidenceProof {
            label: ProofLabel::Shown,
            findings: Vec::new(),
            new_tests: None,
            verify_on_base: None,
        }),
        output: None,
        output_matches: None,
        note: None,
        note_code: None,
        note_args: None,
    }
}

fn gate(kind: GateKind, outcome: GateOutcome) -> GateResult {
    let required = matches!(kind, GateKind::Typecheck | GateKind::Build);
    GateResult {
        kind,
        name: String::new(),
        command: None,
        outcome,
        exit_code: None,
        tree: tree("t"),
        required,
    }
}

/// Everything green, on the tree `t`; a test changes what it is about.
struct World {
    kept: BTreeMap<CriterionId, KeptEvidence>,
    evidence: BTreeMap<CriterionId, EvidenceResult>,
    gates: Vec<GateResult>,
    scope: ScopeOutcome,
    scope_findings: Vec<Finding>,
    tampering: Vec<Finding>,
    tree: TreeId,
    changes_product: bool,
}

impl World {
    fn green() -> Self {
        let reproduced = || result(EvidenceLabel::Reproduced, "t");
        Self {
            kept: BTreeMap::new(),
            evidence: [(id(1), reproduced()), (id(2), reproduced())].into(),
            gates: vec![
                gate(GateKind::Typecheck, GateOutcome::Passed),
                gate(GateKind::Build, GateOutcome::Passed),
            ],
            scope: ScopeOutcome::Accepted,
            scope_findings: Vec::new(),
            tampering: Vec::new(),
            tree: tree("t"),
            changes_product: true,
        }
    }

    fn facts(&self) -> ClaimFacts<'_> {
        ClaimFacts {
            tree: &self.tree,
            kept: &self.kept,
            evidence: &self.evidence,
            gates: &self.gates,
            scope: self.scope,
            scope_findings: &self.scope_findings,
            tampering: &self.tampering,
            changes_product: self.changes_product,
        }
    }

    fn judge(&self, update: &StoryUpdate) -> ClaimVerdict {
        judge(&story(), update, self.facts())
    }

    /// Accepted, with the story and its criteria as said, for these reasons.
    #[track_caller]
    fn check(&self, update: &StoryUpdate, passes: bool, criteria: [bool; 2], rules: &[&str]) {
        let verdict = self.judge(update);
        assert_eq!(verdict.result, ClaimResult::Accept, "{verdict:?}");
        assert_eq!(verdict.passes, passes, "{verdict:?}");
        let found = verdict.ac_status.values().map(|it| it.passes).collect::<Vec<_>>();
        assert_eq!(found, criteria, "{verdict:?}");
        assert_eq!(said(&verdict.findings), rules, "{verdict:?}");
    }

    #[track_caller]
    fn check_rejected(&self, update: &StoryUpdate, rules: &[&str]) {
        let verdict = self.judge(update);
        assert_eq!((verdict.result, verdict.passes), (ClaimResult::Reject, false), "{verdict:?}");
        assert_eq!(verdict.kept, self.kept, "a rejected update changes nothing");
        assert_eq!(said(&verdict.findings), rules, "{verdict:?}");
    }
}

fn said(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|it| format!("{} {}", it.rule, it.subject)).collect()
}

/// STORY-1.1 to STORY-1.3: what passes has everything.
#[test]
fn a_story_passes_when_everything_was_reproduced() {
    World::green().check(&proven(), true, [true, true], &[]);
}

/// STORY-1.3, STORY-1.5, STORY-6.1: the call is taken, and the criterion is false.
#[test]
fn a_criterion_without_checkable_evidence_is_false() {
    let world = World::green();
    let with = |claim: Value| claims(true, json!({"AC-1": {"command": "make a"}, "AC-2": claim}));
    let unverified = ["EVIDENCE_UNVERIFIED AC-2"];
    for claim in [
        json!({"evidence": "I think it is done"}),
        json!({"passes": true, "evidence": "done", "output": "12 passed"}),
        json!({"passes": true, "output": "12 passed"}),
    ] {
        world.check(&with(claim), false, [true, false], &unverified);
    }
    let missing = ["EVIDENCE_MISSING AC-2"];
    for claim in [json!({}), json!({"passes": true}), json!({"passes": false, "command": "make b"})]
    {
        world.check(&with(claim), false, [true, false], &missing);
    }
    let blocked = with(json!({"blockedReason": "no network", "command": "make b"}));
    world.check(&blocked, false, [true, false], &[]);
    let verdict = world.judge(&blocked);
    assert_eq!(verdict.ac_status[&id(2)].blocked_reason.as_deref(), Some("no network"));
    let one = claims(true, json!({"AC-1": {"command": "make a"}}));
    world.check(&one, false, [true, false], &missing);
    // Files and tests are evidence, too, when provost looked at them.
    let others = claims(true, json!({"AC-1": {"files": ["a.rs"]}, "AC-2": {"tests": "adds"}}));
    world.check(&others, true, [true, true], &[]);
}

/// A label decides; an exit code decides over a label.
#[test]
fn only_what_was_reproduced_on_this_tree_passes() {
    use EvidenceLabel::{Contradicted, NotRun, Reproduced, Stale};
    let check = |changed: EvidenceResult, label: EvidenceLabel, rule: &str| {
        let mut world = World::green();
        world.evidence.insert(id(2), changed);
        let rule = format!("{rule} AC-2");
        world.check(&proven(), false, [true, false], &[&rule]);
        assert_eq!(world.judge(&proven()).ac_status[&id(2)].label, label);
    };
    check(result(Contradicted, "t"), Contradicted, "EVIDENCE_MISMATCH");
    check(result(NotRun, "t"), NotRun, "EVIDENCE_UNVERIFIED");
    check(result(Reproduced, "other"), Stale, "EVIDENCE_STALE");
    check(result(Contradicted, "other"), Stale, "EVIDENCE_STALE");
    let failed = EvidenceResult { exit_code: Some(1), ..result(Reproduced, "t") };
    check(failed, Contradicted, "EVIDENCE_MISMATCH");
    let none = TestFacts { collected: Some(0), skipped: None };
    let empty = EvidenceResult { tests: none, ..result(Reproduced, "t") };
    check(empty, Reproduced, "EVIDENCE_UNVERIFIED");

    let mut world = World::green();
    world.evidence.remove(&id(2));
    world.check(&proven(), false, [true, false], &["EVIDENCE_UNVERIFIED AC-2"]);
    // Another output than was claimed is a remark: the exit code is what counts.
    let other = EvidenceResult { output_matches: Some(false), ..result(Reproduced, "t") };
    world.evidence.insert(id(2), EvidenceResult { exit_code: Some(0), ..other });
    world.check(&proven(), true, [true, true], &["EVIDENCE_MISMATCH AC-2"]);
}

/// STORY-1.2: typecheck and build, run by provost, on this tree.
#[test]
fn a_story_needs_green_gates() {
    use GateKind::{Build, Lint, Test, Typecheck};
    use GateOutcome::{Failed, NotApplicable, NotConfigured, NotRun, Passed};
    let check = |gates: Vec<GateResult>, passes: bool, rules: &[&str]| {
        let world = World { gates, ..World::green() };
        world.check(&proven(), passes, [true, true], rules);
    };
    let build = || gate(Build, Passed);
    check(vec![], false, &["GATE_NOT_RUN typecheck", "GATE_NOT_RUN build"]);
    check(vec![build()], false, &["GATE_NOT_RUN typecheck"]);
    check(vec![gate(Typecheck, Failed), build()], false, &["GATE_FAILED typecheck"]);
    check(vec![gate(Typecheck, NotRun), build()], false, &["GATE_NOT_RUN typecheck"]);
    check(vec![gate(Typecheck, NotConfigured), build()], false, &["GATE_NOT_CONFIGURED typecheck"]);
    check(vec![gate(Typecheck, NotApplicable), build()], true, &[]);
    let elsewhere = GateResult { tree: tree("other"), ..gate(Typecheck, Passed) };
    check(vec![elsewhere, build()], false, &["TREE_CHANGED_DURING_CHECK typecheck"]);
    let red = GateResult { exit_code: Some(2), ..gate(Typecheck, Passed) };
    check(vec![red, build()], false, &["GATE_FAILED typecheck"]);
    // A hard gate is one whatever the configuration says; others are as they are configured.
    let soft = GateResult { required: false, ..gate(Typecheck, Failed) };
    check(vec![soft, build()], false, &["GATE_FAILED typecheck"]);
    let green = || vec![gate(Typecheck, Passed), build()];
    check([green(), vec![gate(Lint, Failed)]].concat(), true, &[]);
    let tests = GateResult { required: true, name: "unit".to_owned(), ..gate(Test, Failed) };
    check([green(), vec![tests]].concat(), false, &["GATE_FAILED unit"]);
    // One of two packages is red.
    check([green(), vec![gate(Build, Failed)]].concat(), false, &["GATE_FAILED build"]);
}

/// What an agent says of a gate can lower it and never raise it.
#[test]
fn an_agent_s_word_about_a_gate_only_lowers() {
    let with = |typecheck: bool| {
        let update = json!({
            "storyId": "US-001",
            "passes": true,
            "acStatus": {"AC-1": {"command": "make a"}, "AC-2": {"command": "make b"}},
            "hardGates": {"typecheck": {"passed": typecheck}, "build": {"passed": true}},
        });
        update::parse(update.to_string().as_bytes()).unwrap()
    };
    World::green().check(&with(true), true, [true, true], &[]);
    World::green().check(&with(false), false, [true, true], &["GATE_FAILED typecheck"]);
    let mut red = World::green();
    red.gates[0].outcome = GateOutcome::Failed;
    red.check(&with(true), false, [true, true], &["GATE_FAILED typecheck"]);
    red.check(&with(false), false, [true, true], &["GATE_FAILED typecheck"]);
}

/// STORY-3.4, STORY-3.6, STORY-6.2: the scope guard refuses the update as a whole.
#[test]
fn the_scope_guard_refuses_updates() {
    let note = claims(false, json!({}));
    let part = claims(false, json!({"AC-1": {"command": "make a"}}));
    for (scope, rule, refuses_note) in [
        (ScopeOutcome::Split, "SCOPE_HARD scope", true),
        (ScopeOutcome::Unverifiable, "SCOPE_UNVERIFIABLE scope", true),
        (ScopeOutcome::Unexplained, "SCOPE_WARN_UNEXPLAINED scope", false),
        (ScopeOutcome::Reassess, "REEVALUATION_REQUIRED scope", false),
    ] {
        let world = World { scope, ..World::green() };
        world.check_rejected(&proven(), &[rule]);
        world.check_rejected(&part, &[rule]);
        let verdict = world.judge(&note);
        assert_eq!(verdict.result == ClaimResult::Reject, refuses_note, "{scope}");
        assert!(said(&verdict.findings).contains(&rule.to_owned()), "{scope}");
    }
    // What the guard said itself is not said twice.
    let finding = Finding {
        rule: "SCOPE_HARD".into(),
        severity: Severity::P0,
        subject: "26 files".to_owned(),
        message: "too many files".into(),
        hint: None,
    };
    let scope_findings = vec![finding];
    let world = World { scope: ScopeOutcome::Split, scope_findings, ..World::green() };
    world.check_rejected(&proven(), &["SCOPE_HARD 26 files"]);
}

/// What says nothing about the work is a note; a single word about it makes it a report.
#[test]
fn a_note_says_nothing_about_the_work() {
    for (sent, expected) in [
        (json!({}), true),
        (json!({"notes": "half way", "error": "no network", "step": "testing"}), true),
        (json!({"acStatus": {}}), true),
        (json!({"passes": true}), false),
        (json!({"acStatus": {"AC-1": {"blockedReason": "no key"}}}), false),
        (json!({"expectedFiles": []}), false),
        (json!({"scopeExplanation": {"a.rs": {"reason": "US-001 needs it", "lines": 1}}}), false),
        (json!({"hardGates": {"build": {"passed": false}}}), false),
        (json!({"filesChanged": 0}), false),
    ] {
        let mut update = json!({"storyId": "US-001", "passes": false});
        update.as_object_mut().unwrap().extend(sent.as_object().unwrap().clone());
        let read = update::parse(update.to_string().as_bytes()).unwrap();
        assert_eq!(read.is_note(), expected, "{update}");
    }
}

/// A note leaves every criterion as it was found, proves none, and never makes a story done.
#[test]
fn a_note_changes_no_criterion() {
    let known = World::green().judge(&proven());
    assert!(known.passes);
    let verdict = note(&story(), &claims(false, json!({})), &known.ac_status, &known.kept);
    assert_eq!(verdict.result, ClaimResult::Accept);
    assert_eq!((verdict.passes, verdict.original_passes), (false, false));
    assert_eq!((&verdict.ac_status, &verdict.kept), (&known.ac_status, &known.kept));
    // Of what was never looked at, nothing passes, and what it lacks is said.
    let nothing = BTreeMap::new();
    let verdict = note(&story(), &claims(false, json!({})), &nothing, &BTreeMap::new());
    assert!(verdict.ac_status.values().all(|it| !it.passes), "{verdict:?}");
    assert_eq!(said(&verdict.findings), ["EVIDENCE_MISSING AC-1", "EVIDENCE_MISSING AC-2"]);
    let other = StoryUpdate { story_id: "US-002".parse().unwrap(), ..claims(false, json!({})) };
    let verdict = note(&story(), &other, &known.ac_status, &known.kept);
    assert_eq!(verdict.result, ClaimResult::Reject);
    assert_eq!(said(&verdict.findings), ["STORY_MISMATCH /storyId"]);
}

#[test]
fn an_unknown_criterion_or_another_story_is_rejected() {
    let world = World::green();
    let unknown = claims(true, json!({"AC-1": {"command": "make a"}, "AC-3": {"command": "x"}}));
    world.check_rejected(&unknown, &["UNKNOWN_AC AC-3"]);
    let other = StoryUpdate { story_id: "US-002".parse().unwrap(), ..proven() };
    world.check_rejected(&other, &["STORY_MISMATCH /storyId"]);
    let same = StoryUpdate { story_id: "US-1".parse().unwrap(), ..proven() };
    world.check(&same, true, [true, true], &[]);
}

/// A command that is not run says by its name why.
#[test]
fn a_command_that_may_not_run_is_named() {
    for (command, rule) in [
        ("cd /elsewhere && make b", "COMMAND_LEADS_OUT AC-2"),
        ("git commit -am x && make b", "COMMAND_WRITES AC-2"),
        ("make -n b", "COMMAND_LENIENT AC-2"),
    ] {
        let unfit = json!({"AC-1": {"command": "make a"}, "AC-2": {"command": command}});
        World::green().check(&claims(true, unfit), false, [true, false], &[rule]);
    }
}

/// PROOF-5, STORY-6.1: a criterion is done when its proof is as strong as it needs.
#[test]
fn evidence_that_proves_too_little_leaves_its_criterion_open() {
    let mut world = World::green();
    let with = |label, findings: &[ProofCode]| {
        let findings = findings.iter().map(|it| ProofFinding::whole(*it)).collect();
        let proof = EvidenceProof { label, findings, new_tests: None, verify_on_base: None };
        EvidenceResult { proof: Some(proof), ..result(EvidenceLabel::Reproduced, "t") }
    };
    for (label, found, passes, rules) in [
        (ProofLabel::Proven, &[][..], true, &[][..]),
        (ProofLabel::Shown, &[], true, &[]),
        (ProofLabel::Holds, &[], false, &["EVIDENCE_WEAK AC-2"]),
        (ProofLabel::Present, &[], false, &["EVIDENCE_WEAK AC-2"]),
        (ProofLabel::Claimed, &[], false, &["EVIDENCE_WEAK AC-2"]),
        (ProofLabel::Hollow, &[ProofCode::PlantSurvived], false, &["PLANT_SURVIVED AC-2"]),
        (ProofLabel::Contradicted, &[ProofCode::Regression], false, &["REGRESSION AC-2"]),
    ] {
        world.evidence.insert(id(2), with(label, found));
        world.check(&proven(), passes, [true, passes], rules);
    }
    // What an earlier version reproduced is run again before it counts.
    let before = EvidenceResult { proof: None, ..result(EvidenceLabel::Reproduced, "t") };
    world.evidence.insert(id(2), before);
    world.check(&proven(), false, [true, false], &["EVIDENCE_UNVERIFIED AC-2"]);
}

/// STORY-1.3: one command that checks everything shows nothing about each part.
#[test]
fn a_command_serves_one_criterion() {
    let both = json!({"AC-1": {"command": "make a"}, "AC-2": {"command": "make a"}});
    let rules = ["EVIDENCE_SHARED AC-2"];
    World::green().check(&claims(true, both), false, [true, false], &rules);
}

/// PROOF-5: where the product changed, something shows what the change does.
#[test]
fn a_changed_product_is_shown_by_at_least_one_criterion() {
    let story = json!({"id": "US-001",
        "acceptanceCriteria": ["all tests pass", "README.md says it"]});
    let story = read_story(story.to_string().as_bytes()).unwrap();
    let verdict = |changes_product, label| {
        let mut world = World { changes_product, ..World::green() };
        for result in world.evidence.values_mut() {
            result.proof.as_mut().unwrap().label = label;
        }
        let verdict = judge(&story, &proven(), world.facts());
        (verdict.passes, said(&verdict.findings))
    };
    let nothing: Vec<String> = Vec::new();
    assert_eq!(verdict(false, ProofLabel::Holds), (true, nothing.clone()));
    assert_eq!(verdict(true, ProofLabel::Holds), (false, vec!["NOTHING_SHOWN AC".to_owned()]));
    assert_eq!(verdict(true, ProofLabel::Shown), (true, nothing));
}

/// What the guard said in its own words is not said again under another name.
#[test]
fn the_outcome_of_the_scope_is_named_once() {
    let said = |severity| Finding {
        rule: "EXPLANATION_PHANTOM".into(),
        severity,
        subject: "ghost".to_owned(),
        message: "there is no such change".into(),
        hint: None,
    };
    let scope = ScopeOutcome::Unexplained;
    let world = World { scope, scope_findings: vec![said(Severity::P1)], ..World::green() };
    world.check_rejected(&proven(), &["EXPLANATION_PHANTOM ghost"]);
    let world = World { scope, scope_findings: vec![said(Severity::P2)], ..World::green() };
    world.check_rejected(&proven(), &["EXPLANATION_PHANTOM ghost", "SCOPE_WARN_UNEXPLAINED scope"]);
}

/// A finding about a missing gate says where to configure it.
#[test]
fn a_gate_that_nobody_configured_says_how_to() {
    let mut world = World::green();
    world.gates[1].outcome = GateOutcome::NotConfigured;
    let verdict = world.judge(&proven());
    let hints: Vec<_> = verdict
        .findings
        .iter()
        .filter_map(|it| it.hint.as_ref().map(ToString::to_string))
        .collect();
    assert!(
        hints.iter().any(|it| it.contains("`[[story.gates]]` with `kind = \"build\"`")),
        "{hints:?}"
    );
}

#[test]
fn a_command_that_hides_its_exit_code_proves_nothing() {
    let masked = json!({"AC-1": {"command": "make a"}, "AC-2": {"command": "make b || true"}});
    World::green().check(&claims(true, masked), false, [true, false], &["COMMAND_MASKED AC-2"]);
}

#[test]
fn tampering_keeps_a_story_from_passing_and_a_remark_does_not() {
    let finding = |severity| Finding {
        rule: "TEST_DELETED".into(),
        severity,
        subject: "a.py: test_a".to_owned(),
        message: String::new().into(),
        hint: None,
    };
    for (severity, passes) in [(Severity::P0, false), (Severity::P1, false), (Severity::P2, true)] {
        let world = World { tampering: vec![finding(severity)], ..World::green() };
        world.check(&proven(), passes, [true, true], &["TEST_DELETED a.py: test_a"]);
    }
}

/// An agent that does not claim the story does not get it, however green it is.
#[test]
fn a_story_that_nobody_claims_does_not_pass() {
    let part = claims(false, json!({"AC-1": {"command": "make a"}, "AC-2": {"command": "make b"}}));
    let world = World { gates: Vec::new(), ..World::green() };
    world.check(&part, false, [true, true], &[]);
    assert!(!world.judge(&part).original_passes);
    assert!(World::green().judge(&proven()).original_passes);
}

/// W15: a later update wipes nothing, and another tree makes what was proven stale.
#[test]
fn evidence_is_kept_over_updates_and_grows_stale() {
    let mut world = World::green();
    let first = world.judge(&claims(false, json!({"AC-1": {"command": "make a"}})));
    assert_eq!(first.ac_status[&id(1)].label, EvidenceLabel::Reproduced);
    // A note leaves what was proven.
    world.kept = first.kept;
    world.evidence = BTreeMap::new();
    world.check(&claims(false, json!({})), false, [true, false], &["EVIDENCE_MISSING AC-2"]);
    // So does a word about it; its withdrawal does not.
    let word = claims(false, json!({"AC-1": {"passes": true, "evidence": "still"}}));
    world.check(&word, false, [true, false], &["EVIDENCE_MISSING AC-2"]);
    let withdrawn = claims(false, json!({"AC-1": {"passes": false}}));
    let missing = ["EVIDENCE_MISSING AC-1", "EVIDENCE_MISSING AC-2"];
    world.check(&withdrawn, false, [false, false], &missing);
    // The second criterion is added to the first.
    world.evidence = [(id(2), result(EvidenceLabel::Reproduced, "t"))].into();
    world.check(&claims(true, json!({"AC-2": {"command": "make b"}})), true, [true, true], &[]);
    // The same evidence again keeps its result; another one needs its own.
    world.evidence = BTreeMap::new();
    let again = claims(false, json!({"AC-1": {"command": "make a", "output": "x"}}));
    world.check(&again, false, [true, false], &["EVIDENCE_MISSING AC-2"]);
    let changed = claims(false, json!({"AC-1": {"command": "make z"}}));
    let rules = ["EVIDENCE_UNVERIFIED AC-1", "EVIDENCE_MISSING AC-2"];
    world.check(&changed, false, [false, false], &rules);
    // Another tree: stale, until it is run again there.
    world.tree = tree("u");
    let rules = ["EVIDENCE_STALE AC-1", "EVIDENCE_MISSING AC-2"];
    world.check(&claims(false, json!({})), false, [false, false], &rules);
    world.evidence = [(id(1), result(EvidenceLabel::Reproduced, "u"))].into();
    world.check(&claims(false, json!({})), false, [true, false], &["EVIDENCE_MISSING AC-2"]);
    // A result for something that was never claimed proves nothing.
    world.evidence = [(id(2), result(EvidenceLabel::Reproduced, "u"))].into();
    let rules = ["EVIDENCE_STALE AC-1", "EVIDENCE_MISSING AC-2"];
    world.check(&claims(true, json!({})), false, [false, false], &{
        let gates = ["TREE_CHANGED_DURING_CHECK typecheck", "TREE_CHANGED_DURING_CHECK build"];
        [&rules[..], &gates[..]].concat()
    });
}

#[track_caller]
fn check_claim(
    update: &Value,
    result: ClaimResult,
    passes: bool,
    criteria: [bool; 2],
    rules: &[&str],
) {
    let checked = check_bytes(&story(), update.to_string().as_bytes());
    assert_eq!((checked.result, checked.passes), (result, passes), "{update}: {checked:?}");
    let found: Vec<_> = checked.ac_status.values().map(|it| it.passes).collect();
    assert_eq!(found, criteria, "{update}");
    assert!(checked.ac_status.values().all(|it| it.label == EvidenceLabel::NotRun), "{update}");
    assert_eq!(said(&checked.findings), rules, "{update}");
}

/// Ruling 47, STORY-1.5, STORY-6.1: nothing is run, so nothing is more than claimed.
#[test]
fn a_claim_alone_is_checked_without_running_anything() {
    use ClaimResult::{Accept, Reject};
    let update = |passes: bool, claims: Value| json!({"storyId": "US-001", "passes": passes, "acStatus": claims});
    let both = json!({"AC-1": {"command": "make a"}, "AC-2": {"files": ["b.rs"]}});
    check_claim(&update(true, both.clone()), Accept, true, [true, true], &[]);
    check_claim(&update(false, both), Accept, false, [true, true], &[]);
    let words = json!({"AC-1": {"tests": ["a"]}, "AC-2": {"passes": true, "evidence": "done"}});
    let rules = ["EVIDENCE_UNVERIFIED AC-2"];
    check_claim(&update(true, words), Accept, false, [true, false], &rules);
    let missing = ["EVIDENCE_MISSING AC-1", "EVIDENCE_MISSING AC-2"];
    check_claim(&update(true, json!({})), Accept, false, [false, false], &missing);
    let stranger = json!({"AC-1": {"command": "make a"}, "AC-3": {"command": "x"}});
    check_claim(&update(true, stranger), Reject, false, [false, false], &["UNKNOWN_AC AC-3"]);
    let rules = ["UPDATE_MISSING_KEY /passes"];
    check_claim(&json!({"storyId": "US-001"}), Reject, false, [false, false], &rules);
    let rules = ["STORY_MISMATCH /storyId"];
    let other = json!({"storyId": "US-002", "passes": false});
    check_claim(&other, Reject, false, [false, false], &rules);
    // A mask is named, although only a run could show what it hides.
    let masked = json!({"AC-1": {"command": "make a"}, "AC-2": {"command": "make b || true"}});
    let rules = ["COMMAND_MASKED AC-2"];
    check_claim(&update(true, masked), Accept, true, [true, true], &rules);
}
