//! A home with tasks, a clock that a test sets, and channels that only record.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use provost_desk::{Desk, notify::SenderRank};
use provost_kernel::{
    Actor, Clock, Lang, Millis, Source, TaskId, Text,
    notify::Fingerprint,
    task::{PauseCode, State},
};
use provost_notify::{Channel, Delivery, DeliveryError, Notifier, Round, Secrets, Settings};
use provost_testkit::{Place, changes};

/// A clock that stands still until a test moves it.
#[derive(Debug)]
pub(crate) struct Hand(AtomicU64);

impl Clock for Hand {
    fn millis(&self) -> Millis {
        Millis(self.0.load(Ordering::SeqCst))
    }
}

/// A channel that takes everything and records it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder(Arc<Mutex<Vec<Vec<Fingerprint>>>>);

impl Recorder {
    /// How many notices each message had.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        self.0.lock().unwrap().iter().map(Vec::len).collect()
    }

    /// Every notice that was sent, in order.
    pub(crate) fn notices(&self) -> Vec<Fingerprint> {
        self.0.lock().unwrap().concat()
    }
}

impl Channel for Recorder {
    fn target(&self) -> &'static str {
        "recorder"
    }

    fn deliver(&self, delivery: &Delivery<'_>) -> Result<(), DeliveryError> {
        let prints = delivery.notices.iter().map(|it| it.fingerprint.clone()).collect();
        self.0.lock().unwrap().push(prints);
        Ok(())
    }
}

pub(crate) struct World {
    pub(crate) desk: Desk,
    hand: Arc<Hand>,
    _place: Place,
}

impl World {
    pub(crate) fn new() -> Self {
        let place = Place::new();
        let hand = Arc::new(Hand(AtomicU64::new(1_700_000_000_000)));
        let desk = Desk::new(place.layout(), Arc::clone(&hand) as Arc<dyn Clock>);
        Self { desk, hand, _place: place }
    }

    pub(crate) fn pass(&self, seconds: u64) {
        self.hand.0.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    /// A new task that has failed.
    pub(crate) fn failed(&self, id: &str) {
        let id: TaskId = id.parse().unwrap();
        let mut open = changes::create(&self.desk, &id);
        changes::change(&mut open, State::Failed, None, &Text::verbatim("it failed"));
    }

    /// Removes a task, for good.
    pub(crate) fn remove(&self, id: &str) {
        let id: TaskId = id.parse().unwrap();
        let actor = Actor { source: Source::Cli, id: "ann".to_owned() };
        self.desk.take_away(&id, &actor).unwrap();
        self.desk.delete_removed(&id).unwrap();
    }

    /// A new task that waits for a person, after it paused and went on before.
    pub(crate) fn paused_twice(&self, id: &str) {
        let id: TaskId = id.parse().unwrap();
        let mut open = changes::create(&self.desk, &id);
        let why = Text::verbatim("it paused");
        changes::change(&mut open, State::Paused, Some(PauseCode::CoderTimeout), &why);
        changes::change(&mut open, State::Running, None, &why);
        changes::change(&mut open, State::Paused, Some(PauseCode::JudgeTimeout), &why);
    }

    pub(crate) fn round(&self, notifier: &Notifier) -> Round {
        notifier.round(&self.desk, SenderRank::Coordinator).unwrap().unwrap()
    }
}

/// A notifier that has looked once: what happens from now on is news.
pub(crate) fn started(world: &World, channels: Vec<Box<dyn Channel>>) -> Notifier {
    let notifier = notifier(channels);
    world.round(&notifier);
    notifier
}

/// A notifier that has not looked yet.
pub(crate) fn notifier(channels: Vec<Box<dyn Channel>>) -> Notifier {
    let settings = Settings {
        lang: Lang::En,
        project: "shop".to_owned(),
        page: None,
        per_minute: 5,
        secrets: Secrets::default(),
    };
    Notifier::new(channels, settings)
}
