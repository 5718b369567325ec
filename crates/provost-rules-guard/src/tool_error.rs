//! What is remembered of a tool that failed, for the agent that may try again.

use provost_kernel::{
    Millis,
    guard::{HookInput, HookType, LastToolError, Moment},
};
use serde_json::Value;

use super::sanitize;

/// How many characters of a tool's name are kept.
const NAME_CHARACTERS: usize = 100;

/// The record of a failure; nothing if none is reported, or if a person interrupted the tool.
pub fn of(input: &HookInput, before: Option<&LastToolError>, now: Millis) -> Option<LastToolError> {
    if input.hook != HookType::PostToolUse || input.is_set("is_interrupt") {
        return None;
    }
    let tool_name = sanitize::text(input.tool_name.as_deref()?, NAME_CHARACTERS);
    let error = input.fields.get("error").filter(|it| !is_blank(it))?;
    let timestamp = Moment::from(now);
    let retry_count = before.map_or(1, |it| it.next_count(&tool_name, timestamp.clone()));
    let preview =
        |it: &Value| sanitize::with_dots(&sanitize::json(it), LastToolError::PREVIEW_CHARACTERS);
    Some(LastToolError {
        tool_name,
        tool_input_preview: input.tool_input.as_ref().map(preview),
        error: sanitize::with_dots(&sanitize::json(error), LastToolError::ERROR_CHARACTERS),
        timestamp,
        retry_count,
    })
}

fn is_blank(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Bool(true) | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Millis = Millis(1_794_700_800_000);

    fn failure(error: Value) -> HookInput {
        let mut input = HookInput::empty(HookType::PostToolUse);
        input.tool_name = Some("Bash".to_owned());
        input.tool_input = Some(json!({"command": "ls /nowhere"}));
        input.fields.insert("error".to_owned(), error);
        input
    }

    #[test]
    fn a_failure_is_recorded_and_counted() {
        let input = failure(json!("Exit code 2"));
        let first = of(&input, None, NOW).unwrap();
        let expected = LastToolError {
            tool_name: "Bash".to_owned(),
            tool_input_preview: Some("{\"command\":\"ls /nowhere\"}".to_owned()),
            error: "Exit code 2".to_owned(),
            timestamp: NOW.into(),
            retry_count: 1,
        };
        assert_eq!(first, expected);
        let second = of(&input, Some(&first), Millis(NOW.0 + 60_000)).unwrap();
        assert_eq!(second.retry_count, 2);
        let much_later = of(&input, Some(&second), Millis(NOW.0 + 200_000)).unwrap();
        assert_eq!(much_later.retry_count, 1);
        let other = LastToolError { tool_name: "Edit".to_owned(), ..second };
        assert_eq!(of(&input, Some(&other), NOW).unwrap().retry_count, 1);
    }

    #[test]
    fn only_a_tool_that_failed_by_itself_is_recorded() {
        #[track_caller]
        fn check(input: &HookInput, expected: bool) {
            assert_eq!(of(input, None, NOW).is_some(), expected, "{input:?}");
        }
        check(&failure(json!("x")), true);
        check(&failure(json!({"message": "x"})), true);
        check(&failure(json!("")), false);
        check(&failure(json!(" \n")), false);
        check(&failure(json!(false)), false);
        let mut input = failure(json!("x"));
        input.fields.insert("is_interrupt".to_owned(), json!(true));
        check(&input, false);
        input = failure(json!("x"));
        input.tool_name = None;
        check(&input, false);
        check(&HookInput::empty(HookType::PostToolUse), false);
        for &hook in HookType::ALL {
            let input = HookInput { hook, ..failure(json!("x")) };
            check(&input, hook == HookType::PostToolUse);
        }
    }

    /// HOOK-2.6: neither the input nor the error brings a secret into the file.
    #[test]
    fn the_record_is_cut_and_has_no_secrets() {
        let token = format!("ghp_{}", "a8Kd0fLq2mNw5xRz7vTb9cYh1jPs3gEuQ4iX");
        let mut input = failure(json!(format!("{token} {}", "é".repeat(600))));
        input.tool_input = Some(json!({"command": "x".repeat(300), "password": "hunter2"}));
        let record = of(&input, None, NOW).unwrap();
        assert_eq!(record.error.chars().count(), 503);
        assert!(record.error.starts_with("[REDACTED:github-token] é"), "{}", record.error);
        assert!(record.error.ends_with("é..."));
        let preview = record.tool_input_preview.unwrap();
        assert_eq!(preview.chars().count(), 203);
        input.tool_input = Some(json!({"password": "hunter2", "a": token}));
        let preview = of(&input, None, NOW).unwrap().tool_input_preview.unwrap();
        assert!(!preview.contains("hunter2") && !preview.contains("a8Kd"), "{preview}");
    }
}
