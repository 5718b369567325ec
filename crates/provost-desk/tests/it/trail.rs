//! Reading events and output as they come.

use std::io::Write as _;

use provost_desk::task::{LogRole, Printed, StreamName};
use provost_kernel::{
    AttemptNumber,
    task::{EventKind, Note, VerdictDecision},
};
use provost_vault::{Step, StepFile, open_capture};

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

/// What a step prints is read while it runs, although the file for the end is there and empty.
#[test]
fn output_is_read_while_a_step_runs() {
    let (stage, id) = (Stage::new(), task("t1"));
    let mut open = stage.create(&id);
    start(&mut open, 1);
    let attempt = AttemptNumber::FIRST;
    let at = |file| stage.desk.layout().step_file(&id, attempt, Step::Coder, file);
    let (mut raw, mut clean) = (
        open_capture(&at(StepFile::StdoutRaw)).unwrap(),
        open_capture(&at(StepFile::Stdout)).unwrap(),
    );
    let log = |from| {
        let of = (LogRole::Coder, StreamName::Stdout);
        let part = stage.desk.log(&id, attempt, of, from, 1000).unwrap();
        (part.text, part.next, part.ended)
    };
    let printed = || {
        let output = stage.desk.step_output(&id, Printed::Agent, None, 1000).unwrap();
        output.streams.into_iter().next().unwrap().text
    };
    assert_eq!(log(0), (String::new(), 0, false));
    raw.write_all(b"one\ntw").unwrap();
    assert_eq!(log(0), ("one\n".to_owned(), 4, false));
    assert_eq!(printed(), "one\ntw");
    raw.write_all(b"o\n").unwrap();
    assert_eq!(log(4), ("two\n".to_owned(), 8, false));
    clean.write_all(b"one\ntwo\n").unwrap();
    #[expect(clippy::disallowed_methods, reason = "the step is over: its raw output goes")]
    std::fs::remove_file(at(StepFile::StdoutRaw).path()).unwrap();
    assert_eq!(log(4), ("two\n".to_owned(), 8, true));
    assert_eq!(printed(), "one\ntwo\n");
}
