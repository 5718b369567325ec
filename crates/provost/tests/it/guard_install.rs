//! `provost guard install`, `uninstall` and `test`, with a person's own files around them.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
};

use serde_json::{Value, json};

use crate::{
    loop_world::Loop,
    world::{Ran, World},
};

/// Where a test of an installation for all projects is recorded.
const OF_USER: &str = "home/.local/state/provost/guard-home/guard/test.json";

const CLIENTS: [&str; 5] = ["claude", "codex", "gemini", "cursor", "opencode"];

/// The files of each client that an installation touches, in the person's home.
fn files(client: &str) -> &'static [&'static str] {
    match client {
        "claude" => &["home/.claude/settings.json"],
        "codex" => &["home/.codex/hooks.json", "home/.codex/config.toml"],
        "gemini" => &["home/.gemini/settings.json"],
        "cursor" => &["home/.cursor/hooks.json"],
        "opencode" => &["home/.config/opencode/plugins/provost.js"],
        other => panic!("{other}"),
    }
}

/// What a person may have in such a file, written their own way.
fn persons(file: &str) -> Option<&'static str> {
    match file.rsplit('/').next().unwrap() {
        "config.toml" => Some(
            "# mine\nmodel = \"x\"   # a remark\n\n[projects.\"/p\"]\ntrust_level=\"trusted\"\n",
        ),
        "provost.js" => None,
        _ if file.contains("cursor") => {
            Some("{\"version\": 1,\n  \"hooks\": {\"stop\": [ {\"command\": \"./mine.sh\"} ]}}")
        }
        _ => Some(
            "{ \"zebra\": 1.50,\n      \"apple\": [1,2 ],\n\t\"hooks\": {\"SessionEnd\": [{\"hooks\": [{\"type\":\"command\",\"command\":\"./mine.sh\"}]}]} }",
        ),
    }
}

fn guard(world: &World, arguments: &str) -> Ran {
    world.provost().args(arguments.split(' ').collect::<Vec<_>>()).run()
}

#[track_caller]
fn succeeds(world: &World, arguments: &str) -> Ran {
    let ran = guard(world, arguments);
    assert_eq!(ran.exit(), Some(0), "{arguments}\n{}", ran.text());
    ran
}

fn read(world: &World, path: &str) -> Option<String> {
    fs::read_to_string(world.path(path)).ok()
}

/// Everything in the person's home, without the times and without what provost itself keeps there.
fn home(world: &World) -> Vec<String> {
    let all = world.listing();
    let prefix = world.path("home").display().to_string();
    let inside = all.into_iter().filter(|it| it.starts_with(&prefix));
    inside
        .map(|it| it.split(" (").next().unwrap().to_owned())
        .filter(|it| !it.contains(" 40") && !it.contains("/.local/state/provost/guard-home/"))
        .collect()
}

/// HOOK-1.5: what is installed is shown first, is there afterwards, and is undone byte for byte.
#[test]
fn an_installation_comes_and_goes_without_a_trace() {
    for client in CLIENTS {
        let world = World::new();
        for file in files(client) {
            if let Some(text) = persons(file) {
                world.write(file, text);
            }
        }
        let (before, listing) = (home(&world), world.listing());
        let shown = succeeds(&world, &format!("guard install --client {client} --dry-run"));
        assert_eq!(world.listing(), listing, "{client}: looking writes nothing");
        assert!(shown.stdout().contains(" hook --client "), "{}", shown.text());

        let ran = succeeds(&world, &format!("guard install --client {client}"));
        assert_eq!(ran.stdout(), shown.stdout(), "{client}: what was shown is what was done");
        for file in files(client) {
            let text = read(&world, file).unwrap();
            assert!(text.contains("provost") || text.contains("hooks.json:"), "{client} {text}");
            let mine = persons(file).is_some_and(|it| it.contains("mine"));
            assert_eq!(text.contains("mine"), mine, "{file} {text}");
        }

        let installed = world.listing();
        let again = succeeds(&world, &format!("guard install --client {client}"));
        assert!(again.stderr().contains("already installed"), "{}", again.text());
        assert_eq!(world.listing(), installed, "{client}: the second time writes nothing");

        succeeds(&world, &format!("guard uninstall --client {client}"));
        for file in files(client) {
            assert_eq!(read(&world, file).as_deref(), persons(file), "{file}");
        }
        assert_eq!(home(&world), before, "{client}: nothing is left");
        let ran = guard(&world, &format!("guard uninstall --client {client}"));
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
        assert!(ran.stderr().contains("is not installed"), "{}", ran.text());
        succeeds(&world, "audit verify");
        let audit =
            read(&world, "home/.local/state/provost/guard-home/out/_audit/audit.jsonl").unwrap();
        assert_eq!(audit.matches("guard.install").count(), 1, "{audit}");
        assert_eq!(audit.matches("guard.uninstall").count(), 1, "{audit}");
    }
}

/// A folder that an installation made goes with it, and so does every one around it.
#[test]
fn folders_that_were_made_are_removed_again() {
    for client in CLIENTS {
        let world = World::new();
        succeeds(&world, &format!("guard install --client {client}"));
        assert!(fs::read_dir(world.path("home")).unwrap().count() > 0, "{client}");
        succeeds(&world, &format!("guard uninstall --client {client}"));
        let left = fs::read_dir(world.path("home")).unwrap().map(|it| it.unwrap().file_name());
        let left: Vec<_> = left.filter(|it| it != ".local").collect();
        assert!(left.is_empty(), "{client}: {left:?}");
    }
}

/// What a person wrote after the installation survives its end.
#[test]
fn what_came_later_stays() {
    let world = World::new();
    succeeds(&world, "guard install --client claude");
    let path = "home/.claude/settings.json";
    let mut settings: Value = serde_json::from_str(&read(&world, path).unwrap()).unwrap();
    settings["model"] = json!("x");
    let mine = json!({"hooks": [{"type": "command", "command": "./mine.sh"}]});
    settings["hooks"]["PreToolUse"].as_array_mut().unwrap().insert(0, mine.clone());
    world.write(path, settings.to_string());
    succeeds(&world, "guard uninstall --client claude");
    let left: Value = serde_json::from_str(&read(&world, path).unwrap()).unwrap();
    assert_eq!(left, json!({"model": "x", "hooks": {"PreToolUse": [mine]}}));

    // The same for what Codex trusts.
    succeeds(&world, "guard install --client codex");
    let path = "home/.codex/config.toml";
    world.write(path, format!("model = \"y\"\n{}", read(&world, path).unwrap()));
    succeeds(&world, "guard uninstall --client codex");
    assert_eq!(read(&world, path).unwrap().trim(), "model = \"y\"");
}

/// A crash between the record and the file leaves something that can be undone and repeated.
#[test]
fn an_installation_that_was_cut_short_can_be_undone_and_repeated() {
    let world = World::new();
    let (path, before) = ("home/.claude/settings.json", "{\"model\": \"x\"}");
    world.write(path, before);
    succeeds(&world, "guard install --client claude");
    world.write(path, before);
    succeeds(&world, "guard uninstall --client claude");
    assert_eq!(read(&world, path).as_deref(), Some(before));

    succeeds(&world, "guard install --client claude");
    world.write(path, before);
    succeeds(&world, "guard install --client claude");
    succeeds(&world, "guard uninstall --client claude");
    assert_eq!(read(&world, path).as_deref(), Some(before));
}

/// Whichever project it was run in, it is the same installation, and every project can take it out.
#[test]
fn every_project_has_the_same_installation() {
    let world = World::new();
    world.folder("other/.provost");
    succeeds(&world, "guard install --client gemini");
    let ran = world
        .provost()
        .inside("other")
        .args(["guard", "install", "--client", "gemini", "--json"])
        .run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(ran.json()["changed"], false, "{}", ran.text());
    let text = read(&world, "home/.gemini/settings.json").unwrap();
    assert!(text.contains("--scope user") && !text.contains(".provost"), "{text}");
    let ran =
        world.provost().inside("other").args(["guard", "uninstall", "--client", "gemini"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(read(&world, "home/.gemini/settings.json"), None);
    let again = guard(&world, "guard uninstall --client gemini");
    assert_eq!(again.exit(), Some(2), "{}", again.text());
}

#[test]
fn a_configuration_that_cannot_be_read_is_left_alone() {
    for (client, file, text) in [
        ("claude", "home/.claude/settings.json", "{\"hooks\": "),
        ("claude", "home/.claude/settings.json", "{\"hooks\": {\"Stop\": 1}}"),
        ("codex", "home/.codex/hooks.json", "// no\n{}"),
        ("codex", "home/.codex/config.toml", "model = "),
        ("gemini", "home/.gemini/settings.json", "[]"),
        ("cursor", "home/.cursor/hooks.json", "{\"a\": 1, \"a\": 2}"),
        ("opencode", "home/.config/opencode/plugins/provost.js", "export const Mine = 1;\n"),
    ] {
        let world = World::new();
        world.write(file, text);
        let before = world.listing();
        let ran = guard(&world, &format!("guard install --client {client}"));
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
        assert!(ran.stderr().contains("error: cannot edit `"), "{}", ran.text());
        assert!(ran.stderr().contains("hint: "), "{}", ran.text());
        // What went wrong is said once.
        assert!(!ran.stderr().contains("cause: "), "{}", ran.text());
        assert_eq!(world.listing(), before, "{client} {text}");
    }
}

#[test]
fn a_link_and_a_mode_stay_what_they_are() {
    let world = World::new();
    world.write("home/dotfiles/claude.json", "{}");
    let target = world.path("home/dotfiles/claude.json");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    world.folder("home/.claude");
    let link = world.path("home/.claude/settings.json");
    symlink("../dotfiles/claude.json", &link).unwrap();
    succeeds(&world, "guard install --client claude");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&target).unwrap().contains("PreToolUse"));
    assert_eq!(fs::metadata(&target).unwrap().mode() & 0o7777, 0o640);
    succeeds(&world, "guard uninstall --client claude");
    assert_eq!(fs::read_to_string(&target).unwrap(), "{}");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&target).unwrap().mode() & 0o7777, 0o640);
}

/// A file of a client that cannot be written: what was written before it is given back.
#[test]
fn a_place_that_cannot_be_written_changes_nothing() {
    let world = World::new();
    world.write("home/.claude", "a file in place of a folder");
    let before = home(&world);
    let ran = guard(&world, "guard install --client claude");
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert_eq!(home(&world), before);

    // Codex has two files: the one that says what is trusted is written first.
    let world = World::new();
    world.write("home/.codex/config.toml", "model = \"x\"\n");
    world.folder("home/.codex/hooks.json/folder");
    let before = home(&world);
    let ran = guard(&world, "guard install --client codex");
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("is not a file"), "{}", ran.text());
    assert_eq!(home(&world), before);
    assert_eq!(read(&world, "home/.codex/config.toml").unwrap(), "model = \"x\"\n");
}

/// Root is refused nothing, so this runs as somebody else when the tests run as root.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test makes the world that provost meets")]
fn a_folder_that_may_not_be_written_is_named() {
    let world = World::new();
    world.write("home/.codex/config.toml", "model = \"x\"\n");
    world.write("home/.claude/settings.json", "{}");
    fs::create_dir(world.path("bin")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_provost"), world.path("bin/provost")).unwrap();
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let provost = world.path("bin/provost");
    let mut command = if is_root {
        let owner = world.program("chown").args(["-R", "65534:65534"]).arg(world.path("")).status();
        assert!(owner.unwrap().success());
        let mut it = world.program("setpriv");
        it.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(provost);
        it
    } else {
        world.program(provost)
    };
    let lock = |mode: u32| {
        let folder = world.path("home/.claude");
        fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
    };
    lock(0o555);
    let output = command.args(["guard", "install", "--client", "claude"]).output().unwrap();
    lock(0o755);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let path = world.path("home/.claude/settings.json");
    let expected = format!("error: cannot create a file next to `{}`", path.display());
    assert!(said.starts_with(&expected), "{said}");
    assert!(said.contains("hint: check who owns the file and its folder"), "{said}");
    assert_eq!(read(&world, "home/.claude/settings.json").as_deref(), Some("{}"));
    let record = world.path(OF_USER.replace("test.json", "install-claude.json"));
    assert!(!record.exists(), "what did not happen is not on record");
}

#[test]
fn a_project_has_files_of_its_own() {
    let world = World::new();
    for (client, file) in [
        ("claude", "repo/.claude/settings.local.json"),
        ("codex", "repo/.codex/hooks.json"),
        ("gemini", "repo/.gemini/settings.json"),
        ("cursor", "repo/.cursor/hooks.json"),
        ("opencode", "repo/.opencode/plugins/provost.js"),
    ] {
        succeeds(&world, &format!("guard install --client {client} --scope project"));
        assert!(read(&world, file).unwrap().contains("hook"), "{file}");
        succeeds(&world, &format!("guard uninstall --client {client}"));
        assert_eq!(read(&world, file), None);
    }
    let ran = world
        .provost()
        .inside("home")
        .args([
            "--home",
            "../repo/.provost",
            "guard",
            "install",
            "--client",
            "claude",
            "--scope",
            "project",
        ])
        .run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("cannot find a git repository"), "{}", ran.text());
}

/// A client's own variable moves its folder.
#[test]
fn a_client_that_was_moved_is_found() {
    let world = World::new();
    let moved = world.path("elsewhere");
    let ran = world
        .provost()
        .variable("CLAUDE_CONFIG_DIR", &moved)
        .args(["guard", "install", "--client", "claude"])
        .run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(moved.join("settings.json").is_file());
    succeeds(&world, "guard uninstall --client claude");
    assert!(!moved.exists(), "the record knows where it was");
}

/// HOOK-1.5, HOOK-2.6: what is installed refuses in the form that the client obeys.
#[test]
fn the_installed_guard_is_proven() {
    let world = World::new();
    let ran = guard(&world, "guard test");
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("not installed in any client"), "{}", ran.text());
    for client in CLIENTS {
        succeeds(&world, &format!("guard install --client {client}"));
    }
    let ran = succeeds(&world, "guard test --json");
    let document = ran.json();
    assert_eq!(document["passed"], true);
    let tests = document["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 5);
    for test in tests {
        let checks = test["checks"].as_array().unwrap();
        let count = |end: &str| {
            checks.iter().filter(|it| it["name"].as_str().unwrap().ends_with(end)).count()
        };
        for name in ["destructive", "ordinary", "bad_json", "empty", "large", "ignored"] {
            assert!(count(name) > 0, "{name} {test}");
        }
        assert!(!test["leaves_open"].as_array().unwrap().is_empty());
    }
    let record: Value = serde_json::from_str(&read(&world, OF_USER).unwrap()).unwrap();
    assert_eq!(record["schema"], "provost.guard-test/1");
    assert_eq!(record["tests"]["claude"]["passed"], true);
    assert_eq!(record["tests"]["claude"]["live"], false);
}

/// A program that says nothing, one that says it wrongly, and one that is not there.
#[test]
fn a_guard_that_does_not_refuse_is_found_out() {
    let world = World::new();
    for (name, script, expected) in [
        ("mute", "cat >/dev/null; exit 0", "fail  user.PreToolUse.destructive  passed"),
        (
            "wrong",
            "cat >/dev/null; echo '{\"continue\": false}'",
            "fail  user.PreToolUse.destructive  the client cannot use the answer",
        ),
        ("failing", "exit 1", "fail  user.PreToolUse.ordinary"),
        ("stern", "cat >/dev/null; echo no >&2; exit 2", "fail  user.PreToolUse.ordinary  refused"),
    ] {
        let stub = format!("{name}/provost");
        world.write(&stub, format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(world.path(&stub), fs::Permissions::from_mode(0o755)).unwrap();
        swap(&world, world.path(&stub).to_str().unwrap());
        let ran = guard(&world, "guard test --client claude");
        assert_eq!(ran.exit(), Some(1), "{name} {}", ran.text());
        assert!(ran.stdout().contains(expected), "{name} {}", ran.text());
        assert!(ran.stdout().contains("ok  user.entries"), "{name} {}", ran.text());
    }
    swap(&world, "/no/such/provost");
    let ran = guard(&world, "guard test --client claude --json");
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert_eq!(ran.json()["passed"], false);
}

/// Installs the guard and lets the client start another program in place of ours.
fn swap(world: &World, program: &str) {
    succeeds(world, "guard install --client claude");
    let path = "home/.claude/settings.json";
    let ours = env!("CARGO_BIN_EXE_provost");
    let ours = fs::canonicalize(ours).unwrap();
    let text = read(world, path).unwrap().replace(ours.to_str().unwrap(), program);
    world.write(path, text);
}

/// HOOK-1.5: what somebody changed or switched off is found out.
#[test]
fn an_installation_that_was_changed_is_found_out() {
    #[track_caller]
    fn check(client: &str, file: &str, (from, to): (&str, &str), expected: &str) {
        let world = World::new();
        succeeds(&world, &format!("guard install --client {client}"));
        let text = read(&world, file).unwrap();
        assert!(text.contains(from), "{text}");
        world.write(file, text.replacen(from, to, 1));
        let ran = guard(&world, &format!("guard test --client {client}"));
        assert_eq!(ran.exit(), Some(1), "{}", ran.text());
        assert!(ran.stdout().contains(expected), "{}", ran.text());
    }
    let claude = "home/.claude/settings.json";
    check(
        "claude",
        claude,
        ("\"onFailure\": \"block\"", "\"onFailure\": \"x\""),
        "fail  user.entries",
    );
    check(
        "claude",
        claude,
        ("{", "{\"disableAllHooks\": true,"),
        "`disableAllHooks` disables every hook",
    );
    check("claude", claude, ("\"PreToolUse\"", "\"Notification\""), "no entry for this event");
    let config = "home/.codex/config.toml";
    check("codex", config, ("sha256:", "sha256:0"), "does not trust");
    check("codex", config, ("[hooks", "[features]\nhooks = false\n\n[hooks"), "`features.hooks`");
    let gemini = "home/.gemini/settings.json";
    check(
        "gemini",
        gemini,
        ("{", "{\"hooksConfig\": {\"enabled\": false},"),
        "`hooksConfig.enabled`",
    );
}

/// Codex starts a login shell: one whose start file ends it never gets as far as the guard.
#[test]
fn a_shell_that_ends_early_is_found_out() {
    let world = World::new();
    succeeds(&world, "guard install --client codex");
    succeeds(&world, "guard test --client codex");
    world.write("home/.profile", "exit 0\n");
    let ran = guard(&world, "guard test --client codex");
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert!(ran.stdout().contains("fail  user.PreToolUse.destructive  passed"), "{}", ran.text());
}

/// HOOK-2.6: a home that git would take is no place for what the guard records.
#[test]
fn a_home_that_git_does_not_ignore_fails_the_test() {
    let world = World::new();
    succeeds(&world, "guard install --client claude");
    world.write("repo/.provost/.gitignore", "# nothing\n");
    let ran = guard(&world, "guard test");
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert!(ran.stdout().contains("fail  ignored  git does not ignore"), "{}", ran.text());
    world.write("repo/.provost/.gitignore", "*\n");
    succeeds(&world, "guard test");
    world.write("repo/.omc/state/x.json", "{}");
    let ran = guard(&world, "guard test");
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert!(ran.stdout().contains("fail  ignored_omc"), "{}", ran.text());
    let doctor = world.provost().args(["doctor"]).run();
    assert_eq!(doctor.exit(), Some(1), "{}", doctor.text());
    world.write("repo/.gitignore", ".omc/\n");
    succeeds(&world, "guard test");
}

#[test]
fn doctor_says_whether_the_guard_is_installed_and_tested() {
    let world = World::new();
    let line = || {
        let ran = world.provost().args(["doctor", "--json"]).run();
        let document = ran.json();
        let checks = document["checks"].as_array().unwrap().clone();
        let check = checks.into_iter().find(|it| it["name"] == "guard").unwrap();
        (check["state"].as_str().unwrap().to_owned(), check["what"].as_str().unwrap().to_owned())
    };
    assert_eq!(line().0, "not_enforced");
    succeeds(&world, "guard install --client claude");
    assert_eq!(line(), ("warn".to_owned(), "installed in Claude Code, not tested".to_owned()));
    succeeds(&world, "guard test");
    let (state, what) = line();
    assert_eq!(state, "ok");
    assert!(what.starts_with("installed in Claude Code, tested 2"), "{what}");
    let path = "home/.claude/settings.json";
    world.write(path, format!("{}\n", read(&world, path).unwrap()));
    let (state, what) = line();
    assert_eq!(state, "warn");
    assert!(what.contains("changed since the test of"), "{what}");
}

#[track_caller]
fn refused(ran: &Ran, expected: &str) {
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert!(ran.stderr().contains(expected), "{}", ran.text());
    assert!(ran.stderr().contains("hint: `provost guard test"), "{}", ran.text());
}

/// HOOK-1.5: nothing runs unattended unless a test vouches for the guard as it is now.
#[test]
fn a_run_in_the_background_needs_a_current_test() {
    let it = Loop::new();
    let spec = it.spec("t1", json!({}));
    let run =
        || it.world.provost().args(["run".as_ref(), spec.as_os_str(), "--detach".as_ref()]).run();
    let ran = run();
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    for said in ["no guard is installed", "`--detach --unguarded`"] {
        assert!(ran.stderr().contains(said), "{}", ran.text());
    }
    succeeds(&it.world, "guard install --client claude");
    refused(&run(), "no passed `provost guard test` is on record");
    succeeds(&it.world, "guard test");
    let path = "home/.claude/settings.json";
    let text = read(&it.world, path).unwrap();
    it.world.write(path, text.replace("\"block\"", "\"x\""));
    refused(&run(), "something has changed since");
    assert_eq!(guard(&it.world, "guard test").exit(), Some(1));
    refused(&run(), "the last `provost guard test` failed");
    it.world.write(path, text);
    succeeds(&it.world, "guard test");

    // The coder works in another client than the one that was tested.
    let other = it.spec("t2", json!({"coder": "codex"}));
    let ran =
        it.world.provost().args(["run".as_ref(), other.as_os_str(), "--detach".as_ref()]).run();
    refused(&ran, "no passed `provost guard test` of Codex is on record");

    let ran = run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(ran.stdout().contains("runs in the background"), "{}", ran.text());
    // Whoever waits for it sees it end.
    let mut state = String::new();
    for _ in 0..600 {
        state = it.world.provost().args(["show", "t1", "--json"]).run().stdout();
        if state.contains("READY_FOR_REVIEW") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(state.contains("READY_FOR_REVIEW"), "{state}");
}

#[test]
fn both_languages_say_what_is_left_open() {
    let world = World::new();
    let ran = succeeds(&world, "guard install --client cursor --dry-run --lang zh");
    assert!(ran.stdout().contains("部分支持"), "{}", ran.text());
    let ran = succeeds(&world, "guard install --client cursor --dry-run --json");
    let open = ran.json()["leaves_open"][0]["en"].as_str().unwrap().to_owned();
    assert!(open.starts_with("PARTIAL"), "{open}");
}
