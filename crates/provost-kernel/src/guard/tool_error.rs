//! The last thing that went wrong with a tool, or with a file of the guard's own state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Moment;
use crate::Record;

/// The content of `last-tool-error.json`, in the shape that other tools read (HOOK-2.5).
///
/// Its texts come from elsewhere: its maker takes the secrets out first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastToolError {
    pub tool_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_input_preview: Option<String>,
    pub error: String,
    pub timestamp: Moment,
    /// How often the same tool has failed in a row, this time included.
    #[serde(default = "once")]
    pub retry_count: u32,
}

impl LastToolError {
    /// How many characters of the input are kept.
    pub const PREVIEW_CHARACTERS: usize = 200;
    /// How many characters of the error are kept.
    pub const ERROR_CHARACTERS: usize = 500;
    /// Failures of one tool that are no further apart than this are a row.
    pub const ROW_MILLIS: u64 = 60_000;
    /// The name of the tool under which a corrupt file of the state is recorded.
    pub const STATE_READ: &str = "state-read";

    /// The count of a failure of a tool after this one.
    ///
    /// A time that is none, or lies ahead, starts a new row.
    pub fn next_count(&self, tool_name: &str, now: Moment) -> u32 {
        let age = match (now.millis(), self.timestamp.millis()) {
            (Some(now), Some(before)) => now.checked_sub(before),
            (None, _) | (_, None) => None,
        };
        let is_in_a_row = self.tool_name == tool_name
            && age.is_some_and(|it| u64::try_from(it).is_ok_and(|it| it <= Self::ROW_MILLIS));
        if is_in_a_row { self.retry_count.saturating_add(1) } else { 1 }
    }
}

impl Record for LastToolError {
    const SCHEMA: &'static str = "provost.tool-error/1";
    const KEYS: &'static [&'static str] =
        &["tool_name", "tool_input_preview", "error", "timestamp", "retry_count"];
}

fn once() -> u32 {
    1
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::RecordFile;

    #[track_caller]
    fn check(before: &str, tool_name: &str, now: &str, expected: u32) {
        let before = LastToolError {
            tool_name: "Bash".to_owned(),
            tool_input_preview: None,
            error: "x".to_owned(),
            timestamp: before.to_owned().into(),
            retry_count: 4,
        };
        assert_eq!(before.next_count(tool_name, now.to_owned().into()), expected, "{before:?}");
    }

    #[test]
    fn failures_of_one_tool_within_a_minute_are_a_row() {
        let start = "2026-11-15T00:00:00.500Z";
        check(start, "Bash", "2026-11-15T00:00:00.500Z", 5);
        check(start, "Bash", "2026-11-15T00:01:00.500Z", 5);
        check(start, "Bash", "2026-11-15T00:01:00.501Z", 1);
        check(start, "Edit", "2026-11-15T00:00:01Z", 1);
        check(start, "Bash", "2026-11-15T00:00:00Z", 1);
        check("soon", "Bash", "2026-11-15T00:00:00Z", 1);
        check(start, "Bash", "soon", 1);
    }

    #[test]
    fn a_file_of_the_original_is_read() {
        let original = json!({
            "tool_name": "Bash", "tool_input_preview": "{\"command\":\"ls\"}",
            "error": "Exit code 2", "timestamp": "2026-11-15T00:00:00.123Z", "retry_count": 2,
        });
        let kept = RecordFile::<LastToolError>::read(original.clone()).unwrap();
        let mut expected = original;
        expected["schema"] = json!("provost.tool-error/1");
        assert_eq!(serde_json::to_value(&kept).unwrap(), expected);
        let schema = schemars::schema_for!(LastToolError).to_value();
        let keys: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), LastToolError::KEYS.len());
        assert!(keys.iter().all(|it| LastToolError::KEYS.contains(&it.as_str())), "{keys:?}");
    }
}
