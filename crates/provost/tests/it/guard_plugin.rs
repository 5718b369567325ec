//! The plugin for opencode, loaded by the engine that such plugins are written for.

use std::{fs, os::unix::fs::PermissionsExt as _};

use crate::world::World;

/// Loads a plugin as opencode does, asks it about one call, and says what came of it.
const HOST: &str = r#"
const { ProvostGuard } = await import(process.argv[2]);
const hooks = await ProvostGuard({ directory: process.argv[3] });
const output = { args: { command: process.argv[4] } };
try {
  await hooks["tool.execute.before"]({ tool: "bash", sessionID: "ses_1", callID: "call_1" }, output);
  console.log("ran");
} catch (error) {
  console.log(`threw ${error instanceof Error}: ${error.message}`);
}
"#;

/// Installs the plugin; in place of provost it may start another program.
fn plugin(world: &World, program: Option<&str>) {
    let ran = world.provost().args(["guard", "install", "--client", "opencode"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let path = world.path("home/.config/opencode/plugins/provost.js");
    let mut text = fs::read_to_string(path).unwrap();
    if let Some(program) = program {
        let ours = fs::canonicalize(env!("CARGO_BIN_EXE_provost")).unwrap();
        text = text.replace(ours.to_str().unwrap(), program);
    }
    // Outside of a package, only this name says that it is a module.
    world.write("host/plugin.mjs", text);
    world.write("host/host.mjs", HOST);
}

fn ask(world: &World, command: &str) -> String {
    let [host, plugin, repo] =
        ["host/host.mjs", "host/plugin.mjs", "repo"].map(|it| world.path(it));
    let output =
        world.program("node").arg(host).arg(plugin).arg(repo).arg(command).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// HOOK-1.5: with the real program, what is refused throws, and what is not goes on.
#[test]
fn a_refusal_throws_and_a_permission_does_not() {
    let world = World::new();
    plugin(&world, None);
    assert_eq!(ask(&world, "echo hello"), "ran");
    let refused = ask(&world, "sudo rm -rf /");
    assert!(refused.starts_with("threw true: "), "{refused}");
    assert!(refused.contains("command.sudo"), "{refused}");
}

/// HOOK-1.5: whatever is not a clear yes throws.
#[test]
fn every_error_throws() {
    let world = World::new();
    for (script, expected) in [
        ("cat >/dev/null; echo '{\"continue\": true}'", "ran"),
        ("cat >/dev/null; echo '{\"continue\": false, \"message\": \"why\"}'", "threw true: why"),
        ("cat >/dev/null; echo '{\"continue\": \"true\"}'", "threw true: provost refuses this"),
        ("cat >/dev/null; echo '{\"continue\": true}'; exit 1", "threw true: provost refuses this"),
        (
            "cat >/dev/null; echo '{\"continue\": true}'; kill -9 $$",
            "threw true: provost refuses this",
        ),
        ("cat >/dev/null; echo null", "threw true: provost refuses this"),
        ("cat >/dev/null; echo yes", "threw true: provost gave no answer"),
        ("exit 0", "threw true: provost gave no answer"),
        ("cat >/dev/null; echo because >&2; exit 2", "threw true: because"),
    ] {
        world.write("stub/provost", format!("#!/bin/sh\n{script}\n"));
        let stub = world.path("stub/provost");
        fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
        plugin(&world, stub.to_str());
        let said = ask(&world, "echo hello");
        assert!(said.starts_with(expected), "{script}: {said}");
    }
    plugin(&world, Some("/no/such/provost"));
    let said = ask(&world, "echo hello");
    assert!(said.starts_with("threw true: provost cannot be asked"), "{said}");
}

/// The plugin tells the guard which call it is about.
#[test]
fn the_guard_is_told_everything_about_the_call() {
    let world = World::new();
    let told = world.path("told.json");
    let script = format!("#!/bin/sh\ncat >'{}'\necho '{{\"continue\": true}}'\n", told.display());
    world.write("stub/provost", script);
    let stub = world.path("stub/provost");
    fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
    plugin(&world, stub.to_str());
    assert_eq!(ask(&world, "echo hello"), "ran");
    let told: serde_json::Value = serde_json::from_str(&fs::read_to_string(told).unwrap()).unwrap();
    assert_eq!(
        told,
        serde_json::json!({
            "session_id": "ses_1", "cwd": world.path("repo"), "tool_name": "bash",
            "tool_input": {"command": "echo hello"}, "tool_use_id": "call_1",
        }),
    );
}
