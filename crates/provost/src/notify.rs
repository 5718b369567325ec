//! `provost notify`, and the notifier of every command that goes on.

mod channels;
mod companion;
mod launch;
mod secret;
mod telegram;

use provost_kernel::{Exit, Message, Text};
use provost_notify::Notifier;
use serde::Serialize;

use self::channels::{HalfError, missing_half};
pub(crate) use self::{
    channels::{notifier, project_name, telegram_token},
    companion::{Companion, Telling},
    secret::secret_files,
};
use crate::{
    session::{AnyFault, Run, Session},
    story::person,
    view::{Page, View},
    wiring::desk,
};

/// What Telegram is called where no chat is named.
const TELEGRAM: &str = "telegram";

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost notify test\n  provost notify status\n\nChannels are set up in your own configuration: `notify.desktop`, `notify.webhook`, `notify.ntfy`,\n`notify.command`, and Telegram with `TELEGRAM_BOT_TOKEN` and `TELEGRAM_CHAT_ALLOWLIST`."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Send a test message to every channel
    Test(TestArgs),
    /// Show the channels and what waits for them
    Status(StatusArgs),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost notify test\n\nExit codes: 0 every channel took it, 1 one did not, 2 none is set up"
)]
struct TestArgs {}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost notify status")]
struct StatusArgs {}

impl Args {
    pub(crate) fn as_run(&self) -> &dyn Run {
        match &self.command {
            Command::Test(it) => it,
            Command::Status(it) => it,
        }
    }
}

/// Why no message can be sent.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "notify.no_channel",
    en = "no channel is set up",
    zh = "没有设置任何通知渠道",
    hint(
        en = "set `notify.desktop = true`, `notify.webhook`, `notify.ntfy` or `notify.command` in `.provost/local.toml`, or `TELEGRAM_BOT_TOKEN` and `TELEGRAM_CHAT_ALLOWLIST`: docs/notify.md",
        zh = "请在 `.provost/local.toml` 中设置 `notify.desktop = true`、`notify.webhook`、`notify.ntfy` 或 `notify.command`，或设置 `TELEGRAM_BOT_TOKEN` 与 `TELEGRAM_CHAT_ALLOWLIST`：见 `docs/notify.md`"
    )
)]
struct NoChannel;

/// What became of the test message.
#[derive(Serialize)]
struct TestAnswer {
    targets: Vec<TestedTarget>,
}

#[derive(Serialize)]
struct TestedTarget {
    target: String,
    is_taken: bool,
    /// Why it was not.
    failure: Option<Text>,
}

/// The channels and what waits for them.
#[derive(Serialize)]
struct StatusAnswer {
    targets: Vec<WaitingTarget>,
}

#[derive(Serialize)]
struct WaitingTarget {
    target: String,
    pending: usize,
    /// Why nothing can be sent to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Text>,
}

impl Run for TestArgs {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        // An agent sends no message in the person's name.
        person(session)?;
        let (notifier, half) = present(session)?;
        let desk = desk(session)?;
        let outcomes = notifier.test(desk.clock().now());
        let mut targets: Vec<TestedTarget> = outcomes
            .into_iter()
            .map(|(target, outcome)| {
                let failure = outcome.err().map(|it| it.fault.text());
                TestedTarget { target, is_taken: failure.is_none(), failure }
            })
            .collect();
        targets.extend(half.map(|it| TestedTarget {
            target: TELEGRAM.to_owned(),
            is_taken: false,
            failure: Some(it.text()),
        }));
        let is_taken = targets.iter().all(|it| it.is_taken);
        session.output.show(&TestAnswer { targets });
        Ok(if is_taken { Exit::Success } else { Exit::Refused })
    }
}

impl Run for StatusArgs {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (notifier, half) = present(session)?;
        let state = desk(session)?.outbox_state()?;
        let waiting = notifier.waiting(&state).into_iter();
        let half = half.map(|it| WaitingTarget {
            target: TELEGRAM.to_owned(),
            pending: 0,
            problem: Some(it.text()),
        });
        let targets = waiting
            .map(|(target, pending)| WaitingTarget { target, pending, problem: None })
            .chain(half);
        session.output.show(&StatusAnswer { targets: targets.collect() });
        Ok(Exit::Success)
    }
}

/// The notifier, if it has a channel, and what is missing of Telegram.
fn present(session: &mut Session) -> Result<(Notifier, Option<HalfError>), AnyFault> {
    let (notifier, half) = (notifier(session)?, missing_half(session)?);
    match half {
        Some(half) if notifier.is_empty() => Err(half.into()),
        None if notifier.is_empty() => Err(NoChannel.into()),
        half => Ok((notifier, half)),
    }
}

impl View for TestAnswer {
    fn page(&self, page: &mut Page<'_>) {
        for it in &self.targets {
            let said = match &it.failure {
                None => page.lang.pick("taken", "已送达").to_owned(),
                Some(failure) => page.lang.render(failure),
            };
            let sign = if it.is_taken { "✓" } else { "✗" };
            page.line(&format!("{sign} {}: {said}", it.target));
        }
    }
}

impl View for StatusAnswer {
    fn page(&self, page: &mut Page<'_>) {
        for WaitingTarget { target, pending, problem } in &self.targets {
            let said = match (pending, problem) {
                (_, Some(problem)) => page.lang.render(problem),
                (0, None) => page.lang.pick("nothing waits".to_owned(), "没有待发消息".to_owned()),
                (n, None) => page.lang.pick(format!("{n} waiting"), format!("{n} 条待发")),
            };
            page.line(&format!("{target}: {said}"));
        }
    }
}
