//! The Messages protocol, as Claude Code speaks it.

use serde_json::{Value, json};

use super::conversation::{Answer, Asked, Exchanged, FAREWELL, Turn, items, result};

const SHELL: &str = "Bash";

/// Answers a request for the next message.
pub(super) fn messages(request: &Value) -> Exchanged {
    let asked = asked(request);
    let message = message(asked.turn(), request["model"].as_str().unwrap_or("scripted"));
    let answer = if request["stream"] == true {
        Answer::Events(events(&message))
    } else {
        Answer::Document(message)
    };
    Exchanged { answer, results: asked.results }
}

/// Answers a request to count; the number is not checked.
pub(super) fn count_tokens(_: &Value) -> Exchanged {
    Exchanged { answer: Answer::Document(json!({ "input_tokens": 1 })), results: Vec::new() }
}

fn asked(request: &Value) -> Asked {
    let is_offered = items(&request["tools"]).any(|it| it["name"] == SHELL);
    let blocks = items(&request["messages"]).flat_map(|it| items(&it["content"]));
    let results = blocks.filter(|it| it["type"] == "tool_result").map(|it| result(&it["content"]));
    Asked { shell: is_offered.then_some(SHELL), results: results.collect() }
}

fn message(turn: Turn, model: &str) -> Value {
    let (block, reason) = match turn {
        Turn::Call { number, tool, command } => {
            let (id, input) = (format!("toolu_{number}"), json!({ "command": command }));
            (json!({ "type": "tool_use", "id": id, "name": tool, "input": input }), "tool_use")
        }
        Turn::End => (json!({ "type": "text", "text": FAREWELL }), "end_turn"),
    };
    json!({
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [block],
        "stop_reason": reason,
        "stop_sequence": null,
        "usage": { "input_tokens": 1, "output_tokens": 1 },
    })
}

/// The same message, piece by piece.
fn events(message: &Value) -> Vec<(Option<&'static str>, Value)> {
    let block = &message["content"][0];
    let (empty, delta) = if let Some(text) = block["text"].as_str() {
        let empty = json!({ "type": "text", "text": "" });
        (empty, json!({ "type": "text_delta", "text": text }))
    } else {
        let mut empty = block.clone();
        empty["input"] = json!({});
        let input = block["input"].to_string();
        (empty, json!({ "type": "input_json_delta", "partial_json": input }))
    };
    let mut started = message.clone();
    started["content"] = json!([]);
    started["stop_reason"] = Value::Null;
    let stopped = json!({ "stop_reason": message["stop_reason"], "stop_sequence": null });
    let event = |name: &'static str, rest: Value| {
        let mut data = json!({ "type": name });
        if let (Some(data), Value::Object(rest)) = (data.as_object_mut(), rest) {
            data.extend(rest);
        }
        (Some(name), data)
    };
    vec![
        event("message_start", json!({ "message": started })),
        event("content_block_start", json!({ "index": 0, "content_block": empty })),
        event("content_block_delta", json!({ "index": 0, "delta": delta })),
        event("content_block_stop", json!({ "index": 0 })),
        event("message_delta", json!({ "delta": stopped, "usage": { "output_tokens": 1 } })),
        event("message_stop", json!({})),
    ]
}
