//! Strict JSON: one value, no duplicate keys at any depth, nothing before or after it.
//!
//! A lenient reader lets two programs see two documents in the same bytes. Everything from outside
//! is parsed here, so that there is one.

use std::{cell::RefCell, fmt};

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::{
    path::{Path, Step},
    problem::{Problem, ProblemKind},
};

/// How much is read before it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub bytes: usize,
    /// How many arrays and objects may stand inside each other.
    pub depth: usize,
}

/// Reads one JSON value.
pub fn parse(bytes: &[u8], limits: Limits) -> Result<Value, Problem> {
    parse_text(text(bytes, limits)?, limits.depth)
}

/// The text of a document that is not too large.
pub(crate) fn text(bytes: &[u8], limits: Limits) -> Result<&str, Problem> {
    if bytes.len() > limits.bytes {
        return Err(ProblemKind::TooLarge { limit: limits.bytes }.into());
    }
    std::str::from_utf8(bytes).map_err(|it| ProblemKind::NotUtf8 { at: it.valid_up_to() }.into())
}

pub(crate) fn parse_text(text: &str, depth: usize) -> Result<Value, Problem> {
    let at = |line, kind| Problem { path: Path::default(), line: Some(line), kind };
    if text.starts_with('\u{feff}') {
        return Err(at(1, ProblemKind::ByteOrderMark));
    }
    let context = Context { limit: depth, path: RefCell::default(), fault: RefCell::default() };
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Node { context: &context, depth: 0 }.deserialize(&mut reader).map_err(|error| {
        let syntax = || (Path::default(), ProblemKind::NotJson { column: error.column() });
        let (path, kind) = context.fault.take().unwrap_or_else(syntax);
        Problem { path, line: Some(error.line()), kind }
    })?;
    reader.end().map_err(|it| at(it.line(), ProblemKind::TrailingText { column: it.column() }))?;
    Ok(value)
}

/// What the nodes of one document share.
struct Context {
    limit: usize,
    /// The keys and indices that lead to the current node.
    path: RefCell<Vec<Step>>,
    /// What is wrong, where the reader's own error would lose it.
    fault: RefCell<Option<(Path, ProblemKind)>>,
}

/// One value of the document, still to be read.
#[derive(Clone, Copy)]
struct Node<'a> {
    context: &'a Context,
    depth: usize,
}

impl Node<'_> {
    fn fail<E: serde::de::Error>(self, path: Path, kind: ProblemKind) -> E {
        self.context.fault.replace(Some((path, kind)));
        E::custom("refused")
    }

    fn inner<E: serde::de::Error>(self) -> Result<Self, E> {
        let limit = self.context.limit;
        if self.depth >= limit {
            return Err(self.fail(Path::default(), ProblemKind::TooDeep { limit }));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }

    fn enter(self, step: Step) {
        self.context.path.borrow_mut().push(step);
    }

    fn leave(self) {
        self.context.path.borrow_mut().pop();
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
            self.enter(Step::Index(list.len()));
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
                let path = Path(self.context.path.borrow().clone()).key(&key);
                return Err(self.fail(path, ProblemKind::DuplicateKey));
            }
            self.enter(Step::Key(key.clone()));
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
    use provost_kernel::{Lang, Message};

    use super::*;

    const LIMITS: Limits = Limits { bytes: 100, depth: 3 };

    #[track_caller]
    fn check(bytes: impl AsRef<[u8]>, expected: Result<(), &str>) {
        let actual = parse(bytes.as_ref(), LIMITS).map(drop).map_err(|it| it.to_string());
        let shown = String::from_utf8_lossy(bytes.as_ref());
        assert_eq!(actual, expected.map_err(str::to_owned), "{shown:?}");
    }

    /// LOOP-B1: strict JSON, and nothing around it.
    #[test]
    fn one_value_and_nothing_else() {
        check(" {\"a\": [1, 2.5, -3, true, null, \"x\"]} \n", Ok(()));
        check("{} {}", Err("line 1: text after the JSON value at column 4"));
        check("{}\nthe end", Err("line 2: text after the JSON value at column 1"));
        for (text, column) in [
            ("```json\n{}", 1),
            ("", 0),
            ("{\"a\": NaN}", 7),
            ("{\"a\": 1e999}", 11),
            ("{\"a\": 1,}", 9),
            ("{'a': 1}", 2),
            ("\"\\ud800\"", 8),
        ] {
            check(text, Err(&format!("line 1: not valid JSON at column {column}")));
        }
        check(b"\xef\xbb\xbf{}", Err("line 1: starts with a byte order mark"));
        check(b"{\"\xff\": 1}", Err("not UTF-8 from byte 2 on"));
    }

    #[test]
    fn a_key_stands_once_at_every_depth() {
        check(r#"{"a": {"k": 1}, "b": {"k": 1}, "c": [{"k": 1}, {"k": 1}]}"#, Ok(()));
        for (text, path) in [
            (r#"{"a": 1, "a": 1}"#, "a"),
            (r#"{"a": {"b": 1, "c": 2, "b": 3}}"#, "a.b"),
            (r#"{"x": [0, [1], {"b": 1, "b": 1}]}"#, "x[2].b"),
            (r#"[[1], {"b": 1, "b": 1}]"#, "[1].b"),
            (r#"{"a/b~c": {"k": 1, "\u006b": 1}}"#, "a/b~c.k"),
            (r#"{"a": [1, 2], "b": {"c": 1, "c": 2}}"#, "b.c"),
            (r#"{"1": {"b": 1, "b": 1}}"#, "1.b"),
        ] {
            check(text, Err(&format!("line 1: `{path}`: duplicate key")));
        }
    }

    #[test]
    fn size_and_depth_have_limits() {
        check(format!("\"{}\"", "a".repeat(98)), Ok(()));
        check(format!("\"{}\"", "a".repeat(99)), Err("larger than 100 bytes"));
        check("[[[1]]]", Ok(()));
        check("[[[[1]]]]", Err("line 1: nested deeper than 3 levels"));
        check(r#"{"a": {"b": {"c": 1}}}"#, Ok(()));
        check(r#"{"a": {"b": {"c": {}}}}"#, Err("line 1: nested deeper than 3 levels"));
        let limits = Limits { bytes: 2_000_000, depth: 64 };
        let error = parse("[".repeat(1_000_000).as_bytes(), limits).unwrap_err();
        assert_eq!(error.kind, ProblemKind::TooDeep { limit: 64 });
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
        assert!(Lang::Zh.render(&error.text()).contains("键重复"));
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
