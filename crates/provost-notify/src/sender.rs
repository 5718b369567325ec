//! The loop that empties the outbox.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use provost_desk::{
    Desk, DeskError,
    notify::{Bucket, OutboxState, Parcel, Sender, SenderRank, parcels},
};
use provost_kernel::{
    Lang, Message, Millis, Text, Timestamp,
    notify::{Notice, NoticeKind},
};

use crate::{Channel, Delivery, DeliveryError, Secrets};

/// How often changes are looked for.
const INTERVAL: Duration = Duration::from_secs(5);
/// How long a target is left alone after its first failure; twice as long after each further one.
const PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_mins(15);

/// How messages are written, and how many a target gets.
#[derive(Clone, Debug)]
pub struct Settings {
    pub lang: Lang,
    pub project: String,
    /// The address of the page, for links.
    pub page: Option<String>,
    pub per_minute: u32,
    /// Those of the channels, which nothing that is told may name.
    pub secrets: Secrets,
}

/// All channels of a person.
pub struct Notifier {
    channels: Vec<Box<dyn Channel>>,
    settings: Settings,
    resting: Mutex<BTreeMap<String, Rest>>,
}

/// A target that is left alone for a while.
#[derive(Clone, Copy, Debug)]
struct Rest {
    until: Millis,
    failures: u32,
}

/// What one look at the outbox came to.
#[derive(Debug, Default)]
pub struct Round {
    /// How many changes were new.
    pub noted: usize,
    pub tried: Vec<Tried>,
}

/// What became of the messages to one target.
#[derive(Debug)]
pub struct Tried {
    pub target: String,
    /// How many messages were taken.
    pub messages: usize,
    /// How many notices are left.
    pub left: usize,
    pub failure: Option<Text>,
    wait: Option<Wait>,
}

/// What the notices that are left wait for.
#[derive(Clone, Copy, Debug)]
enum Wait {
    /// The rate limit.
    Rate(Duration),
    /// A target that failed is left alone.
    Rest(Duration),
}

impl Round {
    /// How long until something that is left can be sent; none where nothing is left.
    pub fn wait(&self) -> Option<Duration> {
        let waits = self.tried.iter().filter_map(|it| it.wait);
        waits.map(|(Wait::Rate(time) | Wait::Rest(time))| time).min()
    }

    /// The same for targets that only wait for their rate limit.
    pub fn rate_wait(&self) -> Option<Duration> {
        let rate = |it: &Tried| match it.wait {
            Some(Wait::Rate(time)) => Some(time),
            Some(Wait::Rest(_)) | None => None,
        };
        self.tried.iter().filter_map(rate).min()
    }

    /// The targets that did not take what they were to be told, because they could not be reached.
    pub fn unreached(&self) -> impl Iterator<Item = &str> {
        let failed = self.tried.iter().filter(|it| matches!(it.wait, Some(Wait::Rest(_))));
        failed.map(|it| it.target.as_str())
    }
}

/// Ends a loop.
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<(Mutex<bool>, Condvar)>);

impl StopSignal {
    pub fn stop(&self) {
        let (stopped, changed) = &*self.0;
        *stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_all();
    }

    /// Waits for this long, and says whether the loop shall end.
    pub fn wait(&self, time: Duration) -> bool {
        let (stopped, changed) = &*self.0;
        let guard = stopped.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = changed.wait_timeout_while(guard, time, |it| !*it);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Notifier {
    pub fn new(channels: Vec<Box<dyn Channel>>, settings: Settings) -> Self {
        Self { channels, settings, resting: Mutex::default() }
    }

    pub fn targets(&self) -> Vec<String> {
        self.channels.iter().map(|it| it.target().to_owned()).collect()
    }

    /// How many notices each target has not taken yet.
    pub fn waiting(&self, state: &OutboxState) -> Vec<(String, usize)> {
        let count = |it: &dyn Channel| state.pending(&it.account()).len();
        self.channels.iter().map(|it| (it.target().to_owned(), count(&**it))).collect()
    }

    fn accounts(&self) -> Vec<String> {
        self.channels.iter().map(|it| it.account()).collect()
    }

    /// Whether there is anybody to tell.
    pub fn is_empty(&self) -> bool {
        self.channels.is_empty()
    }

    /// Sends a message to each target that only shows that it arrives.
    pub fn test(&self, at: Timestamp) -> Vec<(String, Result<(), DeliveryError>)> {
        let (kind, message) = (NoticeKind::Test, TestMessage.text());
        let notice = Notice::of_project(kind, at, ("TEST", &at.to_string(), 0), message);
        let notices = [&notice];
        let delivery = self.delivery(&notices);
        thread::scope(|scope| {
            let delivery = &delivery;
            let started: Vec<_> = self
                .channels
                .iter()
                .map(|it| (it.target().to_owned(), scope.spawn(move || it.deliver(delivery))))
                .collect();
            let joined = started.into_iter();
            joined.filter_map(|(target, it)| Some((target, it.join().ok()?))).collect()
        })
    }

    /// Looks for changes and sends until told to stop. `report` is told of every round with a failure.
    pub fn run(
        &self,
        desk: &Desk,
        rank: SenderRank,
        stop: &StopSignal,
        mut report: impl FnMut(Result<Round, DeskError>),
    ) {
        let mut presence = None;
        loop {
            // Another process of this rank may have ended.
            if presence.is_none() {
                presence = desk.announce_sender(rank).ok().flatten();
            }
            let round = self.round(desk, rank);
            let wait = match &round {
                Ok(Some(round)) => round.wait().map_or(INTERVAL, |it| it.min(INTERVAL)),
                Ok(None) | Err(_) => INTERVAL,
            };
            if let Some(round) = round.transpose() {
                report(round);
            }
            if stop.wait(wait) {
                return;
            }
        }
    }

    /// Notes what changed, and sends nothing; the first time, nothing is news.
    pub fn note(&self, desk: &Desk, rank: SenderRank) -> Result<(), DeskError> {
        let Some(sender) = desk.sender(rank)? else { return Ok(()) };
        sender.collect(&self.accounts()).map(drop)
    }

    /// Looks for changes once and sends what may be sent; none while another process does.
    pub fn round(&self, desk: &Desk, rank: SenderRank) -> Result<Option<Round>, DeskError> {
        let Some(mut sender) = desk.sender(rank)? else { return Ok(None) };
        let noted = sender.collect(&self.accounts())?;
        let mut round = self.send(desk, &sender)?;
        round.noted = noted;
        sender.compact()?;
        Ok(Some(round))
    }

    /// Sends what may be sent to each target, all at once.
    fn send(&self, desk: &Desk, sender: &Sender<'_>) -> Result<Round, DeskError> {
        let state = sender.state()?;
        let tried: Vec<Result<Tried, DeskError>> = thread::scope(|scope| {
            let state = &state;
            let started: Vec<_> = self
                .channels
                .iter()
                .map(|it| scope.spawn(move || self.send_to(&**it, desk, sender, state)))
                .collect();
            started.into_iter().filter_map(|it| it.join().ok()).collect()
        });
        let tried: Vec<Tried> = tried.into_iter().collect::<Result<_, _>>()?;
        Ok(Round { noted: 0, tried })
    }

    fn send_to(
        &self,
        channel: &dyn Channel,
        desk: &Desk,
        sender: &Sender<'_>,
        state: &OutboxState,
    ) -> Result<Tried, DeskError> {
        let (target, account) = (channel.target(), channel.account());
        let account = account.as_str();
        let pending = state.pending(account);
        let now = || desk.clock().millis();
        let mut tried = Tried {
            target: target.to_owned(),
            messages: 0,
            left: pending.len(),
            failure: None,
            wait: None,
        };
        if pending.is_empty() {
            return Ok(tried);
        }
        if let Some(rest) = self.resting().get(account).copied()
            && rest.until > now()
        {
            let time = Duration::from_millis(rest.until.0.saturating_sub(now().0));
            tried.wait = Some(Wait::Rest(time));
            return Ok(tried);
        }
        let mut bucket = self.bucket(state, account, now());
        for parcel in parcels(pending.len(), bucket.tokens(now())) {
            let notices: &[&Notice] = match parcel {
                Parcel::One(at) => pending.get(at..=at),
                Parcel::From(at) => pending.get(at..),
            }
            .unwrap_or_default();
            let secrets = &self.settings.secrets;
            let told: Vec<_> = notices.iter().map(|it| secrets.removed_from(it)).collect();
            let told: Vec<&Notice> = told.iter().map(|it| &**it).collect();
            if let Err(error) = channel.deliver(&self.delivery(&told)) {
                let wait = self.rest(account, &error, now());
                tried.failure = Some(error.fault.text());
                tried.wait = Some(Wait::Rest(wait));
                return Ok(tried);
            }
            self.resting().remove(account);
            bucket.take(now());
            // Durable before the next is sent: a crash here repeats this message and no other.
            sender.sent(account, notices, bucket.units())?;
            tried.messages += 1;
            tried.left -= notices.len();
        }
        if tried.left > 0 {
            tried.wait = bucket.wait(now()).map(Duration::from_millis).map(Wait::Rate);
        }
        Ok(tried)
    }

    fn delivery<'a>(&'a self, notices: &'a [&'a Notice]) -> Delivery<'a> {
        let Settings { lang, project, page, .. } = &self.settings;
        Delivery { notices, lang: *lang, project, page: page.as_deref() }
    }

    fn bucket(&self, state: &OutboxState, account: &str, now: Millis) -> Bucket {
        let per_minute = self.settings.per_minute;
        match state.level(account) {
            Some((at, units)) => Bucket::left(per_minute, units, at),
            None => Bucket::full(per_minute, now),
        }
    }

    /// Leaves a target alone after a failure, and says for how long.
    fn rest(&self, account: &str, error: &DeliveryError, now: Millis) -> Duration {
        let mut resting = self.resting();
        let failures = resting.get(account).map_or(0, |it| it.failures);
        let own = PAUSE.saturating_mul(1 << failures.min(16)).min(LONGEST_PAUSE);
        let time = error.retry_after.map_or(own, |it| it.min(LONGEST_PAUSE));
        let until = Millis(now.0 + u64::try_from(time.as_millis()).unwrap_or(u64::MAX / 2));
        resting.insert(account.to_owned(), Rest { until, failures: failures + 1 });
        time
    }

    fn resting(&self) -> MutexGuard<'_, BTreeMap<String, Rest>> {
        self.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a test message says.
#[derive(Debug, Message)]
#[message(
    code = "notice.test",
    en = "this is a test: you will hear of results, failures and questions here",
    zh = "这是一条测试消息：结果、失败和提问都会发到这里"
)]
struct TestMessage;

impl fmt::Debug for Notifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notifier").field("targets", &self.targets()).finish_non_exhaustive()
    }
}
