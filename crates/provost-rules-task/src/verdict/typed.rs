//! A verdict on a task with a type: the fields of the contract, checked against the rubric.

use std::collections::BTreeMap;

use provost_form::{
    Bounds, Field, ProblemKind, Problems, Shape as _, Steps, choice, decimal, flag, list, steps,
    text, word,
};
use provost_kernel::{
    Decimal, shorten,
    task::{HalfPoints, Score, TaskType},
};

use super::{
    Defect,
    fields::{Fields, Presence, check_mode, words},
};
use crate::{reply::RubricReply, rubric::TypeRubric};

const MAX_ISSUES: usize = 5;
const MIN_ISSUES: usize = 2;
const MAX_ISSUE_LENGTH: usize = 120;
const MAX_SUGGESTIONS: usize = 5;
const MAX_SUGGESTION_LENGTH: usize = 160;
/// A sum may be off by rounding, not by more.
const SUM_TOLERANCE: Decimal = Decimal::ratio(5, 100);
const OF_100_TOLERANCE: Decimal = Decimal::ratio(1, 1);

/// The sums that a judge reports; they are checked and not kept.
struct Sums {
    raw: Option<Decimal>,
    rest: Option<Decimal>,
    of_100: Option<Decimal>,
}

pub(super) fn read(
    fields: &mut Fields<'_>,
    problems: &Problems<Defect>,
    task_type: TaskType,
    rubric: &TypeRubric,
) -> Option<RubricReply> {
    let decision = fields.required("decision", word());
    let scores = dimensions(fields, "scores", rubric).map(|it| read_scores(&it));
    if let Some(weights) = dimensions(fields, "weights", rubric) {
        check_weights(&weights, rubric);
    }
    let raw = fields.required("raw_score_0_5", decimal().within(0..=5));
    let penalty = fields.required("penalty", up_to(HalfPoints::MAX_PENALTY)).and_then(points);
    let rest = fields.required("final_score_0_5", decimal().within(0..=5));
    let of_100 = fields.required("final_score_0_100", decimal().within(0..=100));
    let gated = fields.required("gated", flag());
    let gating_reasons = fields.required("gating_reasons", list(text()));
    let top_issues = read_issues(fields);
    let suggestions = list(text().max(MAX_SUGGESTION_LENGTH)).max(MAX_SUGGESTIONS);
    let fix_suggestions = fields.required("fix_suggestions", suggestions);
    check_mode(fields, Presence::Required);
    let deliverability = read_index(fields, "deliverability_index_0_100");
    let improvement = read_index(fields, "improvement_potential_0_100");
    let words = words(fields, Presence::Optional, decision);
    // The type comes from the task; a reply that names another one is about something else.
    let is_type = |it: String| match it.parse::<TaskType>() {
        Ok(found) if found == task_type => Ok(()),
        Ok(_) | Err(_) => Err(Defect::WrongTaskType { found: shorten(&it), expected: task_type }),
    };
    fields.optional("task_type", text().and_then(is_type));
    fields.optional("schema_version", choice(&[("v1", ()), ("v2", ())]));
    // Sums are only checked when what they are made of is right.
    if problems.is_empty()
        && let (Some(scores), Some(penalty)) = (&scores, penalty)
    {
        check_sums(fields, scores, rubric, penalty, &Sums { raw, rest, of_100 });
    }
    Some(RubricReply {
        decision: decision?,
        scores: scores?,
        penalty: penalty?,
        gated: gated?,
        gating_reasons: gating_reasons?,
        top_issues: top_issues?,
        fix_suggestions: fix_suggestions?,
        deliverability_index_0_100: deliverability,
        improvement_potential_0_100: improvement,
        reasons: words.reasons,
        next_instructions: words.next_instructions,
        questions_for_user: words.questions_for_user,
    })
}

/// The values of an object that has exactly the dimensions of the rubric.
fn dimensions<'a>(
    fields: &mut Fields<'a>,
    key: &str,
    rubric: &TypeRubric,
) -> Option<BTreeMap<String, Field<'a, Defect>>> {
    let table = fields.required_table(key)?;
    let values: BTreeMap<_, _> = fields.field(key)?.entries()?.collect();
    let known = rubric.dimension_keys();
    for dimension in known.iter().filter(|it| !values.contains_key(**it)) {
        table.report(dimension, Defect::MissingDimension);
    }
    for (_, value) in values.iter().filter(|(it, _)| !known.contains(&it.as_str())) {
        value.report(Defect::UnknownDimension);
    }
    Some(values)
}

fn read_scores(scores: &BTreeMap<String, Field<'_, Defect>>) -> BTreeMap<String, HalfPoints> {
    let read = |(key, field): (&String, &Field<'_, Defect>)| {
        Some((key.clone(), field.read(&up_to(HalfPoints::MAX)).and_then(points)?))
    };
    scores.iter().filter_map(read).collect()
}

fn up_to(max: HalfPoints) -> Steps {
    steps(2, 0..=max.halves().into())
}

fn points(halves: i64) -> Option<HalfPoints> {
    u8::try_from(halves).ok().and_then(HalfPoints::new)
}

/// The weights have to be the rubric's, so their sum needs no check.
fn check_weights(weights: &BTreeMap<String, Field<'_, Defect>>, rubric: &TypeRubric) {
    for dimension in &rubric.dimensions {
        let Some(field) = weights.get(&dimension.key) else { continue };
        let expected = dimension.weight;
        match field.read(&decimal().within(0..=1)) {
            Some(found) if found != expected.into() => {
                field.report(Defect::WrongWeight { found, expected });
            }
            Some(_) | None => {}
        }
    }
}

/// An empty list is a contradiction and not a wrong count, so that it is left to that rule.
fn read_issues(fields: &mut Fields<'_>) -> Option<Vec<String>> {
    let field = fields.field("top_issues");
    let found = field.and_then(|it| it.value.as_array()).map_or(0, Vec::len);
    let bounds = Bounds::of(MIN_ISSUES, Some(MAX_ISSUES));
    if found > 0 && !bounds.contains(found) {
        fields.report("top_issues", ProblemKind::Count { found, bounds });
    }
    fields.required("top_issues", list(text().filled().max(MAX_ISSUE_LENGTH)))
}

fn read_index(fields: &mut Fields<'_>, key: &str) -> Option<u8> {
    let index = fields.optional(key, decimal().within(0..=100))?;
    u8::try_from(index.truncated()).ok()
}

/// Each number has to follow from those before it, as the judge reported them.
fn check_sums(
    fields: &Fields<'_>,
    scores: &BTreeMap<String, HalfPoints>,
    rubric: &TypeRubric,
    penalty: HalfPoints,
    sums: &Sums,
) {
    let (Some(raw), Some(rest), Some(of_100)) = (sums.raw, sums.rest, sums.of_100) else { return };
    let scored = rubric.dimensions.iter().filter_map(|it| Some((*scores.get(&it.key)?, it.weight)));
    for (field, found, expected, tolerance) in [
        ("raw_score_0_5", raw, Score::weighted(scored).into(), SUM_TOLERANCE),
        ("final_score_0_5", rest, raw.less_or_zero(penalty.into()), SUM_TOLERANCE),
        ("final_score_0_100", of_100, rest.times(20), OF_100_TOLERANCE),
    ] {
        if found.distance(expected) > tolerance {
            fields.report(field, Defect::WrongSum { found, expected });
        }
    }
}
