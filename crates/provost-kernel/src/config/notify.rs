//! Who is told when a task needs a person.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Lang;

/// Who is told when a task needs a person (LOOP-A16).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct NotifyConfig {
    /// How many messages a target gets a minute; what is over that is folded into a digest.
    /// `RDLOOP_NOTIFY_RATE_LIMIT` goes before it.
    pub rate_per_minute: NonZeroU32,
    /// The language of notifications. When it is not set, it is that of the process that sends them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Lang")]
    pub lang: Option<Lang>,
    /// Whether the desktop shows a notification, through `notify-send` or `osascript`.
    pub desktop: bool,
    /// A program with its arguments. It gets each message as JSON on its stdin; no shell reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub command: Option<String>,
    /// An address that gets each message as JSON by POST, signed with the secret in
    /// `PROVOST_WEBHOOK_SECRET`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub webhook: Option<String>,
    /// A file that holds the secret instead of the variable. Its mode is 0600.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub webhook_secret_file: Option<String>,
    /// The address of a topic of ntfy. Its access token, if it needs one, is in `PROVOST_NTFY_TOKEN`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub ntfy: Option<String>,
    /// A file that holds the access token instead of the variable. Its mode is 0600.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub ntfy_token_file: Option<String>,
    /// A file that holds the token of the Telegram bot instead of `TELEGRAM_BOT_TOKEN`. Its mode is
    /// 0600. The chats in `TELEGRAM_CHAT_ALLOWLIST` get every message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub telegram_token_file: Option<String>,
    /// Who is mentioned in groups, such as `@ann`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub telegram_mention: Option<String>,
}

impl Default for NotifyConfig {
    fn default() -> Self {
        const {
            Self {
                rate_per_minute: NonZeroU32::new(5).unwrap(),
                lang: None,
                desktop: false,
                command: None,
                webhook: None,
                webhook_secret_file: None,
                ntfy: None,
                ntfy_token_file: None,
                telegram_token_file: None,
                telegram_mention: None,
            }
        }
    }
}
