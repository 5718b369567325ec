//! Reads tickets: one JSON object to a line, a label that is one of two, evidence that is there.
//!
//! What cannot be a ticket is refused by name; nothing is repaired and nothing is dropped without
//! a word. Evidence is kept as it was written, because a prompt quotes it, but without secrets.

mod evidence;
mod problem;
mod secrets;

use std::collections::BTreeMap;

use provost_form::{
    Expected, Form, Invalid, Limits, Problem, ProblemKind, Problems, Shape as _, Table, flag,
    nearest::typo, text,
};
use provost_kernel::{
    Timestamp,
    learn::{GroupId, Label, LabelSource, MissionName, Split, Ticket, TicketKey},
    shorten,
};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

pub use self::problem::TicketProblem;

type Fields<'a> = Table<'a, TicketProblem>;

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

/// Reads one line; nothing for a blank one. Of several problems the first is named, without a
/// line: its number is that of the file, which the caller knows.
pub fn read_line(
    line: &[u8],
    mission: &MissionName,
) -> Result<Option<Ticket>, Problem<TicketProblem>> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let line = line.trim_ascii_end();
    if line.is_empty() {
        return Ok(None);
    }
    match read_form(line, mission) {
        Ok(ticket) => Ok(Some(ticket)),
        Err(invalid) => Err(Problem { line: None, ..invalid.into_first() }),
    }
}

fn read_form(line: &[u8], mission: &MissionName) -> Result<Ticket, Invalid<TicketProblem>> {
    let form = Form::json(line, LIMITS).map_err(|it| it.map(TicketProblem::from))?;
    let problems = Problems::default();
    let ticket = form.table(&problems).and_then(|mut fields| {
        let ticket = secrets::taken_out(ticket(&mut fields, mission)?);
        if let Some(kind) = secrets::kind_in(ticket.group.as_str()) {
            fields.report("group_id", TicketProblem::SecretInKey { kind });
        }
        if let Some(field) = leaking_field(&ticket) {
            let key = ticket.key();
            fields.report(field, TicketProblem::LeaksLabel { field: field.to_owned(), key });
        }
        Some(ticket)
    });
    problems.into_result(ticket)
}

/// Whether a text names a ticket by its key, which holds the label: in capitals, in wide letters or
/// with spaces around the colons, it is still the key to a reader.
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

/// A text in its plain form, without invisible letters.
pub(super) fn plain(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let is_seen =
        |it: &char| !matches!(it, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    text.nfkc().filter(is_seen).collect()
}

/// The field that would tell a model the label, if there is one.
fn leaking_field(ticket: &Ticket) -> Option<&'static str> {
    let key = ticket.key();
    let items = ticket
        .items
        .iter()
        .flat_map(|it| [("items", it.name.as_str()), ("items", it.text.as_str())]);
    let title = ticket.title.iter().map(|it| ("title", it.as_str()));
    let context = ticket.context.iter().map(|it| ("context", it.as_str()));
    let meta = ticket.meta.values().map(|it| ("meta", it.as_str()));
    let mut texts = items.chain(title).chain(context).chain(meta);
    texts.find(|(_, text)| names_key(text, &key)).map(|(field, _)| field)
}

/// Reads the fields in their order; nothing, and problems, if one that is needed is wrong.
fn ticket(fields: &mut Fields<'_>, mission: &MissionName) -> Option<Ticket> {
    fields.know(FIELDS);
    // A typo of a known field is refused: what a person meant would be lost. Other unknown fields
    // are left alone, for lines that another program wrote.
    for unknown in fields.unknown() {
        if let Some(meant) = typo(&unknown.key, FIELDS) {
            let nearest = meant.to_owned();
            unknown.field.report(ProblemKind::MisspelledKey { nearest });
        }
    }
    let is_mission = |found: String| {
        if found == mission.as_str() {
            Ok(())
        } else {
            Err(TicketProblem::OtherMission { found: shorten(&found) })
        }
    };
    let is_mission = fields.required("mission", text().and_then(is_mission));
    let group = |it: String| it.parse::<GroupId>().map_err(TicketProblem::Group);
    let group = fields.required("group_id", text().and_then(group));
    let label = fields.required("label", text().and_then(label));
    let items = evidence::read(fields);
    let split = |it: String| it.parse::<Split>().map_err(TicketProblem::Split);
    let ticket = Ticket {
        mission: mission.clone(),
        title: fields.optional("title", text()),
        context: fields.optional("context", text()),
        meta: meta(fields),
        label_reason: fields.optional("label_reason", text()),
        label_source: label_source(fields),
        label_timestamp: fields.optional("label_timestamp", text()).filter(|it| is_time(it)),
        labeler: fields.optional("labeler", text()),
        blind: fields.optional("blind", flag()),
        criteria_version: fields.optional("criteria_version", text()),
        split: fields.optional("split", text().and_then(split)),
        group: group?,
        label: label?,
        items: items?,
    };
    is_mission.map(|()| ticket)
}

fn label(found: String) -> Result<Label, TicketProblem> {
    let label = found.trim().to_lowercase().parse();
    label.map_err(|_| TicketProblem::BadLabel { found: shorten(&found) })
}

/// Who gave the label decides what it counts for, so a blank is refused and not guessed.
fn label_source(fields: &mut Fields<'_>) -> LabelSource {
    match fields.optional("label_source", text().filled()) {
        None => LabelSource::Human,
        // A person is one however they are spelt.
        Some(it) if it.trim().to_lowercase() == LabelSource::Human.as_str() => LabelSource::Human,
        Some(it) => it.into(),
    }
}

/// Whether a text is a time; any other text in the place of one is left out.
fn is_time(text: &str) -> bool {
    let [local, day] = [format!("{text}Z"), format!("{text}T00:00:00Z")];
    [text, &local, &day].into_iter().any(|it| it.parse::<Timestamp>().is_ok())
}

fn meta(fields: &mut Fields<'_>) -> BTreeMap<String, String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    };
    let Some(field) = fields.field("meta") else { return BTreeMap::new() };
    let Some(object) = field.value.as_object() else {
        field.mismatch(Expected::Map);
        return BTreeMap::new();
    };
    object.iter().map(|(name, it)| (name.clone(), text(it))).collect()
}

#[cfg(test)]
pub(super) mod tests;
