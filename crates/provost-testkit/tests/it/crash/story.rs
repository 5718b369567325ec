//! `kill -9` between the claims log and its index, and many processes on both.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use provost_desk::story::Stories;
use provost_store::Store;
use provost_testkit::{Ended, Place, command, kills, story};
use provost_vault::{RealDisk, SystemClock, story::StoryFiles};

use super::moment;

/// How many events the index holds, without anybody completing it.
fn applied(place: &Place) -> u64 {
    let store = Store::open(&place.layout().database().path()).unwrap();
    store.last_applied().unwrap().map_or(0, |it| it.seq)
}

/// A home in which an execution has begun.
fn place() -> Place {
    let place = Place::new();
    let layout = place.layout();
    let mut stories = Stories::open(&layout, &SystemClock).unwrap();
    stories.record(story::started("e1")).unwrap();
    drop(stories);
    place
}

/// Opens the stories as the next process does: everything is there, once.
#[track_caller]
fn check_complete(place: &Place, at_least: u64) -> u64 {
    let layout = place.layout();
    let n_events =
        StoryFiles::new(&RealDisk, &layout).events().unwrap().map(Result::unwrap).count();
    let stories = Stories::open(&layout, &SystemClock).unwrap();
    assert_eq!(stories.notices, []);
    let last = stories.last().unwrap();
    assert_eq!(last, n_events as u64, "every event is in the index");
    assert!(last >= at_least, "acknowledged {at_least}, found {last}");
    // Each claim after the beginning left one attempt: none is missing, and none is there twice.
    let attempts =
        stories.store().attempts(&"e1".parse().unwrap(), &"US-001".parse().unwrap()).unwrap();
    assert_eq!(attempts.len() as u64, last - 1);
    last
}

/// Holds the index against one that is made from the log alone.
#[track_caller]
fn check_rebuilt(place: &Place) {
    let layout = place.layout();
    let stories = Stories::open(&layout, &SystemClock).unwrap();
    let rows = |stories: &Stories<'_>| {
        let store = stories.store();
        let id = "e1".parse().unwrap();
        (store.last_applied().unwrap(), store.execution(&id).unwrap(), store.stories(&id).unwrap())
    };
    let before = rows(&stories);
    drop(stories);
    let (again, n_rebuilt) = Stories::reindex(&layout, &SystemClock).unwrap();
    assert_eq!(before.0.map(|it| it.seq), Some(n_rebuilt));
    assert_eq!(rows(&again), before);
}

/// The process is gone after the log was synced and before the index heard of it: the next one
/// applies the event, once.
#[test]
fn a_claim_that_is_only_in_the_log_is_applied_by_the_next_process() {
    let place = place();
    for n in 2..=4 {
        let mut child = Ended(
            command(super::super::WORKER)
                .args(["half-claim", place.home().as_str()])
                .stdout(Stdio::null())
                .spawn()
                .unwrap(),
        );
        assert!(!child.0.wait().unwrap().success(), "it was killed");
        assert_eq!(applied(&place), n - 1, "the index has not heard of it");
        assert_eq!(check_complete(&place, n), n);
    }
}

#[test]
fn a_kill_at_any_moment_loses_no_claim_and_applies_none_twice() {
    let place = place();
    let mut acknowledged = 0;
    let mut n_behind = 0;
    for kill in 0..kills() {
        let child = command(super::super::WORKER)
            .args(["claim", place.home().as_str()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut child = Ended(child);
        let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        std::thread::sleep(moment(kill));
        child.0.kill().unwrap();
        child.0.wait().unwrap();
        for line in std::iter::once(first).chain(lines.map_while(Result::ok)) {
            acknowledged = acknowledged.max(line.parse().unwrap_or(acknowledged));
        }
        let before = applied(&place);
        let last = check_complete(&place, acknowledged);
        n_behind += u32::from(before < last);
        acknowledged = last;
    }
    check_rebuilt(&place);
    println!("{} kills, {acknowledged} claims, {n_behind} times the index was behind", kills());
}

/// The log has one order and the index follows it, whoever comes first.
#[test]
fn eight_processes_claim_at_once_and_the_index_has_every_claim() {
    let place = place();
    let children: Vec<Ended> = (0..8)
        .map(|_| {
            let worker = command(super::super::WORKER)
                .args(["claim", place.home().as_str(), "25"])
                .stdout(Stdio::null())
                .spawn();
            Ended(worker.unwrap())
        })
        .collect();
    for mut child in children {
        assert!(child.0.wait().unwrap().success());
    }
    assert_eq!(applied(&place), 201, "nobody left anything to the next");
    assert_eq!(check_complete(&place, 201), 201);
    check_rebuilt(&place);
}
