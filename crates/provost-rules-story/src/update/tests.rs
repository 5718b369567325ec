use proptest::prelude::*;
use provost_kernel::{Lang, Message};
use serde_json::json;

use super::{
    keys::{CRITERION, EXPLANATION, GATE, GATES, Key, Shape},
    *,
};

/// The seed's own sample, with a real entry in the place of its `{ ... }`.
fn seed() -> Value {
    json!({
        "storyId": "US-001",
        "passes": true,
        "acStatus": {
            "AC-1": {
                "passes": true,
                "evidence": "typecheck passed",
                "command": "pnpm check-types",
                "output": "✓ No type errors",
            },
            "AC-2": {"evidence": "built", "command": "pnpm --filter api build", "output": "ok"},
        },
        "expectedFiles": ["apps/api/src/modules/auth/auth.service.ts"],
        "scopeExplanation": {
            "apps/api/src/modules/auth/auth.service.ts": {
                "reason": "Implementing login logic as per US-001",
                "lines": 45,
            },
        },
    })
}

/// A short update with this beside it.
fn with(extra: &Value) -> Value {
    let mut update = json!({"storyId": "US-001", "passes": false});
    for (key, value) in extra.as_object().unwrap() {
        update[key] = value.clone();
    }
    update
}

#[track_caller]
fn read(update: &Value) -> StoryUpdate {
    parse(update.to_string().as_bytes()).unwrap()
}

/// Refused for exactly these reasons, each `CODE pointer`.
#[track_caller]
fn check_refused(update: &Value, expected: &[&str]) -> UpdateError {
    check_bytes(update.to_string().as_bytes(), expected)
}

#[track_caller]
fn check_bytes(bytes: &[u8], expected: &[&str]) -> UpdateError {
    let error = parse(bytes).unwrap_err();
    let findings = error.findings();
    let found: Vec<_> = findings.iter().map(|it| format!("{} {}", it.rule, it.subject)).collect();
    let found: Vec<_> = found.iter().map(|it| it.trim_end()).collect();
    assert_eq!(found, expected, "{}", String::from_utf8_lossy(bytes));
    let is_chinese =
        |it: &provost_kernel::Finding| Lang::Zh.render(&it.message) != it.message.to_string();
    assert!(findings.iter().all(is_chinese), "{findings:?}");
    error
}

/// STORY-1.4, STORY-5.2: the seed's own shape.
#[test]
fn the_seed_s_sample_is_an_update() {
    let update = read(&seed());
    assert_eq!((update.story_id.as_str(), update.passes), ("US-001", true));
    assert_eq!(update.branch, None);
    let first = &update.criteria[&"AC-1".parse().unwrap()];
    assert_eq!(first.passes, Some(true));
    assert_eq!(first.evidence.as_deref(), Some("typecheck passed"));
    assert_eq!(first.command.as_deref(), Some("pnpm check-types"));
    assert_eq!(first.output.as_deref(), Some("✓ No type errors"));
    let second = &update.criteria[&"AC-2".parse().unwrap()];
    assert_eq!((second.passes, second.is_claimed()), (None, true));
    assert_eq!(
        update.expected_files.as_deref(),
        Some(&["apps/api/src/modules/auth/auth.service.ts".to_owned()][..])
    );
    let explanation = Explanation {
        file: "apps/api/src/modules/auth/auth.service.ts".to_owned(),
        reason: "Implementing login logic as per US-001".to_owned(),
        lines: Some(45),
    };
    assert_eq!(update.explanations, [explanation]);
}

/// STORY-5.2: the original's shape, too.
#[test]
fn the_original_s_shape_is_an_update() {
    let update = read(&json!({
        "branch": "ralph/login",
        "storyId": "US-001",
        "passes": true,
        "notes": "done",
        "filesChanged": 3,
        "error": "none",
        "step": "verifying",
        "acEvidence": {"AC-1": {"passes": true, "command": "make test"}},
        "hardGates": {
            "typecheck": {"passed": true, "command": "tsc", "output": "ok"},
            "build": {"passed": false},
        },
        "skipHardGates": false,
        "skipScopeCheck": false,
        "scopeExplanation": [{"file": "a.ts", "reason": "login", "lines": 3}],
        "expectedFiles": ["a.ts"],
        "unexpectedFileExplanation": [{"file": "b.ts", "reason": "helper", "isNewFile": true}],
    }));
    assert_eq!(update.branch.as_deref(), Some("ralph/login"));
    assert_eq!((update.notes.as_deref(), update.files_changed), (Some("done"), Some(3)));
    assert_eq!(
        (update.error.as_deref(), update.step.as_deref()),
        (Some("none"), Some("verifying"))
    );
    assert_eq!(update.criteria.len(), 1);
    let passed: Vec<_> = update.gates.iter().map(|(kind, it)| (kind.as_str(), it.passed)).collect();
    assert_eq!(passed, [("typecheck", true), ("build", false)]);
    let files: Vec<_> = update.explanations.iter().map(|it| it.file.as_str()).collect();
    assert_eq!(files, ["a.ts", "b.ts"]);
}

#[test]
fn a_criterion_may_be_spelled_in_several_ways_but_once() {
    for name in ["AC-1", "ac-1", "AC1", "AC-01", "1"] {
        let update = read(&with(&json!({"acStatus": {name: {"passes": true}}})));
        assert_eq!(update.criteria.keys().next().unwrap().to_string(), "AC-1", "{name}");
    }
    check_refused(
        &with(&json!({"acStatus": {"AC-1": {}, "AC1": {}, "AC-x": {}}})),
        &["UNKNOWN_AC /acStatus/AC-x", "UNKNOWN_AC /acStatus/AC1"],
    );
}

#[test]
fn both_spellings_may_stand_together_when_they_say_the_same() {
    let claims = json!({"AC-1": {"passes": true}});
    let both = with(&json!({"acStatus": claims, "acEvidence": claims}));
    assert_eq!(read(&both).criteria.len(), 1);
    let nulled = with(&json!({"acStatus": null, "acEvidence": claims}));
    assert_eq!(read(&nulled).criteria.len(), 1);
    let error = check_refused(
        &with(&json!({"acStatus": claims, "acEvidence": {"AC-1": {"passes": false}}})),
        &["UPDATE_ALIAS_CONFLICT /acEvidence"],
    );
    assert_eq!(error.hints(), ["send one of the two"]);
}

/// STORY-3.5: a list, a map, or one object.
#[test]
fn an_explanation_has_three_forms() {
    let explained = |it: Value| read(&with(&json!({"scopeExplanation": it}))).explanations;
    let one = json!({"file": "a.ts", "reason": "login", "lines": 3});
    let expected =
        Explanation { file: "a.ts".to_owned(), reason: "login".to_owned(), lines: Some(3) };
    for form in [one.clone(), json!([one]), json!({"a.ts": {"reason": "login", "lines": 3}})] {
        assert_eq!(explained(form.clone()), std::slice::from_ref(&expected), "{form}");
    }
    assert_eq!(explained(json!([])), []);
    assert_eq!(explained(json!({})), []);
    // A file may be called like a key.
    let odd = explained(json!({"file": {"reason": "x"}, "reason": {"reason": "y"}}));
    assert_eq!(odd.iter().map(|it| it.file.as_str()).collect::<Vec<_>>(), ["file", "reason"]);
}

#[test]
fn both_lists_of_explanations_become_one() {
    let update = read(&with(&json!({
        "scopeExplanation": {"a.ts": {"reason": "login"}, "b.ts": {"reason": "same"}},
        "unexpectedFileExplanation": [
            {"file": "a.ts", "reason": "was not foreseen", "lines": 4},
            {"file": "b.ts", "reason": "same"},
            {"file": "c.ts", "reason": "new", "isNewFile": true, "isNewDirectory": false},
        ],
    })));
    let found = update.explanations.iter();
    let found: Vec<_> = found.map(|it| (it.file.as_str(), it.reason.as_str(), it.lines)).collect();
    assert_eq!(
        found,
        [
            ("a.ts", "login was not foreseen", Some(4)),
            ("b.ts", "same", None),
            ("c.ts", "new", None)
        ]
    );
}

/// STORY-1.1: what is missing, unknown or of another kind is named where it is, all at once.
#[test]
fn everything_that_is_wrong_is_said_at_once() {
    check_refused(&json!({}), &["UPDATE_MISSING_KEY /storyId", "UPDATE_MISSING_KEY /passes"]);
    check_refused(
        &json!({
            "storyId": "US-1x",
            "passes": "yes",
            "acStatus": {"AC-1": {"pases": true, "command": 7}, "AC-2": []},
            "expectedFiles": ["a", 3],
            "scopeExplanation": [{"file": "a"}, {"file": "a", "reason": "b"}, 4],
            "filesChanged": -1,
            "skipHardGates": true,
            "hardGates": {"typecheck": {}},
            "typecheckPassed": true,
        }),
        &[
            "UPDATE_UNKNOWN_KEY /typecheckPassed",
            "UPDATE_STORY_ID /storyId",
            "UPDATE_WRONG_TYPE /passes",
            "UPDATE_UNKNOWN_KEY /acStatus/AC-1/pases",
            "UPDATE_WRONG_TYPE /acStatus/AC-1/command",
            "UPDATE_WRONG_TYPE /acStatus/AC-2",
            "UPDATE_WRONG_TYPE /expectedFiles/1",
            "UPDATE_MISSING_KEY /scopeExplanation/0/reason",
            "UPDATE_FILE_TWICE /scopeExplanation/1",
            "UPDATE_WRONG_TYPE /scopeExplanation/2",
            "UPDATE_MISSING_KEY /hardGates/typecheck/passed",
            "UPDATE_WRONG_TYPE /filesChanged",
            "WAIVER_REFUSED /skipHardGates",
        ],
    );
}

#[test]
fn a_refusal_says_what_to_write() {
    let error = check_refused(&with(&json!({"acStats": {}})), &["UPDATE_UNKNOWN_KEY /acStats"]);
    let findings = error.findings();
    let message = |lang: Lang| lang.render(&findings[0].message);
    assert_eq!(message(Lang::En), "line 1: unknown key");
    assert_eq!(message(Lang::Zh), "第 1 行：未知的键");
    let hint = |lang: Lang| findings[0].hint.as_ref().map(|it| lang.render(it)).unwrap();
    assert_eq!(hint(Lang::En), "did you mean `acStatus`?");
    assert_eq!(hint(Lang::Zh), "是否想写 `acStatus`？");
    let error = check_refused(&with(&json!({"xyzzy": 1})), &["UPDATE_UNKNOWN_KEY /xyzzy"]);
    // A flag that would be refused is never offered.
    assert!(error.hints()[0].to_string().contains("`acStatus`"));
    assert!(!error.hints()[0].to_string().contains("skip"));
    let error =
        check_refused(&with(&json!({"skipHardGate": 1})), &["UPDATE_UNKNOWN_KEY /skipHardGate"]);
    assert!(!error.hints()[0].to_string().contains("skip"), "{:?}", error.hints());
    assert_eq!(
        parse(b"[]").unwrap_err().to_string(),
        "invalid update, 1 error: line 1: expected an object, found `[]`"
    );
    let two = Lang::Zh.render(&parse(b"{}").unwrap_err().text());
    assert_eq!(
        two,
        "更新无效，2 处错误：`storyId`：缺少，应为字符串；`passes`：缺少，应为 `true` 或 `false`"
    );
}

/// Only a person can waive: the flags of the original are known, and refused.
#[test]
fn an_agent_cannot_let_itself_off() {
    for flag in ["skipHardGates", "skipScopeCheck"] {
        for value in [json!(true), json!("false"), json!(0), json!({})] {
            let expected = format!("WAIVER_REFUSED /{flag}");
            check_refused(&with(&json!({flag: value})), &[&expected]);
        }
        read(&with(&json!({flag: false})));
        read(&with(&json!({flag: null})));
    }
}

#[test]
fn a_text_has_limits() {
    let claim = |claim: Value| with(&json!({"acStatus": {"AC-1": claim}}));
    for (value, expected) in [
        (json!({"command": "x".repeat(20_001)}), "UPDATE_TOO_LARGE /acStatus/AC-1/command"),
        (json!({"command": "a\0b"}), "UPDATE_CONTROL_CHARACTER /acStatus/AC-1/command"),
        (json!({"cwd": "../x"}), "UPDATE_OUTSIDE_PATH /acStatus/AC-1/cwd"),
        (json!({"cwd": "/etc"}), "UPDATE_OUTSIDE_PATH /acStatus/AC-1/cwd"),
        (json!({"cwd": "C:\\x"}), "UPDATE_OUTSIDE_PATH /acStatus/AC-1/cwd"),
        (json!({"cwd": "~/x"}), "UPDATE_OUTSIDE_PATH /acStatus/AC-1/cwd"),
        (json!({"cwd": "a\\..\\b"}), "UPDATE_OUTSIDE_PATH /acStatus/AC-1/cwd"),
        (json!({"files": "a/../../b"}), "UPDATE_OUTSIDE_PATH /acStatus/AC-1/files"),
        (json!({"files": ["a", "\u{1b}[2J"]}), "UPDATE_CONTROL_CHARACTER /acStatus/AC-1/files/1"),
        (json!({"files": [" "]}), "UPDATE_BLANK /acStatus/AC-1/files/0"),
        (json!({"tests": vec!["t"; 201]}), "UPDATE_TOO_LARGE /acStatus/AC-1/tests"),
        (json!({"tests": {}}), "UPDATE_WRONG_TYPE /acStatus/AC-1/tests"),
    ] {
        check_refused(&claim(value), &[expected]);
    }
    for value in [
        json!({"command": "x".repeat(20_000)}),
        json!({"command": "printf 'a\\n'\nmake"}),
        json!({"output": "\u{1b}[32mok\u{1b}[0m"}),
        json!({"cwd": "."}),
        json!({"cwd": "a/..b"}),
        json!({"files": "src/a.rs:12"}),
        json!({"files": []}),
        json!({"passes": null, "evidence": null}),
    ] {
        read(&claim(value));
    }
    let criteria: Map<_, _> = (1..=101).map(|it| (format!("AC-{it}"), json!({}))).collect();
    check_refused(&with(&json!({"acStatus": criteria})), &["UPDATE_TOO_LARGE /acStatus"]);
    check_refused(
        &with(&json!({"scopeExplanation": {"a": {"reason": " "}}})),
        &["UPDATE_BLANK /scopeExplanation/a/reason"],
    );
    check_refused(&json!({"storyId": "", "passes": true}), &["UPDATE_BLANK /storyId"]);
    check_refused(
        &with(&json!({"scopeExplanation": [{"file": "", "reason": "b"}]})),
        &["UPDATE_BLANK /scopeExplanation/0/file"],
    );
}

#[test]
fn only_strict_json_is_read() {
    check_bytes(b"", &["UPDATE_NOT_JSON"]);
    check_bytes(b"[1]", &["UPDATE_WRONG_TYPE"]);
    let twice = br#"{"storyId": "US-1", "storyId": "US-2", "passes": true}"#;
    check_bytes(twice, &["UPDATE_NOT_JSON /storyId"]);
    check_bytes(br#"{"storyId": "US-1", "passes": true} x"#, &["UPDATE_NOT_JSON"]);
    let deep = format!(r#"{{"notes": {}1{}}}"#, "[".repeat(20), "]".repeat(20));
    check_bytes(deep.as_bytes(), &["UPDATE_NOT_JSON"]);
    let large = format!(r#"{{"notes": "{}"}}"#, "x".repeat(1024 * 1024));
    check_bytes(large.as_bytes(), &["UPDATE_NOT_JSON"]);
}

#[test]
fn a_thousand_mistakes_are_counted_and_not_listed() {
    let files: Vec<_> = (0..999).map(Value::from).collect();
    let error = parse(with(&json!({"expectedFiles": files})).to_string().as_bytes()).unwrap_err();
    assert_eq!((error.0.problems.len(), error.0.left_out), (100, 899));
    let last = error.findings().pop().unwrap();
    assert_eq!(
        (last.rule.as_ref(), last.message.to_string().as_str()),
        ("UPDATE_MORE", "899 more errors")
    );
}

/// A value that has the shape of a key.
fn example(shape: &Shape) -> Value {
    let object = |keys: &[Key]| -> Value {
        keys.iter().map(|it| (it.name.to_owned(), example(&it.shape))).collect()
    };
    match shape {
        Shape::Truth | Shape::Waiver => json!(false),
        Shape::Count => json!(1),
        Shape::Text(_) => json!("x"),
        Shape::Texts { .. } | Shape::OneOrMoreTexts { .. } => json!(["x"]),
        Shape::StoryId => json!("US-001"),
        Shape::OneOf(words) => json!(words[0]),
        Shape::Object(keys) => object(keys),
        Shape::Criteria { keys, .. } => json!({"AC-1": object(keys)}),
        Shape::Explanations { keys, .. } => json!([object(keys)]),
    }
}

fn names(properties: &Value) -> Vec<&str> {
    properties.as_object().unwrap().keys().map(String::as_str).collect()
}

fn spellings(keys: &[Key]) -> Vec<&'static str> {
    let mut names: Vec<_> =
        keys.iter().filter(|it| it.is_offered()).flat_map(Key::spellings).collect();
    names.sort_unstable();
    names
}

/// The parser, the schema and the table know the same keys, at every depth.
#[test]
fn schema_and_parser_cannot_drift() {
    let schema = schema();
    assert_eq!(names(&schema["properties"]), spellings(UPDATE));
    assert_eq!(schema["required"], json!(["storyId", "passes"]));
    let criteria = &schema["properties"]["acStatus"];
    assert_eq!(names(&criteria["additionalProperties"]["properties"]), spellings(CRITERION));
    let by_path = &schema["properties"]["scopeExplanation"]["additionalProperties"]["properties"];
    let mut with_path = names(by_path);
    with_path.push("file");
    with_path.sort_unstable();
    assert_eq!(with_path, spellings(EXPLANATION));
    let gates = &schema["properties"]["hardGates"];
    assert_eq!(names(&gates["properties"]), spellings(GATES));
    assert_eq!(names(&gates["properties"]["build"]["properties"]), spellings(GATE));

    // Everything that the table knows is read, alone and together.
    let whole: Map<_, _> =
        UPDATE.iter().map(|it| (it.name.to_owned(), example(&it.shape))).collect();
    super::read(&whole).unwrap();
    for key in UPDATE {
        for name in key.spellings() {
            read(&with(&json!({name: example(&key.shape)})));
        }
        // And nothing is read that the reader would drop in silence.
        let mut left_out = whole.clone();
        left_out.remove(key.name);
        let differs = super::read(&left_out).ok() != super::read(&whole).ok();
        let is_said_twice =
            key.name == "unexpectedFileExplanation" || key.name == "scopeExplanation";
        assert!(differs || !key.is_offered() || is_said_twice, "{}", key.name);
    }
}

#[test]
fn a_sample_is_written_in_the_order_of_the_table() {
    let story = "US-007".parse().unwrap();
    let command = Some("make \"test\"");
    let text = sample(&SampleCall { story: &story, criteria: &[], command });
    let update = parse(text.as_bytes()).unwrap();
    let claim = &update.criteria[&"AC-1".parse().unwrap()];
    assert_eq!((update.story_id, claim.command.as_deref()), (story, command));
    let order: Vec<_> =
        ["storyId", "passes", "acStatus", "expectedFiles"].map(|it| text.find(it)).into();
    assert!(order.is_sorted(), "{text}");
}

proptest! {
    /// Whatever arrives, there is an update or a list of reasons, each with its place.
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(error) = parse(&bytes) {
            prop_assert!(!error.0.problems.is_empty());
        }
    }

    /// A place is a JSON pointer that leads to a value, or to where one is missing.
    #[test]
    fn a_place_is_a_pointer(name in "[a-z/~]{1,6}", value in 0_u8..4) {
        let value = [json!(1), json!([]), json!({}), json!("x")][usize::from(value)].clone();
        let update = with(&json!({"acStatus": {name: value}}));
        if let Err(error) = parse(update.to_string().as_bytes()) {
            for problem in &error.0.problems {
                prop_assert!(update.pointer(&problem.path.pointer()).is_some(), "{problem}");
            }
        }
    }
}
