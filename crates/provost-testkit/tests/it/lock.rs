//! The lock of a task between real processes.

use std::{
    io::{BufRead as _, BufReader},
    process::{ChildStdin, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use provost_kernel::{Exit, Message};
use provost_testkit::{Ended, Place, command};
use provost_vault::{
    Disk as _, PATIENCE, RealDisk, SystemClock, TrackingError,
    lock::{Holder, LockError, TakeOver, TaskLock, Timing},
    modify_tracked,
};

/// Starts a holder and waits for the first thing it says.
fn holder(place: &Place) -> (Ended, ChildStdin, String) {
    let mut child = command(super::WORKER)
        .args(["hold", place.home().as_str()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take().unwrap();
    let mut said = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
    (Ended(child), stdin, said.trim().to_owned())
}

fn acquire(place: &Place) -> Result<TaskLock, LockError> {
    let at = place.layout().task_lock(&"t1".parse().unwrap());
    TaskLock::acquire(&at, Arc::new(SystemClock), Timing::default())
}

/// LOOP-U9: a live holder is named and keeps its lock; a dead one is taken over, with a reason.
#[test]
fn a_live_holder_keeps_the_lock_and_a_dead_one_does_not() {
    let place = Place::new();
    let (mut first, _stdin, said) = holder(&place);
    assert_eq!(said, "held");

    let error = acquire(&place).unwrap_err();
    assert_eq!(error.exit(), Exit::Conflict);
    assert!(error.to_string().contains(&format!("process {}", first.0.id())), "{error}");

    first.0.kill().unwrap();
    first.0.wait().unwrap();
    let lock = acquire(&place).unwrap();
    let (why, previous) = lock.taken_over().unwrap();
    assert_eq!(why, TakeOver::HolderGone);
    assert_eq!(previous.unwrap().process.pid, first.0.id());
}

/// LOOP-U9: a holder says that it is still there, in the file, where another host can see it.
#[test]
fn a_holder_keeps_saying_that_it_is_there() {
    let place = Place::new();
    let at = place.layout().task_lock(&"t1".parse().unwrap());
    let timing = Timing { heartbeat: Duration::from_millis(5), ..Timing::default() };
    let lock = TaskLock::acquire(&at, Arc::new(SystemClock), timing).unwrap();
    let first = lock.holder().heartbeat;
    let in_file = || {
        let text = std::fs::read_to_string(at.path()).unwrap();
        serde_json::from_str::<Holder>(&text).map(|it| it.heartbeat)
    };
    let started = Instant::now();
    while !in_file().is_ok_and(|it| it > first) {
        assert!(started.elapsed() < Duration::from_secs(30), "no heartbeat arrived");
        std::thread::yield_now();
    }
}

/// A tool that frees its lock by removing the file must not leave us with a lock on nothing.
#[test]
fn a_tracking_lock_that_was_removed_meanwhile_is_taken_anew() {
    let place = Place::new();
    let (layout, at) = (place.layout(), place.layout().tracking_lock());
    let count = |wait| {
        modify_tracked(&RealDisk, &layout, &SystemClock, wait, |mut it| {
            it.value.total_spawned += 1;
            it
        })
    };
    count(PATIENCE).unwrap();
    let held = RealDisk.open_lock(&at).unwrap();
    RealDisk.lock(&held).unwrap();
    assert!(matches!(count(Duration::ZERO), Err(TrackingError::Busy { .. })));
    std::fs::remove_file(at.path()).unwrap();
    assert_eq!(count(PATIENCE).unwrap().value.total_spawned, 2);
    assert!(RealDisk.stat(&at).is_ok(), "the lock has its name again");
}

#[test]
fn a_released_lock_is_free_and_its_file_stays() {
    let place = Place::new();
    drop(acquire(&place).unwrap());
    let at = place.layout().task_lock(&"t1".parse().unwrap());
    assert!(RealDisk.stat(&at).is_ok(), "the file is never removed");

    let (mut second, stdin, said) = holder(&place);
    assert_eq!(said, "held");
    drop(stdin);
    assert!(second.0.wait().unwrap().success());
    assert!(acquire(&place).unwrap().taken_over().is_none());
}

#[test]
fn of_many_who_ask_at_once_one_gets_it() {
    let place = Place::new();
    let asked: Vec<_> = (0..8).map(|_| holder(&place)).collect();
    let held = asked.iter().filter(|(_, _, said)| said == "held").count();
    let refused = asked.iter().filter(|(_, _, said)| said.starts_with("refused: ")).count();
    assert_eq!((held, refused), (1, 7));
}
