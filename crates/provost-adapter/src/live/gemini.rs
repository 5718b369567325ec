//! The generateContent protocol, as Gemini CLI speaks it.

use serde_json::{Value, json};

use super::conversation::{Answer, Asked, Exchanged, FAREWELL, Turn, items, result};

const SHELL: &str = "run_shell_command";

/// Answers a call of a model; the address ends with what is called, such as
/// `gemini-2.5-flash:streamGenerateContent`. None when there is no such call.
pub(super) fn call(called: &str, request: &Value) -> Option<Exchanged> {
    let (_, method) = called.rsplit_once(':')?;
    let asked = asked(request);
    let document = document(asked.turn());
    let answer = match method {
        "generateContent" => Answer::Document(document),
        "streamGenerateContent" => Answer::Events(vec![(None, document)]),
        "countTokens" => Answer::Document(json!({ "totalTokens": 1 })),
        _ => return None,
    };
    Some(Exchanged { answer, results: asked.results })
}

fn asked(request: &Value) -> Asked {
    let declared = items(&request["tools"]).flat_map(|it| items(&it["functionDeclarations"]));
    let is_offered = declared.into_iter().any(|it| it["name"] == SHELL);
    let parts = items(&request["contents"]).flat_map(|it| items(&it["parts"]));
    let results = parts
        .filter_map(|it| it.get("functionResponse"))
        .map(|it| &it["response"])
        .map(|it| result(it.get("output").or(it.get("error")).unwrap_or(it)));
    Asked { shell: is_offered.then_some(SHELL), results: results.collect() }
}

fn document(turn: Turn) -> Value {
    let part = match turn {
        Turn::Call { tool, command, .. } => {
            json!({ "functionCall": { "name": tool, "args": { "command": command } } })
        }
        Turn::End => json!({ "text": FAREWELL }),
    };
    json!({
        "candidates": [{
            "index": 0,
            "content": { "role": "model", "parts": [part] },
            "finishReason": "STOP",
        }],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 },
    })
}
