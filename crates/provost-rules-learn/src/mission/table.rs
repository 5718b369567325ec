//! A table of which each key is read once, so that what is left is what nobody reads.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
    str::FromStr,
};

use provost_kernel::task::Decimal;
use provost_rules::{json::shorten, nearest::nearest};
use serde_json::{Map, Value};

use super::problem::{Expected, MissionProblem, Refusal};

/// A table under way: its values, the keys that were asked for, and what is wrong so far.
pub(super) struct Table {
    /// How the table itself is called, such as `endpoints[1]`; nothing for the document.
    name: String,
    /// A value of a section has the name `section.key`.
    values: BTreeMap<String, Value>,
    sections: BTreeSet<String>,
    known: BTreeSet<String>,
    problems: Vec<MissionProblem>,
}

impl Table {
    /// The whole document, with the values of its sections.
    pub(super) fn document(fields: impl IntoIterator<Item = (String, Value)>) -> Self {
        let mut table = Self::empty(String::new());
        for (name, value) in fields {
            match value {
                Value::Object(section) => {
                    for (key, value) in section {
                        table.put(&[&name, &key], value);
                    }
                    table.sections.insert(name);
                }
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_) => table.put(&[&name], value),
            }
        }
        table
    }

    /// One table of a list; they are counted from 1.
    fn element(key: &str, number: usize, fields: Map<String, Value>) -> Self {
        let mut table = Self::empty(format!("{key}[{number}]"));
        for (name, value) in fields {
            table.put(&[&name], value);
        }
        table
    }

    fn empty(name: String) -> Self {
        Self {
            name,
            values: BTreeMap::new(),
            sections: BTreeSet::new(),
            known: BTreeSet::new(),
            problems: Vec::new(),
        }
    }

    fn put(&mut self, path: &[&str], value: Value) {
        // In quotes, a dot is a part of a name, and no name of ours has one.
        if path.iter().any(|it| it.contains('.')) {
            let quoted: Vec<String> = path.iter().map(|it| format!("{it:?}")).collect();
            let key = shorten(&quoted.join("."));
            self.problem(MissionProblem::Unknown { key, nearest: None });
            return;
        }
        self.values.insert(path.join("."), value);
    }

    /// What is wrong, with the keys that nobody asked for.
    pub(super) fn finish(mut self) -> Vec<MissionProblem> {
        let left = std::mem::take(&mut self.values);
        for (key, value) in left {
            let is_section = self.known.iter().any(|it| it.starts_with(&format!("{key}.")));
            if is_section {
                self.unexpected(&key, &value, Expected::Table);
            } else {
                let nearest = self.meant(&key);
                let key = self.whole_key(&shorten(&key));
                self.problem(MissionProblem::Unknown { key, nearest });
            }
        }
        self.problems
    }

    /// The key that a person probably meant: the same name in another section, else the nearest
    /// one in its own. All names of a section begin alike, so that only their ends are compared.
    fn meant(&self, key: &str) -> Option<String> {
        let (section, leaf) = apart(key);
        let elsewhere = self.known.iter().find(|it| apart(it).1 == leaf).cloned();
        let siblings = self.known.iter().map(|it| apart(it)).filter(|(it, _)| *it == section);
        let sibling = || nearest(leaf, siblings.map(|(_, it)| it)).map(|it| join(section, it));
        elsewhere.or_else(sibling).map(|it| self.whole_key(&it))
    }

    /// Lets a key be written under another name, but not under both.
    pub(super) fn alias(&mut self, key: &str, other: &str) {
        self.known.extend([key.to_owned(), other.to_owned()]);
        let Some(value) = self.values.remove(other) else { return };
        if self.values.contains_key(key) {
            let (key, other) = (key.to_owned(), other.to_owned());
            self.problem(MissionProblem::Twice { key, other });
        } else {
            self.values.insert(key.to_owned(), value);
        }
    }

    pub(super) fn problem(&mut self, problem: MissionProblem) {
        self.problems.push(problem);
    }

    pub(super) fn unexpected(&mut self, key: &str, found: &Value, expected: Expected) {
        let found = match found {
            Value::Null => None,
            Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => Some(shorten(&found.to_string())),
        };
        let key = self.whole_key(key);
        self.problem(MissionProblem::Unexpected { key, found, expected });
    }

    pub(super) fn refuse(&mut self, key: &str, why: Refusal) {
        let key = self.whole_key(key);
        self.problem(MissionProblem::Refused { key, why });
    }

    pub(super) fn missing(&mut self, key: &str, expected: Expected) {
        let key = self.whole_key(key);
        self.problem(MissionProblem::Missing { key, expected });
    }

    /// Whether a section was opened, even if nothing stands in it.
    pub(super) fn has_section(&self, name: &str) -> bool {
        self.sections.contains(name)
    }

    /// Whether a value is there and was not taken yet.
    pub(super) fn has(&mut self, key: &str) -> bool {
        self.known.insert(key.to_owned());
        self.values.contains_key(key)
    }

    /// Whether something is wrong with the value of a key already.
    pub(super) fn is_reported(&self, key: &str) -> bool {
        let key = self.whole_key(key);
        self.problems.iter().any(|it| it.key() == key)
    }

    /// Passes over what is left.
    pub(super) fn forget(&mut self) {
        self.values.clear();
    }

    /// Passes over a section; whether there was one.
    pub(super) fn drop_section(&mut self, name: &str) -> bool {
        self.known.insert(name.to_owned());
        let count = self.values.len();
        let start = format!("{name}.");
        self.values.retain(|key, _| key != name && !key.starts_with(&start));
        self.values.len() < count || self.sections.contains(name)
    }

    /// Takes a value out.
    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.known.insert(key.to_owned());
        self.values.remove(key)
    }

    fn read<T>(
        &mut self,
        key: &str,
        expected: Expected,
        parse: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.take(key)?;
        let parsed = parse(&value);
        if parsed.is_none() {
            self.unexpected(key, &value, expected);
        }
        parsed
    }

    pub(super) fn flag(&mut self, key: &str) -> Option<bool> {
        self.read(key, Expected::Flag, Value::as_bool)
    }

    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        self.read(key, Expected::Text, text)
    }

    pub(super) fn required_text(&mut self, key: &str) -> Option<String> {
        if !self.values.contains_key(key) {
            self.known.insert(key.to_owned());
            self.missing(key, Expected::Text);
        }
        self.text(key)
    }

    pub(super) fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        self.read(key, Expected::Texts, texts)
    }

    /// One text, or a list of them that is not empty.
    pub(super) fn text_or_texts(&mut self, key: &str) -> Option<Vec<String>> {
        self.read(key, Expected::TextOrTexts, |it| {
            text(it).map(|it| vec![it]).or_else(|| texts(it).filter(|it| !it.is_empty()))
        })
    }

    pub(super) fn whole(&mut self, key: &str, range: RangeInclusive<u64>) -> Option<u64> {
        let expected = Expected::Whole { min: *range.start(), max: *range.end() };
        self.read(key, expected, |it| it.as_u64().filter(|it| range.contains(it)))
    }

    pub(super) fn count(&mut self, key: &str, range: RangeInclusive<u32>) -> Option<u32> {
        let whole = self.whole(key, u64::from(*range.start())..=u64::from(*range.end()));
        whole.and_then(|it| u32::try_from(it).ok())
    }

    pub(super) fn number(&mut self, key: &str, range: RangeInclusive<f64>) -> Option<f64> {
        let expected = Expected::Number { min: *range.start(), max: *range.end() };
        self.read(key, expected, |it| it.as_f64().filter(|it| range.contains(it)))
    }

    /// A share from 0 to 1 with at most three decimals, in thousandths.
    pub(super) fn thousandths(&mut self, key: &str) -> Option<u16> {
        let parse = |it: &Value| {
            let units = Decimal::of_number(it.as_number()?)?.in_units_of(1000)?;
            u16::try_from(units).ok().filter(|it| *it <= 1000)
        };
        self.read(key, Expected::Share, parse)
    }

    /// Dollars with at most six decimals, in millionths.
    pub(super) fn dollars(&mut self, key: &str) -> Option<u64> {
        let parse = |it: &Value| {
            let units = Decimal::of_number(it.as_number()?)?.in_units_of(1_000_000)?;
            u64::try_from(units).ok()
        };
        self.read(key, Expected::Dollars, parse)
    }

    /// One word of a closed set.
    pub(super) fn word<T: Word>(&mut self, key: &str) -> Option<T> {
        self.read(key, Expected::OneOf(T::WORDS), |it| it.as_str()?.parse().ok())
    }

    /// Reads each table of a list; nothing if one of them cannot be read.
    pub(super) fn tables<T>(
        &mut self,
        key: &str,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let value = self.take(key)?;
        let Value::Array(list) = value else {
            self.unexpected(key, &value, Expected::Tables);
            return None;
        };
        let (mut all, count) = (Vec::new(), list.len());
        for (number, value) in (1..).zip(list) {
            let Value::Object(fields) = value else {
                self.unexpected(&format!("{key}[{number}]"), &value, Expected::Table);
                continue;
            };
            let mut element = Self::element(key, number, fields);
            all.extend(read(&mut element));
            self.problems.extend(element.finish());
        }
        (all.len() == count).then_some(all)
    }

    fn whole_key(&self, key: &str) -> String {
        join(&self.name, key)
    }
}

/// A closed set of words that a key may hold.
pub(super) trait Word: FromStr {
    const WORDS: &'static [&'static str];
}

macro_rules! word {
    ($($name:ty),+) => {
        $(
            impl Word for $name {
                const WORDS: &'static [&'static str] = Self::WORDS;
            }
        )+
    };
}

word!(
    provost_kernel::learn::GateMode,
    provost_kernel::learn::HypothesesMode,
    provost_kernel::learn::Label,
    provost_kernel::task::TaskType
);

impl Word for provost_kernel::Lang {
    const WORDS: &'static [&'static str] = &["en", "zh"];
}

/// The section and the name in it.
fn apart(key: &str) -> (&str, &str) {
    key.rsplit_once('.').unwrap_or(("", key))
}

fn join(section: &str, key: &str) -> String {
    if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") }
}

/// A text that says something, on one line.
fn text(value: &Value) -> Option<String> {
    let is_text = |it: &&str| !it.trim().is_empty() && !it.chars().any(char::is_control);
    value.as_str().filter(is_text).map(str::to_owned)
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(text).collect()
}
