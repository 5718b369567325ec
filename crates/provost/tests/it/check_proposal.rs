//! `provost check proposal`: what a model proposed, as a script and a person have it checked.

use serde_json::{Value, json};

use crate::world::World;

const PROPOSAL: [&str; 5] = ["check", "proposal", "answer.txt", "--learnable", "learnable.json"];

const DECISION: &str =
    r#"{"no_evidence_group_ids": ["QC-2::pass", "QC-9::fail"], "decision_analysis": "tried two"}"#;

fn guidance() -> Value {
    json!({"doors": {
        "step": 1,
        "updated_at": "2026-01-31T10:00:00Z",
        "experiences": {
            "S1": "If any recorded policy violation exists, then fail.",
            "G0": "Check that the goal is met.",
            "G1": "If the diff is empty, then fail.",
        },
    }})
}

/// An answer, the tickets that it was given for, and the rules of the time.
fn world(answer: &str) -> World {
    let learnable = json!(["QC-1::fail", "QC-2::pass", "QC-3::fail"]);
    World::new()
        .with("repo/answer.txt", answer)
        .with("repo/learnable.json", &learnable.to_string())
        .with("repo/guidance.json", &guidance().to_string())
}

/// Something that stands, something that does not, and something that nobody asked for.
fn mixed() -> String {
    json!({
        "has_evidence": true,
        "evidence_analysis": "two cases lack a test",
        "operations": [
            {
                "op": "add",
                "text": "If the changed branch has no test, then fail.",
                "rationale": "both lack a test",
                "evidence": ["QC-1::fail", "case 3"],
            },
            {"op": "update", "key": "S1", "text": "Always pass.", "evidence": ["QC-1::fail"]},
            {"op": "delete", "key": "G7", "evidence": ["QC-2::pass"]},
        ],
        "hypotheses": [
            {"text": "若缺少日志,则需复核。", "falsifier": "无", "evidence": ["QC-2::pass"]},
        ],
        "mood": "good",
    })
    .to_string()
}

/// LEARN-1.3, LEARN-2.3, LEARN-4.1, LEARN-5.1: each item by itself, and what remains uncovered.
#[test]
fn each_item_of_an_answer_stands_or_falls_by_itself() {
    let world = world(&mixed());
    let known = ["--guidance", "guidance.json"];
    provost_snapshot!(world.provost().args(PROPOSAL).args(known), @r"
    exit: 1
    ----- stdout -----
    result: rejected
    pass: ops
    operation 0  accepted
    operation 1  rejected  scaffold_target  a scaffold rule is never changed: S1
    operation 2  rejected  unknown_key  unknown rule key: G7
    hypothesis 0  rejected  third_state  the wording leaves a third answer: 复核
    uncovered: QC-2::pass
    ----- stderr -----
    note: unknown_field: mood
    ");
    provost_snapshot!(world.provost().args(PROPOSAL).args(known).args(["--lang", "zh"]), @r"
    exit: 1
    ----- stdout -----
    结果：拒绝
    阶段：操作
    操作 0  接受
    操作 1  拒绝  scaffold_target  骨架规则不可更改：S1
    操作 2  拒绝  unknown_key  未知的规则键：G7
    假设 0  拒绝  third_state  措辞留有第三种结论：复核
    未覆盖：QC-2::pass
    ----- stderr -----
    注意：unknown_field: mood
    ");
    provost_snapshot!(world.provost().args(PROPOSAL).args(known).args(["--json"]), @r#"
    exit: 1
    ----- stdout -----
    {
      "result": "reject",
      "pass": "ops",
      "accepted": [
        {
          "kind": "operation",
          "index": 0
        }
      ],
      "rejected": [
        {
          "kind": "operation",
          "index": 1,
          "code": "scaffold_target",
          "detail": "S1",
          "message": "a scaffold rule is never changed"
        },
        {
          "kind": "operation",
          "index": 2,
          "code": "unknown_key",
          "detail": "G7",
          "message": "unknown rule key"
        },
        {
          "kind": "hypothesis",
          "index": 0,
          "code": "third_state",
          "detail": "复核",
          "message": "the wording leaves a third answer"
        }
      ],
      "uncovered": [
        "QC-2::pass"
      ],
      "stop": [],
      "notes": [
        "unknown_field: mood"
      ]
    }
    ----- stderr -----
    "#);
}

/// Ruling 63: without the rules it is not asked whether one exists.
#[test]
fn without_the_rules_no_key_is_unknown() {
    let world = world(&mixed());
    let answer = world.provost().args(PROPOSAL).args(["--json"]).run().json();
    let accepted = json!([
        {"kind": "operation", "index": 0},
        {"kind": "operation", "index": 2},
    ]);
    assert_eq!(answer["accepted"], accepted);
    assert_eq!(answer["uncovered"], json!([]));
}

/// LEARN-3.3: a decision is seen as one, and what it lists besides its input is ignored.
#[test]
fn a_decision_is_accepted() {
    let world = world(DECISION);
    provost_snapshot!(world.provost().args(PROPOSAL), @r"
    exit: 0
    ----- stdout -----
    result: accepted
    pass: decision
    decision 0  accepted
    stop-gradient: QC-2::pass
    uncovered: QC-1::fail
    uncovered: QC-3::fail
    ----- stderr -----
    note: ignored: QC-9::fail
    ");
    let answer = world.provost().args(PROPOSAL).args(["--json"]).run().json();
    assert_eq!(answer["accepted"], json!([{"kind": "decision", "index": 0}]));
    assert_eq!(answer["rejected"], json!([]));
}

/// Rulings 59 and 63: malformed answers of every kind are judged, and cover nothing.
#[test]
fn a_malformed_answer_is_refused_as_a_whole() {
    let world = world("");
    let large = format!("{{\"operations\": [\"{}\"]}}", "x".repeat(1_000_000));
    for (answer, kind, code) in [
        ("", "operation", "not_json"),
        ("I found nothing.", "operation", "not_json"),
        ("```json\n{\"operations\": []}\n```", "operation", "not_json"),
        ("Here: {\"no_evidence_group_ids\": []}", "decision", "not_json"),
        (large.as_str(), "operation", "not_json"),
        ("{\"operations\": []} That is all.", "operation", "trailing_text"),
        ("{\"operations\": [], \"operations\": []}", "operation", "duplicate_key"),
        ("[]", "operation", "not_object"),
        ("{\"operations\": {}}", "operation", "not_object"),
        ("{\"no_evidence_group_ids\": [], \"more\": 1}", "decision", "unknown_field"),
        ("{\"no_evidence_group_ids\": \"all\"}", "decision", "evidence_not_list"),
        ("{\"decision_analysis\": \"x\"}", "decision", "evidence_missing"),
    ] {
        world.write("repo/answer.txt", answer);
        let ran = world.provost().args(PROPOSAL).args(["--json"]).run();
        let found = ran.json();
        let shown: String = answer.chars().take(60).collect();
        assert_eq!((ran.exit(), &found["accepted"]), (Some(1), &json!([])), "{shown}");
        let first = &found["rejected"][0];
        let told = (&first["kind"], &first["index"], &first["code"]);
        assert_eq!(told, (&json!(kind), &json!(0), &json!(code)), "{shown}");
        assert_eq!(found["uncovered"], json!(["QC-1::fail", "QC-2::pass", "QC-3::fail"]));
    }
    let ran = world.provost().args(["check", "proposal", "-", "--learnable", "learnable.json"]);
    let ran = ran.args(["--json"]).input(b"{\"operations\": [\"\xff\"]}".to_vec()).run();
    assert_eq!((ran.exit(), &ran.json()["rejected"][0]["code"]), (Some(1), &json!("not_json")));
}

#[test]
fn what_cannot_be_judged_is_an_error() {
    let world = world(DECISION);
    world.write("repo/learnable.json", r#"["QC-1::fail", "QC-2"]"#);
    provost_snapshot!(world.provost().args(PROPOSAL), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `learnable.json`: entry 2 of the learnable tickets: invalid ticket key "QC-2"
    hint: write the keys of the tickets as a list: `["QC-1::fail", "QC-2::pass"]`
    "#);
    world.write("repo/learnable.json", r#"["QC-1::fail"]"#);
    let two = json!({"doors": guidance()["doors"], "windows": guidance()["doors"]});
    world.write("repo/guidance.json", two.to_string());
    let known = ["--guidance", "guidance.json"];
    provost_snapshot!(world.provost().args(PROPOSAL).args(known), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `guidance.json`: the guidance has more than one mission: `doors`, `windows`
    hint: name the mission: `--mission NAME`
    ");
    let ran = world.provost().args(PROPOSAL).args(known).args(["--mission", "windows"]).run();
    assert_eq!(ran.exit(), Some(0));
    provost_snapshot!(world.provost().args(PROPOSAL).args(["--guidance", "-"]).input("{}"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: standard input: the guidance has no mission
    hint: name the mission: `--mission NAME`
    ");
    let twice = ["check", "proposal", "-", "--learnable", "-"];
    let ran = world.provost().args(twice).input("[]").run();
    assert_eq!(ran.exit(), Some(2), "standard input is one file");
    let ran = world.provost().args(["check", "proposal", "answer.txt"]).run();
    assert_eq!(ran.exit(), Some(2), "the tickets are needed");
}
