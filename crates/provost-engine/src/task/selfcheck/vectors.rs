//! The tables that the decision and the validator are held against, as part of the program.

use provost_kernel::{
    Lang, Message,
    task::{ScoringMode, TaskType},
};
use provost_rules_task::{
    decision,
    verdict::{self, Judged, VerdictResult, Yardstick},
};
use serde_json::{Value, json};

use crate::EngineError;

/// The eleven rows of the original's table.
pub const DECISIONS: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../fixtures/task/decision/original.json"
));
/// A valid reply to a task of each type.
const VALID: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/task/verdict/valid.json"));

/// Holds the decision table against vectors; says how many there are, or where it differs.
pub fn decision_vectors(vectors: &str, lang: Lang) -> Result<usize, String> {
    let file: Value = serde_json::from_str(vectors).map_err(|it| it.to_string())?;
    let vectors = file["vectors"].as_array().map_or(&[][..], Vec::as_slice);
    if vectors.is_empty() {
        return Err(lang.pick("there are no vectors", "没有向量").to_owned());
    }
    for vector in vectors {
        let name = vector["name"].as_str().unwrap_or_default();
        let decided = decision::check(vector["input"].to_string().as_bytes())
            .map_err(|it| format!("{name}: {}", it.text().render(lang)))?;
        let decided = serde_json::to_value(decided).map_err(|it| it.to_string())?;
        for (key, expected) in vector["expected"].as_object().into_iter().flatten() {
            let found = &decided[key];
            if found != expected {
                return Err(lang.pick(
                    format!("{name}: `{key}` should be {expected} and is {found}"),
                    format!("{name}:`{key}` 应为 {expected},实为 {found}"),
                ));
            }
        }
    }
    Ok(vectors.len())
}

/// A change to a valid reply, and what the validator must say then; none for no change.
type Change = (&'static str, fn(&mut Value), Option<VerdictResult>);

const CHANGES: &[Change] = &[
    ("as it is", |_| {}, None),
    ("without scores", |it| remove(it, "scores"), Some(VerdictResult::Invalid)),
    ("without its mode", |it| remove(it, "scoring_mode_used"), Some(VerdictResult::Invalid)),
    (
        "a sum that is not the sum",
        |it| it["raw_score_0_5"] = json!(1),
        Some(VerdictResult::Invalid),
    ),
    (
        "an end that is not the end",
        |it| it["final_score_0_100"] = json!(7),
        Some(VerdictResult::Invalid),
    ),
    ("a penalty of 3", |it| it["penalty"] = json!(3), Some(VerdictResult::Invalid)),
    ("one issue", |it| it["top_issues"] = json!(["x"]), Some(VerdictResult::Invalid)),
    ("an unknown decision", |it| it["decision"] = json!("MAYBE"), Some(VerdictResult::Invalid)),
    ("no issues", |it| it["top_issues"] = json!([]), Some(VerdictResult::Inconsistent)),
    ("flat scores", flatten, Some(VerdictResult::Inconsistent)),
];

/// Holds the validator against a valid reply of each type, and against what breaks it.
///
/// `untouched` is what is expected of a reply that nobody broke; anything but
/// [`VerdictResult::Valid`] shows that the comparison can fail.
pub fn verdict_vectors(untouched: VerdictResult, lang: Lang) -> Result<usize, String> {
    let yardstick =
        Yardstick::embedded().map_err(|it| EngineError::from(it).text().render(lang))?;
    let valid: Value = serde_json::from_str(VALID).map_err(|it| it.to_string())?;
    let mut count = 0;
    for &task_type in TaskType::ALL {
        let judged = Judged {
            task_type: Some(task_type),
            scoring_mode: ScoringMode::RubricAnalytic,
            needs_score: false,
        };
        for (name, change, expected) in CHANGES {
            let mut reply = valid[task_type.as_str()].clone();
            change(&mut reply);
            let found =
                verdict::validate(reply.to_string().as_bytes(), &yardstick, judged).result();
            let expected = expected.unwrap_or(untouched);
            if found != expected {
                return Err(lang.pick(
                    format!("{task_type}, {name}: should be {expected:?} and is {found:?}"),
                    format!("{task_type},{name}:应为 {expected:?},实为 {found:?}"),
                ));
            }
            count += 1;
        }
    }
    Ok(count)
}

fn remove(reply: &mut Value, key: &str) {
    if let Some(object) = reply.as_object_mut() {
        object.remove(key);
    }
}

/// Gives every dimension the same score, with the sums that belong to it.
fn flatten(reply: &mut Value) {
    if let Some(scores) = reply["scores"].as_object_mut() {
        scores.values_mut().for_each(|it| *it = json!(4));
    }
    reply["raw_score_0_5"] = json!(4);
    reply["final_score_0_5"] = json!(4);
    reply["final_score_0_100"] = json!(80);
}
