//! What came in: the few fields of an update that the bot reads.

use frankenstein::{
    types::{CallbackQuery, ChatType, MaybeInaccessibleMessage, Message, User},
    updates::{Update as Received, UpdateContent},
};
use provost_kernel::Lang;
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

impl Update {
    /// Reads an update; none without an id. One that is not understood is passed over, so that it
    /// does not hold up the ones behind it.
    pub(crate) fn read(value: Value) -> Option<Self> {
        let id = value.get("update_id")?.as_i64()?;
        let content = serde_json::from_value::<Received>(value).ok();
        let content = content.and_then(|it| Content::of(it.content)).unwrap_or(Content::Other);
        Some(Self { id, content })
    }
}

impl Content {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the library's own enum, which may grow")]
    fn of(content: UpdateContent) -> Option<Self> {
        match content {
            UpdateContent::Message(message) => IncomingMessage::of(*message).map(Self::Message),
            UpdateContent::CallbackQuery(query) => PressedButton::of(*query).map(Self::Button),
            _ => None,
        }
    }
}

impl IncomingMessage {
    fn of(message: Message) -> Option<Self> {
        let reply_to = message.reply_to_message.map(|it| RepliedTo {
            message: it.message_id,
            author: it.from.and_then(|it| i64::try_from(it.id).ok()),
            text: it.text.unwrap_or_default(),
        });
        Some(Self {
            chat: message.chat.id,
            message: message.message_id,
            is_private: message.chat.type_field == ChatType::Private,
            from: Person::of(&*message.from?)?,
            text: message.text?,
            reply_to,
        })
    }
}

impl PressedButton {
    fn of(query: CallbackQuery) -> Option<Self> {
        let (chat, message) = match query.message? {
            MaybeInaccessibleMessage::Message(it) => (it.chat.id, it.message_id),
            MaybeInaccessibleMessage::InaccessibleMessage(it) => (it.chat.id, it.message_id),
        };
        let from = Person::of(&query.from)?;
        Some(Self { id: query.id, chat, message, from, data: query.data.unwrap_or_default() })
    }
}

impl Person {
    fn of(user: &User) -> Option<Self> {
        let name = [Some(user.first_name.as_str()), user.last_name.as_deref()];
        let name: Vec<&str> = name.into_iter().flatten().filter(|it| !it.is_empty()).collect();
        Some(Self {
            id: i64::try_from(user.id).ok()?,
            name: name.join(" "),
            lang: lang(user.language_code.as_deref()),
        })
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

    #[test]
    fn a_message_and_a_button_are_read() {
        let mut sent = message("/tasks");
        sent["reply_to_message"] = message("before");
        let update = Update::read(json!({"update_id": 9, "message": sent})).unwrap();
        let from = Person { id: 7, name: "安 Li".to_owned(), lang: Lang::Zh };
        let reply_to = Some(RepliedTo { message: 3, author: Some(7), text: "before".to_owned() });
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
