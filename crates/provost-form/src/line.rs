//! Finds the line of a value, once something is wrong with it.
//!
//! Documents that are right are never searched, so that positions cost them nothing.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::path::{Path, Step};

/// The line of a value in a text that is valid JSON; that of its parent where it is missing, if
/// that is not the document.
pub(crate) fn in_json(text: &str, path: &Path) -> Option<usize> {
    let mut cursor = Cursor { text, at: 0 };
    cursor.skip_space();
    let mut found = path.is_root().then_some(cursor.at);
    for step in &path.0 {
        let entered = match step {
            Step::Key(key) => cursor.enter_key(key),
            Step::Index(index) => cursor.enter_index(*index),
        };
        if entered.is_none() {
            break;
        }
        found = entered;
    }
    found.map(|at| line_at(text, at))
}

/// The line of a value in a text that is valid TOML; that of its parent where it is missing, if
/// that is not the document.
pub(crate) fn in_toml(text: &str, path: &Path) -> Option<usize> {
    spans_in_toml(text, path).last().map(|(key, _)| line_at(text, key.start))
}

/// A value of a text that is valid TOML, as it was written.
pub(crate) fn written_in_toml(text: &str, path: &Path) -> Option<String> {
    let spans = spans_in_toml(text, path);
    let (_, value) = spans.get(path.0.len().checked_sub(1)?)?;
    text.get(value.clone()).map(str::to_owned)
}

/// The spans of the key and the value of each step, as far as the steps exist.
fn spans_in_toml(text: &str, path: &Path) -> Vec<(Range<usize>, Range<usize>)> {
    let Ok(document) = DeTable::parse(text) else { return Vec::new() };
    let (mut value, mut spans) = (&DeValue::Table(document.into_inner()), Vec::new());
    for step in &path.0 {
        let next = match (step, value) {
            (Step::Key(name), DeValue::Table(table)) => {
                let mut entries = table.iter();
                let entry = entries.find(|(key, _)| key.get_ref().as_ref() == name.as_str());
                entry.map(|(key, value)| (key.span(), value))
            }
            (Step::Index(index), DeValue::Array(list)) => {
                list.get(*index).map(|it| (it.span(), it))
            }
            (Step::Key(_) | Step::Index(_), _) => None,
        };
        let Some((key, next)) = next else { break };
        spans.push((key, next.span()));
        value = next.get_ref();
    }
    spans
}

/// The line of a byte, counted from 1.
pub(crate) fn line_at(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|it| *it == b'\n').count()
}

/// A place in valid JSON.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl Cursor<'_> {
    /// Moves to the value of a key of the object that starts here; where the key stands.
    fn enter_key(&mut self, key: &str) -> Option<usize> {
        self.open(b'{')?;
        while self.peek()? == b'"' {
            let start = self.at;
            self.skip_value();
            let written = &self.text[start..self.at];
            let is_it = match serde_json::from_str::<String>(written) {
                Ok(found) => found == key,
                Err(_) => false,
            };
            // The colon.
            self.skip_mark();
            if is_it {
                return Some(start);
            }
            self.skip_value();
            self.skip_comma()?;
        }
        None
    }

    /// Moves to an element of the list that starts here; where it stands.
    fn enter_index(&mut self, index: usize) -> Option<usize> {
        self.open(b'[')?;
        for _ in 0..index {
            self.skip_value();
            self.skip_comma()?;
        }
        self.peek().filter(|it| *it != b']').map(|_| self.at)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn open(&mut self, mark: u8) -> Option<()> {
        (self.peek()? == mark).then(|| self.skip_mark())
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|it| it.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Passes a mark of one byte and the space around it.
    fn skip_mark(&mut self) {
        self.skip_space();
        self.at = self.text.len().min(self.at + 1);
        self.skip_space();
    }

    /// Passes a comma; nothing at the end of what this value stands in.
    fn skip_comma(&mut self) -> Option<()> {
        self.skip_space();
        self.open(b',')
    }

    fn skip_value(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => self.skip_text(),
                b'{' | b'[' => depth += 1,
                // The end of what this value stands in.
                b'}' | b']' | b',' | b':' if depth == 0 => return,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 && matches!(byte, b'"' | b'}' | b']') {
                return;
            }
        }
    }

    /// Moves to the closing quote.
    fn skip_text(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek().filter(|it| *it != b'"') {
            self.at += if byte == b'\\' { 2 } else { 1 };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_value_has_the_line_of_its_key() {
        let json =
            "\n{\"a\": [1,\n  {\"b\\u0063\": \"]}\\\"\",\n\n\"d\": 2.5e3 },\n[]],\n \"e\"\n:{}}";
        let toml = "# c\na = [\n 1,\n {bc = 1, d = 2},\n]\ne.f = 1\n[g]\n\n[[g.h]]\ni = 1\n[[g.h]]\n\ni = 2\n";
        for (text, pointer, expected) in [
            (json, "", 2),
            (json, "/a", 2),
            (json, "/a/0", 2),
            (json, "/a/1", 3),
            (json, "/a/1/bc", 3),
            (json, "/a/1/d", 5),
            (json, "/a/2", 6),
            (json, "/a/2/0", 6),
            (json, "/a/3", 2),
            (json, "/a/1/x", 3),
            (json, "/e", 7),
            (json, "/e/x", 7),
            (json, "/x", 0),
            (toml, "", 0),
            (toml, "/a", 2),
            (toml, "/a/0", 3),
            (toml, "/a/1/d", 4),
            (toml, "/e/f", 6),
            (toml, "/g", 7),
            (toml, "/g/h/0/i", 10),
            (toml, "/g/h/1", 11),
            (toml, "/g/h/1/i", 13),
            (toml, "/x", 0),
        ] {
            let path = Path::of_pointer(pointer);
            let found = if text == json { in_json(text, &path) } else { in_toml(text, &path) };
            assert_eq!(found, Some(expected).filter(|it| *it > 0), "{pointer}");
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i32>().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            r#"[a-c"\\\[\]{}:,\n键]{0,6}"#.prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(4, 30, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(r#"[a-c"\\:,}\n]{0,3}"#, inner, 0..4)
                    .prop_map(|it| Value::Object(it.into_iter().collect())),
            ]
        })
    }

    fn paths(value: &Value, path: &Path, all: &mut Vec<Path>) {
        all.push(path.clone());
        for (index, it) in value.as_array().into_iter().flatten().enumerate() {
            paths(it, &path.index(index), all);
        }
        for (key, it) in value.as_object().into_iter().flatten() {
            paths(it, &path.key(key), all);
        }
    }

    proptest! {
        /// Pretty JSON has one value to a line, in the order of the walk.
        #[test]
        fn the_lines_of_all_values_rise(value in value()) {
            let text = serde_json::to_string_pretty(&value).unwrap();
            let mut all = Vec::new();
            paths(&value, &Path::default(), &mut all);
            let lines: Vec<usize> = all.iter().filter_map(|it| in_json(&text, it)).collect();
            prop_assert_eq!(lines.len(), all.len());
            prop_assert!(lines.windows(2).all(|it| it[0] < it[1]), "{}\n{:?}", text, lines);
            prop_assert!(lines.iter().all(|it| *it <= text.lines().count()));
        }
    }
}
