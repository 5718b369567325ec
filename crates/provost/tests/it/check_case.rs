//! `provost check case`: what an engine made of one case, as a script and a person have it checked.

use std::path::Path;

use serde_json::{Value, json};

use crate::world::World;

const CASE: [&str; 4] = ["check", "case", "case.json", "made.json"];

fn shipped(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(name)).unwrap()
}

/// One of our own cases, and what a good engine made of it.
fn world(id: &str) -> World {
    let made = shipped(&format!("fixtures/evals/artifacts/good/{id}.json"));
    World::new()
        .with("repo/case.json", &shipped(&format!("docs/evals/cases/{id}.json")))
        .with("repo/made.json", &made)
}

/// What a bad engine made of it.
fn spoilt(id: &str, check: &str) -> World {
    let world = world(id);
    let made = shipped(&format!("fixtures/evals/artifacts/bad/{check}/{id}.json"));
    world.write("repo/made.json", &made);
    world
}

/// EVAL-5.1, EVAL-5.2, EVAL-5.3: good artifacts pass all checks, in both languages.
#[test]
fn good_artifacts_pass() {
    let world = world("zh-web-rollback");
    provost_snapshot!(world.provost().args(CASE), @r"
    exit: 0
    ----- stdout -----
    result: passed
    case: zh-web-rollback (engineer)
    P0 schema.summary  passed
    P0 schema.score  passed
    P0 schema.todos  passed
    P0 schema.card  passed
    P0 score.reasons_min  passed
    P0 score.priority_band  passed
    P0 todos.shape  passed
    P0 card.shape  passed
    P1 score.reasons_specific  passed
    P1 todos.verb_led  passed
    P1 card.action_specific  passed
    P1 summary.grounded  passed
    P2 summary.bullets_distinct  passed
    P2 summary.insight_adds  passed
    P2 card.headline_specific  passed
    P1 expect.priority  passed
    P1 expect.score  passed
    ----- stderr -----
    ");
    provost_snapshot!(world.provost().args(CASE).args(["--lang", "zh", "--profile", "manager"]), @r"
    exit: 0
    ----- stdout -----
    结果：通过
    用例：zh-web-rollback (manager)
    P0 schema.summary  通过
    P0 schema.score  通过
    P0 schema.todos  通过
    P0 schema.card  通过
    P0 score.reasons_min  通过
    P0 score.priority_band  通过
    P0 todos.shape  通过
    P0 card.shape  通过
    P1 score.reasons_specific  通过
    P1 todos.verb_led  通过
    P1 card.action_specific  通过
    P1 summary.grounded  通过
    P2 summary.bullets_distinct  通过
    P2 summary.insight_adds  通过
    P2 card.headline_specific  通过
    P1 expect.priority  通过
    P1 expect.score  通过
    ----- stderr -----
    ");
    provost_snapshot!(world.provost().args(CASE).args(["--json"]), @r#"
    exit: 0
    ----- stdout -----
    {
      "result": "pass",
      "case": "zh-web-rollback",
      "fail_on": "P1",
      "checks": [
        {
          "name": "schema.summary",
          "level": "P0",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "schema.score",
          "level": "P0",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "schema.todos",
          "level": "P0",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "schema.card",
          "level": "P0",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "score.reasons_min",
          "level": "P0",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "score.priority_band",
          "level": "P0",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "todos.shape",
          "level": "P0",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "card.shape",
          "level": "P0",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "score.reasons_specific",
          "level": "P1",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "todos.verb_led",
          "level": "P1",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "card.action_specific",
          "level": "P1",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "summary.grounded",
          "level": "P1",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "summary.bullets_distinct",
          "level": "P2",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "summary.insight_adds",
          "level": "P2",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "card.headline_specific",
          "level": "P2",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "expect.priority",
          "level": "P1",
          "pass": true,
          "status": "pass",
          "message": ""
        },
        {
          "name": "expect.score",
          "level": "P1",
          "pass": true,
          "status": "pass",
          "message": ""
        }
      ],
      "warnings": []
    }
    ----- stderr -----
    "#);
}

/// EVAL-5.1, EVAL-5.2: a failure at P0 or P1 refuses, and says why in both languages.
#[test]
fn a_failure_at_p0_or_p1_refuses() {
    let band = spoilt("en-other-rail-toddler", "score.priority_band");
    provost_snapshot!(band.provost().args(CASE), @r"
    exit: 1
    ----- stdout -----
    result: failed
    case: en-other-rail-toddler (engineer)
    P0 schema.summary  passed
    P0 schema.score  passed
    P0 schema.todos  passed
    P0 schema.card  passed
    P0 score.reasons_min  passed
    P0 score.priority_band  failed  READ_NEXT but score 79.49 (allowed s ≥ 79.5)
    P0 todos.shape  passed
    P0 card.shape  passed
    P1 score.reasons_specific  passed
    P1 todos.verb_led  passed
    P1 card.action_specific  passed
    P1 summary.grounded  passed
    P2 summary.bullets_distinct  passed
    P2 summary.insight_adds  passed
    P2 card.headline_specific  passed
    P1 expect.priority  passed
    P1 expect.score  passed
    ----- stderr -----
    ");
    let titles = spoilt("zh-web-chiffon", "todos.verb_led");
    provost_snapshot!(titles.provost().args(CASE).args(["--lang", "zh"]), @r"
    exit: 1
    ----- stdout -----
    结果：失败
    用例：zh-web-chiffon (engineer)
    P0 schema.summary  通过
    P0 schema.score  通过
    P0 schema.todos  通过
    P0 schema.card  通过
    P0 score.reasons_min  通过
    P0 score.priority_band  通过
    P0 todos.shape  通过
    P0 card.shape  通过
    P1 score.reasons_specific  通过
    P1 todos.verb_led  失败  1 个标题以动词开头，至少应有 2 个；以下不是：`六寸戚风的切面照片`、`感受腰部和底部的变化`
    P1 card.action_specific  通过
    P1 summary.grounded  通过
    P2 summary.bullets_distinct  通过
    P2 summary.insight_adds  通过
    P2 card.headline_specific  通过
    P1 expect.priority  通过
    P1 expect.score  通过
    ----- stderr -----
    ");
    // What P0 alone asks for is not broken by a title.
    let ran = titles.provost().args(CASE).args(["--fail-on", "P0", "--json"]).run();
    assert_eq!((ran.exit(), &ran.json()["result"]), (Some(0), &json!("pass")));
}

/// EVAL-5.3: a failure at P2 is said and tolerated, unless somebody asks for more.
#[test]
fn a_failure_at_p2_is_tolerated() {
    let world = spoilt("en-web-cold-start", "card.headline_specific");
    for (more, exit) in [(vec![], 0), (vec!["--fail-on", "P2"], 1)] {
        let ran = world.provost().args(CASE).args(["--json"]).args(more).run();
        let answer = ran.json();
        let failed = answer["checks"].as_array().unwrap().iter().filter(|it| it["pass"] == false);
        let names: Vec<_> = failed.map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!((ran.exit(), names), (Some(exit), vec!["card.headline_specific"]));
    }
}

/// Every bad answer that ships with provost has the exit code of its gravest check.
#[test]
fn every_bad_answer_is_refused_for_its_own_reason() {
    let expected: Value =
        serde_json::from_str(&shipped("fixtures/evals/artifacts/expected.json")).unwrap();
    let world = World::new();
    for bad in expected["bad"].as_array().unwrap() {
        let (check, id) = (bad["check"].as_str().unwrap(), bad["case"].as_str().unwrap());
        world.write("repo/case.json", shipped(&format!("docs/evals/cases/{id}.json")));
        let made = shipped(&format!("fixtures/evals/artifacts/bad/{check}/{id}.json"));
        world.write("repo/made.json", &made);
        let ran = world.provost().args(CASE).args(["--json", "--fail-on", "P2"]).run();
        let answer = ran.json();
        let failed = answer["checks"].as_array().unwrap().iter().filter(|it| it["pass"] == false);
        let mut names: Vec<_> = failed.map(|it| it["name"].clone()).collect();
        let mut expected = bad["fails"].as_array().unwrap().clone();
        names.sort_by_key(ToString::to_string);
        expected.sort_by_key(ToString::to_string);
        assert_eq!((ran.exit(), names), (Some(1), expected), "{check} {id}");
    }
}

/// The keys that scripts rely on are there, passed or not.
#[test]
fn the_answer_has_its_keys() {
    let world = world("en-web-sourdough");
    let mut case: Value =
        serde_json::from_str(&shipped("docs/evals/cases/en-web-sourdough.json")).unwrap();
    case.as_object_mut().unwrap().remove("expect");
    world.write("repo/case.json", case.to_string());
    for (made, exit, n_checks) in
        [(None, 0, 15), (Some("{}"), 1, 15), (Some("[]"), 1, 16), (Some("oops"), 1, 16)]
    {
        if let Some(made) = made {
            world.write("repo/made.json", made);
        }
        let ran = world.provost().args(CASE).args(["--json"]).run();
        let answer = ran.json();
        let result = if exit == 0 { "pass" } else { "fail" };
        assert_eq!((ran.exit(), &answer["result"]), (Some(exit), &json!(result)), "{made:?}");
        let checks = answer["checks"].as_array().unwrap();
        assert_eq!(checks.len(), n_checks, "{made:?}");
        for check in checks {
            assert!(check["name"].is_string() && check["message"].is_string(), "{check}");
            assert!(["P0", "P1", "P2"].contains(&check["level"].as_str().unwrap()), "{check}");
            assert_eq!(check["pass"] == true, check["status"] == "pass", "{check}");
        }
    }
}

/// What is missing is never taken for passed: a skipped check names what blocked it.
#[test]
fn what_is_missing_did_not_pass() {
    let world = world("en-web-sourdough");
    let mut made: Value =
        serde_json::from_str(&shipped("fixtures/evals/artifacts/good/en-web-sourdough.json"))
            .unwrap();
    made.as_object_mut().unwrap().remove("card");
    world.write("repo/made.json", made.to_string());
    provost_snapshot!(world.provost().args(CASE), @r"
    exit: 1
    ----- stdout -----
    result: failed
    case: en-web-sourdough (engineer)
    P0 schema.summary  passed
    P0 schema.score  passed
    P0 schema.todos  passed
    P0 schema.card  failed  `card` is missing
    P0 score.reasons_min  passed
    P0 score.priority_band  passed
    P0 todos.shape  passed
    P0 card.shape  skipped  not checked: `schema.card` failed
    P1 score.reasons_specific  passed
    P1 todos.verb_led  passed
    P1 card.action_specific  skipped  not checked: `schema.card` failed
    P1 summary.grounded  passed
    P2 summary.bullets_distinct  passed
    P2 summary.insight_adds  passed
    P2 card.headline_specific  skipped  not checked: `schema.card` failed
    P1 expect.priority  passed
    P1 expect.score  passed
    ----- stderr -----
    ");
    world.write("repo/made.json", "The engine is thinking …");
    provost_snapshot!(world.provost().args(CASE).args(["--lang", "zh", "--fail-on", "P0"]), @r"
    exit: 1
    ----- stdout -----
    结果：失败
    用例：en-web-sourdough (engineer)
    P0 engine.output  失败  AI_PARSE_ERROR：第 1 行：第 1 列不是有效的 JSON
    P0 schema.summary  跳过  未检查：`engine.output` 失败
    P0 schema.score  跳过  未检查：`engine.output` 失败
    P0 schema.todos  跳过  未检查：`engine.output` 失败
    P0 schema.card  跳过  未检查：`engine.output` 失败
    P0 score.reasons_min  跳过  未检查：`engine.output` 失败
    P0 score.priority_band  跳过  未检查：`engine.output` 失败
    P0 todos.shape  跳过  未检查：`engine.output` 失败
    P0 card.shape  跳过  未检查：`engine.output` 失败
    P1 score.reasons_specific  跳过  未检查：`engine.output` 失败
    P1 todos.verb_led  跳过  未检查：`engine.output` 失败
    P1 card.action_specific  跳过  未检查：`engine.output` 失败
    P1 summary.grounded  跳过  未检查：`engine.output` 失败
    P2 summary.bullets_distinct  跳过  未检查：`engine.output` 失败
    P2 summary.insight_adds  跳过  未检查：`engine.output` 失败
    P2 card.headline_specific  跳过  未检查：`engine.output` 失败
    ----- stderr -----
    ");
}

/// EVAL-2.1, EVAL-2.2: a case that cannot be used is an error of its own, with every place.
#[test]
fn what_cannot_be_judged_is_an_error() {
    let world = world("en-web-sourdough");
    let case = json!({"id": "a", "source_type": "book", "intent_text": "<script>x</script> " });
    world.write("repo/bad.json", case.to_string());
    provost_snapshot!(world.provost().args(["check", "case", "bad.json", "made.json"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: invalid case: bad.json#/source_type: line 1: expected one of `web`, `youtube`, `newsletter`, `other`, found `book`; bad.json#/intent_text: line 1: the text has raw HTML (`<script`); bad.json#/extracted_text: missing, expected a string
    ");
    provost_snapshot!(world.provost().args(["check", "case", "bad.json", "made.json", "--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：用例无法使用：bad.json#/source_type：第 1 行：应为 `web`、`youtube`、`newsletter`、`other` 之一，实为 `book`；bad.json#/intent_text：第 1 行：含有原始 HTML（`<script`）；bad.json#/extracted_text：缺少，应为字符串
    ");
    provost_snapshot!(world.provost().args(["check", "case", "case.json", "missing.json"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot read `missing.json`
    cause: No such file or directory (os error 2)
    ");
    provost_snapshot!(world.provost().args(["check", "case", "-", "-"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: standard input cannot be two files at once
    hint: put one of the two in a file
    ");
    for wrong in [&["--profile", "boss"][..], &["--fail-on", "P3"], &["--more"], &["third"]] {
        assert_eq!(world.provost().args(CASE).args(wrong).run().exit(), Some(2), "{wrong:?}");
    }
}

/// What is not good about a case is a warning, and does not change the result.
#[test]
fn a_case_with_something_private_is_warned_about() {
    let world = world("en-web-sourdough");
    let mut case: Value =
        serde_json::from_str(&shipped("docs/evals/cases/en-web-sourdough.json")).unwrap();
    case["title"] = json!("Ask ann.lee@bakery.lan about sourdough");
    world.write("repo/case.json", case.to_string());
    let ran = world.provost().args(CASE).args(["--json"]).run();
    let answer = ran.json();
    assert_eq!((ran.exit(), &answer["result"]), (Some(0), &json!("pass")));
    assert_eq!(answer["warnings"].as_array().unwrap().len(), 1, "{answer}");
    assert!(!answer.to_string().contains("ann.lee"), "what is private is not repeated: {answer}");
}

/// A pipe is enough, and a whole answer of an engine is read like its artifacts alone.
#[test]
fn standard_input_and_a_whole_answer_are_read() {
    let world = world("zh-web-slow-query");
    let made: Value =
        serde_json::from_str(&shipped("fixtures/evals/artifacts/good/zh-web-slow-query.json"))
            .unwrap();
    let whole = json!({"meta": {"run_id": "eval_x"}, "artifacts": made});
    for text in [made.to_string(), whole.to_string()] {
        let asked = ["check", "case", "case.json", "-", "--strict-rubric", "--json"];
        let ran = world.provost().args(asked).input(text).run();
        // Fourteen checks, four optional ones, and two that the case itself asks for.
        let n_checks = ran.json()["checks"].as_array().unwrap().len();
        assert_eq!((ran.exit(), n_checks), (Some(0), 20));
    }
}
