//! A way to reach a person.

use std::time::Duration;

use provost_kernel::{Digest, Fault, Lang, Message, notify::Notice};

/// One message: a single notice, or a digest of several.
#[derive(Clone, Copy, Debug)]
pub struct Delivery<'a> {
    pub notices: &'a [&'a Notice],
    pub lang: Lang,
    /// The name of the project, as its folder is called.
    pub project: &'a str,
    /// The address of the page, for links; none where it is not known.
    pub page: Option<&'a str>,
}

/// A target of notifications.
pub trait Channel: Send + Sync {
    /// What people call it, such as `webhook` or `telegram:42`. It holds no secret.
    fn target(&self) -> &str;

    /// Its account in the outbox: the target at one address. What went to another address was not told.
    fn account(&self) -> String {
        self.target().to_owned()
    }

    /// Sends one message and returns when it was taken. It must return within seconds.
    fn deliver(&self, delivery: &Delivery<'_>) -> Result<(), DeliveryError>;
}

/// The account of a target at an address, such as `webhook@1f2e3d4c5b6a7988`. The address may be a secret.
pub fn account(target: &str, address: &str) -> String {
    let digest = Digest::of_bytes(address.as_bytes()).to_string();
    format!("{target}@{}", digest.chars().take(16).collect::<String>())
}

/// A message that was not taken. It stays in the outbox.
#[derive(Debug)]
pub struct DeliveryError {
    pub fault: Box<dyn Fault>,
    /// How long the target wants to be left alone.
    pub retry_after: Option<Duration>,
}

impl<T: Fault> From<T> for DeliveryError {
    fn from(fault: T) -> Self {
        Self { fault: Box::new(fault), retry_after: None }
    }
}

/// Why a target did not take a message.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "notify.delivery")]
pub enum DeliveryFailure {
    #[message(
        en = "`{target}` answered with HTTP {status}",
        zh = "`{target}` 返回了 HTTP {status}"
    )]
    Status { target: String, status: u16 },
    #[message(en = "`{target}` did not answer in time", zh = "`{target}` 没有及时应答")]
    TimedOut { target: String },
    #[message(en = "cannot reach `{target}`: {why}", zh = "无法连接 `{target}`：{why}")]
    Unreachable { target: String, why: String },
    #[message(
        en = "`{program}` ended with exit code {code}",
        zh = "`{program}` 以退出码 {code} 结束"
    )]
    Program { program: String, code: i32 },
    #[message(en = "cannot start `{program}`: {why}", zh = "无法启动 `{program}`：{why}")]
    NotStarted { program: String, why: String },
    #[message(
        en = "`{program}` did not end in time and was stopped",
        zh = "`{program}` 没有及时结束，已被终止"
    )]
    ProgramTimedOut { program: String },
}
