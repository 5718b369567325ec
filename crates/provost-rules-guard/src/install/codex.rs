//! Codex: `hooks.json`, through a login shell. What it trusts is written by [`trust`](super::trust).

use provost_kernel::guard::Client;
use serde_json::json;

use super::{Hook, InstallError, command::quoted, document::Handler, typed};

/// The events that a hook type is about.
const EVENTS: [&str; 10] = [
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "SubagentStart",
    "SubagentStop",
    "Stop",
];

/// When its time is up, the tool runs: so the hook gets plenty, and ends by itself after 2 seconds.
const TIMEOUT_SECONDS: u32 = 30;

/// More is cut to this, with a warning.
const SESSION_END_SECONDS: u32 = 3;

pub(super) fn handlers(hook: &Hook) -> Result<Vec<Handler>, InstallError> {
    typed(Client::Codex, &EVENTS, |event, kind| {
        let timeout = if event == "SessionEnd" { SESSION_END_SECONDS } else { TIMEOUT_SECONDS };
        Ok(vec![
            ("type", json!("command")),
            ("command", json!(quoted(&hook.words(Client::Codex, kind))?)),
            ("timeout", json!(timeout)),
        ])
    })
}
