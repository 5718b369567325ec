//! Whatever goes wrong on our side is a refusal in the words of the client, and never exit code 1.

use std::{
    io::{Read as _, Write as _},
    os::unix::fs::PermissionsExt as _,
    process::{Child, Stdio},
};

use serde_json::{Value, json};

use super::{allowed, ask, call, guarded, hook, refused};
use crate::world::{Ran, World};

/// The dialects, each with how it says no before a tool runs.
fn refusal(client: &str, reason: &str) -> Value {
    match client {
        "claude" | "codex" => json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }}),
        "gemini" => json!({"decision": "deny", "reason": reason}),
        "cursor" => json!({
            "permission": "deny", "user_message": reason, "agent_message": reason,
        }),
        other => panic!("{other}"),
    }
}

/// A failure of ours, asked about a tool by every client and about a permission by a plain one.
#[track_caller]
fn check(about: &str, run: impl Fn(&str, &str) -> Ran, expected: &str) {
    for client in ["claude", "codex", "gemini", "cursor"] {
        let ran = run(client, "pre-tool-use");
        assert_eq!(ran.exit(), Some(2), "{about} {client}\n{}", ran.text());
        let reason = ran.stderr().trim_end().to_owned();
        assert_eq!(ran.json(), refusal(client, &reason), "{about} {client}");
        assert!(reason.contains(expected), "{about} {client}: {reason}");
        assert!(reason.contains("an error of the guard, not of the command"), "{about}: {reason}");
    }
    let ran = run("plain", "permission-request");
    let document = ran.json();
    assert_eq!(document["continue"], false, "{about}\n{}", ran.text());
    assert!(document["message"].as_str().unwrap().contains(expected), "{about} {document}");
    assert_ne!(ran.exit(), Some(1), "{about}");
}

/// HOOK-1.4, HOOK-1.5.
#[test]
fn every_failure_is_a_refusal_in_every_dialect() {
    let world = guarded();
    let with = |input: &[u8]| {
        let input = input.to_vec();
        let world = &world;
        move |client: &str, kind: &str| hook(world, client, kind).input(input.clone()).run()
    };
    check("bad JSON", with(b"{\"a\""), "not valid JSON at column 4");
    check("empty", with(b""), "the payload is empty");
    check("white space", with(b" \n"), "the payload is empty");
    check("not an object", with(b"[]"), "is not a JSON object");
    check("not UTF-8", with(b"{\"cwd\": \"\xff\"}"), "not UTF-8");
    check("wrong type", with(b"{\"session_id\": 1, \"cwd\": \"/p\"}"), "session_id");
    let long = [b"{\"a\": \"".as_slice(), &vec![b'x'; 10_000_000], b"\"}"].concat();
    check("10 MB", with(&long), "larger than 4194304 bytes");
    let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    check("deep", with(&[b"{\"a\":".as_slice(), &deep, b"}"].concat()), "guard failed");

    let payload = call(&world, "ls").to_string();
    let missing = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}).to_string();
    let ran = hook(&world, "plain", "permission-request").input(missing).run();
    assert_eq!(ran.json()["continue"], false, "a missing field: {}", ran.text());

    world.write("repo/provost.toml", "[guard]\nrules = 1\n");
    let good = with(plain_form(&payload).as_bytes());
    check("a configuration that is none", &good, "guard.rules");
    world.write("repo/provost.toml", "");
    world.write("repo/.provost/guard/policy.json", "{");
    check("a damaged policy", &good, "policy.json");
    world.write("repo/.provost/guard/policy.json", "{\"schema\": \"provost.policy/2\"}");
    check("a newer policy", &good, "policy.json");
    assert_eq!(world.provost().args(["guard", "compile"]).run().exit(), Some(0));
    allowed(&ask(&world, "ls"));
}

/// The payload as any client may send it: without the name of an event.
fn plain_form(payload: &str) -> String {
    let mut value: Value = serde_json::from_str(payload).unwrap();
    value.as_object_mut().unwrap().remove("hook_event_name");
    // Cursor's own names, beside the others'.
    value["conversation_id"] = json!("c1");
    value["generation_id"] = json!("g1");
    value["workspace_roots"] = json!([value["cwd"]]);
    value.to_string()
}

/// A policy that may not be read is a refusal; root may read everything, so it cannot be shown there.
#[test]
fn a_policy_that_may_not_be_read_is_a_refusal() {
    let world = guarded();
    allowed(&ask(&world, "ls"));
    let path = world.path("repo/.provost/guard/policy.json");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    let ran = ask(&world, "ls");
    if rustix::process::geteuid().is_root() {
        allowed(&ran);
        // What root cannot read either: a folder in the place of the file.
        #[expect(clippy::disallowed_methods, reason = "a test makes the world that provost meets")]
        std::fs::remove_file(&path).unwrap();
        world.folder("repo/.provost/guard/policy.json");
        assert!(refused(&ask(&world, "ls")).contains("policy.json"));
    } else {
        assert!(refused(&ran).contains("policy.json"));
    }
}

/// A home that the command line names and that is gone is no reason to go without its policy.
#[test]
fn a_named_home_that_is_gone_is_a_refusal() {
    let world = World::new();
    let gone = world.path("repo/.provost");
    let ran = hook(&world, "claude", "pre-tool-use")
        .args(["--home", gone.to_str().unwrap()])
        .input(call(&world, "ls").to_string())
        .run();
    assert!(refused(&ran).contains("cannot find provost home"));
    allowed(&ask(&world, "ls"));
    assert!(!gone.exists(), "nobody asked for a home");
}

/// A damaged record is a refusal too: what is not recorded is not allowed.
#[test]
fn a_call_that_cannot_be_recorded_is_refused() {
    let world = guarded();
    world.folder("repo/.provost/out/_audit/audit.jsonl");
    assert!(refused(&ask(&world, "ls")).contains("audit.jsonl"));
}

#[expect(clippy::disallowed_methods, reason = "a test is the client that starts a hook")]
fn waiting(world: &World, arguments: &[&str]) -> Child {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_provost"));
    command.current_dir(world.path("repo")).env_clear().env("HOME", world.path("home"));
    command.arg("hook").args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn answer(mut child: Child) -> (Option<i32>, String) {
    let status = child.wait().unwrap();
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    (status.code(), stdout)
}

/// A client that never closes our input gets its answer all the same, and so does one that ends us.
#[test]
fn the_deadline_and_a_signal_are_refusals() {
    let world = guarded();
    for (signal, expected) in
        [(None, "it timed out"), (Some(rustix::process::Signal::TERM), "asked to terminate")]
    {
        let mut child = waiting(&world, &["--client", "claude", "--type", "pre-tool-use"]);
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"{\"session_id\": \"s1\",").unwrap();
        if let Some(signal) = signal {
            let pid = rustix::process::Pid::from_child(&child);
            wait_for_handler(pid);
            rustix::process::kill_process(pid, signal).unwrap();
        }
        let (exit, stdout) = answer(child);
        drop(input);
        assert_eq!(exit, Some(2), "{stdout}");
        assert!(stdout.starts_with('{') && stdout.contains(expected), "{stdout}");
    }
}

/// Waits until the process listens to the signal: one that comes earlier would simply end it.
fn wait_for_handler(pid: rustix::process::Pid) {
    let path = format!("/proc/{}/status", pid.as_raw_nonzero());
    for _ in 0..60_000 {
        let status = std::fs::read_to_string(&path).unwrap();
        let caught = status.lines().find_map(|it| it.strip_prefix("SigCgt:")).unwrap();
        if u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << 14) != 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("the hook does not listen");
}

/// Nothing that can be typed makes it exit with 1.
#[test]
fn no_command_line_exits_with_1() {
    let world = World::new();
    for (arguments, expected) in [
        (&["hook", "--help"][..], 0),
        (&["hook", "--type", "PreToolUse"], 2),
        (&["hook", "--type"], 2),
        (&["hook", "--client", "aider"], 2),
        (&["hook", "extra"], 2),
        (&["hook", "--client", "claude", "--client", "plain", "--type", "pre-tool-use"], 2),
        (&["hook", "--json", "--nonsense"], 2),
        (&["--quiet", "hook", "--client", "claude", "--type", "pre-tool-use"], 2),
        (&["hook"], 2),
    ] {
        let ran = world.provost().args(arguments).run();
        assert_eq!(ran.exit(), Some(expected), "{arguments:?}\n{}", ran.text());
        assert!(expected == 0 || !ran.stderr().is_empty(), "{arguments:?}");
    }
    let zh = world.provost().args(["hook", "--lang", "zh"]).run();
    assert_eq!(
        zh.text(),
        "exit: 2\n----- stdout -----\n----- stderr -----\nprovost 拒绝，因为守卫自身出错：\
         输入为空。这是守卫的错误，不是命令的错误。\n",
    );
}

/// Signals that mean nothing to a hook change nothing, also the one that its own alarm sends.
#[test]
fn a_signal_that_means_nothing_changes_nothing() {
    use rustix::process::Signal;

    let world = guarded();
    let mut child = waiting(&world, &["--client", "claude", "--type", "pre-tool-use"]);
    let mut input = child.stdin.take().unwrap();
    let pid = rustix::process::Pid::from_child(&child);
    wait_for_handler(pid);
    for signal in [Signal::ALARM, Signal::USR1, Signal::USR2, Signal::PROF, Signal::XFSZ] {
        rustix::process::kill_process(pid, signal).unwrap();
    }
    input.write_all(call(&world, "ls").to_string().as_bytes()).unwrap();
    drop(input);
    assert_eq!(answer(child), (Some(0), String::new()));
}

/// Whatever the client had blocked when it started us, the deadline holds.
#[test]
fn the_deadline_holds_though_its_signal_was_blocked() {
    let world = guarded();
    let binary = env!("CARGO_BIN_EXE_provost");
    let line = ["--block-signal=ALRM,TERM", binary, "hook", "--client", "claude"];
    #[expect(clippy::disallowed_methods, reason = "a test is the client that starts a hook")]
    let mut child = std::process::Command::new("env")
        .args(line)
        .args(["--type", "pre-tool-use"])
        .current_dir(world.path("repo"))
        .env("HOME", world.path("home"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let input = child.stdin.take();
    let (exit, stdout) = answer(child);
    drop(input);
    assert_eq!(exit, Some(2), "{stdout}");
    assert!(stdout.contains("it timed out"), "{stdout}");
}
