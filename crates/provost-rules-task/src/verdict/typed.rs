//! A verdict on a task with a type: the fields of the contract, held against the rubric.

use std::collections::BTreeMap;

use provost_kernel::task::{Decimal, HalfPoints, Score, TaskType};
use serde_json::{Map, Value};

use super::{
    Defect,
    fields::{Fields, Presence},
};
use crate::{reply::RubricReply, rubric::TypeRubric, strict::shorten};

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
    task_type: TaskType,
    rubric: &TypeRubric,
) -> Option<RubricReply> {
    let decision = fields.decision();
    let scores = fields.object("scores").map(|it| read_scores(fields, it, rubric));
    if let Some(weights) = fields.object("weights") {
        check_weights(fields, weights, rubric);
    }
    let raw = fields.number("raw_score_0_5", Presence::Required, 5);
    let penalty = fields.penalty();
    let rest = fields.number("final_score_0_5", Presence::Required, 5);
    let of_100 = fields.number("final_score_0_100", Presence::Required, 100);
    let gated = fields.truth("gated", Presence::Required);
    let gating_reasons = fields.texts("gating_reasons", Presence::Required);
    let top_issues = fields.texts("top_issues", Presence::Required);
    check_issues(fields, top_issues.as_deref());
    let fix_suggestions = fields.texts("fix_suggestions", Presence::Required);
    check_suggestions(fields, fix_suggestions.as_deref());
    fields.check_mode(Presence::Required);
    let index = |it: Decimal| u8::try_from(it.truncated()).ok();
    let deliverability =
        fields.number("deliverability_index_0_100", Presence::Optional, 100).and_then(index);
    let improvement =
        fields.number("improvement_potential_0_100", Presence::Optional, 100).and_then(index);
    let words = fields.words(Presence::Optional, decision);
    check_task_type(fields, task_type);
    check_schema_version(fields);
    // Sums are only looked at when what they are made of is right.
    if !fields.has_defects()
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

fn read_scores(
    fields: &mut Fields<'_>,
    scores: &Map<String, Value>,
    rubric: &TypeRubric,
) -> BTreeMap<String, HalfPoints> {
    check_dimensions(fields, "scores", scores, rubric);
    let mut read = BTreeMap::new();
    for (key, value) in scores {
        let field = format!("scores.{}", shorten(key));
        let points = fields.half_points(&field, value, HalfPoints::MAX);
        read.extend(points.map(|it| (key.clone(), it)));
    }
    read
}

/// The weights have to be the rubric's, so their sum needs no look.
fn check_weights(fields: &mut Fields<'_>, weights: &Map<String, Value>, rubric: &TypeRubric) {
    check_dimensions(fields, "weights", weights, rubric);
    for dimension in &rubric.dimensions {
        let Some(value) = weights.get(&dimension.key) else { continue };
        let expected = dimension.weight;
        match fields.weight(&dimension.key, value) {
            Some(found) if found != expected.into() => {
                let dimension = dimension.key.clone();
                fields.report(Defect::WrongWeight { dimension, found, expected });
            }
            Some(_) | None => {}
        }
    }
}

fn check_dimensions(
    fields: &mut Fields<'_>,
    field: &'static str,
    object: &Map<String, Value>,
    rubric: &TypeRubric,
) {
    let known = rubric.dimension_keys();
    for dimension in known.iter().filter(|it| !object.contains_key(**it)) {
        let dimension = (*dimension).to_owned();
        fields.report(Defect::MissingDimension { field, dimension });
    }
    for dimension in object.keys().filter(|it| !known.contains(&it.as_str())) {
        fields.report(Defect::UnknownDimension { field, dimension: shorten(dimension) });
    }
}

/// None at all is a contradiction and not a wrong count, so that it is left to that rule.
fn check_issues(fields: &mut Fields<'_>, issues: Option<&[String]>) {
    let issues = issues.unwrap_or_default();
    match issues.len() {
        0 => {}
        found if found < MIN_ISSUES => fields.report(Defect::TooFewIssues { found }),
        found if found > MAX_ISSUES => {
            fields.report(Defect::TooMany { field: "top_issues", found, limit: MAX_ISSUES });
        }
        _ => {}
    }
    for (index, it) in issues.iter().enumerate() {
        let field = format!("top_issues[{index}]");
        if it.trim().is_empty() {
            fields.report(Defect::Blank { field });
        } else if it.chars().count() > MAX_ISSUE_LENGTH {
            fields.report(Defect::TooLong { field, limit: MAX_ISSUE_LENGTH });
        }
    }
}

fn check_suggestions(fields: &mut Fields<'_>, suggestions: Option<&[String]>) {
    let suggestions = suggestions.unwrap_or_default();
    let found = suggestions.len();
    if found > MAX_SUGGESTIONS {
        fields.report(Defect::TooMany { field: "fix_suggestions", found, limit: MAX_SUGGESTIONS });
    }
    for (index, it) in suggestions.iter().enumerate() {
        if it.chars().count() > MAX_SUGGESTION_LENGTH {
            let field = format!("fix_suggestions[{index}]");
            fields.report(Defect::TooLong { field, limit: MAX_SUGGESTION_LENGTH });
        }
    }
}

/// The type comes from the task; a reply that names another one is about something else.
fn check_task_type(fields: &mut Fields<'_>, expected: TaskType) {
    let Some(text) = fields.text("task_type", Presence::Optional) else { return };
    if text.parse() != Ok(expected) {
        fields.report(Defect::WrongTaskType { found: shorten(text), expected });
    }
}

fn check_schema_version(fields: &mut Fields<'_>) {
    let Some(text) = fields.text("schema_version", Presence::Optional) else { return };
    if !matches!(text, "v1" | "v2") {
        fields.report(Defect::WrongSchemaVersion { found: shorten(text) });
    }
}

/// Each number has to follow from those before it, as the judge reported them.
fn check_sums(
    fields: &mut Fields<'_>,
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
            fields.report(Defect::WrongSum { field, found, expected });
        }
    }
}
