//! The tables that the decision and the validator are compared with, as part of the program.

use provost_kernel::{
    Message, Text,
    task::{ScoringMode, TaskType},
};
use provost_rules_task::{
    decision,
    verdict::{self, Judged, VerdictResult, Yardstick, YardstickError},
};
use serde_json::{Value, json};

/// The eleven rows of the original's table.
pub const DECISIONS: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../fixtures/task/decision/original.json"
));
/// A valid reply to a task of each type.
const VALID: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/task/verdict/valid.json"));

/// Where a table differs from what the program does, or why it cannot be compared.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.vectors")]
pub enum VectorError {
    #[message(en = "invalid table: {0}", zh = "表格无效：{0}")]
    Json(#[from] serde_json::Error),
    #[message(en = "missing vectors", zh = "缺少向量")]
    Empty,
    #[message(en = "{name}: {why}", zh = "{name}：{why}")]
    Input { name: String, why: Text },
    #[message(
        en = "{name}: `{key}` is {found}, expected {expected}",
        zh = "{name}：`{key}` 为 {found}，应为 {expected}"
    )]
    Decision { name: String, key: String, found: Value, expected: Value },
    #[message(
        en = "{task_type}, {name}: {found}, expected {expected}",
        zh = "{task_type}，{name}：{found}，应为{expected}"
    )]
    Verdict {
        task_type: TaskType,
        name: &'static str,
        found: VerdictResult,
        expected: VerdictResult,
    },
    #[message(transparent)]
    Yardstick(#[from] YardstickError),
}

/// Compares the decision table with vectors, and returns how many there are.
pub fn decision_vectors(vectors: &str) -> Result<usize, VectorError> {
    let file: Value = serde_json::from_str(vectors)?;
    let vectors = file["vectors"].as_array().map_or(&[][..], Vec::as_slice);
    if vectors.is_empty() {
        return Err(VectorError::Empty);
    }
    for vector in vectors {
        let name = vector["name"].as_str().unwrap_or_default();
        let decided = decision::check(vector["input"].to_string().as_bytes())
            .map_err(|it| VectorError::Input { name: name.to_owned(), why: it.text() })?;
        let decided = serde_json::to_value(decided)?;
        for (key, expected) in vector["expected"].as_object().into_iter().flatten() {
            let found = &decided[key];
            if found != expected {
                return Err(VectorError::Decision {
                    name: name.to_owned(),
                    key: key.clone(),
                    found: found.clone(),
                    expected: expected.clone(),
                });
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

/// Runs the validator over a valid reply of each type, and over broken ones.
///
/// `untouched` is the expected result of an unchanged reply; anything but
/// [`VerdictResult::Valid`] shows that the comparison can fail.
pub fn verdict_vectors(untouched: VerdictResult) -> Result<usize, VectorError> {
    let yardstick = Yardstick::embedded()?;
    let valid: Value = serde_json::from_str(VALID)?;
    let mut count = 0;
    for &task_type in TaskType::ALL {
        let judged = Judged {
            task_type: Some(task_type),
            scoring_mode: ScoringMode::RubricAnalytic,
            needs_score: false,
        };
        for &(name, change, expected) in CHANGES {
            let mut reply = valid[task_type.as_str()].clone();
            change(&mut reply);
            let found =
                verdict::validate(reply.to_string().as_bytes(), &yardstick, judged).result();
            let expected = expected.unwrap_or(untouched);
            if found != expected {
                return Err(VectorError::Verdict { task_type, name, found, expected });
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
