//! What came in: the few fields of an update that the bot reads.
//!
//! They are read tolerantly, one by one: a server that leaves out what the bot does not need, or adds what
//! it does not know, is still understood.

use provost_kernel::Lang;
use serde::Deserialize;
use serde_json::Value;

/// One update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    pub id: i64,
    pub content: Content,
}

/// What an update is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Message(IncomingMessage),
    Button(PressedButton),
    /// Something that the bot does not read, or that is not well-formed.
    Other,
}

/// A text that a person sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingMessage {
    pub chat: i64,
    pub message: i32,
    pub is_private: bool,
    pub from: Person,
    pub text: String,
    pub reply_to: Option<RepliedTo>,
}

/// The message that a person replied to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepliedTo {
    pub message: i32,
    /// Its author; none in a channel.
    pub author: Option<i64>,
    pub text: String,
    /// The data of its buttons.
    pub buttons: Vec<String>,
}

/// A button that a person pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PressedButton {
    /// What the press is answered by.
    pub id: String,
    pub chat: i64,
    /// The message that the button belongs to.
    pub message: i32,
    pub from: Person,
    pub data: String,
}

/// Who sent something. Its name is as the person chose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub id: i64,
    pub name: String,
    pub lang: Lang,
}

/// An update as it is received.
#[derive(Deserialize)]
struct Received {
    update_id: i64,
    message: Option<Value>,
    callback_query: Option<Value>,
}

#[derive(Deserialize)]
struct ReceivedMessage {
    message_id: i32,
    chat: Chat,
    from: Option<User>,
    text: Option<String>,
    reply_to_message: Option<Box<Self>>,
    reply_markup: Option<Value>,
    /// Somebody else's words: passed on, written by another bot, or said for a channel or a business.
    forward_origin: Option<Value>,
    forward_date: Option<Value>,
    via_bot: Option<Value>,
    sender_chat: Option<Value>,
    business_connection_id: Option<Value>,
    is_automatic_forward: Option<Value>,
    forward_sender_name: Option<Value>,
    forward_from_chat: Option<Value>,
    sender_business_bot: Option<Value>,
    guest_bot_caller_user: Option<Value>,
}

#[derive(Deserialize)]
struct Chat {
    id: i64,
    #[serde(rename = "type", default)]
    kind: String,
}

#[derive(Deserialize)]
struct User {
    id: i64,
    #[serde(default)]
    is_bot: bool,
    #[serde(default)]
    first_name: String,
    last_name: Option<String>,
    language_code: Option<String>,
}

#[derive(Deserialize)]
struct Query {
    id: Value,
    from: User,
    message: Option<ReceivedMessage>,
    #[serde(default)]
    data: String,
}

impl Update {
    /// Reads an update; none without an id. One that is not understood is passed over, so that it
    /// does not hold up the ones behind it.
    pub(crate) fn read(value: Value) -> Option<Self> {
        let received: Received = serde_json::from_value(value).ok()?;
        let Received { update_id: id, message, callback_query } = received;
        let message = message.and_then(|it| serde_json::from_value(it).ok());
        let message = message.and_then(IncomingMessage::of).map(Content::Message);
        let button = || callback_query.and_then(|it| serde_json::from_value(it).ok());
        let content = message.or_else(|| PressedButton::of(button()?).map(Content::Button));
        Some(Self { id, content: content.unwrap_or(Content::Other) })
    }
}

impl IncomingMessage {
    fn of(message: ReceivedMessage) -> Option<Self> {
        let ReceivedMessage { forward_origin, forward_date, via_bot, .. } = &message;
        let ReceivedMessage { sender_chat, business_connection_id, .. } = &message;
        let ReceivedMessage { is_automatic_forward, forward_sender_name, .. } = &message;
        let ReceivedMessage { forward_from_chat, sender_business_bot, .. } = &message;
        let foreign = [
            forward_origin,
            forward_date,
            via_bot,
            sender_chat,
            business_connection_id,
            is_automatic_forward,
            forward_sender_name,
            forward_from_chat,
            sender_business_bot,
            &message.guest_bot_caller_user,
        ];
        let is_bot = message.from.as_ref().is_some_and(|it| it.is_bot);
        if is_bot || foreign.into_iter().any(Option::is_some) {
            return None;
        }
        let reply_to = message.reply_to_message.map(|it| RepliedTo {
            message: it.message_id,
            author: it.from.map(|it| it.id),
            text: it.text.unwrap_or_default(),
            buttons: it.reply_markup.as_ref().map(buttons).unwrap_or_default(),
        });
        Some(Self {
            chat: message.chat.id,
            message: message.message_id,
            is_private: message.chat.kind == "private",
            from: Person::of(message.from?),
            text: message.text?,
            reply_to,
        })
    }
}

/// The data of an inline keyboard.
fn buttons(markup: &Value) -> Vec<String> {
    let rows = markup.get("inline_keyboard").and_then(Value::as_array);
    let all = rows.into_iter().flatten().filter_map(Value::as_array).flatten();
    all.filter_map(|it| it.get("callback_data")?.as_str()).map(str::to_owned).collect()
}

impl PressedButton {
    fn of(query: Query) -> Option<Self> {
        let message = query.message?;
        // Telegram sends a text; a number is as good.
        let id = match query.id {
            Value::String(id) => id,
            Value::Number(id) => id.to_string(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        let (chat, from) = (message.chat.id, Person::of(query.from));
        Some(Self { id, chat, message: message.message_id, from, data: query.data })
    }
}

impl Person {
    fn of(user: User) -> Self {
        let User { id, first_name, last_name, language_code, .. } = user;
        let names = [Some(first_name), last_name];
        let names: Vec<String> = names.into_iter().flatten().filter(|it| !it.is_empty()).collect();
        Self { id, name: names.join(" "), lang: lang(language_code.as_deref()) }
    }
}

/// The language of a person, by its IETF tag.
fn lang(tag: Option<&str>) -> Lang {
    let tag = tag.unwrap_or_default().to_ascii_lowercase();
    let primary = tag.split(['-', '_']).next();
    if primary == Some("zh") { Lang::Zh } else { Lang::En }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn user(tag: &str) -> Value {
        json!({"id": 7, "is_bot": false, "first_name": "安", "last_name": "Li", "language_code": tag})
    }

    fn message(text: &str) -> Value {
        json!({
            "message_id": 3, "date": 1, "chat": {"id": -100, "type": "supergroup", "title": "x"},
            "from": user("zh-hans"), "text": text
        })
    }

    /// LOOP-A9.
    #[test]
    fn what_somebody_else_wrote_is_not_read() {
        let read = |sent: Value| Update::read(json!({"update_id": 9, "message": sent})).unwrap();
        assert!(matches!(read(message("/pause t1")).content, Content::Message(_)));
        for name in ["forward_origin", "forward_date", "via_bot", "sender_chat"] {
            let mut sent = message("/pause t1");
            sent[name] = json!({"id": 99});
            assert_eq!(read(sent).content, Content::Other, "{name}");
        }
        let mut sent = message("/pause t1");
        sent["from"]["is_bot"] = true.into();
        assert_eq!(read(sent).content, Content::Other);
    }

    #[test]
    fn a_message_and_a_button_are_read() {
        let mut sent = message("/tasks");
        sent["reply_to_message"] = message("before");
        let update = Update::read(json!({"update_id": 9, "message": sent})).unwrap();
        let from = Person { id: 7, name: "安 Li".to_owned(), lang: Lang::Zh };
        let (text, buttons) = ("before".to_owned(), Vec::new());
        let reply_to = Some(RepliedTo { message: 3, author: Some(7), text, buttons });
        let expected = IncomingMessage {
            chat: -100,
            message: 3,
            is_private: false,
            from: from.clone(),
            text: "/tasks".to_owned(),
            reply_to,
        };
        assert_eq!(update, Update { id: 9, content: Content::Message(expected) });

        let query = json!({
            "id": "q", "from": user("zh"), "chat_instance": "c", "message": message("list"),
            "data": "rdloop_next:"
        });
        let update = Update::read(json!({"update_id": 10, "callback_query": query})).unwrap();
        let expected = PressedButton {
            id: "q".to_owned(),
            chat: -100,
            message: 3,
            from,
            data: "rdloop_next:".to_owned(),
        };
        assert_eq!(update, Update { id: 10, content: Content::Button(expected) });
    }

    #[test]
    fn what_is_not_understood_keeps_its_number() {
        for value in [
            json!({"update_id": 1}),
            json!({"update_id": 1, "message": 3}),
            json!({"update_id": 1, "message": {"message_id": "x"}}),
            json!({"update_id": 1, "poll": {}}),
            json!({"update_id": 1, "invented": {"by": "a newer server"}}),
        ] {
            let read = Update::read(value.clone());
            assert_eq!(read, Some(Update { id: 1, content: Content::Other }), "{value}");
        }
        assert_eq!(Update::read(json!({"message": message("x")})), None);
        assert_eq!(Update::read(json!("x")), None);
    }

    #[test]
    fn every_chinese_tag_is_chinese() {
        for (tag, expected) in [
            (Some("zh"), Lang::Zh),
            (Some("zh-hans"), Lang::Zh),
            (Some("zh-TW"), Lang::Zh),
            (Some("ZH_hk"), Lang::Zh),
            (Some("zha"), Lang::En),
            (Some("en"), Lang::En),
            (Some("ar"), Lang::En),
            (None, Lang::En),
        ] {
            assert_eq!(lang(tag), expected, "{tag:?}");
        }
    }
}
