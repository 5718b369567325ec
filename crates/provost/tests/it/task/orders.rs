//! `pause`, `reset`, `edit`, `answer`, `approve` and `reject`: what they record, and when they are
//! refused.

use std::sync::Arc;

use provost_kernel::task::{EventKind, VerdictDecision};
use provost_vault::{
    SystemClock,
    lock::{TaskLock, Timing},
};
use serde_json::json;

use super::stage::{Ending, Stage, task};

/// A task that somebody runs, as long as the lock is held.
fn held(stage: &Stage, id: &str) -> TaskLock {
    let at = stage.layout.task_lock(&task(id));
    TaskLock::acquire(&at, Arc::new(SystemClock), Timing::default()).unwrap()
}

#[test]
fn each_order_has_a_receipt_and_an_effect() {
    let stage = Stage::new();
    stage.task("ask", 1, &[Ending::asks("which port?")]);
    stage.task("ready", 1, &[Ending::ready()]);
    task_snapshot!(stage.world.provost().args(["answer", "ask", "8080", "--no-run"]), @r"
    exit: 0
    ----- stdout -----
    Answer recorded. `ask` is paused.
    next: provost resume ask (continue)
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["edit", "ask", "--instruction", "be brief"]), @r"
    exit: 0
    ----- stdout -----
    Instruction recorded. `ask` is paused.
    next: provost resume ask (continue)
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["approve", "ready", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    `ready` 已批准。
    下一步：provost land ready（合入其分支）
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["reject", "ready", "--because", "no tests"]), @r"
    exit: 0
    ----- stdout -----
    `ready` is rejected.
    next: provost resume ready (try again, with your reason)
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["reset", "ask"]), @r"
    exit: 0
    ----- stdout -----
    Attempts are counted from 1 again. `ask` is paused.
    next: provost resume ask (continue)
    ----- stderr -----
    ");

    assert_eq!(stage.json("ask/status.json")["attempts_consumed"], 0);
    let input = stage.lines("ask/user_input.jsonl");
    assert_eq!(input.len(), 1);
    assert_eq!((&input[0]["text"], &input[0]["seq"]), (&json!("8080"), &json!(1)));
    assert_eq!(input[0]["actor"]["source"], "cli");
    assert_eq!(stage.count("ask", EventKind::UserInputReceived), 1);
    assert_eq!(stage.count("ask", EventKind::TaskReset), 1);

    // Ruling 25: a review changes no state.
    let (status, review) = (stage.json("ready/status.json"), stage.json("ready/review.json"));
    assert_eq!(status["state"], "READY_FOR_REVIEW");
    assert_eq!(status["review"], review);
    assert_eq!((&review["outcome"], &review["because"]), (&json!("rejected"), &json!("no tests")));
    assert_eq!(stage.count("ready", EventKind::ReviewRecorded), 2);
}

/// Ruling 25, in what people read.
#[test]
fn a_review_and_an_instruction_are_shown() {
    let stage = Stage::new();
    stage.task("ready", 1, &[Ending::ready()]);
    let commands: [&[&str]; 2] = [
        &["reject", "ready", "--because", "it is \u{1b}[1mwrong"],
        &["edit", "ready", "--instruction", "start from the test"],
    ];
    for command in commands {
        assert_eq!(stage.world.provost().args(command).run().exit(), Some(0));
    }
    task_snapshot!(stage.world.provost().args(["show", "ready"]), @r"
    exit: 0
    ----- stdout -----
    ready  REJECTED · [AGE] ago · HEAD
      VERIFIED  tests (exit code 0) · paths (2 files)
      NOT RUN   lint, types, build (not configured)
      verdict   PASS
      attempts  1 of 3: 1 passed (rejected) $0.12 12s · total $0.12
      you said  start from the test (told to the next attempt)
      review    rejected by [USER], [TIME]: it is \u{1b}[1mwrong
    next: provost resume ready (try again, with your reason)
    ----- stderr -----
    ");
}

/// Every order has its entry in the audit, with who gave it and how, and the chain holds.
#[test]
fn every_order_is_audited() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::ready()]);
    let commands: [&[&str]; 7] = [
        &["answer", "t1", "x", "--request-id", "r1"],
        &["edit", "t1", "--instruction", "x"],
        &["override", "t1", "max_attempts=5"],
        &["override", "t1", "--rollback"],
        &["approve", "t1"],
        &["reject", "t1", "--because", "x"],
        &["reset", "t1"],
    ];
    for command in commands {
        assert_eq!(stage.world.provost().args(command).run().exit(), Some(0), "{command:?}");
    }
    let entries = stage.audited();
    let actions: Vec<_> = entries.iter().map(|it| it["action"].as_str().unwrap()).collect();
    assert_eq!(
        actions,
        [
            "task.answer",
            "task.edit",
            "task.override",
            "task.rollback",
            "task.approve",
            "task.reject",
            "task.reset",
        ],
    );
    let orders = stage.lines("t1/control/orders.jsonl");
    for (entry, order) in entries.iter().zip(&orders) {
        assert_eq!(entry["subject"], "task:t1");
        assert_eq!(entry["actor"], order["actor"]);
        assert_eq!(entry["detail"]["order"], order["order"]);
        assert!(!entry["actor"]["id"].as_str().unwrap().is_empty());
    }
    assert_eq!(entries[0]["request_id"], "r1");
    assert_eq!(entries[2]["detail"]["new"], json!({ "max_attempts": 5 }));
    assert_eq!(entries[3]["detail"]["old"], json!({ "max_attempts": 5 }));
}

/// What is refused leaves the task as it was, and no order.
#[test]
fn an_order_that_makes_no_sense_is_refused() {
    let stage = Stage::new();
    stage.task("ready", 1, &[Ending::ready()]);
    stage.task("ask", 1, &[Ending::asks("which port?")]);
    let long = "x".repeat(20_001);
    let commands: [(&[&str], &str); 8] = [
        (&["pause", "ready"], "cannot pause a task that is READY_FOR_REVIEW"),
        (&["approve", "ask"], "cannot approve a task that is PAUSED"),
        (&["reject", "ask", "--because", "x"], "cannot reject a task that is PAUSED"),
        (&["reject", "ready", "--because", ""], "`reject` needs a text"),
        (&["answer", "ask", " "], "`answer` needs a text"),
        (&["edit", "ask", "--instruction", "\n"], "`edit` needs a text"),
        (&["answer", "ask", &long], "the text of `answer` has more than 20000 characters"),
        (
            &["answer", "ask", "x", "--request-id", "a b"],
            "invalid request id: it contains \" \" at position 1",
        ),
    ];
    let before = [stage.text("ready/status.json"), stage.text("ask/status.json")];
    for (command, expected) in commands {
        let ran = stage.world.provost().args(command).run();
        assert_eq!(ran.exit(), Some(2), "{command:?}");
        assert!(ran.stderr().starts_with(&format!("error: {expected}\n")), "{}", ran.stderr());
    }
    assert_eq!([stage.text("ready/status.json"), stage.text("ask/status.json")], before);
    assert!(stage.audited().is_empty());
    let orders = ["ready", "ask"].map(|it| stage.text(&format!("{it}/control/orders.jsonl")));
    assert_eq!(orders, ["", ""]);
}

#[test]
fn a_text_can_come_from_standard_input() {
    let stage = Stage::new();
    stage.task("ask", 1, &[Ending::asks("which port?")]);
    let ran = stage
        .world
        .provost()
        .args(["answer", "ask", "-", "--no-run"])
        .input("第一行\nsecond\n")
        .run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(stage.lines("ask/user_input.jsonl")[0]["text"], "第一行\nsecond");
    let ran = stage.world.provost().args(["edit", "ask", "--instruction", "-"]).input("go").run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(stage.json("ask/status.json")["next_instruction"], "go");
    task_snapshot!(stage.world.provost().args(["answer", "ask", "-"]).input(b"\xff"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: standard input is not UTF-8
    cause: invalid utf-8 sequence of 1 bytes from index 0
    ");
    task_snapshot!(stage.world.provost().args(["answer", "ask", "-"]), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `answer` needs a text
    hint: write it in quotes, such as "the total is wrong"
    "#);
}

/// Ruling 26: `pause` returns when it is recorded; `reset` refuses a running task.
#[test]
fn a_running_task_takes_what_can_wait() {
    let stage = Stage::new();
    stage.task("t1", 1, &[]);
    let lock = held(&stage, "t1");
    task_snapshot!(stage.world.provost().args(["pause", "t1"]), @r"
    exit: 0
    ----- stdout -----
    Pause recorded. It takes effect at the next step. `t1` is running.
    next: provost logs t1 -f (watch it)
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["reset", "t1"]), @r"
    exit: 5
    ----- stdout -----
    ----- stderr -----
    error: cannot reset a running task
    hint: pause it first: `provost pause t1`
    ");
    task_snapshot!(stage.world.provost().args(["approve", "t1", "--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：任务处于 RUNNING，无法执行 `approve`
    提示：运行 `provost show t1` 查看目前可执行的操作
    ");
    let ran = stage.world.provost().args(["answer", "t1", "x", "--json"]).run();
    assert_eq!(ran.exit(), Some(0));
    let receipt = ran.json();
    assert_eq!(receipt["applied"], false);
    assert_eq!((&receipt["seq"], &receipt["state"]), (&json!(2), &json!("RUNNING")));
    // What people said is there at once, for the coordinator to read.
    assert_eq!(stage.lines("t1/user_input.jsonl").len(), 1);
    assert_eq!(stage.count("t1", EventKind::OrderApplied), 0);
    drop(lock);
    stage.audited();
}

/// An order to a task whose coordinator is gone meets a paused task.
#[test]
fn an_order_to_a_task_whose_coordinator_is_gone_is_carried_out() {
    let stage = Stage::new();
    stage.task("t1", 1, &[]);
    let ran = stage.world.provost().args(["reset", "t1", "--json"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(ran.json()["state"], "PAUSED");
    assert_eq!(stage.count("t1", EventKind::CoordinatorCrashed), 1);
    assert_eq!(stage.json("t1/status.json")["pause_reason_code"], "PAUSED_USER");
}

#[test]
fn a_failed_task_can_be_reviewed_and_not_landed() {
    let stage = Stage::new();
    let failing = Ending::judged(VerdictDecision::Fail);
    stage.task("t1", 1, &[failing.clone(), failing.clone(), failing]);
    let approved = stage.world.provost().args(["approve", "t1"]).run();
    assert_eq!(approved.exit(), Some(0), "{}", approved.text());
    assert!(approved.text().contains("Approval recorded for learning."), "{}", approved.text());
    assert_eq!(stage.world.provost().args(["land", "t1", "--yes"]).run().exit(), Some(1));
    let reject = ["reject", "t1", "--because", "no"];
    assert_eq!(stage.world.provost().args(reject).run().exit(), Some(0));
    assert_eq!(stage.json("t1/status.json")["state"], "FAILED");
}
