//! What front ends share whose readers are not at this machine: who may read and order, and what they are
//! not told.

use std::time::Duration;

use provost_kernel::Text;
use provost_rules::secret;
pub use provost_rules_task::refusals::{CountedRefusals, Kept, Refusals, Who};
pub use provost_rules_task::remote_write::{
    Allowlist, AllowlistError, RemoteRefusal, Sender, Window, WriteGate, WriteMode,
};
use provost_vault::{FileError, modify_remote_orders};
use serde_json::Value;

use crate::{DISK, Desk};

/// What a window of orders spans.
const MINUTE: Duration = Duration::from_mins(1);

impl Desk {
    /// Takes an order from afar into account before it takes effect, also over restarts. One that was
    /// refused because there were too many is not taken when it is delivered again.
    pub fn admit_order(
        &self,
        gate: &WriteGate,
        sender: Sender,
        delivery: &str,
    ) -> Result<Result<(), RemoteRefusal>, FileError> {
        if let Err(refusal) = gate.check_write(sender) {
            return Ok(Err(refusal));
        }
        let now = self.clock.millis();
        modify_remote_orders(&DISK, &self.layout, &*self.clock, |orders| {
            // As much as may be was taken in a minute of which nothing is known.
            orders.unknown_since = orders.unknown_since.filter(|it| now.since(*it) < MINUTE);
            if orders.unknown_since.is_some() {
                return Err(gate.full());
            }
            if orders.is_refused(delivery) {
                return Err(RemoteRefusal::RefusedBefore);
            }
            let mut window = Window::of(std::mem::take(&mut orders.taken));
            let admitted = gate.admit_write(sender, &mut window, now);
            orders.taken = window.taken();
            if admitted.is_err() {
                orders.refuse(delivery);
            }
            admitted
        })
    }
}

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
