//! Scores, without a binary fraction anywhere.
//!
//! A dimension is scored in half points and weighed in hundredths, so a weighted sum is a whole
//! number of 1/200 points, and twenty times that is a whole number of tenths (LOOP-B7).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Decimal, Message};

/// A score of 0, 0.5, 1 … 5, or a penalty, counted in half points.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "Decimal", into = "Decimal")]
#[schemars(with = "f64", extend("minimum" = 0, "maximum" = 5, "multipleOf" = 0.5))]
pub struct HalfPoints(u8);

/// The share of a dimension in the whole, counted in hundredths from 0 to 100.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "Decimal", into = "Decimal")]
#[schemars(with = "f64", extend("minimum" = 0, "maximum" = 1, "multipleOf" = 0.01))]
pub struct Weight(u8);

/// A weighted score from 0 to 5, counted in 1/200 points.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "Decimal", into = "Decimal")]
#[schemars(with = "f64", extend("minimum" = 0, "maximum" = 5))]
pub struct Score(u16);

/// A score out of 100, counted in tenths: exact, and written with at most one decimal.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "Decimal", into = "Decimal")]
#[schemars(with = "f64", extend("minimum" = 0, "maximum" = 100))]
pub struct ScoreOf100(u16);

/// A number that is not a score of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "task.score",
    en = "{found} is not a number from 0 to {max} by {step}",
    zh = "{found} 不是 0 到 {max} 之间步长为 {step} 的数"
)]
pub struct ScoreError {
    pub found: Decimal,
    pub max: Decimal,
    pub step: Decimal,
}

crate::display_arguments!(HalfPoints, Weight, Score, ScoreOf100);

impl HalfPoints {
    pub const ZERO: Self = Self(0);
    /// The best score, 5.
    pub const MAX: Self = Self(10);
    /// The highest penalty, 2 (LOOP-B6).
    pub const MAX_PENALTY: Self = Self(4);

    /// So many half points; none when that is more than 5.
    pub const fn new(halves: u8) -> Option<Self> {
        if halves <= Self::MAX.0 { Some(Self(halves)) } else { None }
    }

    /// How many half points it is.
    pub fn halves(self) -> u8 {
        self.0
    }

    /// The sum, at most 5.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0).min(Self::MAX)
    }
}

impl Weight {
    /// The weights of a whole: they add up to this.
    pub const WHOLE: u16 = 100;

    /// How many hundredths it is.
    pub fn hundredths(self) -> u16 {
        u16::from(self.0)
    }
}

impl Score {
    const MAX: Self = Self(1000);

    /// The weighted sum of scores, at most 5.
    pub fn weighted(parts: impl IntoIterator<Item = (HalfPoints, Weight)>) -> Self {
        let sum: u64 = parts
            .into_iter()
            .map(|(score, weight)| u64::from(score.halves()) * u64::from(weight.hundredths()))
            .sum();
        Self(u16::try_from(sum).unwrap_or(u16::MAX)).min(Self::MAX)
    }

    /// What is left after a penalty: S = max(0, `S_raw` - P) (LOOP-B6).
    #[must_use]
    pub fn after(self, penalty: HalfPoints) -> Self {
        Self(self.0.saturating_sub(u16::from(penalty.halves()) * 100))
    }

    /// The score out of 100: `S_100` = 20 S, exact (LOOP-B7).
    pub fn of_100(self) -> ScoreOf100 {
        // 20/200 points are a tenth, so the count stays the same.
        ScoreOf100(self.0)
    }
}

impl ScoreOf100 {
    /// The whole part, for an index that has no decimals.
    pub fn truncated(self) -> u8 {
        u8::try_from(self.0 / 10).unwrap_or(100)
    }
}

macro_rules! exact {
    ($name:ident, $count:ty, per: $denominator:literal, max: $max:expr) => {
        impl From<$name> for Decimal {
            fn from(it: $name) -> Self {
                Self::ratio(i64::from(it.0), $denominator)
            }
        }

        impl TryFrom<Decimal> for $name {
            type Error = ScoreError;

            fn try_from(found: Decimal) -> Result<Self, ScoreError> {
                let count =
                    found.in_units_of($denominator).and_then(|it| <$count>::try_from(it).ok());
                count.filter(|&it| it <= $max).map(Self).ok_or(ScoreError {
                    found,
                    max: Decimal::ratio(i64::from($max), $denominator),
                    step: Decimal::ratio(1, $denominator),
                })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Decimal::from(*self).fmt(f)
            }
        }
    };
}

exact!(HalfPoints, u8, per: 2, max: 10);
exact!(Weight, u8, per: 100, max: 100);
exact!(Score, u16, per: 200, max: 1000);
exact!(ScoreOf100, u16, per: 10, max: 1000);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check<T>(text: &str, expected: Option<&str>)
    where
        T: for<'de> Deserialize<'de> + Serialize,
    {
        let read = serde_json::from_str::<T>(text).ok();
        let written = read.map(|it| serde_json::to_string(&it).unwrap());
        assert_eq!(written.as_deref(), expected, "{text}");
    }

    /// LOOP-B4: scores from 0 to 5 by 0.5.
    #[test]
    fn a_score_is_a_number_of_half_points() {
        check::<HalfPoints>("0", Some("0"));
        check::<HalfPoints>("0.5", Some("0.5"));
        check::<HalfPoints>("4.50", Some("4.5"));
        check::<HalfPoints>("5.0", Some("5"));
        check::<HalfPoints>("5.5", None);
        check::<HalfPoints>("-0.5", None);
        check::<HalfPoints>("4.4", None);
        check::<HalfPoints>("true", None);
        check::<HalfPoints>("\"5\"", None);
        check::<HalfPoints>("null", None);
        assert_eq!(HalfPoints::new(10), Some(HalfPoints::MAX));
        assert_eq!(HalfPoints::new(11), None);
        let points = |halves| HalfPoints::new(halves).unwrap();
        assert_eq!(points(3).plus(points(4)), points(7));
        assert_eq!(points(8).plus(points(4)), HalfPoints::MAX);
    }

    #[test]
    fn the_other_kinds_have_their_own_steps() {
        check::<Weight>("0.18", Some("0.18"));
        check::<Weight>("1", Some("1"));
        check::<Weight>("1.01", None);
        check::<Weight>("0.185", None);
        check::<Score>("4.44", Some("4.44"));
        check::<Score>("4.445", Some("4.445"));
        check::<Score>("4.444", None);
        check::<Score>("5.005", None);
        check::<ScoreOf100>("88.8", Some("88.8"));
        check::<ScoreOf100>("88.85", None);
        check::<ScoreOf100>("100", Some("100"));
        check::<ScoreOf100>("100.1", None);
        let error = HalfPoints::try_from(Decimal::ratio(26, 5)).unwrap_err();
        assert_eq!(error.to_string(), "5.2 is not a number from 0 to 5 by 0.5");
    }

    #[track_caller]
    fn check_sum(parts: &[(u8, u8)], penalty: u8, expected: (&str, &str, &str)) {
        let parts = parts.iter().map(|&(half, weight)| (HalfPoints(half), Weight(weight)));
        let raw = Score::weighted(parts);
        let rest = raw.after(HalfPoints(penalty));
        let actual = (raw.to_string(), rest.to_string(), rest.of_100().to_string());
        assert_eq!((actual.0.as_str(), actual.1.as_str(), actual.2.as_str()), expected);
    }

    /// LOOP-B6 and LOOP-B7: S = max(0, `S_raw` - P), `S_100` = 20 S, exact.
    #[test]
    fn a_weighted_sum_is_exact() {
        check_sum(&[(9, 18), (9, 70), (8, 12)], 0, ("4.44", "4.44", "88.8"));
        check_sum(&[(9, 18), (9, 70), (8, 12)], 3, ("4.44", "2.94", "58.8"));
        check_sum(&[(10, 100)], 0, ("5", "5", "100"));
        check_sum(&[(1, 1)], 0, ("0.005", "0.005", "0.1"));
        check_sum(&[(2, 100)], 2, ("1", "0", "0"));
        check_sum(&[(2, 100)], 3, ("1", "0", "0"));
        check_sum(&[(3, 100)], 2, ("1.5", "0.5", "10"));
        check_sum(&[], 4, ("0", "0", "0"));
        check_sum(&[(10, 100), (10, 100)], 0, ("5", "5", "100"));
        assert_eq!(ScoreOf100(889).truncated(), 88);
        assert_eq!(ScoreOf100(1000).truncated(), 100);
    }

    proptest! {
        /// The counts agree with slow fractions.
        #[test]
        fn counting_agrees_with_fractions(
            parts in prop::collection::vec((0_u8..=10, 0_u8..=14), 0..8),
            penalty in 0_u8..=4,
        ) {
            let numerator: u32 = parts.iter().map(|&(a, b)| u32::from(a) * u32::from(b)).sum();
            let scored = parts.iter().map(|&(half, weight)| (HalfPoints(half), Weight(weight)));
            let raw = Score::weighted(scored);
            prop_assert_eq!(Decimal::from(raw), Decimal::ratio(i64::from(numerator.min(1000)), 200));
            let rest = raw.after(HalfPoints(penalty));
            let expected = Decimal::from(raw).less_or_zero(Decimal::ratio(i64::from(penalty), 2));
            prop_assert_eq!(Decimal::from(rest), expected);
            prop_assert_eq!(Decimal::from(rest.of_100()), expected.times(20));
        }
    }
}
