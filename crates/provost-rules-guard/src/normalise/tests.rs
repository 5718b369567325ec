//! Field by field: what is taken, under which name, and what is refused.

use proptest::prelude::*;
use provost_kernel::guard::FailureSeverity;
use serde_json::json;

use super::*;

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else { panic!("{value} is no object") };
    object
}

fn dropping(hook: HookType, payload: Value) -> Result<Normalised, InputError> {
    normalise(hook, object(payload), UnknownFields::Drop)
}

/// The input that a payload becomes.
#[track_caller]
fn check(hook: HookType, payload: Value, expected: Value) {
    let input = dropping(hook, payload.clone()).map(|it| Value::Object(it.input.to_object()));
    assert_eq!(input, Ok(expected), "{payload}");
}

#[track_caller]
fn refused(hook: HookType, payload: Value, expected: InputError) {
    assert_eq!(dropping(hook, payload.clone()).err(), Some(expected), "{payload}");
}

/// HOOK-1.2: one name for each field, the spelling with underscores first, `null` as absent.
#[test]
fn a_field_has_one_name() {
    use HookType::{PermissionRequest, PostToolUse, SessionEnd};
    check(
        PostToolUse,
        json!({
            "session_id": "s", "sessionId": "t", "tool_name": "A", "toolName": "B", "cwd": "/c",
            "directory": "/d", "tool_input": 1, "toolInput": 2, "tool_response": 3, "toolOutput": 4,
            "toolResponse": 5, "hook_event_name": "PostToolUse", "hookEventName": "x",
        }),
        json!({
            "sessionId": "s", "toolName": "A", "directory": "/c", "toolInput": 1, "toolOutput": 3,
        }),
    );
    check(
        PostToolUse,
        json!({"tool_response": null, "toolOutput": null, "toolResponse": false, "cwd": null}),
        json!({"toolOutput": false}),
    );
    check(
        PostToolUse,
        json!({"toolOutput": 0, "toolResponse": 1, "session_id": "", "sessionId": "s"}),
        json!({"toolOutput": 0, "sessionId": ""}),
    );
    check(
        SessionEnd,
        json!({"sessionId": "s", "directory": "/p", "reason": null, "transcript_path": null}),
        json!({"sessionId": "s", "directory": "/p"}),
    );
    check(
        PermissionRequest,
        json!({
            "sessionId": "s", "directory": "/p", "toolName": "T", "permission_mode": "default",
            "permission_suggestions": [{"type": "setMode"}],
        }),
        json!({
            "sessionId": "s", "directory": "/p", "toolName": "T", "permission_mode": "default",
            "permission_suggestions": [{"type": "setMode"}],
        }),
    );
}

/// HOOK-1.1: each required field, absent and `null`, on each type.
#[test]
fn a_required_field_must_be_there() {
    let whole = json!({"session_id": "s", "cwd": "/p", "tool_name": "T"});
    let spelling = |it: &str| match it {
        "sessionId" => "session_id",
        "directory" => "cwd",
        "toolName" => "tool_name",
        other => panic!("{other}"),
    };
    for &hook in HookType::ALL {
        assert!(dropping(hook, whole.clone()).is_ok(), "{hook}");
        for &field in of(hook).required {
            let mut without = object(whole.clone());
            without.insert(spelling(field).to_owned(), Value::Null);
            let error = InputError::MissingField { hook, field };
            refused(hook, Value::Object(without.clone()), error.clone());
            without.remove(spelling(field));
            refused(hook, Value::Object(without), error);
        }
        assert_eq!(dropping(hook, json!({})).is_ok(), of(hook).required.is_empty(), "{hook}");
    }
}

/// HOOK-1.1: what real clients always send is missed, and that is all.
#[test]
fn an_expected_field_is_a_finding() {
    #[track_caller]
    fn check(hook: HookType, payload: Value, expected: &[&str]) {
        let findings = dropping(hook, payload).unwrap().findings;
        let missed: Vec<_> = findings.iter().map(|it| it.subject.as_str()).collect();
        assert_eq!(missed, expected, "{hook}");
        assert!(findings.iter().all(|it| it.severity == Severity::P2));
    }
    let place = json!({"session_id": "s", "cwd": "/p"});
    check(HookType::PreToolUse, json!({}), &["directory", "toolName"]);
    check(HookType::PreToolUse, json!({"cwd": "/p", "tool_name": "T"}), &[]);
    check(HookType::PostToolUse, json!({"cwd": "/p"}), &["toolName"]);
    check(HookType::Ralph, json!({}), &["sessionId", "directory"]);
    check(HookType::PersistentMode, place.clone(), &[]);
    check(HookType::StopContinuation, json!({}), &[]);
    check(HookType::SessionStart, json!({"cwd": "/p"}), &["sessionId"]);
    check(HookType::Autopilot, json!({}), &["directory"]);
    check(HookType::SubagentStart, place.clone(), &["agent_id"]);
    check(HookType::SubagentStop, place, &["agent_id"]);
    check(HookType::KeywordDetector, json!({}), &["prompt"]);
    check(HookType::KeywordDetector, json!({"prompt": "x"}), &[]);
    check(HookType::KeywordDetector, json!({"message": {"content": "x"}}), &[]);
    check(HookType::KeywordDetector, json!({"parts": [{"type": "text", "text": "x"}]}), &[]);
}

/// HOOK-1.2, HOOK-1.3: unknown fields are dropped for all types by default, and for the four
/// sensitive ones whatever the configuration says.
#[test]
fn an_unknown_field_is_dropped_and_named() {
    for &hook in HookType::ALL {
        let payload = json!({
            "session_id": "s", "cwd": "/p", "tool_name": "T", "zzz": {"secret": 1}, "aaa": null,
        });
        let knows_tools = is_known(hook, "toolName");
        let unknown: Vec<&str> =
            if knows_tools { vec!["aaa", "zzz"] } else { vec!["aaa", "tool_name", "zzz"] };
        let dropped = dropping(hook, payload.clone()).unwrap();
        assert_eq!(dropped.dropped, unknown, "{hook}");
        assert!(dropped.passed.is_empty(), "{hook}");
        assert!(!dropped.input.has("zzz"), "{hook}");
        assert_eq!(dropped.input.has("toolName"), knows_tools, "{hook}");

        let passing = normalise(hook, object(payload), UnknownFields::Pass).unwrap();
        if hook.is_sensitive() {
            assert_eq!(passing, dropped, "{hook}");
        } else {
            assert_eq!(passing.passed, unknown, "{hook}");
            assert!(passing.dropped.is_empty(), "{hook}");
            assert_eq!(passing.input.fields["zzz"], json!({"secret": 1}), "{hook}");
            assert_eq!(passing.input.tool_name.as_deref(), Some("T"), "{hook}");
        }
    }
}

/// HOOK-1.2: prototype tricks are refused on all types, except inside the tool's own data.
#[test]
fn a_prototype_key_is_refused_everywhere_but_in_tool_data() {
    let at = |at: &str| InputError::PrototypeKey { at: at.to_owned() };
    for &hook in HookType::ALL {
        for key in PROTOTYPE_KEYS {
            let place = json!({"session_id": "s", "cwd": "/p", "tool_name": "T"});
            let with = |name: &str, value: Value| {
                let mut payload = object(place.clone());
                payload.insert(name.to_owned(), value);
                Value::Object(payload)
            };
            refused(hook, with(key, json!(1)), at(&format!("/{key}")));
            refused(hook, with("zzz", json!({key: 1})), at(&format!("/zzz/{key}")));
            let nested = json!([0, {"a": {key: null}}]);
            refused(hook, with("effort", nested), at(&format!("/effort/1/a/{key}")));
            let spelled = json!({"b/c~d": {key: 1}});
            refused(hook, with("a/~", spelled), at(&format!("/a~1~0/b~1c~0d/{key}")));
            for name in TOOL_DATA {
                let taken = dropping(hook, with(name, json!([{key: 1}]))).unwrap();
                assert!(taken.findings.iter().any(|it| it.rule == "guard.prototype_key"));
            }
            assert!(dropping(hook, with("prompt", json!(key))).is_ok(), "a text is no key");
        }
    }
}

/// HOOK-1.4, HOOK-1.5: a question that brings its answer is refused where the answer matters.
#[test]
fn a_question_may_not_bring_its_answer() {
    for &hook in HookType::ALL {
        for key in ANSWER_KEYS {
            for value in [json!(null), json!("allow"), json!({"success": true})] {
                let payload = json!({"session_id": "s", "cwd": "/p", "tool_name": "T", key: value});
                if hook.failure_severity() == FailureSeverity::Critical {
                    refused(hook, payload, InputError::AnswerKey { hook, key });
                } else {
                    let dropped = dropping(hook, payload).unwrap().dropped;
                    assert!(dropped.iter().any(|it| it == key), "{hook} {key}");
                }
            }
            let inside =
                json!({"session_id": "s", "cwd": "/p", "tool_name": "T", "tool_input": {key: 1}});
            assert!(dropping(hook, inside).is_ok(), "{hook}: the tool may have such an argument");
        }
    }
}

/// HOOK-1.2: a value of the wrong shape is an error on every type.
#[test]
fn a_wrong_shape_is_refused() {
    #[track_caller]
    fn check(name: &str, value: Value, fits: bool) {
        for &hook in HookType::ALL {
            let place = json!({"session_id": "s", "cwd": "/p", "tool_name": "T"});
            let mut payload = object(place);
            payload.insert(name.to_owned(), value.clone());
            let is_wrong = matches!(
                dropping(hook, Value::Object(payload)),
                Err(InputError::WrongShape { .. })
            );
            assert_eq!(!is_wrong, fits, "{hook} {name} {value}");
        }
    }
    for name in [
        "sessionId",
        "directory",
        "toolName",
        "hook_event_name",
        "hookEventName",
        "prompt",
        "stop_reason",
        "stopReason",
        "permission_mode",
        "tool_use_id",
        "transcript_path",
        "agent_id",
        "agent_name",
        "agent_type",
        "parent_session_id",
        "status",
    ] {
        check(name, json!(""), true);
        check(name, json!(null), true);
        check(name, json!(0), false);
        check(name, json!(false), false);
        check(name, json!({}), false);
        check(name, json!(["x"]), false);
    }
    for name in ["user_requested", "userRequested", "stop_hook_active"] {
        check(name, json!(true), true);
        check(name, json!("true"), false);
        check(name, json!(1), false);
    }
    check("message", json!({}), true);
    check("message", json!({"content": "x", "role": "user"}), true);
    check("message", json!({"content": null}), true);
    check("message", json!({"content": 1}), false);
    check("message", json!("x"), false);
    check("message", json!([]), false);
    check("parts", json!([]), true);
    check("parts", json!([{"type": "text", "text": "x"}, {"type": "image"}]), true);
    check("parts", json!([{"text": "x"}]), false);
    check("parts", json!([{"type": 1}]), false);
    check("parts", json!([{"type": "text", "text": 1}]), false);
    check("parts", json!(["text"]), false);
    check("parts", json!({}), false);
    for name in ["tool_input", "toolInput", "tool_response", "error", "output", "effort", "model"] {
        check(name, json!(1), true);
        check(name, json!([{"a": 1}]), true);
    }
}

/// Strict JSON, one object, and nothing else.
#[test]
fn a_payload_is_one_object() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let actual = match parse(text.as_bytes()) {
            Ok(_) => "object",
            Err(InputError::Empty) => "empty",
            Err(InputError::NotAnObject) => "not an object",
            Err(InputError::Json(_)) => "not JSON",
            Err(other) => panic!("{other}"),
        };
        assert_eq!(actual, expected, "{text:?}");
    }
    check("{}", "object");
    check(" {\"a\": 1}\n", "object");
    check("", "empty");
    check("\n \t\r", "empty");
    check("[]", "not an object");
    check("[{}]", "not an object");
    check("null", "not an object");
    check("true", "not an object");
    check("\"{}\"", "not an object");
    check("1", "not an object");
    check("{}{}", "not JSON");
    check("{\"a\": 1, \"a\": 1}", "not JSON");
    check("{\"a\": {\"b\": 1, \"b\": 1}}", "not JSON");
    check("{\"a\": 1,}", "not JSON");
    check("\u{feff}{}", "not JSON");
    assert!(parse_marked("\u{feff}{}".as_bytes()).is_ok());
    assert!(parse_marked("{}".as_bytes()).is_ok());
    assert_eq!(parse_marked("\u{feff}".as_bytes()), Err(InputError::Empty));
    assert!(parse_marked("\u{feff}\u{feff}{}".as_bytes()).is_err());
}

/// The names that mean something here, and some that do not.
fn any_name() -> impl Strategy<Value = String> {
    let known = MAPPED.iter().flat_map(|it| it.spellings).copied();
    let others = ["zzz", "decision", "__proto__", "message", "parts", "trigger", "status", "error"];
    let names = known.chain(EVENT_NAME).chain(super::super::fields::COMMON).chain(others);
    prop_oneof![
        9 => prop::sample::select(names.map(str::to_owned).collect::<Vec<_>>()),
        1 => "\\PC{0,6}",
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        4 => "\\PC{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any_name(), inner, 0..4)
                .prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

prop_compose! {
    fn any_payload()(
        fields in prop::collection::btree_map(any_name(), any_value(), 0..8),
        place in any::<bool>(),
    ) -> Map<String, Value> {
        let mut payload: Map<_, _> = fields.into_iter().collect();
        if place {
            payload.insert("session_id".to_owned(), "s".into());
            payload.insert("cwd".to_owned(), "/p".into());
            payload.insert("tool_name".to_owned(), "T".into());
        }
        payload
    }
}

prop_compose! {
    fn any_hook()(index in 0..HookType::ALL.len()) -> HookType {
        HookType::ALL[index]
    }
}

fn any_unknown() -> impl Strategy<Value = UnknownFields> {
    prop::sample::select(UnknownFields::ALL)
}

proptest! {
    /// HOOK-1.2: whatever the bytes are, there is an input or a named error.
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), hook in any_hook()) {
        if let Ok(payload) = parse(&bytes) {
            let _ = normalise(hook, payload, UnknownFields::Drop);
        }
    }

    /// HOOK-1.2: what was normalised is normal.
    #[test]
    fn normalising_again_changes_nothing(
        payload in any_payload(),
        hook in any_hook(),
        unknown in any_unknown(),
    ) {
        if let Ok(once) = normalise(hook, payload, unknown) {
            let twice = normalise(hook, once.input.to_object(), unknown).unwrap();
            prop_assert_eq!(&twice.input, &once.input);
            prop_assert!(twice.dropped.is_empty());
        }
    }

    /// HOOK-1.2: what goes to a tool and what comes from it is the same to the last byte.
    #[test]
    fn tool_data_is_never_touched(
        input in any_value().prop_filter("null is absent", |it| !it.is_null()),
        output in any_value().prop_filter("null is absent", |it| !it.is_null()),
        rest in any_payload(),
    ) {
        let mut payload = rest;
        payload.insert("tool_input".to_owned(), input.clone());
        payload.insert("tool_response".to_owned(), output.clone());
        if let Ok(taken) = normalise(HookType::PostToolUse, payload, UnknownFields::Drop) {
            prop_assert_eq!(taken.input.tool_input, Some(input));
            prop_assert_eq!(taken.input.tool_output, Some(output));
        }
    }

    /// HOOK-1.2, HOOK-1.3: only known names come through, and each other name is reported.
    #[test]
    fn only_known_names_come_through(
        payload in any_payload(),
        hook in any_hook(),
        unknown in any_unknown(),
    ) {
        let given: Vec<_> = payload.keys().cloned().collect();
        if let Ok(taken) = normalise(hook, payload, unknown) {
            let written = taken.input.to_object();
            let strange: Vec<_> = written.keys().filter(|it| !is_known(hook, it)).collect();
            if unknown == UnknownFields::Drop || hook.is_sensitive() {
                prop_assert!(strange.is_empty(), "{strange:?}");
            }
            prop_assert!(taken.dropped.iter().chain(&taken.passed).all(|it| given.contains(it)));
        }
    }
}
