use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{Exit, Lang, Message, Text};
use serde_json::{Value, json};

use super::*;

const VECTORS: [&str; 2] = [
    include_str!("../../../../fixtures/task/decision/original.json"),
    include_str!("../../../../fixtures/task/decision/rows.json"),
];

const CLEAN: Facts = Facts {
    role: Role::Judge,
    rc: 0,
    error_class: ErrorClass::None,
    verdict_decision: Some(VerdictDecision::Pass),
    verdict_gated: false,
    thresholds_pass: true,
    current_attempt: 1,
    effective_max_attempts: 3,
    consecutive_timeout_count: 0,
    consecutive_timeout_key: None,
    questions_for_user: Vec::new(),
};

fn vectors(text: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(text).unwrap();
    file["vectors"].as_array().unwrap().clone()
}

/// LOOP-B12 and LOOP-B22: the eleven rows of the original, exactly, and every other row.
#[test]
fn the_published_vectors_hold() {
    assert_eq!(vectors(VECTORS[0]).len(), 11);
    let mut seen = BTreeSet::new();
    for vector in VECTORS.into_iter().flat_map(vectors) {
        let name = vector["name"].as_str().unwrap();
        let input = vector["input"].to_string();
        let decided = check(input.as_bytes()).unwrap();
        let actual = json!({
            "next_state": decided.next_state,
            "pause_reason_code": decided.pause_reason_code,
            "consume_attempt": decided.consume_attempt,
            "last_decision": decided.last_decision,
            "row": decided.row,
        });
        assert_eq!(actual, vector["expected"], "{name}");
        seen.insert(decided.row);
    }
    let all: BTreeSet<&str> = Row::WORDS.iter().copied().collect();
    assert_eq!(seen, all, "every row has a vector");
}

/// Every combination of inputs that the table tells apart, and some that it does not.
fn every_combination() -> impl Iterator<Item = Facts> {
    let decisions = [
        None,
        Some(VerdictDecision::Pass),
        Some(VerdictDecision::Fail),
        Some(VerdictDecision::NeedUserInput),
    ];
    let keys = [
        None,
        Some(TimeoutKey::Coder),
        Some(TimeoutKey::Test),
        Some(TimeoutKey::Judge),
        Some(TimeoutKey::Coordinator),
    ];
    let mut all = Vec::new();
    for &role in Role::ALL {
        for rc in [-1, 0, 1, RC_TIMEOUT, RC_AUTH] {
            for &error_class in ErrorClass::ALL {
                for verdict_decision in decisions {
                    for (verdict_gated, thresholds_pass) in
                        [(false, false), (false, true), (true, false), (true, true)]
                    {
                        for current_attempt in [1, 2, 3] {
                            let count = [0, 1, 2, 3].into_iter();
                            let counted = count.flat_map(|count| keys.map(|key| (count, key)));
                            all.extend(counted.map(|(count, key)| Facts {
                                role,
                                rc,
                                error_class,
                                verdict_decision,
                                verdict_gated,
                                thresholds_pass,
                                current_attempt,
                                effective_max_attempts: 2,
                                consecutive_timeout_count: count,
                                consecutive_timeout_key: key,
                                questions_for_user: Vec::new(),
                            }));
                        }
                    }
                }
            }
        }
    }
    all.into_iter()
}

type Condition = fn(&Facts) -> bool;

/// The table once more, as conditions that stand for themselves: no order, no "otherwise".
fn conditions() -> Vec<(Row, Condition)> {
    use ErrorClass as Class;
    use VerdictDecision as Verdict;

    fn auth(it: &Facts) -> bool {
        it.error_class != Class::Crash && (it.error_class == Class::Auth || it.rc == 195)
    }
    fn timeout(it: &Facts) -> bool {
        it.error_class != Class::Crash
            && it.error_class != Class::Auth
            && it.rc != 195
            && (it.error_class == Class::Timeout || it.rc == 124)
    }
    fn twice(it: &Facts) -> bool {
        let role = it.role.as_str();
        let key = it.consecutive_timeout_key.map(TimeoutKey::as_str);
        it.consecutive_timeout_count >= 2 && key.is_none_or(|it| it == format!("{role}_timeout"))
    }
    fn once(it: &Facts, role: Role) -> bool {
        timeout(it) && !twice(it) && it.role == role
    }
    fn class(it: &Facts, class: Class) -> bool {
        it.error_class == class && it.rc != 124 && it.rc != 195
    }
    fn broke(it: &Facts, role: Role) -> bool {
        class(it, Class::None) && it.rc != 0 && it.role == role
    }
    fn judged(it: &Facts) -> bool {
        class(it, Class::None) && (it.rc == 0 || it.role == Role::Test)
    }
    fn open(it: &Facts) -> bool {
        judged(it) && !it.verdict_gated && it.thresholds_pass
    }
    fn failed(it: &Facts) -> bool {
        let is_lowered = it.verdict_decision == Some(Verdict::Pass) && it.rc != 0;
        open(it) && (it.verdict_decision == Some(Verdict::Fail) || is_lowered)
    }

    vec![
        (Row::Crash, |it| it.error_class == Class::Crash || broke(it, Role::Coordinator)),
        (Row::JudgeAuth, |it| auth(it) && it.role == Role::Judge),
        (Row::CoderAuth, |it| auth(it) && it.role != Role::Judge),
        (Row::TimeoutTwice, |it| timeout(it) && twice(it)),
        (Row::CoderTimeout, |it| once(it, Role::Coder)),
        (Row::TestTimeout, |it| once(it, Role::Test)),
        (Row::JudgeTimeout, |it| once(it, Role::Judge)),
        (Row::CoordinatorTimeout, |it| once(it, Role::Coordinator)),
        (Row::VerdictInvalid, |it| class(it, Class::VerdictInvalid) || broke(it, Role::Judge)),
        (Row::VerdictInconsistent, |it| class(it, Class::VerdictInconsistent)),
        (Row::ModeInvalid, |it| class(it, Class::ModeInvalid)),
        (Row::CoderFailed, |it| class(it, Class::CoderFailed) || broke(it, Role::Coder)),
        (Row::CoderNoOutput, |it| class(it, Class::CoderNoOutput)),
        (Row::AllowedPaths, |it| class(it, Class::AllowedPaths)),
        (Row::ForbiddenGlobs, |it| class(it, Class::ForbiddenGlobs)),
        (Row::Secrets, |it| class(it, Class::Secrets)),
        (Row::NotGitRepo, |it| class(it, Class::NotGitRepo)),
        (Row::TaskIdConflict, |it| class(it, Class::TaskIdConflict)),
        (Row::User, |it| class(it, Class::User)),
        (Row::JudgeInvalid, |it| class(it, Class::JudgeInvalid)),
        (Row::AdapterMissing, |it| class(it, Class::AdapterMissing)),
        (Row::Budget, |it| class(it, Class::Budget)),
        (Row::Quota, |it| class(it, Class::Quota)),
        (Row::PrepareFailed, |it| class(it, Class::PrepareFailed)),
        (Row::TestNotRun, |it| class(it, Class::TestNotRun)),
        (Row::Gated, |it| judged(it) && it.verdict_decision.is_some() && it.verdict_gated),
        (Row::NeedUserInput, |it| {
            judged(it) && !it.verdict_gated && it.verdict_decision == Some(Verdict::NeedUserInput)
        }),
        (Row::BelowThreshold, |it| {
            let is_ruled = matches!(it.verdict_decision, Some(Verdict::Pass | Verdict::Fail));
            judged(it) && !it.verdict_gated && !it.thresholds_pass && is_ruled
        }),
        (Row::Ready, |it| open(it) && it.rc == 0 && it.verdict_decision == Some(Verdict::Pass)),
        (Row::FailNextAttempt, |it| failed(it) && it.current_attempt < it.effective_max_attempts),
        (Row::FailExhausted, |it| failed(it) && it.current_attempt >= it.effective_max_attempts),
        (Row::UnknownDecision, |it| judged(it) && it.verdict_decision.is_none()),
    ]
}

/// LOOP-B11: the table is total; every combination has exactly one row, and never another.
#[test]
fn every_combination_has_exactly_one_row() {
    let conditions = conditions();
    assert_eq!(conditions.len(), Row::ALL.len());
    let mut reached = BTreeMap::new();
    for facts in every_combination() {
        let rows: Vec<Row> =
            conditions.iter().filter(|(_, holds)| holds(&facts)).map(|&(row, _)| row).collect();
        assert_eq!(rows, [row(&facts)], "{facts:?}");
        *reached.entry(rows[0]).or_insert(0) += 1;
    }
    assert_eq!(reached.len(), Row::ALL.len(), "no row is dead: {reached:?}");
}

/// LOOP-B11: what holds of every decision, whatever the facts are.
#[test]
fn no_decision_breaks_an_invariant() {
    let consuming = BTreeSet::from([
        Row::TimeoutTwice,
        Row::TestTimeout,
        Row::CoderFailed,
        Row::CoderNoOutput,
        Row::Gated,
        Row::BelowThreshold,
        Row::FailNextAttempt,
        Row::FailExhausted,
    ]);
    for facts in every_combination() {
        let decision = decide(&facts);
        let is_paused = decision.next_state == State::Paused;
        assert_eq!(decision.pause_reason_code.is_some(), is_paused, "{facts:?}");
        assert_eq!(!decision.questions_for_user.is_empty(), is_paused, "{facts:?}");
        assert_eq!(decision.consume_attempt, consuming.contains(&decision.row), "{facts:?}");
        assert!(
            !decision.message.to_string().is_empty()
                && !Lang::Zh.render(&decision.message).is_empty()
        );
        if decision.next_state == State::ReadyForReview {
            assert_eq!(facts.verdict_decision, Some(VerdictDecision::Pass), "{facts:?}");
            assert!(!facts.verdict_gated && facts.thresholds_pass, "{facts:?}");
            assert!(facts.rc == 0 && facts.error_class == ErrorClass::None, "{facts:?}");
            assert_eq!(decision.last_decision, VerdictDecision::Pass);
        } else {
            assert_ne!(decision.last_decision, VerdictDecision::Pass, "{facts:?}");
        }
        if decision.next_state == State::Running {
            assert!(facts.current_attempt < facts.effective_max_attempts, "{facts:?}");
        }
    }
}

/// LOOP-B11: the one function raises every code that there is.
#[test]
fn every_pause_code_has_a_row() {
    let codes: BTreeSet<PauseCode> = Row::ALL.iter().filter_map(|&it| outcome(it).1).collect();
    assert_eq!(codes, PauseCode::ALL.iter().copied().collect());
}

#[test]
fn a_person_reads_what_happened_in_their_language() {
    let check = |facts: &Facts, en: &str, zh: &str| {
        let message = decide(facts).message;
        assert_eq!((message.to_string().as_str(), Lang::Zh.render(&message).as_str()), (en, zh));
    };
    let fail = Facts { verdict_decision: Some(VerdictDecision::Fail), current_attempt: 2, ..CLEAN };
    check(&fail, "attempt 2 of 3 failed; trying again", "第 2 次尝试失败（共 3 次），正在重试");
    check(
        &Facts { effective_max_attempts: 2, ..fail },
        "attempt 2 of 2 failed, and none is left",
        "第 2 次尝试失败（共 2 次），次数已用完",
    );
    let timeout = Facts { rc: RC_TIMEOUT, consecutive_timeout_count: 2, ..CLEAN };
    check(&timeout, "the judge timed out 2 times in a row", "评审连续 2 次超时");
    check(
        &Facts { role: Role::Test, consecutive_timeout_count: 1, ..timeout },
        "the test ran into its time limit",
        "测试超时",
    );
    check(
        &Facts { role: Role::Coder, rc: 7, ..CLEAN },
        "the coder ended with exit code 7; nothing was tested or judged",
        "编码智能体以退出码 7 结束；未测试也未评审",
    );
    let over = |current_attempt, effective_max_attempts| Facts {
        error_class: ErrorClass::Budget,
        current_attempt,
        effective_max_attempts,
        ..CLEAN
    };
    check(&over(4, 3), "all 3 attempts are used", "3 次尝试已全部用完");
    check(&over(2, 1), "the 1 attempt is used", "1 次尝试已全部用完");
    check(&over(3, 3), "the task's budget allows no more work", "任务的预算已不足以继续");
    let asked = |facts: &Facts| decide(facts).questions_for_user[0].to_string();
    assert!(asked(&over(4, 3)).contains("`provost edit ID --set max_attempts=N`"));
    assert!(asked(&over(3, 3)).contains("`provost edit ID --set budget.usd=N`"));
    let messages: BTreeSet<_> = Row::ALL
        .iter()
        .map(|&it| text::message(it, &CLEAN))
        .map(|it| (it.to_string(), Lang::Zh.render(&it)))
        .collect();
    // The four timeouts share a sentence: the role makes the difference.
    assert_eq!(messages.len(), Row::ALL.len() - 3);
}

#[test]
fn a_judge_s_own_questions_reach_the_person() {
    use VerdictDecision::{Fail, NeedUserInput, Pass};

    let asked = |decision, gated, thresholds, questions: &[&str]| {
        let facts = Facts {
            verdict_decision: Some(decision),
            verdict_gated: gated,
            thresholds_pass: thresholds,
            questions_for_user: questions.iter().map(|it| (*it).to_owned()).collect(),
            ..CLEAN
        };
        decide(&facts)
            .questions_for_user
            .into_iter()
            .map(|it| Lang::Zh.render(&it))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        asked(NeedUserInput, false, true, &["which port?", "why?"]),
        ["which port?", "why?"]
    );
    assert_eq!(asked(NeedUserInput, false, true, &[]), ["请答复。（`provost answer ID TEXT`）"]);
    assert_eq!(asked(NeedUserInput, true, true, &["which port?"])[1..], ["which port?"]);
    assert_eq!(asked(Fail, false, false, &["which port?"])[1..], ["which port?"]);
    assert_eq!(asked(Fail, true, true, &[]).len(), 1);
    assert!(asked(Pass, false, true, &["which port?"]).is_empty());
    assert!(asked(Fail, false, true, &["which port?"]).is_empty());
}

#[track_caller]
fn check_input(input: &str, expected: Result<&str, &str>) {
    let actual = check(input.as_bytes()).map(|it| it.row);
    assert_eq!(actual.map_err(|it| it.to_string()), expected.map_err(str::to_owned), "{input}");
}

#[test]
fn what_is_absent_takes_its_default() {
    check_input("{}", Ok("unknown-decision"));
    check_input(r#"{"verdict_decision": "PASS"}"#, Ok("ready"));
    check_input(r#"{"verdict_decision": "FAIL"}"#, Ok("fail-next-attempt"));
    check_input(r#"{"verdict_decision": "FAIL", "current_attempt": 3}"#, Ok("fail-exhausted"));
    check_input(
        r#"{"verdict_decision": "FAIL", "effective_max_attempts": 1}"#,
        Ok("fail-exhausted"),
    );
    check_input(r#"{"rc": 124}"#, Ok("judge-timeout"));
    check_input(r#"{"verdict_decision": null, "role": null, "rc": null}"#, Ok("unknown-decision"));
    check_input(
        r#"{"verdict_decision": "PASS", "error_class": "", "verdict_gated": null, "thresholds_pass": null}"#,
        Ok("ready"),
    );
    check_input(
        r#"{"rc": 124, "consecutive_timeout_count": 2, "consecutive_timeout_key": "?"}"#,
        Ok("timeout-twice"),
    );
    check_input(
        r#"{"rc": 124, "consecutive_timeout_count": 2, "consecutive_timeout_key": ""}"#,
        Ok("timeout-twice"),
    );
}

#[test]
fn a_malformed_input_has_a_named_error() {
    check_input("[]", Err("line 1: expected an object, found `[]`"));
    check_input("{} {}", Err("line 1: text after the JSON value at column 4"));
    check_input(r#"{"rc": 0, "rc": 1}"#, Err("line 1: `rc`: duplicate key"));
    for (input, problem) in [
        (r#""rol": "judge""#, "`rol`: unknown key, did you mean `role`?"),
        (
            r#""role": "boss""#,
            "`role`: expected one of `coder`, `test`, `judge`, `coordinator`, found `boss`",
        ),
        (
            r#""role": 1"#,
            "`role`: expected one of `coder`, `test`, `judge`, `coordinator`, found `1`",
        ),
        (
            r#""rc": "124""#,
            "`rc`: expected a whole number from -2147483648 to 2147483647, found `\"124\"`",
        ),
        (
            r#""rc": 1.5"#,
            "`rc`: expected a whole number from -2147483648 to 2147483647, found `1.5`",
        ),
        (
            r#""rc": 99999999999"#,
            "`rc`: expected a whole number from -2147483648 to 2147483647, found `99999999999`",
        ),
        (r#""verdict_gated": "no""#, "`verdict_gated`: expected `true` or `false`, found `\"no\"`"),
        (
            r#""current_attempt": -1"#,
            "`current_attempt`: expected a whole number of at least 0, found `-1`",
        ),
        (
            r#""effective_max_attempts": 4294967296"#,
            "`effective_max_attempts`: expected a whole number of at least 0, found `4294967296`",
        ),
        (
            r#""questions_for_user": ["a", 1]"#,
            "`questions_for_user[1]`: expected a string, found `1`",
        ),
        (r#""verdict_decision": true"#, "`verdict_decision`: expected a string, found `true`"),
    ] {
        check_input(&format!("{{{input}}}"), Err(&format!("line 1: {problem}")));
    }
    let error = check(br#"{"error_class": "timeout"}"#).unwrap_err();
    assert!(error.to_string().ends_with(", found `timeout`"), "{error}");
    check_input(
        "{\"rc\": 1.5,\n\"rule\": 1}",
        Err("line 1: `rc`: expected a whole number from -2147483648 to 2147483647, found `1.5`; \
             line 2: `rule`: unknown key, did you mean `role`?"),
    );

    check_input(&format!("{{}}{}", " ".repeat(65_534)), Ok("unknown-decision"));
    check_input(&" ".repeat(65_537), Err("larger than 65536 bytes"));

    let error = check(br#"{"thresholds_passed": true}"#).unwrap_err();
    assert_eq!(
        Lang::Zh.render(&error.text()),
        "第 1 行：`thresholds_passed`：未知的键，是否想写 `thresholds_pass`？"
    );
    assert_eq!(error.exit(), Exit::Unable);
    let error = check(br#"{"xyzzy": true}"#).unwrap_err();
    assert!(
        error.hints()[0].to_string().starts_with("the known keys are `consecutive_timeout_count`")
    );
}

#[test]
fn an_answer_has_what_scripts_read() {
    let input = br#"{"verdict_decision": "NEED_USER_INPUT", "questions_for_user": ["port?"]}"#;
    let answer = check(input).unwrap();
    assert_eq!((answer.next_state, answer.row), (State::Paused, "need-user-input"));
    assert_eq!(answer.pause_reason_code, "PAUSED_WAITING_USER_INPUT");
    assert_eq!(Lang::Zh.render(&answer.message), "需要你的答复");
    assert_eq!(answer.questions_for_user, [Text::verbatim("port?")]);
}
