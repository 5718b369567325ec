//! Tasks whose coordinator is gone, is there, or whose state cannot be read.

use std::{process::Stdio, sync::Arc};

use provost_desk::task::Take;
use provost_kernel::{
    Actor, Source,
    task::{EventKind, Note, Order},
};
use provost_vault::{
    SystemClock,
    lock::{TaskLock, Timing},
};

use super::stage::{Ending, Stage, task};

fn held(stage: &Stage, id: &str) -> TaskLock {
    let at = stage.layout.task_lock(&task(id));
    TaskLock::acquire(&at, Arc::new(SystemClock), Timing::default()).unwrap()
}

/// LOOP-U7, ruling 29: whoever looks writes it down, once.
#[test]
fn a_task_without_a_coordinator_is_paused_by_a_look() {
    let commands: [&[&str]; 6] = [
        &["ls"],
        &["show", "t1"],
        &["logs", "t1"],
        &["explain", "t1"],
        &["inbox"],
        &["logs", "t1", "-f"],
    ];
    for command in commands {
        let stage = Stage::new();
        stage.task("t1", 1, &[]);
        let version = stage.json("t1/status.json")["state_version"].as_u64().unwrap();
        for _ in 0..3 {
            assert_eq!(stage.world.provost().args(command).run().exit(), Some(0), "{command:?}");
        }
        let status = stage.json("t1/status.json");
        assert_eq!(status["pause_reason_code"], "PAUSED_CRASH", "{command:?}");
        assert_eq!(status["state_version"], version + 1);
        assert_eq!(stage.count("t1", EventKind::CoordinatorCrashed), 1, "{command:?}");
        assert_eq!(stage.json("_index/tasks/t1.json")["state"], "PAUSED");
        assert_eq!(stage.json("t1/final_summary.json")["state"], "PAUSED");
        stage.audited();
    }
    let stage = Stage::new();
    stage.task("t1", 1, &[]);
    task_snapshot!(stage.world.provost().args(["show", "t1"]), @r"
    exit: 0
    ----- stdout -----
    t1  PAUSED · [AGE] ago · HEAD
      why       the coordinator ended in the middle of an attempt (PAUSED_CRASH)
      NOT RUN   tests (the task has no test command) · lint, types, build (not configured)
      attempts  1 of 3
      question  Go on with the next attempt? (`provost resume t1`)
    next: provost resume t1 (continue)
    ----- stderr -----
    ");
}

/// LOOP-U7: however many look at once, there is one event, and all of them see the same.
#[test]
fn many_looks_at_once_find_one_crash() {
    let stage = Stage::new();
    stage.task("t1", 1, &[]);
    let looks: Vec<_> = std::thread::scope(|scope| {
        let look = || stage.world.provost().args(["show", "t1", "--json"]).run();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(look)).collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    for look in &looks {
        assert_eq!(look.exit(), Some(0), "{}", look.text());
        assert_eq!(look.json()["status"]["pause_reason_code"], "PAUSED_CRASH", "{}", look.text());
    }
    assert_eq!(stage.count("t1", EventKind::CoordinatorCrashed), 1);
    stage.audited();
}

/// LOOP-U9: a look at a task that somebody runs changes nothing and says who.
#[test]
fn a_task_that_runs_is_shown_with_who_runs_it() {
    let stage = Stage::new();
    stage.task("t1", 1, &[]);
    let lock = held(&stage, "t1");
    let before = stage.text("t1/status.json");
    let ran = stage.world.provost().args(["show", "t1"]).run();
    assert_eq!(ran.exit(), Some(0));
    let holder = lock.holder().process;
    let who = format!("run by    process {} on {}\n", holder.pid, holder.host);
    assert!(ran.stdout().contains(&who), "{}", ran.stdout());
    assert!(ran.stdout().contains("next: provost pause t1"), "{}", ran.stdout());
    let json = stage.world.provost().args(["show", "t1", "--json"]).run().json();
    assert_eq!(json["holder"]["process"]["pid"], holder.pid);
    assert_eq!(json["status"]["state"], "RUNNING");
    let ran = stage.world.provost().args(["show", "t1", "--lang", "zh"]).run();
    let who = format!("运行者    {} 上的进程 {}\n", holder.host, holder.pid);
    assert!(ran.stdout().contains(&who), "{}", ran.stdout());
    task_snapshot!(stage.world.provost().args(["explain", "t1"]), @r"
    exit: 0
    ----- stdout -----
    task: t1
    now: attempt 1 is running, and nothing is decided yet
    decided: nothing yet
    next: provost logs t1 -f (watch it)
    next: provost pause t1 (stop at the next checkpoint)
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["ls"]), @r"
    exit: 0
    ----- stdout -----
       TASK  STATE    PROOF  TRY  COST  AGE  WAITS FOR
    …  t1    running  –      1/3     –   1h
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["inbox"]), @r"
    exit: 0
    ----- stdout -----
    nothing waits for you
    ----- stderr -----
    ");
    assert_eq!(stage.text("t1/status.json"), before);
    assert_eq!(stage.count("t1", EventKind::CoordinatorCrashed), 0);
}

/// LOOP-U9: the lock of a coordinator that was killed is taken over, with an event.
#[test]
fn the_lock_of_a_killed_coordinator_is_taken_over() {
    let stage = Stage::new();
    stage.task("t1", 1, &[]);
    let mut holder = held(&stage, "t1").holder();
    // What a killed process leaves: its name, not released, and no lock of the system.
    holder.process.pid = u32::MAX >> 1;
    stage.write("t1/lock", &serde_json::to_string(&holder).unwrap());
    for _ in 0..2 {
        assert_eq!(stage.world.provost().args(["show", "t1"]).run().exit(), Some(0));
    }
    assert_eq!(stage.json("t1/status.json")["pause_reason_code"], "PAUSED_CRASH");
    assert_eq!(stage.count("t1", EventKind::LockStaleCleared), 1);
    assert_eq!(stage.count("t1", EventKind::CoordinatorCrashed), 1);
    let events = stage.lines("t1/events.jsonl");
    let cleared = events.iter().find(|it| it["type"] == "LOCK_STALE_CLEARED").unwrap();
    assert_eq!(
        (&cleared["reason"], &cleared["pid"]),
        (&"holder_gone".into(), &holder.process.pid.into())
    );
}

/// `logs -f` prints what comes, and ends when the task stands still.
#[test]
fn logs_follow_a_task_until_it_stands_still() {
    let stage = Stage::new();
    stage.task("t1", 1, &[]);
    let lock = held(&stage, "t1");
    let mut child = stage
        .world
        .program(env!("CARGO_BIN_EXE_provost"))
        .args(["logs", "t1", "-f"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let first = lines.next().unwrap().unwrap();
    assert!(first.contains("TASK_CREATED"), "{first}");
    let id = task("t1");
    let desk = stage.desk(0);
    desk.files(&id).append_note(Note::new(EventKind::CoderFinished, "rc=0"), 1).unwrap();
    let seen = lines.by_ref().map(Result::unwrap).find(|it| it.contains("CODER_FINISHED"));
    assert!(seen.is_some(), "a new event is printed while the task runs");
    // The coordinator goes without a word; the one who follows finds out and ends.
    drop(lock);
    let rest: Vec<_> = lines.map(Result::unwrap).collect();
    assert!(rest.iter().any(|it| it.contains("COORDINATOR_CRASHED")), "{rest:?}");
    assert!(child.wait().unwrap().success());
}

/// `logs -f` also ends when nobody reads it any more, although nothing is printed.
#[test]
fn logs_end_when_the_reader_goes() {
    let stage = Stage::new();
    stage.task("t1", 1, &[]);
    let _lock = held(&stage, "t1");
    let mut child = stage
        .world
        .program(env!("CARGO_BIN_EXE_provost"))
        .args(["logs", "t1", "-f"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    lines.next().unwrap().unwrap();
    drop(lines);
    assert!(child.wait().unwrap().success());
    assert_eq!(stage.json("t1/status.json")["state"], "RUNNING");
}

/// Ruling 6: a state that cannot be read is kept aside, the task is paused, and the command that
/// met it exits with 6.
#[test]
fn a_corrupt_state_is_put_aside_and_the_task_is_paused() {
    for junk in ["", "{half", "[]", "\u{0}\u{0}\u{0}", "{\"state\": \"RUNNING\"}"] {
        let stage = Stage::new();
        stage.task("t1", 1, &[Ending::ready()]);
        let version = stage.json("t1/status.json")["state_version"].as_u64().unwrap();
        stage.write("t1/status.json", junk);
        let ran = stage.world.provost().args(["show", "t1"]).run();
        assert_eq!(ran.exit(), Some(6), "{junk:?}: {}", ran.text());
        assert!(ran.stderr().contains("the state of `t1` in `"), "{}", ran.stderr());

        let again = stage.world.provost().args(["show", "t1", "--json"]).run();
        assert_eq!(again.exit(), Some(0), "{junk:?}: {}", again.text());
        let status = &again.json()["status"];
        assert_eq!(status["pause_reason_code"], "PAUSED_CRASH");
        assert!(status["state_version"].as_u64().unwrap() > version, "never back");
        assert_eq!(status["current_attempt"], 1);
        assert_eq!(stage.count("t1", EventKind::StateQuarantined), 1);
        let kept = std::fs::read_dir(stage.world.path("repo/.provost/quarantine")).unwrap();
        let kept: Vec<_> = kept.map(|it| std::fs::read(it.unwrap().path()).unwrap()).collect();
        assert_eq!(kept, [junk.as_bytes()], "what was there is kept");
        stage.audited();
    }
}

/// A list is not stopped by one task whose state cannot be read.
#[test]
fn a_corrupt_state_does_not_stop_a_list() {
    let stage = Stage::new();
    stage.task("broken", 1, &[]);
    stage.task("fine", 2, &[Ending::ready()]);
    stage.write("broken/status.json", "{half");
    let ran = stage.world.provost().args(["ls", "--json"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let states: Vec<_> = ran.json()["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["state"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(states, ["PAUSED", "READY_FOR_REVIEW"]);
    let json = stage.world.provost().args(["inbox", "--json"]).run().json();
    assert_eq!(json["waiting"].as_array().unwrap().len(), 2);
}

/// A status that is gone is rebuilt from what else is known.
#[test]
fn a_missing_state_is_rebuilt() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::gated()]);
    #[expect(clippy::disallowed_methods, reason = "a test loses a file")]
    std::fs::remove_file(stage.path("t1/status.json")).unwrap();
    let ran = stage.world.provost().args(["show", "t1", "--json"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(ran.json()["status"]["pause_reason_code"], "PAUSED_CRASH");
    assert_eq!(ran.json()["status"]["attempts_consumed"], 1, "what was consumed stays so");
}

/// What a newer version wrote is not corruption: it is refused, and stays as it is.
#[test]
fn a_state_of_a_newer_version_is_refused_and_kept() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::ready()]);
    let newer = stage.text("t1/status.json").replace("provost.status/1", "provost.status/2");
    stage.write("t1/status.json", &newer);
    task_snapshot!(stage.world.provost().args(["show", "t1"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot parse `[WORLD]/repo/.provost/out/t1/status.json`
    cause: the schema is `provost.status/2`, and this version reads `provost.status/1`
    hint: a newer provost wrote it: use that one
    ");
    let commands: [&[&str]; 4] =
        [&["approve", "t1"], &["resume", "t1"], &["explain", "t1"], &["logs", "t1", "-f"]];
    for command in commands {
        let ran = stage.world.provost().args(command).run();
        assert_eq!(ran.exit(), Some(2), "{command:?}: {}", ran.stderr());
    }
    assert_eq!(stage.text("t1/status.json"), newer);
    assert!(!stage.layout.quarantine().path().exists());
}

/// A spec that is gone is named; the answer is not a question about the spelling.
#[test]
fn a_task_without_its_spec_says_which_file_is_missing() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::ready()]);
    provost_vault::remove(&stage.layout.task_spec(&task("t1"))).unwrap();
    task_snapshot!(stage.world.provost().args(["approve", "t1"]), @r"
    exit: 6
    ----- stdout -----
    ----- stderr -----
    error: the task has no spec: `[WORLD]/repo/.provost/out/t1/task.json` is missing
    hint: restore the file, or run the original spec again
    ");
}

/// An order to go on that nobody carried out does not hold the next ones up.
#[test]
fn an_order_behind_one_that_nobody_carried_out_takes_effect() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::asks("which port?")]);
    // Somebody ordered it an hour ago, and was stopped before the task was driven.
    let actor = Actor { source: Source::Cli, id: "ann".to_owned() };
    let task = task("t1");
    let take = Take { task: &task, order: Order::Resume, request_id: None, actor, seen: None };
    stage.desk(1).order(take).unwrap();
    task_snapshot!(stage.world.provost().args(["answer", "t1", "8080", "--no-run"]), @r"
    exit: 0
    ----- stdout -----
    Answer recorded. `t1` is paused.
    next: provost resume t1 (continue)
    ----- stderr -----
    ");
    assert_eq!(stage.count("t1", EventKind::OrderRefused), 1);
    assert_eq!(stage.json("t1/status.json")["last_order_seq_applied"], 2);
}

/// A line of the queue that cannot be read is named, and nothing is done.
#[test]
fn a_damaged_queue_of_orders_is_named() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::asks("which port?")]);
    assert_eq!(
        stage.world.provost().args(["answer", "t1", "8080", "--no-run"]).run().exit(),
        Some(0)
    );
    let damaged = format!("{{half\n{}", stage.text("t1/control/orders.jsonl"));
    stage.write("t1/control/orders.jsonl", &damaged);
    task_snapshot!(stage.world.provost().args(["answer", "t1", "8081"]), @r"
    exit: 6
    ----- stdout -----
    ----- stderr -----
    error: cannot parse `[WORLD]/repo/.provost/out/t1/control/orders.jsonl`
    cause: invalid line 1: key must be a string at line 1 column 2
    hint: restore line 1 from a copy; nothing was written
    ");
    assert_eq!(stage.text("t1/control/orders.jsonl"), damaged);
}

/// A chain that somebody removed, with the list of its heads, is missed by the tasks.
#[test]
fn a_removed_audit_chain_is_found_out() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::ready()]);
    for at in [stage.layout.audit(), stage.layout.audit_heads()] {
        provost_vault::remove(&at).unwrap();
    }
    task_snapshot!(stage.world.provost().args(["audit", "verify"]), @r"
    exit: 6
    ----- stdout -----
    BROKEN: problems 1, entries 0, stored heads 0
      task `t1`: its state names entry 3, which is not in the chain
    ----- stderr -----
    hint: `provost audit restart` keeps `[WORLD]/repo/.provost/out/_audit/audit.jsonl` in quarantine and begins a new chain; until then no tool call and no order is accepted
    ");
    let ran = stage.world.provost().args(["approve", "t1"]).run();
    assert_eq!(ran.exit(), Some(6), "{}", ran.stderr());
    assert_eq!(stage.json("t1/status.json")["review"], serde_json::Value::Null);
}

/// Whoever reads Chinese reads it, whatever language the task was run in.
#[test]
fn a_message_is_told_in_the_language_of_the_reader() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::ready()]);
    task_snapshot!(stage.world.provost().args(["show", "t1", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    t1  待审阅 · 1 小时前 · HEAD
      已验证    测试（退出码 0） · 路径（2 个文件）
      未运行    代码检查、类型、构建（未配置）
      裁决      PASS
      尝试      1/3：1 通过 $0.12 12s · 共 $0.12
    下一步：provost approve t1（批准结果）
    下一步：provost reject t1 --because TEXT（拒绝结果并说明理由）
    下一步：provost land t1（合入其分支）
    ----- stderr -----
    ");
    assert_eq!(stage.world.provost().args(["reset", "t1"]).run().exit(), Some(0));
    task_snapshot!(stage.world.provost().args(["inbox", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    t1  已暂停 · 任务已由人工暂停或重置 · [AGE]前
      问题：是否继续？（`provost resume t1`）
      provost resume t1
    ----- stderr -----
    ");
}
