//! `provost guard mode`, `modes` and `sweep`, and `provost check mode`.

use std::{fs, os::unix::fs::PermissionsExt as _, time::Duration};

use serde_json::{Value, json};

use crate::world::World;

fn stored(world: &World, name: &str) -> Value {
    let text = fs::read_to_string(world.path(format!("repo/.provost/guard/{name}"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The entries of the audit chain, as `action subject`.
fn audited(world: &World) -> Vec<String> {
    let chain = world.path("repo/.provost/out/_audit/audit.jsonl");
    let text = fs::read_to_string(chain).unwrap_or_default();
    let entry = |line: &str| {
        let link: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| link["body"][key].as_str().unwrap().to_owned();
        format!("{} {}", text("action"), text("subject"))
    };
    text.lines().map(entry).collect()
}

/// HOOK-2.4.
#[test]
fn a_mode_is_switched_on_and_off() {
    let world = World::new();
    provost_snapshot!(world.provost().args(["guard", "mode", "ralph", "on"]), @r"
    exit: 0
    ----- stdout -----
    `ralph` is on
    ----- stderr -----
    ");
    provost_snapshot!(world.provost().args(["guard", "mode", "ralph", "on", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    `ralph` 先前已开启
    ----- stderr -----
    ");
    let state = stored(&world, "ralph-state.json");
    assert_eq!((&state["schema"], &state["active"]), (&json!("provost.mode/1"), &json!(true)));
    let file = world.path("repo/.provost/guard/ralph-state.json");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let ran = world.provost().args(["guard", "mode", "ralph", "off", "--json"]).run();
    assert_eq!((ran.exit(), &ran.json()["changed"]), (Some(0), &json!(true)));
    assert_eq!(ran.json()["mode"]["active"], false);
    provost_snapshot!(world.provost().args(["guard", "mode", "ralph", "off"]), @r"
    exit: 0
    ----- stdout -----
    `ralph` was off already
    ----- stderr -----
    ");
    assert_eq!(audited(&world), ["guard.mode.on mode:ralph", "guard.mode.off mode:ralph"]);
    assert_eq!(world.provost().args(["audit", "verify"]).run().exit(), Some(0));
}

/// HOOK-2.4: a name that is no mode is refused before it is part of any path, and audited.
#[test]
fn a_name_that_is_no_mode_is_refused_and_audited() {
    let world = World::new();
    provost_snapshot!(world.provost().args(["guard", "mode", "../../evil", "on"]), @r"
    exit: 1
    ----- stdout -----
    ----- stderr -----
    error: the mode name is an attempt at path traversal: `../../evil`
    hint: the modes are `autopilot`, `ultrapilot`, `team`, `pipeline`, `ralph`, `ultrawork`, `ultraqa`, `swarm`
    ");
    provost_snapshot!(world.provost().args(["guard", "mode", "Ralph", "off", "--lang", "zh"]), @r"
    exit: 1
    ----- stdout -----
    ----- stderr -----
    错误：未知的模式 `Ralph`
    提示：有效的模式：`autopilot`、`ultrapilot`、`team`、`pipeline`、`ralph`、`ultrawork`、`ultraqa`、`swarm`
    ");
    assert_eq!(audited(&world), ["guard.mode.refused mode:unknown"; 2]);
    assert!(!world.path("repo/.provost/guard").exists(), "nothing of it was written");
    assert_eq!(world.provost().args(["guard", "mode", "ralph", "maybe"]).run().exit(), Some(2));
}

/// HOOK-2.4: two exclusive modes are never active together.
#[test]
fn an_exclusive_mode_keeps_another_out() {
    let world = World::new();
    for mode in ["pipeline", "team"] {
        assert_eq!(world.provost().args(["guard", "mode", mode, "on"]).run().exit(), Some(0));
    }
    provost_snapshot!(world.provost().args(["guard", "mode", "swarm", "on"]), @r"
    exit: 5
    ----- stdout -----
    ----- stderr -----
    error: cannot start `swarm` while `pipeline` is active
    hint: end it first: `provost guard mode pipeline off`
    ");
    assert!(!world.path("repo/.provost/guard/swarm-state.json").exists());
    assert_eq!(world.provost().args(["guard", "mode", "pipeline", "off"]).run().exit(), Some(0));
    assert_eq!(world.provost().args(["guard", "mode", "swarm", "on"]).run().exit(), Some(0));
    assert_eq!(stored(&world, "swarm-state.json")["active"], true);
}

/// HOOK-2.4: of many who ask at once, one exclusive mode gets in.
#[test]
fn of_exclusive_modes_that_start_at_once_one_does() {
    let world = World::new();
    assert_eq!(world.provost().args(["guard", "mode", "team", "on"]).run().exit(), Some(0));
    let exclusive = ["autopilot", "ultrapilot", "swarm", "pipeline"];
    for _ in 0..5 {
        let exits: Vec<_> = std::thread::scope(|scope| {
            let start = |mode| {
                let world = &world;
                scope
                    .spawn(move || world.provost().args(["guard", "mode", mode, "on"]).run().exit())
            };
            let started: Vec<_> = exclusive.map(start).into();
            started.into_iter().map(|it| it.join().unwrap().unwrap()).collect()
        });
        let n_of = |code| exits.iter().filter(|it| **it == code).count();
        assert_eq!((n_of(0), n_of(5)), (1, 3), "{exits:?}");
        for mode in exclusive {
            assert_eq!(world.provost().args(["guard", "mode", mode, "off"]).run().exit(), Some(0));
        }
    }
}

#[test]
fn the_modes_are_listed() {
    let world = World::new().with(
        "repo/.provost/guard/ralph-state.json",
        "{\"active\": true, \"iteration\": 3, \"started_at\": \"2026-11-15T00:00:00.123Z\", \"session_id\": \"s1\"}",
    );
    provost_snapshot!(world.provost().args(["guard", "modes"]), @r"
    exit: 0
    ----- stdout -----
    autopilot   off
    ultrapilot  off
    team        off
    pipeline    off
    ralph       on since 2026-11-15T00:00:00.123Z, session s1
    ultrawork   off
    ultraqa     off
    swarm       off
    ----- stderr -----
    ");
    let ran = world.provost().args(["guard", "modes", "--json"]).run();
    let rows = ran.json()["modes"].as_array().unwrap().clone();
    assert_eq!(rows.len(), 8);
    assert_eq!(
        rows[4],
        json!({
            "mode": "ralph", "active": true, "exclusive": false,
            "started_at": "2026-11-15T00:00:00.123Z", "session_id": "s1",
        }),
    );
    assert_eq!(world.provost().args(["guard", "mode", "ralph", "off"]).run().exit(), Some(0));
    let state = stored(&world, "ralph-state.json");
    assert_eq!((&state["active"], &state["iteration"]), (&json!(false), &json!(3)));
}

/// HOOK-2.5: a corrupt state is nothing, is recorded, and is replaced by the next write.
#[test]
fn a_corrupt_state_is_recorded_and_replaced() {
    let state = "repo/.provost/guard/ralph-state.json";
    let world = World::new().with(state, "{\"active\": tr");
    let ran = world.provost().args(["guard", "modes", "--json"]).run();
    assert_eq!((ran.exit(), &ran.json()["modes"][4]["active"]), (Some(0), &json!(false)));
    let error = stored(&world, "last-tool-error.json");
    let path = world.path(state).display().to_string();
    assert_eq!(error["tool_name"], "state-read");
    assert_eq!(error["tool_input_preview"], path);
    assert_eq!(fs::read_dir(world.path("repo/.provost/quarantine")).unwrap().count(), 1);
    assert_eq!(world.provost().args(["guard", "mode", "ralph", "on"]).run().exit(), Some(0));
    assert_eq!(stored(&world, "ralph-state.json")["active"], true);

    world.write(state, "{\"schema\": \"provost.mode/9\"}");
    for command in [&["guard", "modes"][..], &["guard", "mode", "ralph", "off"]] {
        let ran = world.provost().args(command).run();
        assert_eq!(ran.exit(), Some(2), "{command:?}");
        assert!(ran.stderr().contains("a newer provost wrote it"), "{}", ran.stderr());
    }
    assert_eq!(stored(&world, "ralph-state.json")["schema"], "provost.mode/9");
}

/// HOOK-2.4.
#[test]
fn a_name_is_held_against_the_eight_modes() {
    let world = World::new();
    let before = world.listing();
    provost_snapshot!(world.provost().args(["check", "mode", "autopilot"]), @r"
    exit: 0
    ----- stdout -----
    mode: autopilot
    exclusive: yes
    ----- stderr -----
    ");
    provost_snapshot!(world.provost().args(["check", "mode", "..\\x", "--lang", "zh"]), @r"
    exit: 1
    ----- stdout -----
    拒绝：模式名企图遍历路径：`..\x`
    ----- stderr -----
    提示：有效的模式：`autopilot`、`ultrapilot`、`team`、`pipeline`、`ralph`、`ultrawork`、`ultraqa`、`swarm`
    ");
    provost_snapshot!(world.provost().args(["check", "mode", "ralplan", "--json"]), @r#"
    exit: 1
    ----- stdout -----
    {
      "valid": false,
      "mode": null,
      "findings": [
        {
          "rule": "mode.invalid_mode",
          "severity": "P0",
          "subject": "ralplan",
          "message": "unknown mode `ralplan`",
          "message_code": "guard.mode.unknown",
          "message_args": {
            "shown": "ralplan"
          },
          "hint": "the modes are `autopilot`, `ultrapilot`, `team`, `pipeline`, `ralph`, `ultrawork`, `ultraqa`, `swarm`",
          "hint_code": "guard.mode.unknown.hint",
          "hint_args": {
            "modes": [
              "autopilot",
              "ultrapilot",
              "team",
              "pipeline",
              "ralph",
              "ultrawork",
              "ultraqa",
              "swarm"
            ]
          }
        }
      ]
    }
    ----- stderr -----
    "#);
    provost_snapshot!(world.provost().args(["check", "mode", "team", "--json"]), @r#"
    exit: 0
    ----- stdout -----
    {
      "valid": true,
      "mode": "team",
      "findings": []
    }
    ----- stderr -----
    "#);
    for name in ["", "RALPH", " ralph", "ralph\n", "r\u{430}lph", &"x".repeat(4000)] {
        let ran = world.provost().args(["check", "mode", name, "--json"]).run();
        assert_eq!((ran.exit(), &ran.json()["valid"]), (Some(1), &json!(false)), "{name:?}");
    }
    assert_eq!(world.listing(), before, "nothing is written");
}

/// Makes a file of the home older than any replay may be.
fn make_old(world: &World, name: &str) {
    let path = world.path(format!("repo/.provost/{name}"));
    #[expect(clippy::disallowed_methods, reason = "a test makes a file old")]
    let file = fs::OpenOptions::new().append(true).open(path).unwrap();
    let old = file.metadata().unwrap().modified().unwrap() - Duration::from_hours(7 * 24 + 1);
    file.set_modified(old).unwrap();
}

/// HOOK-2.6: what has had its time goes, and it is said what went.
#[test]
fn a_sweep_clears_up_and_says_what() {
    let agent = |id: &str, started_at: &str| {
        json!({
            "agent_id": id, "agent_type": "executor", "started_at": started_at,
            "status": "running",
        })
    };
    let tracking = json!({
        "agents": [agent("lost", "2020-01-01T00:00:00Z"), agent("new", "2999-01-01T00:00:00Z")],
        "total_spawned": 2, "later": 7,
    });
    let waiting = json!({"operation": {"start": {"agent": agent("late", "2999-01-01T00:00:00Z")}}});
    let temporary = ".ralph-state.json.tmp.8c0f5b9e-2f0a-4bb0-9a53-0a3a9a3f1c11";
    let world = World::new()
        .with("repo/.provost/guard/replay/agent-replay-old.jsonl", "{}\n")
        .with("repo/.provost/guard/replay/agent-replay-new.jsonl", "{}\n")
        .with("repo/.provost/guard/subagent-tracking.json", &tracking.to_string())
        .with("repo/.provost/guard/spool/000000000000001-x.json", &waiting.to_string())
        .with(
            "repo/.provost/guard/swarm-active.marker",
            "{\"startedAt\": \"2020-01-01T00:00:00Z\"}",
        )
        .with(&format!("repo/.provost/guard/{temporary}"), "half")
        .with(&format!("repo/.provost/out/t1/{temporary}"), "not the guard's");
    for name in ["guard/replay/agent-replay-old.jsonl", &format!("guard/{temporary}")] {
        make_old(&world, name);
    }
    make_old(&world, &format!("out/t1/{temporary}"));
    provost_snapshot!(world.provost().args(["guard", "sweep"]), @r"
    exit: 0
    ----- stdout -----
    temporary   [WORLD]/repo/.provost/guard/.ralph-state.json.tmp.8c0f5b9e-2f0a-4bb0-9a53-0a3a9a3f1c11
    replay      [WORLD]/repo/.provost/guard/replay/agent-replay-old.jsonl
    lost agent  lost
    marker      [WORLD]/repo/.provost/guard/swarm-active.marker
    ----- stderr -----
    deleted files: 2, lost agents: 1, applied operations: 1, markers: 1
    ");
    let state = stored(&world, "subagent-tracking.json");
    assert_eq!((&state["total_spawned"], &state["total_failed"]), (&json!(3), &json!(1)));
    assert_eq!(state["later"], 7);
    assert_eq!(state["agents"][0]["status"], "failed");
    assert_eq!(state["agents"][2]["agent_id"], "late");
    assert!(world.path(format!("repo/.provost/out/t1/{temporary}")).exists());
    let after = world.listing();
    provost_snapshot!(world.provost().args(["guard", "sweep", "--json"]), @r#"
    exit: 0
    ----- stdout -----
    {
      "removed": [],
      "lost_agents": [],
      "applied": 0,
      "markers": [],
      "failures": [],
      "gone": []
    }
    ----- stderr -----
    deleted files: 0, lost agents: 0, applied operations: 0, markers: 0
    "#);
    assert_eq!(world.listing(), after, "the second time there is nothing to do");
}

#[test]
fn a_sweep_without_a_home_has_nothing_to_do() {
    let world = World::new();
    let before = world.listing();
    provost_snapshot!(world.provost().args(["guard", "sweep", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    ----- stderr -----
    已删除文件 0 个，失联智能体 0 个，补记操作 0 项，标记 0 个
    ");
    provost_snapshot!(world.provost().args(["guard", "modes", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    autopilot   关闭
    ultrapilot  关闭
    team        关闭
    pipeline    关闭
    ralph       关闭
    ultrawork   关闭
    ultraqa     关闭
    swarm       关闭
    ----- stderr -----
    ");
    assert_eq!(world.listing(), before);
}

/// LOOP-A1: whoever is not the configured user changes nothing.
#[test]
fn the_guard_takes_no_orders_from_the_wrong_user() {
    let world = World::new().with("repo/provost.toml", "identity.user = \"nobody-we-know\"\n");
    let before = world.listing();
    for command in [&["guard", "mode", "ralph", "on"][..], &["guard", "sweep"]] {
        assert_eq!(world.provost().args(command).run().exit(), Some(2), "{command:?}");
    }
    assert_eq!(world.listing(), before);
}
