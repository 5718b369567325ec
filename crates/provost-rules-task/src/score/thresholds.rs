//! Whether a task's thresholds are met, each in its own unit.

use std::collections::BTreeMap;

use provost_kernel::{
    Decimal, Message,
    task::{HalfPoints, ScoreOf100, Thresholds},
};
use serde::Serialize;

/// A threshold that is not met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Message)]
#[message(
    code = "task.threshold.missed",
    en = "`{threshold}` is {score}, the task requires {least}",
    zh = "`{threshold}` 为 {score}，任务要求至少 {least}",
    arg(score = found.map_or_else(|| "-".to_owned(), |it| it.to_string()))
)]
pub struct Missed {
    /// A dimension, or `min_score_0_100`.
    pub threshold: String,
    pub least: Decimal,
    /// None when nothing of this name was scored.
    pub found: Option<Decimal>,
}

/// The thresholds that are not met; a score that equals one meets it.
///
/// A threshold for something that was not scored is not met: it could not be checked.
pub fn missed(
    thresholds: &Thresholds,
    scores: &BTreeMap<String, HalfPoints>,
    whole: ScoreOf100,
) -> Vec<Missed> {
    let whole = thresholds.min_score_0_100.map(|least| Missed {
        threshold: "min_score_0_100".to_owned(),
        least,
        found: Some(whole.into()),
    });
    let dimensions = thresholds.dimensions.iter().map(|(key, &least)| Missed {
        threshold: key.clone(),
        least,
        found: scores.get(key).map(|&it| it.into()),
    });
    let is_missed = |it: &Missed| it.found.is_none_or(|found| found < it.least);
    whole.into_iter().chain(dimensions).filter(is_missed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(thresholds: &str, expected: &[&str]) {
        let thresholds = serde_json::from_str(thresholds).unwrap();
        let scores = serde_json::from_str(r#"{"clarity": 3.5, "security": 0}"#).unwrap();
        let whole = serde_json::from_str("88.8").unwrap();
        let names: Vec<_> =
            missed(&thresholds, &scores, whole).into_iter().map(|it| it.threshold).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn a_score_that_equals_its_threshold_meets_it() {
        check("{}", &[]);
        check(r#"{"min_score": 88.8}"#, &[]);
        check(r#"{"min_score": 88.9}"#, &["min_score_0_100"]);
        check(r#"{"min_score": 4.44}"#, &[]);
        check(r#"{"min_score": 4.45}"#, &["min_score_0_100"]);
        check(r#"{"min_score": 50}"#, &[]);
        check(r#"{"clarity": 3.5}"#, &[]);
        check(r#"{"clarity": 3.51}"#, &["clarity"]);
        check(r#"{"security": 0}"#, &[]);
        check(
            r#"{"security": 0.1, "clarity": 4, "min_score": 90}"#,
            &["min_score_0_100", "clarity", "security"],
        );
    }

    #[test]
    fn a_threshold_for_nothing_is_not_met() {
        check(r#"{"beauty": 0}"#, &["beauty"]);
        let thresholds = serde_json::from_str(r#"{"beauty": 1}"#).unwrap();
        let whole = serde_json::from_str("0").unwrap();
        let missed = missed(&thresholds, &BTreeMap::new(), whole);
        assert_eq!(
            serde_json::to_value(&missed).unwrap(),
            serde_json::json!([{"threshold": "beauty", "least": 1, "found": null}]),
        );
    }
}
