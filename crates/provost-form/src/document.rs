//! A parsed document, which knows where its values stand.

use provost_kernel::shorten_to;
use serde_json::Value;

use crate::{
    json::{self, Limits},
    line,
    path::Path,
    problem::{Problem, ProblemKind, Problems, TomlError},
    table::{Field, Table},
};

/// A parsed document. Its values are JSON values; a date of TOML is `null`.
#[derive(Clone, Debug)]
pub struct Form<'t> {
    value: Value,
    pub(crate) source: Source<'t>,
    pub(crate) nulls: Nulls,
}

/// The text of a document, for the line of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'t> {
    Json(&'t str),
    Toml(&'t str),
    None,
}

/// What a `null` in the place of a field means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nulls {
    Absent,
    Values,
}

impl<'t> Form<'t> {
    /// Parses strict JSON: one value, no duplicate keys, nothing around it.
    pub fn json(bytes: &'t [u8], limits: Limits) -> Result<Self, Problem> {
        let text = json::text(bytes, limits)?;
        let value = json::parse_text(text, limits.depth)?;
        Ok(Self { value, source: Source::Json(text), nulls: Nulls::Absent })
    }

    /// Parses TOML.
    pub fn toml(bytes: &'t [u8], limits: Limits) -> Result<Self, Problem> {
        let text = json::text(bytes, limits)?;
        let document: toml::Table = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(text.len(), |it| it.start);
            // The parser's own words may quote the document.
            let why = TomlError(shorten_to(error.message(), 200));
            let line = Some(line::line_at(text, at));
            Problem { path: Path::default(), line, kind: ProblemKind::NotToml { why } }
        })?;
        let value = json_value(toml::Value::Table(document));
        if depth(&value) > limits.depth {
            return Err(ProblemKind::TooDeep { limit: limits.depth }.into());
        }
        Ok(Self { value, source: Source::Toml(text), nulls: Nulls::Values })
    }

    /// Takes a value that has no text, such as the arguments of a tool; its problems have no line.
    pub fn value(value: Value) -> Self {
        Self { value, source: Source::None, nulls: Nulls::Absent }
    }

    /// Reads a `null` as a value of the wrong type; by default it is an absent field in JSON.
    #[must_use]
    pub fn with_nulls(self) -> Self {
        Self { nulls: Nulls::Values, ..self }
    }

    pub fn root(&self) -> &Value {
        &self.value
    }

    pub fn into_root(self) -> Value {
        self.value
    }

    /// The whole document as a field.
    pub fn field<'a, K: From<ProblemKind>>(&'a self, problems: &'a Problems<K>) -> Field<'a, K> {
        Field::new(self, problems, Path::default(), &self.value)
    }

    /// The document as a table; anything else is a problem.
    pub fn table<'a, K: From<ProblemKind>>(
        &'a self,
        problems: &'a Problems<K>,
    ) -> Option<Table<'a, K>> {
        self.field(problems).table()
    }

    /// The document as one table with the fields of its sections, under keys such as
    /// `section.key`.
    pub fn sections<'a, K: From<ProblemKind>>(
        &'a self,
        problems: &'a Problems<K>,
    ) -> Option<Table<'a, K>> {
        self.field(problems).sections()
    }

    /// The line of a value; that of the nearest parent where it is missing.
    pub fn line(&self, path: &Path) -> Option<usize> {
        match &self.source {
            Source::Json(text) => line::in_json(text, path),
            Source::Toml(text) => line::in_toml(text, path),
            Source::None => None,
        }
    }
}

impl Form<'_> {
    /// What stands in the text where JSON has no such value: a date of TOML, or `nan`.
    pub fn written(&self, path: &Path) -> Option<String> {
        match &self.source {
            Source::Toml(text) => line::written_in_toml(text, path),
            Source::Json(_) | Source::None => None,
        }
    }
}

/// A value as JSON; `null` where JSON has no such value.
fn json_value(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(flag) => flag.into(),
        toml::Value::Datetime(_) => Value::Null,
        toml::Value::Array(list) => list.into_iter().map(json_value).collect(),
        toml::Value::Table(table) => {
            table.into_iter().map(|(name, it)| (name, json_value(it))).collect()
        }
    }
}

/// How many arrays and objects stand inside each other; the parser bounds it.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Object(table) => 1 + table.values().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
