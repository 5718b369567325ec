//! What a client sends, before the SDK looks at it: whether it is a message at all, and what it is
//! answered with if it is not (JSON-RPC 2.0, section 5.1).
//!
//! The SDK drops what it cannot read. A client that made a mistake would wait for ever.

use rmcp::model::{ClientJsonRpcMessage, ErrorCode};
use serde_json::{Value, json};

/// A message may have so many bytes; a longer one is not read.
pub(crate) const LONGEST: usize = 8 * 1024 * 1024;

/// Why a message is refused.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) code: ErrorCode,
    /// What the answer names; null where the message has no id that can be read.
    pub(crate) id: Value,
    pub(crate) message: String,
    /// Whether it is answered at all: a notification never is, nor is an answer.
    pub(crate) is_answered: bool,
}

impl Refusal {
    /// A message that is longer than what is read.
    pub(crate) fn too_long() -> Self {
        let message = format!("the message is longer than {LONGEST} bytes");
        Self { code: ErrorCode::INVALID_REQUEST, id: Value::Null, message, is_answered: true }
    }

    /// The answer.
    pub(crate) fn reply(&self) -> Value {
        let error = json!({"code": self.code.0, "message": self.message});
        json!({"jsonrpc": "2.0", "id": self.id, "error": error})
    }
}

/// Reads one message.
pub(crate) fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Refusal> {
    serde_json::from_slice(bytes).map_err(|_| refusal(bytes))
}

/// What is wrong with bytes that are no message.
fn refusal(bytes: &[u8]) -> Refusal {
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("not JSON: {error}");
            let (code, id) = (ErrorCode::PARSE_ERROR, Value::Null);
            return Refusal { code, id, message, is_answered: true };
        }
    };
    let is_id = |it: &&Value| it.is_string() || it.is_i64() || it.is_u64();
    let id = value.get("id").filter(is_id).cloned();
    let has = |key: &str| value.get(key).is_some();
    let is_answer = !has("method") && (has("result") || has("error"));
    let is_notification = value.get("method").is_some_and(Value::is_string) && !has("id");
    let why = match &value {
        Value::Array(_) => "batches are not supported: send one message at a time",
        Value::Object(_) if value.get("jsonrpc") != Some(&json!("2.0")) => {
            "`jsonrpc` is not \"2.0\""
        }
        Value::Object(_) if !value.get("method").is_some_and(Value::is_string) => {
            "`method` is not a text"
        }
        Value::Object(_) if has("id") && id.is_none() => {
            "`id` is neither a text nor a whole number"
        }
        Value::Object(_) => "not a request of JSON-RPC 2.0",
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            "a message is a JSON object"
        }
    };
    Refusal {
        code: ErrorCode::INVALID_REQUEST,
        id: id.unwrap_or(Value::Null),
        message: why.to_owned(),
        is_answered: !is_answer && !is_notification,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(i32, Value)>) {
        let actual = read(text.as_bytes()).err().filter(|it| it.is_answered);
        let actual = actual.map(|it| (it.code.0, it.reply()["id"].clone()));
        assert_eq!(actual, expected, "{text}");
    }

    /// The codes of JSON-RPC 2.0, and the id wherever it can be read.
    #[test]
    fn what_is_no_message_has_its_code_and_its_id() {
        let (parse, invalid) = (-32700, -32600);
        for text in ["", "hello", r#"{"jsonrpc":"2.0","id":1"#, "{}{}", r#"{"a":"\ud800"}"#] {
            check(text, Some((parse, Value::Null)));
        }
        check("42", Some((invalid, Value::Null)));
        check("[]", Some((invalid, Value::Null)));
        check(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, Some((invalid, Value::Null)));
        check(r#"{"id":7,"method":"ping"}"#, Some((invalid, json!(7))));
        check(r#"{"jsonrpc":"1.0","id":"x","method":"ping"}"#, Some((invalid, json!("x"))));
        check(r#"{"jsonrpc":"2.0","id":7}"#, Some((invalid, json!(7))));
        check(r#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#, Some((invalid, Value::Null)));
        check(r#"{"jsonrpc":"2.0","id":7,"method":8}"#, Some((invalid, json!(7))));
    }

    /// Two peers that answer each other's answers would never end.
    #[test]
    fn neither_an_answer_nor_a_notification_is_answered() {
        check(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#, None);
        check(r#"{"jsonrpc":"1.0","error":{"code":1,"message":"x"}}"#, None);
        check(r#"{"jsonrpc":"1.0","method":"notifications/x"}"#, None);
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, None);
    }
}
