//! An update of a story: what an agent may send, and nothing else.
//!
//! One table of keys is behind all three: the parser, the schema that a tool offers, and the
//! sample that the prompt shows. The seed's spelling, the original's, and every form of an
//! explanation are read into one [`StoryUpdate`]; whatever is wrong is said at once.

pub(crate) mod form;
pub(crate) mod keys;
pub(crate) mod problem;
mod sample;
pub(crate) mod schema;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use provost_form::{Form, Limits, Problems};
use provost_kernel::story::{
    CriterionClaim, CriterionId, Explanation, GateClaim, GateKind, StoryUpdate,
};
use serde_json::{Map, Value};

use self::{
    form::{Explained, present},
    keys::{FILE, REASON, UPDATE},
};
pub use self::{
    problem::{UpdateError, UpdateProblem},
    sample::{SampleCall, sample},
    schema::schema,
};

/// More than the longest update that says something.
const LIMITS: Limits = Limits { bytes: 1024 * 1024, depth: 8 };

/// Reads an update.
pub fn parse(bytes: &[u8]) -> Result<StoryUpdate, UpdateError> {
    let form = Form::json(bytes, LIMITS);
    of_form(&form.map_err(|it| UpdateError(it.map(UpdateProblem::from).into()))?)
}

/// Reads an update that is already JSON, such as the arguments of a tool.
pub fn read(object: &Map<String, Value>) -> Result<StoryUpdate, UpdateError> {
    of_form(&Form::value(object.clone().into()))
}

fn of_form(form: &Form<'_>) -> Result<StoryUpdate, UpdateError> {
    let problems = Problems::default();
    form::check(&form.field(&problems), UPDATE);
    let update = if problems.is_empty() { form.root().as_object().and_then(update) } else { None };
    problems.into_result(update).map_err(UpdateError)
}

/// The update in an object that has the form of its table.
fn update(object: &Map<String, Value>) -> Option<StoryUpdate> {
    Some(StoryUpdate {
        story_id: text(object, "storyId")?.parse().ok()?,
        branch: text(object, "branch"),
        passes: truth(object, "passes")?,
        criteria: criteria(object),
        expected_files: present(object.get("expectedFiles")).map(texts),
        explanations: explanations(object),
        gates: gates(object),
        files_changed: present(object.get("filesChanged")).and_then(Value::as_u64),
        notes: text(object, "notes"),
        error: text(object, "error"),
        step: text(object, "step"),
    })
}

fn criteria(object: &Map<String, Value>) -> BTreeMap<CriterionId, CriterionClaim> {
    let claims = ["acStatus", "acEvidence"].iter().find_map(|it| present(object.get(*it)));
    let claims = claims.and_then(Value::as_object).into_iter().flatten();
    claims
        .filter_map(|(name, value)| Some((name.parse().ok()?, claim(value.as_object()?))))
        .collect()
}

fn claim(object: &Map<String, Value>) -> CriterionClaim {
    let list = |key| present(object.get(key)).map(texts).unwrap_or_default();
    CriterionClaim {
        passes: truth(object, "passes"),
        evidence: text(object, "evidence"),
        command: text(object, "command"),
        cwd: text(object, "cwd"),
        output: text(object, "output"),
        files: list("files"),
        tests: list("tests"),
        blocked_reason: text(object, "blockedReason"),
    }
}

/// Both lists of explanations as one: each file stands once, with all that is said of it.
fn explanations(object: &Map<String, Value>) -> Vec<Explanation> {
    let mut all: Vec<Explanation> = Vec::new();
    for key in ["scopeExplanation", "unexpectedFileExplanation"] {
        for it in present(object.get(key)).map(explained).unwrap_or_default() {
            match all.iter_mut().find(|other| other.file == it.file) {
                None => all.push(it),
                Some(other) => {
                    if other.reason != it.reason {
                        other.reason = format!("{} {}", other.reason, it.reason);
                    }
                    other.lines = other.lines.or(it.lines);
                }
            }
        }
    }
    all
}

fn explained(value: &Value) -> Vec<Explanation> {
    let one = |file: Option<String>, object: &Map<String, Value>| {
        Some(Explanation {
            file: file.or_else(|| text(object, FILE))?,
            reason: text(object, REASON)?,
            lines: present(object.get("lines")).and_then(Value::as_u64),
        })
    };
    let entry = |it: &Value| one(None, it.as_object()?);
    match Explained::of(value) {
        Some(Explained::List(list)) => list.iter().filter_map(entry).collect(),
        Some(Explained::One(object)) => one(None, object).into_iter().collect(),
        Some(Explained::ByPath(object)) => object
            .iter()
            .filter_map(|(path, it)| one(Some(path.clone()), it.as_object()?))
            .collect(),
        None => Vec::new(),
    }
}

fn gates(object: &Map<String, Value>) -> BTreeMap<GateKind, GateClaim> {
    let Some(gates) = object.get("hardGates").and_then(Value::as_object) else {
        return BTreeMap::new();
    };
    let kinds = [GateKind::Typecheck, GateKind::Build].into_iter();
    kinds
        .filter_map(|kind| {
            let gate = gates.get(kind.as_str())?.as_object()?;
            let (command, output) = (text(gate, "command"), text(gate, "output"));
            Some((kind, GateClaim { passed: truth(gate, "passed")?, command, output }))
        })
        .collect()
}

fn text(object: &Map<String, Value>, key: &str) -> Option<String> {
    object.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn truth(object: &Map<String, Value>, key: &str) -> Option<bool> {
    object.get(key).and_then(Value::as_bool)
}

/// A list of texts, or one text.
fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
