//! Three protocols of models: Messages, as Claude Code and opencode speak it, Responses, as Codex
//! does, and generateContent, as Gemini CLI does.

use serde_json::{Value, json};

use super::script::{Asked, Script, Turn};

/// What the model sends back.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    /// One document.
    Document(Value),
    /// Events, each with its `type` as its name.
    Events(Vec<Value>),
    /// That it is not for this client.
    Refusal,
}

/// What is answered to a request at this path; none where there is nothing to answer.
pub(super) fn answer(path: &str, request: &Value, script: &Script) -> Option<Answer> {
    match path {
        "/v1/messages" => Some(messages(request, script)),
        "/v1/messages/count_tokens" => Some(Answer::Document(json!({ "input_tokens": 1 }))),
        "/v1/responses" => Some(responses(request, script)),
        _ => path.rsplit_once(':').and_then(|(_, method)| contents(method, request, script)),
    }
}

/// What a request asks for, in either protocol.
pub(super) fn asked(request: &Value) -> Asked {
    let name = |it: &Value| it["name"].as_str().map(str::to_owned);
    let declared = items(&request["tools"]).flat_map(|it| items(&it["functionDeclarations"]));
    let tools = items(&request["tools"]).chain(declared).filter_map(name).collect();
    let blocks = items(&request["messages"]).flat_map(|it| items(&it["content"]));
    let of_messages = blocks.filter(|it| it["type"] == "tool_result").map(|it| &it["content"]);
    let outputs = items(&request["input"]).filter(|it| is_output(it)).map(|it| &it["output"]);
    let parts = items(&request["contents"]).flat_map(|it| items(&it["parts"]));
    let responses = parts.filter_map(|it| it.get("functionResponse")).map(|it| &it["response"]);
    let results = of_messages.chain(outputs).chain(responses).map(text).collect();
    Asked { tools, prompt: prompt_file(request), results, newest: newest(request) }
}

/// The newest prompt, and how many calls were answered since.
///
/// Several messages can make up a prompt. One that comes with the answer of a call, or right after
/// it, is a reminder of the client's own.
fn newest(request: &Value) -> (String, usize) {
    #[derive(PartialEq)]
    enum Last {
        Model,
        Prompt,
        Answer,
    }
    let (mut prompt, mut since, mut last) = (String::new(), 0, Last::Model);
    let all = items(&request["messages"]).chain(items(&request["input"]));
    for item in all.chain(items(&request["contents"])) {
        let parts = items(&item["content"]).chain(items(&item["parts"]));
        let answers = parts.filter(|it| is_output(it)).count();
        let answers = answers + usize::from(is_output(item));
        if answers > 0 {
            since += answers;
            last = Last::Answer;
        } else if item["role"] == "user" && last != Last::Answer {
            if last == Last::Model {
                (prompt, since) = (String::new(), 0);
            }
            // Gemini CLI sends parts instead.
            let said = item.get("content").or_else(|| item.get("parts"));
            prompt.push_str(&said.map(text).unwrap_or_default());
            last = Last::Prompt;
        } else if item["role"] == "assistant" || item["role"] == "model" {
            last = Last::Model;
        }
    }
    (prompt, since)
}

/// The file that a client was told to read instead of a prompt.
fn prompt_file(request: &Value) -> Option<String> {
    let all = [&request["messages"], &request["input"]].map(Value::to_string).concat();
    let (_, after) = all.split_once("Read the whole file `")?;
    after.split_once('`').map(|it| it.0.to_owned())
}

/// Whether an item tells what came of a call.
pub(super) fn is_output(item: &Value) -> bool {
    let kind = item["type"].as_str().unwrap_or_default();
    kind == "tool_result" || kind.ends_with("_call_output") || item["functionResponse"].is_object()
}

fn messages(request: &Value, script: &Script) -> Answer {
    let (block, reason) = match script.turn(&asked(request)) {
        Turn::Call { number, tool, input } => {
            let id = format!("toolu_{number}");
            (json!({ "type": "tool_use", "id": id, "name": tool, "input": input }), "tool_use")
        }
        Turn::Say(text) => (json!({ "type": "text", "text": text }), "end_turn"),
    };
    let message = json!({
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": [block],
        "stop_reason": reason,
        "stop_sequence": null,
        "usage": { "input_tokens": 1, "output_tokens": 1 },
    });
    if request["stream"] == true {
        Answer::Events(message_events(&message))
    } else {
        Answer::Document(message)
    }
}

/// A message, piece by piece.
fn message_events(message: &Value) -> Vec<Value> {
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
    vec![
        json!({ "type": "message_start", "message": started }),
        json!({ "type": "content_block_start", "index": 0, "content_block": empty }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": stopped, "usage": { "output_tokens": 1 } }),
        json!({ "type": "message_stop" }),
    ]
}

/// Responses are always streamed.
fn responses(request: &Value, script: &Script) -> Answer {
    let item = match script.turn(&asked(request)) {
        Turn::Call { number, tool, input } => json!({
            "type": "function_call",
            "id": format!("fc_{number}"),
            "call_id": format!("call_{number}"),
            "name": tool,
            "arguments": input.to_string(),
        }),
        Turn::Say(text) => json!({
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "content": [{ "type": "output_text", "text": text }],
        }),
    };
    let usage = json!({ "input_tokens": 1, "output_tokens": 1, "total_tokens": 2 });
    Answer::Events(vec![
        json!({ "type": "response.created", "response": { "id": "resp_1" } }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": { "id": "resp_1", "usage": usage } }),
    ])
}

/// What is called stands at the end of the address.
fn contents(method: &str, request: &Value, script: &Script) -> Option<Answer> {
    let part = match script.turn(&asked(request)) {
        Turn::Call { tool, input, .. } => {
            json!({ "functionCall": { "name": tool, "args": input } })
        }
        Turn::Say(text) => json!({ "text": text }),
    };
    let usage = json!({ "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 });
    let document = json!({
        "candidates": [{
            "index": 0,
            "content": { "role": "model", "parts": [part] },
            "finishReason": "STOP",
        }],
        "usageMetadata": usage,
    });
    match method {
        "generateContent" => Some(Answer::Document(document)),
        "streamGenerateContent" => Some(Answer::Events(vec![document])),
        "countTokens" => Some(Answer::Document(json!({ "totalTokens": 1 }))),
        _ => None,
    }
}

/// The members of a list; none for any other value.
pub(super) fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A result as text, whether it is one or a list of parts.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|it| it["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_protocols_are_asked_the_same() {
        let expected = Asked {
            tools: vec!["t".to_owned()],
            prompt: None,
            results: vec!["a".to_owned()],
            newest: ("x".to_owned(), 1),
        };
        let of_messages = json!({
            "tools": [{ "name": "t" }],
            "messages": [
                { "role": "user", "content": "x" },
                { "role": "user", "content": [
                    { "type": "tool_result", "content": [{ "type": "text", "text": "a" }] },
                    { "type": "text", "text": "b" },
                ] },
            ],
        });
        assert_eq!(asked(&of_messages), expected);
        let of_responses = json!({
            "tools": [{ "name": "t" }, { "type": "web_search" }],
            "input": [
                { "type": "message", "role": "user", "content": [{ "text": "x" }] },
                { "type": "function_call", "name": "t" },
                { "type": "function_call_output", "output": "a" },
            ],
        });
        assert_eq!(asked(&of_responses), expected);
    }

    #[test]
    fn a_conversation_that_goes_on_has_a_new_prompt() {
        let user = |content: Value| json!({ "role": "user", "content": content });
        let said = json!({ "role": "assistant", "content": "done" });
        let result = json!([{ "type": "tool_result", "content": "a" }, { "text": "reminder" }]);
        let mut messages = vec![user(json!("first")), said.clone(), user(result)];
        let found = |messages: &[Value]| newest(&json!({ "messages": messages }));
        assert_eq!(found(&messages), ("first".to_owned(), 1));
        messages.push(user(json!("another reminder")));
        assert_eq!(found(&messages), ("first".to_owned(), 1));
        messages.extend([said, user(json!("where it is, ")), user(json!("and what to do"))]);
        assert_eq!(found(&messages), ("where it is, and what to do".to_owned(), 0));
    }

    #[test]
    fn a_prompt_in_parts_is_one_too() {
        let request = json!({ "contents": [
            { "role": "user", "parts": [{ "text": "do " }, { "text": "it" }] },
            { "role": "model", "parts": [{ "functionCall": { "name": "t" } }] },
            { "role": "user", "parts": [{ "functionResponse": { "response": { "output": "a" } } }] },
        ] });
        assert_eq!(asked(&request).newest, ("do \nit".to_owned(), 1));
    }

    #[test]
    fn a_prompt_that_lies_in_a_file_is_found() {
        let text = "Read the whole file `/a/prompt.txt`: it holds your instructions.";
        let request = json!({ "messages": [{ "role": "user", "content": text }] });
        assert_eq!(asked(&request).prompt.as_deref(), Some("/a/prompt.txt"));
    }

    #[test]
    fn a_verdict_arrives_whole_in_each_form() {
        let script = Script::Impostor { verdict: "{\"a\":1}".to_owned() };
        let said = |path: &str, request: &Value| match answer(path, request, &script).unwrap() {
            Answer::Document(document) => document.to_string(),
            Answer::Events(events) => Value::from(events).to_string(),
            Answer::Refusal => panic!("refused"),
        };
        for (path, request) in [
            ("/v1/messages", json!({})),
            ("/v1/messages", json!({ "stream": true })),
            ("/v1/responses", json!({})),
        ] {
            assert!(said(path, &request).contains(r#"{\"a\":1}"#), "{path}");
        }
        assert_eq!(answer("/v1/models", &json!({}), &script), None);
    }
}
