//! The scripted model over real HTTP, and programs that play a client, obedient and otherwise.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use provost_adapter::live::{
    CANARY, COMMANDS, Driven, Heard, LiveClient, LiveError, ScriptedModel, Stage, WITNESS, drive,
    version,
};
use provost_exec::{Ended, Guardian};
use provost_kernel::guard::Harness;
use serde_json::{Value, json};

use crate::world::{PROBE, World};

/// What the model answers: the status, the content type and the body.
fn ask(model: &ScriptedModel, path: &str, body: &str) -> (u16, String, String) {
    let config = ureq::Agent::config_builder().http_status_as_error(false).build();
    let agent = ureq::Agent::new_with_config(config);
    let mut response = agent.post(format!("{}{path}", model.base())).send(body).unwrap();
    let kind = response.headers().get("content-type");
    let kind = kind.map(|it| it.to_str().unwrap().to_owned()).unwrap_or_default();
    (response.status().as_u16(), kind, response.body_mut().read_to_string().unwrap())
}

/// The events of a stream: each name and its data.
fn events(body: &str) -> Vec<(String, Value)> {
    let field = |event: &str, name: &str| {
        let line = event.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(": "));
        line.unwrap_or_default().to_owned()
    };
    let events = body.split("\n\n").filter(|it| !it.is_empty());
    let parse = |it| (field(it, "event"), serde_json::from_str(&field(it, "data")).unwrap());
    events.map(parse).collect()
}

#[track_caller]
fn stream(model: &ScriptedModel, path: &str, request: &Value) -> Vec<(String, Value)> {
    let (status, kind, body) = ask(model, path, &request.to_string());
    assert_eq!((status, kind.as_str()), (200, "text/event-stream"), "{body}");
    events(&body)
}

#[track_caller]
fn document(model: &ScriptedModel, path: &str, request: &Value) -> Value {
    let (status, kind, body) = ask(model, path, &request.to_string());
    assert_eq!((status, kind.as_str()), (200, "application/json"), "{body}");
    serde_json::from_str(&body).unwrap()
}

/// A request for a message, after so many results.
fn message(n_results: usize) -> Value {
    let results = (0..n_results).map(|it| {
        let block = json!({ "type": "tool_result", "tool_use_id": "x", "content": it.to_string() });
        json!({ "role": "user", "content": [block] })
    });
    let mut messages = vec![json!({ "role": "user", "content": "go" })];
    messages.extend(results);
    let tools = json!([{ "name": "Read" }, { "name": "Bash" }]);
    json!({ "model": "m", "stream": true, "tools": tools, "messages": messages })
}

/// HOOK-1.5
#[test]
fn claude_code_is_asked_for_two_commands_and_then_let_go() {
    let model = ScriptedModel::start().unwrap();
    let path = "/v1/messages?beta=true";
    for (number, command) in (1..).zip(COMMANDS) {
        let events = stream(&model, path, &message(number - 1));
        let names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
        let expected = [
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
        ];
        assert_eq!(names, expected);
        assert!(events.iter().all(|(name, data)| data["type"] == *name), "{events:?}");
        assert_eq!(events[0].1["message"]["model"], "m");
        assert_eq!(events[0].1["message"]["content"], json!([]));
        let id = format!("toolu_{number}");
        let block = json!({ "type": "tool_use", "id": id, "name": "Bash", "input": {} });
        assert_eq!(events[1].1["content_block"], block);
        let input = json!({ "command": command }).to_string();
        let delta = json!({ "type": "input_json_delta", "partial_json": input });
        assert_eq!(events[2].1["delta"], delta);
        assert_eq!(events[4].1["delta"]["stop_reason"], "tool_use");
    }
    let events = stream(&model, path, &message(2));
    assert_eq!(events[2].1["delta"], json!({ "type": "text_delta", "text": "Done." }));
    assert_eq!(events[4].1["delta"]["stop_reason"], "end_turn");
    assert_eq!(
        model.heard(),
        Heard { n_requests: 3, results: vec!["0".to_owned(), "1".to_owned()] }
    );

    // A request of its own, in one piece, and a question for a count.
    let whole = json!({ "messages": [{ "role": "user", "content": "a title?" }] });
    let answer = document(&model, path, &whole);
    assert_eq!(answer["content"], json!([{ "type": "text", "text": "Done." }]));
    assert_eq!(answer["stop_reason"], "end_turn");
    let counted = document(&model, "/v1/messages/count_tokens", &whole);
    assert_eq!(counted, json!({ "input_tokens": 1 }));
    assert_eq!(model.heard().results.len(), 2);
}

/// HOOK-1.5
#[test]
fn codex_is_asked_in_the_words_of_the_tool_that_it_offers() {
    let model = ScriptedModel::start().unwrap();
    let ask = |tool: &str, n_results: usize| {
        let output = json!({ "type": "function_call_output", "call_id": "x", "output": "ok" });
        let request = json!({ "tools": [{ "name": tool }], "input": vec![output; n_results] });
        stream(&model, "/v1/responses", &request)
    };
    let check = |tool: &str, n_results: usize, expected: Value| {
        let events = ask(tool, n_results);
        let names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
        let order = ["response.created", "response.output_item.done", "response.completed"];
        assert_eq!(names, order);
        assert!(events.iter().all(|(name, data)| data["type"] == *name), "{events:?}");
        assert!(events[2].1["response"]["usage"]["total_tokens"].is_u64());
        let item = &events[1].1["item"];
        assert_eq!((&item["type"], &item["name"]), (&json!("function_call"), &json!(tool)));
        assert_eq!(item["call_id"], format!("call_{}", n_results + 1));
        let arguments: Value = serde_json::from_str(item["arguments"].as_str().unwrap()).unwrap();
        assert_eq!(arguments, expected);
    };
    check("exec_command", 0, json!({ "cmd": COMMANDS[0] }));
    check("exec_command", 1, json!({ "cmd": COMMANDS[1] }));
    check("shell_command", 1, json!({ "command": COMMANDS[1] }));
    check("shell", 0, json!({ "command": ["sh", "-c", COMMANDS[0]] }));
    for (tool, n_results) in [("exec_command", 2), ("view_image", 0)] {
        let item = &ask(tool, n_results)[1].1["item"];
        assert_eq!(item["content"], json!([{ "type": "output_text", "text": "Done." }]), "{tool}");
    }
    assert_eq!(model.heard().results, ["ok", "ok"]);
}

/// HOOK-1.5
#[test]
fn gemini_is_asked_in_one_piece_or_in_a_stream() {
    let model = ScriptedModel::start().unwrap();
    let request = |n_results: usize| {
        let response = json!({ "functionResponse": { "response": { "output": "ok" } } });
        let tools = json!([{ "functionDeclarations": [{ "name": "run_shell_command" }] }]);
        json!({ "tools": tools, "contents": [{ "role": "user", "parts": vec![response; n_results] }] })
    };
    let part = |answer: &Value| answer["candidates"][0]["content"]["parts"][0].clone();
    let called = |command: &str| json!({ "functionCall": { "name": "run_shell_command", "args": { "command": command } } });
    let base = "/v1beta/models/gemini-2.5-flash";
    let streamed = format!("{base}:streamGenerateContent?alt=sse");
    for (n_results, command) in COMMANDS.into_iter().enumerate() {
        let events = stream(&model, &streamed, &request(n_results));
        assert_eq!(events.len(), 1);
        assert_eq!((events[0].0.as_str(), part(&events[0].1)), ("", called(command)));
        let whole = document(&model, &format!("{base}:generateContent"), &request(n_results));
        assert_eq!(whole, events[0].1);
    }
    let events = stream(&model, &streamed, &request(2));
    assert_eq!(part(&events[0].1), json!({ "text": "Done." }));
    assert_eq!(events[0].1["candidates"][0]["finishReason"], "STOP");
    assert_eq!(model.heard().results, ["ok", "ok"]);
    let counted = document(&model, &format!("{base}:countTokens"), &request(0));
    assert_eq!(counted, json!({ "totalTokens": 1 }));
}

#[test]
fn what_the_model_does_not_know_is_no_answer() {
    let model = ScriptedModel::start().unwrap();
    let check = |path: &str, body: &str, expected: u16| {
        assert_eq!(ask(&model, path, body).0, expected, "{path}");
    };
    check("/v1/messages", "{", 400);
    check("/v1/nothing", "{}", 404);
    check("/v1beta/models/m:embedContent", "{}", 404);
    check("/v1beta/models/m", "{}", 404);
    assert_eq!(model.heard(), Heard::default());
}

#[test]
fn the_model_is_gone_with_its_owner() {
    let model = ScriptedModel::start().unwrap();
    let address = model.base().replace("http://", "");
    // A connection that stays open does not keep it.
    let open = std::net::TcpStream::connect(&address).unwrap();
    drop(model);
    assert!(std::net::TcpStream::connect(&address).is_err());
    drop(open);
}

/// A client that can be driven, as a script.
struct Fake {
    world: World,
}

impl Fake {
    fn new(script: &str) -> Self {
        let world = World::new();
        for name in ["home", "scratch"] {
            fs::create_dir(world.path.join(name)).unwrap();
        }
        world.write("client", &format!("#!/bin/sh\n{script}\n"));
        let mode = fs::Permissions::from_mode(0o700);
        fs::set_permissions(world.path.join("client"), mode).unwrap();
        Self { world }
    }

    /// A client that carries out what the model asks for, and asks the hook in its home first.
    fn speaking() -> Self {
        Self::new(&format!("exec {PROBE} live-client"))
    }

    fn on<T>(
        &self,
        program: &Path,
        play: impl FnOnce(LiveClient, Stage<'_>) -> Result<T, LiveError>,
    ) -> Result<T, LiveError> {
        let World { path, cancel, env, .. } = &self.world;
        let stage = Stage {
            root: path,
            repository: &path.join("tree"),
            home: &path.join("home"),
            scratch: &path.join("scratch"),
            program,
            env: env.clone(),
            guardian: &Guardian { program: PROBE.into(), args: vec!["guardian".to_owned()] },
            streams: self.world.streams(),
            check: &|_| Ok(()),
            redact: &|bytes| bytes.into(),
            cancel,
        };
        play(LiveClient::of(Harness::Claude).unwrap(), stage)
    }

    #[track_caller]
    fn drive(&self) -> Driven {
        self.on(&self.world.path.join("client"), drive).unwrap()
    }
}

/// HOOK-1.5: what a client does is told from its files and from what it tells the model.
#[test]
fn a_client_that_asks_its_hook_leaves_no_canary() {
    let fake = Fake::speaking();
    let free = fake.drive();
    assert_eq!((free.witness, free.canary, free.results.len()), (true, true, 2), "{free:?}");
    assert!(free.outcome.is_success());
    assert!(fake.world.has(&format!("tree/{WITNESS}")));

    let fake = Fake::speaking();
    fake.world.write("home/hook", "case $1 in *reset*) echo 'no, says the hook'; exit 2;; esac");
    let guarded = fake.drive();
    assert_eq!((guarded.witness, guarded.canary), (true, false), "{guarded:?}");
    assert_eq!(guarded.results, ["done", "no, says the hook\n"]);
}

/// HOOK-1.5
#[test]
fn a_client_that_never_asks_is_seen_through() {
    let deaf = Fake::new(&format!("touch {WITNESS} {CANARY}"));
    let driven = deaf.drive();
    assert_eq!((driven.witness, driven.canary, driven.n_requests), (true, true, 0), "{driven:?}");

    let dead = Fake::new("exit 3");
    let driven = dead.drive();
    assert_eq!((driven.witness, driven.canary, driven.results.len()), (false, false, 0));
    assert_eq!((driven.outcome.ended, driven.outcome.rc), (Ended::Exited, 3));
}

#[test]
fn a_client_sees_its_own_home_and_no_key_of_the_person() {
    let fake = Fake::new("env > $HOME/seen; echo 1.2.3; touch ${HOME%/home}-beside");
    let outcome = fake.on(&fake.world.path.join("client"), version).unwrap();
    assert!(outcome.sandbox.is_some());
    assert!(!Path::new(&format!("{}-beside", fake.world.path.display())).exists());
    assert_eq!(fake.world.text("logs/stdout.log"), "1.2.3\n");
    let seen = fake.world.text("home/seen");
    assert!(seen.contains(&format!("HOME={}\n", fake.world.at("home"))), "{seen}");
    assert!(seen.contains(&format!("TMPDIR={}\n", fake.world.at("scratch"))), "{seen}");
    assert!(!seen.contains("ANTHROPIC_"), "{seen}");
}

#[test]
fn a_client_that_is_not_there_is_an_error_and_no_result() {
    let fake = Fake::speaking();
    let absent = fake.world.path.join("no-such-client");
    let error = fake.on(&absent, drive).unwrap_err();
    assert!(matches!(error, LiveError::Missing { .. }), "{error}");
    let error = fake.on(&absent, version).unwrap_err();
    assert!(matches!(error, LiveError::Missing { .. }), "{error}");
}
