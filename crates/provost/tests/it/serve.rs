//! `provost serve`: who is let in, what is answered, and how it ends.

use serde_json::{Value, json};

use crate::{
    loop_live::until,
    loop_world::{Loop, plain},
    serve_world::{Served, until_state},
};

/// A world with a result, a question, and something that failed.
pub(crate) fn world() -> Loop {
    let it = Loop::new();
    it.check("ready", json!({}), 0, "READY_FOR_REVIEW");
    it.judge(&plain("NEED_USER_INPUT"));
    it.check("asks", json!({}), 3, "PAUSED_WAITING_USER_INPUT");
    it
}

/// The operations of the server's own description: method, path, whether it writes.
pub(crate) fn operations(served: &Served<'_>) -> Vec<(String, String, bool)> {
    let document = served.get("/api/openapi.json").json();
    let mut all = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let writes = operation["x-writes"].as_bool().unwrap();
            all.push((method.to_uppercase(), path.clone(), writes));
        }
    }
    all
}

/// A path of the description with values that exist.
pub(crate) fn filled(path: &str) -> String {
    path.replace("{id}", "ready")
        .replace("{n}", "1")
        .replace("{role}", "test")
        .replace("{type}", "engineering_impl")
        .replace("{name}", "coder.log")
        .replace("{key}", "US-001")
        .replace("{run}", "1")
        .replace("{mission}", "m")
}

/// LOOP-A13: without a key nothing is said, and no other site, name or port gets in.
#[test]
fn only_who_has_the_token_is_let_in() {
    let it = Loop::new();
    let served = Served::start(&it, &[]);
    let health = served.ask("GET", "/api/health", &[], None);
    assert_eq!((health.status, health.body.as_str()), (200, r#"{"status":"ok"}"#));
    assert_eq!(served.get("/api/health").json()["read_only"], false);
    for header in [
        "X-None: 1",
        "Authorization: Bearer ",
        "Authorization: Bearer 0123456789abcdef",
        &format!("Authorization: Bearer {}", served.token),
        &format!("Authorization: Basic {}", served.key),
    ] {
        for path in ["/api/tasks", "/api/tasks/t1", "/api/nothing", "/api/stream?topics=board"] {
            let got = served.ask("GET", path, &[header], None);
            assert_eq!((got.status, got.body.as_str()), (401, ""), "{header} {path}");
        }
    }
    for token in ["", "wrong", &served.key] {
        let body = json!({ "token": token }).to_string();
        let got = served.ask("POST", "/api/session", &[], Some(&body));
        assert_eq!(got.status, 401, "{token}");
    }
    let bearer = served.bearer();
    let refused = |header: &str, status: u16| {
        let got = served.ask("GET", "/api/tasks", &[&bearer, header], None);
        assert_eq!(got.status, status, "{header}: {got:?}");
        assert!(!got.headers.contains_key("set-cookie"), "{got:?}");
    };
    let port = served.address.rsplit_once(':').unwrap().1;
    for host in ["evil.example", "127.0.0.1", &format!("evil.example:{port}"), "127.0.0.1:1"] {
        refused(&format!("Host: {host}"), 421);
    }
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        refused(&format!("Origin: {origin}"), 403);
    }
    refused("Sec-Fetch-Site: cross-site", 403);
    refused(&format!("Origin: http://{}", served.address), 200);
    let ended = served.ask("DELETE", "/api/session", &[&bearer], None);
    assert_eq!(ended.status, 204, "{ended:?}");
    refused("X-None: 1", 401);
}

/// What is too large, too slow or of another kind is refused, and nothing breaks.
#[test]
fn a_request_keeps_its_limits() {
    let it = world();
    let served = Served::start(&it, &[]);
    let bearer = served.bearer();
    let huge = format!("X-Huge: {}", "x".repeat(20_000));
    assert_eq!(served.ask("GET", "/api/tasks", &[&bearer, &huge], None).status, 431);
    let body = format!("{{\"x\": \"{}\"}}", "x".repeat(300 << 10));
    let path = "/api/tasks/asks/orders";
    // 10 MB are refused when they are announced.
    let long = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\n{bearer}\r\nContent-Type: application/json\r\n\
         Content-Length: 10000000\r\n\r\n{{",
        served.address
    );
    assert_eq!(served.send(long.as_bytes()).status, 413);
    assert_eq!(served.ask("POST", path, &[&bearer], Some(&body)).status, 413);
    let text = "Content-Type: text/plain";
    assert_eq!(served.ask("POST", path, &[&bearer, text], Some("{}")).status, 415);
    for body in ["", "{", "[]", "null", "{\"request_id\": \"a/b\", \"action\": \"PAUSE\"}"] {
        let got = served.ask("POST", path, &[&bearer], Some(body));
        assert_eq!(got.status, 400, "{body}: {got:?}");
    }
    // A client that promises more than it sends is answered when its time is up.
    let slow = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\n{bearer}\r\nContent-Type: application/json\r\n\
         Content-Length: 100\r\n\r\n{{",
        served.address
    );
    assert_eq!(served.send(slow.as_bytes()).status, 408);
    assert_eq!(served.get("/api/tasks").status, 200);
}

/// LOOP-U8: every GET has a strong validator of its content, and 304 has no body.
#[test]
fn what_a_client_has_is_not_sent_again() {
    let it = world();
    let mut served = Served::start(&it, &[]);
    let mut paths: Vec<String> = ["/", "/inbox", "/tasks/ready", "/i18n/en.json", "/i18n/zh.json"]
        .map(str::to_owned)
        .to_vec();
    for (method, path, _) in operations(&served) {
        if method == "GET" && path != "/api/stream" {
            paths.push(filled(&path));
        }
    }
    let mut tags = Vec::new();
    for path in &paths {
        let got = served.get(path);
        if got.status == 404 {
            continue;
        }
        assert_eq!(got.status, 200, "{path}: {got:?}");
        let etag = got.headers.get("etag").unwrap_or_else(|| panic!("{path} has no ETag")).clone();
        assert!(etag.starts_with('"') && etag.len() == 66, "{path}: {etag}");
        let bearer = served.bearer();
        for given in [etag.clone(), format!("\"x\", W/{etag}"), "*".to_owned()] {
            let header = format!("If-None-Match: {given}");
            let again = served.ask("GET", path, &[&bearer, &header], None);
            assert_eq!((again.status, again.body.as_str()), (304, ""), "{path} {given}");
            assert_eq!(again.headers.get("etag"), Some(&etag), "{path}");
        }
        let other = served.ask("GET", path, &[&bearer, "If-None-Match: \"x\""], None);
        assert_eq!(other.status, 200, "{path}");
        tags.push((path.clone(), etag));
    }
    assert!(tags.len() > 12, "{tags:?}");
    // The same content after a restart has the same one.
    served.restart();
    for (path, etag) in tags {
        assert_eq!(served.get(&path).headers.get("etag"), Some(&etag), "{path}");
    }
    let before = served.get("/api/tasks").headers["etag"].clone();
    it.order(&["approve", "ready"]);
    until(|| served.get("/api/tasks").headers["etag"] != before);
}

/// LOOP-A9: every write of the description is refused by a read-only server, recorded, and changes
/// nothing of a task.
#[test]
fn a_read_only_server_takes_no_order() {
    let it = world();
    let served = Served::start(&it, &["--read-only"]);
    assert_eq!(served.get("/api/health").json()["read_only"], true);
    let before = (it.status("ready"), it.status("asks"));
    let writes: Vec<_> = operations(&served).into_iter().filter(|it| it.2).collect();
    assert!(writes.len() >= 3, "{writes:?}");
    for (method, path, _) in writes {
        let body = json!({"request_id": "r1", "action": "APPROVE", "spec": {}}).to_string();
        let got = served.ask(&method, &filled(&path), &[&served.bearer()], Some(&body));
        assert_eq!(got.status, 403, "{method} {path}: {got:?}");
        assert_eq!(got.json()["code"], "read_only", "{method} {path}");
    }
    assert_eq!(before, (it.status("ready"), it.status("asks")));
    let audit = it.text("_audit/audit.jsonl");
    assert!(audit.contains("\"order.refused\"") && audit.contains("read_only"), "{audit}");
    let told = it.text("_audit/gui_actions.jsonl");
    assert!(told.lines().all(|it| it.contains("\"source\":\"web\"")), "{told}");
}

/// LOOP-U5, LOOP-A9: an order is carried out once, however often it is sent, also after a restart.
#[test]
fn an_order_is_carried_out_once() {
    let it = world();
    let mut served = Served::start(&it, &[]);
    let payload = json!({"text": "the left one <b>"});
    let first = served.order("asks", "r-1", "ANSWER", payload.clone());
    assert_eq!(first.status, 200, "{first:?}");
    assert_eq!(first.json()["deduplicated"], false);
    for _ in 0..2 {
        let again = served.order("asks", "r-1", "ANSWER", payload.clone());
        assert_eq!((again.status, again.json()["deduplicated"].clone()), (200, json!(true)));
        assert_eq!(again.json()["seq"], first.json()["seq"]);
        served.restart();
    }
    let other = served.order("asks", "r-1", "ANSWER", json!({"text": "the right one"}));
    assert_eq!(other.status, 409, "{other:?}");
    assert_eq!(other.json()["code"], "request_id_reused");
    let audit = it.text("_audit/audit.jsonl");
    assert_eq!(audit.matches("\"task.answer\"").count(), 1);
    assert!(audit.contains("\"source\":\"web\""), "{audit}");
    assert_eq!(it.text("asks/user_input.jsonl").lines().count(), 1);
    let told = it.text("_audit/gui_actions.jsonl");
    // The answer, the order to go on that follows from it, and the one that was refused.
    assert_eq!(told.lines().count(), 3, "{told}");
    assert!(told.contains("request_id_reused"), "{told}");
    assert!(told.contains("\"r-1\"") && told.contains("\"r-1:resume\""), "{told}");
    let line: Value = serde_json::from_str(told.lines().next().unwrap()).unwrap();
    assert_eq!((line["task_id"].as_str(), line["source"].as_str()), (Some("asks"), Some("web")));
    assert_eq!(it.provost(&["audit", "verify"]).run().exit(), Some(0));
}

/// A decision is about the result that was seen.
#[test]
fn a_result_that_has_moved_is_not_approved() {
    let it = world();
    let served = Served::start(&it, &[]);
    let stale = json!({
        "request_id": "r-1", "action": "APPROVE", "seen": {"attempt": 7, "state_version": 1},
    });
    let got = served.post("/api/tasks/ready/orders", &stale);
    assert_eq!((got.status, got.json()["code"].clone()), (412, json!("moved")), "{got:?}");
    // A write that is refused is on record.
    let refused = r#"{"order":"APPROVE","refused":"moved"}"#;
    assert!(it.text("_audit/audit.jsonl").contains(refused), "{}", it.text("_audit/audit.jsonl"));
    let blind =
        served.post("/api/tasks/ready/orders", &json!({"request_id": "r", "action": "APPROVE"}));
    assert_eq!(blind.status, 400, "{blind:?}");
    assert!(!it.text("_audit/audit.jsonl").contains("\"task.approve\""));
    let got = served.order("asks", "r-2", "APPROVE", json!({}));
    assert_eq!(got.status, 409, "{got:?}");
    let got = served.order("ready", "r-3", "APPROVE", json!({}));
    assert_eq!(got.status, 200, "{got:?}");
    let got = served.post("/api/tasks/nothing-here/orders", &stale);
    assert_eq!(got.status, 404, "{got:?}");
}

/// What was said of the same attempt meanwhile is seen before the next decision; a note moves nothing.
#[test]
fn a_review_in_between_stops_a_decision_and_a_note_does_not() {
    let it = world();
    let served = Served::start(&it, &[]);
    let orders = "/api/tasks/ready/orders";
    let order = |id: &str, action: &str, payload: Value, seen: &Value| {
        let body = json!({"request_id": id, "action": action, "payload": payload, "seen": seen});
        served.post(orders, &body)
    };
    let before = it.seen("ready");
    // Two writes that leave the result as it was seen.
    assert_eq!(order("r-1", "ANSWER", json!({"text": "keep the name"}), &before).status, 200);
    let more = json!({"overrides": {"max_attempts": 5}});
    assert_eq!(order("r-2", "OVERRIDE", more, &before).status, 200);
    assert_ne!(it.seen("ready"), before);
    let reject = json!({"because": "the name is wrong"});
    assert_eq!(order("r-3", "REJECT", reject.clone(), &before).status, 200);
    // Somebody who looked before the rejection takes the result: nothing is done.
    for (id, action) in [("r-4", "APPROVE"), ("r-5", "LAND")] {
        let got = order(id, action, json!({}), &before);
        assert_eq!((got.status, got.json()["code"].clone()), (412, json!("moved")), "{got:?}");
    }
    assert_eq!(it.status("ready")["review"]["outcome"], "rejected");
    // The same request is answered as before, and is not another one with other eyes.
    let again = order("r-3", "REJECT", reject.clone(), &before);
    assert_eq!(
        (again.status, again.json()["deduplicated"].clone()),
        (200, json!(true)),
        "{again:?}"
    );
    let other = order("r-3", "REJECT", reject, &it.seen("ready"));
    let code = other.json()["code"].clone();
    assert_eq!((other.status, code), (409, json!("request_id_reused")), "{other:?}");
    let got = order("r-6", "APPROVE", json!({}), &it.seen("ready"));
    assert_eq!(got.status, 200, "{got:?}");
    // Who looked before the approval rejects something else than they think.
    let seen = json!({"attempt": 1, "state_version": it.seen("ready")["state_version"].as_u64().unwrap() - 1});
    let got = order("r-7", "REJECT", json!({"because": "no"}), &seen);
    assert_eq!(got.status, 412, "{got:?}");
}

/// What needs a process is started in the background, for the order that was recorded.
#[test]
fn a_task_goes_on_in_the_background() {
    let it = world();
    it.judge(&plain("PASS"));
    let served = Served::start(&it, &[]);
    // A word to a task that waits for none does not start it.
    let told = served.order("ready", "r-0", "ANSWER", json!({"text": "the left one"}));
    assert_eq!((told.status, told.json()["started"].clone()), (200, json!(false)), "{told:?}");
    it.order(&["answer", "asks", "the left one", "--no-run"]);
    let resumed = served.order("asks", "r-2", "RESUME", json!({}));
    assert_eq!(
        (resumed.status, resumed.json()["started"].clone()),
        (202, json!(true)),
        "{resumed:?}"
    );
    until_state(&it, "asks", "READY_FOR_REVIEW");
    let again = served.order("asks", "r-2", "RESUME", json!({}));
    assert_eq!(
        (again.status, again.json()["deduplicated"].clone()),
        (200, json!(true)),
        "{again:?}"
    );
    assert_eq!(again.json()["started"], false);
    let spec =
        json!({"task_id": "made", "goal": "write 42", "test_cmd": "sh check.sh", "coder": "c"});
    let body = json!({"request_id": "r-3", "spec": spec, "run": true});
    let made = served.post("/api/tasks", &body);
    assert_eq!(made.status, 201, "{made:?}");
    until_state(&it, "made", "READY_FOR_REVIEW");
    // The same request is answered again, and makes nothing.
    let again = served.post("/api/tasks", &body);
    assert_eq!((again.status, again.json()["deduplicated"].clone()), (201, json!(true)));
}

/// A path in a parameter is never a path.
#[test]
fn no_parameter_leads_out_of_the_home() {
    let it = world();
    let served = Served::start(&it, &[]);
    let tricks = [
        "..",
        "%2e%2e",
        "..%2f..%2fetc%2fpasswd",
        "%2fetc%2fpasswd",
        "ready%00",
        "ready%2f..%2fasks",
        "_audit",
        "_index",
        "%ff",
        "ready%0d%0aX:1",
        "C:%5cx",
        "ready.",
        "%25252e",
    ];
    for (method, path, _) in operations(&served) {
        for (at, _) in path.match_indices('{') {
            let end = at + path[at..].find('}').unwrap() + 1;
            for trick in tricks {
                let path = format!("{}{trick}{}", filled(&path[..at]), filled(&path[end..]));
                let got = served.ask(&method, &path, &[&served.bearer()], Some("{}"));
                assert!(matches!(got.status, 400 | 404 | 429), "{method} {path}: {got:?}");
                assert!(!got.body.contains("/.provost"), "{got:?}");
            }
        }
    }
    for path in [
        "/../Cargo.toml",
        "/app/../Cargo.toml",
        "/app/%2e%2e/Cargo.toml",
        "/app//etc/passwd",
        "/vendor/../index.html",
        "/i18n/../../x.json",
        "/app/index.html/..",
        "/.git/config",
    ] {
        let got = served.get(path);
        assert!(matches!(got.status, 400 | 404), "{path}: {got:?}");
    }
}

/// A stream tells each change once, goes on where it was, and says `reset` after a restart.
#[test]
fn a_stream_goes_on_where_it_was() {
    let it = world();
    let mut served = Served::start(&it, &[]);
    let topics = "board,task:ready,task:asks";
    let mut events = served.stream(topics, None);
    let start = events.find("ping");
    it.order(&["answer", "asks", "first"]);
    let seen = events.find("task");
    assert_eq!(seen.data["task_id"], "asks", "{seen:?}");
    drop(events);
    it.order(&["answer", "asks", "second"]);
    let told = |events: &mut crate::serve_world::Events| {
        let mut seqs: Vec<u64> = Vec::new();
        let all = it.events("asks").last().unwrap()["seq"].as_u64().unwrap();
        while seqs.last() != Some(&all) {
            let frame = events.find("task");
            seqs.push(frame.data["seq"].as_u64().unwrap());
        }
        seqs
    };
    // From the start: everything, once, in order. From what was seen: only the rest.
    let all = told(&mut served.stream(topics, Some(&start.id)));
    assert!(all.windows(2).all(|it| it[0] + 1 == it[1]), "{all:?}");
    let rest = told(&mut served.stream(topics, Some(&seen.id)));
    assert_eq!(all[0], seen.data["seq"].as_u64().unwrap());
    assert_eq!(rest, all[1..]);
    let mut board = served.stream("board", Some(&start.id));
    assert_eq!(board.find("board").data["task_id"], "asks");
    served.restart();
    let mut events = served.stream(topics, Some(&seen.id));
    let reset = events.next().unwrap();
    assert_eq!(reset.event, "reset", "{reset:?}");
    assert_eq!(told(&mut events), rest);
    for topics in ["", "x", "task:..", "log:ready:1:passwd"] {
        let got = served.get(&format!("/api/stream?topics={topics}"));
        assert_eq!(got.status, 400, "{topics}: {got:?}");
    }
}

/// What a step prints is followed while it runs.
#[test]
fn a_log_is_followed_by_bytes() {
    let it = world();
    let served = Served::start(&it, &[]);
    let part = |query: &str| served.get(&format!("/api/tasks/ready/attempts/1/logs/test{query}"));
    let whole = part("").json();
    assert_eq!((whole["from"].clone(), whole["ended"].clone()), (json!(0), json!(true)), "{whole}");
    assert_eq!(part("?from=999999").json()["next"], whole["next"]);
    assert_eq!(part("?limit=0").status, 400);
    let missing = served.get("/api/tasks/ready/attempts/9/logs/test");
    assert_eq!(missing.status, 404, "{missing:?}");
}

/// It ends when it is asked to, whatever is open.
#[test]
fn it_ends_with_streams_open() {
    let it = Loop::new();
    let mut served = Served::start(&it, &[]);
    let mut open: Vec<_> = (0..256).map(|_| served.stream("board", None)).collect();
    for events in &mut open {
        events.find("ping");
    }
    // One more is refused, and everything else is answered beside them.
    let more = served.get("/api/stream?topics=board");
    assert_eq!((more.status, more.json()["code"].clone()), (503, json!("busy")), "{more:?}");
    assert_eq!(served.get("/api/tasks").status, 200);
    let status = served.terminate();
    assert_eq!(status.code(), Some(0));
    for events in &mut open {
        assert!(events.next().is_none());
    }
}

/// Who opens connections and sends nothing, or half a request, keeps nobody out.
#[test]
fn silent_connections_give_way() {
    let it = Loop::new();
    let served = Served::start(&it, &[]);
    let mut events = served.stream("board", None);
    events.find("ping");
    let half = format!("POST /api/session HTTP/1.1\r\nHost: {}\r\n", served.address);
    let late = format!("{half}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n");
    let silent: Vec<_> = (0..600)
        .map(|number| {
            let mut socket = std::net::TcpStream::connect(&served.address).unwrap();
            let sent = ["", half.as_str(), late.as_str()][number % 3];
            // The server may have closed it by now.
            let _ = std::io::Write::write_all(&mut socket, sent.as_bytes());
            socket
        })
        .collect();
    let start = std::time::Instant::now();
    for _ in 0..10 {
        assert_eq!(served.get("/api/tasks").status, 200);
    }
    assert!(start.elapsed().as_secs() < 8, "{:?}", start.elapsed());
    drop(silent);
    it.check("made", json!({}), 0, "READY_FOR_REVIEW");
    assert_eq!(events.find("board").data["task_id"], "made");
}

/// Who opens the page without a guard that was tested hears at once what cannot be done there.
#[test]
#[expect(clippy::disallowed_methods, reason = "what a server prints goes into files of the test")]
fn without_a_guard_it_says_that_nothing_starts() {
    let it = Loop::new();
    for (options, says) in [(&["--unguarded"][..], false), (&["--read-only"], false), (&[], true)] {
        let (out, err) = (it.world.path("out"), it.world.path("err"));
        let create = |at| std::fs::File::create(at).unwrap();
        let text = |at| std::fs::read_to_string(at).unwrap();
        let mut command = it.world.program(env!("CARGO_BIN_EXE_provost"));
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(options);
        let mut child = command.stdout(create(&out)).stderr(create(&err)).spawn().unwrap();
        // What is noted is written with the address.
        until(|| text(&out).ends_with('\n') && (!says || text(&err).contains("--unguarded")));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(
            text(&err).contains("warning: the page cannot start tasks: "),
            says,
            "{options:?}"
        );
    }
}

/// Where an agent runs, it takes no order (ruling 70).
#[test]
fn where_an_agent_runs_it_is_read_only() {
    let it = Loop::new();
    it.world.write("agents/serve.sh", "exec \"$PROVOST\" --json serve --listen 127.0.0.1:0\n");
    let mut command = it.world.program(env!("CARGO_BIN_EXE_provost"));
    command.args(["--json", "serve", "--listen", "127.0.0.1:0"]).env("CLAUDECODE", "1");
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut reader = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    let document: Value = loop {
        std::io::BufRead::read_line(&mut reader, &mut text).unwrap();
        if let Ok(document) = serde_json::from_str(&text) {
            break document;
        }
    };
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!(document["read_only"], true, "{document}");
}

/// LOOP-U6: an override has versions and a way back; the original's addresses do the same.
#[test]
fn an_override_is_taken_back_by_the_api() {
    let it = world();
    let served = Served::start(&it, &[]);
    let attempts = || it.status("asks")["effective_max_attempts"].clone();
    let before = attempts();
    let more = json!({"overrides": {"max_attempts": 9}});
    let got = served.order("asks", "r-1", "OVERRIDE", more.clone());
    assert_eq!((got.status, attempts()), (200, json!(9)), "{got:?}");
    let versions = served.get("/api/tasks/asks/overrides").json();
    assert_eq!(
        (versions["holds"].clone(), versions["versions"][0]["actor"]["source"].clone()),
        (json!(1), json!("web")),
        "{versions}"
    );
    let body = json!({"request_id": "r-2"});
    let got = served.post("/api/tasks/asks/overrides/rollback", &body);
    assert_eq!((got.status, attempts()), (200, before), "{got:?}");
    let again = served.post("/api/tasks/asks/overrides/rollback", &body);
    assert_eq!(again.json()["deduplicated"], true, "{again:?}");
    let set = json!({"request_id": "r-3", "overrides": {"max_attempts": 8}});
    let got = served.post("/api/tasks/asks/runtime_overrides", &set);
    assert_eq!((got.status, attempts()), (200, json!(8)), "{got:?}");
    let held = served.get("/api/task/asks/runtime_overrides").json();
    assert_eq!(
        (held["overrides"]["max_attempts"].clone(), held["request_id"].clone()),
        (json!(8), json!("r-3")),
        "{held}"
    );
    let told = served
        .post("/api/tasks/asks/user_input", &json!({"request_id": "r-4", "text": "the left one"}));
    assert_eq!(told.status, 200, "{told:?}");
    let control =
        served.post("/api/task/asks/control", &json!({"action": "RESET", "nonce": "n-1"}));
    assert_eq!(
        (control.status, control.json()["nonce"].clone()),
        (200, json!("n-1")),
        "{control:?}"
    );
    let log = served.get("/api/task/asks/log/coder.log?tail=5");
    assert_eq!(log.status, 200, "{log:?}");
    assert_eq!(served.get("/api/task/asks/log/passwd").status, 400);
    assert!(served.get("/api/task/asks").json()["timeline"].is_array());
}
