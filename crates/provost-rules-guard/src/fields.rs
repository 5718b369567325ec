//! Which fields a payload has: their spellings, their shapes, and what each hook type requires,
//! expects and knows (HOOK-1.1, HOOK-1.2).

use provost_kernel::{Message, guard::HookType};

/// What a hook type says of its fields, under their normalised names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// Without one of these the payload is refused. This is the original's table, no more.
    pub required: &'static [&'static str],
    /// Every real client sends these: their absence is a finding, not a refusal.
    pub expected: &'static [&'static str],
    /// What the type knows besides [`COMMON`].
    pub known: &'static [&'static str],
}

/// A field that clients spell in several ways. The first that is there and not `null` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapped {
    pub name: &'static str,
    pub spellings: &'static [&'static str],
}

/// The shape that the value of a field must have, if it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "guard.shape")]
pub enum Shape {
    #[message(en = "a string", zh = "字符串")]
    Text,
    #[message(en = "true or false", zh = "布尔值")]
    Truth,
    /// An object whose `content`, if it has one, is a string.
    #[message(en = "an object with a string `content`", zh = "含字符串 `content` 的对象")]
    Message,
    /// A list of objects with a `type` and perhaps a `text`.
    #[message(en = "a list of parts with a string `type`", zh = "含字符串 `type` 的列表")]
    Parts,
}

/// The fields with several spellings, the one with underscores first.
pub const MAPPED: [Mapped; 6] = [
    Mapped { name: "sessionId", spellings: &["session_id", "sessionId"] },
    Mapped { name: "directory", spellings: &["cwd", "directory"] },
    Mapped { name: "toolName", spellings: &["tool_name", "toolName"] },
    Mapped { name: "toolInput", spellings: &["tool_input", "toolInput"] },
    Mapped { name: "toolOutput", spellings: &["tool_response", "toolOutput", "toolResponse"] },
    Mapped { name: "prompt", spellings: &["prompt"] },
];

/// The name of the client's event. It is read to choose the type and then it is gone.
pub const EVENT_NAME: [&str; 2] = ["hook_event_name", "hookEventName"];

/// What every type knows.
pub const COMMON: [&str; 11] = [
    "sessionId",
    "directory",
    "transcript_path",
    "permission_mode",
    "prompt_id",
    "agent_id",
    "agent_type",
    "effort",
    "model",
    "turn_id",
    "timestamp",
];

/// What the tool is given and gave back: the data of somebody else, which is never touched.
pub const TOOL_DATA: [&str; 5] =
    ["tool_input", "toolInput", "tool_response", "toolOutput", "toolResponse"];

/// Keys that reach into the machinery of a reader in JavaScript.
pub const PROTOTYPE_KEYS: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// Keys of an answer. In a question they can only be there to pass for one.
pub const ANSWER_KEYS: [&str; 4] = ["result", "decision", "permissionDecision", "updatedInput"];

const STOP: &[&str] = &[
    "stop_hook_active",
    "last_assistant_message",
    "background_tasks",
    "session_crons",
    "stop_reason",
    "stopReason",
    "end_turn_reason",
    "endTurnReason",
    "user_requested",
    "userRequested",
    "prompt",
    "prompt_response",
];

/// What a hook type says of its fields.
pub fn of(hook: HookType) -> Fields {
    const NONE: &[&str] = &[];
    const PLACE: &[&str] = &["sessionId", "directory"];
    let (required, expected, known): (_, _, &[&str]) = match hook {
        HookType::KeywordDetector => {
            (NONE, NONE, &["prompt", "message", "parts", "session_title"] as _)
        }
        HookType::Ralph | HookType::PersistentMode => (NONE, PLACE, STOP),
        HookType::StopContinuation => (NONE, NONE, STOP),
        HookType::SessionStart => (NONE, PLACE, &["source", "session_title"]),
        HookType::SessionEnd => (PLACE, NONE, &["reason"]),
        HookType::PreToolUse => (
            NONE,
            &["directory", "toolName"],
            &["toolName", "toolInput", "tool_use_id", "mcp_context", "original_request_name"],
        ),
        HookType::PostToolUse => (
            NONE,
            &["directory", "toolName"],
            &[
                "toolName",
                "toolInput",
                "toolOutput",
                "tool_use_id",
                "duration_ms",
                "error",
                "is_interrupt",
                "is_timeout",
                "error_type",
                "status",
                "mcp_context",
                "original_request_name",
            ],
        ),
        HookType::Autopilot => (NONE, &["directory"], &["prompt"]),
        HookType::SubagentStart => (PLACE, &["agent_id"], &["prompt"]),
        HookType::SubagentStop => (
            PLACE,
            &["agent_id"],
            &[
                "stop_hook_active",
                "agent_transcript_path",
                "last_assistant_message",
                "background_tasks",
                "session_crons",
                "output",
                "success",
            ],
        ),
        HookType::PreCompact => (PLACE, NONE, &["trigger", "custom_instructions"]),
        HookType::SetupInit | HookType::SetupMaintenance => (PLACE, NONE, &["trigger"]),
        HookType::PermissionRequest => (
            &["sessionId", "directory", "toolName"],
            NONE,
            &["toolName", "toolInput", "tool_use_id", "permission_suggestions"],
        ),
    };
    Fields { required, expected, known }
}

/// Whether a type knows a field by its normalised name.
pub fn is_known(hook: HookType, name: &str) -> bool {
    COMMON.contains(&name) || of(hook).known.contains(&name)
}

/// The shape of a field by the client's own name; nothing if any value will do.
pub fn shape(name: &str) -> Option<Shape> {
    match name {
        "session_id" | "sessionId" | "cwd" | "directory" | "tool_name" | "toolName"
        | "hook_event_name" | "hookEventName" | "prompt" | "stop_reason" | "stopReason"
        | "permission_mode" | "tool_use_id" | "transcript_path" | "agent_id" | "agent_name"
        | "agent_type" | "parent_session_id" | "status" => Some(Shape::Text),
        "user_requested" | "userRequested" | "stop_hook_active" => Some(Shape::Truth),
        "message" => Some(Shape::Message),
        "parts" => Some(Shape::Parts),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HOOK-1.1: the original's table, row by row.
    #[test]
    fn each_type_requires_what_the_original_requires() {
        let place: &[&str] = &["sessionId", "directory"];
        for &hook in HookType::ALL {
            let expected: &[&str] = match hook.as_str() {
                "keyword-detector" | "ralph" | "persistent-mode" | "stop-continuation"
                | "session-start" | "pre-tool-use" | "post-tool-use" | "autopilot" => &[],
                "session-end" | "subagent-start" | "subagent-stop" | "pre-compact"
                | "setup-init" | "setup-maintenance" => place,
                "permission-request" => &["sessionId", "directory", "toolName"],
                other => panic!("{other} has no row"),
            };
            assert_eq!(of(hook).required, expected, "{hook}");
        }
    }

    /// HOOK-1.2: each type lists what it knows, and nothing else is known.
    #[test]
    fn each_type_has_its_list() {
        let stop = "stop_hook_active last_assistant_message background_tasks session_crons \
                    stop_reason stopReason end_turn_reason endTurnReason user_requested \
                    userRequested prompt prompt_response";
        for &hook in HookType::ALL {
            let expected = match hook.as_str() {
                "keyword-detector" => "prompt message parts session_title",
                "ralph" | "persistent-mode" | "stop-continuation" => stop,
                "session-start" => "source session_title",
                "session-end" => "reason",
                "pre-tool-use" => {
                    "toolName toolInput tool_use_id mcp_context original_request_name"
                }
                "post-tool-use" => {
                    "toolName toolInput toolOutput tool_use_id duration_ms error is_interrupt \
                     is_timeout error_type status mcp_context original_request_name"
                }
                "autopilot" | "subagent-start" => "prompt",
                "subagent-stop" => {
                    "stop_hook_active agent_transcript_path last_assistant_message \
                     background_tasks session_crons output success"
                }
                "pre-compact" => "trigger custom_instructions",
                "setup-init" | "setup-maintenance" => "trigger",
                "permission-request" => "toolName toolInput tool_use_id permission_suggestions",
                other => panic!("{other} has no row"),
            };
            assert_eq!(of(hook).known.join(" "), expected, "{hook}");
        }
        assert_eq!(
            COMMON.join(" "),
            "sessionId directory transcript_path permission_mode prompt_id agent_id agent_type \
             effort model turn_id timestamp",
        );
    }

    /// HOOK-1.2: what a type requires or expects, it knows.
    #[test]
    fn what_is_asked_for_is_known() {
        for &hook in HookType::ALL {
            let fields = of(hook);
            for name in fields.required.iter().chain(fields.expected) {
                assert!(is_known(hook, name), "{hook} {name}");
            }
            assert!(!is_known(hook, "__proto__"), "{hook}");
            assert!(!is_known(hook, "session_id"), "{hook}: names are the normalised ones");
        }
    }
}
