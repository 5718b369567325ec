//! Request ids: the same order has one effect, however often and by however many it is sent.

use provost_kernel::task::EventKind;
use serde_json::json;

use super::stage::{Ending, Stage};
use crate::world::Ran;

/// LOOP-U5: every call is a process of its own, so what is remembered is on disk.
#[test]
fn the_same_request_twice_has_one_effect() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::asks("which port?")]);
    let answer = ["answer", "t1", "8080", "--request-id", "r1", "--no-run"];
    task_snapshot!(stage.world.provost().args(answer), @r"
    exit: 0
    ----- stdout -----
    Answer recorded. `t1` is paused.
    next: provost resume t1 (continue)
    ----- stderr -----
    ");
    let after = stage.text("t1/status.json");
    task_snapshot!(stage.world.provost().args(answer), @r"
    exit: 0
    ----- stdout -----
    Answer recorded. It was recorded before. `t1` is paused.
    next: provost resume t1 (continue)
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(answer).args(["--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    答复已记录。此前已经记录。`t1` 已暂停。
    下一步：provost resume t1（继续）
    ----- stderr -----
    ");
    let receipt = stage.world.provost().args(answer).args(["--json"]).run().json();
    assert_eq!((&receipt["deduplicated"], &receipt["seq"]), (&json!(true), &json!(1)));
    assert_eq!(stage.text("t1/status.json"), after, "nothing more happened");
    assert_eq!(stage.lines("t1/user_input.jsonl").len(), 1);
    assert_eq!(stage.count("t1", EventKind::UserInputReceived), 1);
    assert_eq!(stage.audited().len(), 1);
}

/// LOOP-U5: an id stands for one body, whatever order it is.
#[test]
fn the_same_id_with_another_order_is_a_conflict() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::asks("which port?")]);
    stage.task("t2", 1, &[Ending::asks("which port?")]);
    let give =
        |command: &[&str]| stage.world.provost().args(command).args(["--request-id", "r1"]).run();
    assert_eq!(give(&["answer", "t1", "8080", "--no-run"]).exit(), Some(0));
    let before = stage.text("t1/status.json");
    task_snapshot!(stage.world.provost().args(["answer", "t1", "9090", "--request-id", "r1"]), @r"
    exit: 5
    ----- stdout -----
    ----- stderr -----
    error: request id `r1` was used for another order
    hint: use a new id for every order
    ");
    for other in [
        &["edit", "t1", "--instruction", "8080"][..],
        &["override", "t1", "max_attempts=5"],
        &["override", "t1", "--rollback"],
        &["reset", "t1"],
        &["approve", "t1"],
    ] {
        assert_eq!(give(other).exit(), Some(5), "{other:?}");
    }
    assert_eq!(stage.text("t1/status.json"), before);
    // Another task remembers its own ids.
    assert_eq!(give(&["answer", "t2", "9090", "--no-run"]).exit(), Some(0));
}

/// What had an effect when it was sent is answered the same way when it would be refused now.
#[test]
fn a_repetition_is_answered_whatever_happened_since() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::ready()]);
    let approve = ["approve", "t1", "--request-id", "r1", "--json"];
    assert_eq!(stage.world.provost().args(approve).run().exit(), Some(0));
    assert_eq!(stage.world.provost().args(["reset", "t1"]).run().exit(), Some(0));
    let again = stage.world.provost().args(approve).run();
    assert_eq!(again.exit(), Some(0), "{}", again.text());
    assert_eq!(again.json()["deduplicated"], true);
    assert!(stage.json("t1/status.json")["review"].is_null());
}

/// LOOP-U5: eight processes at once, one effect.
#[test]
fn the_same_request_from_many_at_once_has_one_effect() {
    let stage = Stage::new();
    stage.task("t1", 1, &[Ending::asks("which port?")]);
    let answer = ["answer", "t1", "8080", "--request-id", "r1", "--json"];
    let receipts: Vec<_> = std::thread::scope(|scope| {
        let give = || stage.world.provost().args(answer).run();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(give)).collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let is_new = |it: &&Ran| it.json()["deduplicated"] == false;
    assert!(receipts.iter().all(|it| it.exit() == Some(0)), "{receipts:?}");
    assert_eq!(receipts.iter().filter(is_new).count(), 1);
    assert_eq!(stage.lines("t1/user_input.jsonl").len(), 1);
    assert_eq!(stage.lines("t1/control/orders.jsonl").len(), 1);
    assert_eq!(stage.count("t1", EventKind::OrderApplied), 1);
    assert_eq!(stage.audited().len(), 1);
}
