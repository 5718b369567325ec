//! Planted defects: all are found, and none is invented.

use std::{collections::BTreeMap, fs, path::PathBuf};

use provost_testkit::eval::case;
use serde_json::{Value, json};

use crate::{eval_world::Evals, world::World};

const CASES: usize = 2000;
const DEFECTS: usize = 100;

/// What is done to an answer, and the checks that must say so.
type Defect = (&'static str, fn(&mut Value), &'static [&'static str]);

/// Fifteen kinds. Each is made here, by hand, and not by what the runner itself can spoil.
const KINDS: [Defect; 15] = [
    (
        "a field nobody knows",
        |it| it["reply"]["artifacts"]["summary"]["mood"] = json!("good"),
        &["schema.summary"],
    ),
    (
        "more than certain",
        |it| it["reply"]["artifacts"]["score"]["confidence"] = json!(1.5),
        &["schema.score"],
    ),
    (
        "an odd time",
        |it| it["reply"]["artifacts"]["todos"]["todos"][0]["eta"] = json!("15m"),
        &["schema.todos"],
    ),
    (
        "a small card",
        |it| it["reply"]["artifacts"]["card"]["render_spec"]["width"] = json!(599),
        &["schema.card"],
    ),
    (
        "a label that does not fit",
        |it| {
            let score = &mut it["reply"]["artifacts"]["score"];
            let is_skipped = score["priority"] == "SKIP";
            score["priority"] = json!(if is_skipped { "READ_NEXT" } else { "SKIP" });
        },
        &["score.priority_band"],
    ),
    (
        "two reasons",
        |it| {
            let reasons = &mut it["reply"]["artifacts"]["score"]["reasons"];
            reasons.as_array_mut().unwrap().truncate(2);
        },
        &["schema.score", "score.reasons_min"],
    ),
    (
        "praise",
        |it| {
            it["reply"]["artifacts"]["score"]["reasons"] = json!([
                "This is really helpful",
                "A great read, well written",
                "很有启发,值得一读,推荐阅读"
            ]);
        },
        &["score.reasons_specific"],
    ),
    (
        "no verbs",
        |it| {
            let todos = it["reply"]["artifacts"]["todos"]["todos"].as_array_mut().unwrap();
            for todo in todos {
                todo["title"] = json!("Understand the bigger picture");
            }
        },
        &["todos.verb_led"],
    ),
    (
        "a vague action",
        |it| it["reply"]["artifacts"]["card"]["action"] = json!("Learn more about this topic"),
        &["card.action_specific"],
    ),
    (
        "a summary of something else",
        |it| {
            it["reply"]["artifacts"]["summary"]["bullets"] = json!([
                "Gulls cried over the pier all afternoon",
                "面团在冰箱里静置一夜再烤",
                "The old teahouse keeps its wooden door"
            ]);
        },
        &["summary.grounded"],
    ),
    (
        "the same bullet twice",
        |it| {
            let bullets = &mut it["reply"]["artifacts"]["summary"]["bullets"];
            bullets[2] = bullets[0].clone();
        },
        &["summary.bullets_distinct"],
    ),
    (
        "an insight that repeats",
        |it| {
            let summary = &mut it["reply"]["artifacts"]["summary"];
            summary["insight"] = summary["bullets"][0].clone();
        },
        &["summary.insight_adds"],
    ),
    (
        "a headline over anything",
        |it| it["reply"]["artifacts"]["card"]["headline"] = json!("关于效率的一些思考与感悟"),
        &["card.headline_specific"],
    ),
    (
        "no card",
        |it| {
            it["reply"]["artifacts"].as_object_mut().unwrap().remove("card");
        },
        &["schema.card"],
    ),
    (
        "no answer",
        |it| {
            let recorded = it.as_object_mut().unwrap();
            recorded.remove("reply");
            let error = json!({"error_code": "AI_PARSE_ERROR", "message": "no JSON"});
            recorded.insert("error".to_owned(), error);
        },
        &["engine.output"],
    ),
];

/// EVAL-5.1, EVAL-5.2, EVAL-5.3: 2,000 cases with 100 defects of 15 kinds.
#[test]
fn every_planted_defect_is_found_and_none_is_invented() {
    let evals = Evals { world: World::new() };
    for number in 0..CASES {
        evals.case(&case(number));
    }
    let ran = evals.eval(&["--quiet", "--record", "rec"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let files = recordings(&evals);
    assert_eq!(files.len(), CASES);

    let mut expected: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for nth in 0..DEFECTS {
        // Spread over all cases, so that every kind meets both languages.
        let id = format!("case-{:05}", (nth * 18 + nth / KINDS.len()) % CASES);
        let (what, spoil, checks) = KINDS[nth % KINDS.len()];
        let path = &files[&id];
        let mut recorded: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let before = recorded.clone();
        spoil(&mut recorded);
        assert_ne!(recorded, before, "{what}");
        evals.world.write(path, recorded.to_string());
        let checks = checks.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(expected.insert(id, checks), None, "two defects in one case");
    }
    let ran = evals.eval(&["--quiet", "--generator", "replay:rec"]);
    assert_eq!(ran.exit(), Some(1), "{}", ran.stderr());
    let report = evals.report();
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for case in report["cases"].as_array().unwrap() {
        for check in case["checks"].as_array().unwrap() {
            if check["status"] == "fail" {
                let id = case["id"].as_str().unwrap().to_owned();
                found.entry(id).or_default().push(check["name"].as_str().unwrap().to_owned());
            }
        }
    }
    assert_eq!(found, expected);
    assert_eq!(report["totals"]["cases_failed"], DEFECTS);
    assert_eq!(report["totals"]["cases_passed"], CASES - DEFECTS);
}

/// The file of each recorded case.
fn recordings(evals: &Evals) -> BTreeMap<String, PathBuf> {
    let entries = fs::read_dir(evals.world.path("repo/rec")).unwrap();
    let paths = entries.map(|it| it.unwrap().path());
    paths
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let (run, _) = name.split_once('.').unwrap();
            (run.strip_prefix("eval_").unwrap().to_owned(), path)
        })
        .collect()
}
