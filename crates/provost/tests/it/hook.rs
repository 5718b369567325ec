//! `provost hook` as a client starts it: what it prints, what it exits with, what it records.

mod attempt;
mod failures;
mod policy;
mod state;
mod table;

use serde_json::{Value, json};

use crate::world::{Provost, Ran, World};

/// What a client sends before a shell command runs.
pub(super) fn call(world: &World, command: &str) -> Value {
    json!({
        "session_id": "5f3c1d52-0001-4000-8000-000000000001",
        "cwd": world.path("repo"),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": "toolu_01",
    })
}

/// A world with a prepared home.
pub(super) fn guarded() -> World {
    let world = World::new();
    assert_eq!(world.provost().args(["doctor", "--fix", "--quiet"]).run().exit(), Some(0));
    world
}

pub(super) fn hook<'a>(world: &'a World, client: &str, kind: &str) -> Provost<'a> {
    world.provost().args(["hook", "--client", client, "--type", kind])
}

/// Asks as Claude Code before a command.
pub(super) fn ask(world: &World, command: &str) -> Ran {
    hook(world, "claude", "pre-tool-use").input(call(world, command).to_string()).run()
}

#[track_caller]
pub(super) fn allowed(ran: &Ran) {
    assert_eq!((ran.exit(), ran.stdout().as_str()), (Some(0), ""), "{}", ran.text());
}

/// The reason, if Claude Code was refused in the form that it obeys.
#[track_caller]
pub(super) fn refused(ran: &Ran) -> String {
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    let output = &ran.json()["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny", "{}", ran.text());
    let reason = output["permissionDecisionReason"].as_str().unwrap().to_owned();
    assert_eq!(ran.stderr(), format!("{reason}\n"));
    reason
}
