//! Reading events as they come.

use provost_kernel::task::{EventKind, Note, VerdictDecision};

use crate::stage::{Stage, start, task};

#[test]
fn a_trail_gives_each_event_once() {
    let (stage, id) = (Stage::new(), task("t1"));
    let mut open = stage.create(&id);
    let mut trail = stage.desk.trail(&id);
    let kinds = |news: provost_desk::task::News| {
        news.events.into_iter().map(|it| it.value.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(trail.news().unwrap()), [EventKind::TaskCreated]);
    assert_eq!(kinds(trail.news().unwrap()), []);
    start(&mut open, 1);
    open.files().append_note(Note::new(EventKind::CoderStarted, ""), 1).unwrap();
    assert_eq!(kinds(trail.news().unwrap()), [EventKind::AttemptStarted, EventKind::CoderStarted],);
    assert!(!trail.stands_still().unwrap());
    drop(open);
    assert!(trail.stands_still().unwrap(), "its coordinator is gone, and that is written down");
    assert_eq!(
        kinds(trail.news().unwrap()),
        [EventKind::CoordinatorCrashed, EventKind::StateChanged],
    );
}

/// A task that does not run, and that somebody holds, is still being written.
#[test]
fn a_task_that_is_held_does_not_stand_still() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::Pass);
    let trail = stage.desk.trail(&id);
    let open = stage.desk.hold(&id).unwrap();
    assert!(!trail.stands_still().unwrap());
    drop(open);
    assert!(trail.stands_still().unwrap());
}
