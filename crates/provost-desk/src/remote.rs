//! What front ends share whose readers are not at this machine: who may read and order, and what they are
//! not told.

use provost_kernel::Text;
use provost_rules::secret;
pub use provost_rules_task::remote_write::{
    Allowlist, AllowlistError, RemoteRefusal, Sender, WriteGate, WriteMode,
};
use serde_json::Value;

/// A text without the secrets in it.
pub fn redact(text: &str) -> String {
    String::from_utf8_lossy(&secret::redact(text.as_bytes())).into_owned()
}

/// Whether a text names a place of this machine.
pub fn names_a_path(text: &Text) -> bool {
    fn is_path(value: &Value) -> bool {
        match value {
            Value::String(text) => text.starts_with('/') || text.contains(" /"),
            Value::Array(items) => items.iter().any(is_path),
            Value::Object(map) => map.values().any(is_path),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    let (said, code, args) = text.to_parts();
    is_path(&args.into()) || (code.is_none() && is_path(&said.into()))
}
