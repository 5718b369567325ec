//! Gemini CLI: `settings.json`, through a shell, with its times in milliseconds.

use provost_kernel::guard::Client;
use serde_json::json;

use super::{Hook, InstallError, command::quoted, document::Handler, typed};

/// The events that a hook type is about.
const EVENTS: [&str; 7] = [
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "SessionStart",
    "SessionEnd",
    "PreCompress",
];

/// When its time is up, the tool runs: so the hook gets plenty, and ends by itself after 2 seconds.
const TIMEOUT_MILLISECONDS: u32 = 30_000;

/// The name under which its people can switch a hook off.
pub(super) const NAME: &str = "provost";

pub(super) fn handlers(hook: &Hook) -> Result<Vec<Handler>, InstallError> {
    typed(Client::Gemini, &EVENTS, |_, kind| {
        Ok(vec![
            ("name", json!(NAME)),
            ("type", json!("command")),
            ("command", json!(quoted(&hook.words(Client::Gemini, kind))?)),
            ("timeout", json!(TIMEOUT_MILLISECONDS)),
        ])
    })
}
