//! Cursor: `hooks.json`. What is known of it comes from public pages; none could be observed.

use provost_kernel::guard::{Client, HookType};
use serde_json::json;

use super::{Hook, InstallError, command::quoted, document::Handler, typed};

/// The events before something is done, and those of sessions. What comes after a tool has an
/// event for every kind of tool besides the general one: only that is taken, or each call would be
/// recorded twice.
const EVENTS: [&str; 14] = [
    "preToolUse",
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeTabFileRead",
    "postToolUse",
    "postToolUseFailure",
    "beforeSubmitPrompt",
    "sessionStart",
    "sessionEnd",
    "subagentStart",
    "subagentStop",
    "preCompact",
    "stop",
];

/// No time is set: whether it is in seconds or in milliseconds is reported both ways, and a wrong
/// guess would refuse everything.
pub(super) fn handlers(hook: &Hook) -> Result<Vec<Handler>, InstallError> {
    typed(Client::Cursor, &EVENTS, |_, kind| {
        let mut fields = vec![("command", json!(quoted(&hook.words(Client::Cursor, kind))?))];
        if kind == HookType::PreToolUse {
            fields.push(("failClosed", json!(true)));
        }
        Ok(fields)
    })
}
