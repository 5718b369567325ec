//! Files that outlive a version: what this version does not know is kept when it is written back.
//!
//! A reader accepts its own schema and none at all (files of the original), and refuses a newer
//! one, because it cannot know what it would destroy.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{Message, shorten};

/// A JSON object that is kept in a file.
pub trait Record: Serialize + DeserializeOwned {
    /// The schema, such as `provost.status/1`.
    const SCHEMA: &'static str;

    /// The keys of the object that this version knows, besides `schema`.
    const KEYS: &'static [&'static str];
}

/// A record together with what else stood in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFile<T> {
    pub value: T,
    /// The keys that this version does not know, written back as they were.
    pub rest: Map<String, Value>,
}

/// Why a JSON value is not a record of this kind.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "record", exit = Integrity)]
pub enum RecordError {
    #[message(en = "a `{expected}` is a JSON object", zh = "`{expected}` 应为 JSON 对象")]
    NotAnObject { expected: &'static str },
    #[message(
        en = "the schema is `{found}`, and this version reads `{expected}`",
        zh = "schema 为 `{found}`，此版本读取 `{expected}`",
        hint(
            en = "a newer provost wrote it: use that one",
            zh = "该文件由更新的 provost 写出：请使用那个版本"
        ),
        exit = Unable
    )]
    OtherSchema { expected: &'static str, found: String },
    #[message(en = "the object is not a valid `{expected}`", zh = "此对象不是有效的 `{expected}`")]
    Malformed { expected: &'static str, source: serde_json::Error },
}

const SCHEMA_KEY: &str = "schema";

impl<T: Record> RecordFile<T> {
    /// A record that was not read from anywhere.
    pub fn new(value: T) -> Self {
        Self { value, rest: Map::new() }
    }

    /// Reads a record.
    pub fn read(value: Value) -> Result<Self, RecordError> {
        let expected = T::SCHEMA;
        let Value::Object(mut object) = value else {
            return Err(RecordError::NotAnObject { expected });
        };
        match object.remove(SCHEMA_KEY) {
            None => {}
            Some(Value::String(found)) if found == expected => {}
            Some(found) => {
                let found = found.as_str().map_or_else(|| found.to_string(), str::to_owned);
                return Err(RecordError::OtherSchema { expected, found: shorten(&found) });
            }
        }
        let is_known = |key: &String| T::KEYS.contains(&key.as_str());
        let (known, rest) = object.into_iter().partition(|(key, _)| is_known(key));
        let value = serde_json::from_value(Value::Object(known))
            .map_err(|source| RecordError::Malformed { expected, source })?;
        Ok(Self { value, rest })
    }
}

impl<T: Record> Serialize for RecordFile<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::Error as _;
        let value = serde_json::to_value(&self.value).map_err(S::Error::custom)?;
        let Value::Object(known) = value else {
            return Err(S::Error::custom(format!("{} is not an object", T::SCHEMA)));
        };
        let mut object = self.rest.clone();
        object.extend(known);
        object.insert(SCHEMA_KEY.to_owned(), T::SCHEMA.into());
        object.serialize(serializer)
    }
}

impl<'de, T: Record> Deserialize<'de> for RecordFile<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::read(value).map_err(|error| match error {
            RecordError::Malformed { source, .. } => de::Error::custom(source),
            RecordError::NotAnObject { .. } | RecordError::OtherSchema { .. } => {
                de::Error::custom(error)
            }
        })
    }
}

/// Asserts that the keys of a record are those of its schema, so that none is lost or doubled.
#[cfg(test)]
#[track_caller]
pub(super) fn assert_keys<T: Record + schemars::JsonSchema>() {
    let schema = schemars::schema_for!(T).to_value();
    let properties = schema["properties"].as_object().unwrap();
    let mut expected: Vec<&str> = properties.keys().map(String::as_str).collect();
    let mut actual = T::KEYS.to_vec();
    expected.sort_unstable();
    actual.sort_unstable();
    assert_eq!(actual, expected, "{}", T::SCHEMA);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Exit, Lang};

    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    struct Pair {
        a: u8,
        #[serde(skip_serializing_if = "Option::is_none")]
        b: Option<u8>,
    }

    impl Record for Pair {
        const SCHEMA: &'static str = "provost.pair/1";
        const KEYS: &'static [&'static str] = &["a", "b"];
    }

    #[test]
    fn what_is_not_known_is_written_back() {
        let text = json!({"schema": "provost.pair/1", "a": 1, "later": {"x": [1]}});
        let mut kept: RecordFile<Pair> = serde_json::from_value(text).unwrap();
        kept.value.a = 2;
        assert_eq!(
            serde_json::to_value(&kept).unwrap(),
            json!({"schema": "provost.pair/1", "a": 2, "later": {"x": [1]}}),
        );
    }

    #[test]
    fn a_known_key_that_became_absent_does_not_come_back() {
        let mut kept: RecordFile<Pair> = serde_json::from_value(json!({"a": 1, "b": 2})).unwrap();
        kept.value.b = None;
        assert_eq!(
            serde_json::to_value(&kept).unwrap(),
            json!({"schema": "provost.pair/1", "a": 1}),
        );
    }

    #[test]
    fn a_newer_or_foreign_schema_is_refused() {
        #[track_caller]
        fn check(value: Value, expected: Option<(&str, Exit)>) {
            let actual =
                RecordFile::<Pair>::read(value).err().map(|it| (it.to_string(), it.exit()));
            assert_eq!(actual.as_ref().map(|it| (it.0.as_str(), it.1)), expected);
        }
        check(json!({"a": 1}), None);
        check(json!({"a": 1, "schema": "provost.pair/1"}), None);
        check(
            json!({"a": 1, "schema": "provost.pair/2"}),
            Some((
                "the schema is `provost.pair/2`, and this version reads `provost.pair/1`",
                Exit::Unable,
            )),
        );
        check(
            json!({"a": 1, "schema": 7}),
            Some(("the schema is `7`, and this version reads `provost.pair/1`", Exit::Unable)),
        );
        check(json!([]), Some(("a `provost.pair/1` is a JSON object", Exit::Integrity)));
        check(json!({}), Some(("the object is not a valid `provost.pair/1`", Exit::Integrity)));
        let error = RecordFile::<Pair>::read(json!({"schema": "provost.pair/2"})).unwrap_err();
        assert_eq!(error.hints(), ["a newer provost wrote it: use that one"]);
        assert_eq!(
            Lang::Zh.render(&error.text()),
            "schema 为 `provost.pair/2`，此版本读取 `provost.pair/1`"
        );
        assert!(RecordFile::<Pair>::read(json!({})).unwrap_err().hints().is_empty());
    }
}
