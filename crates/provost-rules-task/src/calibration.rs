//! Calibration: whether a judge still scores a known document as it should.
//!
//! A case names a document and a type; what is expected of it are ranges. One function holds a
//! reply against them, so that a command and an eval say the same (LOOP-U1).

use std::collections::BTreeMap;

use provost_kernel::{
    Finding, Lang, Message, Severity, Text,
    task::{Decimal, ScoringMode, TaskType},
};
use serde::Deserialize;

use super::{
    rubric::TypeRubric,
    score::{MachineFacts, Recomputed, recompute},
    verdict::{Judged, Reply, RubricReply, VerdictResult, Yardstick, validate},
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

/// What one answer of a judge amounts to. A judge that can be relied on says the same each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerdictClass {
    pub result: VerdictResult,
    /// None for an answer that is no verdict.
    pub gated: Option<bool>,
    pub is_in_range: bool,
}

/// One answer of a judge, held against what is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub class: VerdictClass,
    /// Nothing when the judge is calibrated.
    pub findings: Vec<Finding>,
}

/// Why nothing can be held against what is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub enum ExpectedError {
    UnknownDimension(String),
    MissingDimension(String),
    /// The least is more than the most, so that no judge could be right.
    EmptyRange(String),
}

/// Holds an answer of a judge against what is expected of its document: whether it is a verdict,
/// what its scores amount to, and whether that is in range.
pub fn hold(
    yardstick: &Yardstick,
    task_type: TaskType,
    expected: &CalibrationExpected,
    answer: &[u8],
    lang: Lang,
) -> Held {
    let judged = Judged {
        task_type: Some(task_type),
        scoring_mode: ScoringMode::RubricAnalytic,
        needs_score: false,
    };
    let assessment = validate(answer, yardstick, judged);
    let mut findings = assessment.findings(lang);
    let result = assessment.result();
    let Some(Reply::Rubric(reply)) = &assessment.reply else {
        return Held { class: VerdictClass { result, gated: None, is_in_range: false }, findings };
    };
    let rubric = yardstick.rubric.of(task_type);
    // A document alone was judged: there is no test and no change that facts could be about.
    let recomputed = recompute(reply, rubric, &MachineFacts::default());
    let outside = check(expected, reply, &recomputed, lang);
    let class =
        VerdictClass { result, gated: Some(recomputed.gated), is_in_range: outside.is_empty() };
    findings.extend(outside);
    Held { class, findings }
}

/// Finds a judge that changes its mind: its answers to one request are not of one class.
pub fn check_repeats(classes: &[VerdictClass], lang: Lang) -> Option<Finding> {
    let (first, others) = classes.split_first()?;
    let (number, other) = (2..).zip(others).find(|(_, it)| *it != first)?;
    let (first, other) = (first.text().render(lang), other.text().render(lang));
    let message = lang.pick(
        format!("answer 1 is {first}, and answer {number} is {other}"),
        format!("第 1 次回答{first},第 {number} 次回答{other}"),
    );
    Some(finding("repeat".to_owned(), message))
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

impl VerdictClass {
    fn text(self) -> Text {
        Text::each(|lang| {
            let result = match self.result {
                VerdictResult::Valid => lang.pick("valid", "有效"),
                VerdictResult::Invalid => lang.pick("invalid", "无效"),
                VerdictResult::Inconsistent => lang.pick("inconsistent", "自相矛盾"),
            };
            let gated = match self.gated {
                Some(true) => lang.pick("gated", "触发门槛"),
                Some(false) => lang.pick("not gated", "未触发门槛"),
                None => lang.pick("no verdict", "不是裁决"),
            };
            let range = if self.is_in_range {
                lang.pick("in range", "在范围内")
            } else {
                lang.pick("out of range", "超出范围")
            };
            [result, gated, range].join(lang.pick(", ", "、"))
        })
    }
}

impl Message for ExpectedError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::UnknownDimension(key) => lang.pick(
                format!("`scores_ranges` names `{key}`, which is not in the rubric"),
                format!("`scores_ranges` 中的 `{key}` 不在评分标准内"),
            ),
            Self::MissingDimension(key) => lang.pick(
                format!("`scores_ranges` has no range for `{key}`"),
                format!("`scores_ranges` 没有 `{key}` 的范围"),
            ),
            Self::EmptyRange(field) => lang.pick(
                format!("nothing lies in the range of `{field}`"),
                format!("`{field}` 的范围内没有任何值"),
            ),
        })
    }
}

/// Where a reply is not what was expected; nothing when the judge is calibrated.
pub fn check(
    expected: &CalibrationExpected,
    reply: &RubricReply,
    recomputed: &Recomputed,
    lang: Lang,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (dimension, &[least, most]) in &expected.scores_ranges {
        let found = reply.scores.get(dimension).map(|&it| Decimal::from(it));
        if found.is_some_and(|it| (least..=most).contains(&it)) {
            continue;
        }
        let score = found.map_or_else(|| lang.pick("none", "无").to_owned(), |it| it.to_string());
        let message = lang.pick(
            format!("the score is {score}, expected {least} to {most}"),
            format!("得分为 {score},应为 {least} 到 {most}"),
        );
        findings.push(finding(format!("scores.{dimension}"), message));
    }
    if recomputed.gated != expected.gated {
        let (is, should) = (recomputed.gated, expected.gated);
        let message = lang.pick(
            format!("gated is {is}, expected {should}"),
            format!("gated 为 {is},应为 {should}"),
        );
        findings.push(finding("gated".to_owned(), message));
    }
    let CountRange { min, max } = expected.top_issues_count;
    let count = reply.top_issues.len();
    if !(min..=max).contains(&count) {
        let message = lang.pick(
            format!("there are {count} issues, expected {min} to {max}"),
            format!("有 {count} 个问题,应为 {min} 到 {max} 个"),
        );
        findings.push(finding("top_issues".to_owned(), message));
    }
    findings
}

fn finding(subject: String, message: String) -> Finding {
    Finding {
        rule: "task.calibration".into(),
        severity: Severity::P0,
        subject,
        message: message.into(),
        hint: None,
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::task::{HalfPoints, VerdictDecision};
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
        let findings = super::check(&case, reply, &recomputed, Lang::En);
        let lines: Vec<_> =
            findings.iter().map(|it| format!("{}: {}", it.subject, it.message)).collect();
        assert_eq!(lines, expected);
        let zh = super::check(&case, reply, &recomputed, Lang::Zh);
        assert!(zh.iter().all(|it| !it.message.render(Lang::Zh).is_ascii()));
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
            &["scores.beauty: the score is none, expected 0 to 5"],
        );
        check(&json!({"gated": true}), &reply(), &["gated: gated is false, expected true"]);
        let gated = RubricReply { gated: true, ..reply() };
        check(&json!({}), &gated, &["gated: gated is true, expected false"]);
        check(&json!({"gated": true}), &gated, &[]);
        let count = |min: usize, max: usize| json!({"top_issues_count": {"min": min, "max": max}});
        check(&count(0, 5), &reply(), &[]);
        check(&count(3, 5), &reply(), &["top_issues: there are 2 issues, expected 3 to 5"]);
        check(&count(0, 1), &reply(), &["top_issues: there are 2 issues, expected 0 to 1"]);
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

    fn held(answer: &str, lang: Lang) -> Held {
        let yardstick = Yardstick::embedded().unwrap();
        hold(&yardstick, TaskType::RequirementsDoc, &expected(), answer.as_bytes(), lang)
    }

    /// LOOP-U1: an answer goes through the validator, the arithmetic and the ranges, so that a
    /// judge whose verdict would not count is not calibrated either.
    #[test]
    fn an_answer_is_validated_recomputed_and_held_against_its_ranges() {
        use VerdictResult::{Inconsistent, Invalid, Valid};
        let check = |answer: &str, result, gated, is_in_range, expected: &[&str]| {
            let held = held(answer, Lang::En);
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
        let class = |first: f64| held(&answer(first, 2.5).to_string(), Lang::En).class;
        let steady = class(3.0);
        assert_eq!(check_repeats(&[], Lang::En), None);
        assert_eq!(check_repeats(&[steady], Lang::En), None);
        // Other scores in range are the same class.
        assert_eq!(check_repeats(&[steady, class(4.0), steady], Lang::En), None);
        let finding = check_repeats(&[steady, class(4.0), class(1.0)], Lang::En).unwrap();
        assert_eq!(finding.subject, "repeat");
        assert_eq!(
            finding.message,
            "answer 1 is valid, not gated, in range, and answer 3 is valid, gated, out of range"
                .into(),
        );
        let none = held("?", Lang::Zh).class;
        let finding = check_repeats(&[none, class(4.5)], Lang::Zh).unwrap();
        assert_eq!(
            finding.message,
            "第 1 次回答无效、不是裁决、超出范围,第 2 次回答有效、未触发门槛、超出范围".into(),
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
            assert!(actual.is_none_or(|it| !it.text().render(Lang::Zh).is_ascii()));
        };
        check(|_| {}, None);
        check(
            |it| {
                it.scores_ranges.insert("beauty".to_owned(), [Decimal::ZERO; 2]);
            },
            Some("`scores_ranges` names `beauty`, which is not in the rubric"),
        );
        check(
            |it| {
                it.scores_ranges.remove("clarity");
            },
            Some("`scores_ranges` has no range for `clarity`"),
        );
        check(
            |it| {
                it.scores_ranges
                    .insert("clarity".to_owned(), [Decimal::ratio(1, 1), Decimal::ZERO]);
            },
            Some("nothing lies in the range of `scores_ranges.clarity`"),
        );
        check(
            |it| it.top_issues_count = CountRange { min: 3, max: 2 },
            Some("nothing lies in the range of `top_issues_count`"),
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
