//! Tells people of changes while a command runs.

use std::{
    collections::BTreeMap,
    fmt,
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use provost_desk::{Desk, DeskError, notify::SenderRank};
use provost_kernel::{Lang, Message, Text};
use provost_notify::{Notifier, Round, StopSignal};

use super::{channels::is_set_up, notifier};
use crate::{
    output::Output,
    session::{AnyFault, Session},
    story::person,
    wiring::desk,
};

/// How long a command that is done waits for the last messages: as long as the usual rate limit takes
/// to let one through.
const LAST: Duration = Duration::from_secs(13);

/// A thread that sends notifications, until it is dropped.
#[derive(Debug)]
pub(crate) struct Companion {
    stop: StopSignal,
    thread: Option<JoinHandle<()>>,
}

impl Companion {
    /// Starts one for a long-running program; none without a channel, and none below an agent.
    pub(crate) fn start(session: &mut Session, rank: SenderRank) -> Result<Option<Self>, AnyFault> {
        if is_below_agent(session)? {
            return Ok(None);
        }
        let notifier = notifier(session)?;
        if notifier.is_empty() {
            return Ok(None);
        }
        let (desk, lang) = (desk(session)?, session.output.lang);
        Ok(Some(Self::of(Arc::new(notifier), desk, rank, lang)))
    }

    fn of(notifier: Arc<Notifier>, desk: Desk, rank: SenderRank, lang: Lang) -> Self {
        let stop = StopSignal::default();
        let thread = std::thread::spawn({
            let stop = stop.clone();
            move || {
                let mut failures = Failures { lang, said: BTreeMap::new() };
                notifier.run(&desk, rank, &stop, |round| failures.report(&round));
            }
        });
        Self { stop, thread: Some(thread) }
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Whether an agent started this. It chose the environment: it could name targets of its own, and use up
/// what the person is to be told. The next command of the person tells it.
fn is_below_agent(session: &mut Session) -> Result<bool, AnyFault> {
    let Err(why) = person(session) else { return Ok(false) };
    if is_set_up(session)? {
        let lang = session.output.lang;
        let text = lang.render(&Waits { why: why.0.text() }.text());
        session.output.message(&text);
    }
    Ok(true)
}

/// What is said where notifications wait.
#[derive(Debug, Message)]
#[message(
    code = "notify.below_agent",
    en = "notifications wait for your next command, `provost serve` or `provost bot`: {why}",
    zh = "通知会等到你的下一条命令、`provost serve` 或 `provost bot` 时再发送：{why}"
)]
struct Waits {
    why: Text,
}

/// Says each failure once, until it changes.
struct Failures {
    lang: Lang,
    said: BTreeMap<String, String>,
}

impl Failures {
    fn report(&mut self, round: &Result<Round, DeskError>) {
        let mut found = BTreeMap::new();
        match round {
            Ok(round) => {
                let failed = round.tried.iter().filter_map(|it| Some((it, it.failure.as_ref()?)));
                for (tried, failure) in failed {
                    found.insert(tried.target.clone(), self.lang.render(failure));
                }
                // A target that rests was not tried: what was said of it still holds.
                for tried in round.tried.iter().filter(|it| it.left > 0 && it.failure.is_none()) {
                    if let Some(said) = self.said.get(&tried.target) {
                        found.insert(tried.target.clone(), said.clone());
                    }
                }
            }
            Err(error) => {
                found.insert(String::new(), self.lang.render(&error.text()));
            }
        }
        for (target, text) in &found {
            if self.said.get(target) != Some(text) {
                let text = self.lang.pick(
                    format!("notification not sent, will be tried again: {text}"),
                    format!("通知未发出，将重试：{text}"),
                );
                Output::new(self.lang).message(&text);
            }
        }
        self.said = found;
    }
}

/// Tells people of what changes while a task runs, and of the last change when it is dropped.
pub(crate) struct Telling {
    companion: Option<Companion>,
    notifier: Arc<Notifier>,
    desk: Desk,
    output: Output,
}

/// What a command says at its end.
#[derive(Debug, Message)]
#[message(
    code = "notify.unreached",
    en = "warning: notifications did not reach {targets}; `provost notify test` says why, and the next command tries again",
    zh = "警告：通知未能送达 {targets}；`provost notify test` 会说明原因，下一条命令会重试"
)]
struct Unreached {
    targets: String,
}

impl Unreached {
    fn of(round: &Round, lang: Lang) -> Option<Self> {
        let targets: Vec<String> = round.unreached().map(|it| format!("`{it}`")).collect();
        (!targets.is_empty()).then(|| Self { targets: targets.join(lang.pick(", ", "、")) })
    }
}

impl Telling {
    /// Starts to tell; none without a channel. An invalid setup is reported and does not stop the run.
    pub(crate) fn start(session: &mut Session) -> Option<Self> {
        match Self::prepared(session) {
            Ok(telling) => telling,
            Err(error) => {
                let lang = session.output.lang;
                let why = lang.render(&error.0.text());
                let text = lang
                    .pick(format!("notifications are off: {why}"), format!("通知已关闭：{why}"));
                session.output.message(&text);
                None
            }
        }
    }

    fn prepared(session: &mut Session) -> Result<Option<Self>, AnyFault> {
        if is_below_agent(session)? {
            return Ok(None);
        }
        let notifier = notifier(session)?;
        if notifier.is_empty() {
            return Ok(None);
        }
        let (notifier, desk, lang) = (Arc::new(notifier), desk(session)?, session.output.lang);
        // What changed before the first time is not news.
        notifier.note(&desk, SenderRank::Coordinator)?;
        let companion =
            Companion::of(Arc::clone(&notifier), desk.clone(), SenderRank::Coordinator, lang);
        let mut output = Output::new(lang);
        output.configure(&session.flags);
        Ok(Some(Self { companion: Some(companion), notifier, desk, output }))
    }
}

/// Sends what is left. What cannot be sent now waits in the outbox for the next command, and the person is
/// told; a target that does not answer is not waited for a second time.
impl Drop for Telling {
    fn drop(&mut self) {
        drop(self.companion.take());
        let start = Instant::now();
        while let Ok(Some(round)) = self.notifier.round(&self.desk, SenderRank::Coordinator) {
            match round.rate_wait() {
                Some(wait) if start.elapsed() + wait <= LAST => std::thread::sleep(wait),
                Some(_) | None => {
                    if let Some(unreached) = Unreached::of(&round, self.output.lang) {
                        let text = self.output.lang.render(&unreached.text());
                        self.output.message(&text);
                    }
                    return;
                }
            }
        }
    }
}

impl fmt::Debug for Telling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Telling").field("notifier", &self.notifier).finish_non_exhaustive()
    }
}
