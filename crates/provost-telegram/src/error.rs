//! Why a call of the Bot API came to nothing. No text here names the token or an address: the
//! address of a call contains the token.

use provost_kernel::Message;

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "telegram.api")]
pub enum ApiError {
    /// 429: the server names the time after which it listens again.
    #[message(
        en = "Telegram asks to wait {seconds} s",
        zh = "Telegram 要求等待 {seconds} 秒",
        hint(en = "try again after that", zh = "请在此之后重试"),
        exit = Quota
    )]
    RetryAfter { seconds: u64 },
    /// 409: updates go to one reader only.
    #[message(
        en = "another process reads the updates of this bot, with the same token",
        zh = "另一个进程正在用同一令牌读取此机器人的更新",
        hint(
            en = "each project needs a bot of its own: write `/newbot` to `@BotFather`, and start this one with the new token",
            zh = "每个项目都需要自己的机器人：向 `@BotFather` 发送 `/newbot`，然后用新令牌启动这一个"
        ),
        hint(
            en = "if the other one is of this project, stop it, or remove the webhook of the bot; then start again",
            zh = "如果另一个属于本项目，请停止它，或移除机器人的 Webhook，然后重新启动"
        ),
        exit = Conflict
    )]
    Conflict,
    /// 401 and 404: the token is unknown, or was revoked.
    #[message(
        en = "Telegram rejected the token of the bot",
        zh = "Telegram 拒绝了该机器人的令牌",
        hint(
            en = "get the current one from `@BotFather` (`/token`), and put it where the old one was: `TELEGRAM_BOT_TOKEN` or the file of `notify.telegram_token_file`",
            zh = "请从 `@BotFather` 获取当前令牌（`/token`），并替换原来的令牌：`TELEGRAM_BOT_TOKEN` 或 `notify.telegram_token_file` 指定的文件"
        )
    )]
    Unauthorized,
    /// Any other refusal, such as a chat that does not exist or a bot that was blocked.
    #[message(
        en = "Telegram refused the call ({code}): {description}",
        zh = "Telegram 拒绝了调用（{code}）：{description}"
    )]
    Refused { code: u16, description: String },
    #[message(
        en = "cannot reach the Bot API server: {fault}",
        zh = "无法连接 Bot API 服务器：{fault}",
        hint(
            en = "check the network and `TELEGRAM_API_URL`",
            zh = "请检查网络和 `TELEGRAM_API_URL`"
        )
    )]
    Unreachable { fault: NetworkFault },
    #[message(
        en = "this system has no certificates to check the server with",
        zh = "此系统没有可用于验证服务器的证书",
        hint(en = "install the package `ca-certificates`", zh = "请安装软件包 `ca-certificates`")
    )]
    NoCertificates,
    #[message(en = "the call was stopped", zh = "调用已停止")]
    Stopped,
}

/// What went wrong on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "telegram.network")]
pub enum NetworkFault {
    #[message(en = "the host name cannot be resolved", zh = "无法解析主机名")]
    Host,
    #[message(en = "the connection failed", zh = "连接失败")]
    Connection,
    #[message(en = "the connection was cut", zh = "连接中断")]
    Cut,
    #[message(en = "the time is up", zh = "超时")]
    TimedOut,
    #[message(en = "the encrypted connection failed", zh = "加密连接失败")]
    Tls,
    #[message(en = "the answer is longer than {most} bytes", zh = "应答超过 {most} 字节")]
    TooLarge { most: u64 },
    #[message(en = "the answer is not one of the Bot API", zh = "应答不符合 Bot API")]
    Answer,
    #[message(en = "the server failed ({status})", zh = "服务器出错（{status}）")]
    Server { status: u16 },
}

impl ApiError {
    pub(crate) fn unreachable(fault: NetworkFault) -> Self {
        Self::Unreachable { fault }
    }

    /// Whether the same call may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::RetryAfter { .. } | Self::Unreachable { .. } => true,
            Self::Conflict
            | Self::Unauthorized
            | Self::Refused { .. }
            | Self::NoCertificates
            | Self::Stopped => false,
        }
    }
}

/// The library's errors may quote an address, so that only their kind is taken over.
#[expect(clippy::wildcard_enum_match_arm, reason = "the library's own enum, which may grow")]
pub(crate) fn kind(error: &provost_http::ureq::Error, most: u64) -> NetworkFault {
    use provost_http::ureq::{Error, Timeout};
    use std::io::ErrorKind;

    match error {
        Error::HostNotFound | Error::Timeout(Timeout::Resolve) => NetworkFault::Host,
        Error::ConnectionFailed | Error::Timeout(Timeout::Connect) => NetworkFault::Connection,
        Error::Timeout(_) => NetworkFault::TimedOut,
        Error::Io(error) => match error.kind() {
            ErrorKind::ConnectionRefused
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
            | ErrorKind::NetworkDown => NetworkFault::Connection,
            ErrorKind::TimedOut => NetworkFault::TimedOut,
            _ => NetworkFault::Cut,
        },
        Error::Tls(_) | Error::Rustls(_) | Error::Pem(_) | Error::TlsRequired => NetworkFault::Tls,
        Error::BodyExceedsLimit(_) => NetworkFault::TooLarge { most },
        Error::BodyStalled => NetworkFault::Cut,
        _ => NetworkFault::Answer,
    }
}
