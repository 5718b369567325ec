use std::{collections::BTreeMap, sync::LazyLock};

use proptest::prelude::*;
use provost_kernel::task::{HalfPoints, Thresholds, VerdictDecision};
use serde_json::{Value, json};

use super::*;
use crate::{
    reply::{PlainReply, RubricReply},
    score::{self, MachineFacts},
};

const VALID: &str = include_str!("../../../../fixtures/task/verdict/valid.json");

/// A valid reply for a type.
fn valid(task_type: TaskType) -> Value {
    let all: Value = serde_json::from_str(VALID).unwrap();
    all[task_type.as_str()].clone()
}

/// A valid reply on a requirements document, changed; `null` removes a field.
fn changed(patch: &Value) -> Value {
    let mut reply = valid(TaskType::RequirementsDoc);
    merge(&mut reply, patch);
    reply
}

fn merge(target: &mut Value, patch: &Value) {
    let (Some(object), Some(changes)) = (target.as_object_mut(), patch.as_object()) else {
        *target = patch.clone();
        return;
    };
    for (key, change) in changes {
        if change.is_null() {
            object.remove(key);
        } else {
            merge(object.entry(key.clone()).or_insert(Value::Null), change);
        }
    }
}

/// Read once: the properties ask for it many times.
fn yardstick() -> &'static Yardstick {
    static YARDSTICK: LazyLock<Yardstick> = LazyLock::new(|| Yardstick::embedded().unwrap());
    &YARDSTICK
}

const TYPED: Judged = Judged {
    task_type: Some(TaskType::RequirementsDoc),
    scoring_mode: ScoringMode::RubricAnalytic,
    needs_score: false,
};
const UNTYPED: Judged = Judged { task_type: None, ..TYPED };

#[track_caller]
fn assert_assessment(assessment: &Assessment, class: ErrorClass, expected: &[&str]) {
    let findings = assessment.findings();
    let actual: Vec<String> =
        findings.iter().map(|it| format!("{} {}", it.rule, it.subject)).collect();
    assert_eq!(actual, expected);
    assert_eq!(assessment.error_class(), class);
    let result = if class == ErrorClass::None {
        VerdictResult::Valid
    } else if class == ErrorClass::VerdictInconsistent {
        VerdictResult::Inconsistent
    } else {
        VerdictResult::Invalid
    };
    assert_eq!(assessment.result(), result);
}

/// What is left out of a long list is counted.
#[test]
fn no_defect_is_dropped_in_silence() {
    let scores: BTreeMap<String, u8> = (0..300).map(|it| (format!("d{it}"), 1)).collect();
    let reply = json!({"decision": "PASS", "scores": scores}).to_string();
    let findings = validate(reply.as_bytes(), yardstick(), TYPED).findings();
    let last = findings.last().unwrap();
    assert_eq!(findings.len(), 101);
    assert!(last.message.to_string().ends_with("more problems are not listed"), "{last:?}");
}

#[track_caller]
fn check_bytes(bytes: &[u8], expected: &[&str]) {
    let assessment = validate(bytes, yardstick(), TYPED);
    assert_assessment(&assessment, ErrorClass::VerdictInvalid, expected);
    assert_eq!(assessment.reply, None);
}

#[track_caller]
fn valid_is(patch: &Value) {
    let assessment = validate(changed(patch).to_string().as_bytes(), yardstick(), TYPED);
    assert_assessment(&assessment, ErrorClass::None, &[]);
    assert!(assessment.reply.is_some());
}

#[track_caller]
fn invalid_is(patch: &Value, expected: &[&str]) {
    check_bytes(changed(patch).to_string().as_bytes(), expected);
}

#[track_caller]
fn inconsistent_is(patch: &Value, expected: &[&str]) {
    let assessment = validate(changed(patch).to_string().as_bytes(), yardstick(), TYPED);
    assert_assessment(&assessment, ErrorClass::VerdictInconsistent, expected);
    assert!(assessment.reply.is_some());
}

/// LOOP-B25: each type has its own rubric, and a reply for one is not a reply for another.
#[test]
fn a_reply_is_measured_by_the_rubric_of_its_type() {
    let yardstick = yardstick();
    for &of in TaskType::ALL {
        for &by in TaskType::ALL {
            let judged = Judged { task_type: Some(by), ..TYPED };
            let bytes = valid(of).to_string();
            let assessment = validate(bytes.as_bytes(), yardstick, judged);
            let is_valid = assessment.result() == VerdictResult::Valid;
            assert_eq!(is_valid, of == by, "{of} by {by}: {:?}", assessment.defects);
        }
    }
}

/// LOOP-B1: strict JSON and nothing around it.
#[test]
fn a_reply_is_strict_json() {
    let valid = valid(TaskType::RequirementsDoc).to_string();
    check_bytes(b"", &["verdict.json verdict"]);
    check_bytes(b"[]", &["verdict.json verdict"]);
    check_bytes(format!("{valid} done").as_bytes(), &["verdict.json verdict"]);
    check_bytes(format!("```json\n{valid}\n```").as_bytes(), &["verdict.json verdict"]);
    check_bytes(format!("\u{feff}{valid}").as_bytes(), &["verdict.json verdict"]);
    check_bytes(
        valid.replace("88.8", "NaN").replace("89", "NaN").as_bytes(),
        &["verdict.json verdict"],
    );
    let twice = valid.replacen("\"penalty\":0", "\"penalty\":0,\"penalty\":0", 1);
    check_bytes(twice.as_bytes(), &["verdict.json verdict"]);
    let twice = valid.replacen("\"clarity\":4.5", "\"clarity\":1,\"clarity\":4.5", 1);
    check_bytes(twice.as_bytes(), &["verdict.json verdict"]);
    let large = valid.replacen('{', &format!("{{{}", " ".repeat(LIMITS.bytes)), 1);
    check_bytes(large.as_bytes(), &["verdict.json verdict"]);
}

/// LOOP-B1: every field of the contract has to be there; the five that provost fills do not.
#[test]
fn a_reply_has_every_field() {
    for field in [
        "decision",
        "scores",
        "weights",
        "raw_score_0_5",
        "penalty",
        "final_score_0_5",
        "final_score_0_100",
        "gated",
        "gating_reasons",
        "top_issues",
        "fix_suggestions",
        "scoring_mode_used",
    ] {
        invalid_is(&json!({field: null}), &[&format!("verdict.missing {field}")]);
    }
    // A null that is written out is as absent as one that is not.
    let mut reply = valid(TaskType::RequirementsDoc);
    reply["gated"] = Value::Null;
    check_bytes(reply.to_string().as_bytes(), &["verdict.missing gated"]);
    check_bytes(
        b"{\"decision\": \"PASS\", \"reasons\": [\"fine\"], \"next_instructions\": \"\", \"questions_for_user\": []}",
        &[
            "verdict.missing scores",
            "verdict.missing weights",
            "verdict.missing raw_score_0_5",
            "verdict.missing penalty",
            "verdict.missing final_score_0_5",
            "verdict.missing final_score_0_100",
            "verdict.missing gated",
            "verdict.missing gating_reasons",
            "verdict.missing top_issues",
            "verdict.missing fix_suggestions",
            "verdict.missing scoring_mode_used",
        ],
    );
    valid_is(&json!({
        "deliverability_index_0_100": 80, "improvement_potential_0_100": 20.5,
        "rubric_version_used": "9.9.9", "rubric_hash_used": "abc", "thresholds_used": {},
        "schema_version": "v2", "task_type": "requirements_doc", "reasons": ["fine"],
        "next_instructions": "", "questions_for_user": [], "something_else": {"a": 1},
    }));
}

#[test]
fn a_field_is_of_its_type() {
    invalid_is(&json!({"decision": 1}), &["verdict.type decision"]);
    invalid_is(&json!({"scores": []}), &["verdict.type scores"]);
    invalid_is(&json!({"weights": 1}), &["verdict.type weights"]);
    invalid_is(&json!({"raw_score_0_5": "4.44"}), &["verdict.type raw_score_0_5"]);
    invalid_is(&json!({"raw_score_0_5": true}), &["verdict.type raw_score_0_5"]);
    invalid_is(&json!({"penalty": "0"}), &["verdict.type penalty"]);
    invalid_is(&json!({"gated": "false"}), &["verdict.type gated"]);
    invalid_is(&json!({"gated": 0}), &["verdict.type gated"]);
    invalid_is(&json!({"gating_reasons": "none"}), &["verdict.type gating_reasons"]);
    invalid_is(&json!({"top_issues": ["a", 2]}), &["verdict.type top_issues[1]"]);
    invalid_is(&json!({"fix_suggestions": [null]}), &["verdict.type fix_suggestions[0]"]);
    invalid_is(&json!({"scores": {"clarity": true}}), &["verdict.type scores.clarity"]);
    invalid_is(&json!({"scores": {"clarity": "5"}}), &["verdict.type scores.clarity"]);
    invalid_is(&json!({"weights": {"clarity": "0.18"}}), &["verdict.type weights.clarity"]);
    invalid_is(&json!({"reasons": "fine"}), &["verdict.type reasons"]);
    invalid_is(&json!({"next_instructions": []}), &["verdict.type next_instructions"]);
    invalid_is(&json!({"questions_for_user": [1]}), &["verdict.type questions_for_user[0]"]);
    invalid_is(
        &json!({"deliverability_index_0_100": "80"}),
        &["verdict.type deliverability_index_0_100"],
    );
    invalid_is(&json!({"task_type": 5}), &["verdict.type task_type"]);
    invalid_is(&json!({"schema_version": 2}), &["verdict.type schema_version"]);
    invalid_is(&json!({"scoring_mode_used": 1}), &["verdict.type scoring_mode_used"]);
    invalid_is(&json!({"decision": "pass"}), &["verdict.decision decision"]);
    invalid_is(&json!({"decision": "PASS "}), &["verdict.decision decision"]);
    invalid_is(&json!({"schema_version": "v3"}), &["verdict.schema_version schema_version"]);
}

/// LOOP-B4: the ranges, with a value on each side of every limit.
#[test]
fn numbers_keep_to_their_ranges() {
    let clarity = |score: Value| json!({"scores": {"clarity": score}, "raw_score_0_5": 4.44});
    for bad in [json!(5.5), json!(-0.5), json!(4.4), json!(4.25), json!(5.000_001), json!(1e300)] {
        invalid_is(&clarity(bad), &["verdict.range scores.clarity"]);
    }
    // 4.5 and 5 are half a point apart: 0.09 in the sum, so the sum moves along.
    valid_is(&json!({
        "scores": {"clarity": 5.0}, "raw_score_0_5": 4.53, "final_score_0_5": 4.53,
        "final_score_0_100": 90.6,
    }));
    valid_is(&json!({
        "scores": {"clarity": 0}, "raw_score_0_5": 3.63, "final_score_0_5": 3.63,
        "final_score_0_100": 72.6,
    }));
    for bad in [json!(2.5), json!(-0.5), json!(0.25), json!(3)] {
        invalid_is(&json!({"penalty": bad}), &["verdict.range penalty"]);
    }
    valid_is(&json!({"penalty": 2, "final_score_0_5": 2.44, "final_score_0_100": 49}));
    valid_is(&json!({"penalty": 0.5, "final_score_0_5": 3.94, "final_score_0_100": 78.8}));
    for field in ["raw_score_0_5", "final_score_0_5"] {
        invalid_is(&json!({field: 5.01}), &[&format!("verdict.range {field}")]);
        invalid_is(&json!({field: -0.01}), &[&format!("verdict.range {field}")]);
    }
    for field in ["final_score_0_100", "deliverability_index_0_100", "improvement_potential_0_100"]
    {
        invalid_is(&json!({field: 100.5}), &[&format!("verdict.range {field}")]);
        invalid_is(&json!({field: -1}), &[&format!("verdict.range {field}")]);
    }
    valid_is(&json!({"deliverability_index_0_100": 100, "improvement_potential_0_100": 0}));
    invalid_is(&json!({"weights": {"clarity": 1.01}}), &["verdict.range weights.clarity"]);
    invalid_is(&json!({"weights": {"clarity": -0.01}}), &["verdict.range weights.clarity"]);
}

/// LOOP-B4 and LOOP-B10: 2 to 5 issues of at most 120 characters, 5 suggestions of at most 160.
#[test]
fn texts_keep_to_their_counts_and_lengths() {
    let issues = |count: usize| json!({"top_issues": vec!["a small thing"; count]});
    invalid_is(&issues(1), &["verdict.count top_issues"]);
    valid_is(&issues(2));
    valid_is(&issues(5));
    invalid_is(&issues(6), &["verdict.count top_issues"]);
    let issue = |text: String| json!({"top_issues": ["a small thing", text]});
    valid_is(&issue("字".repeat(120)));
    invalid_is(&issue("字".repeat(121)), &["verdict.length top_issues[1]"]);
    invalid_is(&issue(" \n".to_owned()), &["verdict.blank top_issues[1]"]);
    let fixes =
        |count: usize, len: usize| json!({"fix_suggestions": vec!["字".repeat(len); count]});
    valid_is(&fixes(0, 0));
    valid_is(&fixes(5, 160));
    invalid_is(&fixes(6, 1), &["verdict.count fix_suggestions"]);
    invalid_is(&fixes(1, 161), &["verdict.length fix_suggestions[0]"]);
}

#[test]
fn dimensions_and_weights_are_the_rubric_s() {
    invalid_is(&json!({"scores": {"clarity": null}}), &["verdict.dimensions scores.clarity"]);
    invalid_is(&json!({"scores": {"beauty": 4}}), &["verdict.dimensions scores.beauty"]);
    invalid_is(&json!({"weights": {"clarity": null}}), &["verdict.dimensions weights.clarity"]);
    invalid_is(&json!({"weights": {"beauty": 0}}), &["verdict.dimensions weights.beauty"]);
    invalid_is(
        &json!({"weights": {"clarity": 0.19, "completeness": 0.17}}),
        &["verdict.weights weights.clarity", "verdict.weights weights.completeness"],
    );
    invalid_is(&json!({"weights": {"clarity": 0.180_001}}), &["verdict.weights weights.clarity"]);
    invalid_is(&json!({"task_type": "storyboard"}), &["verdict.task_type task_type"]);
    invalid_is(&json!({"task_type": "novel"}), &["verdict.task_type task_type"]);
}

/// LOOP-B25: the alias is read in a verdict, too.
#[test]
fn the_alias_of_a_type_is_its_type() {
    let mut reply = valid(TaskType::EngineeringImpl);
    reply["task_type"] = json!("engineering_implementation");
    let judged = Judged { task_type: Some(TaskType::EngineeringImpl), ..TYPED };
    let assessment = validate(reply.to_string().as_bytes(), yardstick(), judged);
    assert_assessment(&assessment, ErrorClass::None, &[]);
}

/// LOOP-B7: a sum may be off by its tolerance, and not by more; limits are exact.
#[test]
fn sums_follow_from_the_scores() {
    // The scores add up to 4.44.
    let sums = |raw: f64, rest: f64, of_100: f64| json!({"raw_score_0_5": raw, "final_score_0_5": rest, "final_score_0_100": of_100});
    valid_is(&sums(4.44, 4.44, 88.8));
    valid_is(&sums(4.49, 4.49, 89.8));
    valid_is(&sums(4.39, 4.39, 87.8));
    invalid_is(&sums(4.490_1, 4.49, 89.8), &["verdict.sum raw_score_0_5"]);
    invalid_is(&sums(4.389_9, 4.39, 87.8), &["verdict.sum raw_score_0_5"]);
    valid_is(&sums(4.44, 4.49, 89.8));
    invalid_is(&sums(4.44, 4.490_1, 89.8), &["verdict.sum final_score_0_5"]);
    invalid_is(&sums(4.44, 4.389_9, 87.8), &["verdict.sum final_score_0_5"]);
    valid_is(&sums(4.44, 4.44, 89.8));
    valid_is(&sums(4.44, 4.44, 88.0));
    valid_is(&sums(4.44, 4.44, 87.8));
    invalid_is(&sums(4.44, 4.44, 89.81), &["verdict.sum final_score_0_100"]);
    invalid_is(&sums(4.44, 4.44, 87.79), &["verdict.sum final_score_0_100"]);
    invalid_is(
        &sums(1.0, 3.0, 10.0),
        &[
            "verdict.sum raw_score_0_5",
            "verdict.sum final_score_0_5",
            "verdict.sum final_score_0_100",
        ],
    );
    // The penalty takes part, and the rest does not fall under zero.
    invalid_is(&json!({"penalty": 1}), &["verdict.sum final_score_0_5"]);
    let zeros: serde_json::Map<String, Value> = valid(TaskType::RequirementsDoc)["scores"]
        .as_object()
        .unwrap()
        .keys()
        .map(|it| (it.clone(), json!(if it == "clarity" { 0.5 } else { 0.0 })))
        .collect();
    valid_is(&json!({
        "scores": zeros, "penalty": 2, "raw_score_0_5": 0.09, "final_score_0_5": 0,
        "final_score_0_100": 0,
    }));
    // With a broken part, the sums are not looked at.
    invalid_is(
        &json!({"scores": {"clarity": 9}, "raw_score_0_5": 1}),
        &["verdict.range scores.clarity"],
    );
}

#[test]
fn a_sum_says_what_it_would_be() {
    let patch = json!({"final_score_0_5": 4.2, "final_score_0_100": 84});
    let assessment = validate(changed(&patch).to_string().as_bytes(), yardstick(), TYPED);
    assert_eq!(
        assessment.findings()[0].message,
        "line 1: 4.2 does not follow from the other numbers, expected 4.44",
    );
}

/// LOOP-B2: no mode but `rubric_analytic` approves, and the code says which side was wrong.
#[test]
fn the_scoring_mode_is_analytic() {
    #[track_caller]
    fn check(judged: Judged, patch: &Value, class: ErrorClass, expected: &[&str]) {
        let assessment = validate(changed(patch).to_string().as_bytes(), yardstick(), judged);
        assert_assessment(&assessment, class, expected);
    }
    let holistic = json!({"scoring_mode_used": "holistic_impression"});
    let task = Judged { scoring_mode: ScoringMode::HolisticImpression, ..TYPED };
    check(TYPED, &holistic, ErrorClass::ModeInvalid, &["verdict.mode scoring_mode_used"]);
    check(
        TYPED,
        &json!({"scoring_mode_used": "mood"}),
        ErrorClass::VerdictInvalid,
        &["verdict.mode scoring_mode_used"],
    );
    check(
        TYPED,
        &json!({"scoring_mode_used": null}),
        ErrorClass::VerdictInvalid,
        &["verdict.missing scoring_mode_used"],
    );
    check(task, &json!({}), ErrorClass::ModeInvalid, &["verdict.mode scoring_mode"]);
    check(
        task,
        &json!({"gated": null}),
        ErrorClass::ModeInvalid,
        &["verdict.mode scoring_mode", "verdict.missing gated"],
    );
    check(
        TYPED,
        &json!({"scoring_mode_used": "holistic_impression", "gated": null}),
        ErrorClass::VerdictInvalid,
        &["verdict.missing gated", "verdict.mode scoring_mode_used"],
    );
    check(
        TYPED,
        &json!({"scoring_mode_used": "holistic_impression", "top_issues": []}),
        ErrorClass::ModeInvalid,
        &["verdict.mode scoring_mode_used", "verdict.issues top_issues"],
    );
}

#[test]
fn words_are_checked_when_they_are_there() {
    valid_is(&json!({"decision": "FAIL"}));
    valid_is(&json!({"decision": "FAIL", "next_instructions": "do this", "reasons": ["", "x"]}));
    valid_is(&json!({"decision": "PASS", "next_instructions": " "}));
    valid_is(&json!({"decision": "NEED_USER_INPUT", "next_instructions": ""}));
    invalid_is(
        &json!({"decision": "FAIL", "next_instructions": " "}),
        &["verdict.blank next_instructions"],
    );
    valid_is(&json!({"decision": "NEED_USER_INPUT"}));
    valid_is(&json!({"decision": "FAIL", "questions_for_user": []}));
    valid_is(&json!({"decision": "NEED_USER_INPUT", "questions_for_user": ["", "which?"]}));
    invalid_is(
        &json!({"decision": "NEED_USER_INPUT", "questions_for_user": []}),
        &["verdict.blank questions_for_user"],
    );
    invalid_is(
        &json!({"decision": "NEED_USER_INPUT", "questions_for_user": [" "]}),
        &["verdict.blank questions_for_user"],
    );
    invalid_is(&json!({"reasons": []}), &["verdict.blank reasons"]);
}

/// All scores equal, with sums that fit.
fn flat(points: f64) -> Value {
    let scores: serde_json::Map<String, Value> = valid(TaskType::RequirementsDoc)["scores"]
        .as_object()
        .unwrap()
        .keys()
        .map(|it| (it.clone(), json!(points)))
        .collect();
    json!({
        "scores": scores, "raw_score_0_5": points, "final_score_0_5": points,
        "final_score_0_100": points * 20.0,
    })
}

/// LOOP-B8: six or more equal scores are not a judgement, perfect ones included.
#[test]
fn equal_scores_contradict_themselves() {
    inconsistent_is(&flat(4.5), &["verdict.flat scores"]);
    inconsistent_is(&flat(5.0), &["verdict.flat scores"]);
    inconsistent_is(&flat(0.0), &["verdict.flat scores"]);
    let caps = KeywordCaps::embedded().unwrap();
    let reply = |scores: usize| RubricReply {
        decision: VerdictDecision::Pass,
        scores: (0..scores).map(|it| (format!("d{it}"), HalfPoints::MAX)).collect(),
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
    };
    assert_eq!(consistency::check(&reply(5), &caps), []);
    assert_eq!(consistency::check(&reply(0), &caps), []);
    let flat = Defect::Flat { dimensions: 6, score: HalfPoints::MAX };
    let defects = consistency::check(&reply(6), &caps);
    assert_eq!(defects.into_iter().map(|it| it.kind).collect::<Vec<_>>(), [flat]);
    let mut varied = reply(6);
    varied.scores.insert("d3".to_owned(), HalfPoints::new(9).unwrap());
    assert_eq!(consistency::check(&varied, &caps), []);
}

/// LOOP-B9: an issue caps the score of what it is about; a score that equals the cap stands.
#[test]
fn an_issue_caps_the_score_it_is_about() {
    let issues = |issue: &str| json!({"top_issues": ["a small thing", issue]});
    inconsistent_is(&issues("未覆盖验收"), &["verdict.keyword scores.acceptance_testability"]);
    let mut patch = issues("未覆盖验收");
    patch["scores"] = json!({"acceptance_testability": 4});
    patch["raw_score_0_5"] = json!(4.35);
    patch["final_score_0_5"] = json!(4.35);
    patch["final_score_0_100"] = json!(87);
    valid_is(&patch);
    // The dimensions of another type do not matter here.
    valid_is(&issues("it is not runnable"));
    valid_is(&issues("there is no ambiguity; 没有歧义"));
    // Words of two issues are not a keyword.
    valid_is(&json!({"top_issues": ["the route is not", "covered by the text"]}));
    let patch = json!({"top_issues": ["边界模糊", "歧义"]});
    inconsistent_is(&patch, &["verdict.keyword scores.clarity", "verdict.keyword scores.clarity"]);
    let assessment = validate(changed(&patch).to_string().as_bytes(), yardstick(), TYPED);
    assert_eq!(
        assessment.findings()[1].message,
        "the issue `歧义` says `歧义`: 4.5 is too high, at most 4 is allowed",
    );
}

/// LOOP-B10: no issue at all is a contradiction, and tested before the count.
#[test]
fn no_issue_at_all_is_a_contradiction() {
    inconsistent_is(&json!({"top_issues": []}), &["verdict.issues top_issues"]);
    let mut patch = flat(5.0);
    patch["top_issues"] = json!([]);
    inconsistent_is(&patch, &["verdict.flat scores", "verdict.issues top_issues"]);
    // What breaks the contract comes first.
    invalid_is(&json!({"top_issues": [], "penalty": 9}), &["verdict.range penalty"]);
    let mut patch = flat(4.5);
    patch["top_issues"] = json!(["only one"]);
    invalid_is(&patch, &["verdict.count top_issues"]);
}

#[track_caller]
fn check_plain(judged: Judged, reply: &Value, class: ErrorClass, expected: &[&str]) {
    let assessment = validate(reply.to_string().as_bytes(), yardstick(), judged);
    assert_assessment(&assessment, class, expected);
    let is_kept = class != ErrorClass::VerdictInvalid;
    assert_eq!(matches!(assessment.reply, Some(Reply::Plain(_))), is_kept);
}

#[test]
fn a_task_without_a_type_needs_a_plain_verdict() {
    let plain = |patch: Value| {
        let mut reply = json!({
            "decision": "PASS", "reasons": ["fine"], "next_instructions": "",
            "questions_for_user": [],
        });
        merge(&mut reply, &patch);
        reply
    };
    let check = |patch: Value, expected: &[&str]| {
        let class = if expected.is_empty() { ErrorClass::None } else { ErrorClass::VerdictInvalid };
        check_plain(UNTYPED, &plain(patch), class, expected);
    };
    check(json!({}), &[]);
    check(json!({"score": 70, "gated": true, "scoring_mode_used": "rubric_analytic"}), &[]);
    check(json!({"decision": null}), &["verdict.missing decision"]);
    check(json!({"decision": "OK"}), &["verdict.decision decision"]);
    check(json!({"reasons": null}), &["verdict.missing reasons"]);
    check(json!({"reasons": []}), &["verdict.blank reasons"]);
    check(json!({"next_instructions": null}), &["verdict.missing next_instructions"]);
    check(json!({"questions_for_user": null}), &["verdict.missing questions_for_user"]);
    check(json!({"decision": "FAIL"}), &["verdict.blank next_instructions"]);
    check(json!({"decision": "NEED_USER_INPUT"}), &["verdict.blank questions_for_user"]);
    check(json!({"score": "high"}), &["verdict.type score"]);
    check(json!({"score": 1e30}), &["verdict.type score"]);
    check(json!({"gated": "no"}), &["verdict.type gated"]);
    check(json!({"scoring_mode_used": "mood"}), &["verdict.mode scoring_mode_used"]);
    check_plain(
        UNTYPED,
        &plain(json!({"scoring_mode_used": "holistic_impression"})),
        ErrorClass::ModeInvalid,
        &["verdict.mode scoring_mode_used"],
    );
    // A gate of the task needs something to hold it against.
    let gated = Judged { needs_score: true, ..UNTYPED };
    check_plain(gated, &plain(json!({})), ErrorClass::VerdictInvalid, &["verdict.missing score"]);
    check_plain(gated, &plain(json!({"score": 1})), ErrorClass::None, &[]);
}

#[test]
fn a_spec_says_what_its_verdict_needs() {
    let mut spec = TaskSpec::new("t".parse().unwrap());
    assert_eq!(Judged::from(&spec), UNTYPED);
    spec.score_gate = Some(5);
    assert!(Judged::from(&spec).needs_score);
    spec.score_gate = None;
    spec.score_threshold = Some(5);
    assert!(Judged::from(&spec).needs_score);
    spec.score_threshold = None;
    spec.task_type = Some(TaskType::RequirementsDoc);
    assert_eq!(Judged::from(&spec), TYPED);
}

fn reply_of(value: &Value) -> RubricReply {
    match validate(value.to_string().as_bytes(), yardstick(), TYPED).reply {
        Some(Reply::Rubric(reply)) => reply,
        other => panic!("{other:?}"),
    }
}

fn completed(patch: &Value, facts: &MachineFacts) -> provost_kernel::task::Verdict {
    let rubric = &yardstick().rubric;
    let reply = reply_of(&changed(patch));
    let task_type = TaskType::RequirementsDoc;
    let recomputed = score::recompute(&reply, rubric.of(task_type), facts);
    let lowered = score::lower(reply.decision, &recomputed.gating_reasons, facts);
    let thresholds: Thresholds = serde_json::from_value(json!({"min_score": 60})).unwrap();
    complete(&reply, &recomputed, lowered.decision, rubric, task_type, &thresholds)
}

/// LOOP-B1: what the judge may leave out is filled, and what it may not decide is replaced.
#[test]
fn a_verdict_is_completed_with_what_provost_knows() {
    let verdict = completed(
        &json!({
            "rubric_version_used": "0.0.1", "rubric_hash_used": "forged",
            "thresholds_used": {"min_score": 0},
        }),
        &MachineFacts::default(),
    );
    let rubric = &yardstick().rubric;
    let written = serde_json::to_value(&verdict).unwrap();
    for (field, expected) in [
        ("decision", json!("PASS")),
        ("judge_decision", json!("PASS")),
        ("raw_score_0_5", json!(4.44)),
        ("final_score_0_5", json!(4.44)),
        ("final_score_0_100", json!(88.8)),
        ("penalty", json!(0)),
        ("gated", json!(false)),
        ("gating_reasons", json!([])),
        ("deliverability_index_0_100", json!(88)),
        ("improvement_potential_0_100", json!(22)),
        ("scoring_mode_used", json!("rubric_analytic")),
        ("rubric_version_used", json!("1.0.0")),
        ("rubric_hash_used", json!(rubric.hash.to_string())),
        ("thresholds_used", json!({"min_score_0_100": 60})),
        ("task_type", json!("requirements_doc")),
    ] {
        assert_eq!(written[field], expected, "{field}");
    }
    assert_eq!(written["weights"]["clarity"], json!(0.18));
    assert_eq!(verdict.summary().final_score_0_100, Some(verdict.final_score_0_100));
}

#[test]
fn indices_follow_from_the_scores() {
    let check = |patch: Value, facts: &MachineFacts, expected: (u8, u8)| {
        let verdict = completed(&patch, facts);
        let actual = (verdict.deliverability_index_0_100, verdict.improvement_potential_0_100);
        assert_eq!(actual, expected, "{patch}");
    };
    let none = MachineFacts::default();
    // 7 dimensions, 62 half points: 60 - 6 * 62 / 7 + 8 * 2 = 22.86.
    check(json!({}), &none, (88, 22));
    check(json!({"top_issues": vec!["a small thing"; 5]}), &none, (88, 46));
    check(json!({"deliverability_index_0_100": 87.9}), &none, (87, 22));
    check(json!({"deliverability_index_0_100": 100}), &none, (88, 22));
    check(json!({"improvement_potential_0_100": 99}), &none, (88, 99));
    // What is gated cannot be delivered.
    check(json!({"gated": true}), &none, (0, 22));
    check(
        json!({"deliverability_index_0_100": 50}),
        &MachineFacts { secrets: true, ..none },
        (0, 22),
    );
    let mut worst = flat(0.0);
    worst["scores"]["clarity"] = json!(0.5);
    worst["raw_score_0_5"] = json!(0.09);
    worst["final_score_0_5"] = json!(0.09);
    worst["final_score_0_100"] = json!(1.8);
    worst["top_issues"] = json!(vec!["a small thing"; 5]);
    check(worst, &MachineFacts::default(), (0, 99));
}

/// LOOP-B5: a gate makes the verdict on record FAIL, whatever the judge said.
#[test]
fn a_gated_verdict_on_record_fails() {
    let facts = MachineFacts { forbidden_globs: true, ..MachineFacts::default() };
    let verdict = completed(&json!({"decision": "NEED_USER_INPUT"}), &facts);
    assert_eq!(verdict.decision, VerdictDecision::Fail);
    assert_eq!(verdict.judge_decision, VerdictDecision::NeedUserInput);
    assert!(verdict.gated);
    assert_eq!(verdict.gating_reasons, ["penalty:secrets_forbidden_globs"]);
    assert_eq!(verdict.final_score_0_100.to_string(), "48.8");
}

#[test]
fn a_plain_verdict_is_completed_too() {
    let reply = PlainReply {
        decision: VerdictDecision::Pass,
        reasons: vec!["fine".to_owned()],
        next_instructions: "n".to_owned(),
        questions_for_user: vec!["q".to_owned()],
        score: None,
        gated: false,
    };
    let score =
        score::PlainScore { gated: true, gating_reasons: Vec::new(), thresholds_pass: true };
    let verdict = complete_plain(&reply, &score, VerdictDecision::Fail);
    assert_eq!(
        (verdict.decision, verdict.judge_decision),
        (VerdictDecision::Fail, VerdictDecision::Pass)
    );
    assert!(verdict.gated);
    assert_eq!(verdict.questions_for_user, ["q"]);
}

fn checked(reply: &Value, facts: &str) -> CheckedVerdict {
    let (facts, thresholds) = MachineFacts::read(facts.as_bytes()).unwrap();
    let task_type = Some(TaskType::RequirementsDoc);
    check(reply.to_string().as_bytes(), yardstick(), task_type, &facts, &thresholds)
}

/// LOOP-U2: the validator alone, with the keys that scripts read.
#[test]
fn the_answer_has_the_keys_that_scripts_read() {
    let answer = serde_json::to_value(checked(&changed(&json!({})), "{}")).unwrap();
    assert_eq!(
        answer,
        json!({
            "result": "valid",
            "findings": [],
            "recomputed": {
                "raw_score_0_5": 4.44, "penalty": 0, "final_score_0_5": 4.44,
                "final_score_0_100": 88.8, "gated": false, "gating_reasons": [],
            },
            "error_class": "",
            "decision": "PASS",
            "thresholds_pass": true,
        }),
    );
    let answer = serde_json::to_value(checked(&changed(&json!({"penalty": 9})), "{}")).unwrap();
    assert_eq!(answer["result"], "invalid");
    assert_eq!(answer["error_class"], "VERDICT_INVALID");
    assert_eq!(answer["recomputed"], Value::Null);
    assert_eq!(answer["decision"], Value::Null);
    assert_eq!(answer["thresholds_pass"], Value::Null);
    let answer = serde_json::to_value(checked(&changed(&flat(4.5)), "{}")).unwrap();
    assert_eq!(answer["result"], "inconsistent");
    assert_eq!(answer["recomputed"]["final_score_0_100"], json!(90));
}

#[test]
fn what_is_overruled_is_said() {
    let subjects = |patch: Value, facts: &str| {
        let checked = checked(&changed(&patch), facts);
        assert_eq!(checked.result, VerdictResult::Valid);
        assert!(checked.findings.iter().all(|it| it.rule == "verdict.overruled"));
        checked.findings.into_iter().map(|it| it.subject).collect::<Vec<_>>()
    };
    assert_eq!(subjects(json!({}), "{}"), [] as [&str; 0]);
    assert_eq!(subjects(json!({}), r#"{"secrets": true}"#), ["gated", "penalty", "decision"]);
    let admitted = json!({
        "gated": true, "penalty": 2, "decision": "FAIL", "final_score_0_5": 2.44,
        "final_score_0_100": 48.8,
    });
    assert_eq!(subjects(admitted, r#"{"secrets": true}"#), [] as [&str; 0]);
    assert_eq!(subjects(json!({}), r#"{"test_rc": 1}"#), ["decision"]);
    assert_eq!(subjects(json!({"decision": "FAIL"}), r#"{"test_rc": 1}"#), [] as [&str; 0]);
    assert_eq!(subjects(json!({"gated": true}), "{}"), ["decision"]);
}

#[test]
fn thresholds_are_checked_beside() {
    let passes = |facts: &str| checked(&changed(&json!({})), facts).thresholds_pass;
    assert_eq!(passes(r#"{"thresholds": {"min_score": 50}}"#), Some(true));
    assert_eq!(passes(r#"{"thresholds": {"min_score": 4.5}}"#), Some(false));
    assert_eq!(passes(r#"{"thresholds": {"risk_and_exception": 4}}"#), Some(true));
    assert_eq!(passes(r#"{"thresholds": {"risk_and_exception": 4.5}}"#), Some(false));
}

#[test]
fn a_plain_reply_is_checked_without_a_type() {
    let reply = json!({
        "decision": "PASS", "reasons": ["fine"], "next_instructions": "", "questions_for_user": [],
    });
    let facts = MachineFacts { test_rc: Some(1), ..MachineFacts::default() };
    let bytes = reply.to_string();
    let thresholds = Thresholds::default();
    let answer = check(bytes.as_bytes(), yardstick(), None, &facts, &thresholds);
    assert_eq!(answer.result, VerdictResult::Valid);
    assert_eq!(answer.decision, Some(VerdictDecision::Fail));
    assert_eq!(answer.recomputed, None);
}

proptest! {
    /// Whatever the bytes are, the answer is a ruling.
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let assessment = validate(&bytes, yardstick(), TYPED);
        prop_assert!(assessment.result() != VerdictResult::Valid);
    }

    /// Whatever one field of a valid reply becomes, nothing panics, and what is valid still
    /// follows from the rubric.
    #[test]
    fn no_field_makes_it_panic(
        field in prop::sample::select(vec![
            "decision", "scores", "weights", "raw_score_0_5", "penalty", "final_score_0_5",
            "final_score_0_100", "gated", "gating_reasons", "top_issues", "fix_suggestions",
            "scoring_mode_used", "reasons", "next_instructions", "questions_for_user",
        ]),
        value in prop_oneof![
            Just(Value::Null), any::<bool>().prop_map(Value::from), any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from), ".{0,200}".prop_map(Value::from),
            prop::collection::vec(".{0,130}", 0..8).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{0,12}", any::<f32>(), 0..8)
                .prop_map(|it| it.into_iter().map(|(key, it)| (key, Value::from(it))).collect()),
        ],
    ) {
        let mut reply = valid(TaskType::RequirementsDoc);
        reply[field] = value;
        let yardstick = yardstick();
        let assessment = validate(reply.to_string().as_bytes(), yardstick, TYPED);
        if let Some(Reply::Rubric(reply)) = assessment.reply {
            let rubric = yardstick.rubric.of(TaskType::RequirementsDoc);
            let _ = score::recompute(&reply, rubric, &MachineFacts::default());
            prop_assert_eq!(reply.scores.len(), rubric.dimensions.len());
        }
    }
}
