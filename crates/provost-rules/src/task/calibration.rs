//! Calibration: whether a judge still scores a known document as it should.
//!
//! A case names a document and a type; what is expected of it are ranges. One function holds a
//! reply against them, so that a command and an eval say the same (LOOP-U1).

use std::collections::BTreeMap;

use provost_kernel::{
    Finding, Lang, Severity,
    task::{Decimal, TaskType},
};
use serde::Deserialize;

use super::{score::Recomputed, verdict::RubricReply};

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
        message,
        hint: None,
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::task::{HalfPoints, VerdictDecision};
    use serde_json::{Value, json};

    use super::*;
    use crate::task::{
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
        assert!(zh.iter().all(|it| !it.message.is_ascii()));
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
