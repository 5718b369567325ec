//! Other suites on the same rules: the calibration of a judge, and one that is only data.

use provost_kernel::eval::{Artifacts, Case, CaseStatus, Profile, Response};
use provost_rules_eval::{
    case::{Strictness, read},
    check::Rubric,
    judge::judge,
    lexicon::Lexicon,
    response::request,
    suite::{SchemaTexts, Suite},
};
use serde_json::{Value, json};

use crate::data::{files, root};

/// The cases of a judge's calibration that ship with provost, in the form of the suite, each with
/// its recorded right answer and, if there is one, the answer of a judge that has drifted.
fn calibration(suite: &Suite) -> Vec<(Case, Value, Option<Value>)> {
    let mut all = Vec::new();
    for folder in files(&root().join("calibration")) {
        let lines = |name: &str| {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            text.lines().map(|it| serde_json::from_str(it).unwrap()).collect::<Vec<Value>>()
        };
        let (right, drifted) = (lines("recorded.jsonl"), lines("drifted.jsonl"));
        for path in files(&folder.join("cases")) {
            let json = |it: &std::path::Path| -> Value {
                serde_json::from_slice(&std::fs::read(it).unwrap()).unwrap()
            };
            let named = json(&path);
            let name = named["input_doc_path"].as_str().unwrap();
            let document = std::fs::read_to_string(folder.join(name)).unwrap();
            let form = json!({
                "case_id": format!("{}-{}", named["task_type"].as_str().unwrap(), named["case_id"].as_str().unwrap()),
                "task_type": named["task_type"],
                "document": document,
                "expected": json(&folder.join("expected").join(path.file_name().unwrap())),
            });
            let bytes = serde_json::to_vec(&form).unwrap();
            let found = read("case", &bytes, &suite.case, Strictness::Strict);
            let case = found.case.unwrap_or_else(|| panic!("{:?}", found.findings));
            // A recording has the whole document in it, so that its first line finds it.
            let title = document.lines().find(|it| !it.trim().is_empty()).unwrap();
            let answer = |recorded: &[Value]| {
                let is_it =
                    |it: &&Value| it["request"]["evidence"].as_str().unwrap().contains(title);
                let text = recorded.iter().find(is_it)?["reply"]["text"].as_str()?;
                Some(serde_json::from_str::<Value>(text).unwrap())
            };
            all.push((case, answer(&right).unwrap(), answer(&drifted)));
        }
    }
    all
}

fn judged(suite: &Suite, case: &Case, name: &str, artifact: Value) -> (CaseStatus, String) {
    let artifacts = Artifacts::from_iter([(name.to_owned(), artifact)]);
    let response = Response { artifacts, ..Response::default() };
    let result = judge(suite, case, Ok(&response), Rubric::Standard);
    let failed = result.checks.into_iter().filter(|it| !it.pass);
    let failed: Vec<_> = failed
        .map(|it| format!("{}: {}", it.name, it.message.or(it.blocked_by).unwrap_or_default()))
        .collect();
    (result.status, failed.join("\n"))
}

/// LOOP-U1, EVAL-4.1: the calibration of a judge is a suite like any other. Right verdicts pass,
/// and those of a judge that has drifted do not.
#[test]
fn a_judge_is_calibrated_by_the_same_rules() {
    let suite = Suite::calibration().unwrap();
    let all = calibration(&suite);
    assert_eq!(all.len(), 15);
    let mut n_drifted = 0;
    for (case, right, drifted) in all {
        let request = request(&case, &suite.case, Profile::Engineer, "1");
        let fields: Vec<_> = request.input.keys().map(String::as_str).collect();
        assert!(fields.contains(&"document") && !fields.contains(&"expected"), "{fields:?}");
        let (status, failed) = judged(&suite, &case, "verdict", right.clone());
        assert_eq!((status, failed.as_str()), (CaseStatus::Pass, ""), "{}", case.id);
        if let Some(drifted) = drifted {
            let (status, failed) = judged(&suite, &case, "verdict", drifted);
            n_drifted += usize::from(status == CaseStatus::Fail);
            assert_eq!(status == CaseStatus::Fail, failed.starts_with("verdict.calibrated: "));
        }
        for broken in [json!({}), json!({"decision": "PASS"}), json!("PASS"), json!([])] {
            let (status, _) = judged(&suite, &case, "verdict", broken.clone());
            assert_eq!(status, CaseStatus::Fail, "{} {broken}", case.id);
        }
        let mut boundless = case.clone();
        boundless.fields.insert("expected".to_owned(), json!({}));
        let (status, failed) = judged(&suite, &boundless, "verdict", right);
        assert_eq!(status, CaseStatus::Fail);
        assert_eq!(failed, "verdict.calibrated: the case has no valid `expected`");
    }
    assert!(n_drifted >= 5, "every type has a judge that has drifted: {n_drifted}");
}

/// Commit messages: a suite that needs no line of code.
const COMMITS: &str = r#"{
  "schema": 1,
  "name": "commit-message",
  "about": "What a change is turned into",
  "case": {"id": "id", "fields": [
    {"name": "id", "required": true, "sent": false},
    {"name": "diff", "required": true, "min": 10, "max": 20000},
    {"name": "ticket", "required": true, "min": 3, "prose": true}
  ]},
  "artifacts": ["message"],
  "preview": {"headline": "/message/subject", "score": "/message/risk"},
  "checks": [
    {"name": "schema.message", "level": "P0", "kind": "schema", "artifact": "message"},
    {"name": "message.subject_verb", "level": "P1", "kind": "verb_led", "at": "/message/subject", "least": 1},
    {"name": "message.risk", "level": "P1", "kind": "range", "at": "/message/risk", "min": 0, "max": 5},
    {"name": "message.why", "level": "P1", "kind": "specific", "at": "/message/body/*", "intent": "/case/ticket",
     "least": 1, "similarity": 0.8},
    {"name": "message.body_distinct", "level": "P2", "kind": "distinct", "at": "/message/body/*",
     "similarity": 0.6, "containment": 0.85, "least_tokens": 4}
  ]
}"#;
const MESSAGE: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "required": ["subject", "body"],
  "properties": {
    "subject": {"type": "string", "minLength": 5, "maxLength": 72},
    "body": {"type": "array", "minItems": 1, "items": {"type": "string"}},
    "risk": {"type": "number"}
  }
}"#;

/// A third suite is data: its cases, its schema and its checks are read from text.
#[test]
fn a_third_suite_is_only_data() {
    let schemas = SchemaTexts::from([("message".to_owned(), MESSAGE.to_owned())]);
    let suite = Suite::read(COMMITS.as_bytes(), &schemas, Lexicon::embedded().unwrap()).unwrap();
    let file = json!({"id": "a", "diff": "-timeout = 3\n+timeout = 30", "ticket": "登录超时 login timeout"});
    let bytes = serde_json::to_vec(&file).unwrap();
    let read = read("a.json", &bytes, &suite.case, Strictness::Strict);
    assert!(read.findings.is_empty(), "{:?}", read.findings);
    let case = &read.case.unwrap();
    let check = |message: Value, expected: &str| {
        let (status, failed) = judged(&suite, case, "message", message.clone());
        let names: Vec<_> = failed.lines().map(|it| it.split(": ").next().unwrap()).collect();
        assert_eq!(names.join(" "), expected, "{message}");
        assert_eq!(status == CaseStatus::Pass, expected.is_empty());
    };
    let good = json!({"subject": "Raise the timeout to 30 s", "risk": 1, "body": ["The login was cut off"]});
    let with = |key: &str, value: Value| {
        let mut message = good.clone();
        message[key] = value;
        message
    };
    check(good.clone(), "message.subject_verb");
    check(with("subject", json!("Change the timeout to 30 s")), "");
    check(with("subject", json!("修改登录的超时时间")), "");
    let change = with("subject", json!("Change the timeout"));
    let and = |key: &str, value: Value| {
        let mut message = change.clone();
        message[key] = value;
        message
    };
    check(and("risk", json!(6)), "message.risk");
    check(and("risk", Value::Null), "schema.message message.risk");
    check(and("body", json!(["Very useful"])), "message.why");
    check(and("body", json!(["登录超时太短", "登录超时太短"])), "message.body_distinct");
    check(and("author", json!("me")), "schema.message");
    check(
        json!([]),
        "schema.message message.subject_verb message.risk message.why message.body_distinct",
    );
}
