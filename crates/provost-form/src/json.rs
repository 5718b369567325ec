//! Strict JSON: one value, no duplicate keys at any depth, nothing before or after it.
//!
//! A lenient reader lets two programs see two documents in the same bytes. Everything from outside
//! is parsed here, so that there is one.

use std::{cell::RefCell, fmt};

use provost_kernel::Message;
pub use provost_kernel::shorten;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// How much is read before it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub bytes: usize,
    /// How many arrays and objects may stand inside each other.
    pub depth: usize,
}

/// Why bytes are not strict JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "form.json")]
pub enum StrictError {
    #[message(en = "the text has more than {limit} bytes", zh = "文本超过 {limit} 字节")]
    TooLarge { limit: usize },
    #[message(
        en = "the text is not UTF-8 from byte {at} on",
        zh = "文本自第 {at} 字节起不是 UTF-8"
    )]
    NotUtf8 { at: usize },
    #[message(en = "the text starts with a byte order mark", zh = "文本以字节顺序标记开头")]
    ByteOrderMark,
    #[message(
        en = "the JSON is nested deeper than {limit} levels",
        zh = "JSON 嵌套超过 {limit} 层"
    )]
    TooDeep { limit: usize },
    /// The place is a JSON pointer.
    #[message(
        en = "the key `{key}` stands twice in its object",
        zh = "键 `{key}` 在其对象中出现两次",
        arg(key = shorten(at))
    )]
    DuplicateKey { at: String },
    #[message(
        en = "there is text after the JSON value, at line {line}, column {column}",
        zh = "JSON 值之后还有文本（第 {line} 行第 {column} 列）"
    )]
    TrailingText { line: usize, column: usize },
    #[message(
        en = "the text is not JSON, at line {line}, column {column}",
        zh = "文本不是 JSON（第 {line} 行第 {column} 列）"
    )]
    Syntax { line: usize, column: usize },
}

/// Reads one JSON value.
pub fn parse(bytes: &[u8], limits: Limits) -> Result<Value, StrictError> {
    let text = text(bytes, limits)?;
    parse_text(text, limits.depth).map_err(|(error, _)| error)
}

/// The text of a document that is not too large.
pub(crate) fn text(bytes: &[u8], limits: Limits) -> Result<&str, StrictError> {
    if bytes.len() > limits.bytes {
        return Err(StrictError::TooLarge { limit: limits.bytes });
    }
    std::str::from_utf8(bytes).map_err(|error| StrictError::NotUtf8 { at: error.valid_up_to() })
}

/// Reads one JSON value; an error comes with its line.
pub(crate) fn parse_text(text: &str, depth: usize) -> Result<Value, (StrictError, usize)> {
    if text.starts_with('\u{feff}') {
        return Err((StrictError::ByteOrderMark, 1));
    }
    let context = Context { limit: depth, path: RefCell::default(), fault: RefCell::default() };
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Node { context: &context, depth: 0 }.deserialize(&mut reader).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        (context.fault.take().unwrap_or(StrictError::Syntax { line, column }), line)
    })?;
    reader.end().map_err(|error| {
        let (line, column) = (error.line(), error.column());
        (StrictError::TrailingText { line, column }, line)
    })?;
    Ok(value)
}

/// What the nodes of one document share.
struct Context {
    limit: usize,
    /// The keys and indices that lead to the current node.
    path: RefCell<Vec<String>>,
    /// What is wrong, where the reader's own error would lose it.
    fault: RefCell<Option<StrictError>>,
}

/// One value of the document, still to be read.
#[derive(Clone, Copy)]
struct Node<'a> {
    context: &'a Context,
    depth: usize,
}

impl Node<'_> {
    fn fail<E: serde::de::Error>(self, fault: StrictError) -> E {
        self.context.fault.replace(Some(fault));
        E::custom("refused")
    }

    fn inner<E: serde::de::Error>(self) -> Result<Self, E> {
        let limit = self.context.limit;
        if self.depth >= limit {
            return Err(self.fail(StrictError::TooDeep { limit }));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }

    fn enter(self, name: String) {
        self.context.path.borrow_mut().push(name);
    }

    fn leave(self) {
        self.context.path.borrow_mut().pop();
    }

    /// The JSON pointer of a key of this node.
    fn pointer(self, key: &str) -> String {
        let path = self.context.path.borrow();
        let names = path.iter().map(String::as_str).chain([key]);
        let escaped = names.map(|it| it.replace('~', "~0").replace('/', "~1"));
        escaped.fold(String::new(), |pointer, it| pointer + "/" + &it)
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut list = Vec::new();
        loop {
            self.enter(list.len().to_string());
            let Some(item) = items.next_element_seed(inner)? else { break };
            list.push(item);
            self.leave();
        }
        self.leave();
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(self.fail(StrictError::DuplicateKey { at: self.pointer(&key) }));
            }
            self.enter(key.clone());
            let value = entries.next_value_seed(inner)?;
            self.leave();
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use provost_kernel::Lang;

    use super::*;

    const LIMITS: Limits = Limits { bytes: 100, depth: 3 };

    #[track_caller]
    fn check(bytes: impl AsRef<[u8]>, expected: Result<(), StrictError>) {
        let actual = parse(bytes.as_ref(), LIMITS).map(drop);
        assert_eq!(actual, expected, "{:?}", String::from_utf8_lossy(bytes.as_ref()));
    }

    fn duplicate(at: &str) -> Result<(), StrictError> {
        Err(StrictError::DuplicateKey { at: at.to_owned() })
    }

    /// LOOP-B1: strict JSON, and nothing around it.
    #[test]
    fn one_value_and_nothing_else() {
        check(" {\"a\": [1, 2.5, -3, true, null, \"x\"]} \n", Ok(()));
        check("{} {}", Err(StrictError::TrailingText { line: 1, column: 4 }));
        check("{}\nthe end", Err(StrictError::TrailingText { line: 2, column: 1 }));
        check("```json\n{}", Err(StrictError::Syntax { line: 1, column: 1 }));
        check("", Err(StrictError::Syntax { line: 1, column: 0 }));
        check("{\"a\": NaN}", Err(StrictError::Syntax { line: 1, column: 7 }));
        check("{\"a\": 1e999}", Err(StrictError::Syntax { line: 1, column: 11 }));
        check("{\"a\": 1,}", Err(StrictError::Syntax { line: 1, column: 9 }));
        check("{'a': 1}", Err(StrictError::Syntax { line: 1, column: 2 }));
        check("\"\\ud800\"", Err(StrictError::Syntax { line: 1, column: 8 }));
        check(b"\xef\xbb\xbf{}", Err(StrictError::ByteOrderMark));
        check(b"{\"\xff\": 1}", Err(StrictError::NotUtf8 { at: 2 }));
    }

    #[test]
    fn a_key_stands_once_at_every_depth() {
        check(r#"{"a": 1, "a": 1}"#, duplicate("/a"));
        check(r#"{"a": {"b": 1, "c": 2, "b": 3}}"#, duplicate("/a/b"));
        check(r#"{"x": [0, [1], {"b": 1, "b": 1}]}"#, duplicate("/x/2/b"));
        check(r#"[[1], {"b": 1, "b": 1}]"#, duplicate("/1/b"));
        check(r#"{"a/b~c": {"k": 1, "\u006b": 1}}"#, duplicate("/a~1b~0c/k"));
        check(r#"{"a": {"k": 1}, "b": {"k": 1}, "c": [{"k": 1}, {"k": 1}]}"#, Ok(()));
        check(r#"{"a": [1, 2], "b": {"c": 1, "c": 2}}"#, duplicate("/b/c"));
    }

    #[test]
    fn size_and_depth_have_limits() {
        check(format!("\"{}\"", "a".repeat(98)), Ok(()));
        check(format!("\"{}\"", "a".repeat(99)), Err(StrictError::TooLarge { limit: 100 }));
        check("[[[1]]]", Ok(()));
        check("[[[[1]]]]", Err(StrictError::TooDeep { limit: 3 }));
        check(r#"{"a": {"b": {"c": 1}}}"#, Ok(()));
        check(r#"{"a": {"b": {"c": {}}}}"#, Err(StrictError::TooDeep { limit: 3 }));
        let deep = "[".repeat(1_000_000);
        let limits = Limits { bytes: 2_000_000, depth: 64 };
        assert_eq!(parse(deep.as_bytes(), limits), Err(StrictError::TooDeep { limit: 64 }));
    }

    #[test]
    fn a_value_is_what_serde_says() {
        let text = r#"{"b": [1, -2, 2.5, true, null, "é\n"], "a": {}}"#;
        let expected: Value = serde_json::from_str(text).unwrap();
        assert_eq!(parse(text.as_bytes(), LIMITS), Ok(expected));
    }

    #[test]
    fn an_error_is_short_whatever_the_key() {
        let text = format!("{{\"{0}\": 1, \"{0}\": 1}}", "键".repeat(5000));
        let limits = Limits { bytes: 100_000, depth: 3 };
        let error = parse(text.as_bytes(), limits).unwrap_err();
        assert!(error.to_string().chars().count() < 140, "{error}");
        assert!(Lang::Zh.render(&error.text()).contains("出现两次"));
    }

    proptest! {
        /// Whatever the bytes are, reading ends with a value or a named error.
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes, LIMITS);
        }

        /// What is accepted is what a lenient reader sees, too.
        #[test]
        fn what_is_accepted_means_the_same_to_everybody(text in r#"[\[\]{}":,0-9a-c. e-]{0,40}"#) {
            if let Ok(value) = parse(text.as_bytes(), LIMITS) {
                prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
            }
        }
    }
}
