//! `provost guard test --live` with programs that only look like a client.
//!
//! The real clients are driven by `cargo xtask real-agents`.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
};

use crate::world::{Ran, World};

/// A world with the guard installed in Claude Code, and on whose `PATH` is nothing but what the
/// test needs and, perhaps, a program named `claude`.
fn world(claude: Option<&str>) -> World {
    let world = World::new();
    world.folder("bin");
    for program in ["cat", "env", "git", "sh", "touch"] {
        symlink(on_path(program), world.path("bin").join(program)).unwrap();
    }
    if let Some(script) = claude {
        world.write("bin/claude", format!("#!/bin/sh\n{script}\n"));
        let path = world.path("bin/claude");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let installed = guard(&world, &["install", "--client", "claude"]);
    assert_eq!(installed.exit(), Some(0), "{}", installed.text());
    world
}

#[expect(clippy::disallowed_methods, reason = "a test looks for programs where the person does")]
fn on_path(program: &str) -> std::path::PathBuf {
    let folders = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&folders).map(|it| it.join(program)).find(|it| it.exists()).unwrap()
}

fn guard(world: &World, words: &[&str]) -> Ran {
    let words = ["--json", "guard"].iter().chain(words);
    world.provost().variable("PATH", world.path("bin")).args(words).run()
}

fn live(world: &World) -> Ran {
    guard(world, &["test", "--live", "--client", "claude"])
}

#[track_caller]
fn check(script: &str, expected: &str) {
    let world = world(Some(script));
    let ran = live(&world);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    let (answer, test) = (ran.json(), ran.json()["tests"][0].clone());
    assert_eq!(answer["passed"], false);
    assert_eq!(test["live"]["passed"], false);
    assert_eq!(test["live"]["verdict"]["en"], expected);
    // What could not be proven is not written down as proven either.
    let recorded =
        fs::read(world.path("home/.local/state/provost/guard-home/guard/test.json")).unwrap();
    let recorded: serde_json::Value = serde_json::from_slice(&recorded).unwrap();
    assert_eq!(recorded["tests"]["claude"]["passed"], false);
    // It was the client, and nothing else.
    let checks = test["checks"].as_array().unwrap();
    assert!(!checks.is_empty() && checks.iter().all(|it| it["passed"] == true), "{checks:?}");
}

/// HOOK-1.5: a client that passes over its hooks is found out.
#[test]
fn a_client_that_ignores_its_hook_fails_the_proof() {
    let deaf = "touch provost-witness provost-canary";
    check(deaf, "the command ran although the guard refuses it");
}

/// HOOK-1.5: an absent file alone proves nothing.
#[test]
fn a_client_that_does_not_do_its_part_proves_nothing() {
    check("exit 0", "nothing is proven: the client did not run even an ordinary command");
    check(
        "touch provost-witness",
        "nothing is proven: without the guard the client did not run the command either",
    );
    // It leaves the file away where it sees a guard, and never talks to the model.
    check(
        "touch provost-witness; test -e $HOME/.claude/settings.json || touch provost-canary",
        "nothing is proven: with the guard the client ended too early",
    );
}

/// HOOK-1.5: a client that is not there has proven nothing.
#[test]
fn a_client_that_is_not_there_is_never_passed() {
    let world = world(None);
    let ran = live(&world);
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert_eq!(ran.json()["error"]["exit"], 2);
    assert!(ran.json().get("passed").is_none());
    let expected = "\
error: Claude Code is not installed: no `claude` on `PATH`
hint: run `npm install --global @anthropic-ai/claude-code`
";
    assert_eq!(ran.stderr(), expected);
    assert!(
        !Path::new(&world.path("home/.local/state/provost/guard-home/guard/test.json")).exists()
    );
}

#[test]
fn a_client_that_cannot_be_driven_says_so() {
    let world = world(None);
    let installed = guard(&world, &["install", "--client", "cursor"]);
    assert_eq!(installed.exit(), Some(0), "{}", installed.text());
    let ran = guard(&world, &["test", "--live", "--client", "cursor"]);
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("Cursor cannot be driven without a person"), "{}", ran.text());
}

/// The client gets a home of its own: nothing of the person's is read or written.
#[test]
fn the_person_s_own_home_is_left_alone() {
    let world = world(Some("echo \"$HOME\" > ../seen; touch $HOME/left"));
    let before = world.listing();
    let ran = live(&world);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    let home = |it: &&String| it.contains("/home") && !it.contains("/.local");
    let after = world.listing();
    assert_eq!(
        after.iter().filter(home).collect::<Vec<_>>(),
        before.iter().filter(home).collect::<Vec<_>>()
    );
}
