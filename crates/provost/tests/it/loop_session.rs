//! An attempt that goes on in the session of the one before, where the agent can.
//!
//! The clients are stand-ins that do what the real ones were seen to do (2.1.325, 0.166.0): they keep a
//! transcript in their folder, end before they begin where they cannot find it, and go on counting.

use std::fs;

use serde_json::{Value, json};

use crate::loop_world::Loop;

const ID: &str = "01a1e968-3c25-70a0-8f76-1cb15669c516";

/// Claude Code: `calls` counts, `resumed` is the session that it was told to go on in.
const CLAUDE: &str = r#"
state="$CLAUDE_CONFIG_DIR"; resumed=
for it in "$@"; do case "$it" in --resume=*) resumed="${it#--resume=}";; esac; done
transcript=$(find "$state/projects" -name "$resumed.jsonl" 2>/dev/null)
if [ -n "$resumed" ] && [ -z "$transcript" ]; then
    echo '{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"total_cost_usd":0,"errors":["No conversation found"]}'
    exit 1
fi
[ -n "$transcript" ] || { mkdir -p "$state/projects/here"; transcript="$state/projects/here/$id.jsonl"; }
printf '%s\n' '{"type":"system","subtype":"init","session_id":"'$id'"}'
work
calls=$(wc -l <"$transcript")
printf '%s\n' '{"type":"result","session_id":"'$id'","total_cost_usd":0.'$calls'5,"modelUsage":{"m":{"inputTokens":'$calls'00,"outputTokens":0,"costUSD":0}}}'
"#;

/// Codex, in the same way.
const CODEX: &str = r#"
state="$CODEX_HOME"; resumed=
case "$*" in *" resume -- "*) for it in "$@"; do [ "$last" = -- ] && resumed="$it"; last="$it"; done;; esac
transcript=$(find "$state/sessions" -name "rollout-*-$resumed.jsonl" 2>/dev/null)
if [ -n "$resumed" ] && [ -z "$transcript" ]; then
    echo 'Error: thread/resume failed: no rollout found' >&2
    exit 1
fi
[ -n "$transcript" ] || { mkdir -p "$state/sessions/2026/11/17"; transcript="$state/sessions/2026/11/17/rollout-2026-11-17T12-08-04-$id.jsonl"; }
printf '%s\n' '{"type":"thread.started","thread_id":"'$id'"}'
work
calls=$(wc -l <"$transcript")
printf '%s\n' '{"type":"turn.completed","usage":{"input_tokens":'$calls'00,"output_tokens":0}}'
"#;

/// Gets it right in the second call, leaves in its state what the next call may not find, and in the
/// tree what it was told and what it found.
const WORK: &str = r#"
work() {
    find "$state" -type f | sed "s#$state/##" | sort >"state.$(ls state.* 2>/dev/null | wc -l)"
    echo "resumed=$resumed" >>calls.txt
    echo "{\"turn\":\"$resumed\"}" >>"$transcript"
    echo '{"hooks":"run me"}' >"$state/hooks.json"; echo x >"$state/settings.json"; echo x >"$state/login"
    mkdir -p "$state/projects/here" "$state/sessions"; echo x >"$state/projects/here/other.jsonl"
    if [ -e answer.txt ]; then echo 42 >answer.txt; else echo 41 >answer.txt; fi
    more
}
"#;

/// A world in which both clients are installed.
fn world() -> Loop {
    let preset = |name: &str| {
        format!(
            "[adapter.{name}-coder]\nkind = \"preset\"\npreset = \"{name}\"\nprogram = \"@WORLD/bin/{name}\"\n"
        )
    };
    Loop::with_own(&["claude-code", "codex", "opencode"].map(preset).concat())
}

/// Makes a client that does this besides.
fn client(it: &Loop, name: &str, more: &str) {
    let body = if name == "codex" { CODEX } else { CLAUDE };
    it.program(name, &format!("id={ID}\nmore() {{ :; {more}\n}}\n{WORK}\n{body}"));
}

fn spec(name: &str) -> Value {
    json!({ "coder": format!("{name}-coder"), "judge": null, "max_attempts": 3 })
}

/// A file of what an attempt delivered.
fn delivered(it: &Loop, id: &str, attempt: u16, path: &str) -> String {
    it.git(&format!("show refs/provost/attempts/{id}/{attempt}:{path}"))
}

/// The second attempt goes on in the session of the first one, with its transcript and nothing else of
/// its state, and each dollar and token is counted once.
#[test]
fn an_attempt_goes_on_in_the_session_of_the_one_before() {
    let it = world();
    for (name, transcript, costs) in [
        ("claude-code", format!("projects/continued/{ID}.jsonl"), [json!(0.15), json!(0.1)]),
        (
            "codex",
            format!("sessions/rollout-2026-11-17T12-08-04-{ID}.jsonl"),
            [Value::Null, Value::Null],
        ),
    ] {
        client(&it, name, "");
        let ran = it.run(name, spec(name));
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
        assert!(ran.stderr().contains("\n  same tree, same session\n"), "{}", ran.stderr());
        assert_eq!(it.count(name, "SESSION_CONTINUED"), 1, "{name}");
        assert_eq!(it.count(name, "SESSION_DROPPED"), 0, "{name}");
        let calls = delivered(&it, name, 2, "calls.txt");
        assert_eq!(calls, format!("resumed=\nresumed={ID}\n"), "{name}");
        assert_eq!(delivered(&it, name, 1, "state.0"), "", "{name}: nothing of anybody's");
        assert_eq!(delivered(&it, name, 2, "state.1"), format!("{transcript}\n"), "{name}");
        for (attempt, cost) in [1, 2].into_iter().zip(costs) {
            let metrics = it.json(&format!("{name}/attempt_{attempt:03}/metrics.json"));
            assert_eq!(metrics["tokens"], 100, "{name} {attempt}");
            assert_eq!(metrics["usd"], cost, "{name} {attempt}");
        }
        assert_eq!(it.json(&format!("{name}/attempt_002/metrics.json"))["session_of"], 1);
        let shown = it.world.provost().args(["show", name]).run().stdout();
        assert!(shown.contains("2 passed same session"), "{shown}");
        let chinese = it.world.provost().args(["--lang", "zh", "show", name]).run().stdout();
        assert!(chinese.contains("2 通过 同一会话"), "{chinese}");
        // Told everything, and where it is now.
        let request = it.json(&format!("{name}/attempt_002/coder/request.json"));
        let prompt = request["prompt"].as_str().unwrap();
        assert!(prompt.starts_with(&it.prompt(name, 2)), "{prompt}");
        assert!(prompt.contains("attempt_002` now"), "{prompt}");
        assert!(prompt.contains("=== GOAL ==="), "{prompt}");
    }
}

/// A person's rejection goes on in the session, through a pause behind the coder as well; where the
/// result has landed, nothing of the session is left.
#[test]
fn a_rejected_result_goes_on_and_a_landed_one_leaves_nothing() {
    let it = world();
    client(&it, "claude-code", "echo 42 >answer.txt");
    // What the coder wrote is not for the test to read.
    let state = it.world.path("home/.local/state/provost/work");
    let test = format!("! cat {}/*/t1/session/transcript && sh check.sh", state.display());
    let mut spec = spec("claude-code");
    spec["test_cmd"] = json!(test);
    it.check("t1", spec, 0, "READY_FOR_REVIEW");
    it.order(&["rejudge", "t1"]);
    assert_eq!(it.count("t1", "CODER_SKIPPED"), 1);
    it.order(&["reject", "t1", "--because", "name the unit"]);
    it.resume("t1", 0, "READY_FOR_REVIEW");
    assert_eq!(it.count("t1", "SESSION_CONTINUED"), 1);
    let transcript = it.work("t1").into_iter().find(|it| it.ends_with("session")).unwrap();
    assert_eq!(fs::read_to_string(transcript.join("transcript")).unwrap().lines().count(), 2);
    it.git("config user.name a");
    it.git("config user.email a@localhost");
    let landed = it.provost(&["land", "t1", "--yes"]).run();
    assert_eq!(landed.exit(), Some(0), "{}", landed.text());
    assert!(it.work("t1").is_empty(), "{:?}", it.work("t1"));
}

/// A client that cannot go on starts a session of its own in the same attempt.
#[test]
fn a_session_that_cannot_be_resumed_costs_no_attempt() {
    let it = world();
    for name in ["claude-code", "codex"] {
        client(&it, name, "");
        let lost = "case \"$*\" in *resume*) echo sorry >&2; exit 1;; esac";
        it.program(
            &format!("{name}-real"),
            &fs::read_to_string(it.world.path(format!("bin/{name}"))).unwrap(),
        );
        let real = it.world.path(format!("bin/{name}-real"));
        it.program(name, &format!("{lost}\nexec {} \"$@\"", real.display()));
        let ran = it.run(name, spec(name));
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
        assert!(ran.stderr().contains("could not resume it; a new one was started"));
        assert_eq!(it.status(name)["current_attempt"], 2, "{name}");
        assert_eq!(it.count(name, "SESSION_DROPPED"), 1, "{name}");
        assert_eq!(delivered(&it, name, 2, "calls.txt"), "resumed=\nresumed=\n", "{name}");
        let metrics = it.json(&format!("{name}/attempt_002/metrics.json"));
        assert_eq!(metrics["session_of"], Value::Null, "{name}");
        assert_eq!(metrics["tokens"], 100, "{name}");
        let request = it.json(&format!("{name}/attempt_002/coder/request.json"));
        assert_eq!(request["prompt"].as_str().unwrap(), it.prompt(name, 2), "{name}");
    }
}

/// Another model, another agent, the base again: a session of its own.
#[test]
fn a_session_goes_on_with_the_same_agent_model_and_files_only() {
    let it = world();
    client(&it, "claude-code", "");
    client(&it, "codex", "");
    let second = |id: &str| {
        let calls = delivered(&it, id, 2, "calls.txt");
        calls.lines().last().unwrap().to_owned()
    };
    let one = |id: &str, mode: &str| {
        let mut spec = spec("claude-code");
        spec["max_attempts"] = json!(1);
        spec["attempt_context_mode"] = json!(mode);
        it.check(id, spec, 1, "FAILED");
    };
    let go_on = |id: &str, set: &[&str]| {
        for change in ["max_attempts=2"].iter().chain(set) {
            it.order(&["edit", id, "--set", change]);
        }
        let ran = it.provost(&["resume", id]).run();
        assert!(it.exists(&format!("{id}/attempt_002")), "{}", ran.text());
    };
    one("fresh", "fresh_each");
    go_on("fresh", &[]);
    assert_eq!(it.count("fresh", "SESSION_CONTINUED"), 0);

    one("model", "continue");
    go_on("model", &["coder_model=other"]);
    assert_eq!(second("model"), "resumed=");
    assert_eq!(it.count("model", "SESSION_DROPPED"), 1);

    one("agent", "continue");
    go_on("agent", &["coder=codex-coder"]);
    assert_eq!(second("agent"), "resumed=");
    assert_eq!(it.count("agent", "SESSION_DROPPED"), 1);

    one("same", "continue");
    go_on("same", &[]);
    assert_eq!(second("same"), format!("resumed={ID}"));
}

/// What an agent leaves in place of a transcript goes nowhere, and neither does a secret in it.
#[test]
fn only_a_plain_transcript_is_kept() {
    let it = world();
    it.world.write("home/secret", "the person's");
    let secret = "ghp_".to_owned() + "1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV2wX";
    let outside = it.world.path("home/secret");
    for (id, more, why) in [
        (
            "link",
            format!("rm \"$transcript\"; ln -s {} \"$transcript\"", outside.display()),
            "not found",
        ),
        (
            "two",
            "mkdir -p \"$state/projects/a\"; cp \"$transcript\" \"$state/projects/a/\"".to_owned(),
            "several",
        ),
        ("secret", format!("echo {secret} >>\"$transcript\""), "holds a secret"),
    ] {
        client(&it, "claude-code", &more);
        let ran = it.run(id, spec("claude-code"));
        assert!(ran.stderr().contains("same tree, new session"), "{id}: {}", ran.text());
        let dropped = it.events(id).into_iter().find(|it| it["type"] == "SESSION_DROPPED");
        let dropped = dropped.unwrap_or_else(|| panic!("{id}: {}", ran.text()));
        assert!(dropped["summary"].as_str().unwrap().contains(why), "{id}: {dropped}");
        assert_eq!(it.count(id, "SESSION_CONTINUED"), 0, "{id}");
        assert!(it.work(id).is_empty(), "{id}: {:?}", it.work(id));
    }
    assert!(it.holding(&secret).iter().all(|it| !it.ends_with("transcript")));
}
