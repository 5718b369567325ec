//! The Bot API server of the npm package `telegram-test-api`, which `cargo xtask tools` installs.
//!
//! What it does not do as Telegram does: it ignores `offset` (what is delivered counts as read) and
//! the limits of a message (see [`super::limits`]), answers `editMessageText` and
//! `answerCallbackQuery` with a result of `null`, leaves `is_bot` out of `getMe`, and answers
//! methods that it does not know with 500.

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{ChildStdout, Stdio},
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::Sender;
use crate::{
    Ended, Place, command,
    http::{self, lock},
};

const TOKEN: &str = "666:token-of-the-tests";
/// Where `cargo xtask tools` installs the package, and a Node where the system's is too old.
const PACKAGES: &str = "target/telegram-test-api";
const NODE: &str = "target/e2e-node/package/bin/node";
const LAUNCHER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/telegram-test-api/launch.js");
/// How long the start may take. It is a cap, never a measure.
const PATIENCE: Duration = Duration::from_mins(1);

/// A Bot API server on a free port of loopback, in a process of its own that ends when it is
/// dropped.
///
/// ```
/// use std::time::Duration;
///
/// use provost_testkit::{http, telegram::TestApi};
/// use serde_json::json;
///
/// let api = TestApi::start();
/// api.client_says(7, 8, "/tasks", "zh-hans");
///
/// // What a bot does:
/// let method = |name: &str| format!("{}/bot{}/{name}", api.url(), api.token());
/// let updates = http::post(&method("getUpdates"), &json!({"timeout": 30})).unwrap().json();
/// assert_eq!(updates["result"][0]["message"]["text"], "/tasks");
/// let button = json!({"text": "▶", "callback_data": "card:t1"});
/// let markup = json!({"inline_keyboard": [[button]]});
/// let message = json!({"chat_id": 7, "text": "1 个任务", "reply_markup": markup});
/// http::post(&method("sendMessage"), &message).unwrap();
///
/// let messages = api.wait_for(|it| it.len() == 1, Duration::from_secs(60));
/// assert_eq!((messages[0].chat, messages[0].text.as_str()), (7, "1 个任务"));
/// assert_eq!(messages[0].buttons[0][0].data.as_deref(), Some("card:t1"));
/// api.client_presses(7, 8, messages[0].message_id, "card:t1", "zh-hans");
/// ```
#[derive(Debug)]
pub struct TestApi {
    url: String,
    answered: Arc<Answered>,
    _process: Ended,
    _folder: Place,
}

/// A message of the bot as it stands, after its edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotMessage {
    pub chat: i64,
    pub message_id: i64,
    pub text: String,
    /// Such as `HTML`; nothing for plain text.
    pub parse_mode: Option<String>,
    /// The buttons below the message, in rows.
    pub buttons: Vec<Vec<Button>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Button {
    pub text: String,
    /// Nothing for a button that opens an address.
    pub data: Option<String>,
}

/// The lines of the launcher: its address, then the methods that were answered.
#[derive(Debug, Default)]
struct Answered {
    lines: Mutex<Lines>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Lines {
    all: Vec<String>,
    is_over: bool,
}

impl TestApi {
    /// Starts the server and waits until it answers.
    ///
    /// # Panics
    /// When the package or Node is missing; the message names the command that installs them.
    #[track_caller]
    pub fn start() -> Self {
        let installed = installed(&root());
        let (node, packages) = installed.unwrap_or_else(|message| panic!("{message}"));
        let folder = Place::new();
        let child = command(&node)
            .args([Path::new(LAUNCHER), &packages])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = child.unwrap_or_else(|error| {
            panic!("cannot start `{}`: {error}\nhint: install Node 20 or newer", node.display())
        });
        let answered = Arc::new(Answered::default());
        if let Some(stdout) = child.stdout.take() {
            let of_thread = Arc::clone(&answered);
            std::thread::spawn(move || of_thread.read(stdout));
        }
        let process = Ended(child);
        let url = answered.address();
        let api = Self { url, answered, _process: process, _folder: folder };
        let me = api.call(&format!("/bot{TOKEN}/getMe"), &json!({}));
        assert_eq!(me["ok"], true, "{me}");
        api
    }

    /// The address in front of `/bot{token}/{method}`.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn token(&self) -> &'static str {
        TOKEN
    }

    /// Writes to the bot, as a person with this language.
    pub fn client_says(&self, chat: i64, user: i64, text: &str, language: &str) {
        self.say(&Sender::new(chat, user).language(language), text);
    }

    /// Presses a button below a message of the bot.
    pub fn client_presses(
        &self,
        chat: i64,
        user: i64,
        message_id: i64,
        data: &str,
        language: &str,
    ) {
        self.press(&Sender::new(chat, user).language(language), message_id, data);
    }

    /// Writes to the bot; what begins with a slash is a command.
    pub fn say(&self, sender: &Sender, text: &str) {
        // The server sets the message's id.
        let mut message = sender.message(0, text)["message"].take();
        let route = if message["entities"].is_null() { "/sendMessage" } else { "/sendCommand" };
        message["botToken"] = json!(TOKEN);
        self.call(route, &message);
    }

    /// Presses a button below a message of the bot.
    pub fn press(&self, sender: &Sender, message_id: i64, data: &str) {
        let mut query = sender.press(message_id, data)["callback_query"].take();
        query["botToken"] = json!(TOKEN);
        self.call("/sendCallback", &query);
    }

    /// The messages of the bot in all chats, in order and as edited.
    pub fn bot_messages(&self) -> Vec<BotMessage> {
        let history = self.call("/getUpdatesHistory", &json!({"token": TOKEN}));
        let entries = history["result"].as_array();
        entries.into_iter().flatten().filter_map(BotMessage::read).collect()
    }

    /// Waits until the messages of the bot are as wanted, and returns them.
    ///
    /// # Panics
    /// When they are not after this time; the message lists them.
    #[track_caller]
    pub fn wait_for(
        &self,
        is_enough: impl Fn(&[BotMessage]) -> bool,
        timeout: Duration,
    ) -> Vec<BotMessage> {
        let end = Instant::now() + timeout;
        loop {
            let n_lines = lock(&self.answered.lines).all.len();
            let messages = self.bot_messages();
            if is_enough(&messages) {
                return messages;
            }
            let is_newer = |it: &Lines| it.all.len() > n_lines;
            let is_late = !self.answered.wait_until(end, is_newer);
            assert!(!is_late, "not what was waited for after {timeout:?}, but {messages:#?}");
        }
    }

    /// Waits until so many calls of a method of the bot were answered, such as
    /// `answerCallbackQuery`, which leaves no message.
    ///
    /// # Panics
    /// When there were fewer after this time; the message lists the methods.
    #[track_caller]
    pub fn wait_for_calls(&self, method: &str, count: usize, timeout: Duration) {
        let is_enough = |it: &Lines| it.all.iter().filter(|it| *it == method).count() >= count;
        if !self.answered.wait_until(Instant::now() + timeout, is_enough) {
            let lines = lock(&self.answered.lines);
            panic!("fewer than {count} calls of `{method}` after {timeout:?}: {:?}", lines.all);
        }
    }

    #[track_caller]
    fn call(&self, route: &str, body: &Value) -> Value {
        let response = http::post(&format!("{}{route}", self.url), body);
        let response = response.unwrap_or_else(|error| panic!("telegram-test-api: {error}"));
        assert_eq!(response.status, 200, "{route}: {}", response.json());
        response.json()
    }
}

impl BotMessage {
    /// Reads an entry of the history; nothing for one of a person.
    fn read(entry: &Value) -> Option<Self> {
        let message = &entry["message"];
        let chat = &message["chat_id"];
        let chat = chat.as_i64().or_else(|| chat.as_str()?.parse().ok())?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let rows = message["reply_markup"]["inline_keyboard"].as_array();
        let row = |row: &Value| {
            let buttons = row.as_array().into_iter().flatten();
            let button = |it: &Value| Button {
                text: text(&it["text"]).unwrap_or_default(),
                data: text(&it["callback_data"]),
            };
            buttons.map(button).collect()
        };
        Some(Self {
            chat,
            message_id: entry["messageId"].as_i64()?,
            text: text(&message["text"]).unwrap_or_default(),
            parse_mode: text(&message["parse_mode"]),
            buttons: rows.into_iter().flatten().map(row).collect(),
        })
    }
}

impl Answered {
    /// Reads lines until the process ends.
    fn read(&self, stdout: ChildStdout) {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            lock(&self.lines).all.push(line);
            self.changed.notify_all();
        }
        lock(&self.lines).is_over = true;
        self.changed.notify_all();
    }

    /// The address, which is the first line.
    #[track_caller]
    fn address(&self) -> String {
        let is_enough = |it: &Lines| !it.all.is_empty() || it.is_over;
        self.wait_until(Instant::now() + PATIENCE, is_enough);
        let first = lock(&self.lines).all.first().cloned();
        first.unwrap_or_else(|| {
            panic!("telegram-test-api ended, or took {PATIENCE:?} to start; see its errors above")
        })
    }

    /// Waits for the lines; says whether they came in time.
    fn wait_until(&self, end: Instant, is_enough: impl Fn(&Lines) -> bool) -> bool {
        let mut lines = lock(&self.lines);
        while !is_enough(&lines) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.changed.wait_timeout(lines, left);
            lines = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

/// The root of the checkout.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Node and the folder of the package, or what to do about it.
fn installed(root: &Path) -> Result<(PathBuf, PathBuf), String> {
    let packages = root.join(PACKAGES);
    // npm writes this file when it is done.
    if !packages.join("node_modules/.package-lock.json").is_file() {
        return Err(format!(
            "`telegram-test-api` is not installed in `{PACKAGES}`\nhint: run `cargo xtask tools`"
        ));
    }
    let own = root.join(NODE);
    Ok((if own.is_file() { own } else { PathBuf::from("node") }, packages))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_package_is_named_with_the_command_that_installs_it() {
        let place = Place::new();
        let expected = "`telegram-test-api` is not installed in `target/telegram-test-api`\n\
                        hint: run `cargo xtask tools`";
        assert_eq!(installed(place.path().as_std_path()), Err(expected.to_owned()));
    }

    #[test]
    fn messages_of_people_are_told_from_those_of_the_bot() {
        let person = json!({"messageId": 1, "message": {"chat": {"id": 7}, "text": "hello"}});
        assert_eq!(BotMessage::read(&person), None);
        let press = json!({"messageId": 1, "callbackQuery": {"data": "a"}});
        assert_eq!(BotMessage::read(&press), None);
        let bot = json!({"messageId": 2, "message": {"chat_id": "-7", "text": "hello"}});
        let expected = BotMessage {
            chat: -7,
            message_id: 2,
            text: "hello".to_owned(),
            parse_mode: None,
            buttons: Vec::new(),
        };
        assert_eq!(BotMessage::read(&bot), Some(expected));
    }
}
