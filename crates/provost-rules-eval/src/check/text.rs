//! Checks of texts: what stands in them, and what matches.

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use super::{
    super::path::{Place, Subject},
    Outcome,
    fault::{Fault, shown, shown_text},
};

/// A regular expression, compiled where the suite is read.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern(Regex);

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Regex::new(&text).map(Self).map_err(|error| error.to_string())
    }
}

impl Pattern {
    /// Whether it matches the empty text, and so a part of every text.
    pub(super) fn is_open(&self) -> bool {
        self.0.is_match("")
    }
}

/// The texts of a check of what stands at a place.
pub(super) struct Wanted<'a> {
    pub(super) all: &'a [String],
    pub(super) any: &'a [String],
    pub(super) none: &'a [String],
    /// More of `all`: a text or a list of texts of the case.
    pub(super) from: Option<&'a Place>,
}

pub(super) fn contains(
    at: &Place,
    wanted: &Wanted<'_>,
    ignore_case: bool,
    subject: Subject<'_>,
) -> Option<Outcome> {
    let texts = texts(at, subject)?;
    let fold = |text: &str| if ignore_case { text.to_lowercase() } else { text.to_owned() };
    let folded: Vec<String> = texts.iter().map(|it| fold(it)).collect();
    let has = |needle: &str| folded.iter().any(|it| it.contains(&fold(needle)));
    let place = || at.as_str().to_owned();
    let mut all: Vec<String> = wanted.all.to_vec();
    if let Some(from) = wanted.from {
        match needles(from, subject) {
            Some(more) => all.extend(more),
            None => return Some(Fault::NoTexts { at: from.as_str().to_owned() }.into()),
        }
    }
    let missing: Vec<String> = all.iter().filter(|it| !has(it)).map(|it| shown_text(it)).collect();
    let found: Vec<String> =
        wanted.none.iter().filter(|it| has(it)).map(|it| shown_text(it)).collect();
    let text = || shown_text(&texts.join("\n"));
    Some(if !missing.is_empty() {
        Fault::NotContained { at: place(), missing, found: text() }.into()
    } else if !wanted.any.is_empty() && !wanted.any.iter().any(|it| has(it)) {
        let missing = wanted.any.iter().map(|it| shown_text(it)).collect();
        Fault::NoneContained { at: place(), missing, found: text() }.into()
    } else if !found.is_empty() {
        Fault::Contained { at: place(), unwanted: found, found: text() }.into()
    } else {
        Outcome::Pass
    })
}

pub(super) fn regex(
    at: &Place,
    pattern: &Pattern,
    absent: bool,
    subject: Subject<'_>,
) -> Option<Outcome> {
    let texts = texts(at, subject)?;
    let matched = texts.iter().find(|it| pattern.0.is_match(it));
    let (at, pattern) = (at.as_str().to_owned(), pattern.0.as_str().to_owned());
    Some(match (matched, absent) {
        (Some(_), false) | (None, true) => Outcome::Pass,
        (None, false) => {
            Fault::NoMatch { at, pattern, found: shown_text(&texts.join("\n")) }.into()
        }
        (Some(text), true) => Fault::Match { at, pattern, found: shown_text(text) }.into(),
    })
}

/// The texts at a place; what is not a text is looked at as JSON. Nothing where there is nothing.
fn texts(at: &Place, subject: Subject<'_>) -> Option<Vec<String>> {
    let values = at.values(subject)?;
    let text = |it: &Value| it.as_str().map_or_else(|| it.to_string(), str::to_owned);
    let texts: Vec<String> = values.into_iter().map(text).collect();
    (!texts.is_empty()).then_some(texts)
}

/// What the case says has to be there: a text, or a list of texts and numbers. An empty one would
/// be found everywhere.
fn needles(from: &Place, subject: Subject<'_>) -> Option<Vec<String>> {
    let values: Vec<&Value> = match from.value(subject) {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(value) => vec![value],
        None => from.values(subject)?,
    };
    let needle = |it: &Value| match it {
        Value::String(text) => Some(text.clone()).filter(|it| !it.is_empty()),
        Value::Number(_) | Value::Bool(_) => Some(shown(it)),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let needles: Option<Vec<String>> = values.into_iter().map(needle).collect();
    needles.filter(|it| !it.is_empty())
}
