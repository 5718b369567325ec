//! What a person can accept of an attempt, and what that makes of its decision.
//!
//! An acceptance verifies nothing. It takes one thing away that spoke against an approval which a
//! judge gave; whatever else speaks against it stays.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    Message as _, Text,
    task::{
        Acceptance, Checked, DecisionRecord, Facts, ProofCode, ProofEffect, Standing, TestProof,
        VerdictDecision,
    },
};

use crate::{
    concern::{LEADS_OUT, PLANTED, SUBMODULE},
    score::Because,
};

/// What a person is asked, and the finding that answers it when it is accepted.
fn asked() -> [(&'static str, &'static str); 4] {
    [
        ("task.ask.planted", PLANTED),
        ("task.ask.leads_out", LEADS_OUT),
        ("task.ask.submodule", SUBMODULE),
        ("task.ask.not_proven", ProofCode::NotPrepared.as_str()),
    ]
}

/// The check that is settled where a person accepts a finding that is not one of the test's.
pub fn settles(finding: &str) -> Option<&'static str> {
    match finding {
        PLANTED => Some("agent config"),
        LEADS_OUT | SUBMODULE => Some("paths"),
        _ => None,
    }
}

/// Whether a text asks about a concern, which is among the findings of the attempt, too.
pub fn is_about_concern(text: &Text) -> bool {
    let code = text.to_parts().1;
    let asked = asked().into_iter().find(|it| code.as_deref() == Some(it.0));
    asked.is_some_and(|it| settles(it.1).is_some())
}

/// The findings of an attempt that speak against its approval, each with what it says.
pub fn acceptable(
    record: &DecisionRecord,
    proof: Option<&TestProof>,
) -> BTreeMap<String, Vec<String>> {
    let against: Vec<(String, Option<String>)> = record
        .against
        .iter()
        .map(|it| {
            let (text, code, _) = it.to_parts();
            (text, code)
        })
        .collect();
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for finding in proof.into_iter().flat_map(|it| &it.findings) {
        let said = Because::TestNotProven(finding.clone()).text().to_string();
        if against.iter().any(|it| it.0 == said) {
            found.entry(finding.code.to_string()).or_default().push(said);
        }
    }
    for (code, finding) in asked() {
        let said = against.iter().filter(|it| it.1.as_deref() == Some(code));
        let said: Vec<String> = said.map(|it| it.0.clone()).collect();
        if !said.is_empty() {
            found.insert(finding.to_owned(), said);
        }
    }
    let unasked = unasked(record, &found);
    found.extend(unasked);
    found
}

/// The concerns of a check that is left to a person and of which nothing is asked. An older decision
/// did not ask where a fact spoke against the approval, too.
fn unasked(
    record: &DecisionRecord,
    asked: &BTreeMap<String, Vec<String>>,
) -> BTreeMap<String, Vec<String>> {
    let mut unasked: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for finding in record.findings.iter().filter(|_| is_approved(record)) {
        let Some(check) = settles(&finding.rule) else { continue };
        let is_open = |it: &Checked| it.name == check && it.standing == Standing::NotVerified;
        let is_asked = asked.keys().any(|it| settles(it) == Some(check));
        if !is_asked && record.checks.iter().any(is_open) {
            let said = format!("{}: {}", finding.subject, finding.message);
            unasked.entry(finding.rule.to_string()).or_default().push(said);
        }
    }
    unasked
}

/// The codes of what only a person can decide on, and no person has accepted. A result with one of
/// them is not ready, and does not land.
pub fn open_concerns(
    record: &DecisionRecord,
    proof: Option<&TestProof>,
    accepted: &[Acceptance],
) -> Vec<String> {
    let codes: BTreeSet<&str> =
        of_attempt(accepted, record.attempt).map(|it| &*it.finding).collect();
    let concerns = acceptable(record, proof).into_keys().filter(|it| settles(it).is_some());
    concerns.filter(|it| !codes.contains(it.as_str())).collect()
}

fn is_approved(record: &DecisionRecord) -> bool {
    record.judge_decision == Some(VerdictDecision::Pass)
}

/// What the table is told when these findings are accepted; none if the judge did not approve, or if
/// something else speaks against it.
pub fn reconsider(
    record: &DecisionRecord,
    proof: Option<&TestProof>,
    accepted: &[Acceptance],
) -> Option<Facts> {
    let is_open = !open_concerns(record, proof, accepted).is_empty();
    if !is_approved(record) || record.against.is_empty() || is_open {
        return None;
    }
    let codes: BTreeSet<&str> =
        of_attempt(accepted, record.attempt).map(|it| &*it.finding).collect();
    let acceptable = acceptable(record, proof);
    let settled: BTreeSet<&str> = acceptable
        .iter()
        .filter(|(code, _)| codes.contains(code.as_str()))
        .flat_map(|(_, said)| said.iter().map(String::as_str))
        .collect();
    let is_settled = |it: &Text| settled.contains(it.to_string().as_str());
    record.against.iter().all(is_settled).then(|| Facts {
        verdict_decision: Some(VerdictDecision::Pass),
        questions_for_user: Vec::new(),
        ..record.facts.clone()
    })
}

/// What was accepted of one attempt.
pub fn of_attempt(accepted: &[Acceptance], attempt: u16) -> impl Iterator<Item = &Acceptance> {
    accepted.iter().filter(move |it| it.attempt == attempt)
}

/// What was accepted of the same files, in whichever attempt. What is hollow has to be accepted each
/// time: the product can be the cause.
pub fn of_files<'a>(
    accepted: &'a [Acceptance],
    proof: &TestProof,
) -> impl Iterator<Item = &'a Acceptance> {
    let digest = proof.digest;
    let is_hollow = |it: &Acceptance| {
        it.finding.parse::<ProofCode>().is_ok_and(|it| it.effect() == ProofEffect::Hollow)
    };
    let of_same = accepted.iter().filter(move |it| it.digest.is_some() && it.digest == digest);
    of_same.filter(move |it| !is_hollow(it))
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Actor, Source, Timestamp,
        task::{ErrorClass, ProofFinding, ProofLabel, ProofLevel, Role, Status},
    };

    use super::*;
    use crate::{
        concern::{Concern, Concerns, Delivered, Form},
        decision::decide,
        facts,
        score::Ask,
    };

    fn proof(codes: &[ProofCode]) -> TestProof {
        TestProof {
            level: ProofLevel::Standard,
            command: "make".to_owned(),
            label: ProofLabel::Contradicted,
            runs: Vec::new(),
            findings: codes.iter().map(|it| ProofFinding::whole(*it)).collect(),
            changed_tests: Vec::new(),
            new_tests: None,
            digest: None,
        }
    }

    fn record(judge: VerdictDecision, against: Vec<Text>) -> DecisionRecord {
        let status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 1);
        let facts = Facts {
            verdict_decision: Some(VerdictDecision::Fail),
            ..facts::of_step(&status, Role::Judge, 0, ErrorClass::None)
        };
        let decision = decide(&facts);
        DecisionRecord {
            task_id: status.task_id,
            attempt: 1,
            decided_at: Timestamp::EPOCH,
            facts,
            decision,
            judge_decision: Some(judge),
            against,
            reasons: Vec::new(),
            next_instructions: String::new(),
            findings: Vec::new(),
            checks: Vec::new(),
        }
    }

    fn accepted(finding: &str, attempt: u16) -> Acceptance {
        Acceptance {
            finding: finding.to_owned(),
            because: "known".to_owned(),
            actor: Actor { source: Source::Cli, id: "ann".to_owned() },
            accepted_at: Timestamp::EPOCH,
            attempt,
            digest: None,
        }
    }

    /// PROOF-10: an acceptance takes away what it names, and nothing else.
    #[test]
    fn an_approval_counts_when_all_against_it_is_accepted() {
        use ProofCode::{ExpectationChanged, Flaky, TestsGone};
        let proof = proof(&[ExpectationChanged, TestsGone, Flaky]);
        let said = |code| Because::TestNotProven(ProofFinding::whole(code)).text();
        let both = vec![said(ExpectationChanged), said(TestsGone)];
        let red = Because::TestFailed { rc: 1 }.text();
        let names = |record: &DecisionRecord| {
            acceptable(record, Some(&proof)).into_keys().collect::<Vec<_>>()
        };
        let pass = record(VerdictDecision::Pass, both.clone());
        assert_eq!(names(&pass), ["EXPECTATION_CHANGED", "TESTS_GONE"]);
        let check = |record: &DecisionRecord, codes: &[(&str, u16)], expected: bool| {
            let accepted: Vec<_> = codes.iter().map(|it| accepted(it.0, it.1)).collect();
            let facts = reconsider(record, Some(&proof), &accepted);
            assert_eq!(facts.is_some(), expected, "{codes:?}");
            if let Some(facts) = facts {
                assert_eq!(decide(&facts).row.as_str(), "ready");
            }
        };
        check(&pass, &[("EXPECTATION_CHANGED", 1), ("TESTS_GONE", 1)], true);
        check(&pass, &[("EXPECTATION_CHANGED", 1)], false);
        check(&pass, &[("EXPECTATION_CHANGED", 1), ("TESTS_GONE", 2)], false);
        let failed = record(VerdictDecision::Fail, both.clone());
        check(&failed, &[("EXPECTATION_CHANGED", 1), ("TESTS_GONE", 1)], false);
        let more = record(VerdictDecision::Pass, [both, vec![red]].concat());
        check(&more, &[("EXPECTATION_CHANGED", 1), ("TESTS_GONE", 1)], false);
        check(&record(VerdictDecision::Pass, Vec::new()), &[("TESTS_GONE", 1)], false);
    }

    /// PROOF-10: it is void when the files change, and what is hollow is never carried over.
    #[test]
    fn an_acceptance_is_of_the_same_files() {
        let digest = |text: &str| Some(provost_kernel::Digest::of_bytes(text.as_bytes()));
        let of = |finding, digest| Acceptance { digest, ..accepted(finding, 1) };
        let all = [
            of("TESTS_GONE", digest("a")),
            of("FLAKY", digest("b")),
            of("PLANT_BLIND", digest("a")),
            of("REGRESSION", None),
        ];
        let proof = |digest| TestProof { digest, ..proof(&[]) };
        let names = |proof: &TestProof| {
            of_files(&all, proof).map(|it| it.finding.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&proof(digest("a"))), ["TESTS_GONE"]);
        assert_eq!(names(&proof(digest("c"))), [""; 0]);
        assert_eq!(names(&proof(None)), [""; 0]);
    }

    /// PROOF-10: every open concern needs its own acceptance, also in a decision that did not ask.
    #[test]
    fn one_acceptance_does_not_wave_another_finding_through() {
        let proof = proof(&[ProofCode::TestsGone]);
        let fewer = Because::TestNotProven(ProofFinding::whole(ProofCode::TestsGone)).text();
        let ask = Ask::Planted { path: "AGENTS.md".to_owned(), reader: "Codex".to_owned() }.text();
        let asked = record(VerdictDecision::Pass, vec![fewer.clone(), ask]);
        let mut older = record(VerdictDecision::Pass, vec![fewer]);
        let delivered = Delivered { path: "AGENTS.md", form: Form::File };
        let concerns = Concerns::of([delivered], &BTreeSet::new());
        older.findings.extend(concerns.found.iter().map(Concern::finding));
        let check = |standing| Checked {
            name: "agent config".to_owned(),
            standing,
            detail: String::new().into(),
        };
        older.checks = vec![check(Standing::NotVerified)];
        let one = [accepted("TESTS_GONE", 1)];
        let both = [accepted("TESTS_GONE", 1), accepted(PLANTED, 1)];
        for record in [&asked, &older] {
            let codes: Vec<_> = acceptable(record, Some(&proof)).into_keys().collect();
            assert_eq!(codes, [PLANTED, "TESTS_GONE"]);
            assert!(reconsider(record, Some(&proof), &one).is_none());
            assert_eq!(open_concerns(record, Some(&proof), &one), [PLANTED]);
            assert!(reconsider(record, Some(&proof), &both).is_some());
            assert_eq!(open_concerns(record, Some(&proof), &both), [""; 0]);
        }
        // What the task itself permits is not open.
        older.checks = vec![check(Standing::Verified)];
        assert_eq!(open_concerns(&older, Some(&proof), &one), [""; 0]);
        assert!(reconsider(&older, Some(&proof), &one).is_some());
    }

    #[test]
    fn what_a_person_is_asked_can_be_accepted() {
        let ask =
            |path: &str| Ask::Planted { path: path.to_owned(), reader: "Codex".to_owned() }.text();
        let record = record(VerdictDecision::Pass, vec![ask("AGENTS.md"), ask(".codex/x")]);
        assert_eq!(acceptable(&record, None)[PLANTED].len(), 2);
        assert!(reconsider(&record, None, &[accepted(PLANTED, 1)]).is_some());

        let leads_out = Ask::LeadsOut { path: "a".to_owned(), target: "/b".to_owned() }.text();
        let submodule = Ask::Submodule { path: "c".to_owned() }.text();
        let not_proven = Ask::NotProven { why: "x".to_owned().into() }.text();
        let record = self::record(VerdictDecision::Pass, vec![leads_out, submodule, not_proven]);
        let codes = [LEADS_OUT, "NOT_PREPARED", SUBMODULE];
        assert_eq!(acceptable(&record, None).into_keys().collect::<Vec<_>>(), codes);
        let all = codes.map(|it| accepted(it, 1));
        assert!(reconsider(&record, None, &all).is_some());
        assert!(reconsider(&record, None, &all[1..]).is_none());
    }
}
