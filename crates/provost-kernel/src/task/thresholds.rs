//! What a task asks of its scores, in one unit.
//!
//! The whole is measured out of 100 and a dimension out of 5. `min_score`, the older key, is
//! read: over 5 it is out of 100, else out of 5. It is written as `min_score_0_100`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::{Map, Value};

use crate::{Decimal, Message};

/// The least scores with which a task may be ready for review.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(with = "BTreeMap<String, f64>")]
pub struct Thresholds {
    /// The least score of the whole, out of 100.
    pub min_score_0_100: Option<Decimal>,
    /// The least score of a dimension, out of 5.
    pub dimensions: BTreeMap<String, Decimal>,
}

/// An invalid threshold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.threshold")]
pub enum ThresholdError {
    #[message(
        en = "`{key}` is not a number from 0 to {max}",
        zh = "`{key}` 不是 0 到 {max} 之间的数"
    )]
    OutOfRange { key: String, max: u8 },
    #[message(
        en = "`min_score` and `min_score_0_100` are the same threshold: keep one",
        zh = "`min_score` 与 `min_score_0_100` 是同一门槛：只保留一个"
    )]
    Both,
}

const OF_100: &str = "min_score_0_100";
const EITHER: &str = "min_score";
const MAX_DIMENSION: u8 = 5;

impl Thresholds {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.min_score_0_100.is_none() && self.dimensions.is_empty()
    }

    /// Reads the object; a threshold that is `null` is not set.
    pub fn read(object: &Map<String, Value>) -> Result<Self, ThresholdError> {
        let mut thresholds = Self::default();
        for (key, value) in object.iter().filter(|(_, it)| !it.is_null()) {
            match key.as_str() {
                EITHER => {
                    let found = number(key, value, 100)?;
                    let five = Decimal::ratio(5, 1);
                    let of_100 = if found > five { found } else { found.times(20) };
                    if thresholds.min_score_0_100.replace(of_100).is_some() {
                        return Err(ThresholdError::Both);
                    }
                }
                OF_100 => {
                    if thresholds.min_score_0_100.replace(number(key, value, 100)?).is_some() {
                        return Err(ThresholdError::Both);
                    }
                }
                _ => {
                    let found = number(key, value, MAX_DIMENSION)?;
                    thresholds.dimensions.insert(key.clone(), found);
                }
            }
        }
        Ok(thresholds)
    }
}

fn number(key: &str, value: &Value, max: u8) -> Result<Decimal, ThresholdError> {
    let number = match value {
        Value::Number(it) => Decimal::of_number(it),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    };
    let in_range = |it: &Decimal| (Decimal::ZERO..=Decimal::ratio(i64::from(max), 1)).contains(it);
    number.filter(in_range).ok_or_else(|| ThresholdError::OutOfRange { key: key.to_owned(), max })
}

impl Serialize for Thresholds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = self.min_score_0_100.iter().map(|it| (OF_100, it));
        serializer
            .collect_map(self.dimensions.iter().map(|(key, it)| (key.as_str(), it)).chain(whole))
    }
}

impl<'de> Deserialize<'de> for Thresholds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&Map::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let actual = Thresholds::read(&serde_json::from_str(text).unwrap());
        let actual = actual.map(|it| serde_json::to_value(it).unwrap().to_string());
        assert_eq!(
            actual.map_err(|it| it.to_string()),
            expected.map(str::to_owned).map_err(str::to_owned),
            "{text}",
        );
    }

    #[test]
    fn the_whole_has_one_unit() {
        check("{}", Ok("{}"));
        check(r#"{"min_score": null}"#, Ok("{}"));
        check(r#"{"min_score": 50}"#, Ok(r#"{"min_score_0_100":50}"#));
        check(r#"{"min_score": 5}"#, Ok(r#"{"min_score_0_100":100}"#));
        check(r#"{"min_score": 5.1}"#, Ok(r#"{"min_score_0_100":5.1}"#));
        check(r#"{"min_score": 3.75}"#, Ok(r#"{"min_score_0_100":75}"#));
        check(r#"{"min_score_0_100": 4}"#, Ok(r#"{"min_score_0_100":4}"#));
        check(
            r#"{"clarity": 3.5, "min_score": 100}"#,
            Ok(r#"{"clarity":3.5,"min_score_0_100":100}"#),
        );
    }

    #[test]
    fn what_cannot_be_reached_or_read_is_refused() {
        check(r#"{"min_score": 101}"#, Err("`min_score` is not a number from 0 to 100"));
        check(r#"{"min_score": -1}"#, Err("`min_score` is not a number from 0 to 100"));
        check(r#"{"min_score": "50"}"#, Err("`min_score` is not a number from 0 to 100"));
        check(
            r#"{"min_score_0_100": 100.5}"#,
            Err("`min_score_0_100` is not a number from 0 to 100"),
        );
        check(r#"{"clarity": 5.5}"#, Err("`clarity` is not a number from 0 to 5"));
        check(r#"{"clarity": true}"#, Err("`clarity` is not a number from 0 to 5"));
        check(
            r#"{"min_score": 4, "min_score_0_100": 80}"#,
            Err("`min_score` and `min_score_0_100` are the same threshold: keep one"),
        );
    }

    #[test]
    fn nothing_asked_is_empty() {
        assert!(Thresholds::default().is_empty());
        for text in [r#"{"clarity": 0}"#, r#"{"min_score": 0}"#] {
            assert!(!serde_json::from_str::<Thresholds>(text).unwrap().is_empty(), "{text}");
        }
    }
}
