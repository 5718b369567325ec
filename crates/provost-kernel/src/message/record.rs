//! A message on disk: its code and its arguments, beside the text in English.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{Argument, Phrase, Template, Text, catalogue, text::Form};
use crate::Lang;

/// Code and arguments of a message, for what is stored beside a text (`message_code`,
/// `message_args`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageRecord {
    pub code: String,
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// A text as a value of its own: what a field of type [`Text`] looks like in JSON.
#[derive(Serialize, Deserialize, JsonSchema)]
struct TextRecord {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    args: Map<String, Value>,
    en: String,
    zh: String,
}

impl Text {
    /// Code and arguments, if it is a message of ours.
    pub fn record(&self) -> Option<MessageRecord> {
        let Form::Template { template, arguments } = &*self.0 else { return None };
        let names = template.arguments.iter().map(|it| (*it).to_owned());
        let args = names.zip(arguments.iter().map(to_json)).collect();
        Some(MessageRecord { code: template.code.to_owned(), args })
    }

    /// The text in English, its code and its arguments, for fields side by side.
    pub fn to_parts(&self) -> (String, Option<String>, Map<String, Value>) {
        let (code, args) = self.record().map_or((None, Map::new()), |it| (Some(it.code), it.args));
        (self.to_string(), code, args)
    }

    /// The message that was stored in fields side by side.
    pub fn from_parts(text: &str, code: Option<&str>, args: &Map<String, Value>) -> Self {
        let record = code.map(|it| MessageRecord { code: it.to_owned(), args: args.clone() });
        Self::restore(text.to_owned(), record.as_ref())
    }

    /// The message that was stored, or its text where this version does not know the code.
    pub fn restore(text: String, record: Option<&MessageRecord>) -> Self {
        record.and_then(from_record).unwrap_or_else(|| Self::verbatim(text))
    }
}

fn from_record(record: &MessageRecord) -> Option<Text> {
    let template: &'static Template = catalogue::find(&record.code)?;
    let argument = |name: &&str| from_json(record.args.get(*name)?);
    let arguments: Option<Vec<Argument>> = template.arguments.iter().map(argument).collect();
    Some(Text::new(template, arguments?))
}

fn to_json(argument: &Argument) -> Value {
    match argument {
        Argument::Literal(text) => Value::from(text.as_str()),
        Argument::Number(number) => Value::from(*number),
        Argument::List(items) => items.iter().map(to_json).collect(),
        Argument::Text(text) => match (text.record(), &*text.0) {
            (Some(record), _) => json!({"code": record.code, "args": record.args}),
            (None, Form::Pair { en, zh }) => json!({"en": en, "zh": zh}),
            (None, _) => Value::from(text.to_string()),
        },
    }
}

/// None for what this version cannot render.
fn from_json(value: &Value) -> Option<Argument> {
    match value {
        Value::String(text) => Some(Argument::Literal(text.clone())),
        Value::Number(number) => number.as_i64().map(Argument::Number),
        Value::Array(items) => {
            items.iter().map(from_json).collect::<Option<_>>().map(Argument::List)
        }
        Value::Object(map) => {
            if let (Some(Value::String(en)), Some(Value::String(zh))) =
                (map.get("en"), map.get("zh"))
            {
                return Some(Argument::Text(Text::pair(en.clone(), zh.clone())));
            }
            let record = MessageRecord::deserialize(value).ok()?;
            from_record(&record).map(Argument::Text)
        }
        Value::Null | Value::Bool(_) => None,
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (code, args) = self.record().map_or((None, Map::new()), |it| (Some(it.code), it.args));
        let (en, zh) = (Lang::En.render(self), Lang::Zh.render(self));
        TextRecord { code, args, en, zh }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let TextRecord { code, args, en, zh } = TextRecord::deserialize(deserializer)?;
        let known = code.and_then(|code| from_record(&MessageRecord { code, args }));
        Ok(known.unwrap_or_else(|| Self::pair(en, zh)))
    }
}

/// A field of type [`Text`] in a log whose earlier lines hold strings: what somebody else wrote is
/// still a string.
pub mod text_or_string {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Text;

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Verbatim(String),
        Text(Text),
    }

    pub fn serialize<S: Serializer>(text: &Text, serializer: S) -> Result<S::Ok, S::Error> {
        let stored = match text.code() {
            Some(_) => Stored::Text(text.clone()),
            None => Stored::Verbatim(text.to_string()),
        };
        stored.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        Ok(match Stored::deserialize(deserializer)? {
            Stored::Verbatim(text) => Text::verbatim(text),
            Stored::Text(text) => text,
        })
    }
}

impl JsonSchema for Text {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        TextRecord::json_schema(generator)
    }
}

impl Lang {
    /// Replaces every text that stands beside its code and arguments by the one that a reader of
    /// this language sees: `message` beside `message_code` and `message_args`; and every
    /// [`Phrase`] by a string.
    pub fn localize(self, value: &mut Value) {
        if let Some(phrase) = Phrase::localized(value, self) {
            *value = phrase;
            return;
        }
        match value {
            Value::Array(items) => items.iter_mut().for_each(|it| self.localize(it)),
            Value::Object(map) => {
                let texts: Vec<(String, String)> =
                    map.iter().filter_map(|(key, code)| self.beside(map, key, code)).collect();
                for (name, text) in texts {
                    map.insert(name, Value::from(text));
                }
                let lists: Vec<(String, Vec<Value>)> = map
                    .iter()
                    .filter_map(|(key, codes)| self.list_beside(map, key, codes))
                    .collect();
                for (name, list) in lists {
                    map.insert(name, Value::from(list));
                }
                map.values_mut().for_each(|it| self.localize(it));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// The same for a list: `questions` beside `questions_codes`, whose items are records or null.
    fn list_beside(
        self,
        map: &Map<String, Value>,
        key: &str,
        codes: &Value,
    ) -> Option<(String, Vec<Value>)> {
        let name = key.strip_suffix("_codes")?;
        let (texts, codes) = (map.get(name)?.as_array()?, codes.as_array()?);
        let render = |(at, text): (usize, &Value)| {
            let record = codes.get(at).and_then(|it| MessageRecord::deserialize(it).ok());
            let known = record.as_ref().and_then(from_record);
            known.map_or_else(|| text.clone(), |it| Value::from(self.render(&it)))
        };
        Some((name.to_owned(), texts.iter().enumerate().map(render).collect()))
    }

    fn beside(self, map: &Map<String, Value>, key: &str, code: &Value) -> Option<(String, String)> {
        let name = key.strip_suffix("_code")?;
        map.get(name)?.as_str()?;
        let args = match map.get(&format!("{name}_args")) {
            Some(Value::Object(args)) => args.clone(),
            _ => Map::new(),
        };
        let record = MessageRecord { code: code.as_str()?.to_owned(), args };
        from_record(&record).map(|it| (name.to_owned(), self.render(&it)))
    }
}
