//! A text inside an answer: one string in JSON, in the language of the reader.

use serde::{Deserialize as _, Serialize, Serializer, ser::SerializeMap as _};
use serde_json::Value;

use super::{Message, Text};
use crate::Lang;

/// A text of an answer that is never stored.
///
/// It serialises under [`Phrase::MARK`], and [`Lang::localize`] replaces it by a string before a
/// surface prints the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase(pub Text);

impl Phrase {
    /// The only key of a phrase that has not been rendered.
    pub const MARK: &str = "$text";

    pub fn of(message: &impl Message) -> Self {
        Self(message.text())
    }

    /// The string that replaces a value, if it is a phrase.
    pub(super) fn localized(value: &Value, lang: Lang) -> Option<Value> {
        let Value::Object(map) = value else { return None };
        let inner = map.get(Self::MARK).filter(|_| map.len() == 1)?;
        let text = Text::deserialize(inner).ok()?;
        Some(Value::from(lang.render(&text)))
    }
}

impl Serialize for Phrase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(Self::MARK, &self.0)?;
        map.end()
    }
}
