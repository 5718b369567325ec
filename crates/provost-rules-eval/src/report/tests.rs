use provost_kernel::{
    Digest, DigestError, Severity,
    eval::{CheckResult, ErrorCode, Profile, StepError},
    model::Usage,
};
use serde_json::Value;

use super::*;
use crate::gate::tests::result;

pub(crate) fn run() -> Run {
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
        timestamp: None,
        duration_ms: None,
        suite_sha256: None,
        judge: None,
        usage: Usage::default(),
        judge_usage: Usage::default(),
    }
}

/// A report over these cases, in whatever order they come.
pub(crate) fn report(mut cases: Vec<CaseResult>) -> Report {
    let waivers = Waivers::default();
    let mut tally = Tally::new(&waivers, Timestamp::EPOCH);
    for case in &mut cases {
        tally.add(case, &[]);
    }
    let (mut report, _) = tally.report(run(), &GatePolicy::default());
    cases.sort_by(|one, other| one.id.cmp(&other.id));
    report.digest = Some(digest::<DigestError>(&report, cases.iter().map(canonical)).unwrap());
    report
}

fn cases() -> Vec<CaseResult> {
    let check = |id: &str, message: &str| {
        result(id, vec![CheckResult::fail(Severity::P0, "x", &message.to_owned().into())])
    };
    vec![check("b", "two"), check("a", "one")]
}

/// The file of a report.
fn file(report: &Report, cases: &[CaseResult], layout: Layout) -> Vec<u8> {
    let frame = Frame::new(report, layout).unwrap();
    let mut out = frame.before().to_vec();
    for (at, case) in cases.iter().enumerate() {
        out.extend(frame.lead(at == 0));
        out.extend(fragment(case, layout).unwrap());
    }
    out.extend(frame.after());
    out
}

/// EVAL-6.1: equal input has an equal digest, whatever the order, the clock and the language were.
#[test]
fn the_digest_is_of_what_was_found() {
    let one = report(cases());
    let changed = |change: &dyn Fn(&mut CaseResult)| {
        let mut cases = cases();
        cases.reverse();
        change(&mut cases[0]);
        report(cases).digest
    };
    for same in [
        changed(&|_| {}),
        changed(&|it| it.latency_ms = Some(17)),
        changed(&|it| it.checks[0].message = Some("第三".to_owned())),
        changed(&|it| it.warnings.push("w".to_owned())),
    ] {
        assert_eq!(same, one.digest);
    }
    for other in [
        changed(&|it| it.checks[0].status = provost_kernel::eval::CheckStatus::Skipped),
        changed(&|it| it.checks[0].level = Severity::P1),
        changed(&|it| it.preview.score = Some(1.5)),
        changed(&|it| it.meta.model_id = Some("m".to_owned())),
        changed(&|it| it.status = CaseStatus::Error),
    ] {
        assert_ne!(other, one.digest);
    }
}

/// A reader of the file can compute the digest again.
#[test]
fn the_digest_is_that_of_the_file_without_times_and_words() {
    let mut cases = cases();
    cases.reverse();
    cases[0].error = Some(StepError::new(ErrorCode::Parse, &"\"cases\":[".into()));
    cases[1].preview.score = Some(97.0);
    cases[1].preview.headline = Some("\n  \"cases\": [".to_owned());
    let report = report(cases.clone());
    let mut read: Value = serde_json::from_slice(&file(&report, &cases, Layout::Pretty)).unwrap();
    let remove = |value: &mut Value, keys: &[&str]| {
        for key in keys {
            value.as_object_mut().unwrap().remove(*key);
        }
    };
    remove(&mut read, &["digest"]);
    remove(&mut read["run"], &["timestamp", "duration_ms"]);
    remove(&mut read["gate"], &["reason", "reason_code", "reason_args", "warnings"]);
    for case in read["cases"].as_array_mut().unwrap() {
        remove(case, &["latency_ms", "warnings", "warnings_codes"]);
        if case.get("error").is_some() {
            remove(&mut case["error"], &["message", "message_code", "message_args"]);
        }
        for check in case["checks"].as_array_mut().unwrap() {
            remove(check, &["message", "message_code", "message_args"]);
        }
    }
    assert_eq!(Some(Digest::of_json(&read).unwrap()), report.digest);
}

#[test]
fn models_and_templates_are_named_and_no_more_than_people_read() {
    let mut cases = cases();
    for (case, model) in cases.iter_mut().zip(["m2", "m1"]) {
        case.meta.model_id = Some(model.to_owned());
        case.meta.template_versions.insert("card".to_owned(), "card.v1".to_owned());
    }
    let named = report(cases);
    assert_eq!(named.run.model_id, "m1, m2");
    assert_eq!(named.run.template_versions["card"], "card.v1");
    let many = (0..40).map(|it| {
        let mut case = result(&format!("c{it}"), Vec::new());
        case.meta.model_id = Some(format!("m{it:02}"));
        case
    });
    let named = report(many.collect());
    assert_eq!(named.run.model_id, "m00, m01, m02, m03, m04, m05, m06, m07, …");
}

/// EVAL-6.1: written part by part, a report is one document, whatever is in its texts.
#[test]
fn a_report_in_parts_is_one_document() {
    let mut cases = cases();
    cases.reverse();
    cases[0].preview.headline = Some("\n  \"cases\": [\"cases\":[".to_owned());
    let mut report = report(cases.clone());
    report.gate.reason = "\n  \"cases\": [\"cases\":[".to_owned();
    let [pretty, line] = [Layout::Pretty, Layout::Line].map(|it| file(&report, &cases, it));
    let read: Value = serde_json::from_slice(&pretty).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&line).unwrap(), read);
    assert_eq!(memchr::memchr(b'\n', &line), Some(line.len() - 1));
    let read_cases: Vec<CaseResult> = serde_json::from_value(read["cases"].clone()).unwrap();
    assert_eq!(read_cases, cases);
    assert_eq!(read["gate"]["reason"], report.gate.reason.as_str());
    // Laid out as one whole would be.
    let object: serde_json::Map<String, Value> = serde_json::from_slice(&pretty).unwrap();
    let whole = serde_json::to_string_pretty(&object).unwrap();
    let sorted = |text: &str| {
        let mut lines: Vec<_> =
            text.lines().map(|it| it.trim_end_matches(',').to_owned()).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(sorted(&String::from_utf8(pretty).unwrap()), sorted(&whole));
}

/// What people read at the end is what failed, and nothing else of it.
#[test]
fn only_what_failed_stays() {
    let waivers = Waivers::default();
    let mut tally = Tally::new(&waivers, Timestamp::EPOCH);
    let pass = CheckResult::pass(Severity::P0, "y");
    let fail = CheckResult::fail(Severity::P0, "x", &"why".into());
    for mut case in [result("b", vec![pass.clone(), fail.clone()]), result("a", vec![pass])] {
        tally.add(&mut case, &[]);
    }
    let (report, noted) = tally.report(run(), &GatePolicy::default());
    assert_eq!((report.run.cases, report.totals.checks), (2, 3));
    assert_eq!(noted.len(), 1);
    assert_eq!((noted[0].id.as_str(), &noted[0].checks), ("b", &vec![fail]));
}
