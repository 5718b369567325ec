//! Payloads that are put into the common form, by what the table says of their client.
//!
//! Only what is certain is translated; the normaliser drops what it does not know.

use provost_kernel::guard::client::{Rewrite, Translation};
use serde_json::{Map, Value, json};

use crate::normalise::parse;

/// Puts a payload into the words that the normaliser reads.
pub(crate) fn translate(
    by: &Translation,
    event: Option<&str>,
    mut payload: Map<String, Value>,
) -> Map<String, Value> {
    let has_directory = payload.get("cwd").is_some_and(|it| !it.is_null() && it != "");
    if !has_directory && let Some(root) = payload.get(by.roots).and_then(|it| it.get(0)) {
        let root = root.clone();
        payload.insert("cwd".to_owned(), root);
    }
    for name in by.dropped {
        payload.remove(*name);
    }
    for (from, to) in by.renamed {
        rename(&mut payload, from, to);
    }
    let rewrites = by.events.iter().find(|(names, _)| event.is_some_and(|it| names.contains(&it)));
    for rewrite in rewrites.map(|it| it.1).unwrap_or_default() {
        match *rewrite {
            Rewrite::Rename(from, to) => rename(&mut payload, from, to),
            Rewrite::Call(tool, arguments) => call(&mut payload, tool, arguments),
            Rewrite::ParseInput => parse_input(&mut payload),
            Rewrite::Counted(from, to) => {
                let n_before = payload.remove(from).and_then(|it| it.as_u64());
                payload.insert(to.to_owned(), (n_before.unwrap_or(0) > 0).into());
            }
        }
    }
    payload
}

/// Gives a field its other name. What stood under that name before does not count.
fn rename(payload: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = payload.remove(from).filter(|it| !it.is_null()) {
        payload.insert(to.to_owned(), value);
    }
}

/// Writes an event that is one kind of tool as a call of that tool.
///
/// Whatever the payload itself calls its tool or its input, the event decides.
fn call(payload: &mut Map<String, Value>, tool: &str, arguments: &[&str]) {
    let input = arguments.iter().filter_map(|it| Some(((*it).to_owned(), payload.remove(*it)?)));
    let input: Map<_, _> = input.collect();
    payload.insert("tool_name".to_owned(), json!(tool));
    payload.insert("tool_input".to_owned(), Value::Object(input));
}

/// Reads an input that is an object written as a text; another text stays what it is.
fn parse_input(payload: &mut Map<String, Value>) {
    if let Some(Value::String(text)) = payload.get("tool_input")
        && let Ok(object) = parse(text.as_bytes())
    {
        payload.insert("tool_input".to_owned(), Value::Object(object));
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::guard::Harness;

    use super::*;

    #[track_caller]
    fn check(event: &str, payload: Value, expected: Value) {
        let Value::Object(object) = payload else { panic!("{payload} is no object") };
        let by = Harness::Cursor.entry().translation.unwrap();
        assert_eq!(Value::Object(translate(by, Some(event), object)), expected, "{event}");
    }

    #[test]
    fn the_envelope_says_session_and_directory() {
        let roots = json!(["/a", "/b"]);
        check(
            "sessionStart",
            json!({
                "conversation_id": "c", "generation_id": "g", "workspace_roots": roots,
                "cursor_version": "2", "user_email": "dev@example.org",
            }),
            json!({"session_id": "c", "turn_id": "g", "cwd": "/a"}),
        );
        check("sessionStart", json!({"cwd": "/c", "workspace_roots": roots}), json!({"cwd": "/c"}));
        check("sessionStart", json!({"cwd": "", "workspace_roots": roots}), json!({"cwd": "/a"}));
        check("sessionStart", json!({"cwd": null, "workspace_roots": []}), json!({"cwd": null}));
        check(
            "sessionStart",
            json!({"conversation_id": null, "session_id": "s"}),
            json!({"session_id": "s"}),
        );
    }

    #[test]
    fn an_event_that_is_a_tool_becomes_a_call_of_it() {
        check(
            "beforeShellExecution",
            json!({"command": "ls", "tool_name": "Read", "tool_input": {"command": "true"}}),
            json!({"tool_name": "Shell", "tool_input": {"command": "ls"}}),
        );
        check("beforeShellExecution", json!({}), json!({"tool_name": "Shell", "tool_input": {}}));
        check(
            "afterShellExecution",
            json!({"command": "ls", "output": "a", "duration": 5}),
            json!({
                "tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_response": "a",
                "duration_ms": 5,
            }),
        );
        check(
            "beforeReadFile",
            json!({"file_path": "/p/.env", "content": "K=1", "attachments": []}),
            json!({
                "tool_name": "Read", "content": "K=1",
                "tool_input": {"file_path": "/p/.env", "attachments": []},
            }),
        );
        check(
            "afterFileEdit",
            json!({"file_path": "/p/a", "edits": [1]}),
            json!({"tool_name": "Edit", "tool_input": {"file_path": "/p/a", "edits": [1]}}),
        );
    }

    #[test]
    fn an_input_may_be_an_object_in_a_text() {
        check(
            "beforeMCPExecution",
            json!({"tool_name": "query", "tool_input": "{\"sql\": \"select 1\"}"}),
            json!({"tool_name": "query", "tool_input": {"sql": "select 1"}}),
        );
        let twice = "{\"a\": 1, \"a\": 2}";
        for text in ["select 1", "[1]", twice, ""] {
            let payload = json!({"tool_name": "query", "tool_input": text});
            check("beforeMCPExecution", payload.clone(), payload);
        }
    }

    #[test]
    fn a_stop_says_why_and_whether_it_was_asked_before() {
        check(
            "stop",
            json!({"status": "aborted", "loop_count": 0}),
            json!({"stop_reason": "aborted", "stop_hook_active": false}),
        );
        check("stop", json!({"loop_count": 2}), json!({"stop_hook_active": true}));
    }

    #[test]
    fn agents_and_failures_have_the_names_of_the_others() {
        check(
            "subagentStart",
            json!({"subagent_id": "a", "subagent_type": "explore", "task": "look"}),
            json!({"agent_id": "a", "agent_type": "explore", "prompt": "look"}),
        );
        check(
            "postToolUseFailure",
            json!({"error_message": "no", "failure_type": "timeout"}),
            json!({"error": "no", "error_type": "timeout"}),
        );
        check("postToolUse", json!({"tool_output": "x"}), json!({"tool_response": "x"}));
    }
}
