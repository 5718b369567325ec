//! Cursor. With its switch for failing closed, silence counts as a failure, so it is always
//! answered: with an explicit permission, or with an empty document.
//!
//! These forms come from public pages; no Cursor could be observed.

use provost_kernel::guard::HookType;
use serde_json::{Value, json};

use super::{Answer, Asker, Effect, Reply};

/// What an event lets us say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `permission`, and whether `ask` is one of its words here.
    Permission { can_ask: bool },
    /// `continue`.
    Prompt,
    /// A message that makes the agent go on.
    FollowUp,
    /// A word to the agent.
    Context,
    /// Nothing.
    Mute,
}

pub(super) fn reply(asker: Asker<'_>, answer: Answer) -> Reply {
    let form = form(asker);
    match answer {
        Answer::Note(text) if form == Form::Context => {
            Reply::saying(&json!({"additional_context": text}), Effect::Passed)
        }
        Answer::Go | Answer::Note(_) => Reply::saying(&go(form), Effect::Passed),
        Answer::Ask(reason) if form == (Form::Permission { can_ask: true }) => {
            Reply::saying(&permission("ask", &reason), Effect::Asked)
        }
        Answer::Deny(reason) | Answer::Ask(reason) => deny(asker.hook, form, &reason),
    }
}

fn deny(hook: HookType, form: Form, reason: &str) -> Reply {
    match form {
        // An agent that is started is not a tool that is called: the record is all there is.
        Form::Permission { .. } if hook == HookType::SubagentStart => {
            Reply::saying(&go(form), Effect::Unblockable)
        }
        Form::Permission { .. } => {
            Reply::saying(&permission("deny", reason), Effect::Refused).with_exit_2(reason)
        }
        Form::Prompt => {
            let document = json!({"continue": false, "user_message": reason});
            Reply::saying(&document, Effect::Refused).with_exit_2(reason)
        }
        Form::FollowUp => {
            let document = json!({"followup_message": reason});
            Reply::saying(&document, Effect::Refused).with_stderr(reason)
        }
        Form::Context => Reply::saying(&json!({"additional_context": reason}), Effect::Unblockable),
        Form::Mute => Reply::saying(&go(form), Effect::Unblockable),
    }
}

fn form(asker: Asker<'_>) -> Form {
    match asker.hook {
        HookType::PreToolUse => {
            let can_ask =
                matches!(asker.event, Some("beforeShellExecution" | "beforeMCPExecution"));
            Form::Permission { can_ask }
        }
        HookType::PermissionRequest | HookType::SubagentStart => {
            Form::Permission { can_ask: false }
        }
        HookType::KeywordDetector => Form::Prompt,
        HookType::Autopilot if asker.event == Some("beforeSubmitPrompt") => Form::Prompt,
        HookType::Ralph
        | HookType::PersistentMode
        | HookType::StopContinuation
        | HookType::Autopilot => Form::FollowUp,
        HookType::PostToolUse if matches!(asker.event, None | Some("postToolUse")) => Form::Context,
        HookType::SessionStart => Form::Context,
        HookType::PostToolUse
        | HookType::SessionEnd
        | HookType::SubagentStop
        | HookType::PreCompact
        | HookType::SetupInit
        | HookType::SetupMaintenance => Form::Mute,
    }
}

fn go(form: Form) -> Value {
    match form {
        Form::Permission { .. } => json!({"permission": "allow"}),
        Form::Prompt => json!({"continue": true}),
        Form::FollowUp | Form::Context | Form::Mute => json!({}),
    }
}

fn permission(word: &str, reason: &str) -> Value {
    json!({"permission": word, "user_message": reason, "agent_message": reason})
}
