//! The tools of stories as the official SDK finds them, over both transports and in both
//! lifecycles of the protocol.

use provost_rules_story::{tool::Tool, update};
use serde_json::{Value, json};

use crate::{
    mcp_world::{Listening, project, sdk},
    story_world::{Project, honest, labels},
};

const PROVOST: &str = env!("CARGO_BIN_EXE_provost");

/// The steps of an agent that first gets things wrong and then does its work.
fn steps() -> Value {
    let with = |key: &str, value: Value| {
        let mut update = honest();
        update[key] = value;
        update
    };
    let call = |name: &str, arguments: Value| json!({"call": name, "arguments": arguments});
    json!([
        {"list": "tools"},
        call("ralph_start", json!({"prdPath": "../plan.md"})),
        call("ralph_start", json!({"prdPath": "plan.md", "autoMerge": true})),
        call("ralph_declare", json!({"storyId": "US-001", "expectedFile": ["greet.sh"]})),
        call("ralph_declare", json!({"storyId": "US-001", "expectedFiles": ["greet.sh"]})),
        call("ralph_update", with("acStats", json!({}))),
        call("ralph_update", honest()),
        {"write": "greet.sh", "text": "echo hello\n"},
        call("ralph_update", honest()),
        call("ralph_status", json!({})),
        call("ralph_get", json!({"storyId": "US-001"})),
        call("ralph_verify", json!({"storyId": "US-001"})),
        {"list": "resources"},
        {"read": "provost://plan/ralph/plan"},
        {"read": "provost://story/ralph/plan/US-001"},
        {"read": "provost://evidence/../../claims.jsonl"},
        {"list": "templates"},
        {"list": "prompts"},
        {"prompt": "story", "arguments": {"storyId": "US-002"}},
        call("ralph_stop", json!({"branch": "ralph/plan"})),
        call("ralph_updat", json!({})),
        {"list": "server"},
    ])
}

#[track_caller]
fn refused(answer: &Value, code: &str) {
    let content = &answer["structuredContent"];
    assert_eq!(answer["isError"], true, "{answer:#}");
    assert!(content["codes"].as_array().unwrap().contains(&json!(code)), "{content:#}");
}

#[track_caller]
fn taken(answer: &Value) -> &Value {
    assert_ne!(answer["isError"], true, "{answer:#}");
    let content = &answer["structuredContent"];
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert_eq!(*content, serde_json::from_str::<Value>(text).unwrap(), "both say the same");
    content
}

/// Looks at what came of every step.
#[track_caller]
fn check(project: &Project, mode: &str, target: &[&str]) {
    let answers = sdk(project, mode, target, &steps());
    let mut answers = answers.iter();
    let mut next = || answers.next().unwrap();

    let tools = next().as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|it| it["name"].as_str().unwrap()).collect();
    let expected = "ralph_start ralph_status ralph_get ralph_declare ralph_update ralph_verify";
    assert_eq!(names.join(" "), expected);
    for it in tools {
        let tool: Tool = it["name"].as_str().unwrap().parse().unwrap();
        assert_eq!(it["inputSchema"], tool.schema(), "{tool:?}");
        let is_reading = matches!(tool, Tool::Status | Tool::Get);
        assert_eq!(it["annotations"]["readOnlyHint"], is_reading, "{tool:?}");
    }
    assert_eq!(tools[4]["inputSchema"], update::schema());

    refused(next(), "REFUSED");
    let started = taken(next());
    assert_eq!(started["branch"], "ralph/plan", "{started:#}");
    assert_eq!(started["ignoredKeys"], json!(["autoMerge"]));
    assert!(started["agentPrompt"].as_str().unwrap().contains("US-001"));
    assert_eq!(started["stories"][0]["acceptanceCriteria"][0]["text"], "it says hello");

    let mistyped = next();
    refused(mistyped, "ARGUMENT_UNKNOWN_KEY");
    let hints = &mistyped["structuredContent"]["next"];
    assert_eq!(hints[0], "did you mean `expectedFiles`?");
    assert_eq!(taken(next())["isLate"], false);
    let mistyped = next();
    refused(mistyped, "UPDATE_UNKNOWN_KEY");
    assert_eq!(mistyped["structuredContent"]["next"][0], "did you mean `acStatus`?");
    let untrue = next();
    assert_eq!(untrue["isError"], true, "{untrue:#}");
    let untrue = &untrue["structuredContent"];
    assert_eq!(labels(untrue), ["AC-1 CONTRADICTED false", "AC-2 CONTRADICTED false"]);
    next();
    let done = taken(next());
    assert_eq!(labels(done), ["AC-1 REPRODUCED true", "AC-2 REPRODUCED true"]);
    assert_eq!((&done["passes"], &done["progress"]), (&json!(true), &json!("1/2 US")));
    let output = done["outputs"][0].as_str().unwrap();
    assert!(output.starts_with("provost://evidence/"), "{output}");

    let status = taken(next());
    assert_eq!(status["overallState"], "active");
    assert_eq!(status["executions"][0]["stories"][0]["label"], "US-001 2/2 AC");
    assert_eq!(status["executions"][0]["acProgress"], "2/3 AC");
    let story = &taken(next())["stories"][0];
    assert_eq!(story["acStatus"]["AC-1"]["passes"], true, "{story:#}");
    assert_eq!(story["attempts"].as_array().unwrap().len(), 3, "what was refused is on record");
    assert_eq!(taken(next())["passes"], true);

    let resources = next().as_array().unwrap();
    let uris: Vec<&str> = resources.iter().map(|it| it["uri"].as_str().unwrap()).collect();
    assert!(uris.contains(&"provost://story/ralph/plan/US-002"), "{uris:?}");
    assert!(uris.iter().any(|it| it.starts_with("provost://evidence/")), "{uris:?}");
    assert!(next()["contents"][0]["text"].as_str().unwrap().contains("### US-001: Greet"));
    let page = next()["contents"][0]["text"].as_str().unwrap();
    assert!(page.contains("\"REPRODUCED\""), "{page}");
    assert_eq!(next()["raised"], "MCPError");
    assert_eq!(next().as_array().unwrap().len(), 3);
    assert_eq!(next()[0]["name"], "story");
    assert!(next()["messages"][0]["content"]["text"].as_str().unwrap().contains("US-002"));
    // An operator's tool is not offered, and so it is unknown.
    for _ in 0..2 {
        assert_eq!(next()["raised"], "MCPError");
    }
    let version = next()["version"].as_str().unwrap();
    assert_eq!(version >= "2026-07-28", mode == "auto", "{version}");
    let evidence = sdk(project, mode, target, &json!([{"read": output}]));
    assert!(evidence[0]["contents"][0]["text"].is_string(), "{evidence:?}");
}

/// STORY-1.1, STORY-2.3, STORY-2.4, STORY-5.2: without a handshake, over standard input and output.
#[test]
fn the_official_client_works_over_stdio() {
    check(&project(), "auto", &["stdio", PROVOST, "mcp"]);
}

/// The same with the handshake that older clients make, over HTTP.
#[test]
fn an_older_client_works_over_http() {
    let project = project();
    let server = Listening::start(&project, &[]);
    check(&project, "legacy", &server.target());
    assert_eq!(server.terminate(), Some(0));
}

/// Each lifecycle over the other transport: a client finds the same.
#[test]
fn both_lifecycles_work_over_both_transports() {
    let project = project();
    let server = Listening::start(&project, &[]);
    let steps = json!([{"list": "tools"}, {"call": "ralph_status"}]);
    let over_http = sdk(&project, "auto", &server.target(), &steps);
    let over_stdio = sdk(&project, "legacy", &["stdio", PROVOST, "mcp"], &steps);
    for answers in [&over_http, &over_stdio] {
        assert_eq!(answers[0].as_array().unwrap().len(), 6);
        assert_eq!(taken(&answers[1])["overallState"], "never_run");
    }
    assert_eq!(server.terminate(), Some(0));
}

/// STORY-2.3: the label in Chinese.
#[test]
fn a_status_speaks_chinese() {
    let project = project();
    let steps = json!([
        {"call": "ralph_start", "arguments": {"prdPath": "plan.md"}},
        {"call": "ralph_status"},
    ]);
    let target = ["stdio", PROVOST, "mcp", "--lang", "zh"];
    let answers = sdk(&project, "auto", &target, &steps);
    let status = taken(&answers[1]);
    assert_eq!(status["executions"][0]["stories"][0]["label"], "US-001 完成 0/2 AC");
}

/// Ruling 48: what an operator does is a step of the plan's state, and the log has it: an index
/// that is made again knows it too.
#[test]
fn an_operator_stops_a_plan_and_takes_it_up_again() {
    let project = project();
    let branch = json!({"branch": "ralph/plan"});
    let call = |name: &str| json!({"call": name, "arguments": branch});
    let attach = |id: &str| json!({"call": "ralph_set_agent_id", "arguments": {"branch": "ralph/plan", "agentTaskId": id}});
    let steps = json!([
        {"list": "tools"},
        {"call": "ralph_start", "arguments": {"prdPath": "plan.md"}},
        call("ralph_retry"),
        call("ralph_stop"),
        call("ralph_stop"),
        call("ralph_retry"),
        {"call": "ralph_status"},
        call("ralph_claim_ready"),
        call("ralph_claim_ready"),
        attach("a1"),
        call("ralph_reset_stagnation"),
        {"call": "ralph_doctor"},
        {"call": "ralph_stop", "arguments": {"branch": "ralph/none"}},
    ]);
    let target = ["stdio", PROVOST, "mcp", "--operator"];
    let answers = sdk(&project, "auto", &target, &steps);
    let mut answers = answers.iter();
    let mut next = || answers.next().unwrap();
    assert_eq!(next().as_array().unwrap().len(), 12);
    taken(next());
    refused(next(), "STATUS_CONFLICT");
    let stopped = taken(next());
    assert_eq!(stopped["previousStatus"], "starting");
    assert_eq!((&stopped["newStatus"], &stopped["changed"]), (&json!("stopped"), &json!(true)));
    assert_eq!(taken(next())["changed"], false, "it is stopped already");
    let again = taken(next());
    assert_eq!(again["newStatus"], "ready");
    assert!(again["agentPrompt"].as_str().unwrap().contains("US-001"));
    assert_eq!(taken(next())["readyQueue"][0]["branch"], "ralph/plan");
    assert_eq!(taken(next())["newStatus"], "starting");
    refused(next(), "STATUS_CONFLICT");
    assert_eq!(taken(next())["newStatus"], "running");
    assert_eq!(taken(next())["changed"], false);
    assert!(taken(next())["checks"].is_array());
    refused(next(), "PLAN_MISSING");

    let database = project.world.path("repo/.provost/provost.db");
    project.shell(&format!("rm -f '{0}' '{0}-wal' '{0}-shm'", database.display()));
    let page = sdk(&project, "auto", &target, &json!([{"call": "ralph_get"}]));
    let execution = &taken(&page[0])["execution"];
    assert_eq!(
        (&execution["status"], &execution["agentTaskId"]),
        (&json!("running"), &json!("a1"))
    );
}
