//! Reads tickets: one JSON object to a line, a label that is one of two, evidence that is there.
//!
//! What cannot be a ticket is refused by name; nothing is repaired and nothing is dropped without
//! a word. Evidence is kept as it was written: whoever shows it to a model quotes it.

mod evidence;
mod problem;

use std::collections::BTreeMap;

use provost_kernel::{
    Timestamp,
    learn::{Label, LabelSource, MissionName, Ticket, TicketKey},
};
use provost_rules::json::{self, Limits, shorten};
use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization as _;

pub use self::problem::TicketProblem;

/// Evidence may hold a large change; a line beyond this is a mistake.
const LIMITS: Limits = Limits { bytes: 8 * 1024 * 1024, depth: 32 };

/// The fields of a ticket.
const FIELDS: [&str; 15] = [
    "mission",
    "group_id",
    "label",
    "items",
    "per_image",
    "title",
    "context",
    "meta",
    "label_reason",
    "label_source",
    "label_timestamp",
    "labeler",
    "blind",
    "criteria_version",
    "split",
];

/// Reads one line; nothing for a blank one.
pub fn read_line(line: &[u8], mission: &MissionName) -> Result<Option<Ticket>, TicketProblem> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let line = line.trim_ascii_end();
    if line.is_empty() {
        return Ok(None);
    }
    let value = json::parse(line, LIMITS).map_err(TicketProblem::Json)?;
    let Value::Object(fields) = value else { return Err(TicketProblem::NotAnObject) };
    if let Some(problem) = fields.keys().find_map(|it| slip(it)) {
        return Err(problem);
    }
    let ticket = Fields(fields).ticket(mission)?;
    match leaking_field(&ticket) {
        Some(field) => Err(TicketProblem::LeaksLabel { field, key: ticket.key() }),
        None => Ok(Some(ticket)),
    }
}

/// Whether a text names a ticket by its key, which holds the label: in capitals, in wide letters or
/// with spaces around the colons, it is still the key to whoever reads it.
///
/// What is part of a longer name, such as `data::passed` for the group `a`, is another name.
pub(super) fn names_key(text: &str, key: &TicketKey) -> bool {
    if !text.contains(COLONS) {
        return false;
    }
    let (text, group) = (folded(text), folded(key.group().as_str()));
    let label = key.label().as_str();
    let joins = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.' | ':' | '/');
    let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let colons = text.match_indices(':').map(|(at, _)| text.split_at(at));
    let mut pairs = colons.filter_map(|(before, after)| Some((before, after.strip_prefix("::")?)));
    pairs.any(|(before, after)| {
        let before = before.trim_end().strip_suffix(group.as_str());
        let after = after.trim_start().strip_prefix(label);
        before.is_some_and(|it| !it.ends_with(joins))
            && after.is_some_and(|it| !it.starts_with(is_word))
    })
}

/// Everything whose plain form has a colon in it.
const COLONS: [char; 5] = [':', '\u{2a74}', '\u{fe13}', '\u{fe55}', '\u{ff1a}'];

/// A text without capitals, and without what looks different and reads the same.
fn folded(text: &str) -> String {
    plain(text).to_lowercase()
}

/// A text in its plain form, without letters that nobody sees.
pub(super) fn plain(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let is_seen =
        |it: &char| !matches!(it, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    text.nfkc().filter(is_seen).collect()
}

/// The field that would tell a model the label, if there is one.
fn leaking_field(ticket: &Ticket) -> Option<String> {
    let key = ticket.key();
    let items = ticket
        .items
        .iter()
        .flat_map(|it| [("items", it.name.as_str()), ("items", it.text.as_str())]);
    let title = ticket.title.iter().map(|it| ("title", it.as_str()));
    let context = ticket.context.iter().map(|it| ("context", it.as_str()));
    let meta = ticket.meta.values().map(|it| ("meta", it.as_str()));
    let mut texts = items.chain(title).chain(context).chain(meta);
    texts.find(|(_, text)| names_key(text, &key)).map(|(field, _)| field.to_owned())
}

/// An unknown field that is almost a known one: to pass over it would lose what a person meant.
/// Other unknown fields are left alone, for lines that another program wrote.
fn slip(field: &str) -> Option<TicketProblem> {
    if FIELDS.contains(&field) {
        return None;
    }
    let plain = field.to_lowercase().replace(['-', ' '], "_");
    // Of a short word, every second one is a slip of two letters.
    let is_slip =
        |known: &str| strsim::osa_distance(&plain, known) <= if known.len() > 5 { 2 } else { 1 };
    let meant = FIELDS.into_iter().find(|it| is_slip(it))?;
    Some(TicketProblem::UnknownField { field: shorten(field), meant })
}

/// The fields of a line, each read once.
struct Fields(Map<String, Value>);

impl Fields {
    fn ticket(mut self, mission: &MissionName) -> Result<Ticket, TicketProblem> {
        let found = self.required("mission")?;
        if found != mission.as_str() {
            return Err(TicketProblem::OtherMission { found: shorten(&found) });
        }
        let group = self.required("group_id")?.parse().map_err(TicketProblem::Group)?;
        Ok(Ticket {
            mission: mission.clone(),
            group,
            label: self.label()?,
            items: evidence::read(self.take("items"), self.take("per_image"))?,
            title: self.text("title")?,
            context: self.text("context")?,
            meta: self.meta()?,
            label_reason: self.text("label_reason")?,
            label_source: self.label_source()?,
            label_timestamp: self.label_timestamp()?,
            labeler: self.text("labeler")?,
            blind: self.flag("blind")?,
            criteria_version: self.text("criteria_version")?,
            split: match self.text("split")? {
                Some(word) => Some(word.parse().map_err(TicketProblem::Split)?),
                None => None,
            },
        })
    }

    /// The value of a field; `null` is no value.
    fn take(&mut self, field: &str) -> Option<Value> {
        self.0.remove(field).filter(|it| !it.is_null())
    }

    fn text(&mut self, field: &'static str) -> Result<Option<String>, TicketProblem> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(TicketProblem::WrongType { field }),
        }
    }

    fn required(&mut self, field: &'static str) -> Result<String, TicketProblem> {
        self.text(field)?.ok_or(TicketProblem::Missing { field })
    }

    fn flag(&mut self, field: &'static str) -> Result<Option<bool>, TicketProblem> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(TicketProblem::WrongType { field }),
        }
    }

    fn label(&mut self) -> Result<Label, TicketProblem> {
        let found = self.required("label")?;
        let label = found.trim().to_lowercase().parse();
        label.map_err(|_| TicketProblem::BadLabel { found: shorten(&found) })
    }

    fn label_source(&mut self) -> Result<LabelSource, TicketProblem> {
        match self.text("label_source")? {
            None => Ok(LabelSource::Human),
            // Who gave the label decides what it counts for, so that nobody is guessed.
            Some(text) if text.trim().is_empty() => {
                Err(TicketProblem::Missing { field: "label_source" })
            }
            // A person is one however they are spelt.
            Some(text) if text.trim().to_lowercase() == LabelSource::Human.as_str() => {
                Ok(LabelSource::Human)
            }
            Some(text) => Ok(text.into()),
        }
    }

    /// A time, as it was written; anything else is no time and is left out.
    fn label_timestamp(&mut self) -> Result<Option<String>, TicketProblem> {
        let is_time = |it: &String| {
            let [local, day] = [format!("{it}Z"), format!("{it}T00:00:00Z")];
            [it, &local, &day].into_iter().any(|it| it.parse::<Timestamp>().is_ok())
        };
        Ok(self.text("label_timestamp")?.filter(is_time))
    }

    fn meta(&mut self) -> Result<BTreeMap<String, String>, TicketProblem> {
        let text = |value: Value| match value {
            Value::String(text) => text,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => value.to_string(),
        };
        match self.take("meta") {
            None => Ok(BTreeMap::new()),
            Some(Value::Object(fields)) => {
                Ok(fields.into_iter().map(|(name, it)| (name, text(it))).collect())
            }
            Some(_) => Err(TicketProblem::WrongType { field: "meta" }),
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
