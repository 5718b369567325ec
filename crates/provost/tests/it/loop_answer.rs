//! An answer lets its task go on by itself, and commands without an id never choose between tasks.

use serde_json::json;

use crate::{
    loop_live::until,
    loop_world::{Loop, ended, plain},
    world::Ran,
};

/// A world whose judge asks, until it hears of the left one.
fn world() -> Loop {
    let it = Loop::new();
    it.verdict("asks", &plain("NEED_USER_INPUT").to_string());
    it.verdict("passes", &plain("PASS").to_string());
    it.judge_script(
        "if grep -q 'the left one' \"$PROVOST_REQUEST\"; then give passes; else give asks; fi",
    );
    it
}

#[track_caller]
fn asks(it: &Loop, id: &str) {
    it.check(id, json!({}), 3, "PAUSED_WAITING_USER_INPUT");
}

/// A command as a person types it.
fn typed(it: &Loop, arguments: &[&str]) -> Ran {
    it.world.provost().args(arguments).run()
}

#[track_caller]
fn refused(it: &Loop, arguments: &[&str], word: &str) {
    let ran = typed(it, arguments);
    assert_eq!(ran.exit(), Some(2), "{arguments:?}: {}", ran.text());
    assert!(ran.stderr().contains(word), "{arguments:?}: {}", ran.stderr());
}

#[test]
fn an_answer_lets_its_task_go_on() {
    let it = world();
    asks(&it, "t1");
    let ran = typed(&it, &["answer", "the left one"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(ran.stderr().contains("Answer recorded. `t1` continues.\n"), "{}", ran.stderr());
    assert!(ran.stdout().contains("✓ t1  ready"), "{}", ran.stdout());
    assert_eq!(it.status("t1")["state"], "READY_FOR_REVIEW");

    // One that does not help is an answer all the same, and the exit code is that of the run.
    asks(&it, "t2");
    let ran = typed(&it, &["--lang", "zh", "answer", "t2", "whichever"]);
    assert_eq!(ran.exit(), Some(3), "{}", ran.text());
    assert!(ran.stderr().contains("答复已记录。`t2` 继续运行。\n"), "{}", ran.stderr());
    assert_eq!(it.count("t2", "ATTEMPT_STARTED"), 2);
}

/// The answer is recorded first, and once; what may not run unattended records nothing.
#[test]
fn an_answer_lets_its_task_go_on_in_the_background() {
    let it = world();
    asks(&it, "t1");
    let ran = typed(&it, &["answer", "the left one", "--detach"]);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert!(ran.stderr().contains("--unguarded"), "{}", ran.stderr());
    assert_eq!(it.status("t1")["pause_reason_code"], "PAUSED_WAITING_USER_INPUT");
    assert!(!it.text("_audit/audit.jsonl").contains("task.answer"));
    let ran = it.provost(&["answer", "t1", "the left one", "--detach", "--unguarded"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(ran.json()["pid"].is_u64(), "{}", ran.text());
    until(|| it.status("t1")["state"] == "READY_FOR_REVIEW");
    assert_eq!(it.text("_audit/audit.jsonl").matches("\"task.answer\"").count(), 1);
}

/// A script says when a task runs; a person may keep it waiting.
#[test]
fn an_answer_can_be_recorded_only() {
    let it = world();
    asks(&it, "t1");
    let recorded = it.provost(&["answer", "t1", "the right one"]).run();
    assert_eq!(recorded.exit(), Some(0), "{}", recorded.text());
    assert_eq!(recorded.json()["action"], "task.answer");
    let recorded = typed(&it, &["answer", "t1", "no, another", "--no-run"]);
    assert!(recorded.stdout().contains("next: provost resume t1"), "{}", recorded.stdout());
    assert_eq!(it.count("t1", "ATTEMPT_STARTED"), 1);
    let ran = it.provost(&["answer", "t1", "the left one", "--run"]).run();
    assert_eq!(ended(&ran, 0, "READY_FOR_REVIEW")["ran"], true);
    let prompt = it.prompt("t1", 2);
    for said in ["the right one", "no, another", "the left one"] {
        assert!(prompt.contains(said), "{said}: {prompt}");
    }
    // What is said to a task that waits for nothing is for its next attempt.
    let told = typed(&it, &["answer", "t1", "name the unit"]);
    assert_eq!(told.exit(), Some(0), "{}", told.text());
    assert_eq!(it.count("t1", "ATTEMPT_STARTED"), 2);
}

/// The answer is kept before anything runs: what comes to nothing then has lost nothing.
#[test]
fn an_answer_is_kept_whatever_becomes_of_the_run() {
    let it = world();
    asks(&it, "t1");
    let config = it.world.path("repo/provost.toml");
    let kept = std::fs::read(&config).unwrap();
    it.world.write("repo/.git/HEAD", "broken\n");
    let ran = typed(&it, &["answer", "t1", "the left one"]);
    assert_ne!(ran.exit(), Some(0), "{}", ran.text());
    it.world.write("repo/.git/HEAD", "ref: refs/heads/main\n");
    it.world.write("repo/provost.toml", kept);
    let shown = typed(&it, &["show", "t1"]).stdout();
    assert!(shown.contains("answered  the left one"), "{shown}");
    it.resume("t1", 0, "READY_FOR_REVIEW");
}

#[test]
fn a_command_without_an_id_is_about_the_only_task_that_fits() {
    let it = world();
    refused(&it, &["answer", "the left one"], "no task waits for an answer");
    refused(&it, &["approve"], "no result waits for an approval");
    refused(&it, &["reject", "--because", "x"], "no result can be rejected");
    refused(&it, &["pause"], "no task is running");

    asks(&it, "t1");
    refused(&it, &["answer", "t1"], "`t1` is a task, and the answer is missing");
    asks(&it, "t2");
    refused(&it, &["answer", "the left one"], "2 tasks could be meant: `t2`, `t1`");
    for id in ["t1", "t2"] {
        assert!(!it.exists(&format!("{id}/user_input.jsonl")), "{id}");
        let ran = typed(&it, &["answer", id, "the left one"]);
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    }
    refused(&it, &["approve"], "2 tasks could be meant: `t2`, `t1`");
    refused(&it, &["reject", "--because", "x"], "2 tasks could be meant: `t2`, `t1`");
    for id in ["t1", "t2"] {
        assert!(!it.exists(&format!("{id}/review.json")), "{id}");
    }
    it.order(&["approve", "t1"]);
    let approved = typed(&it, &["approve"]);
    assert_eq!(approved.exit(), Some(0), "{}", approved.text());
    assert!(approved.stdout().contains("`t2` is approved"), "{}", approved.stdout());
    // Both could still be rejected.
    refused(&it, &["reject", "--because", "x"], "2 tasks could be meant");
    it.order(&["reject", "t1", "--because", "x"]);
    let rejected = typed(&it, &["reject", "--because", "x"]);
    assert!(rejected.stdout().contains("`t2` is rejected"), "{}", rejected.text());
}
