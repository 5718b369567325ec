//! What is sent, how often, and once.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use provost_desk::notify::SenderRank;

use crate::world::{Recorder, World, notifier, started};

/// LOOP-A16: five messages a minute, to the message; what is over the limit is folded into a digest.
#[test]
fn five_messages_a_minute_and_the_rest_in_a_digest() {
    let (world, recorder) = (World::new(), Recorder::default());
    let notifier = started(&world, vec![Box::new(recorder.clone())]);
    for n in 0..7 {
        world.failed(&format!("t{n}"));
    }
    let round = world.round(&notifier);
    assert_eq!((round.noted, recorder.sizes()), (7, vec![1, 1, 1, 1, 3]));
    world.failed("t7");
    world.failed("t8");
    let round = world.round(&notifier);
    assert_eq!(round.rate_wait().map(|it| it.as_secs()), Some(12));
    world.pass(11);
    world.round(&notifier);
    assert_eq!(recorder.sizes().len(), 5, "eleven seconds are too few");
    world.pass(1);
    world.round(&notifier);
    assert_eq!(recorder.sizes(), [1, 1, 1, 1, 3, 2]);
    let notices = recorder.notices();
    assert_eq!(notices.iter().collect::<BTreeSet<_>>().len(), 9);
    assert_eq!(notices.len(), 9, "none twice");
}

/// The limit holds over restarts, because the outbox knows what was left of it.
#[test]
fn a_restart_does_not_fill_the_bucket() {
    let world = World::new();
    let recorder = Recorder::default();
    let notifier = started(&world, vec![Box::new(recorder.clone())]);
    for n in 0..5 {
        world.failed(&format!("t{n}"));
    }
    world.round(&notifier);
    drop(notifier);
    let again = started(&world, vec![Box::new(recorder.clone())]);
    world.failed("t5");
    world.round(&again);
    assert_eq!(recorder.sizes().len(), 5);
    world.pass(12);
    world.round(&again);
    assert_eq!(recorder.sizes().len(), 6);
}

#[test]
fn what_was_there_before_is_not_news_and_every_change_since_is() {
    let (world, recorder) = (World::new(), Recorder::default());
    world.failed("old");
    let notifier = started(&world, vec![Box::new(recorder.clone())]);
    assert_eq!(recorder.sizes(), [0; 0]);
    // Both pauses are told, although the first was over before anybody looked.
    world.paused_twice("t1");
    assert_eq!(world.round(&notifier).noted, 2);
    assert_eq!(recorder.sizes(), [1, 1]);
    assert_eq!(world.round(&notifier).noted, 0);
    assert_eq!(recorder.sizes(), [1, 1]);
}

/// LOOP-A16: whatever had its id before, and although nothing but its creation tells it from that one.
#[test]
fn a_task_that_was_removed_and_made_again_is_told() {
    for is_seen_gone in [true, false] {
        let (world, recorder) = (World::new(), Recorder::default());
        let notifier = started(&world, vec![Box::new(recorder.clone())]);
        world.failed("t1");
        world.round(&notifier);
        world.remove("t1");
        if is_seen_gone {
            world.round(&notifier);
        }
        world.failed("t1");
        assert_eq!(world.round(&notifier).noted, 1, "seen gone: {is_seen_gone}");
        assert_eq!(recorder.sizes(), [1, 1]);
        let notices = recorder.notices();
        assert_eq!(notices[0], notices[1], "the fingerprint is that of the forerunner");
        assert_eq!(world.round(&notifier).noted, 0);
    }
}

#[test]
fn one_of_two_processes_sends() {
    let (world, recorder) = (World::new(), Recorder::default());
    let notifier = started(&world, vec![Box::new(recorder.clone())]);
    world.failed("t1");
    let server = world.desk.announce_sender(SenderRank::Server).unwrap();
    assert!(notifier.round(&world.desk, SenderRank::Coordinator).unwrap().is_none());
    assert!(notifier.round(&world.desk, SenderRank::Server).unwrap().is_some());
    drop(server);
    assert_eq!(world.round(&notifier).noted, 0);
    assert_eq!(recorder.sizes(), [1]);
}

/// Ruling 93: a bot, a server and a coordinator that look at the same time tell each change once.
#[test]
fn three_senders_at_once_tell_each_change_once() {
    const CHANGES: usize = 40;
    let (world, recorder) = (World::new(), Recorder::default());
    drop(started(&world, vec![Box::new(recorder.clone())]));
    let is_done = AtomicBool::new(false);
    let rounds = std::thread::scope(|scope| {
        let senders = [SenderRank::Bot, SenderRank::Server, SenderRank::Coordinator].map(|rank| {
            let (desk, recorder, is_done) = (world.desk.clone(), recorder.clone(), &is_done);
            scope.spawn(move || {
                let notifier = notifier(vec![Box::new(recorder)]);
                let mut rounds = 0;
                while !is_done.load(Ordering::SeqCst) {
                    rounds += usize::from(notifier.round(&desk, rank).unwrap().is_some());
                    std::thread::yield_now();
                }
                rounds
            })
        });
        for n in 0..CHANGES {
            world.failed(&format!("t{n}"));
        }
        let start = Instant::now();
        while recorder.notices().len() < CHANGES && start.elapsed() < Duration::from_mins(1) {
            // What is over the limit goes out when its minute is over.
            world.pass(1);
            std::thread::yield_now();
        }
        is_done.store(true, Ordering::SeqCst);
        senders.map(|it| it.join().unwrap())
    });
    assert!(rounds.iter().sum::<usize>() > 0, "{rounds:?}");
    let notices = recorder.notices();
    assert_eq!(notices.iter().collect::<BTreeSet<_>>().len(), CHANGES, "none is lost");
    assert_eq!(notices.len(), CHANGES, "none twice");
}
