//! Looking at tasks, alone and together.

use provost_desk::{DeskError, LookError, task::Listing};
use provost_kernel::{
    Fault as _, Lang,
    task::{EventKind, Kept, PauseCode, State, Status, TaskSpec, VerdictDecision},
};
use provost_vault::{RealDisk, write_atomic};

use crate::stage::{Stage, entry, task};

/// LOOP-U7: whoever looks first writes it down; the others find it written.
#[test]
fn many_readers_find_one_crash() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.running(&id);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let view = stage.desk.view(&id).unwrap();
                assert_eq!(view.status().pause_reason_code, Some(PauseCode::Crash));
            });
        }
    });
    assert_eq!(stage.count(&id, EventKind::CoordinatorCrashed), 1);
    assert_eq!(stage.desk.look(&id).unwrap().status.value.state_version, 3);
}

/// LOOP-U9: one holder at a time, and everybody else is told who it is.
#[test]
fn a_task_has_one_holder() {
    let (stage, id) = (Stage::new(), task("t1"));
    let open = stage.create(&id);
    let before = open.status.clone();
    let error = stage.desk.hold(&id).unwrap_err();
    assert!(matches!(error, DeskError::Lock(_)), "{error:?}");
    assert_eq!(error.exit().code(), 5);
    let looked = stage.desk.look(&id).unwrap();
    assert_eq!(looked.status, before);
    let pid = std::process::id();
    let holder = looked.holder_text(Lang::En).unwrap();
    assert!(holder.starts_with(&format!("process {pid} on ")), "{holder}");
    drop(open);
    stage.desk.hold(&id).unwrap();
}

/// Ruling 24: an id that is taken makes no second task, and nothing is written.
#[test]
fn a_task_is_created_once() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::Pass);
    let before = stage.desk.look(&id).unwrap().status;
    let other = TaskSpec { goal: "another".to_owned(), ..TaskSpec::new(id.clone()) };
    let status = Status::new(id.clone(), stage.desk.clock().now(), 3);
    let created = stage.desk.create(&id, Kept::new(other), status, &entry(&id)).unwrap();
    assert!(created.is_none());
    drop(created);
    assert_eq!(stage.desk.look(&id).unwrap().status, before);
    assert_eq!(stage.desk.spec(&id).unwrap().value.goal, "");
}

#[test]
fn a_list_is_limited_and_says_what_it_left_out() {
    let stage = Stage::new();
    for id in ["a", "b", "c"] {
        stage.judged(&task(id), VerdictDecision::Pass);
    }
    stage.running(&task("d"));
    let list = |state, limit| stage.desk.list(Listing { state, limit }).unwrap();
    let ready = list(Some(State::ReadyForReview), Some(2));
    assert_eq!((ready.tasks.len(), ready.left_out), (2, 1));
    // A list finds a coordinator that is gone, as every look does.
    assert_eq!(list(Some(State::Running), None).tasks, []);
    assert_eq!(list(Some(State::Paused), None).tasks[0].task_id, task("d"));
    assert_eq!(list(None, None).left_out, 0);
}

/// A task whose spec cannot be read can be seen, and cannot be ordered about.
#[test]
fn a_broken_spec_hides_nothing_else() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::Pass);
    let at = stage.desk.layout().task_spec(&id);
    write_atomic(&RealDisk, &at, b"{half").unwrap();
    let view = stage.desk.view(&id).unwrap();
    assert_eq!(view.status().state, State::ReadyForReview);
    assert!(view.spec.is_none());
    assert_eq!(view.unreadable, [at.path().to_string()]);
    assert!(matches!(stage.desk.hold(&id), Err(DeskError::Look(LookError::Unreadable { .. }))));
    // Its result still waits for a person.
    assert_eq!(stage.desk.inbox().unwrap().waiting.len(), 1);
}

/// An error of another layer is told once, not as its own cause.
#[test]
fn an_error_that_is_passed_on_is_told_once() {
    use std::error::Error as _;
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::Pass);
    let error = stage.order(&id, provost_kernel::task::Order::Pause, None).unwrap_err();
    assert!(error.source().is_none(), "{error:?}");
    assert_eq!(error.to_string(), error.text(Lang::En));
}
