//! The channels that the configuration and the environment set up.

use std::{sync::Arc, time::Duration};

use provost_desk::{board::ProjectRef, remote::Allowlist};
use provost_http::{AddressError, Destination, NoCertificates};
use provost_kernel::{Message, NotifyConfig};
use provost_notify::{
    Channel, Command, Desktop, Launch, Notifier, Ntfy, Secrets, Settings, Webhook,
};
use provost_telegram::{Address, Api, Timeouts, Token, TokenError};
use provost_vault::SystemClock;
use secrecy::{ExposeSecret as _, SecretString};

use super::{
    launch::Starter,
    secret::{SecretError, secret},
    telegram::Chat,
};
use crate::{
    environment,
    session::{AnyFault, Session},
    wiring::desk,
};

/// How long the Bot API may take for a notification.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where the token of the bot stands.
const TOKEN: &str = "TELEGRAM_BOT_TOKEN";
const TOKEN_FILE: &str = "notify.telegram_token_file";

/// A channel that cannot be used as it is set up.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "notify.setup")]
enum SetupError {
    #[message(
        en = "`{key}` is not an address that messages can be sent to",
        zh = "`{key}` 不是可以发送消息的地址",
        hint(
            en = "write `https://HOST/PATH`, without a user and without `#`",
            zh = "请写成 `https://HOST/PATH`，不含用户名和 `#`"
        )
    )]
    Address { key: &'static str },
    #[message(
        en = "`notify.ntfy` names no topic",
        zh = "`notify.ntfy` 没有指定主题",
        hint(en = "write `https://ntfy.sh/TOPIC`", zh = "请写成 `https://ntfy.sh/TOPIC`")
    )]
    Topic,
    #[message(
        en = "`{key}` sends in the clear: everyone on the way could read it",
        zh = "`{key}` 以明文发送：途中任何人都能读取",
        hint(en = "use `https`, or an address on this machine", zh = "请使用 `https`，或本机地址")
    )]
    Open { key: &'static str },
    #[message(
        en = "cannot verify the server of `{key}`: this system has no certificates",
        zh = "无法验证 `{key}` 的服务器：系统中没有证书",
        hint(en = "install `ca-certificates`", zh = "请安装 `ca-certificates`")
    )]
    NoCertificates { key: &'static str },
    #[message(
        en = "`notify.command` is not a program with arguments: a quote is not closed",
        zh = "`notify.command` 不是带参数的程序：引号没有闭合"
    )]
    Quote,
    #[message(
        en = "`RDLOOP_NOTIFY_RATE_LIMIT` is `{found}`, expected a whole number from 1 to 60",
        zh = "`RDLOOP_NOTIFY_RATE_LIMIT` 的值为 `{found}`，应为 1 到 60 之间的整数"
    )]
    Rate { found: String },
}

/// The notifier of this session, with every channel that is set up.
pub(crate) fn notifier(session: &mut Session) -> Result<Notifier, AnyFault> {
    let config = session.configuration()?.config.notify.clone();
    let project = desk(session)?.project_ref();
    let channels = channels(session, &config, project)?;
    let settings = Settings {
        // One of several processes sends: which one should not decide the language.
        lang: config.lang.unwrap_or(session.output.lang),
        project: project_name()?,
        page: session.environment.text("RDLOOP_GUI_BASE_URL")?.map(str::to_owned),
        per_minute: rate(session, &config)?,
        secrets: secrets(session, &config),
    };
    Ok(Notifier::new(channels, settings))
}

/// Whether a channel is named anywhere; its settings and secrets are not looked at.
pub(super) fn is_set_up(session: &mut Session) -> Result<bool, AnyFault> {
    let config = session.configuration()?.config.notify.clone();
    let NotifyConfig { desktop, command, webhook, ntfy, telegram_token_file, .. } = config;
    let token = session.environment.text(TOKEN)?;
    let named = [command, webhook, ntfy, telegram_token_file];
    Ok(desktop || token.is_some() || named.iter().any(Option::is_some))
}

/// What the project is called.
pub(crate) fn project_name() -> Result<String, AnyFault> {
    Ok(environment::current_folder()?.file_name().unwrap_or_default().to_owned())
}

fn channels(
    session: &Session,
    config: &NotifyConfig,
    project: ProjectRef,
) -> Result<Vec<Box<dyn Channel>>, AnyFault> {
    let mut channels: Vec<Box<dyn Channel>> = Vec::new();
    if let Some(address) = &config.webhook {
        let key = "notify.webhook";
        let file = config.webhook_secret_file.as_deref();
        let secret = secret(session, "PROVOST_WEBHOOK_SECRET", "notify.webhook_secret_file", file)?;
        let secret = secret.map(|it| it.value);
        let webhook =
            Webhook::new(address, destination(key, address)?, secret, Arc::new(SystemClock));
        channels.push(Box::new(webhook.map_err(uncertified(key))?));
    }
    if let Some(address) = &config.ntfy {
        let key = "notify.ntfy";
        let file = config.ntfy_token_file.as_deref();
        let token = secret(session, "PROVOST_NTFY_TOKEN", "notify.ntfy_token_file", file)?;
        let token = token.map(|it| it.value);
        let ntfy = Ntfy::new(address, destination(key, address)?, token);
        channels.push(Box::new(ntfy.map_err(uncertified(key))?.ok_or(SetupError::Topic)?));
    }
    channels.extend(chats(session, config, project)?);
    if config.desktop || config.command.is_some() {
        let folder = environment::current_folder()?.into_std_path_buf();
        let starter = Starter::new(folder, session.environment.texts().collect())?;
        let launch: Arc<dyn Launch> = Arc::new(starter);
        if let Some(command) = &config.command {
            let argv = shlex::split(command).filter(|it| !it.is_empty());
            let argv = argv.ok_or(SetupError::Quote)?;
            channels.push(Box::new(Command::new(argv, Arc::clone(&launch))));
        }
        if config.desktop {
            channels.push(Box::new(Desktop::new(launch)));
        }
    }
    Ok(channels)
}

/// The chats of the allow-list, if there is a token.
fn chats(
    session: &Session,
    config: &NotifyConfig,
    project: ProjectRef,
) -> Result<Vec<Box<dyn Channel>>, AnyFault> {
    let Some(token) = telegram_token(session, config)? else { return Ok(Vec::new()) };
    let variables = &session.environment;
    let list = variables.text("TELEGRAM_CHAT_ALLOWLIST")?.unwrap_or_default();
    let allowlist: Allowlist = list.parse()?;
    let address: Address = match variables.text("TELEGRAM_API_URL")? {
        Some(text) => text.parse()?,
        None => Address::default(),
    };
    let timeouts = Timeouts { call: PATIENCE, ..Timeouts::default() };
    let api = Arc::new(Api::new(address, token, timeouts)?);
    let mention = config.telegram_mention.as_deref();
    let chat = |id| Box::new(Chat::new(Arc::clone(&api), id, mention, project)) as Box<dyn Channel>;
    Ok(allowlist.ids().map(chat).collect())
}

/// The secrets of all channels, also of those that are not in use: one that cannot be read is known to
/// nobody else either.
fn secrets(session: &Session, config: &NotifyConfig) -> Secrets {
    let NotifyConfig { webhook_secret_file, ntfy_token_file, telegram_token_file, .. } = config;
    let places = [
        ("PROVOST_WEBHOOK_SECRET", "notify.webhook_secret_file", webhook_secret_file),
        ("PROVOST_NTFY_TOKEN", "notify.ntfy_token_file", ntfy_token_file),
        (TOKEN, TOKEN_FILE, telegram_token_file),
    ];
    let mut values = Vec::new();
    for (variable, key, file) in places {
        let found = secret(session, variable, key, file.as_deref()).ok().flatten();
        let Some(value) = found.map(|it| it.value) else { continue };
        // The key of a bot token is a secret without its number, too.
        let key = value.expose_secret().split_once(':').filter(|_| variable == TOKEN);
        let key = key.map(|(_, key)| SecretString::from(key));
        values.push(value);
        values.extend(key);
    }
    Secrets::new(values)
}

/// The token of the bot, from its variable or its file.
pub(crate) fn telegram_token(
    session: &Session,
    config: &NotifyConfig,
) -> Result<Option<Token>, AnyFault> {
    let (key, file) = (TOKEN_FILE, config.telegram_token_file.as_deref());
    let Some(found) = secret(session, TOKEN, key, file)? else { return Ok(None) };
    match (found.value.expose_secret().parse::<Token>(), found.file) {
        (Ok(token), _) => Ok(Some(token)),
        (Err(TokenError), Some(path)) => Err(SecretError::NotAToken { key, path }.into()),
        (Err(error), None) => Err(error.into()),
    }
}

/// What is missing where only one half of Telegram is set up, so that no chat is told.
pub(super) fn missing_half(session: &mut Session) -> Result<Option<HalfError>, AnyFault> {
    let config = session.configuration()?.config.notify.clone();
    let has_token = telegram_token(session, &config)?.is_some();
    let list = session.environment.text("TELEGRAM_CHAT_ALLOWLIST")?.unwrap_or_default();
    let has_chats = !list.parse::<Allowlist>()?.is_empty();
    Ok(match (has_token, has_chats) {
        (true, false) => Some(HalfError::Chats),
        (false, true) => Some(HalfError::Token),
        (true, true) | (false, false) => None,
    })
}

/// One half of Telegram without the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "notify.telegram")]
pub(super) enum HalfError {
    #[message(
        en = "the bot has a token, and `TELEGRAM_CHAT_ALLOWLIST` names no chat to tell",
        zh = "机器人已有令牌，但 `TELEGRAM_CHAT_ALLOWLIST` 没有指定要通知的聊天",
        hint(
            en = "start `provost bot` and write `/start` to it: it says the id of the chat; then `export TELEGRAM_CHAT_ALLOWLIST=ID`",
            zh = "启动 `provost bot` 并向它发送 `/start`，它会告知聊天的 id；然后运行 `export TELEGRAM_CHAT_ALLOWLIST=ID`"
        )
    )]
    Chats,
    #[message(
        en = "`TELEGRAM_CHAT_ALLOWLIST` names chats, and the bot has no token",
        zh = "`TELEGRAM_CHAT_ALLOWLIST` 指定了聊天，但机器人没有令牌",
        hint(
            en = "`read -rs TELEGRAM_BOT_TOKEN && export TELEGRAM_BOT_TOKEN`, or name its file in `notify.telegram_token_file`",
            zh = "`read -rs TELEGRAM_BOT_TOKEN && export TELEGRAM_BOT_TOKEN`，或在 `notify.telegram_token_file` 中指定其文件"
        )
    )]
    Token,
}

/// Where an address leads; what others could read on the way is refused.
fn destination(key: &'static str, address: &str) -> Result<Destination, SetupError> {
    let destination = Destination::of(address).map_err(|error| match error {
        AddressError::NotAnAddress | AddressError::Scheme(_) | AddressError::Extra => {
            SetupError::Address { key }
        }
    })?;
    if destination.is_open() { Err(SetupError::Open { key }) } else { Ok(destination) }
}

fn uncertified(key: &'static str) -> impl Fn(NoCertificates) -> SetupError {
    move |NoCertificates| SetupError::NoCertificates { key }
}

fn rate(session: &Session, config: &NotifyConfig) -> Result<u32, AnyFault> {
    let Some(text) = session.environment.text("RDLOOP_NOTIFY_RATE_LIMIT")? else {
        return Ok(config.rate_per_minute.get());
    };
    let found = || SetupError::Rate { found: text.to_owned() };
    let rate: u32 = text.trim().parse().map_err(|_| found())?;
    if (1..=60).contains(&rate) { Ok(rate) } else { Err(found().into()) }
}
