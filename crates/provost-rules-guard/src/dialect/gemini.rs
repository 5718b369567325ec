//! Gemini CLI. It has no way to ask a person, so an ask is a refusal.

use provost_kernel::guard::HookType;
use serde_json::json;

use super::{Answer, Asker, Effect, Reply};

pub(super) fn reply(asker: Asker<'_>, answer: Answer) -> Reply {
    match answer {
        Answer::Go => Reply::silent(Effect::Passed),
        Answer::Deny(reason) | Answer::Ask(reason) => deny(asker.hook, &reason),
        Answer::Note(text) => note(asker.hook, &text),
    }
}

fn deny(hook: HookType, reason: &str) -> Reply {
    let document = json!({"decision": "deny", "reason": reason});
    match hook {
        HookType::PreToolUse | HookType::PermissionRequest | HookType::KeywordDetector => {
            Reply::saying(&document, Effect::Refused).with_exit_2(reason)
        }
        HookType::Ralph
        | HookType::PersistentMode
        | HookType::StopContinuation
        | HookType::Autopilot => Reply::saying(&document, Effect::Refused).with_stderr(reason),
        HookType::PostToolUse => Reply::saying(&document, Effect::Unblockable),
        HookType::SessionStart
        | HookType::SessionEnd
        | HookType::SubagentStart
        | HookType::SubagentStop
        | HookType::PreCompact
        | HookType::SetupInit
        | HookType::SetupMaintenance => Reply::silent(Effect::Unblockable),
    }
}

fn note(hook: HookType, text: &str) -> Reply {
    let event = match hook {
        HookType::KeywordDetector => "BeforeAgent",
        HookType::SessionStart => "SessionStart",
        HookType::PostToolUse => "AfterTool",
        HookType::PreToolUse | HookType::PreCompact => {
            return Reply::saying(&json!({"systemMessage": text}), Effect::Passed);
        }
        HookType::Ralph
        | HookType::PersistentMode
        | HookType::StopContinuation
        | HookType::Autopilot
        | HookType::SessionEnd
        | HookType::SubagentStart
        | HookType::SubagentStop
        | HookType::SetupInit
        | HookType::SetupMaintenance
        | HookType::PermissionRequest => return Reply::silent(Effect::Passed),
    };
    let specific = json!({"hookEventName": event, "additionalContext": text});
    Reply::saying(&json!({"hookSpecificOutput": specific}), Effect::Passed)
}
