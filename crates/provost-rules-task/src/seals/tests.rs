//! The six standings of tasks in every situation.

use provost_kernel::{
    Actor, Finding, Message as _, Severity, Source, Text, Timestamp,
    task::{
        ErrorClass, ProofCode, ProofFinding, ProofLabel, ProofLevel, Review, Role, State, Terms,
        VerdictDecision,
    },
};

use super::*;
use crate::{
    concern::LEADS_OUT,
    decision::decide,
    facts::{self, Judgement},
    phase::Phase,
};

/// One task and what its attempt left.
struct Case {
    status: Status,
    spec: TaskSpec,
    record: Option<DecisionRecord>,
    proof: Option<TestProof>,
    so_far: Vec<Checked>,
    step: Option<RunStep>,
    is_trusted: bool,
}

fn check(name: &str, standing: Standing) -> Checked {
    Checked { name: name.to_owned(), standing, detail: Text::verbatim("detail") }
}

const GREEN: [(&str, Standing); 3] = [
    ("paths", Standing::Verified),
    ("tests", Standing::Verified),
    ("criteria", Standing::Verified),
];

/// A task that asks for everything, and whose attempt was judged.
fn judged(checks: &[(&str, Standing)], said: VerdictDecision, after: VerdictDecision) -> Case {
    let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
    (status.state, status.current_attempt) = (State::ReadyForReview, 1);
    let judgement = Judgement {
        decision: after,
        gated: false,
        thresholds_pass: true,
        questions_for_user: Vec::new(),
    };
    let facts = facts::of_verdict(&status, judgement);
    let record = record(&status, facts, checks, Some(said));
    Case { record: Some(record), ..asked(status) }
}

/// A task whose attempt ended before anybody judged it.
fn ended(checks: &[(&str, Standing)], class: ErrorClass, findings: &[&'static str]) -> Case {
    let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
    (status.state, status.current_attempt) = (State::Paused, 1);
    let facts = facts::of_step(&status, Role::Coordinator, 0, class);
    let mut record = record(&status, facts, checks, None);
    let finding =
        |rule: &&'static str| Finding::new(*rule, Severity::P0, "a.txt", &SealNote::NoSecrets);
    record.findings = findings.iter().map(finding).collect();
    Case { record: Some(record), ..asked(status) }
}

fn asked(status: Status) -> Case {
    let mut spec = TaskSpec::new(status.task_id.clone());
    spec.test_cmd = Some("make test".to_owned());
    spec.plan = Some("plan.md".to_owned());
    spec.judge = Some("model".to_owned());
    let (record, proof, so_far, step) = (None, None, Vec::new(), None);
    Case { status, spec, record, proof, so_far, step, is_trusted: true }
}

fn record(
    status: &Status,
    facts: provost_kernel::task::Facts,
    checks: &[(&str, Standing)],
    said: Option<VerdictDecision>,
) -> DecisionRecord {
    DecisionRecord {
        task_id: status.task_id.clone(),
        attempt: 1,
        decided_at: Timestamp::EPOCH,
        decision: decide(&facts),
        facts,
        judge_decision: said,
        against: Vec::new(),
        reasons: Vec::new(),
        next_instructions: String::new(),
        findings: Vec::new(),
        checks: checks.iter().map(|it| check(it.0, it.1)).collect(),
    }
}

fn reviewed(mut case: Case, outcome: ReviewOutcome) -> Case {
    case.status.review = Some(Review {
        outcome,
        actor: Actor { source: Source::Web, id: "ann".to_owned() },
        reviewed_at: Timestamp::EPOCH,
        because: None,
        attempt: Some(1),
        request_id: None,
        blind: false,
    });
    case
}

fn running(step: RunStep, so_far: &[(&str, Standing)]) -> Case {
    let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
    status.current_attempt = 1;
    let so_far = so_far.iter().map(|it| check(it.0, it.1)).collect();
    Case { so_far, step: Some(step), ..asked(status) }
}

/// One letter for each fact: `v`erified, `x` contradicted, `o` not verified, `r`unning, `-` not asked,
/// `s`tale, `w`aived.
fn letters(case: &Case) -> String {
    let step = |step| Running { step, since: Timestamp::EPOCH, limit_seconds: None };
    let seals = seals(&Attempted {
        status: &case.status,
        spec: Some(&case.spec),
        decision: case.record.as_ref(),
        proof: case.proof.as_ref(),
        so_far: &case.so_far,
        running: case.step.map(step),
        is_judge_called: false,
        is_trusted: case.is_trusted,
    });
    let facts: Vec<SealFact> = seals.iter().map(|it| it.fact).collect();
    assert_eq!(facts, SealFact::ALL);
    assert_ne!(seals[2].standing, SealStanding::NotAsked, "tests are never a dash");
    let letter = |it: &Seal| match it.standing {
        SealStanding::Verified => 'v',
        SealStanding::Contradicted => 'x',
        SealStanding::NotVerified => 'o',
        SealStanding::Running => 'r',
        SealStanding::NotAsked => '-',
        SealStanding::Stale => 's',
        SealStanding::Waived => 'w',
    };
    seals.iter().map(letter).collect()
}

#[track_caller]
fn holds(case: &Case, expected: &str) {
    assert_eq!(letters(case), expected, "{:?}", case.record);
}

#[test]
fn a_judged_attempt_has_its_standings() {
    use VerdictDecision::{Fail, NeedUserInput, Pass};
    use provost_kernel::task::Standing::{Failed, NotVerified, Verified};
    holds(&judged(&GREEN, Pass, Pass), "vvvvvo");
    holds(&reviewed(judged(&GREEN, Pass, Pass), ReviewOutcome::Approved), "vvvvvv");
    holds(&reviewed(judged(&GREEN, Pass, Pass), ReviewOutcome::Rejected), "vvvvvx");
    holds(&judged(&GREEN, NeedUserInput, NeedUserInput), "vvvvoo");
    holds(&judged(&GREEN, Fail, Fail), "vvvvxo");
    // What was run says otherwise, and that counts.
    let red = [("paths", Verified), ("tests", Failed), ("criteria", Failed)];
    holds(&judged(&red, Pass, Fail), "vvxxxo");
    // A command besides the test is a part of what was run.
    let lint = [GREEN[0], GREEN[1], ("lint", Failed), GREEN[2]];
    holds(&judged(&lint, Pass, Fail), "vvxvxo");
    let unrun = [GREEN[0], GREEN[1], ("types", NotVerified), GREEN[2]];
    holds(&judged(&unrun, Pass, Pass), "vvovvo");
    // A file that programs obey is for a person to decide on.
    let planted = [GREEN[0], ("agent config", NotVerified), GREEN[1], GREEN[2]];
    holds(&judged(&planted, Pass, NeedUserInput), "ovvvvo");
    let partial = [GREEN[0], GREEN[1], GREEN[2], ("evidence", NotVerified)];
    holds(&judged(&partial, Pass, Pass), "vvvvoo");
    let unreadable = [GREEN[0], GREEN[1], GREEN[2], ("verdict", Failed)];
    holds(&ended(&unreadable, ErrorClass::VerdictInvalid, &[]), "vvvvoo");
}

#[test]
fn what_a_task_does_not_ask_for_is_not_asked() {
    use VerdictDecision::Pass;
    let mut case = judged(&GREEN[..2], Pass, Pass);
    (case.spec.plan, case.spec.judge) = (None, Some("tests".to_owned()));
    holds(&case, "vvv--o");
    case.spec.judge = None;
    holds(&case, "vvv--o");
    // Without a test command, tests are not verified, whatever else is.
    let mut case = judged(&GREEN[..1], Pass, Pass);
    (case.spec.plan, case.spec.test_cmd) = (None, None);
    holds(&case, "vvo-vo");
    let proven = reviewed(case, ReviewOutcome::Approved);
    let group = |case: &Case| {
        let seals = seals(&Attempted {
            status: &case.status,
            spec: Some(&case.spec),
            decision: case.record.as_ref(),
            proof: None,
            so_far: &[],
            running: None,
            is_judge_called: false,
            is_trusted: true,
        });
        Phase::of(&case.status).group(&seals)
    };
    assert_eq!(group(&proven), provost_kernel::task::TaskGroup::Unproven);
    let proven = reviewed(judged(&GREEN, Pass, Pass), ReviewOutcome::Approved);
    assert_eq!(group(&proven), provost_kernel::task::TaskGroup::Proven);
}

/// Paths and secrets are two facts, although records name one check.
#[test]
fn paths_and_secrets_are_told_apart() {
    use provost_kernel::task::Standing::{Failed, NotVerified, Verified};
    let refused = [("paths", Failed)];
    let (outside, secret) = ("task.policy.allowed_paths", "task.policy.secrets");
    holds(&ended(&refused, ErrorClass::AllowedPaths, &[outside]), "xvoooo");
    holds(&ended(&refused, ErrorClass::Secrets, &[secret]), "vxoooo");
    holds(&ended(&refused, ErrorClass::Secrets, &[secret, outside]), "xxoooo");
    let unscanned = "task.policy.unscanned";
    holds(&ended(&refused, ErrorClass::Secrets, &[unscanned]), "vooooo");
    // An older record names no finding.
    holds(&ended(&refused, ErrorClass::Secrets, &[]), "vxoooo");
    holds(&ended(&refused, ErrorClass::ForbiddenGlobs, &[]), "xvoooo");
    // What cannot be read is not allowed.
    holds(&ended(&[], ErrorClass::AllowedPaths, &[]), "xooooo");
    holds(&ended(&[], ErrorClass::CoderFailed, &[]), "oooooo");
    // Links that lead out are for a person to decide on.
    let asked = [("paths", NotVerified), GREEN[1], GREEN[2]];
    let pass = VerdictDecision::Pass;
    let mut leads_out = judged(&asked, pass, VerdictDecision::NeedUserInput);
    // Without a finding, there was no file at all.
    holds(&leads_out, "oovvvo");
    let finding = Finding::new(LEADS_OUT, Severity::P1, "a", &SealNote::NoSecrets);
    leads_out.record.as_mut().unwrap().findings.push(finding);
    holds(&leads_out, "ovvvvo");
    // A branch that is verified has a check for each.
    let both = [("paths", Verified), ("secrets", Failed), GREEN[1]];
    holds(&judged(&both, pass, pass), "vxvovo");
}

#[test]
fn a_step_that_runs_is_shown_as_running() {
    use provost_kernel::task::Standing::{Failed, Verified};
    holds(&running(RunStep::Coder, &[]), "oooooo");
    holds(&running(RunStep::Policy, &[]), "rroooo");
    let paths = [("paths", Verified)];
    holds(&running(RunStep::Test, &paths), "vvrooo");
    holds(&running(RunStep::Proof, &paths), "vvrooo");
    holds(&running(RunStep::Claims, &GREEN[..2]), "vvvroo");
    holds(&running(RunStep::Judge, &GREEN), "vvvvro");
    let red = [GREEN[0], ("tests", Failed)];
    holds(&running(RunStep::Judge, &red), "vvxoro");
}

#[test]
fn what_cannot_be_believed_is_not_verified() {
    use VerdictDecision::Pass;
    let mut stale = judged(&GREEN, Pass, Pass);
    let digest = provost_kernel::Digest::of_bytes;
    stale.status.terms = Some(Terms { now: digest(b"a"), of_attempt: digest(b"b") });
    holds(&stale, "ssssso");
    let altered = Case { is_trusted: false, ..judged(&GREEN, Pass, Pass) };
    holds(&altered, "oooooo");
    let proof = TestProof {
        level: ProofLevel::Standard,
        command: "make test".to_owned(),
        label: ProofLabel::Proven,
        runs: Vec::new(),
        findings: vec![ProofFinding::whole(ProofCode::TestAware)],
        changed_tests: Vec::new(),
        digest: None,
        new_tests: None,
    };
    let doubtful = Case { proof: Some(proof), ..judged(&GREEN, Pass, Pass) };
    holds(&doubtful, "vvovvo");
    assert_eq!(SealNote::Lowered.text(), "PASS, lowered to FAIL by facts");
}
