//! Checks of form: schemas, lengths, bands, equality, and a judge's calibration.

use std::{collections::BTreeMap, ops::RangeInclusive};

use provost_kernel::{Finding, shorten, task::TaskType};
use provost_rules_task::calibration::{CalibrationExpected, compare};
use serde_json::{Number, Value};

use super::{
    super::{
        path::{Place, Subject},
        suite::Suite,
    },
    Bands, Outcome,
    fault::{Allowed, Fault, SchemaError, shown},
};

/// How many errors of a schema are shown.
const SHOWN: usize = 20;

pub(super) fn schema(suite: &Suite, artifact: &str, subject: Subject<'_>) -> Outcome {
    let Some(validator) = suite.validators.get(artifact) else {
        return Fault::NoSchema { artifact: artifact.to_owned() }.into();
    };
    let Some(value) = subject.artifacts.get(artifact) else {
        return Fault::Missing { artifact: artifact.to_owned() }.into();
    };
    if validator.is_valid(value) {
        return Outcome::Pass;
    }
    let mut errors: Vec<_> = validator
        .iter_errors(value)
        .map(|error| SchemaError::At {
            path: error.instance_path().as_str().to_owned(),
            // Only the start of a value is shown: a report has no full texts and no secrets.
            error: shorten(&error.masked_with(shown(error.instance())).to_string()),
        })
        .take(SHOWN + 1)
        .collect();
    if errors.len() > SHOWN {
        errors.truncate(SHOWN);
        errors.push(SchemaError::More);
    }
    Fault::Schema { errors }.into()
}

pub(super) fn shape(
    lists: &BTreeMap<Place, (usize, Option<usize>)>,
    texts: &[Place],
    subject: Subject<'_>,
) -> Outcome {
    let mut faults = Vec::new();
    for (place, (min, max)) in lists {
        let at = place.as_str().to_owned();
        match length(place, subject) {
            Err(fault) => faults.push(fault),
            Ok(found) if found < *min || max.is_some_and(|it| found > it) => {
                let allowed = match max {
                    Some(max) if max == min => Allowed::Exactly(*min),
                    Some(max) => Allowed::Between(*min, *max),
                    None => Allowed::AtLeast(*min),
                };
                faults.push(Fault::Length { at, found, allowed });
            }
            Ok(_) => {}
        }
    }
    let is_blank = |it: &&Place| it.text(subject).is_none_or(|it| it.trim().is_empty());
    let blank = texts.iter().filter(is_blank);
    faults.extend(blank.map(|it| Fault::Blank { at: it.as_str().to_owned() }));
    verdict(faults)
}

pub(super) fn items(
    at: &Place,
    length: RangeInclusive<usize>,
    fields: &BTreeMap<String, usize>,
    subject: Subject<'_>,
) -> Outcome {
    let list = match list(at, subject) {
        Ok(list) => list,
        Err(fault) => return fault.into(),
    };
    let (mut faults, found) = (Vec::new(), list.len());
    if !length.contains(&found) {
        let allowed = Allowed::Between(*length.start(), *length.end());
        faults.push(Fault::Length { at: at.as_str().to_owned(), found, allowed });
    }
    for (number, item) in (1..).zip(list) {
        for (field, &least) in fields {
            let length =
                item.get(field).and_then(Value::as_str).map_or(0, |it| it.trim().chars().count());
            if length < least {
                faults.push(Fault::Short { number, field: field.clone(), length, least });
            }
        }
    }
    verdict(faults)
}

pub(super) fn band(
    label: &Place,
    number: &Place,
    tolerance: f64,
    bands: &Bands,
    subject: Subject<'_>,
) -> Outcome {
    let score = match self::number(number, subject) {
        Ok(score) => score,
        Err(fault) => return fault.into(),
    };
    let label = label.text(subject).unwrap_or_default();
    let Some((low, high)) = bands.get(label) else {
        return Fault::NoBand { label: shorten(label) }.into();
    };
    let (low, high) = (low.map(|it| it - tolerance), high.map(|it| it + tolerance));
    if low.is_none_or(|it| score >= it) && high.is_none_or(|it| score < it) {
        return Outcome::Pass;
    }
    let allowed = match (low, high) {
        (Some(low), Some(high)) => format!("{low} ≤ s < {high}"),
        (Some(low), None) => format!("s ≥ {low}"),
        (None, Some(high)) => format!("s < {high}"),
        (None, None) => String::new(),
    };
    Fault::Band { label: label.to_owned(), score, allowed }.into()
}

pub(super) fn range(at: &Place, allowed: RangeInclusive<f64>, subject: Subject<'_>) -> Outcome {
    match number(at, subject) {
        Err(fault) => fault.into(),
        Ok(found) if allowed.contains(&found) => Outcome::Pass,
        Ok(found) => {
            let (min, max) = (*allowed.start(), *allowed.end());
            Fault::Range { at: at.as_str().to_owned(), found, min, max }.into()
        }
    }
}

pub(super) fn equal(pairs: &[(Place, Place)], subject: Subject<'_>) -> Outcome {
    let faults = pairs.iter().flat_map(|(one, other)| {
        let at = |it: &Place| it.as_str().to_owned();
        match (one.value(subject), other.value(subject)) {
            (Some(left), Some(right)) if is_same(left, right) => Vec::new(),
            (Some(left), Some(right)) => vec![Fault::Unequal {
                one: at(one),
                left: shown(left),
                other: at(other),
                right: shown(right),
            }],
            // What is in neither place is not the same: nothing was compared.
            (left, right) => [(one, left), (other, right)]
                .into_iter()
                .filter(|(_, value)| value.is_none())
                .map(|(place, _)| Fault::Absent { at: at(place) })
                .collect(),
        }
    });
    verdict(faults.collect())
}

/// How alike two values have to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sameness {
    pub(super) tolerance: f64,
    pub(super) ignore_case: bool,
}

pub(super) fn equals(
    at: &Place,
    to: Option<&Place>,
    expected: Option<&Value>,
    same: Sameness,
    subject: Subject<'_>,
) -> Outcome {
    let place = |it: &Place| it.as_str().to_owned();
    let Some(expected) = expected else {
        return Fault::Absent { at: to.map(place).unwrap_or_default() }.into();
    };
    let Some(found) = at.value(subject) else { return Fault::Absent { at: place(at) }.into() };
    if is_alike(found, expected, same) {
        return Outcome::Pass;
    }
    let (at, found, shown_expected) = (place(at), shown(found), shown(expected));
    if same.tolerance > 0.0 {
        let tolerance = same.tolerance;
        return Fault::DiffersBy { at, found, expected: shown_expected, tolerance }.into();
    }
    Fault::Differs { at, found, expected: shown_expected }.into()
}

/// Whether two values are the same but for what may differ, at every depth.
fn is_alike(one: &Value, other: &Value, same: Sameness) -> bool {
    match (one, other) {
        (Value::Number(left), Value::Number(right)) => {
            let difference = left.as_f64().zip(right.as_f64()).map(|(l, r)| (l - r).abs());
            // 0.1 + 0.2 is within 0.3, whatever the last bit is.
            let slack = same.tolerance * 1e-9;
            is_same(one, other)
                || (same.tolerance > 0.0
                    && difference.is_some_and(|it| it <= same.tolerance + slack))
        }
        (Value::String(left), Value::String(right)) if same.ignore_case => {
            left.to_lowercase() == right.to_lowercase()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| is_alike(l, r, same))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, l)| right.get(key).is_some_and(|r| is_alike(l, r, same)))
        }
        (
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
        ) => is_same(one, other),
    }
}

/// Whether two values are the same; `1` and `1.0` are, at every depth.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(left), Value::Number(right)) => {
            // Large whole numbers differ although the nearest floats do not.
            let is_whole = |it: &Number| it.is_i64() || it.is_u64();
            if is_whole(left) && is_whole(right) {
                left == right
            } else {
                left.as_f64() == right.as_f64()
            }
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| is_same(l, r))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, l)| right.get(key).is_some_and(|r| is_same(l, r)))
        }
        (
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
        ) => one == other,
    }
}

fn list<'a>(at: &Place, subject: Subject<'a>) -> Result<&'a [Value], Fault> {
    let place = || at.as_str().to_owned();
    let value = at.value(subject).ok_or_else(|| Fault::Absent { at: place() })?;
    let list = value.as_array().map(Vec::as_slice);
    list.ok_or_else(|| Fault::NotAList { at: place(), found: shown(value) })
}

fn length(at: &Place, subject: Subject<'_>) -> Result<usize, Fault> {
    list(at, subject).map(<[Value]>::len)
}

fn number(at: &Place, subject: Subject<'_>) -> Result<f64, Fault> {
    let place = || at.as_str().to_owned();
    let value = at.value(subject).ok_or_else(|| Fault::Absent { at: place() })?;
    value.as_f64().ok_or_else(|| Fault::NotANumber { at: place(), found: shown(value) })
}

pub(super) fn calibrated(
    suite: &Suite,
    at: &Place,
    task_type: &Place,
    expected: &Place,
    subject: Subject<'_>,
) -> Outcome {
    let Some(yardstick) = &suite.yardstick else { return Fault::NoRubric.into() };
    let task_type = task_type.text(subject).and_then(|it| it.parse::<TaskType>().ok());
    let Some(task_type) = task_type else {
        return Fault::NoTaskType.into();
    };
    let expected = expected.value(subject).cloned().unwrap_or_default();
    let expected = serde_json::from_value::<CalibrationExpected>(expected).ok();
    let Some(expected) = expected.filter(|it| it.validate(yardstick.rubric.of(task_type)).is_ok())
    else {
        return Fault::NoExpectation.into();
    };
    let answer = at.value(subject).map(ToString::to_string).unwrap_or_default();
    let held = compare(yardstick, task_type, &expected, answer.as_bytes());
    let faults = held.findings.into_iter();
    let fault = |it: Finding| Fault::Calibration { subject: it.subject, message: it.message };
    verdict(faults.map(fault).collect())
}

/// Passes when there is no fault.
fn verdict(mut faults: Vec<Fault>) -> Outcome {
    match faults.len() {
        0 => Outcome::Pass,
        1 => faults.remove(0).into(),
        _ => Fault::Several { faults }.into(),
    }
}
