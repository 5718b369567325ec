//! Decimal numbers, exact.
//!
//! What a person or a judge wrote as `4.49` is compared as 449 hundredths, not as the nearest
//! binary fraction, so that a value that equals a limit equals it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Number;

/// A number with up to 18 decimals, between plus and minus 10^15.
///
/// Digits beyond the eighteenth round away from zero, so that what lies outside a limit stays
/// outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
#[schemars(with = "f64")]
pub struct Decimal(i128);

crate::display_arguments!(Decimal);

const DECIMALS: usize = 18;
const UNIT: i128 = 10_i128.pow(18);
const MAX: f64 = 1e15;

impl Decimal {
    pub const ZERO: Self = Self(0);

    /// A fraction whose denominator divides a power of ten: halves, hundredths, 1/200.
    pub const fn ratio(numerator: i64, denominator: u32) -> Self {
        // An `i64` has at most 63 bits and the unit 60: the product fits. `max` keeps this total.
        let denominator = if denominator == 0 { 1 } else { denominator };
        Self(numerator as i128 * UNIT / denominator as i128)
    }

    /// The decimal that the number was written as; none when it is too large.
    ///
    /// A parser has turned the text into a binary fraction; its shortest decimal form is the
    /// text again, as long as that had no more than 15 digits.
    pub fn of_number(number: &Number) -> Option<Self> {
        if let Some(whole) = number.as_i64() {
            return whole
                .checked_abs()
                .is_some_and(|it| it <= 1_000_000_000_000_000)
                .then(|| Self(i128::from(whole) * UNIT));
        }
        let float = number.as_f64().filter(|it| it.abs() <= MAX)?;
        let text = float.to_string();
        let (sign, digits) = text.strip_prefix('-').map_or((1, text.as_str()), |it| (-1, it));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let kept: String =
            fraction.chars().chain("0".repeat(DECIMALS).chars()).take(DECIMALS).collect();
        let has_more = fraction.bytes().skip(DECIMALS).any(|it| it != b'0');
        let magnitude = whole.parse::<i128>().ok()? * UNIT + kept.parse::<i128>().ok()?;
        Some(Self(sign * (magnitude + i128::from(has_more))))
    }

    /// The number of units of `1/denominator`, if it is whole.
    pub fn in_units_of(self, denominator: u32) -> Option<i64> {
        let units = self.0.checked_mul(i128::from(denominator))?;
        if units % UNIT == 0 { i64::try_from(units / UNIT).ok() } else { None }
    }

    /// The number of units of `1/denominator`, a part of one counting as one; none below zero.
    pub fn in_units_up(self, denominator: u32) -> Option<u64> {
        let units = self.0.checked_mul(i128::from(denominator))?;
        let rest = i128::from(units % UNIT != 0);
        if units < 0 { None } else { u64::try_from(units / UNIT + rest).ok() }
    }

    /// The whole part, the fraction cut off.
    pub fn truncated(self) -> i64 {
        i64::try_from(self.0 / UNIT).unwrap_or(i64::MAX)
    }

    /// How far two numbers are apart.
    #[must_use]
    pub fn distance(self, other: Self) -> Self {
        Self((self.0 - other.0).abs())
    }

    /// This much less, but not less than zero.
    #[must_use]
    pub fn less_or_zero(self, other: Self) -> Self {
        Self((self.0 - other.0).max(0))
    }

    /// A whole multiple.
    #[must_use]
    pub fn times(self, factor: u32) -> Self {
        Self(self.0 * i128::from(factor))
    }
}

impl std::ops::Add for Decimal {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl std::iter::Sum for Decimal {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, |sum, it| sum + it)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, fraction) = (self.0.abs() / UNIT, self.0.abs() % UNIT);
        if fraction == 0 {
            return write!(f, "{sign}{whole}");
        }
        let digits = format!("{fraction:018}");
        write!(f, "{sign}{whole}.{}", digits.trim_end_matches('0'))
    }
}

/// Written as a whole number where it is one.
impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.in_units_of(1) {
            Some(whole) => serializer.serialize_i64(whole),
            // The text is a decimal number, so it has a nearest binary fraction.
            None => serializer.serialize_f64(self.to_string().parse().unwrap_or_default()),
        }
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = Number::deserialize(deserializer)?;
        Self::of_number(&number).ok_or_else(|| D::Error::custom("the number is too large"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let actual = serde_json::from_str::<Decimal>(text).ok().map(|it| it.to_string());
        assert_eq!(actual.as_deref(), expected, "{text}");
    }

    #[test]
    fn a_number_is_what_it_was_written_as() {
        check("0", Some("0"));
        check("-0.0", Some("0"));
        check("4.49", Some("4.49"));
        check("0.1", Some("0.1"));
        check("4.440000000000001", Some("4.440000000000001"));
        check("-2.5", Some("-2.5"));
        check("5e-1", Some("0.5"));
        check("1e15", Some("1000000000000000"));
        check("1000000000000000", Some("1000000000000000"));
        check("-1000000000000000", Some("-1000000000000000"));
        check("1000000000000001", None);
        check("-1000000000000001", None);
        check("1.1e15", None);
        check("18446744073709551615", None);
        check("-9223372036854775808", None);
        check("1e999", None);
        check("\"4\"", None);
        check("true", None);
    }

    #[test]
    fn what_cannot_be_kept_rounds_away_from_zero() {
        check("-1e-300", Some("-0.000000000000000001"));
        check("1e-300", Some("0.000000000000000001"));
        check("1e-18", Some("0.000000000000000001"));
        check("1.5e-18", Some("0.000000000000000002"));
    }

    #[test]
    fn a_limit_that_is_met_exactly_is_met() {
        let number = |text: &str| serde_json::from_str::<Decimal>(text).unwrap();
        // In binary fractions, 4.49 - 4.44 is more than 0.05.
        assert_eq!(number("4.49").distance(number("4.44")), number("0.05"));
        assert_eq!(number("4.44").distance(number("4.49")), number("0.05"));
        assert_eq!(["0.1", "0.2"].map(number).into_iter().sum::<Decimal>(), number("0.3"));
        assert_eq!(number("1.5").less_or_zero(number("2")), Decimal::ZERO);
        assert_eq!(number("1.5").less_or_zero(number("0.5")), number("1"));
        assert_eq!(number("4.44").times(20), number("88.8"));
        assert_eq!(Decimal::ratio(888, 200), number("4.44"));
        assert_eq!(Decimal::ratio(-1, 2), number("-0.5"));
        assert_eq!(Decimal::ratio(3, 0), number("3"));
        assert!(number("-1e-300") < Decimal::ZERO);
    }

    #[test]
    fn units_are_whole_or_none() {
        let number = |text: &str| serde_json::from_str::<Decimal>(text).unwrap();
        assert_eq!(number("4.5").in_units_of(2), Some(9));
        assert_eq!(number("4.25").in_units_of(2), None);
        assert_eq!(number("0.18").in_units_of(100), Some(18));
        assert_eq!(number("-1").in_units_of(2), Some(-2));
        assert_eq!(number("0.25").in_units_up(4), Some(1));
        assert_eq!(number("0.26").in_units_up(4), Some(2));
        assert_eq!(number("0").in_units_up(4), Some(0));
        assert_eq!(number("-0.1").in_units_up(4), None);
        assert_eq!(number("1e15").in_units_of(u32::MAX), None);
        assert_eq!(number("88.9").truncated(), 88);
        assert_eq!(number("-0.9").truncated(), 0);
    }

    proptest! {
        /// Every number that is small enough comes back as the same number.
        #[test]
        fn writing_gives_back_what_was_read(thousandths in -10_000_000_i64..10_000_000) {
            let text = format!("{}", Decimal::ratio(thousandths, 1000));
            let read: Decimal = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(read, Decimal::ratio(thousandths, 1000));
            prop_assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
    }
}
