//! Reads the fields of a table and tracks which keys are known, so that others can be reported.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::shorten;
use serde_json::Value;

use crate::{
    document::{Form, Nulls, Source},
    nearest::nearest,
    path::Path,
    problem::{Expected, Problem, ProblemKind, Problems},
    shape::Shape,
};

/// How many characters of a value are shown.
const MOST_SHOWN: usize = 16;

/// A value of a document, with its path.
#[derive(Debug)]
pub struct Field<'a, K = ProblemKind> {
    form: &'a Form<'a>,
    problems: &'a Problems<K>,
    pub path: Path,
    pub value: &'a Value,
}

/// A table whose fields are read by key.
#[derive(Debug)]
pub struct Table<'a, K = ProblemKind> {
    form: &'a Form<'a>,
    problems: &'a Problems<K>,
    pub path: Path,
    /// A field of a section has the key `section.key`.
    fields: BTreeMap<String, Field<'a, K>>,
    sections: BTreeSet<String>,
    known: BTreeSet<String>,
    hidden: BTreeSet<String>,
}

/// A key that the reader does not know.
#[derive(Debug)]
pub struct UnknownKey<'a, K = ProblemKind> {
    pub key: String,
    pub field: Field<'a, K>,
    /// The known key that was probably meant.
    pub nearest: Option<String>,
}

impl<K> Clone for Field<'_, K> {
    fn clone(&self) -> Self {
        Self { path: self.path.clone(), ..*self }
    }
}

impl<'a, K: From<ProblemKind>> Field<'a, K> {
    pub(crate) fn new(
        form: &'a Form<'a>,
        problems: &'a Problems<K>,
        path: Path,
        value: &'a Value,
    ) -> Self {
        Self { form, problems, path, value }
    }

    /// Reports a problem of this field.
    pub fn report(&self, kind: impl Into<K>) {
        let Self { form, path, .. } = self;
        self.problems.push(|| Problem {
            path: path.clone(),
            line: form.line(path),
            kind: kind.into(),
        });
    }

    /// Whether something is wrong with this field, or below it.
    pub fn is_reported(&self) -> bool {
        self.problems.has(&self.path)
    }

    /// Reports that the value has another type.
    pub fn mismatch(&self, expected: Expected) {
        self.report(ProblemKind::WrongType { expected, found: self.shown() });
    }

    /// The value as it is shown to a person. What is longer than a word may hold a secret, so only
    /// its start is shown.
    pub fn shown(&self) -> String {
        let written = self.value.is_null().then(|| self.form.written(&self.path)).flatten();
        let whole = written.unwrap_or_else(|| self.value.to_string());
        if whole.chars().count() <= MOST_SHOWN {
            return shorten(&whole);
        }
        match self.value {
            Value::Array(_) => "[…]".to_owned(),
            Value::Object(_) => "{…}".to_owned(),
            Value::String(text) => {
                format!("\"{}…\"", shorten(&text.chars().take(4).collect::<String>()))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => shorten(&whole),
        }
    }

    pub fn read<S: Shape<K>>(&self, shape: &S) -> Option<S::Value> {
        shape.read(self)
    }

    /// The entries of a list; anything else is a problem.
    pub fn items(&self) -> Option<Vec<Self>> {
        let Some(list) = self.value.as_array() else {
            self.mismatch(Expected::List);
            return None;
        };
        let item = |(index, value)| Self { path: self.path.index(index), value, ..*self };
        Some(list.iter().enumerate().map(item).collect())
    }

    /// The value as a table; anything else is a problem.
    pub fn table(&self) -> Option<Table<'a, K>> {
        let fields = self.entries()?;
        Some(self.table_of(fields.collect(), BTreeSet::new()))
    }

    /// The value as one table with the fields of its sections.
    pub(crate) fn sections(&self) -> Option<Table<'a, K>> {
        let (mut fields, mut sections) = (BTreeMap::new(), BTreeSet::new());
        for (name, field) in self.entries()? {
            // A dot is the mark of a section: a key that has one is not a known key.
            let name = if name.contains('.') { format!("{name:?}") } else { name };
            if !field.value.is_object() {
                fields.insert(name, field);
                continue;
            }
            for (key, inner) in field.entries().into_iter().flatten() {
                let key = if key.contains('.') { format!("{key:?}") } else { key };
                fields.insert(format!("{name}.{key}"), inner);
            }
            sections.insert(name);
        }
        Some(self.table_of(fields, sections))
    }

    /// The fields of a table under their keys, for keys that are the writer's own; anything else
    /// is a problem.
    pub fn entries(&self) -> Option<impl Iterator<Item = (String, Self)> + use<'a, K>> {
        let Some(object) = self.value.as_object() else {
            self.mismatch(expected_table(self.form));
            return None;
        };
        let parent = self.clone();
        Some(object.iter().map(move |(key, value)| {
            (key.clone(), Self { path: parent.path.key(key), value, ..parent })
        }))
    }

    fn table_of(&self, fields: BTreeMap<String, Self>, sections: BTreeSet<String>) -> Table<'a, K> {
        Table {
            form: self.form,
            problems: self.problems,
            path: self.path.clone(),
            fields,
            sections,
            known: BTreeSet::new(),
            hidden: BTreeSet::new(),
        }
    }
}

impl<'a, K: From<ProblemKind>> Table<'a, K> {
    /// Reads a field that has to be there.
    pub fn required<S: Shape<K>>(&mut self, key: &str, shape: S) -> Option<S::Value> {
        let Some(field) = self.field(key) else {
            self.report(key, ProblemKind::Missing { expected: shape.expected() });
            return None;
        };
        shape.read(&field)
    }

    /// Reads a field that may be absent. A wrong one is a problem, and nothing is read.
    pub fn optional<S: Shape<K>>(&mut self, key: &str, shape: S) -> Option<S::Value> {
        shape.read(&self.field(key)?)
    }

    /// A field as it stands, if it is there.
    pub fn field(&mut self, key: &str) -> Option<Field<'a, K>> {
        self.known.insert(key.to_owned());
        let field = self.fields.get(key)?;
        let is_absent = field.value.is_null() && self.form.nulls == Nulls::Absent;
        (!is_absent).then(|| field.clone())
    }

    /// The table of a field that has to be there.
    pub fn required_table(&mut self, key: &str) -> Option<Self> {
        let Some(field) = self.field(key) else {
            self.report(key, ProblemKind::Missing { expected: expected_table(self.form) });
            return None;
        };
        field.table()
    }

    /// Reads each table of a list that has to be there.
    pub fn required_tables<T>(
        &mut self,
        key: &str,
        read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        if self.field(key).is_none() {
            self.report(key, ProblemKind::Missing { expected: Expected::List });
        }
        self.tables(key, read)
    }

    /// Reads each table of a list and reports its unknown keys; nothing if one cannot be read.
    pub fn tables<T>(
        &mut self,
        key: &str,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items = self.field(key)?.items()?;
        let mut all = Vec::with_capacity(items.len());
        for item in &items {
            let Some(mut table) = item.table() else { continue };
            all.extend(read(&mut table));
            table.finish();
        }
        (all.len() == items.len()).then_some(all)
    }

    /// Whether a section was opened, even an empty one.
    pub fn has_section(&self, name: &str) -> bool {
        self.sections.contains(name)
    }

    /// Marks a key, or a section with all of its keys, as known; whether it is there.
    pub fn skip(&mut self, key: &str) -> bool {
        let start = format!("{key}.");
        let is_it = |it: &str| it == key || it.starts_with(&start);
        let count = self.fields.len();
        self.known.insert(key.to_owned());
        self.fields.retain(|it, _| !is_it(it));
        self.fields.len() < count || self.sections.contains(key)
    }

    /// Marks all keys as known, for a table whose other keys cannot be judged.
    pub fn skip_rest(&mut self) {
        self.fields.clear();
    }

    /// Marks keys as known before they are read.
    pub fn know<'k>(&mut self, keys: impl IntoIterator<Item = &'k str>) {
        self.known.extend(keys.into_iter().map(str::to_owned));
    }

    /// Marks keys as known that are never suggested.
    pub fn hide<'k>(&mut self, keys: impl IntoIterator<Item = &'k str>) {
        self.hidden.extend(keys.into_iter().map(str::to_owned));
    }

    /// Accepts a second name for a key; both at once are a problem.
    pub fn alias(&mut self, key: &str, other: &str) {
        self.know([key, other]);
        if self.fields.contains_key(key) && self.fields.contains_key(other) {
            self.report(other, ProblemKind::TwoNames { other: key.to_owned() });
        } else if let Some(field) = self.fields.remove(other) {
            self.fields.insert(key.to_owned(), field);
        }
    }

    /// Reports a problem of a field, whether it is there or not.
    pub fn report(&self, key: &str, kind: impl Into<K>) {
        let path = match self.fields.get(key) {
            Some(field) => field.path.clone(),
            None => key.split('.').fold(self.path.clone(), |path, it| path.key(it)),
        };
        let line = || self.form.line(&path);
        self.problems.push(|| Problem { line: line(), path: path.clone(), kind: kind.into() });
    }

    /// The keys that were neither read nor marked as known, in their order.
    pub fn unknown(&self) -> Vec<UnknownKey<'a, K>> {
        let is_known = |key: &str| self.known.contains(key) || self.hidden.contains(key);
        let unknown = self.fields.iter().filter(|(key, _)| !is_known(key));
        let found = unknown.map(|(key, field)| UnknownKey {
            key: key.clone(),
            field: field.clone(),
            nearest: self.nearest(key),
        });
        found.collect()
    }

    /// Reports each unknown key with the nearest known one.
    pub fn finish(&self) {
        let known: Vec<String> = self.suggested().map(str::to_owned).collect();
        for UnknownKey { key, field, nearest } in self.unknown() {
            let start = format!("{key}.");
            if self.known.iter().any(|it| it.starts_with(&start)) {
                field.mismatch(expected_table(self.form));
            } else {
                field.report(match nearest {
                    Some(nearest) => ProblemKind::MisspelledKey { nearest },
                    None => ProblemKind::UnknownKey { known: known.clone() },
                });
            }
        }
    }

    /// The known key that was probably meant: the same name in another section, else the nearest
    /// name in the same one. All keys of a section begin alike, so only their ends are compared.
    fn nearest(&self, key: &str) -> Option<String> {
        let (section, leaf) = split(key);
        let elsewhere = self.suggested().find(|it| split(it).1 == leaf).map(str::to_owned);
        let siblings = self.suggested().map(split).filter(|(it, _)| *it == section);
        let sibling = || {
            let leaf = nearest(leaf, siblings.map(|(_, it)| it))?;
            Some(if section.is_empty() { leaf.to_owned() } else { format!("{section}.{leaf}") })
        };
        elsewhere.or_else(sibling)
    }

    fn suggested(&self) -> impl Iterator<Item = &str> {
        self.known.difference(&self.hidden).map(String::as_str)
    }
}

fn expected_table(form: &Form<'_>) -> Expected {
    match form.source {
        Source::Toml(_) => Expected::Table,
        Source::Json(_) | Source::None => Expected::Object,
    }
}

/// The section and the name in it.
fn split(key: &str) -> (&str, &str) {
    key.rsplit_once('.').unwrap_or(("", key))
}
