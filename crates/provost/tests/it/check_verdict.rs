//! `provost check verdict`: the validator as a script and a person ask it.

use serde_json::{Value, json};

use crate::world::World;

const VERDICT: [&str; 2] = ["check", "verdict"];

/// A valid reply for a type of task.
fn valid(task_type: &str) -> Value {
    let file = include_str!("../../../../fixtures/task/verdict/valid.json");
    let replies: Value = serde_json::from_str(file).unwrap();
    replies[task_type].clone()
}

/// The reply with other fields; `null` removes one, and an object changes a part of one.
fn changed(mut reply: Value, patch: &Value) -> Value {
    for (key, value) in patch.as_object().unwrap() {
        match value {
            Value::Null => drop(reply.as_object_mut().unwrap().remove(key)),
            Value::Object(_) => reply[key] = changed(reply[key].take(), value),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                reply[key] = value.clone();
            }
        }
    }
    reply
}

/// One question to the validator, asked through the command.
struct Case<'a> {
    world: &'a World,
    task_type: Option<&'a str>,
    facts: Value,
}

impl<'a> Case<'a> {
    fn of(world: &'a World, task_type: &'a str) -> Self {
        Self { world, task_type: Some(task_type), facts: Value::Null }
    }

    fn with_facts(self, facts: Value) -> Self {
        Self { facts, ..self }
    }

    /// The exit code and the document.
    #[track_caller]
    fn ask_bytes(&self, reply: impl Into<Vec<u8>>) -> (i32, Value) {
        let mut provost = self.world.provost().args(VERDICT).args(["-", "--json"]);
        if let Some(task_type) = self.task_type {
            provost = provost.args(["--task-type", task_type]);
        }
        if !self.facts.is_null() {
            self.world.write("repo/facts.json", self.facts.to_string());
            provost = provost.args(["--facts", "facts.json"]);
        }
        let ran = provost.input(reply).run();
        (ran.exit().unwrap(), ran.json())
    }

    /// The answer on the valid reply of this type, changed.
    #[track_caller]
    fn ask(&self, patch: &Value) -> (i32, Value) {
        let reply = changed(valid(self.task_type.unwrap()), patch);
        self.ask_bytes(reply.to_string())
    }

    /// Valid, and the numbers and gates that provost computed.
    #[track_caller]
    fn check_valid(&self, patch: &Value, expected: &Value) {
        let (exit, answer) = self.ask(patch);
        assert_eq!((exit, &answer["result"]), (0, &json!("valid")), "{patch}: {answer}");
        for (key, expected) in expected.as_object().unwrap() {
            let beside = &answer[key];
            let found = if beside.is_null() { &answer["recomputed"][key] } else { beside };
            assert_eq!(found, expected, "{key}: {patch}: {answer}");
        }
    }

    /// Refused, by these rules; each is `RULE SUBJECT`.
    #[track_caller]
    fn check_refused(&self, patch: &Value, result: &str, rules: &[&str]) -> Value {
        let (exit, answer) = self.ask(patch);
        assert_refused(exit, &answer, result, rules);
        answer
    }
}

#[track_caller]
fn assert_refused(exit: i32, answer: &Value, result: &str, rules: &[&str]) {
    assert_eq!((exit, &answer["result"]), (1, &json!(result)), "{answer}");
    let findings = answer["findings"].as_array().unwrap().iter();
    let graver = findings.filter(|it| it["severity"] == "P0");
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    let found: Vec<_> =
        graver.map(|it| format!("{} {}", text(&it["rule"]), text(&it["subject"]))).collect();
    assert_eq!(found, rules, "{answer}");
}

/// LOOP-U2, LOOP-B7: the validator alone; the score is exact, and the judge's 89 is not kept.
#[test]
fn a_valid_verdict_passes_for_every_type() {
    let world = World::new();
    for (task_type, raw, whole) in [
        ("requirements_doc", 4.44, 88.8),
        ("engineering_impl", 4.45, 89.0),
        ("douyin_script", 4.45, 89.0),
        ("storyboard", 4.45, 89.0),
        ("paid_mini_drama", 4.45, 89.0),
    ] {
        let (exit, answer) = Case::of(&world, task_type).ask(&json!({}));
        assert_eq!(
            (exit, &answer["result"], &answer["findings"]),
            (0, &json!("valid"), &json!([]))
        );
        let recomputed = &answer["recomputed"];
        assert_eq!(recomputed["raw_score_0_5"].as_f64(), Some(raw), "{task_type}");
        assert_eq!(recomputed["final_score_0_5"].as_f64(), Some(raw), "{task_type}");
        assert_eq!(recomputed["final_score_0_100"].as_f64(), Some(whole), "{task_type}");
        assert_eq!(recomputed["penalty"].as_f64(), Some(0.0), "{task_type}");
        assert_eq!(recomputed["gated"], false, "{task_type}");
        assert_eq!(recomputed["gating_reasons"], json!([]), "{task_type}");
        let keys = answer.as_object().unwrap().keys().map(String::as_str);
        let expected =
            ["result", "findings", "recomputed", "error_class", "decision", "thresholds_pass"];
        let mut expected: Vec<_> = expected.to_vec();
        expected.sort_unstable();
        let mut keys: Vec<_> = keys.collect();
        keys.sort_unstable();
        assert_eq!(keys, expected);
    }
}

/// LOOP-B25: the alias of a type is read as the type.
#[test]
fn the_alias_of_a_type_is_accepted() {
    let world = World::new();
    let reply = valid("engineering_impl").to_string();
    let by_name = Case::of(&world, "engineering_impl").ask_bytes(reply.clone());
    assert_eq!(Case::of(&world, "engineering_implementation").ask_bytes(reply), by_name);
    // Another type has another rubric, so that the same reply is no verdict for it.
    let other = valid("requirements_doc").to_string();
    let (exit, answer) = Case::of(&world, "engineering_implementation").ask_bytes(other);
    assert_eq!((exit, &answer["result"]), (1, &json!("invalid")));
}

/// LOOP-B1: strict JSON with every field of the contract; what provost fills may be absent.
#[test]
fn a_reply_is_strict_json_with_every_field() {
    let world = World::new();
    let case = Case::of(&world, "requirements_doc");
    for field in [
        "decision",
        "scores",
        "weights",
        "raw_score_0_5",
        "penalty",
        "final_score_0_5",
        "final_score_0_100",
        "gated",
        "gating_reasons",
        "top_issues",
        "fix_suggestions",
        "scoring_mode_used",
    ] {
        let rule = format!("verdict.missing {field}");
        let answer = case.check_refused(&json!({field: null}), "invalid", &[&rule]);
        assert_eq!((&answer["recomputed"], &answer["decision"]), (&Value::Null, &Value::Null));
        assert_eq!(answer["error_class"], "VERDICT_INVALID");
    }
    let reply = valid("requirements_doc").to_string();
    for bad in [
        String::new(),
        "The attempt is fine: PASS".to_owned(),
        format!("```json\n{reply}\n```"),
        format!("{reply} PASS"),
        reply.replacen('{', r#"{"decision": "FAIL","#, 1),
        "[]".to_owned(),
        format!("{}{reply}", " ".repeat(256 * 1024)),
    ] {
        let (exit, answer) = case.ask_bytes(bad.clone());
        assert_refused(exit, &answer, "invalid", &["verdict.json verdict"]);
    }
    let (exit, answer) = case.ask_bytes(b"\xff".to_vec());
    assert_refused(exit, &answer, "invalid", &["verdict.json verdict"]);
}

/// LOOP-B2: no mode but `rubric_analytic`, and the class says what the loop would pause with.
#[test]
fn only_the_analytic_mode_approves() {
    let world = World::new();
    let case = Case::of(&world, "requirements_doc");
    for (mode, class) in
        [("holistic_impression", "MODE_INVALID"), ("by feeling", "VERDICT_INVALID")]
    {
        let rules = ["verdict.mode scoring_mode_used"];
        let answer = case.check_refused(&json!({"scoring_mode_used": mode}), "invalid", &rules);
        assert_eq!(answer["error_class"], class, "{mode}");
    }
}

/// LOOP-B4: the ranges, counts and lengths of the contract.
#[test]
fn what_is_out_of_range_is_refused() {
    let world = World::new();
    let case = Case::of(&world, "requirements_doc");
    let issues = |count: usize| json!({"top_issues": vec!["It is slow."; count]});
    let suggestions = |count: usize| json!({"fix_suggestions": vec!["Say it once."; count]});
    let long = |length: usize| "字".repeat(length);
    let sums = |raw: f64, rest: f64, whole: u8| json!({"raw_score_0_5": raw, "final_score_0_5": rest, "final_score_0_100": whole});
    for fine in [
        issues(2),
        issues(5),
        suggestions(0),
        suggestions(5),
        json!({"top_issues": [long(120), "b"]}),
        json!({"fix_suggestions": [long(160)]}),
    ] {
        case.check_valid(&fine, &json!({}));
    }
    for (patch, rule) in [
        (json!({"decision": "OK"}), "verdict.decision decision"),
        (json!({"scores": {"clarity": 4.3}}), "verdict.range scores.clarity"),
        (json!({"scores": {"clarity": 5.5}}), "verdict.range scores.clarity"),
        (json!({"scores": {"clarity": -0.5}}), "verdict.range scores.clarity"),
        (json!({"scores": {"clarity": "4"}}), "verdict.type scores.clarity"),
        (json!({"scores": {"clarity": true}}), "verdict.type scores.clarity"),
        (json!({"scores": {"clarity": null}}), "verdict.dimensions scores.clarity"),
        (json!({"scores": {"beauty": 4}}), "verdict.dimensions scores.beauty"),
        (json!({"weights": {"clarity": 0.17}}), "verdict.weights weights.clarity"),
        (json!({"penalty": 2.5}), "verdict.range penalty"),
        (json!({"penalty": 0.3}), "verdict.range penalty"),
        (json!({"raw_score_0_5": 5.1}), "verdict.range raw_score_0_5"),
        (sums(4.3, 4.3, 86), "verdict.sum raw_score_0_5"),
        (sums(4.44, 4.3, 86), "verdict.sum final_score_0_5"),
        (json!({"final_score_0_100": 70}), "verdict.sum final_score_0_100"),
        (json!({"gated": "no"}), "verdict.type gated"),
        (issues(1), "verdict.count top_issues"),
        (issues(6), "verdict.count top_issues"),
        (suggestions(6), "verdict.count fix_suggestions"),
        (json!({"top_issues": [long(121), "b"]}), "verdict.length top_issues[0]"),
        (json!({"top_issues": ["a", " "]}), "verdict.blank top_issues[1]"),
        (json!({"fix_suggestions": [long(161)]}), "verdict.length fix_suggestions[0]"),
        (json!({"task_type": "storyboard"}), "verdict.task_type task_type"),
        (json!({"schema_version": "v9"}), "verdict.schema_version schema_version"),
    ] {
        case.check_refused(&patch, "invalid", &[rule]);
    }
}

/// LOOP-B5: a hard gate under its threshold makes it FAIL, whatever the judge says of it.
#[test]
fn a_hard_gate_under_its_threshold_gates() {
    let world = World::new();
    let case = Case::of(&world, "requirements_doc");
    let with = |dimension: &str, score: f64, raw: f64, whole: f64| {
        json!({
            "scores": {dimension: score}, "raw_score_0_5": raw, "final_score_0_5": raw,
            "final_score_0_100": whole,
        })
    };
    case.check_valid(
        &with("clarity", 1.5, 3.9, 78.0),
        &json!({"gated": true, "gating_reasons": ["dim:clarity:1.5<2"], "decision": "FAIL"}),
    );
    // The threshold itself is enough, and a dimension that is no gate does not gate.
    let open = json!({"gated": false, "gating_reasons": [], "decision": "PASS"});
    case.check_valid(&with("clarity", 2.0, 3.99, 80.0), &open);
    case.check_valid(&with("feasibility", 0.0, 3.99, 80.0), &open);
    // A judge's own gate stands.
    case.check_valid(
        &json!({"gated": true, "gating_reasons": ["it lies"]}),
        &json!({"gated": true, "gating_reasons": ["judge:it lies"], "decision": "FAIL"}),
    );
}

/// LOOP-B6, LOOP-U10: facts cost points for every type, and a forcing penalty says that it gated.
#[test]
fn facts_cost_points_and_gate() {
    let world = World::new();
    let forced = |reason: &str| json!({"penalty": 2, "gated": true, "gating_reasons": [reason], "decision": "FAIL"});
    for task_type in
        ["requirements_doc", "engineering_impl", "douyin_script", "storyboard", "paid_mini_drama"]
    {
        for facts in [json!({"secrets": true}), json!({"forbidden_globs": ["a/.env"]})] {
            let case = Case::of(&world, task_type).with_facts(facts);
            case.check_valid(&json!({}), &forced("penalty:secrets_forbidden_globs"));
        }
        let claimed = json!({"gating_reasons": ["penalty:plagiarism_copyright"]});
        Case::of(&world, task_type).check_valid(&claimed, &forced("penalty:plagiarism_copyright"));
    }
    for (count, penalty, rest, whole) in
        [(1, json!(1), 3.44, 68.8), (2, json!(1.5), 2.94, 58.8), (9, json!(2), 2.44, 48.8)]
    {
        let case = Case::of(&world, "requirements_doc");
        let case = case.with_facts(json!({"missing_sections": count}));
        let expected = json!({
            "penalty": penalty, "raw_score_0_5": 4.44, "final_score_0_5": rest,
            "final_score_0_100": whole, "gated": false, "decision": "PASS",
        });
        case.check_valid(&json!({}), &expected);
    }
    // Nothing is less than nothing, and a judge's higher penalty stands.
    let scores = json!({
        "clarity": 2, "completeness": 2, "acceptance_testability": 2, "risk_and_exception": 1,
        "constraints_and_compliance": 2, "feasibility": 0, "structure_and_readability": 0,
    });
    let poor = json!({
        "scores": scores, "raw_score_0_5": 1.48, "penalty": 2, "final_score_0_5": 0,
        "final_score_0_100": 0,
    });
    Case::of(&world, "requirements_doc").check_valid(
        &poor,
        &json!({"penalty": 2, "final_score_0_5": 0, "final_score_0_100": 0, "gated": false}),
    );
}

/// A failed test, type check or build lowers what the judge says; a passed one raises nothing.
#[test]
fn facts_lower_a_decision_and_never_raise_it() {
    let world = World::new();
    let asked = |facts: Value| Case::of(&world, "engineering_impl").with_facts(facts);
    let lowered = |penalty: Value| json!({"decision": "FAIL", "gated": false, "penalty": penalty});
    asked(json!({"test_rc": 1})).check_valid(&json!({}), &lowered(json!(1.5)));
    for facts in [
        json!({"typecheck_rc": 1}),
        json!({"build_rc": 2}),
        json!({"scope_refused": true}),
        json!({"unproven_criteria": ["AC-1"]}),
    ] {
        asked(facts).check_valid(&json!({}), &lowered(json!(0)));
    }
    let passed = asked(json!({"test_rc": 0, "typecheck_rc": 0, "build_rc": 0}));
    passed.check_valid(&json!({}), &json!({"decision": "PASS", "gated": false, "penalty": 0}));
    let fail = json!({"decision": "FAIL", "next_instructions": "Shrink the cache."});
    passed.check_valid(&fail, &json!({"decision": "FAIL"}));
    let (_, answer) = asked(json!({"test_rc": 1})).ask(&json!({}));
    let overruled: Vec<_> =
        answer["findings"].as_array().unwrap().iter().map(|it| &it["subject"]).collect();
    assert_eq!(overruled, ["penalty", "decision"]);
}

#[test]
fn thresholds_are_held_against_the_recomputed_score() {
    let world = World::new();
    for (thresholds, expected) in [
        (json!({}), true),
        (json!({"min_score_0_100": 88.8}), true),
        (json!({"min_score_0_100": 88.9}), false),
        (json!({"min_score": 88}), true),
        (json!({"min_score": 4.44}), true),
        (json!({"min_score": 4.5}), false),
        (json!({"risk_and_exception": 4}), true),
        (json!({"risk_and_exception": 4.5}), false),
    ] {
        let case = Case::of(&world, "requirements_doc");
        let case = case.with_facts(json!({"thresholds": thresholds}));
        case.check_valid(&json!({}), &json!({"thresholds_pass": expected}));
    }
}

/// LOOP-B8: six or more equal scores are no judgement, perfect ones included.
#[test]
fn equal_scores_are_inconsistent() {
    let world = World::new();
    let case = Case::of(&world, "engineering_impl");
    for points in [0.0, 3.5, 5.0] {
        let scores: Value = valid("engineering_impl")["scores"]
            .as_object()
            .unwrap()
            .keys()
            .map(|it| (it.clone(), json!(points)))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let patch = json!({
            "scores": scores, "raw_score_0_5": points, "final_score_0_5": points,
            "final_score_0_100": points * 20.0,
        });
        let answer = case.check_refused(&patch, "inconsistent", &["verdict.flat scores"]);
        assert_eq!(answer["error_class"], "VERDICT_INCONSISTENT");
        // It can still be computed, so that a person sees what it would have been.
        assert_eq!(answer["recomputed"]["raw_score_0_5"].as_f64(), Some(points));
    }
}

/// LOOP-B9: an issue caps the score of what it is about.
#[test]
fn a_score_over_the_cap_of_an_issue_is_inconsistent() {
    let world = World::new();
    let case = Case::of(&world, "requirements_doc");
    let issue = |text: &str| json!({"top_issues": [text, "It is long."]});
    let rules = ["verdict.keyword scores.acceptance_testability"];
    case.check_refused(&issue("未覆盖验收"), "inconsistent", &rules);
    let both = ["verdict.keyword scores.completeness", "verdict.keyword scores.completeness"];
    case.check_refused(&issue("The error codes are MISSING."), "inconsistent", &both);
    for fine in ["no missing parts", "a dismissing tone", "并发"] {
        case.check_valid(&issue(fine), &json!({"decision": "PASS"}));
    }
}

/// LOOP-B10: no issue at all is a contradiction, and that is tested before the count.
#[test]
fn a_verdict_without_an_issue_is_inconsistent() {
    let world = World::new();
    let case = Case::of(&world, "requirements_doc");
    let none = json!({"top_issues": []});
    case.check_refused(&none, "inconsistent", &["verdict.issues top_issues"]);
    let one = json!({"top_issues": ["It is long."]});
    case.check_refused(&one, "invalid", &["verdict.count top_issues"]);
}

/// Without a type a plain verdict is enough; with one it is not, and facts lower both.
#[test]
fn a_plain_verdict_is_enough_without_a_type_only() {
    let world = World::new();
    let reply = json!({
        "decision": "PASS", "reasons": ["It works."], "next_instructions": "",
        "questions_for_user": [],
    });
    let plain = |facts: Value| Case { world: &world, task_type: None, facts };
    for (facts, decision) in [
        (Value::Null, "PASS"),
        (json!({"test_rc": 0}), "PASS"),
        (json!({"test_rc": 1}), "FAIL"),
        (json!({"secrets": 1}), "FAIL"),
    ] {
        let (exit, answer) = plain(facts).ask_bytes(reply.to_string());
        assert_eq!((exit, &answer["result"]), (0, &json!("valid")), "{answer}");
        assert_eq!((&answer["decision"], &answer["recomputed"]), (&json!(decision), &Value::Null));
    }
    for (patch, rule) in [
        (json!({"reasons": null}), "verdict.missing reasons"),
        (json!({"decision": "FAIL"}), "verdict.blank next_instructions"),
        (json!({"decision": "NEED_USER_INPUT"}), "verdict.blank questions_for_user"),
    ] {
        let bad = changed(reply.clone(), &patch);
        let (exit, answer) = plain(Value::Null).ask_bytes(bad.to_string());
        assert_refused(exit, &answer, "invalid", &[rule]);
    }
    let (exit, answer) = Case::of(&world, "storyboard").ask_bytes(reply.to_string());
    assert_eq!((exit, &answer["result"]), (1, &json!("invalid")));
}

#[test]
fn a_person_reads_result_score_gates_and_findings() {
    let world = World::new();
    world.write("repo/valid.json", valid("engineering_impl").to_string());
    let patch = json!({
        "scores": {"security": 1}, "raw_score_0_5": 3.96, "final_score_0_5": 3.96,
        "final_score_0_100": 79,
    });
    world.write("repo/gated.json", changed(valid("engineering_impl"), &patch).to_string());
    world.write("repo/facts.json", r#"{"test_rc": 1, "thresholds": {"min_score": 60}}"#);
    world.write("repo/short.json", r#"{"decision": "PASS"}"#);
    let provost = |file: &str| world.provost().args(VERDICT).args([file]);
    let typed = |file: &str| provost(file).args(["--task-type", "engineering_impl"]);
    provost_snapshot!(typed("valid.json"), @r"
    exit: 0
    ----- stdout -----
    result: valid
    rubric: engineering_impl 1.0.0
    score: 89 of 100 (4.45 less a penalty of 0 is 4.45 of 5)
    gated: no
    thresholds: none
    tests: not verified
    decision: PASS
    ----- stderr -----
    ");
    provost_snapshot!(typed("gated.json").args(["--facts", "facts.json"]), @r"
    exit: 0
    ----- stdout -----
    result: valid
    rubric: engineering_impl 1.0.0
    score: 49.2 of 100 (3.96 less a penalty of 1.5 is 2.46 of 5)
    gated: yes
    gating reason: dim:security:1<2
    thresholds: not met
    tests: failed with exit code 1
    decision: FAIL
    P2 verdict.overruled  gated  gated: dim:security:1<2
    P2 verdict.overruled  penalty  the judge gives 0, it is 1.5
    P2 verdict.overruled  decision  the judge decides PASS, the facts FAIL
    ----- stderr -----
    ");
    provost_snapshot!(typed("gated.json").args(["--facts", "facts.json", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    结果：有效
    评分标准：engineering_impl 1.0.0
    得分：49.2/100（3.96 减扣分 1.5 得 2.46/5）
    被门槛拦下：是
    门槛原因：dim:security:1<2
    得分门槛：未达到
    测试：失败，退出码 1
    裁决：FAIL
    P2 verdict.overruled  gated  未通过硬性门槛：dim:security:1<2
    P2 verdict.overruled  penalty  评审给出 0，实为 1.5
    P2 verdict.overruled  decision  评审给出 PASS，事实为 FAIL
    ----- stderr -----
    ");
    let met = r#"{"test_rc": 0, "thresholds": {"min_score": 60}}"#;
    provost_snapshot!(typed("valid.json").args(["--facts", "-"]).input(met), @r"
    exit: 0
    ----- stdout -----
    result: valid
    rubric: engineering_impl 1.0.0
    score: 89 of 100 (4.45 less a penalty of 0 is 4.45 of 5)
    gated: no
    thresholds: met
    tests: passed
    decision: PASS
    ----- stderr -----
    ");
    provost_snapshot!(provost("short.json").args(["--facts", "facts.json"]), @r"
    exit: 1
    ----- stdout -----
    result: invalid
    rubric: none
    error class: VERDICT_INVALID
    thresholds: not verified
    tests: failed with exit code 1
    P0 verdict.missing  reasons  missing, expected a list of strings
    P0 verdict.missing  next_instructions  missing, expected a string
    P0 verdict.missing  questions_for_user  missing, expected a list of strings
    ----- stderr -----
    ");
    provost_snapshot!(provost("short.json"), @r"
    exit: 1
    ----- stdout -----
    result: invalid
    rubric: none
    error class: VERDICT_INVALID
    thresholds: none
    tests: not verified
    P0 verdict.missing  reasons  missing, expected a list of strings
    P0 verdict.missing  next_instructions  missing, expected a string
    P0 verdict.missing  questions_for_user  missing, expected a list of strings
    ----- stderr -----
    ");
    provost_snapshot!(provost("short.json").args(["--lang", "zh", "--json"]), @r#"
    exit: 1
    ----- stdout -----
    {
      "decision": null,
      "error_class": "VERDICT_INVALID",
      "findings": [
        {
          "message": "缺少，应为字符串列表",
          "message_args": {
            "expected": {
              "args": {},
              "code": "form.expected.texts"
            }
          },
          "message_code": "form.problem.missing",
          "rule": "verdict.missing",
          "severity": "P0",
          "subject": "reasons"
        },
        {
          "message": "缺少，应为字符串",
          "message_args": {
            "expected": {
              "args": {},
              "code": "form.expected.text"
            }
          },
          "message_code": "form.problem.missing",
          "rule": "verdict.missing",
          "severity": "P0",
          "subject": "next_instructions"
        },
        {
          "message": "缺少，应为字符串列表",
          "message_args": {
            "expected": {
              "args": {},
              "code": "form.expected.texts"
            }
          },
          "message_code": "form.problem.missing",
          "rule": "verdict.missing",
          "severity": "P0",
          "subject": "questions_for_user"
        }
      ],
      "recomputed": null,
      "result": "invalid",
      "thresholds_pass": null
    }
    ----- stderr -----
    "#);
}

/// What keeps provost from judging is exit 2, and never a ruling.
#[test]
fn what_could_not_be_judged_has_a_named_error() {
    let world = World::new().with("repo/f.json", r#"{"secret": true}"#);
    world.write("repo/reply.json", valid("storyboard").to_string());
    let provost = || world.provost().args(VERDICT).args(["--task-type", "storyboard"]);
    let facts = |it: &str| provost().args(["reply.json", "--facts", it]);
    provost_snapshot!(facts("f.json"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `f.json`: line 1: `secret`: unknown key, did you mean `secrets`?
    ");
    provost_snapshot!(facts("f.json").args(["--lang", "zh", "--json"]), @r#"
    exit: 2
    ----- stdout -----
    {
      "error": {
        "causes": [],
        "exit": 2,
        "hints": [],
        "message": "`f.json`：第 1 行：`secret`：未知的键，是否想写 `secrets`？"
      }
    }
    ----- stderr -----
    错误：`f.json`：第 1 行：`secret`：未知的键，是否想写 `secrets`？
    "#);
    provost_snapshot!(facts("none.json"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot read `none.json`
    cause: No such file or directory (os error 2)
    ");
    provost_snapshot!(facts("."), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `.` is a folder, and a file is needed
    ");
    provost_snapshot!(facts("-").input("{\"test_rc\": 0, \"test_rc\": 1}"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: standard input: line 1: `test_rc`: duplicate key
    ");
    provost_snapshot!(facts("-").input("{\"thresholds\": {\"min_score\": 101}}"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: standard input: line 1: `thresholds`: invalid threshold: `min_score` is not a number from 0 to 100
    ");
    provost_snapshot!(provost().args(["-", "--facts", "-"]).input("{}"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: standard input cannot be two files at once
    hint: put one of the two in a file
    ");
    provost_snapshot!(provost().args(["none.json"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot read `none.json`
    cause: No such file or directory (os error 2)
    ");
    provost_snapshot!(provost().args(["."]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `.` is a folder, and a file is needed
    ");
    let typed = |it: &str| world.provost().args(VERDICT).args(["reply.json", "--task-type", it]);
    provost_snapshot!(typed("story"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: invalid value 'story' for '--task-type <TYPE>'
      [possible values: requirements_doc, engineering_impl, douyin_script, storyboard, paid_mini_drama]

      tip: a similar value exists: 'storyboard'

    For more information, try '--help'.
    ");
    provost_snapshot!(typed("").args(["--json"]), @r#"
    exit: 2
    ----- stdout -----
    {
      "error": {
        "message": "a value is required for '--task-type <TYPE>' but none was supplied",
        "causes": [],
        "hints": [],
        "exit": 2
      }
    }
    ----- stderr -----
    error: a value is required for '--task-type <TYPE>' but none was supplied
      [possible values: requirements_doc, engineering_impl, douyin_script, storyboard, paid_mini_drama]

    For more information, try '--help'.
    "#);
    assert_eq!(world.provost().args(VERDICT).run().exit(), Some(2));
}

#[test]
fn judging_changes_nothing() {
    let world = World::new().with("repo/facts.json", "{}");
    world.write("repo/reply.json", valid("storyboard").to_string());
    let before = world.listing();
    let asked = world.provost().args(VERDICT).args(["reply.json", "--task-type", "storyboard"]);
    assert_eq!(asked.args(["--facts", "facts.json"]).run().exit(), Some(0));
    assert_eq!(world.listing(), before);
}
