//! Claude Code, and Codex, which reads the same forms and refuses every key that it does not know.
//!
//! Codex cannot ask a person before a tool runs, so there an ask is a refusal.

use provost_kernel::guard::HookType;
use serde_json::{Value, json};

use super::{Answer, Asker, Effect, Reply};

/// Which of the two reads the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// Claude Code.
    Lenient,
    /// Codex.
    Strict,
}

pub(super) fn reply(reader: Reader, asker: Asker<'_>, answer: Answer) -> Reply {
    match answer {
        Answer::Go => Reply::silent(Effect::Passed),
        Answer::Deny(reason) => deny(reader, asker, &reason),
        Answer::Ask(reason) => ask(reader, asker, &reason),
        Answer::Note(text) => told(reader, asker, &text),
    }
}

fn deny(reader: Reader, asker: Asker<'_>, reason: &str) -> Reply {
    match asker.hook {
        HookType::PreToolUse => {
            let document = decision("deny", reason);
            Reply::saying(&document, Effect::Refused).with_exit_2(reason)
        }
        HookType::PermissionRequest => {
            let document = json!({"hookSpecificOutput": {
                "hookEventName": "PermissionRequest",
                "decision": {"behavior": "deny", "message": reason},
            }});
            let reply = Reply::saying(&document, Effect::Refused);
            match reader {
                // Here exit code 2 is a refusal of its own.
                Reader::Strict => reply.with_exit_2(reason),
                // Claude Code takes the document for the refusal; its form was seen with 0.
                Reader::Lenient => reply.with_stderr(reason),
            }
        }
        HookType::KeywordDetector
        | HookType::Ralph
        | HookType::PersistentMode
        | HookType::StopContinuation
        | HookType::Autopilot => Reply::saying(&block(reason), Effect::Refused).with_stderr(reason),
        // The tool has run: the agent is told, and the result stays.
        HookType::PostToolUse if asker.event == Some(FAILURE) => {
            Reply { effect: Effect::Unblockable, ..note(reader, asker, reason) }
        }
        HookType::PostToolUse => Reply::saying(&block(reason), Effect::Unblockable),
        HookType::PreCompact if reader == Reader::Lenient => {
            Reply::silent(Effect::Refused).with_exit_2(reason)
        }
        HookType::PreCompact
        | HookType::SessionStart
        | HookType::SessionEnd
        | HookType::SubagentStart
        | HookType::SubagentStop
        | HookType::SetupInit
        | HookType::SetupMaintenance => Reply::silent(Effect::Unblockable),
    }
}

fn ask(reader: Reader, asker: Asker<'_>, reason: &str) -> Reply {
    match (asker.hook, reader) {
        (HookType::PreToolUse, Reader::Lenient) => {
            Reply::saying(&decision("ask", reason), Effect::Asked)
        }
        // The client is about to ask: silence lets it.
        (HookType::PermissionRequest, _) => Reply::silent(Effect::Asked),
        (_, _) => deny(reader, asker, reason),
    }
}

/// A note that opens a session is for the person as well, who reads `systemMessage`.
fn told(reader: Reader, asker: Asker<'_>, text: &str) -> Reply {
    match (asker.hook, reader) {
        (HookType::SessionStart, Reader::Lenient) => Reply::saying(
            &json!({
                "systemMessage": text,
                "hookSpecificOutput": {
                    "hookEventName": "SessionStart",
                    "additionalContext": text,
                },
            }),
            Effect::Passed,
        ),
        (_, _) => note(reader, asker, text),
    }
}

fn note(reader: Reader, asker: Asker<'_>, text: &str) -> Reply {
    let event = match asker.hook {
        HookType::KeywordDetector => "UserPromptSubmit",
        HookType::Autopilot if asker.event == Some("UserPromptSubmit") => "UserPromptSubmit",
        HookType::SessionStart => "SessionStart",
        HookType::PostToolUse if asker.event == Some(FAILURE) => FAILURE,
        HookType::PostToolUse => "PostToolUse",
        HookType::SubagentStart => "SubagentStart",
        HookType::PreToolUse if reader == Reader::Lenient => "PreToolUse",
        HookType::SetupInit | HookType::SetupMaintenance => "Setup",
        HookType::PreCompact => {
            return Reply::saying(&json!({"systemMessage": text}), Effect::Passed);
        }
        // At a stop, a word to the agent would make it go on.
        HookType::PreToolUse
        | HookType::Ralph
        | HookType::PersistentMode
        | HookType::StopContinuation
        | HookType::Autopilot
        | HookType::SessionEnd
        | HookType::SubagentStop
        | HookType::PermissionRequest => return Reply::silent(Effect::Passed),
    };
    let specific = json!({"hookEventName": event, "additionalContext": text});
    Reply::saying(&json!({"hookSpecificOutput": specific}), Effect::Passed)
}

/// The event of a tool that failed, which Codex does not have.
const FAILURE: &str = "PostToolUseFailure";

fn decision(word: &str, reason: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": word,
        "permissionDecisionReason": reason,
    }})
}

fn block(reason: &str) -> Value {
    json!({"decision": "block", "reason": reason})
}
