//! A `status.json` that somebody edited by hand: shown with a mark, and nothing is built on it.

use serde_json::json;

use super::stage::{Ending, Stage};

/// A task that failed, and that a hand made ready.
fn forged() -> Stage {
    let stage = Stage::new();
    stage.task("fine", 2, &[Ending::ready()]);
    stage.task("t1", 1, &[Ending::gated()]);
    let mut status = stage.json("t1/status.json");
    status["state"] = json!("READY_FOR_REVIEW");
    status["pause_reason_code"] = json!(null);
    stage.write("t1/status.json", &status.to_string());
    stage
}

/// LOOP-A11, ruling 83: readers show the state with a mark, and say what to do.
#[test]
fn an_edited_state_is_shown_with_a_mark() {
    let stage = forged();
    task_snapshot!(stage.world.provost().args(["show", "t1"]), @r"
    exit: 6
    ----- stdout -----
    t1  UNTRUSTED · 1h ago · HEAD
      integrity does not match the audit chain
      reason    the tests failed
      reason    off by one\u{1b}[2J in `parse`
      FAILED    tests (exit code 1)
      NOT RUN   lint, types, build (not configured)
      verdict   FAIL, 38.5 of 100, stopped by a gate
      gate      dim:correctness:1<2
      issue     logic error\nstate: READY_FOR_REVIEW
      attempts  1 of 3: 1 failed score 38.5 $0.12 12s · total $0.12
      question  What should change before the next attempt? The gating reasons say what stopped it.
    ----- stderr -----
    cannot trust `[WORLD]/repo/.provost/out/t1/status.json`: it does not match the audit chain
    hint: put the file back as it was; or `mv [WORLD]/repo/.provost/out/t1/status.json [WORLD]/repo/.provost/out/t1/status.json.edited`, and `provost resume t1` goes on from what its attempts left
    hint: `provost audit verify` checks the chain; nothing was written
    ");
    task_snapshot!(stage.world.provost().args(["ls", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
       任务  状态    证明    尝试   花费  时间  等待
    ✗  t1    不可信  –       1/3   $0.12    1h  检查其状态
    ✓  fine  待审阅  已验证  1/3   $0.12    2h  你的审阅
    ----- stderr -----
    无法信任 `[WORLD]/repo/.provost/out/t1/status.json`：它与审计链不符
    提示：请把该文件恢复原样；或者先运行 `mv [WORLD]/repo/.provost/out/t1/status.json [WORLD]/repo/.provost/out/t1/status.json.edited`，再用 `provost resume t1` 从已有的尝试继续
    提示：`provost audit verify` 检查审计链；没有写入任何内容
    ");
    task_snapshot!(stage.world.provost().args(["audit", "verify"]), @r"
    exit: 6
    ----- stdout -----
    BROKEN: problems 1, entries 6, stored heads 4
      task `t1`: its `status.json` does not match the chain
    ----- stderr -----
    hint: `provost audit restart` keeps `[WORLD]/repo/.provost/out/_audit/audit.jsonl` in quarantine and begins a new chain; until then no tool call and no order is accepted
    ");
    let shown = stage.world.provost().args(["show", "t1", "--json"]).run().json();
    assert_eq!(shown["next"], json!([]), "every order would be refused");
    assert!(shown["altered"].as_str().unwrap().ends_with("t1/status.json"));
    let listed = stage.world.provost().args(["ls", "--json"]).run().json();
    assert_eq!(listed["altered"].as_object().unwrap().len(), 1);
    let inbox = stage.world.provost().args(["inbox", "--json"]).run().json();
    let waiting: Vec<_> = inbox["waiting"].as_array().unwrap().iter().collect();
    assert_eq!(waiting.len(), 1, "{inbox}");
    assert_eq!(waiting[0]["task_id"], "fine");
    assert_eq!(inbox["altered"].as_object().unwrap().len(), 1);
}

/// LOOP-A11, ruling 83: whoever would change the state refuses, and writes nothing.
#[test]
fn nothing_is_built_on_an_edited_state() {
    let stage = forged();
    let files = ["t1/status.json", "t1/events.jsonl", "_audit/audit.jsonl"];
    let before = files.map(|it| stage.text(it));
    let commands: [&[&str]; 9] = [
        &["approve", "t1"],
        &["reject", "t1", "--because", "no"],
        &["resume", "t1"],
        &["run", "t1"],
        &["pause", "t1"],
        &["reset", "t1"],
        &["override", "t1", "max_attempts=9"],
        &["answer", "t1", "yes"],
        &["accept", "t1", "NOTHING_NEW", "--because", "it is fine"],
    ];
    for command in commands {
        let ran = stage.world.provost().args(command).run();
        assert_eq!(ran.exit(), Some(6), "{command:?}: {}", ran.text());
        assert!(ran.stderr().contains("does not match the audit chain"), "{}", ran.stderr());
        assert!(ran.stderr().contains(".edited`, and `provost resume t1`"), "{}", ran.stderr());
    }
    assert_eq!(files.map(|it| stage.text(it)), before, "nothing was written");
    assert!(!stage.path("t1/orders.jsonl").exists());
}

/// The way out that the hint names: the state is made again from what the attempts left.
#[test]
fn a_task_goes_on_when_the_edited_state_is_moved_away() {
    let stage = forged();
    let (from, to) = (stage.path("t1/status.json"), stage.path("t1/status.json.edited"));
    assert!(stage.world.program("mv").args([from, to]).status().unwrap().success());
    let shown = stage.world.provost().args(["show", "t1", "--json"]).run();
    assert_eq!(shown.exit(), Some(0), "{}", shown.text());
    assert_eq!(shown.json()["status"]["pause_reason_code"], "PAUSED_CRASH");
    assert_eq!(shown.json()["status"]["attempts_consumed"], 1);
    stage.audited();
}

/// A state of an earlier version has no digest in the chain: it is read as before, and recorded from
/// its next change on.
#[test]
fn a_state_of_an_earlier_version_is_read_as_before() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::asks("which port?")]);
    let mut status = stage.json("t1/status.json");
    status["audit_head"] = json!(null);
    status["attempts_consumed"] = json!(0);
    provost_vault::remove(&stage.layout.audit()).unwrap();
    provost_vault::remove(&stage.layout.audit_heads()).unwrap();
    // That version kept no head outside the project.
    provost_vault::remove(&stage.layout.chain_head()).unwrap();
    stage.write("t1/status.json", &status.to_string());
    let answered = stage.world.provost().args(["answer", "t1", "8080", "--no-run"]).run();
    assert_eq!(answered.exit(), Some(0), "{}", answered.text());
    let mut status = stage.json("t1/status.json");
    status["attempts_consumed"] = json!(7);
    stage.write("t1/status.json", &status.to_string());
    assert_eq!(stage.world.provost().args(["show", "t1"]).run().exit(), Some(6));
}
