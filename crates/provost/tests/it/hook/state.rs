//! What hooks keep: the agents of an agent, the last error of a tool, replays, modes.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::{allowed, guarded, hook};
use crate::world::World;

/// Sends a payload of this type, with the fields that every one has.
fn tell(world: &World, kind: &str, fields: Value) {
    let mut payload = json!({"session_id": "s1", "cwd": world.path("repo")});
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    allowed(&hook(world, "claude", kind).input(payload.to_string()).run());
}

fn read(world: &World, file: &str) -> Value {
    let path = world.path("repo/.provost/guard").join(file);
    let text = std::fs::read_to_string(&path);
    serde_json::from_str(&text.unwrap_or_else(|error| panic!("{file}: {error}"))).unwrap()
}

fn replay(world: &World, session: &str) -> Vec<Value> {
    let path = format!("repo/.provost/guard/replay/agent-replay-{session}.jsonl");
    let path = world.path(path);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

/// HOOK-2.2: starts, stops and calls of tools become the tracked state.
#[test]
fn the_agents_of_an_agent_are_tracked() {
    let world = guarded();
    let agent = |id: &str| json!({"agent_id": id, "agent_type": "Explore"});
    tell(&world, "subagent-start", agent("a1"));
    tell(&world, "subagent-start", agent("a2"));
    let mut used = agent("a1");
    used["tool_name"] = json!("Write");
    used["tool_input"] = json!({"file_path": world.path("repo/src/x.rs"), "content": "x"});
    tell(&world, "post-tool-use", used);
    let mut stopped = agent("a1");
    stopped["last_assistant_message"] = json!("done");
    tell(&world, "subagent-stop", stopped);

    let state = read(&world, "subagent-tracking.json");
    assert_eq!(
        [&state["total_spawned"], &state["total_completed"], &state["total_failed"]],
        [2, 1, 0],
    );
    assert_eq!(state["agents"][0]["status"], "completed");
    assert_eq!(state["agents"][0]["tool_calls"], 1);
    assert_eq!(state["agents"][0]["output_summary"], "done");
    assert_eq!(state["agents"][1]["status"], "running");
    let lock = std::fs::read(world.path("repo/.provost/guard/subagent-tracker.lock")).unwrap();
    assert_eq!(lock, b"", "the lock is free");

    tell(&world, "session-end", json!({"reason": "other"}));
    let state = read(&world, "subagent-tracking.json");
    assert_eq!((&state["agents"], &state["total_spawned"]), (&json!([]), &json!(2)));
}

/// HOOK-2.2: what the original tracked is taken over, by the larger count and the newer record.
#[test]
fn the_state_of_the_original_is_merged_in() {
    let world = guarded();
    tell(&world, "subagent-start", json!({"agent_id": "a1", "agent_type": "x"}));
    let old = json!({
        "agents": [{
            "agent_id": "a0", "agent_type": "y", "started_at": "2026-01-01T00:00:00.000Z",
            "parent_mode": "none", "status": "completed",
            "completed_at": "2026-01-01T00:01:00.000Z",
        }],
        "total_spawned": 7, "total_completed": 6, "total_failed": 0,
        "last_updated": "2026-01-01T00:01:00.000Z",
    });
    world.write("repo/.omc/state/subagent-tracking.json", old.to_string());
    for _ in 0..2 {
        tell(&world, "setup-init", json!({"trigger": "init"}));
        let state = read(&world, "subagent-tracking.json");
        let ids: Vec<_> =
            state["agents"].as_array().unwrap().iter().map(|it| it["agent_id"].clone()).collect();
        assert_eq!(ids, ["a1", "a0"]);
        assert_eq!((&state["total_spawned"], &state["total_completed"]), (&json!(7), &json!(6)));
    }
    world.write("repo/.omc/state/subagent-tracking.json", "[");
    tell(&world, "setup-init", json!({"trigger": "init"}));
    assert_eq!(read(&world, "subagent-tracking.json")["total_spawned"], 7);
}

/// HOOK-2.5, and the record of a tool that failed.
#[test]
fn a_failed_tool_and_a_corrupt_state_are_recorded() {
    let world = guarded();
    let failed = json!({
        "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_input": {"command": "false"}, "error": "Exit code 1",
    });
    tell(&world, "post-tool-use", failed.clone());
    tell(&world, "post-tool-use", failed);
    let error = read(&world, "last-tool-error.json");
    assert_eq!((&error["tool_name"], &error["retry_count"]), (&json!("Bash"), &json!(2)));

    world.write("repo/.provost/guard/subagent-tracking.json", "{\"agents\": [");
    tell(&world, "subagent-start", json!({"agent_id": "a1", "agent_type": "x"}));
    assert_eq!(read(&world, "subagent-tracking.json")["total_spawned"], 1);
    assert_eq!(read(&world, "last-tool-error.json")["tool_name"], "state-read");
}

/// HOOK-2.6: private, without secrets, and gone after seven days.
#[test]
fn a_replay_is_private_and_does_not_outlive_its_time() {
    let world = guarded();
    let secret = ["ghp", "_", "Zx81Kq0LmN2pR5tV7wY9aB3cD4eF6gH8jK0l"].concat();
    tell(&world, "pre-tool-use", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}));
    let agent = json!({"agent_id": "a1", "agent_type": "x", "prompt": format!("use {secret}")});
    tell(&world, "subagent-start", agent);
    let events = replay(&world, "s1");
    assert_eq!(events[0]["event"], "tool_start");
    assert_eq!(events[1]["event"], "agent_start");
    assert!(!json!(events).to_string().contains(&secret));

    let old = "repo/.provost/guard/replay/agent-replay-old.jsonl";
    let young = "repo/.provost/guard/replay/agent-replay-young.jsonl";
    world.write(old, "{}\n");
    world.write(young, "{}\n");
    let touch = world.program("touch").args(["-d", "8 days ago"]).arg(world.path(old)).status();
    assert!(touch.unwrap().success());
    tell(&world, "session-start", json!({"source": "startup"}));
    assert!(!world.path(old).exists(), "swept by the session that started");
    assert!(world.path(young).exists());
}

/// A session id that is no file name leads nowhere else.
#[test]
fn a_session_id_cannot_leave_the_folder() {
    let world = guarded();
    let escape = json!({
        "session_id": "../../../../evil", "tool_name": "Bash", "tool_input": {"command": "ls"},
    });
    tell(&world, "pre-tool-use", escape);
    let folder = std::fs::read_dir(world.path("repo/.provost/guard/replay")).unwrap();
    let names: Vec<_> = folder.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names.len(), 1);
    assert!(names[0].starts_with("agent-replay-") && !names[0].contains('/'), "{names:?}");
    assert!(!world.path("evil").exists() && !world.path("repo/evil").exists());
}
