//! Presets, with programs that stand in for the real ones: what they were given, and what is made
//! of what they leave and print.

use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt as _};

use provost_adapter::{
    AdapterError, AgentRole, CallError, CallOutcome, CallResult, Failure, Keys, PartialRuns,
    ReplyProblem, Request, Supplies, assemble,
    preset::{Preset, PresetAdapter, activity::Activity},
    select::select,
};
use provost_kernel::{model::Usage, task::Usd};

use crate::world::{World, coder, host, judge, request};

/// A program that notes its arguments, one to a line with `<` and `>` around, and does this.
fn stand_in(world: &World, name: &str, script: &str) -> String {
    let noted = world.at("arguments");
    let body = format!("#!/bin/sh\nprintf '<%s>\\n' \"$@\" > {noted}\n{script}\n");
    let file = format!("bin/{name}");
    world.write(&file, &body);
    fs::set_permissions(world.path.join(&file), fs::Permissions::from_mode(0o755)).unwrap();
    world.at(&file)
}

#[track_caller]
fn run(world: &World, name: &str, script: &str, request: &Request) -> CallResult {
    let program = stand_in(world, "agent", script);
    let preset = Preset::named(name).unwrap();
    let adapter = PresetAdapter::new(name, preset).with_program(&program);
    world.call(&adapter, request).unwrap()
}

const CLAUDE: &str = r#"{"type":"result","is_error":false,"session_id":"s-1","total_cost_usd":0.5,"usage":{"input_tokens":10,"output_tokens":3},"api_error_status":null,"result":"PASS"}"#;

#[test]
fn an_answer_comes_from_the_file_and_the_cost_from_the_output() {
    let world = World::new();
    let answer = world.at("exchange/answer.txt");
    let script = format!("echo x > made; echo 'I did it' > {answer}; printf '%s\\n' '{CLAUDE}'");
    let called = run(&world, "claude-code", &script, &coder());
    let Ok(reply) = called.outcome else { panic!("{}", called.log) };
    assert_eq!(reply.text, "I did it\n");
    assert_eq!(called.usage.tokens(), Some(13));
    assert_eq!(called.session.unwrap().as_str(), "s-1");
    assert!(world.has("tree/made"));
    assert!(world.text("arguments").contains("<-p>\n<--output-format=stream-json>\n"));
    assert!(world.text("arguments").contains("<Write the answer.\n"));
}

/// A verdict is the judge's last message in the report, and nothing that lies in a file.
#[test]
fn a_verdict_comes_from_the_report_and_from_no_file() {
    let world = World::new();
    let answer = world.at("exchange/answer.txt");
    let script = format!("echo FAIL > {answer}; printf '%s\\n' '{CLAUDE}'");
    let called = run(&world, "claude-code", &script, &judge());
    let Ok(reply) = called.outcome else { panic!("{}", called.log) };
    assert_eq!((reply.text.as_str(), reply.usage.tokens()), ("PASS", Some(13)));

    let absent = Err(CallError::Failed(Failure::Reply(ReplyProblem::Absent)));
    let failed = CLAUDE.replace("\"is_error\":false", "\"is_error\":true");
    for script in [
        "echo PASS > ../exchange/answer.txt".to_owned(),
        "echo PASS".to_owned(),
        format!("printf '%s\\n' '{failed}'"),
    ] {
        let called = run(&World::new(), "claude-code", &script, &judge());
        assert_eq!(called.outcome, absent, "{script}");
    }
}

/// LOOP-B3: a log never claims a temperature that was not set.
#[test]
fn the_log_of_a_preset_judge_does_not_claim_temperature_zero() {
    let world = World::new();
    let script = format!("printf '%s\\n' '{CLAUDE}'");
    let called = run(&world, "claude-code", &script, &judge());
    assert!(called.outcome.is_ok(), "{}", called.log);
    let log = called.log.to_string();
    assert!(log.contains("\ntemperature=not set: the program has no such setting\n"), "{log}");
    assert!(!log.contains("temperature=0") && log.contains("\nsupport=PARTIAL\n"), "{log}");
}

#[test]
fn a_failure_is_told_by_exit_code_and_output_together() {
    let check = |script: &str, expected: CallOutcome| {
        let world = World::new();
        let called = run(&world, "claude-code", script, &coder());
        assert_eq!(called.outcome, expected, "{script}");
    };
    let refused = r#"printf '%s\n' '{"type":"result","is_error":true,"api_error_status":401}'"#;
    check(&format!("{refused}; exit 1"), Err(CallError::NotAuthorised));
    let spent = r#"printf '%s\n' '{"type":"result","is_error":true,"api_error_status":429}'"#;
    check(&format!("{spent}; exit 1"), Err(CallError::Quota { retry_after: None }));
    check("echo broken; exit 3", Err(CallError::Failed(Failure::Exit { rc: 3 })));
}

/// An agent that would go on for ever is ended before the step that is one too many.
#[test]
fn an_agent_is_ended_at_the_limit_of_its_budget() {
    let step = r#"{"type":"step_finish","sessionID":"s_1","part":{"reason":"tool-calls","tokens":{"input":10,"output":1},"cost":0.25}}"#;
    let script = format!("while :; do printf '%s\\n' '{step}'; sleep 0.2; done");
    let mut limited = coder();
    limited.budget = serde_json::from_str(r#"{"usd": 1}"#).unwrap();
    let world = World::new();
    let called = run(&world, "opencode", &script, &limited);
    assert_eq!(called.outcome, Err(CallError::Budget), "{}", called.log);
    let spent = called.usage.usd.unwrap().in_micros();
    assert!((1_000_000..5_000_000).contains(&spent), "{spent}");
    assert_eq!(called.session.unwrap().as_str(), "s_1");
    assert!(world.living().is_empty());

    // One that ends by itself is not ended.
    let last = step.replace("tool-calls", "stop");
    let called = run(&World::new(), "opencode", &format!("printf '%s\\n' '{last}'"), &limited);
    assert!(called.outcome.is_ok(), "{}", called.log);
    assert_eq!(called.usage.usd.unwrap().in_micros(), 250_000);
}

/// A call in an earlier session says which one, and costs what it adds to it; what ends before it
/// begins has not gone on.
#[test]
fn a_session_goes_on_and_is_paid_for_once() {
    let id = "01a1e968-3c25-70a0-8f76-1cb15669c516";
    let spent =
        Usage { input_tokens: Some(1000), output_tokens: Some(10), usd: Some(Usd::micros(4200)) };
    let world = |id: &str| {
        let mut world = World::new();
        world.resumed = Some((id.parse().unwrap(), spent));
        world
    };
    let claude = format!(
        r#"printf '%s\n' '{{"type":"system","subtype":"init","session_id":"{id}"}}' '{{"type":"result","session_id":"{id}","total_cost_usd":0.0084,"modelUsage":{{"m":{{"inputTokens":2000,"outputTokens":20,"costUSD":0.0084}}}}}}'"#
    );
    let codex = format!(
        r#"printf '%s\n' '{{"type":"thread.started","thread_id":"{id}"}}' '{{"type":"turn.completed","usage":{{"input_tokens":2000,"output_tokens":20}}}}'"#
    );
    for (name, script, words, usd) in [
        ("claude-code", &claude, format!("<--resume={id}>\n<-->\n<Write"), Some(4200)),
        ("codex", &codex, format!("<resume>\n<-->\n<{id}>\n<Write"), None),
    ] {
        let it = world(id);
        let called = run(&it, name, script, &coder());
        assert!(called.outcome.is_ok(), "{name}: {}", called.log);
        assert!(it.text("arguments").contains(&words), "{name}: {}", it.text("arguments"));
        assert_eq!(called.usage.tokens(), Some(1010), "{name}");
        assert_eq!(called.usage.usd.map(Usd::in_micros), usd, "{name}");
        assert_eq!(called.session_usage.tokens(), Some(2020), "{name}");

        // It ended before it began.
        let called = run(&world(id), name, "echo no such session >&2; exit 1", &coder());
        assert_eq!(called.outcome, Err(CallError::Failed(Failure::Session)), "{name}");
        let called = run(&world(id), name, &format!("{script}; exit 1"), &coder());
        assert_eq!(called.outcome, Err(CallError::Failed(Failure::Exit { rc: 1 })), "{name}");
        let called = run(&World::new(), name, "exit 1", &coder());
        assert_eq!(called.outcome, Err(CallError::Failed(Failure::Exit { rc: 1 })), "{name}");

        // An invalid id, or a judge: a new session.
        for (it, request) in [(world("last"), coder()), (world(id), judge())] {
            run(&it, name, script, &request);
            let arguments = it.text("arguments");
            assert!(!arguments.contains("resume") && !arguments.contains(id), "{arguments}");
        }
    }
    let it = world(id);
    run(&it, "opencode", "true", &coder());
    assert!(!it.text("arguments").contains(id), "{}", it.text("arguments"));
}

/// What an agent does is told while it works, below the tree and without what it repeats at its end.
#[test]
fn an_agent_is_seen_at_work() {
    let world = World::new();
    let tree = world.at("tree");
    let event = |block: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"m","content":[{block}],"usage":{{"input_tokens":1}}}}}}"#
        )
    };
    let edit = event(&format!(
        r#"{{"type":"tool_use","name":"Write","input":{{"file_path":"{tree}/a.txt","content":"a"}}}}"#
    ));
    let run_it = event(r#"{"type":"tool_use","name":"Bash","input":{"command":"make test"}}"#);
    let says = event(r#"{"type":"text","text":"All done."}"#);
    let script = format!("printf '%s\\n' '{edit}' '{run_it}' '{says}' '{CLAUDE}'");
    let called = run(&world, "claude-code", &script, &coder());
    assert!(called.outcome.is_ok(), "{}", called.log);
    let seen = world.seen.lock().unwrap().clone();
    let path = "a.txt".to_owned();
    assert_eq!(
        seen,
        [
            Activity::Edits { path, added: Some(1), removed: None },
            Activity::Runs { command: "make test".to_owned() },
            Activity::Says { text: "All done.".to_owned() },
        ]
    );
}

#[test]
fn a_long_prompt_arrives_whole() {
    let world = World::new();
    let long = "x".repeat(300_000) + " the end";
    let called = run(&world, "gemini", "true", &request(AgentRole::Coder, &long));
    assert!(called.outcome.is_ok(), "{}", called.log);
    let prompt = world.at("exchange/prompt.txt");
    assert!(world.text("arguments").contains(&format!("<--prompt=Read the whole file `{prompt}`")));
    assert!(world.text("exchange/prompt.txt").starts_with(&long));
}

/// LOOP-A15: from the name in a task to the program that runs, a partial adapter needs leave.
#[test]
fn a_selected_preset_runs_and_a_partial_one_needs_leave() {
    let mut world = World::new();
    stand_in(&world, "cursor-agent", "env > environment; echo x > made");
    world.env.insert("PATH".to_owned(), format!("{}:/usr/bin:/bin", world.at("bin")));
    let configured = BTreeMap::new();
    let pick = |partial| select("cursor-agent", AgentRole::Coder, &configured, partial);
    assert!(pick(PartialRuns::of_variable(None)).is_err());
    let selected = pick(PartialRuns::of_variable(Some("true"))).unwrap();

    let host = host();
    let variables = [("CURSOR_API_KEY", "hush"), ("OTHER_KEY", "other")];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let keys = Keys::of(["CURSOR_API_KEY", "OTHER_KEY"], &variables);
    let supplies = Supplies { script_host: &host, keys, remote: None, recording: "" };
    let adapter = assemble(&selected, supplies).unwrap();
    let called = world.call(adapter.as_ref(), &coder()).unwrap();
    assert!(called.outcome.is_ok(), "{}", called.log);
    assert!(world.has("tree/made"));
    let environment = world.text("tree/environment");
    assert!(environment.contains("CURSOR_API_KEY=hush") && !environment.contains("OTHER_KEY"));
}

#[test]
fn a_role_that_a_preset_cannot_play_is_refused_before_it_starts() {
    let world = World::new();
    let program = stand_in(&world, "agent", "touch started");
    let preset = Preset::named("aider").unwrap();
    let adapter = PresetAdapter::new("aider", preset).with_program(&program);
    let error = world.call(&adapter, &judge()).unwrap_err();
    assert!(matches!(error, AdapterError::Role { .. }), "{error:?}");
    assert!(!world.has("tree/started"));
}
