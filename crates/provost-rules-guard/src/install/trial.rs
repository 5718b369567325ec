//! What an installed hook is tried with, and what must come of it.

use provost_kernel::guard::Harness;
use serde_json::{Value, json};

use super::client_semantics::{Gate, Obeyed};

/// One call of an installed hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// What it is called in the record.
    pub name: &'static str,
    /// The client's event whose entry is started.
    pub event: &'static str,
    pub gate: Gate,
    pub input: Vec<u8>,
    pub expected: Obeyed,
}

/// A command that no policy of ours allows.
const DESTRUCTIVE: &str = "sudo rm -rf /";

/// A command that nobody minds.
const ORDINARY: &str = "echo provost";

/// More than a hook reads.
const LARGE: usize = 5 << 20;

/// Every call that an installed hook must stand, in a folder.
pub fn trials(harness: Harness, folder: &str) -> Vec<Trial> {
    let mut trials = Vec::new();
    for &(event, gate) in gates(harness) {
        let payload = |command: &str| payload(harness, event, command, folder);
        let bytes = |payload: Value| payload.to_string().into_bytes();
        let mut add = |name, input, expected| {
            trials.push(Trial { name, event, gate, input, expected });
        };
        add("destructive", bytes(payload(DESTRUCTIVE)), Obeyed::Refused);
        // A permission that is not refused is left to the person: nothing is said.
        add("ordinary", bytes(payload(ORDINARY)), Obeyed::Passed);
        add("bad_json", b"{\"tool_name\": ".to_vec(), Obeyed::Refused);
        add("empty", Vec::new(), Obeyed::Refused);
        add("large", bytes(payload(&format!("{ORDINARY} {}", "x".repeat(LARGE)))), Obeyed::Refused);
    }
    trials
}

/// The events at which a client can be refused something, by the form of the question.
fn gates(harness: Harness) -> &'static [(&'static str, Gate)] {
    match harness {
        Harness::Claude | Harness::Codex => {
            &[("PreToolUse", Gate::Tool), ("PermissionRequest", Gate::Permission)]
        }
        Harness::Gemini => &[("BeforeTool", Gate::Tool)],
        Harness::Cursor => &[("preToolUse", Gate::Tool), ("beforeShellExecution", Gate::Tool)],
        Harness::Opencode => &[("tool.execute.before", Gate::Tool)],
    }
}

/// A payload in the client's own words.
fn payload(harness: Harness, event: &str, command: &str, folder: &str) -> Value {
    const SESSION: &str = "provost-guard-test";
    match harness {
        Harness::Claude => json!({
            "session_id": SESSION, "transcript_path": "", "cwd": folder, "prompt_id": SESSION,
            "permission_mode": "default", "hook_event_name": event, "tool_name": "Bash",
            "tool_input": {"command": command},
        }),
        Harness::Codex => json!({
            "session_id": SESSION, "turn_id": SESSION, "transcript_path": null, "cwd": folder,
            "hook_event_name": event, "model": "none", "permission_mode": "default",
            "tool_name": "Bash", "tool_input": {"command": command},
        }),
        Harness::Gemini => json!({
            "session_id": SESSION, "transcript_path": "", "cwd": folder, "hook_event_name": event,
            "timestamp": "2026-01-01T00:00:00.000Z", "tool_name": "run_shell_command",
            "tool_input": {"command": command},
        }),
        Harness::Cursor if event == "beforeShellExecution" => json!({
            "conversation_id": SESSION, "generation_id": SESSION, "hook_event_name": event,
            "workspace_roots": [folder], "command": command, "cwd": folder,
        }),
        Harness::Cursor => json!({
            "conversation_id": SESSION, "generation_id": SESSION, "hook_event_name": event,
            "workspace_roots": [folder], "tool_name": "Shell", "tool_input": {"command": command},
            "cwd": folder,
        }),
        Harness::Opencode => json!({
            "session_id": SESSION, "cwd": folder, "tool_name": "bash",
            "tool_input": {"command": command},
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use provost_kernel::guard::{HookType, UnknownFields};

    use super::*;
    use crate::{Reading, Request, event, read};

    /// What is tried is what the guard understands: a refusal comes from its policy, and not from
    /// a payload that no client would send.
    #[test]
    fn the_payloads_are_read_and_the_rest_is_not() {
        for &harness in Harness::ALL {
            for trial in trials(harness, "/w") {
                let client = harness.client();
                let hook = match event::meaning(client, trial.event) {
                    Some(event::Meaning::Hook(hook)) => hook,
                    _ => HookType::PermissionRequest,
                };
                let reading = read(Request {
                    bytes: &trial.input,
                    client: Some(client),
                    hook: Some(hook),
                    active: &BTreeSet::new(),
                    unknown_fields: UnknownFields::Drop,
                });
                let is_payload = matches!(trial.name, "destructive" | "ordinary");
                let about = format!("{harness} {} {}", trial.event, trial.name);
                match reading {
                    Ok(Reading::Hook(question)) => {
                        assert!(is_payload, "{about}");
                        assert_eq!(question.normalised.dropped, Vec::<String>::new(), "{about}");
                    }
                    Ok(other) => panic!("{about}: {other:?}"),
                    Err(refusal) => assert!(!is_payload, "{about}: {refusal:?}"),
                }
            }
        }
    }

    #[test]
    fn every_gate_is_tried_in_every_way() {
        for &harness in Harness::ALL {
            assert_eq!(trials(harness, "/w").len(), gates(harness).len() * 5, "{harness}");
        }
    }
}
