//! The sample call that an agent is shown, made from the table that the parser reads.

use std::fmt::Write as _;

use provost_kernel::story::{CriterionId, StoryId};
use serde_json::Value;

use super::keys::{Key, Literal, Sample, Shape, UPDATE};

/// What the sample is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleCall<'a> {
    pub story: &'a StoryId,
    /// The criteria that are claimed; without one, the sample shows the first.
    pub criteria: &'a [CriterionId],
    /// A command that could prove one of them.
    pub command: Option<&'a str>,
}

/// Writes a sample update, in the order of the table.
pub fn sample(call: &SampleCall<'_>) -> String {
    let mut text = String::new();
    object(&mut text, call, UPDATE, 0);
    text
}

fn object(text: &mut String, call: &SampleCall<'_>, keys: &[Key], depth: usize) {
    let shown = keys.iter().filter(|it| !matches!(it.sample, Sample::Hidden));
    let entries = shown.map(|key| {
        let mut value = String::new();
        write_value(&mut value, call, key, depth + 1);
        (key.name.to_owned(), value)
    });
    braces(text, entries, depth);
}

fn write_value(text: &mut String, call: &SampleCall<'_>, key: &Key, depth: usize) {
    match key.sample {
        Sample::Hidden => {}
        Sample::Story => text.push_str(&quoted(call.story.as_str())),
        Sample::Literal(Literal::Text(_)) if key.name == "command" && call.command.is_some() => {
            text.push_str(&quoted(call.command.unwrap_or_default()));
        }
        Sample::Literal(literal) => text.push_str(&literal_text(literal)),
        Sample::Criterion => {
            let first = CriterionId::try_from(1).ok();
            let fallback: Vec<CriterionId> = first.into_iter().collect();
            let criteria = if call.criteria.is_empty() { &fallback } else { call.criteria };
            let entries = criteria.iter().map(|id| {
                let mut value = String::new();
                object(&mut value, call, nested(&key.shape), depth + 1);
                (id.to_string(), value)
            });
            braces(text, entries, depth);
        }
        Sample::Path(path) => {
            let mut value = String::new();
            object(&mut value, call, nested(&key.shape), depth + 1);
            braces(text, std::iter::once((path.to_owned(), value)), depth);
        }
    }
}

fn braces(text: &mut String, entries: impl Iterator<Item = (String, String)>, depth: usize) {
    let inner = "  ".repeat(depth + 1);
    text.push('{');
    for (index, (name, value)) in entries.enumerate() {
        let comma = if index == 0 { "" } else { "," };
        // A String takes whatever is written into it.
        let _ = write!(text, "{comma}\n{inner}{}: {value}", quoted(&name));
    }
    let _ = write!(text, "\n{}}}", "  ".repeat(depth));
}

fn nested(shape: &Shape) -> &'static [Key] {
    match shape {
        Shape::Object(keys) | Shape::Criteria { keys, .. } | Shape::Explanations { keys, .. } => {
            keys
        }
        Shape::Truth
        | Shape::Count
        | Shape::Text(_)
        | Shape::Texts { .. }
        | Shape::OneOrMoreTexts { .. }
        | Shape::StoryId
        | Shape::OneOf(_)
        | Shape::Waiver => &[],
    }
}

fn literal_text(literal: Literal) -> String {
    match literal {
        Literal::Truth(it) => it.to_string(),
        Literal::Count(it) => it.to_string(),
        Literal::Text(it) => quoted(it),
        Literal::Texts(list) => {
            let texts: Vec<_> = list.iter().map(|it| quoted(it)).collect();
            format!("[{}]", texts.join(", "))
        }
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
