//! Looking at tasks, alone and together.

use provost_desk::{
    DeskError, LookError,
    task::{Listing, Phase},
};
use provost_kernel::{
    AttemptNumber, Message, RecordFile, TaskId,
    task::{EventKind, Order, Overrides, PauseCode, State, Status, TaskSpec, VerdictDecision},
};
use provost_vault::{AttemptFile, Layout, Location, RealDisk, read_json, write_atomic, write_json};
use serde_json::Value;

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
    assert!(matches!(error, DeskError::Held(_)), "{error:?}");
    assert_eq!(error.exit().code(), 5);
    let looked = stage.desk.look(&id).unwrap();
    assert_eq!(looked.status, before);
    let pid = std::process::id();
    let holder = looked.holder_text().unwrap().to_string();
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
    let created = stage.desk.create(&id, RecordFile::new(other), status, &entry(&id)).unwrap();
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
    let error = stage.order(&id, Order::Pause, None).unwrap_err();
    assert!(error.source().is_none(), "{error:?}");
}

fn change(at: &Location, change: impl FnOnce(&mut Value)) {
    let mut value: Value = read_json(&RealDisk, at).unwrap().present().unwrap();
    change(&mut value);
    write_json(&RealDisk, at, &value).unwrap();
}

fn bytes(at: &Location) -> Vec<u8> {
    std::fs::read(at.path()).unwrap()
}

fn remove(at: &Location) {
    provost_vault::remove(at).unwrap();
}

/// What a newer version wrote is refused, named, and left as it is.
#[test]
fn a_file_of_a_newer_version_is_left_alone() {
    #[track_caller]
    fn check(place: impl Fn(&Layout, &TaskId) -> Location, is_listed_as_unreadable: bool) {
        let (stage, id) = (Stage::new(), task("t1"));
        stage.judged(&id, VerdictDecision::NeedUserInput);
        let more = Order::Override { overrides: Overrides::of_attempts(9) };
        stage.order(&id, more, None).unwrap();
        let layout = stage.desk.layout();
        let at = place(layout, &id);
        change(&at, |it| {
            let schema = it["schema"].as_str().unwrap().replace("/1", "/2");
            it["schema"] = schema.into();
        });
        let files = [layout.status(&id), layout.orders(&id), layout.events(&id), at.clone()];
        let before = files.each_ref().map(bytes);
        let error = stage.order(&id, Order::Reset, None).unwrap_err();
        assert_eq!(error.exit().code(), 2, "{error}");
        assert!(error.to_string().contains(at.path().as_str()), "{error}");
        assert_eq!(error.hints(), ["a newer provost wrote it: use that one"]);
        let error = stage.desk.hold(&id).unwrap_err();
        assert_eq!(error.exit().code(), 2, "{error}");
        let listed = stage.desk.list(Listing::default()).unwrap();
        let unreadable: Vec<_> =
            is_listed_as_unreadable.then(|| at.path().to_string()).into_iter().collect();
        assert_eq!((listed.tasks.len(), listed.unreadable), (1, unreadable));
        assert_eq!(files.each_ref().map(bytes), before, "nothing was written");
    }
    check(Layout::status, true);
    check(Layout::task_spec, false);
    check(Layout::final_summary, false);
    check(Layout::runtime_overrides, false);
    check(Layout::index_entry, true);
}

/// LOOP-A11: what an attempt left is refused in the same way.
#[test]
fn a_decision_of_a_newer_version_is_refused() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::Pass);
    let first = AttemptNumber::FIRST;
    let at = stage.desk.layout().attempt_file(&id, first, AttemptFile::Decision);
    change(&at, |it| it["schema"] = "provost.decision/2".into());
    let error = stage.desk.view(&id).unwrap_err();
    assert_eq!(error.exit().code(), 2, "{error}");
    assert!(error.to_string().contains(at.path().as_str()), "{error}");
}

/// A list says that a task cannot be read, and lists the others.
#[test]
fn a_newer_status_hides_no_other_task() {
    let stage = Stage::new();
    stage.running(&task("a"));
    stage.judged(&task("b"), VerdictDecision::Pass);
    stage.judged(&task("c"), VerdictDecision::Pass);
    for id in ["a", "b"] {
        let at = stage.desk.layout().status(&task(id));
        change(&at, |it| it["schema"] = "provost.status/2".into());
    }
    let path = |id| stage.desk.layout().status(&task(id)).path().to_string();
    let listed = stage.desk.list(Listing::default()).unwrap();
    assert_eq!((listed.tasks.len(), listed.unreadable), (3, vec![path("a"), path("b")]));
    let inbox = stage.desk.inbox().unwrap();
    assert_eq!(inbox.waiting.len(), 1);
    assert_eq!(inbox.unreadable, [path("a"), path("b")]);
}

/// What is run is what the task was made from.
#[test]
fn a_spec_that_was_edited_is_not_run() {
    let (stage, id) = (Stage::new(), task("t1"));
    let spec = stage.with_digest(&id);
    stage.desk.hold(&id).unwrap();
    let at = stage.desk.layout().task_spec(&id);
    let layout = stage.desk.layout();
    change(&at, |it| it["test_cmd"] = "true".into());
    let before = (bytes(&layout.status(&id)), bytes(&layout.events(&id)));
    let error = stage.desk.hold(&id).unwrap_err();
    assert!(matches!(error, DeskError::Look(LookError::Altered { .. })), "{error:?}");
    assert_eq!(error.exit().code(), 6);
    assert!(error.to_string().contains(at.path().as_str()), "{error}");
    assert_eq!((bytes(&layout.status(&id)), bytes(&layout.events(&id))), before);
    write_json(&RealDisk, &at, &spec).unwrap();
    stage.desk.hold(&id).unwrap();
}

/// A task that lost its spec says so, and gets it back from whoever has it.
#[test]
fn a_lost_spec_is_put_back_by_its_own_and_by_no_other() {
    let (stage, id) = (Stage::new(), task("t1"));
    let spec = stage.with_digest(&id);
    let at = stage.desk.layout().task_spec(&id);
    remove(&at);
    let error = stage.desk.hold(&id).unwrap_err();
    assert!(matches!(error, DeskError::Look(LookError::NoSpec { .. })), "{error:?}");
    assert_eq!(error.exit().code(), 6);
    assert!(error.to_string().contains(at.path().as_str()), "{error}");
    let version = stage.desk.look(&id).unwrap().status.value.state_version;

    let give = |spec: &RecordFile<TaskSpec>| {
        let status = Status::new(id.clone(), stage.desk.clock().now(), 3);
        stage.desk.create(&id, spec.clone(), status, &entry(&id)).unwrap().map(drop)
    };
    let other = TaskSpec { goal: "another".to_owned(), ..spec.value.clone() };
    assert_eq!(give(&RecordFile::new(other)), None);
    assert!(matches!(stage.desk.spec(&id), Err(DeskError::Look(LookError::NoSpec { .. }))));
    assert_eq!(give(&spec), None, "the task exists: it goes on");
    let open = stage.desk.hold(&id).unwrap();
    assert_eq!((open.spec.clone(), open.status.value.state_version), (spec, version + 1));
    drop(open);
    assert_eq!(stage.count(&id, EventKind::TaskCreated), 2);
    let report = provost_vault::audit::verify(&RealDisk, stage.desk.layout()).unwrap();
    assert!(report.is_intact() && report.entries_after_last_head == 0, "{report:?}");
}

/// Nobody is told that they may have meant what they wrote.
#[test]
fn an_unknown_task_is_not_its_own_nearest() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::Pass);
    remove(&stage.desk.layout().task_spec(&id));
    remove(&stage.desk.layout().status(&id));
    let error = stage.desk.look(&id).unwrap_err();
    assert!(
        matches!(error, DeskError::Look(LookError::Unknown { nearest: None, .. })),
        "{error:?}"
    );
}

/// LOOP-A11: the index finds a task, and its status alone says the state.
#[test]
fn a_list_takes_states_from_the_status_and_not_from_the_index() {
    let stage = Stage::new();
    let id = task("t1");
    stage.judged(&id, VerdictDecision::Pass);
    let at = stage.desk.layout().index_entry(&id);
    change(&at, |it| {
        it["state"] = "PAUSED".into();
        it["state_version"] = 1.into();
        it["message"] = "an older index".into();
    });
    let listed = stage.desk.list(Listing::default()).unwrap();
    assert_eq!(listed.tasks[0].state, State::ReadyForReview);
    assert_ne!(listed.tasks[0].message, "an older index");
}

/// LOOP-B17: a task that the index lost is listed, and gets its entry back.
#[test]
fn a_task_without_its_index_entry_is_found_again() {
    let stage = Stage::new();
    for id in ["a", "b", "c"] {
        stage.judged(&task(id), VerdictDecision::Pass);
    }
    let at = |id| stage.desk.layout().index_entry(&task(id));
    remove(&at("a"));
    write_atomic(&RealDisk, &at("b"), b"{half").unwrap();
    let listed = stage.desk.list(Listing::default()).unwrap();
    assert_eq!((listed.tasks.len(), listed.unreadable), (3, Vec::new()));
    for id in ["a", "b"] {
        let id = task(id);
        let entry = stage.desk.files(&id).index_entry().unwrap().present().unwrap();
        assert_eq!(entry.value.task_id, id);
    }
    remove(&at("c"));
    assert_eq!(stage.desk.inbox().unwrap().waiting.len(), 3);
    // An entry of which nothing else is left is still named.
    write_atomic(&RealDisk, &at("ghost"), b"{half").unwrap();
    let listed = stage.desk.list(Listing::default()).unwrap();
    assert_eq!(listed.unreadable, [at("ghost").path().to_string()]);
}

/// A crash right after the status of a finished attempt is mended by whoever looks.
#[test]
fn a_look_adds_the_events_that_a_crash_left_out() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::Pass);
    let status = stage.desk.look(&id).unwrap().status;
    let outbox = status.value.outbox.len();
    assert!(outbox > 0);
    let events = stage.desk.layout().events(&id);
    remove(&events);
    assert_eq!(stage.desk.look(&id).unwrap().status, status);
    assert_eq!(stage.desk.files(&id).events().unwrap().records.len(), outbox);
    // An index that is behind the status shows the same crash.
    write_atomic(&RealDisk, &events, b"").unwrap();
    change(&stage.desk.layout().index_entry(&id), |it| it["state_version"] = 1.into());
    assert_eq!(stage.desk.look(&id).unwrap().status, status);
    assert_eq!(stage.desk.files(&id).events().unwrap().records.len(), outbox);
    let entry = stage.desk.files(&id).index_entry().unwrap().present().unwrap();
    assert_eq!(entry.value.state_version, status.value.state_version);
}

/// An approved result is not listed, as on the page; a newer result needs its own review.
#[test]
fn a_review_of_an_earlier_attempt_leaves_the_task_in_the_inbox() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::Pass);
    stage.order(&id, Order::Approve, None).unwrap();
    let phases = || -> Vec<Phase> {
        stage.desk.inbox().unwrap().waiting.iter().map(|it| it.phase).collect()
    };
    assert_eq!(phases(), []);
    let mut open = stage.desk.hold(&id).unwrap();
    let mut status = open.status.value.clone();
    (status.current_attempt, status.state_version) = (2, status.state_version + 1);
    open.commit(status, Vec::new()).unwrap();
    drop(open);
    assert_eq!(phases(), [Phase::Ready]);
}
