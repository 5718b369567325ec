//! Claude Code: `settings.json`, without a shell, and with its own switch for failing closed.

use provost_kernel::guard::{Client, HookType};
use serde_json::json;

use super::{Hook, InstallError, document::Handler, typed};

/// The events that a hook type is about.
const EVENTS: [&str; 12] = [
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "Setup",
];

/// Our own deadline is 2 seconds; a machine under load gets some more.
const TIMEOUT_SECONDS: u32 = 10;

pub(super) fn handlers(hook: &Hook) -> Result<Vec<Handler>, InstallError> {
    typed(Client::Claude, &EVENTS, |_, kind| {
        let mut words = hook.words(Client::Claude, kind).into_iter();
        let mut fields = vec![
            ("type", json!("command")),
            ("command", json!(words.next())),
            ("args", json!(words.collect::<Vec<_>>())),
            ("timeout", json!(TIMEOUT_SECONDS)),
        ];
        // What a client does with a hook that failed is its own choice, except here.
        if matches!(kind, HookType::PreToolUse | HookType::PermissionRequest) {
            fields.push(("onFailure", json!("block")));
        }
        Ok(fields)
    })
}
