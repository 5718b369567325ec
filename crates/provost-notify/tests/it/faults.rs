//! Receivers that hang, fail or vanish hold nothing up.

use std::{sync::Arc, time::Instant};

use provost_http::Destination;
use provost_kernel::Clock;
use provost_notify::{Channel, Ntfy, Webhook};
use provost_testkit::receiver::{ClosedPort, Receiver, Reception};
use secrecy::SecretString;

use crate::world::{Recorder, World, started};

/// A clock for signatures.
struct Second;

impl Clock for Second {
    fn millis(&self) -> provost_kernel::Millis {
        provost_kernel::Millis(1_700_000_000_000)
    }
}

fn webhook(address: &str) -> Box<dyn Channel> {
    let secret = Some(SecretString::from("key"));
    let destination = Destination::of(address).unwrap();
    Box::new(Webhook::new(address, destination, secret, Arc::new(Second)).unwrap())
}

#[test]
fn a_webhook_gets_signed_json_once() {
    let (world, receiver) = (World::new(), Receiver::start());
    let notifier = started(&world, vec![webhook(&receiver.url("/hook"))]);
    world.failed("t1");
    world.round(&notifier);
    world.round(&notifier);
    let requests = receiver.requests();
    assert_eq!(requests.len(), 1);
    let body = requests[0].json();
    assert_eq!(body["schema"], "provost.notification/1");
    assert_eq!(body["notices"][0]["task_id"], "t1");
    assert_eq!(body["notices"][0]["state"], "FAILED");
    assert_eq!(body["notices"][0]["message"], "it failed");
    let signature = requests[0].header("x-provost-signature").unwrap();
    assert!(signature.starts_with("t=1700000000,v1="), "{signature}");
    assert_eq!(requests[0].header("x-provost-delivery"), body["id"].as_str());
}

#[test]
fn a_receiver_that_fails_loses_nothing() {
    for fault in [
        Reception::Status(500),
        Reception::Cut,
        Reception::Redirect("http://127.0.0.1:1/".to_owned()),
        Reception::RetryAfter(7),
    ] {
        let (world, receiver) = (World::new(), Receiver::start());
        let notifier = started(&world, vec![webhook(&receiver.url("/hook"))]);
        receiver.script([fault.clone()]);
        world.failed("t1");
        let round = world.round(&notifier);
        let tried = &round.tried[0];
        assert!(tried.failure.is_some() && tried.left == 1, "{fault:?} {tried:?}");
        assert_eq!(round.rate_wait(), None, "no command waits for a receiver that fails");
        // It is left alone for a while, longer if it asked for that.
        world.pass(4);
        world.round(&notifier);
        assert_eq!(receiver.requests().len(), 1, "{fault:?}");
        world.pass(4);
        world.round(&notifier);
        let requests = receiver.requests();
        assert_eq!(requests.len(), 2, "{fault:?}");
        assert_eq!(requests[0].body, requests[1].body);
        assert_eq!(world.round(&notifier).tried[0].left, 0);
    }
}

#[test]
fn a_receiver_that_hangs_or_vanished_holds_up_no_other() {
    let (world, receiver, closed) = (World::new(), Receiver::start(), ClosedPort::reserve());
    receiver.always(Reception::Hang);
    let address = closed.url("/alerts");
    let ntfy = Ntfy::new(&address, Destination::of(&address).unwrap(), None).unwrap().unwrap();
    let recorder = Recorder::default();
    let channels: Vec<Box<dyn Channel>> =
        vec![webhook(&receiver.url("/hook")), Box::new(ntfy), Box::new(recorder.clone())];
    let notifier = started(&world, channels);
    world.failed("t1");
    std::thread::scope(|scope| {
        let round = scope.spawn(|| world.round(&notifier));
        receiver.wait_for(|it| it.len() == 1, std::time::Duration::from_secs(30));
        let start = Instant::now();
        while recorder.sizes().is_empty() {
            assert!(!round.is_finished() && start.elapsed().as_secs() < 30, "the others wait");
            std::thread::yield_now();
        }
        let round = round.join().unwrap();
        let failed: Vec<&str> = round
            .tried
            .iter()
            .filter(|it| it.failure.is_some())
            .map(|it| it.target.as_str())
            .collect();
        assert_eq!(failed, ["webhook", "ntfy"]);
    });
    // What one did not take waits for it alone.
    receiver.always(Reception::Accept);
    world.pass(60);
    let round = world.round(&notifier);
    let left: Vec<usize> = round.tried.iter().map(|it| it.left).collect();
    assert_eq!((left, recorder.sizes()), (vec![0, 1, 0], vec![1]));
}

#[test]
fn a_topic_gets_its_message_as_json() {
    let (world, receiver) = (World::new(), Receiver::start());
    let address = receiver.url("/alerts");
    let token = Some(SecretString::from("tk_1"));
    let ntfy = Ntfy::new(&address, Destination::of(&address).unwrap(), token).unwrap().unwrap();
    let notifier = started(&world, vec![Box::new(ntfy)]);
    world.paused_twice("t1");
    world.round(&notifier);
    let requests = receiver.requests();
    let body = requests[0].json();
    assert_eq!((&body["topic"], &body["priority"]), (&"alerts".into(), &4.into()));
    assert_eq!(body["title"], "🟡 t1 needs you");
    assert_eq!(requests[0].header("authorization"), Some("Bearer tk_1"));
}
