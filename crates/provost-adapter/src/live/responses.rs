//! The Responses protocol, as Codex speaks it. It is always streamed.

use serde_json::{Value, json};

use super::conversation::{Answer, Asked, Exchanged, FAREWELL, Turn, items, result};

/// The tools that run a command, and the argument that each of them has it in. Newer clients come
/// first.
const SHELLS: [&str; 3] = ["exec_command", "shell_command", "shell"];

/// Answers a request for the next response.
pub(super) fn responses(request: &Value) -> Exchanged {
    let asked = asked(request);
    let usage = json!({ "input_tokens": 1, "output_tokens": 1, "total_tokens": 2 });
    let completed = json!({ "id": "resp_1", "usage": usage });
    let events = [
        ("response.created", "response", json!({ "id": "resp_1" })),
        ("response.output_item.done", "item", item(asked.turn())),
        ("response.completed", "response", completed),
    ];
    let events = events.into_iter().map(|(name, key, value)| {
        let mut data = json!({ "type": name });
        data[key] = value;
        if key == "item" {
            data["output_index"] = json!(0);
        }
        (Some(name), data)
    });
    Exchanged { answer: Answer::Events(events.collect()), results: asked.results }
}

fn asked(request: &Value) -> Asked {
    let is_offered = |tool: &str| items(&request["tools"]).any(|it| it["name"] == tool);
    let results = items(&request["input"])
        .filter(|it| it["type"].as_str().is_some_and(|it| it.ends_with("_call_output")))
        .map(|it| result(&it["output"]));
    Asked { shell: SHELLS.into_iter().find(|it| is_offered(it)), results: results.collect() }
}

fn item(turn: Turn) -> Value {
    match turn {
        Turn::Call { number, tool, command } => json!({
            "type": "function_call",
            "id": format!("fc_{number}"),
            "call_id": format!("call_{number}"),
            "name": tool,
            "arguments": arguments(tool, command).to_string(),
        }),
        Turn::End => json!({
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "content": [{ "type": "output_text", "text": FAREWELL }],
        }),
    }
}

fn arguments(tool: &str, command: &str) -> Value {
    match tool {
        "exec_command" => json!({ "cmd": command }),
        "shell" => json!({ "command": ["sh", "-c", command] }),
        _ => json!({ "command": command }),
    }
}
