//! Checks of form: schemas, lengths, bands, equality, and a judge's calibration.

use std::{collections::BTreeMap, ops::RangeInclusive};

use provost_kernel::{Finding, shorten, task::TaskType};
use provost_rules_task::calibration::{CalibrationExpected, compare};
use serde_json::Value;

use super::{
    super::{
        path::{Place, Subject},
        suite::Suite,
    },
    Bands, Outcome,
    fault::{Allowed, Fault, SchemaError},
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
    // The values themselves are masked: a report has no full texts and no secrets.
    let mut errors: Vec<_> = validator
        .iter_errors(value)
        .map(|error| SchemaError::At {
            path: error.instance_path().as_str().to_owned(),
            error: shorten(&error.masked().to_string()),
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
        match place.value(subject).and_then(Value::as_array).map(Vec::len) {
            None => faults.push(Fault::NotAList { at }),
            Some(found) if found < *min || max.is_some_and(|it| found > it) => {
                let allowed = match max {
                    Some(max) if max == min => Allowed::Exactly(*min),
                    Some(max) => Allowed::Between(*min, *max),
                    None => Allowed::AtLeast(*min),
                };
                faults.push(Fault::Length { at, found, allowed });
            }
            Some(_) => {}
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
    let Some(list) = at.value(subject).and_then(Value::as_array) else {
        return Fault::NotAList { at: at.as_str().to_owned() }.into();
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
    let Some(score) = number.value(subject).and_then(Value::as_f64) else {
        return Fault::NotANumber { at: number.as_str().to_owned() }.into();
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
    match at.value(subject).and_then(Value::as_f64) {
        None => Fault::NotANumber { at: at.as_str().to_owned() }.into(),
        Some(found) if allowed.contains(&found) => Outcome::Pass,
        Some(found) => {
            let (min, max) = (*allowed.start(), *allowed.end());
            Fault::Range { at: at.as_str().to_owned(), found, min, max }.into()
        }
    }
}

pub(super) fn equal(pairs: &[(Place, Place)], subject: Subject<'_>) -> Outcome {
    let differ = pairs.iter().filter(|(one, other)| one.value(subject) != other.value(subject));
    let fault = |(one, other): &(Place, Place)| Fault::Unequal {
        one: one.as_str().to_owned(),
        other: other.as_str().to_owned(),
    };
    verdict(differ.map(fault).collect())
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
