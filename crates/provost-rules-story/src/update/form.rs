//! Whether a value has the form of the table. What is wrong is collected, not thrown.

use std::collections::BTreeSet;

use provost_kernel::story::{CriterionId, StoryId};
use provost_rules::{json::shorten, nearest::nearest};
use serde_json::{Map, Value};

use super::{
    defect::{Defect, Expected},
    keys::{FILE, Key, Presence, REASON, Shape, TextForm, TextKind},
};

/// More than so many defects are only counted.
const MAX_DEFECTS: usize = 50;

/// What is wrong with a value that should be an object with these keys.
pub(crate) fn defects(object: &Map<String, Value>, keys: &'static [Key]) -> Vec<Defect> {
    let mut form = Form { defects: Vec::new(), left_out: 0 };
    form.object("", object, keys, Among::All);
    if form.left_out > 0 {
        form.defects.push(Defect::More { left_out: form.left_out });
    }
    form.defects
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

/// Which keys of a table count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Among {
    All,
    /// All but `file`, which stands before the object.
    WithoutFile,
}

impl Among {
    fn has(self, key: &Key) -> bool {
        match self {
            Self::All => true,
            Self::WithoutFile => key.name != FILE,
        }
    }
}

struct Form {
    defects: Vec<Defect>,
    left_out: usize,
}

impl Form {
    fn report(&mut self, defect: Defect) {
        if self.defects.len() < MAX_DEFECTS {
            self.defects.push(defect);
        } else {
            self.left_out += 1;
        }
    }

    fn wrong_type(&mut self, at: &str, expected: Expected) {
        self.report(Defect::WrongType { at: at.to_owned(), expected });
    }

    fn object(
        &mut self,
        at: &str,
        object: &Map<String, Value>,
        keys: &'static [Key],
        among: Among,
    ) {
        let known = || keys.iter().filter(|it| among.has(it)).flat_map(Key::spellings);
        for name in object.keys().filter(|name| !known().any(|it| it == name.as_str())) {
            // What is offered must be something that an agent may send.
            let offered = keys.iter().filter(|it| among.has(it) && it.is_offered());
            let offered: Vec<_> = offered.flat_map(Key::spellings).collect();
            let nearest = nearest(name, offered.iter().copied());
            self.report(Defect::UnknownKey { at: below(at, name), nearest, known: offered });
        }
        for key in keys.iter().filter(|it| among.has(it)) {
            self.key(at, object, key);
        }
    }

    /// Looks at every spelling of a key.
    fn key(&mut self, at: &str, object: &Map<String, Value>, key: &'static Key) {
        let there = key.spellings().filter_map(|it| Some((it, present(object.get(it))?)));
        let mut there = there.peekable();
        let Some(&(first, value)) = there.peek() else {
            if key.presence == Presence::Required {
                self.report(Defect::Missing { at: below(at, key.name) });
            }
            return;
        };
        for (name, other) in there.skip(1) {
            if other != value {
                self.report(Defect::AliasConflict { at: below(at, name), other: first });
            }
        }
        let place = below(at, first);
        self.value(&place, &key.shape, value);
        let is_blank = value.as_str().is_some_and(|it| it.trim().is_empty());
        let blank = Defect::Blank { at: place };
        if key.presence == Presence::Required && is_blank && !self.defects.contains(&blank) {
            self.report(blank);
        }
    }

    fn value(&mut self, at: &str, shape: &'static Shape, value: &Value) {
        match shape {
            Shape::Truth => {
                if !value.is_boolean() {
                    self.wrong_type(at, Expected::Truth);
                }
            }
            Shape::Count => {
                if value.as_u64().is_none() {
                    self.wrong_type(at, Expected::Count);
                }
            }
            Shape::Text(form) => match value.as_str() {
                Some(text) => self.text(at, *form, text),
                None => self.wrong_type(at, Expected::Text),
            },
            Shape::Texts { each, most } => match value.as_array() {
                Some(list) => self.texts(at, *each, list, *most),
                None => self.wrong_type(at, Expected::Texts),
            },
            Shape::OneOrMoreTexts { each, most } => match value {
                Value::Array(list) => self.texts(at, *each, list, *most),
                Value::String(text) => self.text(at, *each, text),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                    self.wrong_type(at, Expected::OneOrMoreTexts);
                }
            },
            Shape::StoryId => match value.as_str() {
                Some(text) if text.trim().is_empty() => {}
                Some(text) if text.parse::<StoryId>().is_err() => {
                    self.report(Defect::StoryId { at: at.to_owned(), found: shorten(text) });
                }
                Some(_) => {}
                None => self.wrong_type(at, Expected::Text),
            },
            Shape::OneOf(words) => {
                if !value.as_str().is_some_and(|it| words.contains(&it)) {
                    self.wrong_type(at, Expected::OneOf(words));
                }
            }
            Shape::Object(keys) => match value.as_object() {
                Some(object) => self.object(at, object, keys, Among::All),
                None => self.wrong_type(at, Expected::Object),
            },
            Shape::Criteria { keys, most } => match value.as_object() {
                Some(object) => self.criteria(at, object, keys, *most),
                None => self.wrong_type(at, Expected::Object),
            },
            Shape::Explanations { keys, most } => match Explained::of(value) {
                Some(explained) => self.explanations(at, explained, keys, *most),
                None => self.wrong_type(at, Expected::Explanations),
            },
            Shape::Waiver => match value.as_bool() {
                Some(false) => {}
                Some(true) | None => self.report(Defect::Waiver { at: at.to_owned() }),
            },
        }
    }

    fn criteria(
        &mut self,
        at: &str,
        object: &Map<String, Value>,
        keys: &'static [Key],
        most: usize,
    ) {
        self.count(at, object.len(), most);
        let mut seen = BTreeSet::new();
        for (name, value) in object {
            let at = below(at, name);
            match name.parse::<CriterionId>() {
                Err(_) => self.report(Defect::UnknownCriterion { at: at.clone() }),
                Ok(id) if !seen.insert(id) => {
                    self.report(Defect::CriterionTwice { at: at.clone(), id });
                }
                Ok(_) => {}
            }
            match value.as_object() {
                Some(claim) => self.object(&at, claim, keys, Among::All),
                None => self.wrong_type(&at, Expected::Object),
            }
        }
    }

    fn explanations(
        &mut self,
        at: &str,
        explained: Explained<'_>,
        keys: &'static [Key],
        most: usize,
    ) {
        match explained {
            Explained::One(object) => self.object(at, object, keys, Among::All),
            Explained::List(list) => {
                self.count(at, list.len(), most);
                let mut seen = BTreeSet::new();
                for (index, value) in list.iter().enumerate() {
                    let at = below(at, &index.to_string());
                    let Some(object) = value.as_object() else {
                        self.wrong_type(&at, Expected::Object);
                        continue;
                    };
                    self.object(&at, object, keys, Among::All);
                    let file = object.get(FILE).and_then(Value::as_str).unwrap_or_default();
                    if !file.is_empty() && !seen.insert(file) {
                        self.report(Defect::FileTwice { at, file: shorten(file) });
                    }
                }
            }
            Explained::ByPath(object) => {
                self.count(at, object.len(), most);
                for (path, value) in object {
                    let at = below(at, path);
                    // The path is held against the same rules as one under the key.
                    if let Some(Key { shape: Shape::Text(form), .. }) =
                        keys.iter().find(|it| it.name == FILE)
                    {
                        self.text(&at, *form, path);
                    }
                    match value.as_object() {
                        Some(it) => self.object(&at, it, keys, Among::WithoutFile),
                        None => self.wrong_type(&at, Expected::Object),
                    }
                }
            }
        }
    }

    fn texts(&mut self, at: &str, each: TextForm, list: &[Value], most: usize) {
        self.count(at, list.len(), most);
        for (index, value) in list.iter().enumerate() {
            let at = below(at, &index.to_string());
            match value.as_str() {
                Some(text) => self.text(&at, each, text),
                None => self.wrong_type(&at, Expected::Text),
            }
        }
    }

    fn text(&mut self, at: &str, form: TextForm, text: &str) {
        let at = || at.to_owned();
        if text.chars().nth(form.most).is_some() {
            self.report(Defect::TooLong { at: at(), limit: form.most });
        }
        match form.kind {
            TextKind::Lines => {
                if text.contains('\0') {
                    self.report(Defect::ControlCharacter { at: at() });
                }
            }
            TextKind::Line | TextKind::Inside => {
                if text.chars().any(char::is_control) {
                    self.report(Defect::ControlCharacter { at: at() });
                }
                if text.trim().is_empty() {
                    self.report(Defect::Blank { at: at() });
                }
                if form.kind == TextKind::Inside && !is_inside(text) {
                    self.report(Defect::OutsidePath { at: at() });
                }
            }
        }
    }

    fn count(&mut self, at: &str, found: usize, limit: usize) {
        if found > limit {
            self.report(Defect::TooMany { at: at.to_owned(), found, limit });
        }
    }
}

/// The value under a key; `null` is none.
pub(crate) fn present(value: Option<&Value>) -> Option<&Value> {
    value.filter(|it| !it.is_null())
}

/// The JSON pointer of a key below a place.
fn below(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn is_text(value: Option<&Value>) -> bool {
    value.is_some_and(Value::is_string)
}

/// Whether a path stays below the root it is relative to, on every system.
fn is_inside(path: &str) -> bool {
    let mut parts = path.split(['/', '\\']);
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    !path.starts_with(['/', '\\', '~']) && !has_drive && parts.all(|it| it != "..")
}
