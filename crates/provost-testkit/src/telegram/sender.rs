//! People in chats, and the updates that their messages and buttons make.

use serde_json::{Value, json};

/// When every message was sent, in seconds since 1970.
const DATE: u64 = 1_700_000_000;

/// A person in a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    pub chat: i64,
    pub user: i64,
    /// The first name, which may hold anything.
    pub name: String,
    /// An IETF tag such as `zh-hans`; nothing where the client sends none.
    pub language: Option<String>,
}

impl Sender {
    /// A person who writes English.
    pub fn new(chat: i64, user: i64) -> Self {
        Self { chat, user, name: "Ada".to_owned(), language: Some("en".to_owned()) }
    }

    /// The same person in another language.
    #[must_use]
    pub fn language(mut self, tag: &str) -> Self {
        self.language = Some(tag.to_owned());
        self
    }

    /// The same person under another name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// An update with a message, without its id.
    pub fn message(&self, message_id: i64, text: &str) -> Value {
        let mut message = json!({
            "message_id": message_id,
            "from": self.from(),
            "chat": self.chat(),
            "date": DATE,
            "text": text,
        });
        if let Some(entities) = command_entities(text) {
            message["entities"] = entities;
        }
        json!({ "message": message })
    }

    /// An update with a press of a button below a message of the bot, without its id.
    pub fn press(&self, message_id: i64, data: &str) -> Value {
        let message = json!({
            "message_id": message_id,
            "from": {"id": super::scripted::BOT_ID, "is_bot": true, "first_name": "provost"},
            "chat": self.chat(),
            "date": DATE,
            "text": "a message of the bot",
        });
        json!({"callback_query": {
            "id": format!("{}{message_id}", self.user),
            "from": self.from(),
            "message": message,
            "chat_instance": self.chat.to_string(),
            "data": data,
        }})
    }

    /// The person, as in the field `from`.
    pub fn from(&self) -> Value {
        let mut from = json!({"id": self.user, "is_bot": false, "first_name": self.name});
        if let Some(tag) = &self.language {
            from["language_code"] = json!(tag);
        }
        from
    }

    /// The chat: that of the person, or a group where its id is negative.
    pub fn chat(&self) -> Value {
        if self.chat < 0 {
            return json!({"id": self.chat, "type": "supergroup", "title": "a group"});
        }
        json!({"id": self.chat, "type": "private", "first_name": self.name})
    }
}

/// The entity of a command at the start of a text, counted in UTF-16 as Telegram does.
pub(super) fn command_entities(text: &str) -> Option<Value> {
    let word = text.split_whitespace().next().filter(|it| it.starts_with('/'))?;
    let length = word.encode_utf16().count();
    text.starts_with('/').then(|| json!([{"type": "bot_command", "offset": 0, "length": length}]))
}
