//! Checks a value against its table of keys. What is wrong is collected, not thrown.

use std::collections::BTreeSet;

use provost_form::{
    Bounds, Expected, ProblemKind, Shape as _, flag, list, one_or_more, text, whole,
};
use provost_kernel::{
    shorten,
    story::{CriterionId, StoryId},
};
use serde_json::{Map, Value};

use super::{
    keys::{FILE, Key, LINE, Presence, REASON, Shape, TextForm, TextKind},
    problem::UpdateProblem,
};

type Field<'a> = provost_form::Field<'a, UpdateProblem>;
type Table<'a> = provost_form::Table<'a, UpdateProblem>;

/// Checks an object with these keys.
pub(crate) fn check(field: &Field<'_>, keys: &'static [Key]) {
    check_without(field, keys, "");
}

/// Checks an object with these keys but one.
fn check_without(field: &Field<'_>, keys: &'static [Key], left_out: &str) {
    let Some(mut table) = field.table() else { return };
    let keys = || keys.iter().filter(|it| it.name != left_out);
    table.know(keys().flat_map(Key::spellings));
    // What is suggested must be something that an agent may send.
    table.hide(keys().filter(|it| !it.is_offered()).flat_map(Key::spellings));
    table.finish();
    for key in keys() {
        check_key(&mut table, key);
    }
}

/// Checks every spelling of a key.
fn check_key(table: &mut Table<'_>, key: &'static Key) {
    let spellings = key.spellings().filter_map(|it| Some((it, table.field(it)?)));
    let mut spellings = spellings.collect::<Vec<_>>().into_iter();
    let is_required = key.presence == Presence::Required;
    let Some((first, field)) = spellings.next() else {
        if is_required {
            table.report(key.name, ProblemKind::Missing { expected: key.shape.expected() });
        }
        return;
    };
    for (_, other) in spellings.filter(|(_, it)| it.value != field.value) {
        other.report(UpdateProblem::AliasConflict { other: first });
    }
    check_value(&field, &key.shape);
    let is_blank = field.value.as_str().is_some_and(|it| it.trim().is_empty());
    if is_required && is_blank && !field.is_reported() {
        field.report(ProblemKind::Blank);
    }
}

fn check_value(field: &Field<'_>, shape: &'static Shape) {
    match *shape {
        Shape::Truth => check_shape(field, &flag()),
        Shape::Count => check_shape(field, &whole(0..=u64::MAX)),
        Shape::Text(form) => check_shape(field, &form),
        Shape::Texts { each, most } => check_shape(field, &list(each).max(most)),
        Shape::OneOrMoreTexts { each, most } => {
            check_shape(field, &one_or_more(each).min(0).max(most));
        }
        Shape::StoryId => check_shape(field, &text().and_then(story_id)),
        Shape::OneOf(words) => check_shape(field, &text().and_then(|it| one_of(words, &it))),
        Shape::Object(keys) => check(field, keys),
        Shape::Criteria { keys, most } => check_criteria(field, keys, most),
        Shape::Explanations { keys, most } => check_explanations(field, keys, most),
        Shape::Waiver if *field.value == Value::Bool(false) => {}
        Shape::Waiver => field.report(UpdateProblem::Waiver),
    }
}

fn check_shape(field: &Field<'_>, shape: &impl provost_form::Shape<UpdateProblem>) {
    field.read(shape);
}

fn check_criteria(field: &Field<'_>, keys: &'static [Key], most: usize) {
    let Some(entries) = field.entries() else { return };
    check_count(field, most);
    let mut seen = BTreeSet::new();
    for (name, claim) in entries {
        match name.parse::<CriterionId>() {
            Err(_) => claim.report(UpdateProblem::UnknownCriterion),
            Ok(id) if !seen.insert(id) => claim.report(UpdateProblem::CriterionTwice { id }),
            Ok(_) => {}
        }
        check(&claim, keys);
    }
}

fn check_explanations(field: &Field<'_>, keys: &'static [Key], most: usize) {
    match Explained::of(field.value) {
        None => field.report(UpdateProblem::NotExplanations),
        Some(Explained::One(_)) => check(field, keys),
        Some(Explained::List(_)) => {
            check_count(field, most);
            let mut seen = BTreeSet::new();
            for entry in field.items().unwrap_or_default() {
                check(&entry, keys);
                let file = entry.value.get(FILE).and_then(Value::as_str).unwrap_or_default();
                if !file.is_empty() && !seen.insert(file) {
                    entry.report(UpdateProblem::FileTwice { file: shorten(file) });
                }
            }
        }
        Some(Explained::ByPath(_)) => {
            check_count(field, most);
            for (path, entry) in field.entries().into_iter().flatten() {
                // The rules of a path under the key.
                for problem in text().line().max(LINE.most).problems(&path) {
                    entry.report(problem);
                }
                check_without(&entry, keys, FILE);
            }
        }
    }
}

fn check_count(field: &Field<'_>, most: usize) {
    let found = match field.value {
        Value::Array(list) => list.len(),
        Value::Object(object) => object.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    };
    if found > most {
        field.report(ProblemKind::Count { found, bounds: Bounds::of(0, Some(most)) });
    }
}

/// How an explanation says which file it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Explained<'a> {
    /// Each has its own `file`.
    List(&'a [Value]),
    One(&'a Map<String, Value>),
    ByPath(&'a Map<String, Value>),
}

impl<'a> Explained<'a> {
    /// Reads one of the three forms.
    pub(super) fn of(value: &'a Value) -> Option<Self> {
        let is_text = |value: Option<&Value>| value.is_some_and(Value::is_string);
        match value {
            Value::Array(list) => Some(Self::List(list)),
            // A path named `file` or `reason` has an object under it, and never a text.
            Value::Object(it) if [FILE, REASON].iter().any(|key| is_text(it.get(*key))) => {
                Some(Self::One(it))
            }
            Value::Object(it) => Some(Self::ByPath(it)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }
}

impl Shape {
    /// What stands under a key that is missing.
    fn expected(&self) -> Expected {
        match self {
            Self::Truth | Self::Waiver => Expected::Flag,
            Self::Count => Expected::WholeFrom { min: 0 },
            Self::Text(_) | Self::StoryId => Expected::Text,
            Self::Texts { .. } => Expected::Texts,
            Self::OneOrMoreTexts { .. } => Expected::TextOrTexts,
            Self::OneOf(words) => {
                Expected::OneOf(words.iter().map(|it| (*it).to_owned()).collect())
            }
            Self::Object(_) | Self::Criteria { .. } | Self::Explanations { .. } => Expected::Object,
        }
    }
}

impl provost_form::Shape<UpdateProblem> for TextForm {
    type Value = String;

    fn expected(&self) -> Expected {
        Expected::Text
    }

    fn read(&self, field: &Field<'_>) -> Option<String> {
        let text = text().max(self.most);
        match self.kind {
            TextKind::Lines => text.without(|it| it == '\0').read(field),
            TextKind::Line => text.line().read(field),
            TextKind::Inside => text.line().and_then(inside).read(field),
        }
    }
}

/// A path that stays below the root it is relative to, on every system.
fn inside(path: String) -> Result<String, UpdateProblem> {
    let mut parts = path.split(['/', '\\']);
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    let is_inside = !path.starts_with(['/', '\\', '~']) && !has_drive && parts.all(|it| it != "..");
    if is_inside { Ok(path) } else { Err(UpdateProblem::OutsidePath) }
}

/// An id that is blank is a matter of the key.
fn story_id(found: String) -> Result<(), UpdateProblem> {
    let is_id = found.trim().is_empty() || found.parse::<StoryId>().is_ok();
    if is_id { Ok(()) } else { Err(UpdateProblem::StoryId { found: shorten(&found) }) }
}

fn one_of(words: &'static [&'static str], found: &str) -> Result<(), UpdateProblem> {
    if words.contains(&found) {
        return Ok(());
    }
    let known = words.iter().map(|it| (*it).to_owned()).collect();
    Err(ProblemKind::NotOneOf { known, found: shorten(found) }.into())
}

/// The value under a key; `null` is none.
pub(crate) fn present(value: Option<&Value>) -> Option<&Value> {
    value.filter(|it| !it.is_null())
}
