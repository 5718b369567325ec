//! What is sent, how often, and once.

use std::collections::BTreeSet;

use provost_desk::notify::SenderRank;

use crate::world::{Recorder, World, started};

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
