//! Times: whole UTC seconds in what people and files see, milliseconds for lock protocols.

use std::{fmt, str::FromStr};

use crate::shorten;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An instant in whole UTC seconds, written `YYYY-MM-DDTHH:MM:SSZ` (LOOP-A14).
///
/// It is for people. Order and consumption go by sequence number, never by time.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"))]
pub struct Timestamp(jiff::Timestamp);

/// Unix time in milliseconds.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Millis(pub u64);

/// Where the time comes from. Judgements take a time as data; effects take a clock.
pub trait Clock: Send + Sync {
    fn millis(&self) -> Millis;

    fn now(&self) -> Timestamp {
        self.millis().into()
    }
}

/// A text that is not a time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time: write it as `2026-01-31T23:59:59Z`")]
pub struct TimestampError(String);

impl Timestamp {
    /// The start of Unix time.
    pub const EPOCH: Self = Self(jiff::Timestamp::UNIX_EPOCH);

    /// Whole seconds since the start of Unix time.
    pub fn seconds(self) -> i64 {
        self.0.as_second()
    }
}

impl Millis {
    /// How long ago `earlier` was; nothing if it lies in the future.
    pub fn since(self, earlier: Self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl From<Millis> for Timestamp {
    fn from(millis: Millis) -> Self {
        let seconds = i64::try_from(millis.0 / 1000).unwrap_or(i64::MAX);
        // A clock beyond the year 9999 is wrong; the last representable second says so.
        Self(jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::MAX))
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    /// Reads any RFC 3339 time; a fraction is cut off and an offset is turned into UTC.
    fn from_str(text: &str) -> Result<Self, TimestampError> {
        let exact: jiff::Timestamp = text.parse().map_err(|_| TimestampError(shorten(text)))?;
        let second = exact.as_second() - i64::from(exact.subsec_nanosecond() < 0);
        jiff::Timestamp::from_second(second).map(Self).map_err(|_| TimestampError(shorten(text)))
    }
}

impl TryFrom<String> for Timestamp {
    type Error = TimestampError;

    fn try_from(text: String) -> Result<Self, TimestampError> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(time: Timestamp) -> Self {
        time.to_string()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value holds whole seconds only, so this prints no fraction.
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let actual = text.parse::<Timestamp>().ok().map(|it| it.to_string());
        assert_eq!(actual.as_deref(), expected, "{text:?}");
    }

    /// LOOP-A14.
    #[test]
    fn a_time_is_written_in_whole_utc_seconds() {
        check("2026-11-15T04:14:00Z", Some("2026-11-15T04:14:00Z"));
        check("2026-11-15T04:14:00.999Z", Some("2026-11-15T04:14:00Z"));
        check("1969-12-31T23:59:59.5Z", Some("1969-12-31T23:59:59Z"));
        check("2026-11-15T12:14:00+08:00", Some("2026-11-15T04:14:00Z"));
        check("2026-11-15", None);
        check("", None);
        check("yesterday", None);
        assert_eq!(Timestamp::from(Millis(1_999)).to_string(), "1970-01-01T00:00:01Z");
        assert_eq!(Timestamp::EPOCH.to_string(), "1970-01-01T00:00:00Z");
    }

    #[test]
    fn a_clock_beyond_all_calendars_does_not_panic() {
        assert!(Timestamp::from(Millis(u64::MAX)).to_string().starts_with("9999-12-"));
    }
}
