//! Checks of form: schemas, lengths, bands, equality, and a judge's calibration.

use std::{collections::BTreeMap, ops::RangeInclusive};

use provost_kernel::{Lang, task::TaskType};
use provost_rules::json::shorten;
use provost_rules_task::calibration::{CalibrationExpected, hold};
use serde_json::Value;

use super::{
    super::{
        number::n,
        path::{Place, Subject},
        suite::Suite,
    },
    Bands, Outcome,
};

/// How many errors of a schema are shown.
const SHOWN: usize = 20;

pub(super) fn schema(suite: &Suite, artifact: &str, subject: Subject<'_>, lang: Lang) -> Outcome {
    let Some(validator) = suite.validators.get(artifact) else {
        return Outcome::Fail(lang.pick("there is no schema", "没有 schema").to_owned());
    };
    let Some(value) = subject.artifacts.get(artifact) else {
        let text = lang.pick(format!("`{artifact}` is missing"), format!("缺少 `{artifact}`"));
        return Outcome::Fail(text);
    };
    if validator.is_valid(value) {
        return Outcome::Pass;
    }
    // The values themselves are masked: a report has no full texts and no secrets.
    let mut lines: Vec<_> = validator
        .iter_errors(value)
        .map(|error| {
            format!("{}: {}", error.instance_path().as_str(), shorten(&error.masked().to_string()))
        })
        .take(SHOWN + 1)
        .collect();
    if lines.len() > SHOWN {
        lines.truncate(SHOWN);
        lines.push(lang.pick("and more", "以及更多").to_owned());
    }
    Outcome::Fail(lines.join("; "))
}

pub(super) fn shape(
    lists: &BTreeMap<Place, (usize, Option<usize>)>,
    texts: &[Place],
    subject: Subject<'_>,
    lang: Lang,
) -> Outcome {
    let mut faults = Vec::new();
    for (place, (min, max)) in lists {
        let name = place.as_str();
        match place.value(subject).and_then(Value::as_array).map(Vec::len) {
            None => faults.push(not_a(name, "list", "列表", lang)),
            Some(found) if found < *min || max.is_some_and(|it| found > it) => {
                let allowed = match max {
                    Some(max) if max == min => format!("{min}"),
                    Some(max) => format!("{min}..{max}"),
                    None => lang.pick(format!("at least {min}"), format!("至少 {min}")),
                };
                faults.push(lang.pick(
                    format!("{name} has {}, expected {allowed}", n(found, "item", "items")),
                    format!("{name} 有 {found} 项,应为 {allowed}"),
                ));
            }
            Some(_) => {}
        }
    }
    for place in texts {
        if place.text(subject).is_none_or(|it| it.trim().is_empty()) {
            faults.push(
                lang.pick(
                    format!("{} is blank", place.as_str()),
                    format!("{} 为空", place.as_str()),
                ),
            );
        }
    }
    verdict(faults)
}

pub(super) fn items(
    at: &Place,
    length: RangeInclusive<usize>,
    fields: &BTreeMap<String, usize>,
    subject: Subject<'_>,
    lang: Lang,
) -> Outcome {
    let Some(list) = at.value(subject).and_then(Value::as_array) else {
        return Outcome::Fail(not_a(at.as_str(), "list", "列表", lang));
    };
    let (mut faults, found) = (Vec::new(), list.len());
    if !length.contains(&found) {
        let (min, max) = (length.start(), length.end());
        faults.push(lang.pick(
            format!("the list has {}, expected {min}..{max}", n(found, "item", "items")),
            format!("有 {found} 项,应为 {min}..{max}"),
        ));
    }
    for (number, item) in (1..).zip(list) {
        for (field, &least) in fields {
            let length =
                item.get(field).and_then(Value::as_str).map_or(0, |it| it.trim().chars().count());
            if length < least {
                faults.push(lang.pick(
                    format!(
                        "item {number}: `{field}` has {}, expected at least {least}",
                        n(length, "character", "characters")
                    ),
                    format!("第 {number} 项:`{field}` 有 {length} 个字符,至少应有 {least} 个"),
                ));
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
    lang: Lang,
) -> Outcome {
    let Some(score) = number.value(subject).and_then(Value::as_f64) else {
        return Outcome::Fail(not_a(number.as_str(), "number", "数字", lang));
    };
    let label = label.text(subject).unwrap_or_default();
    let Some((low, high)) = bands.get(label) else {
        let label = shorten(label);
        let text = lang.pick(format!("`{label}` has no band"), format!("`{label}` 没有对应区间"));
        return Outcome::Fail(text);
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
    Outcome::Fail(lang.pick(
        format!("{label} but score {score} (allowed {allowed})"),
        format!("{label} 与得分 {score} 不符(允许 {allowed})"),
    ))
}

pub(super) fn range(
    at: &Place,
    allowed: RangeInclusive<f64>,
    subject: Subject<'_>,
    lang: Lang,
) -> Outcome {
    match at.value(subject).and_then(Value::as_f64) {
        None => Outcome::Fail(not_a(at.as_str(), "number", "数字", lang)),
        Some(found) if allowed.contains(&found) => Outcome::Pass,
        Some(found) => {
            let (name, min, max) = (at.as_str(), allowed.start(), allowed.end());
            Outcome::Fail(lang.pick(
                format!("{name} is {found}, expected {min} to {max}"),
                format!("{name} 为 {found},应在 {min} 到 {max} 之间"),
            ))
        }
    }
}

pub(super) fn equal(pairs: &[(Place, Place)], subject: Subject<'_>, lang: Lang) -> Outcome {
    let differ = pairs.iter().filter(|(one, other)| one.value(subject) != other.value(subject));
    let faults = differ.map(|(one, other)| {
        let (one, other) = (one.as_str(), other.as_str());
        lang.pick(format!("{one} is not {other}"), format!("{one} 与 {other} 不同"))
    });
    verdict(faults.collect())
}

pub(super) fn calibrated(
    suite: &Suite,
    at: &Place,
    task_type: &Place,
    expected: &Place,
    subject: Subject<'_>,
    lang: Lang,
) -> Outcome {
    let cannot = |en: &str, zh: &str| Outcome::Fail(lang.pick(en, zh).to_owned());
    let Some(yardstick) = &suite.yardstick else {
        return cannot("there is no rubric", "没有评分标准");
    };
    let task_type = task_type.text(subject).and_then(|it| it.parse::<TaskType>().ok());
    let Some(task_type) = task_type else {
        return cannot("the case has no known task type", "用例没有已知的任务类型");
    };
    let expected = expected.value(subject).cloned().unwrap_or_default();
    let expected = serde_json::from_value::<CalibrationExpected>(expected).ok();
    let Some(expected) = expected.filter(|it| it.validate(yardstick.rubric.of(task_type)).is_ok())
    else {
        return cannot("the case does not say what is expected", "用例没有说明预期");
    };
    let answer = at.value(subject).map(ToString::to_string).unwrap_or_default();
    let held = hold(yardstick, task_type, &expected, answer.as_bytes(), lang);
    verdict(held.findings.iter().map(|it| format!("{}: {}", it.subject, it.message)).collect())
}

/// Passes when there is no fault.
fn verdict(faults: Vec<String>) -> Outcome {
    if faults.is_empty() { Outcome::Pass } else { Outcome::Fail(faults.join("; ")) }
}

fn not_a(name: &str, en: &str, zh: &str, lang: Lang) -> String {
    lang.pick(format!("{name} is not a {en}"), format!("{name} 不是{zh}"))
}
