//! Calibration: whether a judge still scores a known document as it should.
//!
//! A case names a document and a type; what is expected of it are ranges. One function compares a
//! reply with them, so that a command and an eval agree (LOOP-U1).

use std::collections::BTreeMap;

use provost_kernel::{
    Decimal, Finding, Message, Severity,
    task::{ScoringMode, TaskType},
};
use serde::Deserialize;

use super::{
    reply::{Reply, RubricReply},
    rubric::TypeRubric,
    score::{MachineFacts, Recomputed, recompute},
    verdict::{Judged, VerdictResult, Yardstick, validate},
};

/// A document that is judged.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CalibrationCase {
    pub case_id: String,
    #[serde(default)]
    pub description: String,
    /// Relative to the folder of the type.
    pub input_doc_path: String,
    pub task_type: TaskType,
    #[serde(default)]
    pub calibration_version: String,
    #[serde(default)]
    pub notes: String,
}

/// What a judge that is right says of it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CalibrationExpected {
    pub case_id: String,
    #[serde(default)]
    pub description: String,
    /// The least and the most of each dimension; both are allowed.
    pub scores_ranges: BTreeMap<String, [Decimal; 2]>,
    pub gated: bool,
    pub top_issues_count: CountRange,
    #[serde(default)]
    pub notes: String,
}

/// How many there may be; both ends are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct CountRange {
    pub min: usize,
    pub max: usize,
}

/// What one answer of a judge amounts to: a reliable judge gives the same each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(
    code = "task.calibration.class",
    en = "{class}",
    zh = "{class}",
    arg(class = [result.text(), Gate::of(*gated).text(), Range::of(*is_in_range).text()])
)]
pub struct VerdictClass {
    pub result: VerdictResult,
    /// None for an answer that is not a verdict.
    pub gated: Option<bool>,
    pub is_in_range: bool,
}

#[derive(Debug, Message)]
#[message(code = "task.calibration.gate")]
enum Gate {
    #[message(en = "gated", zh = "触发门槛")]
    Gated,
    #[message(en = "not gated", zh = "未触发门槛")]
    NotGated,
    #[message(en = "no verdict", zh = "不是裁决")]
    NoVerdict,
}

#[derive(Debug, Message)]
#[message(code = "task.calibration.range")]
enum Range {
    #[message(en = "in range", zh = "在范围内")]
    Inside,
    #[message(en = "out of range", zh = "超出范围")]
    Outside,
}

/// One answer of a judge, compared with what is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    pub class: VerdictClass,
    /// Nothing when the judge is calibrated.
    pub findings: Vec<Finding>,
}

/// Why an expectation cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.calibration.expected")]
pub enum ExpectedError {
    #[message(
        en = "`scores_ranges` has the unknown dimension `{0}`",
        zh = "`scores_ranges` 中的维度 `{0}` 未知"
    )]
    UnknownDimension(String),
    #[message(
        en = "`scores_ranges` lacks the dimension `{0}`",
        zh = "`scores_ranges` 缺少维度 `{0}`"
    )]
    MissingDimension(String),
    #[message(en = "the range of `{0}` is empty", zh = "`{0}` 的范围为空")]
    EmptyRange(String),
}

/// How an answer differs from what is expected.
#[derive(Debug, Message)]
#[message(code = "task.calibration")]
enum Deviation {
    #[message(
        en = "the score is {score}, expected {least} to {most}",
        zh = "得分为 {score}，应为 {least} 到 {most}"
    )]
    Score { score: Decimal, least: Decimal, most: Decimal },
    #[message(
        en = "missing score, expected {least} to {most}",
        zh = "缺少得分，应为 {least} 到 {most}"
    )]
    NoScore { least: Decimal, most: Decimal },
    #[message(
        en = "gated is {found}, expected {expected}",
        zh = "`gated` 为 {found}，应为 {expected}"
    )]
    Gated { found: bool, expected: bool },
    #[message(
        en = "{count} {count:issue|issues}, expected {min} to {max}",
        zh = "有 {count} 个问题，应为 {min} 到 {max} 个"
    )]
    Issues { count: usize, min: usize, max: usize },
    #[message(
        en = "answer 1 is {first}, answer {number} is {other}",
        zh = "第 1 次回答{first}，第 {number} 次回答{other}"
    )]
    Unstable { first: VerdictClass, number: usize, other: VerdictClass },
}

/// Compares an answer of a judge with what is expected of its document: whether it is a verdict,
/// what its scores amount to, and whether that is in range.
pub fn compare(
    yardstick: &Yardstick,
    task_type: TaskType,
    expected: &CalibrationExpected,
    answer: &[u8],
) -> Compared {
    let judged = Judged {
        task_type: Some(task_type),
        scoring_mode: ScoringMode::RubricAnalytic,
        needs_score: false,
    };
    let assessment = validate(answer, yardstick, judged);
    let mut findings = assessment.findings();
    let result = assessment.result();
    let Some(Reply::Rubric(reply)) = &assessment.reply else {
        let class = VerdictClass { result, gated: None, is_in_range: false };
        return Compared { class, findings };
    };
    let rubric = yardstick.rubric.of(task_type);
    // A document alone was judged: there is no test and no change that facts could be about.
    let recomputed = recompute(reply, rubric, &MachineFacts::default());
    let outside = check(expected, reply, &recomputed);
    let class =
        VerdictClass { result, gated: Some(recomputed.gated), is_in_range: outside.is_empty() };
    findings.extend(outside);
    Compared { class, findings }
}

/// Finds a judge that changes its mind: its answers to one request are not of one class.
pub fn check_repeats(classes: &[VerdictClass]) -> Option<Finding> {
    let (&first, others) = classes.split_first()?;
    let (number, &other) = (2..).zip(others).find(|(_, it)| **it != first)?;
    Some(finding("repeat", &Deviation::Unstable { first, number, other }))
}

impl CalibrationExpected {
    /// Checks that every dimension of the rubric has a range, and that something lies in each.
    pub fn validate(&self, rubric: &TypeRubric) -> Result<(), ExpectedError> {
        let known = rubric.dimension_keys();
        let mut named = self.scores_ranges.keys();
        if let Some(key) = named.find(|it| !known.contains(&it.as_str())) {
            return Err(ExpectedError::UnknownDimension(key.clone()));
        }
        if let Some(key) = known.into_iter().find(|it| !self.scores_ranges.contains_key(*it)) {
            return Err(ExpectedError::MissingDimension(key.to_owned()));
        }
        let mut ranges = self.scores_ranges.iter();
        if let Some((key, _)) = ranges.find(|(_, [least, most])| least > most) {
            return Err(ExpectedError::EmptyRange(format!("scores_ranges.{key}")));
        }
        if self.top_issues_count.min > self.top_issues_count.max {
            return Err(ExpectedError::EmptyRange("top_issues_count".to_owned()));
        }
        Ok(())
    }
}

impl Gate {
    fn of(gated: Option<bool>) -> Self {
        match gated {
            Some(true) => Self::Gated,
            Some(false) => Self::NotGated,
            None => Self::NoVerdict,
        }
    }
}

impl Range {
    fn of(is_in_range: bool) -> Self {
        if is_in_range { Self::Inside } else { Self::Outside }
    }
}

/// Where a reply is not what was expected; nothing when the judge is calibrated.
pub fn check(
    expected: &CalibrationExpected,
    reply: &RubricReply,
    recomputed: &Recomputed,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (dimension, &[least, most]) in &expected.scores_ranges {
        let found = reply.scores.get(dimension).map(|&it| Decimal::from(it));
        if found.is_some_and(|it| (least..=most).contains(&it)) {
            continue;
        }
        let deviation = match found {
            Some(score) => Deviation::Score { score, least, most },
            None => Deviation::NoScore { least, most },
        };
        findings.push(finding(format!("scores.{dimension}"), &deviation));
    }
    if recomputed.gated != expected.gated {
        let deviation = Deviation::Gated { found: recomputed.gated, expected: expected.gated };
        findings.push(finding("gated", &deviation));
    }
    let CountRange { min, max } = expected.top_issues_count;
    let count = reply.top_issues.len();
    if !(min..=max).contains(&count) {
        findings.push(finding("top_issues", &Deviation::Issues { count, min, max }));
    }
    findings
}

fn finding(subject: impl Into<String>, deviation: &Deviation) -> Finding {
    Finding::new("task.calibration", Severity::P0, subject, deviation)
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Lang,
        task::{HalfPoints, VerdictDecision},
    };
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        rubric::Rubric,
        score::{MachineFacts, recompute},
    };

    /// A reply that scores 4 everywhere and names two issues.
    fn reply() -> RubricReply {
        let rubric = Rubric::embedded().unwrap();
        let keys = rubric.of(TaskType::RequirementsDoc).dimension_keys();
        RubricReply {
            decision: VerdictDecision::Pass,
            scores: keys.iter().map(|&it| (it.to_owned(), HalfPoints::new(8).unwrap())).collect(),
            penalty: HalfPoints::ZERO,
            gated: false,
            gating_reasons: Vec::new(),
            top_issues: vec!["a".to_owned(), "b".to_owned()],
            fix_suggestions: Vec::new(),
            deliverability_index_0_100: None,
            improvement_potential_0_100: None,
            reasons: Vec::new(),
            next_instructions: String::new(),
            questions_for_user: Vec::new(),
        }
    }

    #[track_caller]
    fn check(patch: &Value, reply: &RubricReply, expected: &[&str]) {
        let mut object = json!({
            "case_id": "c1", "scores_ranges": {"clarity": [4, 4]}, "gated": false,
            "top_issues_count": {"min": 2, "max": 2},
        });
        object.as_object_mut().unwrap().extend(patch.as_object().unwrap().clone());
        let case: CalibrationExpected = serde_json::from_value(object).unwrap();
        let rubric = Rubric::embedded().unwrap();
        let rubric = rubric.of(TaskType::RequirementsDoc);
        let recomputed = recompute(reply, rubric, &MachineFacts::default());
        let findings = super::check(&case, reply, &recomputed);
        let lines: Vec<_> =
            findings.iter().map(|it| format!("{}: {}", it.subject, it.message)).collect();
        assert_eq!(lines, expected);
    }

    /// LOOP-U1: ranges include their ends; gate and number of issues are held as well.
    #[test]
    fn a_reply_outside_its_ranges_is_found() {
        let ranges = |least: f64, most: f64| json!({"scores_ranges": {"clarity": [least, most]}});
        check(&json!({}), &reply(), &[]);
        check(&ranges(3.5, 5.0), &reply(), &[]);
        check(&ranges(4.5, 5.0), &reply(), &["scores.clarity: the score is 4, expected 4.5 to 5"]);
        check(&ranges(0.0, 3.5), &reply(), &["scores.clarity: the score is 4, expected 0 to 3.5"]);
        check(
            &json!({"scores_ranges": {"beauty": [0, 5]}}),
            &reply(),
            &["scores.beauty: missing score, expected 0 to 5"],
        );
        check(&json!({"gated": true}), &reply(), &["gated: gated is false, expected true"]);
        let gated = RubricReply { gated: true, ..reply() };
        check(&json!({}), &gated, &["gated: gated is true, expected false"]);
        check(&json!({"gated": true}), &gated, &[]);
        let count = |min: usize, max: usize| json!({"top_issues_count": {"min": min, "max": max}});
        check(&count(0, 5), &reply(), &[]);
        check(&count(3, 5), &reply(), &["top_issues: 2 issues, expected 3 to 5"]);
        check(&count(0, 1), &reply(), &["top_issues: 2 issues, expected 0 to 1"]);
    }

    /// A whole verdict as a judge writes it: every score the same but the first.
    fn answer(first: f64, rest: f64) -> Value {
        let rubric = Rubric::embedded().unwrap();
        let rubric = rubric.of(TaskType::RequirementsDoc);
        let scores: BTreeMap<_, _> = rubric
            .dimension_keys()
            .into_iter()
            .enumerate()
            .map(|(at, key)| (key, if at == 0 { first } else { rest }))
            .collect();
        let weights: BTreeMap<_, _> =
            rubric.dimensions.iter().map(|it| (it.key.as_str(), it.weight)).collect();
        let raw = rest + 0.18 * (first - rest);
        json!({
            "decision": "FAIL", "scoring_mode_used": "rubric_analytic", "scores": scores,
            "weights": weights, "raw_score_0_5": raw, "penalty": 0, "final_score_0_5": raw,
            "final_score_0_100": 20.0 * raw, "gated": false, "gating_reasons": [],
            "top_issues": ["a", "b"], "fix_suggestions": [], "reasons": ["c"],
            "next_instructions": "d",
        })
    }

    fn expected() -> CalibrationExpected {
        let rubric = Rubric::embedded().unwrap();
        let keys = rubric.of(TaskType::RequirementsDoc).dimension_keys();
        let range = [Decimal::ratio(2, 1), Decimal::ratio(4, 1)];
        CalibrationExpected {
            case_id: "c1".to_owned(),
            description: String::new(),
            scores_ranges: keys.into_iter().map(|it| (it.to_owned(), range)).collect(),
            gated: false,
            top_issues_count: CountRange { min: 2, max: 3 },
            notes: String::new(),
        }
    }

    fn compared(answer: &str) -> Compared {
        let yardstick = Yardstick::embedded().unwrap();
        compare(&yardstick, TaskType::RequirementsDoc, &expected(), answer.as_bytes())
    }

    /// LOOP-U1: an answer goes through the validator, the arithmetic and the ranges, so that a
    /// judge whose verdict would not count is not calibrated either.
    #[test]
    fn an_answer_is_validated_recomputed_and_held_against_its_ranges() {
        use VerdictResult::{Inconsistent, Invalid, Valid};
        let check = |answer: &str, result, gated, is_in_range, expected: &[&str]| {
            let held = compared(answer);
            assert_eq!(held.class, VerdictClass { result, gated, is_in_range }, "{answer}");
            let found: Vec<_> =
                held.findings.iter().map(|it| format!("{} {}", it.rule, it.subject)).collect();
            assert_eq!(found, expected, "{answer}");
        };
        check(&answer(3.0, 2.5).to_string(), Valid, Some(false), true, &[]);
        // The judge says that nothing gates, and its own score says otherwise.
        check(
            &answer(1.5, 2.5).to_string(),
            Valid,
            Some(true),
            false,
            &["task.calibration scores.clarity", "task.calibration gated"],
        );
        check(
            &answer(3.0, 3.0).to_string(),
            Inconsistent,
            Some(false),
            true,
            &["verdict.flat scores"],
        );
        check("[]", Invalid, None, false, &["verdict.json verdict"]);
    }

    /// LOOP-U1: the same request gets a verdict of the same class each time.
    #[test]
    fn a_judge_that_changes_its_mind_is_found() {
        let class = |first: f64| compared(&answer(first, 2.5).to_string()).class;
        let steady = class(3.0);
        assert_eq!(check_repeats(&[]), None);
        assert_eq!(check_repeats(&[steady]), None);
        // Other scores in range are the same class.
        assert_eq!(check_repeats(&[steady, class(4.0), steady]), None);
        let finding = check_repeats(&[steady, class(4.0), class(1.0)]).unwrap();
        assert_eq!(finding.subject, "repeat");
        assert_eq!(
            finding.message,
            "answer 1 is valid, not gated, in range, answer 3 is valid, gated, out of range",
        );
        let none = compared("?").class;
        let finding = check_repeats(&[none, class(4.5)]).unwrap();
        assert_eq!(
            Lang::Zh.render(&finding.message),
            "第 1 次回答无效、不是裁决、超出范围，第 2 次回答有效、未触发门槛、超出范围",
        );
    }

    #[test]
    fn what_no_judge_could_meet_is_not_expected() {
        let rubric = Rubric::embedded().unwrap();
        let rubric = rubric.of(TaskType::RequirementsDoc);
        let check = |change: fn(&mut CalibrationExpected), expected_text: Option<&str>| {
            let mut changed = expected();
            change(&mut changed);
            let actual = changed.validate(rubric).err();
            assert_eq!(actual.as_ref().map(ToString::to_string).as_deref(), expected_text);
        };
        check(|_| {}, None);
        check(
            |it| {
                it.scores_ranges.insert("beauty".to_owned(), [Decimal::ZERO; 2]);
            },
            Some("`scores_ranges` has the unknown dimension `beauty`"),
        );
        check(
            |it| {
                it.scores_ranges.remove("clarity");
            },
            Some("`scores_ranges` lacks the dimension `clarity`"),
        );
        check(
            |it| {
                it.scores_ranges
                    .insert("clarity".to_owned(), [Decimal::ratio(1, 1), Decimal::ZERO]);
            },
            Some("the range of `scores_ranges.clarity` is empty"),
        );
        check(
            |it| it.top_issues_count = CountRange { min: 3, max: 2 },
            Some("the range of `top_issues_count` is empty"),
        );
    }

    #[test]
    fn a_case_names_its_document_and_type() {
        let case: CalibrationCase = serde_json::from_value(json!({
            "case_id": "case_01", "description": "d", "input_doc_path": "examples/a.md",
            "task_type": "engineering_implementation", "calibration_version": "1", "notes": "",
        }))
        .unwrap();
        assert_eq!(case.task_type, TaskType::EngineeringImpl);
        assert!(serde_json::from_value::<CalibrationCase>(json!({"case_id": "x"})).is_err());
    }
}
