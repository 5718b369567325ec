use provost_kernel::{
    Severity,
    eval::{CheckResult, Profile},
};

use super::*;
use crate::eval::gate::tests::result;

pub(in crate::eval) fn run() -> Run {
    Run {
        suite: "read-do".to_owned(),
        profile: Profile::Engineer,
        engine_version: "0.1.0".to_owned(),
        template_versions: BTreeMap::new(),
        model_id: String::new(),
        generator: "stub".to_owned(),
        fail_on: Severity::P1,
        cases: 0,
        priority_values: Vec::new(),
        runner_version: "0.1.0".to_owned(),
        lexicon_sha256: Digest::ZERO,
        schemas_sha256: Digest::ZERO,
        cases_sha256: Digest::ZERO,
        epochs: 1,
        lang: Lang::En,
        timestamp: None,
        duration_ms: None,
    }
}

/// A report over these cases.
pub(in crate::eval) fn report(cases: Vec<CaseResult>) -> Report {
    let findings = Findings { run: run(), cases, epochs: None, baseline: None };
    let policy = GatePolicy::default();
    assemble(findings, &policy, &Waivers::default(), Timestamp::EPOCH, Lang::En).unwrap()
}

fn cases() -> Vec<CaseResult> {
    let check = |id: &str, message: &str| {
        result(id, vec![CheckResult::fail(Severity::P0, "x", message.to_owned())])
    };
    vec![check("b", "two"), check("a", "one")]
}

/// EVAL-6.1: equal input has an equal digest, whatever the order and the clock were.
#[test]
fn the_digest_is_of_what_was_found() {
    let one = report(cases());
    let mut turned = cases();
    turned.reverse();
    turned[0].latency_ms = Some(17);
    let mut other = report(turned);
    assert_eq!(one.digest, other.digest);
    other.run.timestamp = Some(Timestamp::EPOCH);
    other.run.duration_ms = Some(5);
    assert_eq!(digest(&mut other).unwrap(), one.digest.unwrap());
    assert_eq!((other.run.duration_ms, other.cases[0].latency_ms), (Some(5), Some(17)));
    let mut changed = cases();
    changed[0].checks[0].message = Some("three".to_owned());
    assert_ne!(report(changed).digest, one.digest);
    assert_eq!(one.cases[0].id, "a");
}

#[test]
fn models_and_templates_are_named() {
    let mut cases = cases();
    for (case, model) in cases.iter_mut().zip(["m2", "m1"]) {
        case.meta.model_id = Some(model.to_owned());
        case.meta.template_versions.insert("card".to_owned(), "card.v1".to_owned());
    }
    let report = report(cases);
    assert_eq!(report.run.model_id, "m1, m2");
    assert_eq!(report.run.template_versions["card"], "card.v1");
}

/// EVAL-6.1: a report is read as it was written.
#[test]
fn a_report_survives_being_written() {
    let report = report(cases());
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
}
