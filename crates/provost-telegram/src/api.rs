//! A client of the Bot API: six methods and no others, over one connection for polling and one for
//! everything else.

mod surrogates;

use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use frankenstein::{
    ParseMode,
    methods::{
        AnswerCallbackQueryParams, EditMessageTextParams, GetUpdatesParams, SendMessageParams,
        SetMyCommandsParams,
    },
    response::ErrorResponse,
    types::{
        AllowedUpdate, BotCommand, ForceReply, InlineKeyboardButton, InlineKeyboardMarkup,
        LinkPreviewOptions, ReplyMarkup,
    },
};
use provost_http::{
    NoCertificates,
    ureq::{self, Agent},
};
use provost_kernel::shorten;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    address::Address,
    error::{ApiError, NetworkFault, kind},
    token::Token,
    update::Update,
};

/// The most that a server may answer: a hundred updates of the longest messages.
const BODY_CAP: u64 = 8 << 20;

/// The most updates that are taken at once.
const BATCH: u32 = 100;

/// The longest time that a server may ask to wait and be believed.
const LONGEST_WAIT: u64 = 3600;

/// A client for one bot.
pub struct Api {
    address: Address,
    token: Token,
    timeouts: Timeouts,
    polling: Agent,
    sending: Agent,
    is_stopped: AtomicBool,
}

/// How long a server may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    /// For a whole call; a long poll has its own time besides.
    pub call: Duration,
}

/// The bot itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct BotIdentity {
    pub id: i64,
    /// Without the `@`.
    #[serde(default)]
    pub username: String,
}

/// A message on its way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// At most 4,096 UTF-16 units once its entities are resolved.
    pub html: String,
    pub markup: Markup,
}

/// What stands below a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Markup {
    #[default]
    Nothing,
    /// Rows of buttons.
    Buttons(Vec<Vec<Button>>),
    /// The client opens a reply to the message.
    Reply { placeholder: String },
}

/// A button below a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Button {
    pub text: String,
    /// At most 64 bytes.
    pub data: String,
}

/// The methods that can be called. None of them reaches a model (LOOP-A10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    GetMe,
    GetUpdates,
    SendMessage,
    EditMessageText,
    AnswerCallbackQuery,
    SetMyCommands,
}

/// An answer with a result.
#[derive(Deserialize)]
struct Success<T> {
    ok: bool,
    result: T,
}

/// The part of a sent message that is kept.
#[derive(Deserialize)]
struct Sent {
    message_id: i32,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), call: Duration::from_secs(20) }
    }
}

impl Api {
    /// Which bot of which server this is; no secret.
    pub fn identity(&self) -> String {
        format!("{}|{}", self.address.base(), self.token.bot())
    }

    pub fn new(address: Address, token: Token, timeouts: Timeouts) -> Result<Self, ApiError> {
        let agent = || {
            let agent = provost_http::agent(address.destination(), |it| {
                it.timeout_connect(Some(timeouts.connect))
            });
            agent.map_err(|NoCertificates| ApiError::NoCertificates)
        };
        let (polling, sending) = (agent()?, agent()?);
        let is_stopped = AtomicBool::new(false);
        Ok(Self { address, token, timeouts, polling, sending, is_stopped })
    }

    /// Breaks off a long poll, and refuses every further one.
    pub fn stop_polling(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        self.polling.clone().shutdown();
    }

    /// Breaks off everything.
    pub fn stop(&self) {
        self.stop_polling();
        self.sending.clone().shutdown();
    }

    /// The bot that the token belongs to.
    pub fn get_me(&self) -> Result<BotIdentity, ApiError> {
        self.call(Method::GetMe, &serde_json::json!({}))
    }

    /// Waits for updates from an offset on. Those before it are acknowledged by that.
    pub fn get_updates(
        &self,
        offset: Option<i64>,
        timeout: Duration,
    ) -> Result<Vec<Update>, ApiError> {
        let params = GetUpdatesParams {
            offset,
            limit: Some(BATCH),
            timeout: Some(u32::try_from(timeout.as_secs()).unwrap_or(u32::MAX)),
            allowed_updates: Some(vec![AllowedUpdate::Message, AllowedUpdate::CallbackQuery]),
        };
        let time = timeout.saturating_add(self.timeouts.call);
        let updates: Vec<Value> =
            self.call_with(&self.polling, Method::GetUpdates, &params, time)?;
        Ok(updates.into_iter().filter_map(Update::read).collect())
    }

    /// Sends a message, and gives its number.
    pub fn send_message(&self, chat: i64, message: &Outgoing) -> Result<i32, ApiError> {
        let params = SendMessageParams::builder()
            .chat_id(chat)
            .text(self.token.redact(&message.html))
            .parse_mode(ParseMode::Html)
            .link_preview_options(LinkPreviewOptions::DISABLED)
            .maybe_reply_markup(message.markup.reply_markup())
            .build();
        let sent: Sent = self.call(Method::SendMessage, &params)?;
        Ok(sent.message_id)
    }

    /// Replaces a message. One that is the same already counts as replaced.
    pub fn edit_message(&self, chat: i64, id: i32, message: &Outgoing) -> Result<(), ApiError> {
        let params = EditMessageTextParams::builder()
            .chat_id(chat)
            .message_id(id)
            .text(self.token.redact(&message.html))
            .parse_mode(ParseMode::Html)
            .link_preview_options(LinkPreviewOptions::DISABLED)
            .maybe_reply_markup(message.markup.keyboard())
            .build();
        match self.call::<Value>(Method::EditMessageText, &params) {
            Err(ApiError::Refused { code: 400, description })
                if description.contains("message is not modified") =>
            {
                Ok(())
            }
            other => other.map(|_| ()),
        }
    }

    /// Answers the press of a button, perhaps with a line of text above the chat.
    pub fn answer_callback(&self, id: &str, text: Option<&str>) -> Result<(), ApiError> {
        let params = AnswerCallbackQueryParams::builder()
            .callback_query_id(id)
            .maybe_text(text.map(cut_notice))
            .build();
        self.call::<Value>(Method::AnswerCallbackQuery, &params).map(|_| ())
    }

    /// Names the commands that the client suggests; `language` is a two-letter code, none for all
    /// languages without a list of their own.
    pub fn set_commands(
        &self,
        commands: &[(&str, String)],
        language: Option<&str>,
    ) -> Result<(), ApiError> {
        let commands = commands.iter().map(|(command, description)| {
            BotCommand::builder().command(*command).description(description.as_str()).build()
        });
        let params = SetMyCommandsParams::builder()
            .commands(commands.collect())
            .maybe_language_code(language.map(str::to_owned))
            .build();
        self.call::<Value>(Method::SetMyCommands, &params).map(|_| ())
    }

    /// Confirms the updates before an offset, after polling was stopped.
    pub fn acknowledge(&self, offset: i64) -> Result<(), ApiError> {
        let params = GetUpdatesParams {
            offset: Some(offset),
            limit: Some(1),
            timeout: Some(0),
            allowed_updates: None,
        };
        let time = Duration::from_millis(800);
        self.call_with::<Value>(&self.sending, Method::GetUpdates, &params, time).map(|_| ())
    }

    fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        params: &impl Serialize,
    ) -> Result<T, ApiError> {
        self.call_with(&self.sending, method, params, self.timeouts.call)
    }

    fn call_with<T: DeserializeOwned>(
        &self,
        agent: &Agent,
        method: Method,
        params: &impl Serialize,
        time: Duration,
    ) -> Result<T, ApiError> {
        let failed = |error: &ureq::Error| {
            if self.is_stopped.load(Ordering::SeqCst) {
                return ApiError::Stopped;
            }
            ApiError::unreachable(kind(error, BODY_CAP))
        };
        let body = serde_json::to_vec(params);
        let body = body.map_err(|_| ApiError::unreachable(NetworkFault::Answer))?;
        let url = format!("{}/{}/{}", self.address.base(), self.token.path(), method.name());
        let response = agent
            .post(url)
            .content_type("application/json")
            .config()
            .timeout_global(Some(time))
            .build()
            .send(&body[..])
            .map_err(|it| failed(&it))?;
        let status = response.status().as_u16();
        let answer = response.into_body().into_with_config().limit(BODY_CAP).read_to_vec();
        if !(200..=299).contains(&status) {
            // What a refusal has to say is not worth a failure of its own.
            return Err(self.refusal(status, &answer.unwrap_or_default()));
        }
        let answer = answer.map_err(|it| failed(&it))?;
        let read = |answer: &[u8]| serde_json::from_slice::<Success<T>>(answer);
        match read(&answer).or_else(|_| read(&surrogates::whole(&answer))) {
            Ok(Success { ok: true, result }) => Ok(result),
            Ok(Success { ok: false, .. }) | Err(_) => {
                match serde_json::from_slice::<ErrorResponse>(&answer) {
                    Ok(error) if !error.ok => {
                        let code = u16::try_from(error.error_code).unwrap_or(status);
                        Err(self.refusal(code, &answer))
                    }
                    Ok(_) | Err(_) => Err(ApiError::unreachable(NetworkFault::Answer)),
                }
            }
        }
    }

    /// What a refusal means.
    fn refusal(&self, status: u16, answer: &[u8]) -> ApiError {
        let value: Value = serde_json::from_slice(answer).unwrap_or_default();
        let wait = value["parameters"]["retry_after"].as_u64();
        match status {
            429 => ApiError::RetryAfter { seconds: wait.unwrap_or(1).clamp(1, LONGEST_WAIT) },
            409 => ApiError::Conflict,
            401 | 404 => ApiError::Unauthorized,
            500.. => ApiError::unreachable(NetworkFault::Server { status }),
            code => {
                let said = value["description"].as_str().unwrap_or_default();
                let said: String = said.chars().filter(|it| !it.is_control()).collect();
                let description = shorten(&self.token.redact(&said));
                ApiError::Refused { code, description }
            }
        }
    }
}

/// A notice has at most 200 characters.
fn cut_notice(text: &str) -> String {
    text.chars().take(200).collect()
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::GetMe => "getMe",
            Self::GetUpdates => "getUpdates",
            Self::SendMessage => "sendMessage",
            Self::EditMessageText => "editMessageText",
            Self::AnswerCallbackQuery => "answerCallbackQuery",
            Self::SetMyCommands => "setMyCommands",
        }
    }
}

impl Markup {
    fn keyboard(&self) -> Option<InlineKeyboardMarkup> {
        let Self::Buttons(rows) = self else { return None };
        let button = |it: &Button| {
            InlineKeyboardButton::builder()
                .text(it.text.as_str())
                .callback_data(it.data.as_str())
                .build()
        };
        let rows = rows.iter().map(|row| row.iter().map(button).collect()).collect();
        Some(InlineKeyboardMarkup::builder().inline_keyboard(rows).build())
    }

    fn reply_markup(&self) -> Option<ReplyMarkup> {
        match self {
            Self::Nothing => None,
            Self::Buttons(_) => self.keyboard().map(ReplyMarkup::InlineKeyboardMarkup),
            Self::Reply { placeholder } => {
                let placeholder: String = placeholder.chars().take(64).collect();
                let reply = ForceReply::builder()
                    .force_reply(true)
                    .input_field_placeholder(placeholder)
                    .build();
                Some(ReplyMarkup::ForceReply(reply))
            }
        }
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("host", &self.address.host()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
