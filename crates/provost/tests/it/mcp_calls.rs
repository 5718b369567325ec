//! Long calls and long answers, with the official SDK: what a client hears meanwhile, how it gives a
//! call up, what it is told of a failure, and how it reads on.

use std::fmt::Write as _;

use provost_desk::story::Stories;
use provost_testkit::story;
use provost_vault::{Layout, SystemClock};
use serde_json::{Value, json};

use crate::{
    mcp_world::{Listening, Piped, project, sdk},
    story_world::{Project, honest},
};

const PROVOST: &str = env!("CARGO_BIN_EXE_provost");

fn declare() -> Value {
    let arguments = json!({"storyId": "US-001", "expectedFiles": ["greet.sh"]});
    json!({"call": "ralph_declare", "arguments": arguments})
}

fn start() -> Value {
    json!({"call": "ralph_start", "arguments": {"prdPath": "plan.md"}})
}

/// At least one for each command, each further on than the one before.
#[track_caller]
fn check_progress(project: &Project, mode: &str, target: &[&str]) {
    let steps = json!([
        start(),
        declare(),
        {"write": "greet.sh", "text": "echo hello\n"},
        {"watch": "ralph_update", "arguments": honest()},
    ]);
    let answers = sdk(project, mode, target, &steps);
    let [.., watched] = answers.as_slice() else { panic!("no answer") };
    assert_eq!(watched["result"]["structuredContent"]["passes"], true, "{watched:#}");
    let told = watched["told"].as_array().unwrap();
    for command in ["sh greet.sh | grep -qx hello", "make check"] {
        let text = format!("running `{command}`");
        assert!(told.iter().any(|it| it["message"] == text), "{command} {told:?}");
    }
    let numbers: Vec<f64> = told.iter().map(|it| it["progress"].as_f64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|one, other| one < other), "{numbers:?}");
}

#[test]
fn a_client_hears_of_every_command_over_stdio() {
    check_progress(&project(), "auto", &["stdio", PROVOST, "mcp"]);
}

#[test]
fn a_client_hears_of_every_command_over_http() {
    for mode in ["auto", "legacy"] {
        let project = project();
        let server = Listening::start(&project, &[]);
        check_progress(&project, mode, &server.target());
        assert_eq!(server.terminate(), Some(0));
    }
}

/// Gives a call up while one of its programs runs, and insists that it ends.
#[track_caller]
fn check_given_up(mode: &str, marker: &str) {
    let project = project();
    let server = Listening::start(&project, &[]);
    // On the base it does not wait.
    let program = format!("echo hello\nsleep {marker}\n");
    let steps = json!([
        start(),
        declare(),
        {"write": "greet.sh", "text": program},
        {"give_up": "ralph_update", "arguments": honest(), "marker": marker},
        {"call": "ralph_status"},
    ]);
    let answers = sdk(&project, mode, &server.target(), &steps);
    assert_eq!(answers[3]["is_running"], false, "{answers:?}");
    assert_ne!(answers[4]["isError"], true, "{answers:?}");
    // The call ended with its program: the next one that records something is not kept waiting.
    let answers = sdk(&project, mode, &server.target(), &json!([declare()]));
    assert_ne!(answers[0]["isError"], true, "{answers:?}");
    assert_eq!(server.terminate(), Some(0));
}

/// A client of the newer lifecycle closes the request.
#[test]
fn a_closed_request_ends_its_programs() {
    check_given_up("auto", "86417.25");
}

/// One of the older lifecycle sends a notification with a request of its own.
#[test]
fn a_cancelled_call_over_http_ends_its_programs() {
    check_given_up("legacy", "86418.25");
}

/// The end of what it printed is in the answer, and all of it at the address beside it.
#[test]
fn a_failed_command_comes_with_the_end_of_its_output() {
    let project = project();
    let target = ["stdio", PROVOST, "mcp"];
    let noise = "seq 1 500; echo the greeting is missing >&2; exit 3";
    let steps = json!([
        start(),
        declare(),
        {"write": "greet.sh", "text": noise},
        {"call": "ralph_update", "arguments": honest()},
    ]);
    let answers = sdk(&project, "auto", &target, &steps);
    let content = &answers[3]["structuredContent"];
    assert_eq!(answers[3]["isError"], true, "{content:#}");
    let failed = content["failedCommands"].as_array().unwrap();
    let check = failed.iter().find(|it| it["command"] == "make check").unwrap();
    assert_ne!(check["exitCode"], 0);
    let printed = check["printed"].as_array().unwrap();
    let missing = "the greeting is missing";
    let stream = printed.iter().find(|it| it["tail"].as_str().unwrap().contains(missing)).unwrap();
    let resource = stream["resource"].as_str().unwrap();
    let read = sdk(&project, "auto", &target, &json!([{"read": resource}]));
    assert!(read[0]["contents"][0]["text"].as_str().unwrap().contains(missing), "{read:?}");
    let text = answers[3]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(missing) && text.len() < 100_000, "{}", text.len());
}

/// STORY-2.4: a plan of many stories is read in parts, each story once, and no answer is longer than a client
/// takes.
#[test]
fn a_large_plan_is_read_in_parts() {
    let project = project();
    let mut plan = "# Many\n".to_owned();
    for number in 1..=70 {
        let _ = write!(
            plan,
            "\n### US-{number:03}: Part {number}\n\n**Acceptance Criteria**\n- {}\n",
            "it holds ".repeat(20)
        );
    }
    project.write("plan.md", &plan);
    let get = |cursor: &str| json!({"call": "ralph_get", "arguments": {"cursor": cursor}});
    let status = json!({"call": "ralph_status", "arguments": {"cursor": "x"}});
    let steps = json!([start(), {"call": "ralph_get"}, get("30"), get("60"), get("soon"), status]);
    let answers = sdk(&project, "auto", &["stdio", PROVOST, "mcp"], &steps);
    let mut ids = Vec::new();
    for (answer, next) in
        [(&answers[1], Some("30")), (&answers[2], Some("60")), (&answers[3], None)]
    {
        let content = &answer["structuredContent"];
        assert_eq!(content["nextCursor"].as_str(), next, "{content:#}");
        assert!(answer["content"][0]["text"].as_str().unwrap().len() < 100_000);
        let stories = content["stories"].as_array().unwrap();
        ids.extend(stories.iter().map(|it| it["storyId"].as_str().unwrap().to_owned()));
    }
    let expected: Vec<String> = (1..=70).map(|it| format!("US-{it:03}")).collect();
    assert_eq!(ids, expected);
    for answer in &answers[4..] {
        assert_eq!(answer["structuredContent"]["codes"], json!(["ARGUMENT_CURSOR"]), "{answer:#}");
    }
}

/// Of many plans a status shows one page, and its counts are those of all; each plan is on exactly one.
#[test]
fn a_status_of_many_plans_is_read_in_parts() {
    let project = project();
    let path = |it: &str| camino::Utf8PathBuf::from_path_buf(project.world.path(it)).unwrap();
    let layout = Layout::new(&path("repo/.provost"), None, &path("home/.local/state"));
    let mut stories = Stories::open(&layout, &SystemClock).unwrap();
    for number in 0..70 {
        stories.record(story::started(&format!("e{number}"))).unwrap();
    }
    drop(stories);
    let mut server = Piped::start(&project, &[]);
    let mut found = Vec::new();
    for (cursor, next) in [("0", Some("30")), ("30", Some("60")), ("60", None), ("99", None)] {
        let params = json!({"name": "ralph_status", "arguments": {"cursor": cursor}});
        let answer = server.ask(1, "tools/call", &params);
        let content = &answer["result"]["structuredContent"];
        assert_eq!(content["nextCursor"].as_str(), next, "{content:#}");
        assert_eq!(content["summary"]["total"], 70, "{content:#}");
        let rows = content["executions"].as_array().unwrap();
        found.extend(rows.iter().map(|it| it["executionId"].as_str().unwrap().to_owned()));
        assert!(rows.iter().all(|it| it["acProgress"] == "0/20 AC"), "{content:#}");
    }
    let expected: Vec<String> = (0..70).rev().map(|it| format!("e{it}")).collect();
    assert_eq!(found, expected);
    assert_eq!(server.close().0, Some(0));
}

/// The newest update comes first, and one that is too long by itself is shortened.
#[test]
fn a_story_with_long_updates_is_read_in_parts() {
    let project = project();
    let note = |text: &str| {
        let arguments = json!({"storyId": "US-001", "passes": false, "notes": text});
        json!({"call": "ralph_update", "arguments": arguments})
    };
    let get = json!({"call": "ralph_get", "arguments": {"storyId": "US-001"}});
    let (long, last) = ("long ".repeat(3900), "the last one");
    let steps = json!([start(), note(&long), note(&long), note(&long), note(last), get]);
    let answers = sdk(&project, "auto", &["stdio", PROVOST, "mcp"], &steps);
    let [.., answer] = answers.as_slice() else { panic!("no answer") };
    let content = &answer["structuredContent"];
    assert!(answer["content"][0]["text"].as_str().unwrap().len() < 100_000);
    let updates = content["stories"][0]["attempts"].as_array().unwrap();
    assert_eq!(updates[0]["claimed"]["notes"], last, "{content:#}");
    assert_eq!(content["nextCursor"], updates.len().to_string(), "{content:#}");
}
