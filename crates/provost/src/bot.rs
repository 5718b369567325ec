//! `provost bot`: tasks, questions and orders in a Telegram chat.

use std::{
    cell::RefCell,
    ops::RangeInclusive,
    sync::{Arc, atomic::AtomicUsize},
    time::Duration,
};

use provost_desk::{
    notify::SenderRank,
    remote::{Allowlist, WriteGate, WriteMode},
};
use provost_kernel::{Exit, Message, Source};
use provost_telegram::{Address, Api, BotSetup, Note, Stop, Timeouts, run};
use provost_vault::{RealDisk, prepare_home};

use crate::{
    environment,
    notify::{Companion, project_name, telegram_token},
    output::Output,
    serve::launch::Port,
    session::{AnyFault, Run, Session},
    story::{is_job, person},
    task::detach::Guarded,
    wiring::desk,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  read -rs TELEGRAM_BOT_TOKEN && export TELEGRAM_BOT_TOKEN\n  TELEGRAM_CHAT_ALLOWLIST=123456 provost bot\n  RDLOOP_ENABLE_WRITES=true provost bot\n\nEnvironment:\n  TELEGRAM_BOT_TOKEN        the token that `@BotFather` gave you\n  TELEGRAM_CHAT_ALLOWLIST   ids of chats and users, separated by commas; empty admits nothing\n  RDLOOP_ENABLE_WRITES      `true` takes orders, and nothing else does\n  RDLOOP_WRITE_RATE_LIMIT   orders a minute, 10 by default\n  RDLOOP_POLL_INTERVAL      milliseconds that a poll waits, 30000 by default\n  TELEGRAM_API_URL          the Bot API server, https://api.telegram.org by default\n\nIt runs until it is interrupted, then ends with 0; with 5 where another process reads the updates.\nIt cannot call a model, and it does not start where an agent runs."
)]
pub(crate) struct Args {
    /// Let tasks run although the guard has not been tested
    #[arg(long)]
    unguarded: bool,
}

/// The name under which the bot asserts that it calls no model.
const MODULE: &str = "telegram";
/// Orders a minute, and milliseconds that a poll waits.
const RATE: u32 = 10;
const POLL: u32 = 30_000;
/// More orders a minute than anybody gives.
const MOST_ORDERS: u32 = 1000;
/// The longest that Telegram holds a poll, in milliseconds.
const LONGEST_POLL: u32 = 50_000;

/// Why the bot is not started.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "bot")]
enum BotArgsError {
    #[message(
        en = "`TELEGRAM_BOT_TOKEN` is not set",
        zh = "未设置 `TELEGRAM_BOT_TOKEN`",
        hint(
            en = "in Telegram, write `/newbot` to `@BotFather`; it gives you a token",
            zh = "在 Telegram 中向 `@BotFather` 发送 `/newbot`，它会给出令牌"
        ),
        hint(
            en = "then: `read -rs TELEGRAM_BOT_TOKEN && export TELEGRAM_BOT_TOKEN`, and `provost bot`",
            zh = "然后运行：`read -rs TELEGRAM_BOT_TOKEN && export TELEGRAM_BOT_TOKEN`，再运行 `provost bot`"
        )
    )]
    NoToken,
    #[message(
        en = "no bot starts in the job of a task",
        zh = "任务的作业中不能启动机器人",
        hint(en = "start it in a terminal of your own", zh = "请在你自己的终端中启动"),
        exit = Refused
    )]
    Job,
    #[message(
        en = "`{name}` is `{value}`, not a number",
        zh = "`{name}` 的值 `{value}` 不是数字",
        hint(en = "unset it to use {default}", zh = "取消设置即使用 {default}")
    )]
    Number { name: &'static str, value: String, default: u32 },
    #[message(
        en = "`{name}` is {value}, not between {least} and {most}",
        zh = "`{name}` 为 {value}，不在 {least} 到 {most} 之间",
        hint(en = "unset it to use {default}", zh = "取消设置即使用 {default}")
    )]
    Range { name: &'static str, value: u32, least: u32, most: u32, default: u32 },
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        if is_job(session) {
            return Err(BotArgsError::Job.into());
        }
        // What an agent started would send in the person's name, where the agent wants it (ruling 70).
        person(session)?;
        let desk = desk(session)?;
        prepare_home(&RealDisk, desk.layout())?;
        let config = session.configuration()?.config.notify.clone();
        let variables = &session.environment;
        let address: Address = match variables.text("TELEGRAM_API_URL")? {
            Some(text) => text.parse()?,
            None => Address::default(),
        };
        desk.assert_no_llm(MODULE, variables.text("NO_LLM")?, &[address.host()])?;
        let token = telegram_token(session, &config)?.ok_or(BotArgsError::NoToken)?;
        let list = variables.text("TELEGRAM_CHAT_ALLOWLIST")?.unwrap_or_default();
        let allowlist: Allowlist = list.parse()?;
        let mode = WriteMode::of(variables.text("RDLOOP_ENABLE_WRITES")?, false);
        let rate = number(session, "RDLOOP_WRITE_RATE_LIMIT", RATE, 1..=MOST_ORDERS)?;
        let poll = number(session, "RDLOOP_POLL_INTERVAL", POLL, 1000..=LONGEST_POLL)?;
        let lang = session.output.lang;
        if allowlist.is_empty() {
            session.output.message(lang.pick(
                "`TELEGRAM_CHAT_ALLOWLIST` is empty: the bot tells each chat its id, and nothing else",
                "`TELEGRAM_CHAT_ALLOWLIST` 为空：机器人只会告知聊天的 id",
            ));
        }
        match mode {
            WriteMode::Enabled => {}
            WriteMode::Disabled | WriteMode::BelowAgent => session.output.message(lang.pick(
                "read-only: no orders are taken, unless `RDLOOP_ENABLE_WRITES` is exactly `true`",
                "只读：不接受指令；仅当 `RDLOOP_ENABLE_WRITES` 恰为 `true` 时才接受",
            )),
        }
        let gate = WriteGate::new(allowlist, mode, rate);
        let guarded = if self.unguarded { Guarded::Waived } else { Guarded::Tested };
        let stop = Stop::default();
        let stopper = stop.clone();
        environment::on_signal(&Arc::new(AtomicUsize::new(0)), move |_| stopper.now())?;
        let mut output = Output::new(lang);
        output.configure(&session.flags);
        let output = RefCell::new(output);
        let setup = BotSetup {
            api: Api::new(address, token, Timeouts::default())?,
            desk,
            coordinator: Box::new(Port::new(session, guarded, Source::Telegram)),
            gate,
            poll: Duration::from_millis(u64::from(poll)),
            project: project_name()?,
            notes: Box::new(move |note: &Note| {
                output.borrow_mut().message(&lang.render(&note.text()));
            }),
        };
        // It ends with the bot.
        let _companion = Companion::start(session, SenderRank::Bot)?;
        run(setup, &stop)?;
        Ok(Exit::Success)
    }
}

/// The number of a variable.
fn number(
    session: &Session,
    name: &'static str,
    default: u32,
    range: RangeInclusive<u32>,
) -> Result<u32, AnyFault> {
    let Some(text) = session.environment.text(name)? else { return Ok(default) };
    let Ok(value) = text.trim().parse() else {
        let value = provost_kernel::shorten(text);
        return Err(BotArgsError::Number { name, value, default }.into());
    };
    if range.contains(&value) {
        return Ok(value);
    }
    let (least, most) = range.into_inner();
    Err(BotArgsError::Range { name, value, least, most, default }.into())
}
