//! Payloads, real ones among them, and what each is answered with.

use std::path::Path;

use proptest::prelude::*;
use provost_kernel::{
    Lang, Message as _,
    guard::{Client, HookAnswer},
};
use serde::Deserialize;
use serde_json::json;

use super::{
    dialect::{Effect, reply, reply_to_no_type},
    *,
};

const TABLE: &str = include_str!("../../../fixtures/guard/payloads.json");

/// One row: the command line, the payload, and what comes out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    client: Option<Client>,
    #[serde(rename = "type")]
    hook: Option<HookType>,
    #[serde(default)]
    active: BTreeSet<Mode>,
    unknown_fields: Option<UnknownFields>,
    payload: Option<Value>,
    text: Option<String>,
    /// A file under `fixtures/guard/real`.
    real: Option<String>,
    expect: Expected,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// `allow`, `refuse`, `record` (refused, and the client cannot be stopped), `pass` (a failure
    /// that stops nothing), `stop` (the client is unknown) or `no type`.
    result: String,
    client: Option<Client>,
    #[serde(rename = "type")]
    hook: Option<HookType>,
    #[serde(default)]
    dropped: Vec<String>,
    error: Option<String>,
    /// A document, with `REASON` where the reason stands, or the empty text.
    stdout: Value,
    stderr: bool,
    exit: u8,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(TABLE).unwrap()
}

fn bytes(case: &Case) -> Vec<u8> {
    match (&case.payload, &case.text, &case.real) {
        (Some(payload), None, None) => payload.to_string().into_bytes(),
        (None, Some(text), None) => text.clone().into_bytes(),
        (None, None, Some(file)) => std::fs::read(real().join(file)).unwrap(),
        _ => panic!("{}: one payload", case.name),
    }
}

fn real() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/guard/real"))
}

fn lines(texts: &[Text]) -> String {
    texts.iter().map(Text::to_string).collect::<Vec<_>>().join("\n")
}

fn encoded(response: &Response) -> Reply {
    response.encode(lines)
}

/// What came out, in the words of the table.
fn outcome(request: Request<'_>) -> Expected {
    let allow = HookAnswer::<String>::Allow;
    let (result, client, hook, dropped, error, reply) = match read(request) {
        Ok(Reading::Hook(question)) => {
            let reply = reply(question.asker(), &allow);
            let Normalised { input, dropped, .. } = question.normalised;
            ("allow", Some(question.client), Some(input.hook), dropped, None, reply)
        }
        Ok(Reading::NoType { client, .. }) => {
            ("no type", Some(client), None, Vec::new(), None, reply_to_no_type())
        }
        Err(refusal) => {
            let reply = encoded(&refuse(&refusal));
            let is_known = refusal.client.is_some() && refusal.hook.is_some();
            let result = match reply.effect {
                Effect::Refused if is_known => "refuse",
                Effect::Refused => "stop",
                Effect::Unblockable => "record",
                Effect::Passed => "pass",
                Effect::Asked => "ask",
            };
            (result, refusal.client, refusal.hook, Vec::new(), Some(refusal.error), reply)
        }
    };
    let reason = error.as_ref().map(|it| lines(&answer::failure_lines(it))).unwrap_or_default();
    let stdout = match reply.stdout.as_str() {
        "" => json!(""),
        text => {
            assert!(text.starts_with('{') && text.ends_with("}\n"), "{text}");
            with_reason(serde_json::from_str(text).unwrap(), &reason)
        }
    };
    assert!(reply.stderr.is_empty() || reply.stderr == format!("{reason}\n"), "{reply:?}");
    Expected {
        result: result.to_owned(),
        client,
        hook,
        dropped,
        error: error.as_ref().map(|it| it.code().replace('_', " ")),
        stdout,
        stderr: !reply.stderr.is_empty(),
        exit: reply.exit,
    }
}

/// The document with `REASON` for the reason, which stands in texts and in objects only.
fn with_reason(value: Value, reason: &str) -> Value {
    if value.as_str() == Some(reason) {
        return json!("REASON");
    }
    let Value::Object(object) = value else { return value };
    object.into_iter().map(|(key, it)| (key, with_reason(it, reason))).collect()
}

/// HOOK-1.2, HOOK-1.3, HOOK-1.4, HOOK-1.5: every row of `fixtures/guard/payloads.json`.
#[test]
fn every_payload_is_answered_as_the_table_says() {
    for case in cases() {
        let actual = outcome(Request {
            bytes: &bytes(&case),
            client: case.client,
            hook: case.hook,
            active: &case.active,
            unknown_fields: case.unknown_fields.unwrap_or(UnknownFields::Drop),
        });
        assert_eq!(actual, case.expect, "{}", case.name);
    }
}

/// HOOK-1.1: the table has all fifteen types in all five dialects, and enough that is allowed.
#[test]
fn the_table_is_complete() {
    let cases = cases();
    let names: BTreeSet<_> = cases.iter().map(|it| &it.name).collect();
    assert_eq!(names.len(), cases.len(), "a name stands twice");
    assert!(cases.len() >= 200, "{} rows", cases.len());
    let allowed: Vec<_> = cases.iter().filter(|it| it.expect.result == "allow").collect();
    assert!(allowed.len() >= 80, "{} allowed", allowed.len());
    for &hook in HookType::ALL {
        assert!(allowed.iter().any(|it| it.expect.hook == Some(hook)), "{hook} is never allowed");
    }
    let refused: BTreeSet<_> = cases
        .iter()
        .filter(|it| it.expect.result == "refuse")
        .filter_map(|it| Some((it.expect.client?, it.expect.error.clone()?)))
        .collect();
    let kinds = [
        "empty",
        "json",
        "not an object",
        "missing field",
        "wrong shape",
        "prototype key",
        "answer key",
    ];
    for &client in Client::ALL {
        for kind in kinds {
            assert!(refused.contains(&(client, kind.to_owned())), "{client}: {kind} is not there");
        }
    }
}

/// HOOK-1.2: nothing that a real client sends is lost, and every file is in the table.
#[test]
fn real_payloads_lose_nothing() {
    let cases = cases();
    let mut n_files = 0;
    for folder in std::fs::read_dir(real()).unwrap() {
        for file in std::fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.strip_prefix(real()).unwrap().to_str().unwrap().to_owned();
            let mut rows = cases.iter().filter(|it| it.real.as_ref() == Some(&name)).peekable();
            assert!(rows.peek().is_some(), "{name} is not in the table");
            assert!(rows.all(|it| it.expect.dropped.is_empty() && it.expect.error.is_none()));
            n_files += 1;
        }
    }
    assert_eq!(n_files, 58);
}

/// HOOK-1.4, HOOK-1.5: what is too large or too deep is refused in every dialect.
#[test]
fn a_payload_that_is_too_large_or_too_deep_is_refused() {
    let large = format!("{{\"tool_name\": \"{}\"}}", "x".repeat(10_000_000));
    let just_too_large = format!("{{\"a\": \"{}\"}}", "x".repeat((4 << 20) - 8));
    let deep = format!("{{\"tool_input\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let blank = " ".repeat(10_000_000);
    let not_utf_8 = b"{\"tool_name\": \"\xff\"}".to_vec();
    let payloads = [large, just_too_large, deep, blank].map(String::into_bytes);
    for bytes in payloads.iter().chain([&not_utf_8]) {
        for &client in Client::ALL {
            let refused = outcome(Request {
                bytes,
                client: Some(client),
                hook: Some(HookType::PermissionRequest),
                active: &BTreeSet::new(),
                unknown_fields: UnknownFields::Drop,
            });
            assert_eq!(
                (refused.result.as_str(), refused.error.as_deref()),
                ("refuse", Some("json"))
            );
        }
    }
}

/// The largest payloads that must pass: 4 MiB, and 128 levels.
#[test]
fn a_payload_at_the_limits_is_taken() {
    #[track_caller]
    fn check(text: String) {
        let read = read(Request {
            bytes: text.as_bytes(),
            client: Some(Client::Claude),
            hook: Some(HookType::PreToolUse),
            active: &BTreeSet::new(),
            unknown_fields: UnknownFields::Drop,
        });
        assert!(read.is_ok(), "{:?}", read.unwrap_err().error);
    }
    let frame = "{\"tool_input\": \"\"}".len();
    check(format!("{{\"tool_input\": \"{}\"}}", "x".repeat((4 << 20) - frame)));
    check(format!("{{\"tool_input\": {}1{}}}", "[".repeat(126), "]".repeat(126)));
    check(format!("{{\"tool_input\": [{}0]}}", "0,".repeat(10_000)));
}

proptest! {
    /// HOOK-1.4, HOOK-1.5: a payload that was damaged on its way is judged as what it still says,
    /// or refused; there is no third way, and no client is told anything but its own form.
    #[test]
    fn a_damaged_payload_never_opens_the_guard(
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        is_cut in any::<bool>(),
        client in prop::sample::select(Client::ALL),
        is_named in any::<bool>(),
    ) {
        let files = [
            "claude-code-2.1.197/PreToolUse.0.json",
            "codex-0.166.0/PreToolUse.0.json",
            "gemini-cli-0.61.0/BeforeTool.0.json",
        ];
        let mut bytes = std::fs::read(real().join(files[at.index(files.len())])).unwrap();
        let at = at.index(bytes.len());
        if is_cut {
            bytes.truncate(at);
        } else {
            bytes[at] = byte;
        }
        let request = Request {
            bytes: &bytes,
            client: is_named.then_some(client),
            hook: Some(HookType::PreToolUse),
            active: &BTreeSet::new(),
            unknown_fields: UnknownFields::Drop,
        };
        match read(request) {
            Ok(Reading::Hook(question)) => {
                prop_assert_eq!(question.normalised.input.hook, HookType::PreToolUse);
            }
            Ok(Reading::NoType { .. }) => prop_assert!(false, "the type was named"),
            Err(refusal) => {
                let reply = encoded(&refuse(&refusal));
                if refusal.client == Some(Client::Plain) {
                    prop_assert_eq!(reply.effect, Effect::Unblockable);
                } else {
                    prop_assert_eq!((reply.effect, reply.exit), (Effect::Refused, 2));
                }
            }
        }
    }
}

/// HOOK-1.5: the refusal says that it is the guard's error, in the language of the person.
#[test]
fn a_refusal_of_ours_says_whose_error_it_is() {
    let refusal = Refusal {
        client: Some(Client::Gemini),
        hook: Some(HookType::PreToolUse),
        event: None,
        error: InputError::Empty,
    };
    let reply = refuse(&refusal).encode(|it| Lang::Zh.render(&it[0]));
    assert!(reply.stdout.contains("这是守卫的错误"), "{}", reply.stdout);
    assert!(reply.stderr.contains("这是守卫的错误"), "{}", reply.stderr);
    let reply = encoded(&refuse(&Refusal { hook: None, ..refusal }));
    assert_eq!((reply.stdout.as_str(), reply.exit), ("", 2));
    assert!(reply.stderr.contains("an error of the guard, not of the command"), "{}", reply.stderr);
}

#[test]
fn an_error_speaks_both_languages_and_is_short() {
    let long = "x".repeat(10_000);
    let errors = [
        InputError::Empty,
        InputError::json(ProblemKind::ByteOrderMark),
        InputError::NotAnObject,
        InputError::MissingField { hook: HookType::SessionEnd, field: "sessionId" },
        InputError::WrongShape { field: "message".to_owned(), shape: fields::Shape::Message },
        InputError::WrongShape { field: "parts".to_owned(), shape: fields::Shape::Parts },
        InputError::WrongShape { field: "cwd".to_owned(), shape: fields::Shape::Text },
        InputError::WrongShape { field: "userRequested".to_owned(), shape: fields::Shape::Truth },
        InputError::PrototypeKey { at: long.clone() },
        InputError::AnswerKey { hook: HookType::PreToolUse, key: "result" },
        InputError::OtherType { event: long, hook: HookType::PreToolUse },
        InputError::UnknownClient,
        InputError::NoEvent { client: Client::Claude },
    ];
    let texts: BTreeSet<_> = errors
        .iter()
        .flat_map(|it| [Lang::En.render(&it.text()), Lang::Zh.render(&it.text())])
        .inspect(|it| assert!(it.chars().count() < 160, "{it}"))
        .collect();
    assert_eq!(texts.len(), 2 * errors.len());
    assert_eq!(
        InputError::MissingField { hook: HookType::SessionEnd, field: "sessionId" }.to_string(),
        "a `session-end` hook needs the field `sessionId`",
    );
    let codes = errors.iter().map(|it| it.exit().code());
    assert_eq!(codes.collect::<Vec<_>>(), [2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2]);
}
