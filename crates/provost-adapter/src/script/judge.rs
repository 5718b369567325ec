//! Scripted judges: verdicts of every kind, the right ones with the right arithmetic.

use std::collections::BTreeMap;

use provost_kernel::{
    Decimal, shorten_to,
    task::{HalfPoints, Score, Weight},
};
use serde_json::{Value, json};

use super::{Behaviour, Left, crashed, for_ever, half, refused, spent, structure};
use crate::{
    reply::Reply,
    request::{AgentRole, JudgeRubric, Request},
};

/// What a scripted judge has to say, before it is written down.
struct Opinion {
    decision: &'static str,
    /// The scores of the first, second, third … dimension, over and over.
    scores: &'static [u8],
    reasons: Vec<String>,
    next: String,
    questions: Vec<&'static str>,
}

/// What this behaviour leaves as its reply.
pub(super) fn judge(behaviour: Behaviour, request: &Request) -> Left {
    let role = AgentRole::Judge;
    let text = match behaviour {
        Behaviour::TimeOut => for_ever(),
        Behaviour::Crash => return crashed(),
        Behaviour::NotAuthorised => return refused(),
        Behaviour::Quota => return spent(role),
        Behaviour::BadReply => return half(role),
        Behaviour::Pass => written(&approve(), request).to_string(),
        Behaviour::Mock => written(&by_the_test(request), request).to_string(),
        Behaviour::Fail => written(&refuse("It is not what was asked for."), request).to_string(),
        Behaviour::NeedInput => written(&ask(), request).to_string(),
        Behaviour::StructureGate => structure_verdict(request).to_string(),
        Behaviour::BadJson => {
            let whole = written(&approve(), request).to_string();
            whole.chars().take(whole.chars().count() / 2).collect()
        }
        Behaviour::DuplicateKeys => {
            let whole = written(&refuse("It is not what was asked for."), request).to_string();
            whole.replacen('{', "{\"decision\":\"PASS\",", 1)
        }
        Behaviour::TrailingText => format!("{}\nI hope this helps!", written(&approve(), request)),
        Behaviour::FlatScores => {
            written(&Opinion { scores: &[8], ..approve() }, request).to_string()
        }
        Behaviour::Gated => gated(request).to_string(),
        Behaviour::WrongMode => {
            let mut verdict = written(&approve(), request);
            verdict["scoring_mode_used"] = json!("holistic_impression");
            verdict.to_string()
        }
        Behaviour::WrongSums => {
            let mut verdict = written(&approve(), request);
            verdict["raw_score_0_5"] = json!(5);
            verdict["final_score_0_5"] = json!(5);
            verdict["final_score_0_100"] = json!(100);
            verdict.to_string()
        }
        // The last ones are coders only.
        Behaviour::NoOutput
        | Behaviour::FailThenFix
        | Behaviour::ClaimsDoneWithoutChange
        | Behaviour::EditsTests
        | Behaviour::WeakTest
        | Behaviour::ForgesLog
        | Behaviour::WritesLate
        | Behaviour::TouchesForbidden
        | Behaviour::PrintsFakeVerdict => return Left::Nothing,
    };
    Left::Reply(Reply::new(role, text))
}

fn approve() -> Opinion {
    Opinion {
        decision: "PASS",
        scores: &[9, 8, 9, 9],
        reasons: vec!["It does what was asked for.".to_owned()],
        next: String::new(),
        questions: Vec::new(),
    }
}

fn refuse(reason: &str) -> Opinion {
    Opinion {
        decision: "FAIL",
        scores: &[6, 5, 7, 6],
        reasons: vec![reason.to_owned()],
        next: format!("{reason} Correct it and change nothing else."),
        questions: Vec::new(),
    }
}

fn ask() -> Opinion {
    Opinion {
        decision: "NEED_USER_INPUT",
        scores: &[6, 7],
        reasons: vec!["The task can be read in two ways.".to_owned()],
        next: String::new(),
        questions: vec![
            "Which of the two readings is meant?",
            "Should the other one be refused or ignored?",
        ],
    }
}

/// Believes the exit code of the test in the evidence, and repeats what the test printed.
fn by_the_test(request: &Request) -> Opinion {
    let evidence = request
        .evidence_files
        .iter()
        .filter_map(|it| std::fs::read_to_string(it).ok())
        .filter_map(|it| serde_json::from_str::<Value>(&it).ok())
        .find(|it| it["test"].is_object())
        .unwrap_or_default();
    match evidence["test"]["rc"].as_i64() {
        None | Some(0) => approve(),
        Some(rc) => {
            let log = evidence["test"]["log_tail"]["text"].as_str().unwrap_or_default();
            let last = log.lines().rfind(|it| !it.trim().is_empty()).unwrap_or("nothing");
            let last = shorten_to(last, 200);
            refuse(&format!("The test ended with {rc} and printed last: {last}"))
        }
    }
}

/// The opinion as a verdict: scored when the task has a rubric, plain when it has none.
fn written(opinion: &Opinion, request: &Request) -> Value {
    let mut verdict = json!({
        "decision": opinion.decision,
        "reasons": opinion.reasons,
        "next_instructions": opinion.next,
        "questions_for_user": opinion.questions,
    });
    if let Some(rubric) = &request.rubric {
        let chosen = opinion.scores.iter().cycle();
        let scores = rubric.dimensions.iter().zip(chosen).map(|(dimension, &halves)| {
            (dimension.key.clone(), HalfPoints::new(halves).unwrap_or(HalfPoints::MAX))
        });
        add_scores(&mut verdict, rubric, scores.collect());
    }
    verdict
}

/// Adds scores with their sums. The issues name no keyword that would cap a score.
fn add_scores(verdict: &mut Value, rubric: &JudgeRubric, scores: BTreeMap<String, HalfPoints>) {
    let weights: BTreeMap<&str, Weight> =
        rubric.dimensions.iter().map(|it| (it.key.as_str(), it.weight)).collect();
    let raw = Score::weighted(
        scores.iter().filter_map(|(key, score)| Some((*score, *weights.get(key.as_str())?))),
    );
    let low: Vec<String> = rubric
        .dimensions
        .iter()
        .filter(|it| it.is_hard_gate)
        .filter_map(|it| Some((&it.key, *scores.get(&it.key)?)))
        .filter(|(_, score)| Decimal::from(*score) < rubric.gate_threshold)
        .map(|(key, score)| format!("dim:{key}:{score}<{}", rubric.gate_threshold))
        .collect();
    let scored = json!({
        "task_type": rubric.task_type,
        "scores": scores,
        "weights": weights,
        "raw_score_0_5": raw,
        "penalty": 0,
        "final_score_0_5": raw,
        "final_score_0_100": raw.of_100(),
        "gated": !low.is_empty(),
        "gating_reasons": low,
        "top_issues": ["One name could be more precise.", "One comment could be shorter."],
        "fix_suggestions": ["Choose a more precise name.", "Shorten the comment."],
        "scoring_mode_used": "rubric_analytic",
    });
    if let (Some(verdict), Value::Object(scored)) = (verdict.as_object_mut(), scored) {
        verdict.extend(scored);
    }
}

/// A refusal with the first hard gate under its threshold.
fn gated(request: &Request) -> Value {
    let opinion = refuse("A condition that must hold does not hold.");
    let mut verdict = written(&opinion, request);
    let Some(rubric) = &request.rubric else {
        verdict["gated"] = json!(true);
        return verdict;
    };
    let gate = rubric.dimensions.iter().find(|it| it.is_hard_gate);
    let scores = rubric.dimensions.iter().enumerate().map(|(index, it)| {
        let is_gate = gate.is_some_and(|gate| gate.key == it.key);
        let halves = if is_gate { 2 } else { 6 + u8::from(index % 2 == 0) };
        (it.key.clone(), HalfPoints::new(halves).unwrap_or(HalfPoints::ZERO))
    });
    add_scores(&mut verdict, rubric, scores.collect());
    verdict
}

/// Judges the form of the document, and nothing else.
fn structure_verdict(request: &Request) -> Value {
    let (opinion, usual, other, key) = if structure::is_well_formed() {
        (approve(), 9, 8, "risk_and_exception")
    } else {
        (refuse("The document has no title."), 0, 2, "completeness")
    };
    let mut verdict = written(&opinion, request);
    if let Some(rubric) = &request.rubric {
        // One score differs, so that the scores are not flat, whatever the dimensions are.
        let odd = rubric.dimensions.iter().position(|it| it.key == key).unwrap_or(0);
        let scores = rubric.dimensions.iter().enumerate().filter_map(|(index, it)| {
            let halves = if index == odd { other } else { usual };
            Some((it.key.clone(), HalfPoints::new(halves)?))
        });
        add_scores(&mut verdict, rubric, scores.collect());
    }
    verdict
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use provost_kernel::{Digest, task::TaskType};

    use super::*;
    use crate::request::Dimension;

    fn request(is_typed: bool) -> Request {
        let task = "t1".to_owned().try_into().unwrap();
        let attempt = 1.try_into().unwrap();
        let deadline = Duration::from_secs(9);
        let mut request =
            Request::new(AgentRole::Judge, task, attempt, "c", "judge".to_owned(), deadline);
        let dimension = |key: &str, weight: f64, is_hard_gate: bool| Dimension {
            key: key.to_owned(),
            weight: serde_json::from_value(json!(weight)).unwrap(),
            is_hard_gate,
        };
        request.rubric = is_typed.then(|| JudgeRubric {
            task_type: TaskType::EngineeringImpl,
            version: "1.0.0".to_owned(),
            hash: Digest::ZERO,
            gate_threshold: Decimal::ratio(2, 1),
            dimensions: vec![
                dimension("architecture", 0.3, false),
                dimension("correctness", 0.5, true),
                dimension("performance", 0.2, false),
            ],
        });
        request
    }

    #[track_caller]
    fn verdict(behaviour: Behaviour, request: &Request) -> Value {
        match judge(behaviour, request) {
            Left::Reply(reply) => serde_json::from_str(&reply.text).unwrap(),
            Left::Nothing | Left::Bytes(_) | Left::Refusal(..) => {
                panic!("{behaviour:?} left no verdict")
            }
        }
    }

    #[test]
    fn the_sums_of_a_verdict_are_right() {
        let pass = verdict(Behaviour::Pass, &request(true));
        // 0.3 x 4.5 + 0.5 x 4.0 + 0.2 x 4.5
        assert_eq!(pass["raw_score_0_5"], json!(4.25));
        assert_eq!(pass["final_score_0_100"], json!(85));
        assert_eq!(pass["scores"]["correctness"], json!(4));
        assert_eq!(pass["weights"]["performance"], json!(0.2));
        assert_eq!((&pass["decision"], &pass["gated"]), (&json!("PASS"), &json!(false)));

        let gated = verdict(Behaviour::Gated, &request(true));
        assert_eq!(gated["gated"], json!(true));
        assert_eq!(gated["gating_reasons"], json!(["dim:correctness:1<2"]));

        let flat = verdict(Behaviour::FlatScores, &request(true));
        let scores = flat["scores"].as_object().unwrap();
        assert!(scores.values().all(|it| *it == json!(4)) && scores.len() == 3);

        let wrong = verdict(Behaviour::WrongSums, &request(true));
        assert_eq!(wrong["raw_score_0_5"], json!(5));
        assert_eq!(wrong["scores"], pass["scores"]);
    }

    #[test]
    fn a_task_without_a_type_gets_a_plain_verdict() {
        let pass = verdict(Behaviour::Pass, &request(false));
        let keys: Vec<&str> = pass.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["decision", "next_instructions", "questions_for_user", "reasons"]);
        let asking = verdict(Behaviour::NeedInput, &request(false));
        assert_eq!(asking["questions_for_user"].as_array().unwrap().len(), 2);
        let fail = verdict(Behaviour::Fail, &request(false));
        assert_ne!(fail["next_instructions"], json!(""));
    }

    #[test]
    fn the_mock_believes_the_test() {
        let check = |test: Value, expected: &str| {
            let mut request = request(false);
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("evidence.json");
            super::super::put(&file, json!({ "test": test }).to_string().as_bytes()).unwrap();
            request.evidence_files.push(file.to_str().unwrap().to_owned());
            let verdict = verdict(Behaviour::Mock, &request);
            assert_eq!(verdict["decision"], expected);
            verdict["next_instructions"].as_str().unwrap().to_owned()
        };
        check(json!({ "rc": 0 }), "PASS");
        check(json!({ "rc": null }), "PASS");
        let log = json!({ "text": "expected 42, found 41\n\n" });
        let next = check(json!({ "rc": 1, "log_tail": log }), "FAIL");
        assert!(next.contains("expected 42, found 41"), "{next}");
        assert_eq!(verdict(Behaviour::Mock, &request(false))["decision"], "PASS");
    }

    #[test]
    fn the_broken_ones_are_broken() {
        let text = |behaviour| match judge(behaviour, &request(true)) {
            Left::Reply(reply) => reply.text,
            Left::Nothing | Left::Bytes(_) | Left::Refusal(..) => {
                panic!("{behaviour:?} left no reply")
            }
        };
        let parsed = |text: &str| serde_json::from_str::<Value>(text).is_ok();
        assert!(!parsed(&text(Behaviour::BadJson)));
        assert!(!parsed(&text(Behaviour::TrailingText)));
        let twice = text(Behaviour::DuplicateKeys);
        assert_eq!(twice.matches("\"decision\"").count(), 2);
        assert!(twice.starts_with("{\"decision\":\"PASS\","));
        assert!(matches!(judge(Behaviour::BadReply, &request(true)), Left::Bytes(_)));
        assert!(matches!(judge(Behaviour::NoOutput, &request(true)), Left::Nothing));
    }
}
