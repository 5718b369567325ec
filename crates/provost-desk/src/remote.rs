//! What front ends share whose readers are not at this machine: who may read and order, and what they are
//! not told.

use provost_kernel::Text;
use provost_rules::secret;
pub use provost_rules_task::refusals::{CountedRefusals, Kept, Refusals, Who};
pub use provost_rules_task::remote_write::{
    Allowlist, AllowlistError, RemoteRefusal, Sender, WriteGate, WriteMode,
};
use serde_json::Value;

/// A text without the secrets in it.
pub fn redact(text: &str) -> String {
    String::from_utf8_lossy(&secret::redact(text.as_bytes())).into_owned()
}

/// Directions of text, and characters that are there and not seen. What joins emoji is none of them.
pub fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{200e}'
            | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    )
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
