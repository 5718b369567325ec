//! The page on suites of one's own: every kind of check in it judges as the page says.

use provost_kernel::eval::{Artifacts, Case, CheckStatus, Meta};
use provost_rules_eval::{
    check::{Rubric, Subject, Verdict, Verdicts, check_answer},
    lexicon::Lexicon,
    suite::{SchemaTexts, Suite},
};
use serde_json::{Map, Value, json};

const PAGE: &str = include_str!("../../../../docs/evals-own-suite.md");

/// The JSON block under a mark.
fn block(section: &str, mark: &str) -> Option<Value> {
    let (_, rest) = section.split_once(&format!("<!-- {mark} -->\n```json\n"))?;
    Some(serde_json::from_str(rest.split_once("```").unwrap().0).unwrap())
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// What a check says of an answer.
fn asked(
    suite: &Suite,
    case: &Value,
    answer: &Value,
    meta: &Value,
    said: &Verdicts,
) -> CheckStatus {
    let case = Case { id: "a".to_owned(), fields: object(case), expect: None };
    let artifacts = Artifacts::from_iter([("answer".to_owned(), answer.clone())]);
    let meta: Meta = serde_json::from_value(meta.clone()).unwrap();
    let subject = Subject { case: &case, artifacts: &artifacts, meta: &meta, said };
    check_answer(suite, subject, Rubric::Standard).remove(0).status
}

/// EVAL-4.1: what a new user copies from the page passes and fails where the page says so.
#[test]
fn every_kind_of_the_page_judges_as_the_page_says() {
    let schema = block(PAGE, "answer.schema.json").unwrap().to_string();
    let schemas = SchemaTexts::from([("answer".to_owned(), schema)]);
    let mut kinds = Vec::new();
    for section in PAGE.split("\n### ").skip(1) {
        let Some(check) = block(section, "check") else { continue };
        let title = section.lines().next().unwrap().trim_matches('`');
        assert_eq!(check["kind"], title);
        kinds.push(title);
        let form = json!({"schema": 1, "name": "page", "about": "page", "artifacts": ["answer"],
            "case": {"id": "id", "fields": [{"name": "id"}, {"name": "facts", "type": "list"},
                {"name": "passages", "type": "list"}, {"name": "total", "type": "number"}]},
            "checks": [check]});
        let lexicon = Lexicon::embedded().unwrap();
        let suite = Suite::read(form.to_string().as_bytes(), &schemas, lexicon).unwrap();
        let example = block(section, "example").unwrap();
        let (none, unsaid) = (json!({}), Verdicts::new());
        let case = example.get("case").unwrap_or(&none);
        let name = suite.checks[0].name.clone();
        let (passes, fails) = if let Some(said) = example.get("said") {
            let verdict = |pass: bool, reason: &Value| {
                let reason = reason.as_str().unwrap().to_owned();
                Verdicts::from([(name.clone(), Verdict { pass, reason })])
            };
            let answer = json!({"text": "x"});
            (
                asked(&suite, case, &answer, &none, &verdict(true, &said["pass"])),
                asked(&suite, case, &answer, &none, &verdict(false, &said["fail"])),
            )
        } else if let Some(measured) = example.get("measured") {
            (
                asked(&suite, case, &none, &measured["passes"], &unsaid),
                asked(&suite, case, &none, &measured["fails"], &unsaid),
            )
        } else {
            (
                asked(&suite, case, &example["passes"], &none, &unsaid),
                asked(&suite, case, &example["fails"], &none, &unsaid),
            )
        };
        assert_eq!((passes, fails), (CheckStatus::Pass, CheckStatus::Fail), "{title}");
    }
    assert_eq!(
        kinds,
        ["contains", "regex", "equals", "json-schema", "command", "judge", "latency", "cost"]
    );
}
