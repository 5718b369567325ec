//! An instant as some tool wrote it, which may be wrong.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Millis, Timestamp};

/// An instant in a file that other tools write too, kept as it was written.
///
/// A text that is not a time is kept as well: it is older than nothing and newer than nothing, and
/// it does not make the rest of the file unreadable.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Moment(String);

impl Moment {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Milliseconds since the start of Unix time; nothing if the text is not a time.
    pub fn millis(&self) -> Option<i64> {
        self.0.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
    }
}

impl From<Timestamp> for Moment {
    fn from(time: Timestamp) -> Self {
        Self(time.to_string())
    }
}

impl From<Millis> for Moment {
    /// Whole seconds, like every time that provost writes.
    fn from(millis: Millis) -> Self {
        Timestamp::from(millis).into()
    }
}

impl From<String> for Moment {
    fn from(text: String) -> Self {
        Self(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<i64>) {
        assert_eq!(Moment::from(text.to_owned()).millis(), expected, "{text:?}");
    }

    #[test]
    fn a_moment_is_compared_by_milliseconds_and_kept_as_it_was_written() {
        check("1970-01-01T00:00:01.234Z", Some(1_234));
        check("1970-01-01T00:00:01Z", Some(1_000));
        check("1970-01-01T01:00:00+01:00", Some(0));
        check("1969-12-31T23:59:59.999Z", Some(-1));
        check("yesterday", None);
        check("", None);
        assert_eq!(Moment::from(Millis(1_999)).as_str(), "1970-01-01T00:00:01Z");
        let text = "\"2026-11-15T00:00:00.5Z\"";
        let moment: Moment = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&moment).unwrap(), text);
    }
}
