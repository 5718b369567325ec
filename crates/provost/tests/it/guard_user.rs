//! A guard for all projects of a person: which policy holds, where it is recorded, and what happens when
//! its home, its chain, its program or its entries are taken away.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::{Value, json};

use crate::world::{Ran, World};

const USER_HOME: &str = "home/.local/state/provost/guard-home";

fn run(world: &World, arguments: &str) -> Ran {
    world.provost().args(arguments.split(' ').collect::<Vec<_>>()).run()
}

#[track_caller]
fn succeeds(world: &World, arguments: &str) -> Ran {
    let ran = run(world, arguments);
    assert_eq!(ran.exit(), Some(0), "{arguments}\n{}", ran.text());
    ran
}

/// A payload of Claude Code, from a session in a folder.
fn payload(world: &World, folder: &str, event: &str, command: &str) -> Value {
    json!({
        "session_id": "5f3c1d52-0001-4000-8000-000000000001",
        "cwd": world.path(folder),
        "hook_event_name": event,
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": "toolu_01",
    })
}

/// Asks as Claude Code does with an installation for all projects, in a session of `session` whose shell
/// is in `folder`.
fn ask_from(world: &World, session: &str, folder: &str, command: &str) -> Ran {
    world
        .provost()
        .inside(folder)
        .variable("CLAUDE_PROJECT_DIR", world.path(session))
        .args(["hook", "--client", "claude", "--type", "pre-tool-use", "--scope", "user"])
        .input(payload(world, folder, "PreToolUse", command).to_string())
        .run()
}

fn ask(world: &World, folder: &str, command: &str) -> Ran {
    ask_from(world, folder, folder, command)
}

#[track_caller]
fn passes(ran: &Ran) {
    assert_eq!((ran.exit(), ran.stdout().as_str()), (Some(0), ""), "{}", ran.text());
}

#[track_caller]
fn refused(ran: &Ran) -> String {
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    let output = &ran.json()["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny", "{}", ran.text());
    output["permissionDecisionReason"].as_str().unwrap().to_owned()
}

fn text(world: &World, path: &str) -> String {
    fs::read_to_string(world.path(path)).unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "a test is whoever removes things")]
fn remove(world: &World, path: &str) {
    let path = world.path(path);
    if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
}

#[expect(clippy::disallowed_methods, reason = "a test is whoever moves things")]
fn rename(world: &World, from: &str, to: &str) {
    fs::rename(world.path(from), world.path(to)).unwrap();
}

/// A world with a home in `repo`, and a second repository without one.
fn world() -> World {
    let world = World::new();
    succeeds(&world, "doctor --fix --quiet");
    world.folder("other/.git");
    world.folder("plain");
    world
}

/// KEEP-5. Ruling 78: each call finds its repository; outside of a home it is recorded in the person's.
#[test]
fn each_session_finds_its_own_home() {
    let world = world();
    for folder in ["repo", "other", "plain"] {
        passes(&ask(&world, folder, "cargo test"));
        assert!(refused(&ask(&world, folder, "git reset --hard")).contains("`git.reset-hard`"));
    }
    let count = |path: &str| text(&world, path).lines().count();
    assert_eq!(count("repo/.provost/out/_audit/audit.jsonl"), 2);
    assert_eq!(count(&format!("{USER_HOME}/out/_audit/audit.jsonl")), 4);
    assert!(!world.path("other/.provost").exists() && !world.path("plain/.provost").exists());
    assert!(world.path(format!("{USER_HOME}/format")).is_file());
}

/// KEEP-5. Ruling 78: a repository tightens the policy of its reader, and cannot loosen it.
#[test]
fn a_repository_can_only_tighten() {
    let world = world();
    world.write("home/.config/provost/provost.toml", "[[guard.rules]]\nid = \"mine\"\neffect = \"deny\"\ncommand = [\"wget\"]\n\n[[guard.rules]]\nid = \"fine\"\neffect = \"allow\"\ncommand = [\"npm\", \"publish\"]\n");
    world.write(
        "repo/provost.toml",
        "[[guard.rules]]\nid = \"theirs\"\neffect = \"deny\"\ncommand = [\"curl\"]\n\n[[guard.rules]]\neffect = \"allow\"\n",
    );
    passes(&ask(&world, "repo", "npm publish"));
    assert!(refused(&ask(&world, "repo", "wget https://example.com")).contains("`mine`"));
    assert!(refused(&ask(&world, "repo", "curl https://example.com")).contains("`theirs`"));
    let asked = ask(&world, "repo", "crontab job");
    assert_ne!(asked.stdout(), "", "a rule of the repository that allows has no say");
    // Elsewhere the rule of this repository means nothing.
    passes(&ask(&world, "other", "curl https://example.com"));
    // A policy that a repository forged in its own home is not read.
    world.write(
        "repo/.provost/guard/policy.json",
        "{\"schema\": \"provost.policy/1\", \"rules\": []}",
    );
    assert!(refused(&ask(&world, "repo", "curl https://example.com")).contains("`theirs`"));
}

/// KEEP-5. An agent gains nothing by another folder: the rules of its session's repository stay, and those of the
/// folder's repository come on top.
#[test]
fn another_folder_escapes_no_policy() {
    let world = world();
    let rule = |id: &str, program: &str| {
        format!("[[guard.rules]]\nid = \"{id}\"\neffect = \"deny\"\ncommand = [\"{program}\"]\n")
    };
    world.write("repo/provost.toml", rule("here", "curl"));
    world.write("other/provost.toml", rule("there", "wget"));
    assert!(refused(&ask_from(&world, "repo", "other", "curl https://a.b")).contains("`here`"));
    assert!(refused(&ask_from(&world, "repo", "other", "wget https://a.b")).contains("`there`"));
    assert!(refused(&ask_from(&world, "repo", "plain", "curl https://a.b")).contains("`here`"));
    passes(&ask_from(&world, "repo", "repo", "wget https://a.b"));
    let entries = text(&world, "repo/.provost/out/_audit/audit.jsonl");
    assert_eq!(entries.lines().count(), 4, "all is recorded where the session is");
}

/// KEEP-5. Ruling 78: the command line names no project, and deleting one locks nobody out.
#[test]
fn an_installation_for_all_projects_names_none() {
    let world = world();
    succeeds(&world, "guard install --client claude");
    let settings = text(&world, "home/.claude/settings.json");
    assert!(settings.contains("\"--scope\"") && !settings.contains("repo"), "{settings}");
    assert!(world.path(format!("{USER_HOME}/guard/install-claude.json")).is_file());
    let outside = world.provost().inside("plain").args(["guard", "install", "--client", "codex"]);
    let outside = outside.run();
    assert_eq!(outside.exit(), Some(0), "{}", outside.text());
    succeeds(&world, "guard test --client claude");
    let status = succeeds(&world, "guard status --json").json();
    assert_eq!(status["ok"], true, "{status}");
    assert_eq!(status["clients"][0]["test"], "passed", "{status}");
    assert_eq!(status["clients"][1]["test"], "absent", "{status}");
    let elsewhere = world.provost().inside("other").args(["guard", "status", "--json"]).run();
    assert_eq!(elsewhere.json()["clients"][0]["test"], "passed", "{}", elsewhere.text());
    succeeds(&world, "guard uninstall --client claude");
    assert!(!world.path("home/.claude").exists());
}

/// KEEP-5. Earlier versions wrote a home into the person's configuration. Where that is gone, the person's own
/// policy holds; an entry of a project stays refused.
#[test]
fn an_old_installation_whose_home_is_gone_locks_nobody_out() {
    let world = world();
    let gone = world.path("gone/.provost").display().to_string();
    let ask = || {
        world
            .provost()
            .inside("other")
            .args(["hook", "--client", "claude", "--type", "pre-tool-use", "--home", &gone])
            .input(payload(&world, "other", "PreToolUse", "cargo test").to_string())
            .run()
    };
    assert!(refused(&ask()).contains("cannot find provost home"));
    let args = ["hook", "--client", "claude", "--type", "pre-tool-use", "--home", &gone];
    let entry = json!({"type": "command", "command": "/opt/provost", "args": args});
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [entry]}]}});
    world.write("home/.claude/settings.json", settings.to_string());
    passes(&ask());
    assert!(world.path(format!("{USER_HOME}/out/_audit/audit.jsonl")).is_file());
}

/// Begins a session, which keeps the head of the chain outside the project too.
fn begin(world: &World, folder: &str) -> Ran {
    world
        .provost()
        .inside(folder)
        .args(["hook", "--client", "claude", "--type", "session-start", "--scope", "user"])
        .input(payload(world, folder, "SessionStart", "").to_string())
        .run()
}

/// KEEP-2, ruling 88: a chain that was removed, with its heads or with the whole home, refuses the calls
/// and the orders that follow, and `audit verify` knows.
#[test]
fn a_removed_chain_refuses_calls_and_orders() {
    for removed in [
        "repo/.provost/out/_audit/audit.jsonl",
        "repo/.provost/out/_audit",
        "repo/.provost/out",
        "repo/.provost",
    ] {
        let world = world();
        passes(&begin(&world, "repo"));
        passes(&ask(&world, "repo", "cargo test"));
        succeeds(&world, "audit verify");
        remove(&world, removed);
        let reason = refused(&ask(&world, "repo", "cargo test"));
        assert!(reason.contains("is missing"), "{removed}: {reason}");
        assert!(reason.contains("provost audit verify"), "{removed}: {reason}");
        let verified = run(&world, "audit verify");
        assert_eq!(verified.exit(), Some(6), "{removed}: {}", verified.text());
        assert!(verified.stderr().contains("provost audit restart"), "{}", verified.text());
        let order = run(&world, "guard mode ralph on");
        assert_eq!(order.exit(), Some(6), "{removed}: {}", order.text());
        assert!(order.stderr().contains("provost audit restart"), "{}", order.text());
        assert_eq!(run(&world, "guard status").exit(), Some(1), "{removed}");
        // Another project is not held up.
        passes(&ask(&world, "other", "cargo test"));
    }
}

/// The same for one that was cut, and for one that was edited in the middle, from the next session on.
#[test]
fn an_altered_chain_refuses_calls() {
    let world = world();
    for n in 0..3 {
        passes(&ask(&world, "repo", &format!("echo {n}")));
    }
    passes(&begin(&world, "repo"));
    let path = "repo/.provost/out/_audit/audit.jsonl";
    let whole = text(&world, path);
    world.write(path, whole.split_inclusive('\n').take(2).collect::<String>());
    assert!(refused(&ask(&world, "repo", "ls")).contains("altered or cut short"));
    world.write(path, whole.replacen("passed", "denied", 1));
    passes(&begin(&world, "repo"));
    assert!(refused(&ask(&world, "repo", "ls")).contains("altered or cut short"));
    assert_eq!(run(&world, "audit verify").exit(), Some(6));
}

/// Ruling 88: a project that is gone is gone, also where another one is made in its place.
#[test]
fn a_project_that_is_gone_is_gone() {
    let world = world();
    passes(&begin(&world, "repo"));
    // A folder that is another one for certain: file systems give numbers out again.
    world.folder("anew/.git");
    remove(&world, "repo");
    rename(&world, "anew", "repo");
    passes(&ask(&world, "repo", "cargo test"));
    passes(&begin(&world, "other"));
}

/// The way out of a broken chain is a person's, at a terminal.
#[test]
fn a_person_restarts_a_broken_chain() {
    let world = world();
    passes(&begin(&world, "repo"));
    let intact = run(&world, "audit restart");
    assert_eq!(intact.exit(), Some(1), "{}", intact.text());
    remove(&world, "repo/.provost/out/_audit/audit.jsonl");
    let alone = run(&world, "audit restart");
    assert_eq!(alone.exit(), Some(2), "{}", alone.text());
    assert!(alone.stderr().contains("at a terminal"), "{}", alone.text());
    refused(&ask(&world, "repo", "ls"));

    let answer = |word: &str| {
        let provost = env!("CARGO_BIN_EXE_provost");
        let line = format!("echo {word} | script -qec '{provost} audit restart' /dev/null");
        world.program("sh").args(["-c", &line]).output().unwrap()
    };
    answer("n");
    refused(&ask(&world, "repo", "ls"));
    let said = answer("y");
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("new audit chain"), "{said}");
    passes(&ask(&world, "repo", "ls"));
    let verified = succeeds(&world, "audit verify");
    assert!(verified.stdout().contains("begun anew"), "{}", verified.text());
    passes(&begin(&world, "repo"));
}

/// KEEP-2: a client or a hand that drops `onFailure` is noticed when the next session starts.
#[test]
fn a_changed_entry_is_told_at_the_start_of_a_session() {
    let world = world();
    succeeds(&world, "guard install --client claude");
    assert_eq!(begin(&world, "repo").stdout(), "");
    let path = "home/.claude/settings.json";
    let mut settings: Value = serde_json::from_str(&text(&world, path)).unwrap();
    let entry = &mut settings["hooks"]["PreToolUse"][0]["hooks"][0];
    assert_eq!(entry.as_object_mut().unwrap().remove("onFailure"), Some(json!("block")));
    world.write(path, settings.to_string());
    let told = begin(&world, "repo");
    assert_eq!(told.exit(), Some(0), "{}", told.text());
    let message = told.json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(message.contains("settings.json") && message.contains("guard install"), "{message}");
    assert!(text(&world, "repo/.provost/out/_audit/audit.jsonl").contains("guard.tampered"));
    assert_eq!(run(&world, "guard status").exit(), Some(1));
    assert_eq!(run(&world, "guard test --client claude").exit(), Some(1));
    let doctor = run(&world, "doctor --json").json();
    let checks = doctor["checks"].as_array().unwrap();
    let guard = checks.iter().find(|it| it["name"] == "guard").unwrap();
    assert_eq!(guard["state"], "fail", "{guard}");
}

/// Guard removed, or not executable: what the client has for this is set, and where it has nothing, that
/// is said.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test is whoever takes the program away")]
fn a_program_that_cannot_start_is_found_and_told() {
    let world = world();
    world.folder("bin");
    let program = world.path("bin/provost");
    fs::copy(env!("CARGO_BIN_EXE_provost"), &program).unwrap();
    for client in ["claude", "codex", "gemini", "cursor", "opencode"] {
        let install = ["guard", "install", "--client", client];
        assert!(world.program(&program).args(install).output().unwrap().status.success());
    }
    assert_eq!(run(&world, "guard status").exit(), Some(0));
    let settings = |path: &str| -> Value { serde_json::from_str(&text(&world, path)).unwrap() };
    let claude = settings("home/.claude/settings.json");
    assert_eq!(claude["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"], "block");
    assert_eq!(claude["hooks"]["PermissionRequest"][0]["hooks"][0]["onFailure"], "block");
    let cursor = settings("home/.cursor/hooks.json");
    assert_eq!(cursor["hooks"]["preToolUse"][0]["failClosed"], true, "{cursor}");
    let gemini = settings("home/.gemini/settings.json");
    let line = gemini["hooks"]["BeforeTool"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    for mode in [Some(0o644), None] {
        match mode {
            Some(mode) => fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap(),
            None => fs::remove_file(&program).unwrap(),
        }
        // Gemini CLI takes every exit code from 2 on for a refusal.
        let code = world.program("bash").args(["-c", &line]).output().unwrap().status.code();
        assert!(code.is_some_and(|it| it >= 2), "{code:?}");
        let status = run(&world, "guard status --json");
        assert_eq!(status.exit(), Some(1), "{}", status.text());
        let clients = status.json();
        for it in clients["clients"].as_array().unwrap() {
            assert!(it["changed"].to_string().contains("bin/provost"), "{it}");
        }
        let test = run(&world, "guard test --json");
        assert_eq!(test.exit(), Some(1), "{}", test.text());
        let tests = test.json();
        let of = |client: &str| {
            let all = tests["tests"].as_array().unwrap();
            all.iter().find(|it| it["client"] == client).unwrap().clone()
        };
        assert!(of("codex")["leaves_open"].to_string().contains("cannot be started"), "{tests}");
    }
}

/// A corrupt policy refuses in every client, with the command that repairs it.
#[test]
fn a_corrupt_policy_refuses_and_is_repaired() {
    let world = world();
    passes(&ask(&world, "repo", "ls"));
    let folder = world.path(format!("{USER_HOME}/guard/policies"));
    let policy = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let name = policy.file_name().unwrap().to_str().unwrap().to_owned();
    world.write(format!("{USER_HOME}/guard/policies/{name}"), "{");
    for client in ["claude", "codex", "gemini", "cursor"] {
        let ran = world
            .provost()
            .args(["hook", "--client", client, "--type", "pre-tool-use", "--scope", "user"])
            .input(json!({"session_id": "s1", "cwd": world.path("repo"), "tool_name": "Bash", "tool_input": {"command": "ls"}}).to_string())
            .run();
        assert_eq!(ran.exit(), Some(2), "{client}: {}", ran.text());
        assert!(ran.stderr().contains("provost guard compile"), "{client}: {}", ran.text());
    }
    succeeds(&world, "guard compile");
    passes(&ask(&world, "repo", "ls"));
}

/// What was allowed, asked and refused, by whom, newest last.
#[test]
fn the_log_says_what_was_ruled() {
    let world = world();
    passes(&ask(&world, "repo", "cargo test"));
    refused(&ask(&world, "repo", "git reset --hard"));
    assert_eq!(ask(&world, "repo", "npm publish").exit(), Some(0));
    let log = succeeds(&world, "guard log --json").json();
    let told: Vec<String> = log["rulings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {} {}", it["effect"], it["rule"], it["by"]).replace('"', ""))
        .collect();
    assert_eq!(
        told,
        ["passed default built_in", "refused git.reset-hard built_in", "asked publish built_in"],
    );
    let refused_only = succeeds(&world, "guard log --effect refused").stdout();
    assert_eq!(refused_only.lines().count(), 1, "{refused_only}");
    assert!(refused_only.contains("git.reset-hard (built-in)"), "{refused_only}");
    let by_rule = succeeds(&world, "guard log --rule publish -n 1").stdout();
    assert!(by_rule.contains("npm publish"), "{by_rule}");
    assert_eq!(succeeds(&world, "guard log --user").stdout(), "");
}

/// One short line for Claude Code.
#[test]
fn the_status_line_counts_the_session() {
    let world = world();
    let line = |session: &str| {
        let told = json!({"session_id": session, "workspace": {"project_dir": world.path("repo")}});
        let ran = world.provost().args(["guard", "statusline"]).input(told.to_string()).run();
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
        ran.stdout()
    };
    let session = "5f3c1d52-0001-4000-8000-000000000001";
    assert_eq!(line(session), "provost: silent in this session\n");
    passes(&begin(&world, "repo"));
    refused(&ask(&world, "repo", "git reset --hard"));
    assert_eq!(line(session), "provost: on, not tested, refused 1, asked 0\n");
    assert_eq!(line("another"), "provost: silent in this session\n");
    succeeds(&world, "guard install --client claude");
    succeeds(&world, "guard test --client claude");
    assert_eq!(line(session), "provost: on, tested, refused 1, asked 0\n");
}

/// An explanation answers for the hook that is installed, and says which.
#[test]
fn an_explanation_answers_for_the_installed_hook() {
    let world = world();
    world.write(
        "repo/.provost/local.toml",
        "[[guard.rules]]\nid = \"theirs\"\neffect = \"allow\"\ncommand = [\"npm\", \"publish\"]\n",
    );
    let explain = || {
        let ran = world.provost().args(["guard", "explain", "npm publish", "--json"]).run();
        (
            ran.json()["rule"].as_str().unwrap().to_owned(),
            ran.json()["policy"].clone(),
            ran.stderr(),
        )
    };
    let (rule, policy, said) = explain();
    assert_eq!((rule.as_str(), &policy["clients"]), ("theirs", &json!([])));
    assert!(said.contains("not installed"), "{said}");
    succeeds(&world, "guard install --client claude");
    let (rule, policy, said) = explain();
    assert_eq!((rule.as_str(), &policy["clients"]), ("publish", &json!(["claude"])));
    assert!(said.contains("Claude Code"), "{said}");
}
