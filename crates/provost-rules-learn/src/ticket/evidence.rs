//! The evidence of a ticket: pieces of text with a name, in the order in which they are shown.

use std::{collections::BTreeSet, fmt};

use provost_form::Expected;
use provost_kernel::{learn::Item, shorten};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Map, Value};

use super::{Fields, TicketProblem};

/// How many characters the name of a piece has at most.
const NAME: usize = 100;
/// What stands between the values of an opened object.
const SEPARATOR: &str = "，";

/// Reads `items`, or `per_image` as older files call it. There is one of them, and some text in it.
pub(super) fn read(fields: &mut Fields<'_>) -> Option<Vec<Item>> {
    let (field, items) = match (fields.field("items"), fields.field("per_image")) {
        (Some(_), Some(_)) => {
            fields.report("per_image", TicketProblem::TwoEvidenceFields);
            return None;
        }
        (None, None) => {
            fields.report("items", TicketProblem::NoItems);
            return None;
        }
        (Some(field), None) => match field.value {
            Value::Array(list) => {
                let items = list.iter().enumerate().map(|(at, it)| element(at + 1, it)).collect();
                (field, items)
            }
            Value::Object(named_texts) => (field, named(named_texts, str::to_owned)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                field.mismatch(Expected::Texts);
                return None;
            }
        },
        (None, Some(field)) => {
            let Some(named_texts) = field.value.as_object() else {
                field.mismatch(Expected::Map);
                return None;
            };
            (field, named(named_texts, opened))
        }
    };
    match items.and_then(checked) {
        Ok(items) => Some(items),
        Err(problem) => {
            field.report(problem);
            None
        }
    }
}

/// Some text, and no name twice.
fn checked(items: Vec<Item>) -> Result<Vec<Item>, TicketProblem> {
    if items.iter().all(|it| it.text.trim().is_empty()) {
        return Err(TicketProblem::NoItems);
    }
    let mut names = BTreeSet::new();
    match items.iter().find(|it| !names.insert(it.name.as_str())) {
        Some(twice) => Err(TicketProblem::DuplicateItem { name: shorten(&twice.name) }),
        None => Ok(items),
    }
}

/// One element of a list, counted from 1: a text, or a text with a name.
fn element(number: usize, value: &Value) -> Result<Item, TicketProblem> {
    let fail = || TicketProblem::BadItem { name: number.to_string() };
    match value {
        Value::String(text) => Ok(Item { name: format!("item_{number}"), text: text.clone() }),
        Value::Object(fields) => match (fields.get("name"), fields.get("text")) {
            (Some(Value::String(name)), Some(Value::String(text))) if fields.len() == 2 => {
                item(name.clone(), text.clone())
            }
            _ => Err(fail()),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => Err(fail()),
    }
}

/// The pieces of an object, `image_2` before `image_10`.
fn named(
    fields: &Map<String, Value>,
    text: impl Fn(&str) -> String,
) -> Result<Vec<Item>, TicketProblem> {
    let piece = |(name, value): (&String, &Value)| match value {
        Value::String(found) => item(name.clone(), text(found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Err(TicketProblem::BadItem { name: shorten(name) })
        }
    };
    let mut items: Vec<Item> = fields.iter().map(piece).collect::<Result<_, _>>()?;
    items.sort_by_cached_key(|it| (natural(&it.name), it.name.clone()));
    Ok(items)
}

fn item(name: String, text: String) -> Result<Item, TicketProblem> {
    let is_name = !name.trim().is_empty()
        && name.chars().count() <= NAME
        && !name.chars().any(|it| it.is_control() || matches!(it, '\u{2028}' | '\u{2029}'));
    if is_name {
        Ok(Item { name, text })
    } else {
        Err(TicketProblem::BadItem { name: shorten(&name.escape_debug().to_string()) })
    }
}

/// A text that is a JSON object or a JSON string, as what it says; any other text as it is.
///
/// Files with `per_image` hold what a model wrote of each image, now and then still in its JSON.
fn opened(text: &str) -> String {
    let trimmed = text.trim();
    let inner = if trimmed.starts_with('{') {
        serde_json::from_str::<Values>(trimmed).ok().map(|it| it.0.join(SEPARATOR))
    } else if trimmed.starts_with('"') {
        serde_json::from_str::<String>(trimmed).ok()
    } else {
        None
    };
    inner.unwrap_or_else(|| text.to_owned())
}

/// The values of an object as texts, in the order in which they stand there.
struct Values(Vec<String>);

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_map(InOrder)
    }
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Values;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Values, A::Error> {
        let mut values = Vec::new();
        while let Some((_, value)) = entries.next_entry::<String, Value>()? {
            values.push(match value {
                Value::String(text) => text,
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::Array(_)
                | Value::Object(_) => value.to_string(),
            });
        }
        Ok(Values(values))
    }
}

/// A part of a name, as people sort it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// How many digits it has without leading zeros, and those digits: so it has no upper limit.
    Number(usize, String),
    Text(String),
}

/// What sorts `step 9` before `step 10`.
fn natural(name: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let end = rest.find(|it: char| it.is_ascii_digit() != is_digit).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        parts.push(if is_digit {
            let digits = part.trim_start_matches('0');
            Part::Number(digits.len(), digits.to_owned())
        } else {
            Part::Text(part.to_owned())
        });
        rest = after;
    }
    parts
}
