//! `provost check decision`: the table as a script and a person ask it.

use std::collections::BTreeSet;

use provost_kernel::task::Row;
use serde_json::{Value, json};

use crate::world::World;

const DECISION: [&str; 2] = ["check", "decision"];

/// The keys that scripts rely on.
const KEYS: [&str; 7] = [
    "next_state",
    "pause_reason_code",
    "consume_attempt",
    "last_decision",
    "questions_for_user",
    "message",
    "row",
];

/// The vectors that every implementation of the table is held against.
pub(crate) fn vectors() -> [Vec<Value>; 2] {
    let files = [
        include_str!("../../../../fixtures/task/decision/original.json"),
        include_str!("../../../../fixtures/task/decision/rows.json"),
    ];
    files.map(|it| {
        let file: Value = serde_json::from_str(it).unwrap();
        file["vectors"].as_array().unwrap().clone()
    })
}

/// The answer to an input that can be judged: exit 0 whatever the state, and one document.
#[track_caller]
fn answer(world: &World, input: &Value) -> Value {
    let asked = world.provost().args(DECISION).args(["-", "--json"]);
    let ran = asked.input(input.to_string()).run();
    assert_eq!((ran.exit(), ran.stderr().as_str()), (Some(0), ""), "{input}: {}", ran.text());
    ran.json()
}

#[track_caller]
fn check_vector(world: &World, vector: &Value) {
    let answer = answer(world, &vector["input"]);
    for (key, expected) in vector["expected"].as_object().unwrap() {
        assert_eq!(&answer[key], expected, "{key} of {}", vector["name"]);
    }
    for key in KEYS {
        assert!(answer.get(key).is_some(), "{key} of {}", vector["name"]);
    }
    let asks = !answer["questions_for_user"].as_array().unwrap().is_empty();
    assert_eq!(asks, answer["next_state"] == "PAUSED", "{}", vector["name"]);
    assert_ne!(answer["message"], "", "{}", vector["name"]);
}

/// LOOP-B12: the eleven rows of the original, through the command.
#[test]
fn the_original_s_rows_hold_through_the_command() {
    let world = World::new();
    let [original, _] = vectors();
    assert_eq!(original.len(), 11);
    for it in &original {
        check_vector(&world, it);
    }
}

/// LOOP-B22: a vector for every row there is, through the command.
#[test]
fn every_row_holds_through_the_command() {
    let world = World::new();
    let [original, ours] = vectors();
    for it in &ours {
        check_vector(&world, it);
    }
    let all = original.iter().chain(&ours);
    let seen: BTreeSet<_> = all.map(|it| it["expected"]["row"].as_str().unwrap()).collect();
    assert_eq!(seen, Row::WORDS.iter().copied().collect());
}

/// What is absent, or `null`, is as if its default stood there.
#[test]
fn an_absent_input_takes_its_default() {
    let world = World::new();
    for (key, default) in [
        ("role", json!("judge")),
        ("rc", json!(0)),
        ("error_class", json!("")),
        ("verdict_gated", json!(false)),
        ("thresholds_pass", json!(true)),
        ("current_attempt", json!(1)),
        ("effective_max_attempts", json!(3)),
        ("consecutive_timeout_count", json!(0)),
        ("consecutive_timeout_key", json!("")),
        ("questions_for_user", json!([])),
    ] {
        let mut input = json!({"verdict_decision": "FAIL"});
        let absent = answer(&world, &input);
        assert_eq!(absent["row"], "fail-next-attempt");
        assert_eq!(absent["message"], "attempt 1 of 3 failed; trying again");
        input[key] = default;
        assert_eq!(answer(&world, &input), absent, "{key}");
        input[key] = Value::Null;
        assert_eq!(answer(&world, &input), absent, "{key} is null");
    }
    // The role shows only in a timeout, and the decision has no default that decides.
    assert_eq!(answer(&world, &json!({"rc": 124}))["row"], "judge-timeout");
    assert_eq!(answer(&world, &json!({}))["row"], "unknown-decision");
    assert_eq!(answer(&world, &json!({"verdict_decision": "MAYBE"}))["row"], "unknown-decision");
}

#[test]
fn a_judge_s_own_questions_reach_the_person() {
    let questions = json!(["Which port?", "哪个端口?"]);
    let input = json!({"verdict_decision": "NEED_USER_INPUT", "questions_for_user": questions});
    assert_eq!(answer(&World::new(), &input)["questions_for_user"], questions);
}

#[test]
fn a_person_reads_row_state_reason_and_questions() {
    let world = World::new().with("repo/facts.json", r#"{"role": "test", "rc": 124}"#);
    let provost = || world.provost().args(DECISION);
    provost_snapshot!(provost().args(["facts.json"]), @r"
    exit: 0
    ----- stdout -----
    row: test-timeout
    next state: PAUSED (PAUSED_TEST_TIMEOUT)
    why: the test ran into its time limit
    attempt: consumed
    decision on record: NEED_USER_INPUT
    question: Does the test need more time (`test_timeout_seconds`), or does it hang?
    ----- stderr -----
    ");
    provost_snapshot!(provost().args(["facts.json", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    规则行：test-timeout
    下一状态：PAUSED (PAUSED_TEST_TIMEOUT)
    原因：测试超时
    本次尝试：计入次数
    记录的裁决：NEED_USER_INPUT
    问题：测试需要更多时间（`test_timeout_seconds`），还是卡住了？
    ----- stderr -----
    ");
    let fail = r#"{"verdict_decision": "FAIL", "current_attempt": 3}"#;
    provost_snapshot!(provost().args(["-"]).input(fail), @r"
    exit: 0
    ----- stdout -----
    row: fail-exhausted
    next state: FAILED
    why: attempt 3 of 3 failed, and none is left
    attempt: consumed
    decision on record: FAIL
    ----- stderr -----
    ");
    provost_snapshot!(provost().args(["-", "--lang", "zh"]).input(fail), @r"
    exit: 0
    ----- stdout -----
    规则行：fail-exhausted
    下一状态：FAILED
    原因：第 3 次尝试失败（共 3 次），次数已用完
    本次尝试：计入次数
    记录的裁决：FAIL
    ----- stderr -----
    ");
    // What somebody else wrote cannot forge a line.
    let forged =
        r#"{"verdict_decision": "NEED_USER_INPUT", "questions_for_user": ["a\nrow: ready"]}"#;
    provost_snapshot!(provost().args(["-"]).input(forged), @r"
    exit: 0
    ----- stdout -----
    row: need-user-input
    next state: PAUSED (PAUSED_WAITING_USER_INPUT)
    why: your answer is needed
    attempt: not consumed
    decision on record: NEED_USER_INPUT
    question: a\nrow: ready
    ----- stderr -----
    ");
}

#[test]
fn json_is_one_object_in_the_chosen_language() {
    let world = World::new();
    let provost = || world.provost().args(DECISION).args(["-", "--json"]);
    provost_snapshot!(provost().input(r#"{"rc": 195}"#), @r#"
    exit: 0
    ----- stdout -----
    {
      "next_state": "PAUSED",
      "pause_reason_code": "PAUSED_JUDGE_AUTH_195",
      "consume_attempt": false,
      "last_decision": "NEED_USER_INPUT",
      "questions_for_user": [
        "Can you log the judge in, or set its key, and resume?"
      ],
      "message": "the judge is not authorised",
      "row": "judge-auth"
    }
    ----- stderr -----
    "#);
    provost_snapshot!(provost().args(["--lang", "zh"]).input(r#"{"rc": 195}"#), @r#"
    exit: 0
    ----- stdout -----
    {
      "consume_attempt": false,
      "last_decision": "NEED_USER_INPUT",
      "message": "评审没有权限",
      "next_state": "PAUSED",
      "pause_reason_code": "PAUSED_JUDGE_AUTH_195",
      "questions_for_user": [
        "能否为评审登录或设置密钥，然后继续？"
      ],
      "row": "judge-auth"
    }
    ----- stderr -----
    "#);
}

/// Input that cannot be judged is exit 2 with a named error, in both languages and formats.
#[test]
fn bad_input_has_a_named_error() {
    let world = World::new();
    for (input, english, chinese) in [
        ("", "line 1: not valid JSON at column 0", "第 0 列不是有效的 JSON"),
        ("{} {}", "line 1: text after the JSON value at column 4", "JSON 值之后第 4 列还有文本"),
        ("[]", "line 1: expected an object, found `[]`", "应为对象"),
        (r#"{"rc": 1, "rc": 1}"#, "`rc`: duplicate key", "`rc`：键重复"),
        (r#"{"rol": "judge"}"#, "`rol`: unknown key, did you mean `role`?", "`rol`：未知的键"),
        (r#"{"rc": "0"}"#, "`rc`: expected a whole number from", "之间的整数"),
        (r#"{"rc": 0.5}"#, "`rc`: expected a whole number from", "之间的整数"),
        (
            r#"{"verdict_gated": "no"}"#,
            "`verdict_gated`: expected `true` or `false`",
            "应为 `true` 或 `false`",
        ),
        (
            r#"{"current_attempt": -1}"#,
            "`current_attempt`: expected a whole number of at least 0, found `-1`",
            "应为不小于 0 的整数",
        ),
        (r#"{"role": 1}"#, "`role`: expected one of `coder`, `test`", "`role`：应为 `coder`"),
        (r#"{"role": "boss"}"#, "`coordinator`, found `boss`", "之一，实为 `boss`"),
        (r#"{"error_class": "x"}"#, "`error_class`: expected one of", "之一，实为 `x`"),
        (
            r#"{"questions_for_user": [1]}"#,
            "`questions_for_user[0]`: expected a string, found `1`",
            "应为字符串",
        ),
        ("\u{feff}{}", "starts with a byte order mark", "字节顺序标记"),
    ] {
        for (lang, expected) in [("en", english), ("zh", chinese)] {
            let asked = world.provost().args(DECISION).args(["-", "--lang", lang]);
            let ran = asked.input(input).run();
            assert_eq!((ran.exit(), ran.stdout().as_str()), (Some(2), ""), "{input}");
            let first = ran.stderr().lines().next().unwrap().to_owned();
            assert!(first.contains(expected), "{input}: {first}");
        }
        let ran = world.provost().args(DECISION).args(["-", "--json"]).input(input).run();
        assert_eq!(ran.exit(), Some(2), "{input}");
        let error = &ran.json()["error"];
        assert!(error["message"].as_str().unwrap().contains(english), "{input}: {error}");
        assert_eq!(error["exit"], 2, "{input}");
    }
    let not_text = world.provost().args(DECISION).args(["-"]).input(b"{\"\xff\": 1}").run();
    assert_eq!(not_text.exit(), Some(2), "{}", not_text.text());
    assert!(not_text.stderr().contains("not UTF-8 from byte 2 on"), "{}", not_text.stderr());
    // What is more than any decision needs is refused before it is read to its end.
    for (length, expected) in [
        (64 * 1024 + 1, "standard input: larger than 65536 bytes"),
        (4 * 1024 * 1024 + 1, "standard input has more than 4 MiB"),
    ] {
        let ran = world.provost().args(DECISION).args(["-"]).input(vec![b' '; length]).run();
        assert_eq!(ran.exit(), Some(2), "{length}");
        assert_eq!(ran.stderr(), format!("error: {expected}\n"));
    }
}

#[test]
fn an_error_names_the_file_and_what_was_meant() {
    let world = World::new().with("repo/d.json", r#"{"verdict_gatet": true}"#);
    world.write("repo/large", vec![b' '; 4 * 1024 * 1024 + 1]);
    let provost = || world.provost().args(DECISION);
    provost_snapshot!(provost().args(["d.json"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `d.json`: line 1: `verdict_gatet`: unknown key, did you mean `verdict_gated`?
    ");
    provost_snapshot!(provost().args(["d.json", "--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`d.json`：第 1 行：`verdict_gatet`：未知的键，是否想写 `verdict_gated`？
    ");
    provost_snapshot!(provost().args(["none.json"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot read `none.json`
    cause: No such file or directory (os error 2)
    ");
    provost_snapshot!(provost().args([".", "--json"]), @r#"
    exit: 2
    ----- stdout -----
    {
      "error": {
        "message": "`.` is a folder, and a file is needed",
        "causes": [],
        "hints": [],
        "exit": 2
      }
    }
    ----- stderr -----
    error: `.` is a folder, and a file is needed
    "#);
    provost_snapshot!(provost().args(["large"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `large` has more than 4 MiB
    ");
    provost_snapshot!(provost().args(["/dev/null", "--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`/dev/null` 不是普通文件
    提示：请将其内容传给标准输入，并以 `-` 作为文件
    ");
    provost_snapshot!(provost().args([""]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: an empty path names no file
    hint: name a file, or `-` for standard input
    ");
    provost_snapshot!(provost(), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: the following required arguments were not provided:
      <FILE>

    Usage: provost check decision <FILE>

    For more information, try '--help'.
    ");
}

#[test]
fn asking_changes_nothing() {
    let world = World::new().with("repo/d.json", "{}");
    let before = world.listing();
    assert_eq!(world.provost().args(DECISION).args(["d.json"]).run().exit(), Some(0));
    assert_eq!(world.listing(), before);
}
