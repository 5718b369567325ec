//! What no well-behaved client sends: it is answered or skipped, and the server lives on.

use serde_json::{Value, json};

use crate::mcp_world::{Listening, Piped, project};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;

/// What is wrong with a message, the message, and the code and the id of its answer; none for what is
/// not answered.
type Malformed = (&'static str, Vec<u8>, Option<(i32, Value)>);

/// What no client should send.
fn malformed() -> Vec<Malformed> {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"ralph_get","arguments":{}1{}}}}}"#,
        r#"{"a":"#.repeat(100_000),
        "}".repeat(100_000)
    );
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":4,"method":"ping","params":{{"x":"{}"}}}}"#,
        "y".repeat(9 * 1024 * 1024)
    );
    let text = |it: &str| it.as_bytes().to_vec();
    let syntax = || Some((-32700, Value::Null));
    let shape = |id: Value| Some((-32600, id));
    vec![
        ("no JSON", text("hello"), syntax()),
        ("cut off", text(r#"{"jsonrpc":"2.0","id":1"#), syntax()),
        ("no UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}".to_vec(), syntax()),
        ("control characters", b"\x00\x01\x1b[2J".to_vec(), syntax()),
        ("half a surrogate", text(r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#), syntax()),
        ("too deep", deep.into_bytes(), syntax()),
        ("another version", text(r#"{"jsonrpc":"1.0","id":9,"method":"ping"}"#), shape(json!(9))),
        ("no version", text(r#"{"id":"x","method":"ping"}"#), shape(json!("x"))),
        ("a number", text("42"), shape(Value::Null)),
        ("null", text("null"), shape(Value::Null)),
        ("an empty batch", text("[]"), shape(Value::Null)),
        ("a batch", text(r#"[{"jsonrpc":"2.0","id":0,"method":"ping"}]"#), shape(Value::Null)),
        ("no method", text(r#"{"jsonrpc":"2.0","id":9}"#), shape(json!(9))),
        (
            "a method that is no text",
            text(r#"{"jsonrpc":"2.0","id":[],"method":7}"#),
            shape(Value::Null),
        ),
        ("too long", vec![b'x'; 9 * 1024 * 1024], shape(Value::Null)),
        ("a long message", long.into_bytes(), shape(Value::Null)),
        ("an answer to nothing", text(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#), None),
        ("an error of nobody", text(r#"{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}"#), None),
        ("an unknown notification", text(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#), None),
        (
            "an early notification",
            text(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            None,
        ),
        (
            "a cancellation of nothing",
            text(
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#,
            ),
            None,
        ),
    ]
}

/// Before the handshake and after it; nothing but the protocol is on standard output, and the end of
/// the input is the end of the server.
#[test]
fn a_malformed_message_is_answered_by_its_code_and_never_kills_the_server() {
    let project = project();
    let mut server = Piped::start(&project, &[]);
    let mut id = 100;
    for round in 0..2 {
        server.send(b"");
        for (about, bytes, expected) in malformed() {
            server.send(&bytes);
            if let Some((code, id)) = expected {
                let answer = server.line();
                let actual = (&answer["error"]["code"], &answer["id"]);
                assert_eq!(actual, (&json!(code), &id), "{round} {about}: {answer}");
            }
            id += 1;
            let answer = server.ask(id, "ping", &json!({}));
            assert_eq!(answer["result"], json!({}), "{round} {about}");
        }
        server.send(INITIALIZE.as_bytes());
        let answer = loop {
            let answer = server.line();
            if answer["id"] == 1 {
                break answer;
            }
        };
        assert_eq!(answer["result"]["serverInfo"]["name"], "provost");
    }
    let (exit, rest, errors) = server.close();
    assert_eq!((exit, rest.as_str(), errors.as_str()), (Some(0), "", ""));
}

#[test]
fn calls_with_wrong_arguments_are_answered() {
    let project = project();
    let mut server = Piped::start(&project, &[]);
    server.send(INITIALIZE.as_bytes());
    server.line();
    let mut id = 10;
    let mut call = |name: &str, arguments: Value| {
        id += 1;
        server.ask(id, "tools/call", &json!({"name": name, "arguments": arguments}))
    };
    for name in ["ralph_start", "ralph_declare", "ralph_update", "ralph_verify"] {
        let answer = call(name, json!({}));
        assert_eq!(answer["result"]["isError"], true, "{answer:#}");
        let answer = call(name, json!({"storyId": {"$ne": 1}, "__proto__": []}));
        assert_eq!(answer["result"]["isError"], true, "{answer:#}");
        // Arguments that are no object are no call.
        assert_eq!(call(name, json!([1, 2]))["error"]["code"], -32602);
    }
    let answer = call("ralph_verify", json!({"storyId": "US-001"}));
    assert_eq!(answer["result"]["structuredContent"]["codes"], json!(["STORY_MISSING"]));
    let answer = call("ralph_start", json!({"prdPath": "/etc/passwd"}));
    assert_eq!(answer["result"]["structuredContent"]["codes"], json!(["REFUSED"]));
    let answer = call("ralph_start", json!({"prdPath": "no.md"}));
    assert_eq!(answer["result"]["structuredContent"]["codes"], json!(["UNABLE"]));
    assert!(call("rm -rf", json!({}))["error"]["code"].is_i64());
    let answer = server.ask(999, "no/such/method", &json!({}));
    assert_eq!(answer["error"]["code"], -32601, "{answer:#}");
    let (exit, _, errors) = server.terminate();
    assert_eq!((exit, errors.as_str()), (Some(0), ""));
}

/// Nothing outside the evidence can be read, however an address is written.
#[test]
fn a_resource_leads_nowhere_else() {
    let project = project();
    let mut server = Piped::start(&project, &[]);
    server.send(INITIALIZE.as_bytes());
    server.line();
    for (number, uri) in [
        "",
        "file:///etc/passwd",
        "/etc/passwd",
        "provost://evidence/../../../../etc/passwd",
        "provost://evidence/%2e%2e/US-001/7/1-stdout.log",
        "provost://evidence/e1/US-001/7/..%2f..%2fclaims.jsonl",
        "provost://plan/../../etc/passwd",
        "provost://plan/none",
        "provost://story/none/US-001",
    ]
    .iter()
    .enumerate()
    {
        let answer = server.ask(number as u64 + 10, "resources/read", &json!({"uri": uri}));
        assert_eq!(answer["error"]["code"], -32002, "{uri} {answer:#}");
    }
    let answer = server.ask(99, "resources/list", &json!({"cursor": "../x"}));
    assert_eq!(answer["error"]["code"], -32602, "{answer:#}");
    assert_eq!(server.close().0, Some(0));
}

#[test]
fn http_refuses_what_is_not_from_here_and_lives_on() {
    let project = project();
    let server = Listening::start(&project, &[]);
    let status = |answer: &str| answer.split(' ').nth(1).unwrap_or("none").to_owned();
    let is_well = || {
        let answer = server.post(&[], INITIALIZE.as_bytes());
        assert_eq!(status(&answer), "200", "{answer}");
        assert!(answer.contains("\"provost\""), "{answer}");
    };
    is_well();
    // A name that was made to lead here, and a page in a browser.
    for headers in [
        [("Host", "evil.example")].as_slice(),
        &[("Host", "127.0.0.1.evil.example")],
        &[("Origin", "http://evil.example")],
        &[("Origin", "null")],
        &[("Origin", "http://localhost")],
    ] {
        let answer = server.post(headers, INITIALIZE.as_bytes());
        assert_eq!(status(&answer), "403", "{headers:?} {answer}");
    }
    for (about, bytes, expected) in malformed() {
        let answer = server.post(&[], &bytes);
        let Some((code, id)) = expected else {
            assert!(!answer.contains("\"result\""), "{about} {answer}");
            continue;
        };
        let is_long = about.contains("long");
        assert_eq!(status(&answer), if is_long { "413" } else { "400" }, "{about} {answer}");
        let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        assert_eq!((&body["error"]["code"], &body["id"]), (&json!(code), &id), "{about} {answer}");
    }
    is_well();
    for raw in [
        b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".as_slice(),
        b"DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\r\n\r\n",
    ] {
        let answer = server.raw(raw);
        assert!(!answer.contains(" 200 "), "{answer}");
    }
    is_well();
    assert_eq!(server.terminate(), Some(0));
}

/// Every local program can reach the address, agents included: what comes without the token is not
/// even read.
#[test]
fn http_answers_only_who_has_the_token() {
    let project = project();
    let server = Listening::start(&project, &[]);
    let status = |answer: &str| answer.split(' ').nth(1).unwrap_or("none").to_owned();
    let cut = &server.token[..server.token.len() - 1];
    for value in ["", "Bearer", "Bearer x", &format!("Bearer {cut}"), &format!("Basic {cut}0")] {
        for body in [INITIALIZE.as_bytes(), b"hello".as_slice(), &vec![b'x'; 9 << 20]] {
            let answer = server.post(&[("Authorization", value)], body);
            assert_eq!(status(&answer), "401", "{value} {answer}");
            assert!(answer.to_ascii_lowercase().contains("www-authenticate: bearer"), "{answer}");
        }
    }
    let raw = server.raw(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert_eq!(status(&raw), "401", "{raw}");
    assert_eq!(status(&server.post(&[], INITIALIZE.as_bytes())), "200");

    let file = project.world.path("repo/.provost/keys/mcp-token");
    let mode = std::os::unix::fs::MetadataExt::mode(&file.metadata().unwrap()) & 0o777;
    assert_eq!(mode, 0o600);
    let token = server.token.clone();
    assert_eq!(server.terminate(), Some(0));
    // A client keeps it in its configuration, so it stays the same.
    let again = Listening::start(&project, &[]);
    assert_eq!(again.token, token);
    assert_eq!(again.terminate(), Some(0));
}

/// A secret that can be guessed is none.
#[test]
fn a_short_token_of_the_environment_is_refused() {
    let project = project();
    let provost = project.world.provost().variable("PROVOST_MCP_TOKEN", "guess");
    provost_snapshot!(provost.args(["mcp", "--http", "127.0.0.1:0"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `PROVOST_MCP_TOKEN` is not a token: expected at least 16 visible ASCII characters
    hint: unset it: provost then makes a token of its own
    ");
}

/// An address that others could reach is refused before anything listens.
#[test]
fn the_server_listens_on_this_machine_alone() {
    let project = project();
    provost_snapshot!(project.world.provost().args(["mcp", "--http", "0.0.0.0:0"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `0.0.0.0:0` can be reached from other machines
    hint: listen on `127.0.0.1`; from another machine, use a tunnel such as `ssh -L`
    ");
}

/// The server may read more than the agent's sandbox shows: it serves its own repository.
#[test]
fn a_plan_of_another_repository_is_not_read() {
    let project = project();
    project
        .shell("git init -q ../other; cp plan.md ../other/plan.md; git worktree add -q ../beside");
    let mut server = Piped::start(&project, &[]);
    server.send(INITIALIZE.as_bytes());
    server.line();
    let mut start = |id, folder: &str| {
        let root = project.world.path(folder);
        let arguments = json!({"prdPath": "plan.md", "projectRoot": root.to_str().unwrap()});
        let params = json!({"name": "ralph_start", "arguments": arguments});
        server.ask(id, "tools/call", &params)["result"].take()
    };
    let refused = start(7, "other");
    assert_eq!(refused["isError"], true, "{refused}");
    assert_eq!(refused["structuredContent"]["codes"], json!(["REFUSED"]), "{refused}");
    let error = refused["structuredContent"]["error"].as_str().unwrap();
    assert!(error.contains("is not the repository in which this server was started"), "{error}");
    project.shell("cp plan.md ../beside/plan.md");
    let started = start(8, "beside");
    assert_ne!(started["isError"], true, "{started}");
    assert_eq!(server.close().0, Some(0));
}
