//! What a task may cost, besides attempts: money, tokens and time.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Map, Value};

use crate::{Decimal, Message, shorten};

/// The most that a task may cost; a part that is absent is not limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// In US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<Usd>,
    /// In tokens, of coder and judge together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// In time that the steps run: seconds, or a text such as `1h30m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall: Option<Wall>,
}

/// Money, counted in millionths of a US dollar; a part of one counts as one.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "Decimal", into = "Decimal")]
#[schemars(with = "f64", extend("minimum" = 0))]
pub struct Usd(u64);

/// A length of time in whole seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("type" = ["integer", "string"]))]
pub struct Wall(pub u64);

/// Why a budget cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.budget")]
pub enum BudgetError {
    #[message(
        en = "unknown key `{0}`",
        zh = "未知的键 `{0}`",
        hint(en = "use `usd`, `tokens` or `wall`", zh = "可用 `usd`、`tokens` 或 `wall`")
    )]
    UnknownKey(String),
    #[message(en = "`tokens` is not a whole number", zh = "`tokens` 不是整数")]
    Tokens,
    #[message(transparent)]
    Usd(UsdError),
    #[message(transparent)]
    Wall(WallError),
}

/// A number that is not an amount of money.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.usd", en = "invalid amount of US dollars `{0}`", zh = "美元金额 `{0}` 无效")]
pub struct UsdError(String);

/// A text that is not a length of time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "task.wall",
    en = "invalid duration `{0}`: use `90`, `45s`, `30m` or `1h30m`",
    zh = "时长 `{0}` 无效：可写作 `90`、`45s`、`30m` 或 `1h30m`"
)]
pub struct WallError(String);

crate::display_arguments!(Usd);

const MILLION: u32 = 1_000_000;

impl Budget {
    /// Whether nothing is limited.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// Reads the object; a part that is `null` is not limited.
    pub fn read(object: &Map<String, Value>) -> Result<Self, BudgetError> {
        let mut budget = Self::default();
        for (key, value) in object {
            let is_set = !value.is_null();
            match key.as_str() {
                "usd" if is_set => budget.usd = Some(Usd::read(value).map_err(BudgetError::Usd)?),
                "wall" if is_set => {
                    budget.wall = Some(Wall::read(value).map_err(BudgetError::Wall)?);
                }
                "tokens" if is_set => {
                    budget.tokens = Some(value.as_u64().ok_or(BudgetError::Tokens)?);
                }
                "usd" | "wall" | "tokens" => {}
                _ => return Err(BudgetError::UnknownKey(shorten(key))),
            }
        }
        Ok(budget)
    }
}

impl<'de> Deserialize<'de> for Budget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&Map::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Usd {
    fn read(value: &Value) -> Result<Self, UsdError> {
        let amount = value.as_number().and_then(Decimal::of_number);
        amount.ok_or_else(|| UsdError(shorten(&value.to_string())))?.try_into()
    }

    /// So many millionths of a dollar.
    pub const fn micros(micros: u64) -> Self {
        Self(micros)
    }

    /// How many millionths of a dollar it is.
    pub const fn in_micros(self) -> u64 {
        self.0
    }

    /// The sum; an amount beyond all money stays there.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference of two amounts; 0 where the other one is larger.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl From<Usd> for Decimal {
    fn from(usd: Usd) -> Self {
        Self::ratio(i64::try_from(usd.0).unwrap_or(i64::MAX), MILLION)
    }
}

impl TryFrom<Decimal> for Usd {
    type Error = UsdError;

    fn try_from(amount: Decimal) -> Result<Self, UsdError> {
        amount.in_units_up(MILLION).map(Self).ok_or_else(|| UsdError(amount.to_string()))
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", Decimal::from(*self))
    }
}

impl FromStr for Wall {
    type Err = WallError;

    /// Reads whole seconds, or hours, minutes and seconds in this order, each at most once.
    fn from_str(text: &str) -> Result<Self, WallError> {
        let fail = || WallError(shorten(text));
        let mut rest = text;
        let mut seconds: u64 = 0;
        for (unit, length) in [('h', 3600), ('m', 60), ('s', 1)] {
            let Some((number, after)) = rest.split_once(unit) else { continue };
            let part = digits(number).and_then(|it| it.checked_mul(length));
            seconds = part.and_then(|it| seconds.checked_add(it)).ok_or_else(fail)?;
            rest = after;
        }
        if rest.is_empty() && !text.is_empty() {
            return Ok(Self(seconds));
        }
        // A bare number is seconds, if nothing stands before it.
        digits(text).map(Self).ok_or_else(fail)
    }
}

fn digits(text: &str) -> Option<u64> {
    let is_plain = !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    is_plain.then(|| text.parse().ok())?
}

impl Wall {
    fn read(value: &Value) -> Result<Self, WallError> {
        match value {
            Value::String(text) => text.parse(),
            other @ (Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_)) => {
                other.as_u64().map(Self).ok_or_else(|| WallError(shorten(&other.to_string())))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Wall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<u64>) {
        let actual = serde_json::from_str::<Wall>(text).ok();
        assert_eq!(actual.map(|it| it.0), expected, "{text}");
    }

    #[test]
    fn time_is_seconds_or_hours_minutes_seconds() {
        check("90", Some(90));
        check("0", Some(0));
        check("\"90\"", Some(90));
        check("\"45s\"", Some(45));
        check("\"30m\"", Some(1800));
        check("\"1h30m\"", Some(5400));
        check("\"1h2m3s\"", Some(3723));
        check("\"2h\"", Some(7200));
        check("\"1h5s\"", Some(3605));
        for bad in [
            "-1", "1.5", "null", "\"\"", "\"h\"", "\"1m1h\"", "\"1h30\"", "\"1 h\"", "\"+1s\"",
            "\"1d\"",
        ] {
            check(bad, None);
        }
        check("\"99999999999999999999s\"", None);
        check("\"9999999999999999h\"", None);
        check("\"5124095576030431h59m\"", None);
    }

    #[test]
    fn money_is_counted_in_millionths_rounded_up() {
        for (text, expected) in [
            ("2.5", Some("$2.5")),
            ("0", Some("$0")),
            ("0.000001", Some("$0.000001")),
            ("0.0000001", Some("$0.000001")),
            ("0.0000011", Some("$0.000002")),
            ("-0.5", None),
            ("\"2\"", None),
        ] {
            let actual = serde_json::from_str::<Usd>(text).ok().map(|it| it.to_string());
            assert_eq!(actual.as_deref(), expected, "{text}");
        }
        assert_eq!(Usd::micros(1).plus(Usd::micros(2)), Usd::micros(3));
        assert_eq!(Usd::micros(u64::MAX).plus(Usd::micros(1)), Usd::micros(u64::MAX));
    }

    #[test]
    fn a_budget_names_its_parts_exactly() {
        let read = |text: &str| serde_json::from_str::<Budget>(text).ok();
        assert!(read("{}").unwrap().is_unlimited());
        assert!(!read(r#"{"tokens": 5}"#).unwrap().is_unlimited());
        assert_eq!(read(r#"{"token": 5}"#), None);
        let error = |text: &str| {
            let error = Budget::read(&serde_json::from_str(text).unwrap()).unwrap_err();
            crate::Lang::Zh.render(&error.text())
        };
        assert_eq!(error(r#"{"token": 5}"#), "未知的键 `token`");
        assert_eq!(error(r#"{"usd": -1}"#), "美元金额 `-1` 无效");
        assert!(error(r#"{"wall": "soon"}"#).starts_with("时长 `soon` 无效"));
        let all = read(r#"{"usd": 1, "tokens": 5, "wall": "1m"}"#).unwrap();
        assert_eq!(
            serde_json::to_value(all).unwrap(),
            serde_json::json!({"usd": 1, "tokens": 5, "wall": 60}),
        );
    }
}
