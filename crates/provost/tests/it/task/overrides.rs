//! `provost override`: versions, rollback, and what cannot be overridden.

use provost_kernel::task::VerdictDecision;
use serde_json::{Value, json};

use super::stage::{Ending, Stage, task};

fn give(stage: &Stage, change: &[&str]) -> Option<i32> {
    stage.world.provost().args(["override", "t1"]).args(change).run().exit()
}

/// What holds: the number in the status and in the file that other programs read.
#[track_caller]
fn check(stage: &Stage, effective: u16, version: u32, overrides: &Value) {
    assert_eq!(stage.json("t1/status.json")["effective_max_attempts"], effective);
    let current = stage.json("t1/runtime_overrides.json");
    assert_eq!((&current["version"], &current["overrides"]), (&json!(version), overrides));
    let kept = stage.json(&format!("t1/overrides/{version:04}.json"));
    assert_eq!(kept, current, "the newest version is the one that holds");
}

/// LOOP-U6: set, set, rollback, replay; every version stays.
#[test]
fn overrides_have_a_history_and_a_way_back() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::asks("which port?")]);
    let set = ["max_attempts=5", "--request-id", "r1"];
    assert_eq!(give(&stage, &set), Some(0));
    check(&stage, 5, 1, &json!({ "max_attempts": 5 }));
    assert_eq!(give(&stage, &["max_attempts=9"]), Some(0));
    check(&stage, 9, 2, &json!({ "max_attempts": 9 }));
    assert_eq!(give(&stage, &["--rollback"]), Some(0));
    check(&stage, 5, 3, &json!({ "max_attempts": 5 }));
    assert_eq!(stage.json("t1/runtime_overrides.json")["rolled_back_to"], 1);
    // Sending the first one again changes nothing, although another holds by now.
    assert_eq!(give(&stage, &["--rollback", "2"]), Some(0));
    check(&stage, 9, 4, &json!({ "max_attempts": 9 }));
    assert_eq!(give(&stage, &set), Some(0));
    check(&stage, 9, 4, &json!({ "max_attempts": 9 }));
    // Version 0 is what the spec says.
    assert_eq!(give(&stage, &["--rollback", "0"]), Some(0));
    check(&stage, 3, 5, &json!({}));
    let entries = stage.audited();
    assert_eq!(entries.len(), 5);
    assert_eq!(entries[2]["detail"]["old"], json!({ "max_attempts": 9 }));
    assert_eq!(entries[2]["detail"]["new"], json!({ "max_attempts": 5 }));
    assert_eq!(stage.json("t1/overrides/0001.json")["overrides"], json!({ "max_attempts": 5 }));
}

/// LOOP-U6: nobody can allow fewer attempts than are consumed.
#[test]
fn an_override_does_not_go_below_what_is_consumed() {
    let stage = Stage::new();
    let failing = Ending::judged(VerdictDecision::Fail);
    stage.task("t1", 1, &[failing.clone(), failing.clone(), failing]);
    task_snapshot!(stage.world.provost().args(["override", "t1", "max_attempts=2"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `max_attempts` cannot be 2: 3 attempts are used
    ");
    assert_eq!(give(&stage, &["max_attempts=4"]), Some(0));
    assert_eq!(give(&stage, &["--rollback"]), Some(0), "three are allowed and consumed");
    assert_eq!(stage.json("t1/runtime_overrides.json")["version"], 2);

    // A rollback below what is consumed: the first version allowed it, before it was.
    let stage = Stage::new();
    stage.task_with("t1", 1, &[Ending::asks("which port?")], |it| it.max_attempts = 1);
    assert_eq!(give(&stage, &["max_attempts=1"]), Some(0));
    assert_eq!(give(&stage, &["max_attempts=4"]), Some(0));
    {
        let (desk, id) = (stage.desk(0), task("t1"));
        let mut open = desk.hold(&id).unwrap();
        let mut status = open.status.value.clone();
        (status.state_version, status.attempts_consumed) = (status.state_version + 1, 2);
        open.commit(status, Vec::new()).unwrap();
    }
    task_snapshot!(stage.world.provost().args(["override", "t1", "--rollback"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `max_attempts` cannot be 1: 2 attempts are used
    ");
    task_snapshot!(stage.world.provost().args(["override", "t1", "--rollback", "0", "--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`max_attempts` 不能为 1：已用 2 次尝试
    ");
    assert_eq!(stage.json("t1/runtime_overrides.json")["version"], 2, "nothing was added");
}

#[test]
fn a_change_that_cannot_be_made_is_named() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::asks("which port?")]);
    let provost = || stage.world.provost().args(["override", "t1"]);
    task_snapshot!(provost().args(["max_attempt=5"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `max_attempt` cannot be overridden
    hint: did you mean `max_attempts`?
    hint: the known keys are: `max_attempts`
    ");
    task_snapshot!(provost().args(["max_attempt=5", "--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`max_attempt` 不可覆盖
    提示：是否想写 `max_attempts`？
    提示：可用的键：`max_attempts`
    ");
    task_snapshot!(provost().args(["max_attempts"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: invalid change `max_attempts`: write it as `KEY=VALUE`
    hint: the known keys are: `max_attempts`
    ");
    task_snapshot!(provost().args(["max_attempts=five"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `max_attempts` is a whole number from 1 to 50, not `five`
    ");
    task_snapshot!(provost().args(["max_attempts=51"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `max_attempts` is 51, not between 1 and 50
    ");
    task_snapshot!(provost().args(["--rollback"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: nothing to roll back
    ");
    task_snapshot!(provost().args(["--rollback", "newest"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `newest` is not the number of a version
    hint: versions count from 1; 0 is what the spec says
    ");
    assert_eq!(give(&stage, &["max_attempts=5"]), Some(0));
    task_snapshot!(provost().args(["--rollback", "7"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: the overrides have no version 7
    ");
    assert_eq!(give(&stage, &[]), Some(2), "one of the two is needed");
    assert_eq!(give(&stage, &["max_attempts=5", "--rollback"]), Some(2), "and not both");
}
