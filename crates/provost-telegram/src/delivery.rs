//! Calls that answer a person: tried again where that may help, given up where it cannot.

use std::{sync::Arc, time::Duration};

use provost_kernel::Message;

use crate::{Api, ApiError, Outgoing, Stop};

/// How often a call is tried.
const TRIES: u32 = 8;
/// The first delay after a failure, and the longest.
const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(30);

/// Something that the bot says at the terminal where it runs.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "telegram.note")]
pub enum Note {
    #[message(
        en = "the bot @{username} reads messages; Ctrl-C ends it",
        zh = "机器人 @{username} 正在读取消息；按 Ctrl-C 结束"
    )]
    Started { username: String },
    #[message(en = "{error}; trying again", zh = "{error}；正在重试", arg(error = error.text()))]
    Lost { error: ApiError },
    #[message(en = "the connection is back", zh = "连接已恢复")]
    Back,
    #[message(
        en = "a message was not delivered: {error}",
        zh = "一条消息未能送达：{error}",
        arg(error = error.text())
    )]
    Undelivered { error: ApiError },
    #[message(
        en = "waiting {seconds} s, as Telegram asks",
        zh = "按 Telegram 的要求等待 {seconds} 秒"
    )]
    Waiting { seconds: u64 },
}

/// Where notes go.
pub type Notes = Box<dyn Fn(&Note)>;

/// The way to the chats.
pub(crate) struct Delivery {
    pub(crate) api: Arc<Api>,
    pub(crate) stop: Stop,
    pub(crate) notes: Notes,
}

/// Growing delays with a limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff(Duration);

impl Default for Backoff {
    fn default() -> Self {
        Self(FIRST)
    }
}

impl Backoff {
    pub(crate) fn next(&mut self) -> Duration {
        let delay = self.0;
        self.0 = (delay * 2).min(LONGEST);
        delay
    }
}

impl Delivery {
    pub(crate) fn send(&self, chat: i64, message: &Outgoing) -> Result<Option<i32>, ApiError> {
        self.deliver(|api| api.send_message(chat, message))
    }

    pub(crate) fn edit(&self, chat: i64, id: i32, message: &Outgoing) -> Result<(), ApiError> {
        self.deliver(|api| api.edit_message(chat, id, message)).map(drop)
    }

    pub(crate) fn answer(&self, id: &str, text: Option<&str>) -> Result<(), ApiError> {
        self.deliver(|api| api.answer_callback(id, text)).map(drop)
    }

    /// Calls until it succeeds or no retry is left; none where it was given up. An error ends the bot.
    fn deliver<T>(
        &self,
        call: impl Fn(&Api) -> Result<T, ApiError>,
    ) -> Result<Option<T>, ApiError> {
        let mut backoff = Backoff::default();
        for tried in 1.. {
            let error = match call(&self.api) {
                Ok(done) => return Ok(Some(done)),
                Err(error) => error,
            };
            let delay = match &error {
                ApiError::RetryAfter { seconds } => Duration::from_secs(*seconds),
                ApiError::Unreachable { .. } => backoff.next(),
                ApiError::Refused { .. } => {
                    (self.notes)(&Note::Undelivered { error });
                    return Ok(None);
                }
                ApiError::Conflict
                | ApiError::Unauthorized
                | ApiError::NoCertificates
                | ApiError::Stopped => return Err(error),
            };
            if tried == TRIES {
                (self.notes)(&Note::Undelivered { error });
                return Ok(None);
            }
            if !self.stop.sleep(delay) {
                return Err(ApiError::Stopped);
            }
        }
        Ok(None)
    }
}
