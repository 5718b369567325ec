//! `ls`, `show` and `logs`.

mod explain;
mod inbox;

use provost_kernel::task::{TaskType, VerdictDecision};

use super::stage::{Ending, Stage};
use crate::world::World;

fn failing() -> Ending {
    Ending::judged(VerdictDecision::Fail)
}

/// One task of every kind, the newest first by name.
fn stage() -> Stage {
    let stage = Stage::new();
    stage.task("ask", 1, &[failing(), Ending::asks("which port?")]);
    stage.task("gated", 2, &[Ending::gated()]);
    stage.task_with("ready", 3, &[Ending::ready()], |it| {
        it.task_type = Some(TaskType::EngineeringImpl);
        it.test_cmd = Some("make test".to_owned());
    });
    stage.task("used-up", 30, &[failing(), failing(), failing()]);
    stage
}

#[test]
fn ls_has_a_line_for_each_task_the_newest_first() {
    let stage = stage();
    task_snapshot!(stage.world.provost().args(["ls"]), @r"
    exit: 0
    ----- stdout -----
       TASK     STATE   PROOF     TRY   COST  AGE  WAITS FOR
    !  ask      paused  –         2/3  $0.24   1h  your answer
    !  gated    paused  red       1/3  $0.12   2h  your instruction
    ✓  ready    ready   verified  1/3  $0.12   3h  your review
    ✗  used-up  failed  –         3/3  $0.36   1d
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["ls", "--state", "paused", "--limit", "1"]), @r"
    exit: 0
    ----- stdout -----
       TASK  STATE   PROOF  TRY   COST  AGE  WAITS FOR
    !  ask   paused  –      2/3  $0.24   1h  your answer
    ----- stderr -----
    1 more; `--limit` shows more of them
    ");
    let ran = stage.world.provost().args(["ls", "--json", "--limit", "3"]).run();
    assert_eq!(
        (ran.exit(), ran.stderr().as_str()),
        (Some(0), "1 more; `--limit` shows more of them\n")
    );
    let json = ran.json();
    assert_eq!(json["left_out"], 1);
    assert_eq!(json["unreadable"].as_array().unwrap().len(), 0);
    assert_eq!(json["tasks"][1]["task_id"], "gated");
    assert_eq!(json["tasks"][1]["final_score_0_100"], 38.5);
    assert_eq!(json["tasks"][1]["state"], "PAUSED");
    assert_eq!(json["tasks"][1]["phase"], "paused");
    assert_eq!(json["tasks"][1]["proof"], "red");
    assert_eq!(
        json["tasks"][0]["spent"],
        serde_json::json!({ "usd": 0.24, "unknown_attempts": 0 })
    );
    assert_eq!(json["tasks"][0]["waits_for"]["zh"], "你的答复");
}

/// A person's word is not a state, and a list says it all the same.
#[test]
fn ls_says_what_became_of_a_result() {
    let stage = stage();
    stage.task("taken", 2, &[Ending::ready()]);
    let order = |words: &[&str]| {
        assert_eq!(stage.world.provost().args(words).run().exit(), Some(0), "{words:?}");
    };
    order(&["approve", "taken"]);
    order(&["reject", "used-up", "--because", "too slow"]);
    let listed = stage.world.provost().args(["ls"]).run().stdout();
    let row = |id: &str| {
        let line = listed.lines().find(|it| it.contains(id)).unwrap();
        line.split_whitespace().take(4).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("taken"), "✓ taken approved verified");
    assert_eq!(row("used-up"), "✗ used-up rejected –");
    assert!(!listed.contains('\u{1b}'), "{listed}");
}

#[test]
fn ls_says_when_there_is_nothing_and_which_states_there_are() {
    let stage = Stage::new();
    task_snapshot!(stage.world.provost().args(["ls"]), @r"
    exit: 0
    ----- stdout -----
    ----- stderr -----
    no tasks
    ");
    task_snapshot!(stage.world.provost().args(["ls", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    ----- stderr -----
    没有任务
    ");
    task_snapshot!(stage.world.provost().args(["ls", "--state", "DONE"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: unknown state `DONE`
    hint: use one of `RUNNING`, `PAUSED`, `READY_FOR_REVIEW`, `FAILED`
    ");
    task_snapshot!(stage.world.provost().args(["ls", "--limit", "0"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: invalid value '0' for '--limit <N>': number would be zero for non-zero type

    For more information, try '--help'.
    ");
}

/// An entry of the index is a copy: one that cannot be read is written again from the task.
#[test]
fn a_broken_entry_of_the_index_is_written_again() {
    let stage = stage();
    stage.write("_index/tasks/gated.json", "{half");
    let ran = stage.world.provost().args(["ls", "--json"]).run();
    assert_eq!((ran.exit(), ran.stderr().as_str()), (Some(0), ""));
    assert_eq!(ran.json()["tasks"].as_array().unwrap().len(), 4);
    assert_eq!(stage.json("_index/tasks/gated.json")["state"], "PAUSED");
}

/// What a newer version wrote is named, left alone, and hides no other task.
#[test]
fn an_entry_of_a_newer_version_is_a_message() {
    let stage = Stage::new();
    stage.task("ready", 3, &[Ending::ready()]);
    assert_eq!(stage.world.provost().args(["approve", "ready"]).run().exit(), Some(0));
    let entry = stage.text("_index/tasks/ready.json").replace("index-entry/1", "index-entry/2");
    stage.write("_index/tasks/ready.json", &entry);
    let path = stage.path("_index/tasks/ready.json");
    let ran = stage.world.provost().args(["ls", "--json"]).run();
    assert_eq!(ran.exit(), Some(0));
    assert_eq!(ran.json()["unreadable"], serde_json::json!([path]));
    assert_eq!(ran.json()["tasks"].as_array().unwrap().len(), 1);
    assert!(ran.stderr().contains("_index/tasks/ready.json"), "{}", ran.stderr());

    let ran = stage.world.provost().args(["inbox"]).run();
    assert_eq!((ran.exit(), ran.stdout().as_str()), (Some(0), ""), "it may well wait");
    assert!(ran.stderr().contains("_index/tasks/ready.json"), "{}", ran.stderr());
    task_snapshot!(stage.world.provost().args(["show", "ready"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot parse `[WORLD]/repo/.provost/out/_index/tasks/ready.json`
    cause: the schema is `provost.index-entry/2`, and this version reads `provost.index-entry/1`
    hint: a newer provost wrote it: use that one
    ");
    assert_eq!(stage.text("_index/tasks/ready.json"), entry);
}

#[test]
fn show_says_what_is_verified_and_what_to_do() {
    let stage = stage();
    task_snapshot!(stage.world.provost().args(["show", "ask"]), @r"
    exit: 0
    ----- stdout -----
    ask  PAUSED · 1h ago · HEAD
      why       your answer is needed (PAUSED_WAITING_USER_INPUT)
      NOT RUN   tests (the task has no test command) · lint, types, build (not configured)
      verdict   NEED_USER_INPUT
      attempts  2 of 3: 1 failed $0.12 12s · 2 stopped (not counted) $0.12 12s · total $0.24
      question  which port?
    next: provost answer ask TEXT (answer the question)
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["show", "gated"]), @r"
    exit: 0
    ----- stdout -----
    gated  PAUSED · 2h ago · HEAD
      why       a gate stopped the verdict (PAUSED_SCORE_GATED)
      reason    the tests failed
      reason    off by one\u{1b}[2J in `parse`
      FAILED    tests (exit code 1)
      NOT RUN   lint, types, build (not configured)
      verdict   FAIL, 38.5 of 100, stopped by a gate
      gate      dim:correctness:1<2
      issue     logic error\nstate: READY_FOR_REVIEW
      attempts  1 of 3: 1 failed score 38.5 $0.12 12s · total $0.12
      question  What should change before the next attempt? The gating reasons say what stopped it.
    next: provost explain gated (see why)
    next: provost edit gated --instruction TEXT (instruct the next attempt)
    next: provost resume gated (continue)
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["show", "ready"]), @r"
    exit: 0
    ----- stdout -----
    ready  READY · 3h ago · HEAD
      VERIFIED  tests (exit code 0) · paths (2 files) · rubric (version 1)
      NOT RUN   lint, types, build (not configured)
      verdict   PASS
      type      engineering_impl
      attempts  1 of 3: 1 passed $0.12 12s · total $0.12
    next: provost approve ready (accept the result)
    next: provost reject ready --because TEXT (reject the result, with a reason)
    next: provost land ready (put it onto its branch)
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["show", "used-up"]), @r"
    exit: 0
    ----- stdout -----
    used-up  FAILED · 1d ago · HEAD
      why       attempt 3 of 3 failed, and none is left
      NOT RUN   tests (the task has no test command) · lint, types, build (not configured)
      verdict   FAIL
      attempts  3 of 3: 1 failed $0.12 12s · 2 failed $0.12 12s · 3 failed $0.12 12s · total $0.36
    next: provost explain used-up (see why)
    next: provost edit used-up --set max_attempts=4 (allow one more attempt)
    next: provost reject used-up --because TEXT (reject the result, with a reason)
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["show", "gated", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    gated  已暂停 · 2 小时前 · HEAD
      原因      裁决未通过硬性门槛（PAUSED_SCORE_GATED）
      理由      测试未通过
      理由      off by one\u{1b}[2J in `parse`
      未通过    测试（退出码 1）
      未运行    代码检查、类型、构建（未配置）
      裁决      FAIL，38.5/100，被硬性门槛拦下
      门槛      dim:correctness:1<2
      问题      logic error\nstate: READY_FOR_REVIEW
      尝试      1/3：1 失败 得分 38.5 $0.12 12s · 共 $0.12
      问题      下一次尝试前应改变什么？门槛原因说明了它为何被拦下。
    下一步：provost explain gated（查看原因）
    下一步：provost edit gated --instruction TEXT（说明下一次尝试应做什么）
    下一步：provost resume gated（继续）
    ----- stderr -----
    ");
}

#[test]
fn show_is_one_document_for_scripts() {
    let stage = stage();
    let ran = stage.world.provost().args(["show", "ask", "--json"]).run();
    assert_eq!(ran.exit(), Some(0));
    let json = ran.json();
    assert_eq!(json["status"]["pause_reason_code"], "PAUSED_WAITING_USER_INPUT");
    assert_eq!(json["attempts"][0]["decision"]["decision"]["row"], "fail-next-attempt");
    assert_eq!(json["attempts"][1]["metrics"]["coder_rc"], 0);
    assert_eq!(json["checks"][0]["name"], "tests");
    assert_eq!(json["checks"][0]["standing"], "not_verified");
    assert_eq!(json["rubric"], serde_json::Value::Null);
    assert_eq!(json["holder"], serde_json::Value::Null);
    assert_eq!(json["next"][0]["command"], "provost answer ask TEXT");
    assert_eq!(json["next"][0]["why"]["zh"], "回答问题");
}

/// A record that cannot be read is missing, and it is said that it is.
#[test]
fn show_goes_on_without_a_broken_record() {
    let stage = stage();
    stage.write("gated/attempt_001/decision.json", "{half");
    let ran = stage.world.provost().args(["show", "gated"]).run();
    assert_eq!(ran.exit(), Some(0));
    assert!(ran.stderr().contains("attempt_001/decision.json"), "{}", ran.stderr());
    assert!(ran.stdout().contains(": 1 not decided"), "{}", ran.stdout());
    // What a lost record said of the tests is not known: it is not a pass.
    assert!(ran.stdout().contains("NOT RUN   tests"), "{}", ran.stdout());
}

/// LOOP-A11: the state is in `status.json`; no record of an attempt and no event changes it.
#[test]
fn nothing_but_the_status_says_the_state() {
    let stage = stage();
    let ready = stage.text("ready/attempt_001/decision.json");
    stage.write("gated/attempt_001/decision.json", &ready);
    stage.write("gated/attempt_001/judge/verdict.json", "{\"decision\": \"PASS\"}");
    stage.write("gated/events.jsonl", "");
    stage.write("gated/final_summary.json", "{}");
    let ran = stage.world.provost().args(["show", "gated"]).run();
    assert!(ran.stdout().contains("gated  PAUSED · "), "{}", ran.stdout());
    let json = stage.world.provost().args(["explain", "gated", "--json"]).run().json();
    assert_eq!((&json["source"], &json["row"]), (&"transition".into(), &"gated".into()));
    assert_eq!(stage.world.provost().args(["approve", "gated"]).run().exit(), Some(2));
}

/// Reading makes no home.
#[test]
fn a_repository_without_a_home_has_no_tasks() {
    let world = World::new();
    let before = world.listing();
    for command in [&["ls"][..], &["inbox"]] {
        assert_eq!(world.provost().args(command).run().exit(), Some(0), "{command:?}");
    }
    let orders =
        [&["show", "t1"][..], &["answer", "t1", "x"], &["override", "t1", "max_attempts=2"]];
    for command in orders {
        assert_eq!(world.provost().args(command).run().exit(), Some(2), "{command:?}");
    }
    assert_eq!(world.listing(), before);
}

#[test]
fn a_task_that_is_not_there_comes_with_the_nearest() {
    let stage = stage();
    for command in ["show", "logs", "explain", "pause", "reset", "approve"] {
        let ran = stage.world.provost().args([command, "redy"]).run();
        assert_eq!(ran.exit(), Some(2), "{command}");
        assert_eq!(ran.stderr(), "error: cannot find task `redy`\nhint: did you mean `ready`?\n");
    }
    task_snapshot!(stage.world.provost().args(["show", "zzzzz", "--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：找不到任务 `zzzzz`
    提示：运行 `provost ls` 列出所有任务
    ");
    task_snapshot!(stage.world.provost().args(["show", "../x"]), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: invalid task id: it contains "." at position 0
    hint: use `[A-Za-z0-9-][A-Za-z0-9_-]*`, at most 200 bytes
    "#);
    assert!(!stage.path("redy").exists(), "asking for a task does not make it");
}

/// The start of several ids names all of them.
#[test]
fn an_id_that_means_several_tasks_is_refused() {
    let stage = stage();
    stage.task("ready-two", 4, &[Ending::ready()]);
    task_snapshot!(stage.world.provost().args(["show", "rea"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `rea` is the start of 2 task ids: `ready`, `ready-two`
    hint: type more of the id
    ");
    assert_eq!(stage.world.provost().args(["show", "ready"]).run().exit(), Some(0));
    assert_eq!(stage.world.provost().args(["show", "as"]).run().exit(), Some(0));
}

/// What a step printed: of the newest attempt, without secrets and escapes, and its end only.
#[test]
fn logs_shows_what_a_step_printed() {
    let stage = stage();
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLQ");
    let at =
        |attempt: u16, step: &str, name: &str| format!("ask/attempt_{attempt:03}/{step}/{name}");
    stage.write(&at(1, "test", "stdout.log"), "first\n");
    stage.write(&at(2, "test", "stdout.log"), "\u{1b}[31m1 failed\u{1b}[0m\n10%\r100%\n");
    stage.write(&at(2, "test", "stderr.log"), "oops\n");
    stage.write(&at(2, "coder", "stdout.raw"), &format!("key {key}\n"));
    let logs = |words: &[&str]| stage.world.provost().args(["logs", "ask"]).args(words).run();
    assert_eq!(logs(&["--test"]).stdout(), "1 failed\n10%\\r100%\noops\n");
    assert_eq!(logs(&["--test", "-f"]).stdout(), "1 failed\n10%\\r100%\noops\n");
    assert_eq!(logs(&["--test", "--attempt", "1"]).stdout(), "first\n");
    let agent = logs(&["--agent"]);
    assert_eq!(agent.exit(), Some(0));
    assert!(
        agent.stdout().starts_with("key ") && !agent.stdout().contains(&key),
        "{}",
        agent.text()
    );
    let json = logs(&["--test", "--json"]).json();
    assert_eq!((&json["attempt"], &json["streams"][1]["text"]), (&2.into(), &"oops\n".into()));
    let long = "x".repeat(99) + "\n";
    stage.write(&at(2, "judge", "stdout.log"), &long.repeat(4000));
    let cut = logs(&["--judge"]);
    assert!(cut.stdout().len() < 300_000 && cut.stdout().lines().all(|it| it.len() == 99));
    assert!(cut.stderr().contains("judge/stdout.log"), "{}", cut.stderr());
    task_snapshot!(stage.world.provost().args(["logs", "ask", "--prepare"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `ask` has no output of `prepare`
    hint: `provost logs ask` shows which steps ran
    ");
    assert_eq!(logs(&["--test", "--judge"]).exit(), Some(2));
    assert_eq!(logs(&["--attempt", "1"]).exit(), Some(2), "events are not of one attempt");
}

#[test]
fn logs_has_a_line_for_each_event() {
    let stage = stage();
    task_snapshot!(stage.world.provost().args(["logs", "ask"]), @r"
    exit: 0
    ----- stdout -----
    [TIME]    -  TASK_CREATED  repo= base=HEAD
    [TIME]    1  ATTEMPT_STARTED  attempt 1
    [TIME]    1  CODER_STARTED  coder=script
    [TIME]    1  ATTEMPT_DECIDED  consume_attempt=true current_attempt=1 decision=FAIL effective_max_attempts=3 next_state=RUNNING row=fail-next-attempt
    [TIME]    2  ATTEMPT_STARTED  attempt 2
    [TIME]    2  CODER_STARTED  coder=script
    [TIME]    2  ATTEMPT_DECIDED  consume_attempt=false current_attempt=2 decision=NEED_USER_INPUT effective_max_attempts=3 next_state=PAUSED pause_reason_code=PAUSED_WAITING_USER_INPUT row=need-user-input
    ----- stderr -----
    ");
    let ran = stage.world.provost().args(["logs", "ask", "--json"]).run();
    let lines: Vec<serde_json::Value> =
        ran.stdout().lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(lines, stage.lines("ask/events.jsonl"));
    assert_eq!(lines[0]["type"], "TASK_CREATED");
}

/// LOOP-B18, ruling 33: a half last line is dropped in silence, a broken one before it is named.
#[test]
fn logs_skips_what_cannot_be_read() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::ready()]);
    let text = stage.text("t1/events.jsonl");
    let whole = text.lines().count();
    stage.write("t1/events.jsonl", &format!("{text}{{\"seq\": 99, \"ts\""));
    let ran = stage.world.provost().args(["logs", "t1"]).run();
    assert_eq!((ran.exit(), ran.stderr().as_str()), (Some(0), ""));
    assert_eq!(ran.stdout().lines().count(), whole);

    let (first, rest) = text.split_once('\n').unwrap();
    stage.write("t1/events.jsonl", &format!("{first}\n{{broken\n{rest}"));
    let ran = stage.world.provost().args(["logs", "t1"]).run();
    assert_eq!(ran.exit(), Some(0));
    assert!(ran.stderr().starts_with("line 2 of `"), "{}", ran.stderr());
    assert_eq!(ran.stdout().lines().count(), whole);
    let ran = stage.world.provost().args(["logs", "t1", "--lang", "zh"]).run();
    assert!(ran.stderr().contains("的第 2 行无法读取"), "{}", ran.stderr());
}

#[test]
fn logs_that_follow_a_task_that_stands_still_end() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::ready()]);
    let plain = stage.world.provost().args(["logs", "t1"]).run();
    let followed = stage.world.provost().args(["logs", "t1", "-f"]).run();
    assert_eq!(followed.text(), plain.text());
}

/// LOOP-A1: a look may write, so it is refused to the wrong user, and nothing is written.
#[test]
fn a_look_is_refused_to_the_wrong_user() {
    let stage = Stage::new();
    stage.task("t1", 1, &[]);
    stage.world.write("repo/provost.toml", "identity.user = \"nobody-we-know\"\n");
    let before = stage.world.listing();
    for command in
        [&["ls"][..], &["show", "t1"], &["logs", "t1"], &["inbox"], &["answer", "t1", "x"]]
    {
        assert_eq!(stage.world.provost().args(command).run().exit(), Some(2), "{command:?}");
    }
    assert_eq!(stage.world.listing(), before);
}
