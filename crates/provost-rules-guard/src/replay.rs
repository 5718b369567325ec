//! What a session's replay says of a hook: who, which tool, how long, and no more than that.

use provost_kernel::{
    Digest, Millis, RecordFile, SessionId,
    guard::{HookInput, HookType, ReplayEvent, ReplayKind},
};
use serde_json::Value;

use super::{
    sanitize,
    touched::{Author, author, duration, file},
};

/// How many characters of a name or of a reason are kept.
const NAME_CHARACTERS: usize = 100;

/// How many characters of an id that is not a file name stay readable.
const READABLE: usize = 100;

/// The event of a hook; nothing if it names an agent that no client would name so.
pub fn event(input: &HookInput, first: Option<Millis>, now: Millis) -> Option<ReplayEvent> {
    let agent = match author(input) {
        Author::Agent(id) => Some(id),
        Author::Main => None,
        Author::Unknown => return None,
    };
    let new = |kind, nobody: &str| ReplayEvent::new(kind, agent.unwrap_or(nobody), first, now);
    let event = match input.hook {
        HookType::SubagentStart => ReplayEvent {
            task: input.prompt_text().map(|it| sanitize::text(&it, ReplayEvent::TASK_CHARACTERS)),
            ..new(ReplayKind::AgentStart, agent?)
        },
        HookType::SubagentStop => ReplayEvent {
            success: Some(input.fields.get("success") != Some(&Value::Bool(false))),
            ..new(ReplayKind::AgentStop, agent?)
        },
        HookType::PreToolUse => ReplayEvent {
            tool: tool(input),
            file: short_file(input),
            ..new(ReplayKind::ToolStart, ORCHESTRATOR)
        },
        HookType::PostToolUse => ReplayEvent {
            tool: tool(input),
            file: short_file(input),
            duration_ms: duration(input),
            success: Some(!input.has("error")),
            reason: input.fields.get("error").map(|it| name(&sanitize::json(it))),
            ..new(ReplayKind::ToolEnd, ORCHESTRATOR)
        },
        HookType::PermissionRequest => ReplayEvent {
            tool: tool(input),
            hook: Some(input.hook),
            ..new(ReplayKind::HookFire, ORCHESTRATOR)
        },
        HookType::KeywordDetector
        | HookType::Ralph
        | HookType::PersistentMode
        | HookType::StopContinuation
        | HookType::SessionStart
        | HookType::SessionEnd
        | HookType::Autopilot
        | HookType::PreCompact
        | HookType::SetupInit
        | HookType::SetupMaintenance => {
            ReplayEvent { hook: Some(input.hook), ..new(ReplayKind::HookFire, SYSTEM) }
        }
    };
    Some(ReplayEvent {
        agent_type: input.text("agent_type").map(name),
        model: input.text("model").map(name),
        ..event
    })
}

/// The line of an event, without a newline; nothing if it is longer than a line may be.
///
/// Every text in it is cut, so that only letters which JSON spells out could make it so long.
pub fn line(event: ReplayEvent) -> Option<Vec<u8>> {
    let line = serde_json::to_vec(&RecordFile::new(event)).ok()?;
    (line.len() < ReplayEvent::LINE_BYTES).then_some(line)
}

/// The name under which the replay of a session is kept.
///
/// An id that is not a file name is written so that it is one, with eight digits of its digest:
/// two sessions never share a replay because their ids look alike.
pub fn session(id: &str) -> Option<SessionId> {
    if let Ok(id) = id.parse() {
        return Some(id);
    }
    let is_plain = |it: &char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    let readable = id.chars().take(READABLE).map(|it| if is_plain(&it) { it } else { '_' });
    let readable: String = readable.collect();
    let digest = Digest::of_bytes(id.as_bytes()).to_string();
    // The leading letter keeps a hyphen from coming first.
    format!("s{readable}-{}", digest.get(..8)?).parse().ok()
}

const ORCHESTRATOR: &str = "orchestrator";
const SYSTEM: &str = "system";

fn tool(input: &HookInput) -> Option<String> {
    input.tool_name.as_deref().map(name)
}

fn short_file(input: &HookInput) -> Option<String> {
    file(input).map(|it| sanitize::text(&it, ReplayEvent::FILE_CHARACTERS))
}

fn name(text: &str) -> String {
    sanitize::text(text, NAME_CHARACTERS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Millis = Millis(1_794_700_801_250);

    fn input(hook: HookType, fields: Value) -> HookInput {
        let Value::Object(fields) = fields else { panic!("{fields} is no object") };
        HookInput { fields, directory: Some("/p".to_owned()), ..HookInput::empty(hook) }
    }

    #[track_caller]
    fn check(input: &HookInput, expected: Value) {
        let event = event(input, Some(Millis(NOW.0 - 1_250)), NOW);
        let Some(event) = event else {
            assert_eq!(expected, Value::Null, "{input:?}");
            return;
        };
        let mut line: Value = serde_json::from_slice(&line(event).unwrap()).unwrap();
        let object = line.as_object_mut().unwrap();
        assert_eq!(object.remove("ts"), Some(json!(NOW.0)));
        assert_eq!(object.remove("t"), Some(json!(1.2)));
        assert_eq!(object.remove("schema"), Some(json!("provost.replay/1")));
        assert_eq!(line, expected);
    }

    #[test]
    fn a_hook_is_one_event() {
        let fields = json!({"agent_id": "a9fa68e61a23b0e76", "agent_type": "executor"});
        check(
            &HookInput {
                prompt: Some("x".repeat(120)),
                ..input(HookType::SubagentStart, fields.clone())
            },
            json!({
                "event": "agent_start", "agent": "a9fa68e", "agent_type": "executor",
                "task": "x".repeat(100),
            }),
        );
        check(
            &input(HookType::SubagentStop, fields.clone()),
            json!({
                "event": "agent_stop", "agent": "a9fa68e", "agent_type": "executor",
                "success": true,
            }),
        );
        let call = |hook, fields| HookInput {
            tool_name: Some("Edit".to_owned()),
            tool_input: Some(json!({"file_path": "/p/a.rs", "new_string": "hidden"})),
            ..input(hook, fields)
        };
        check(
            &call(HookType::PreToolUse, json!({})),
            json!({"event": "tool_start", "agent": "orchest", "tool": "Edit", "file": "a.rs"}),
        );
        check(
            &call(
                HookType::PostToolUse,
                json!({"duration_ms": 83, "error": "no", "agent_id": "b"}),
            ),
            json!({
                "event": "tool_end", "agent": "b", "tool": "Edit", "file": "a.rs",
                "duration_ms": 83, "success": false, "reason": "no",
            }),
        );
        check(
            &call(HookType::PermissionRequest, json!({})),
            json!({
                "event": "hook_fire", "agent": "orchest", "tool": "Edit",
                "hook": "permission-request",
            }),
        );
        check(
            &input(HookType::SessionStart, json!({"model": "m1"})),
            json!({"event": "hook_fire", "agent": "system", "hook": "session-start", "model": "m1"}),
        );
    }

    /// An agent without an id that clients give is not written down.
    #[test]
    fn an_id_that_is_none_is_skipped() {
        for &hook in HookType::ALL {
            check(&input(hook, json!({"agent_id": "../a"})), Value::Null);
        }
        check(&input(HookType::SubagentStart, json!({})), Value::Null);
        check(&input(HookType::SubagentStop, json!({})), Value::Null);
    }

    /// HOOK-2.6: no secret, nothing that was said or written, and never more than a line.
    #[test]
    fn a_line_is_short_and_has_no_secrets() {
        let token = format!("ghp_{}", "a8Kd0fLq2mNw5xRz7vTb9cYh1jPs3gEuQ4iX");
        let worst = "\u{1}".repeat(5000);
        for text in [token.as_str(), &worst, &"任".repeat(5000)] {
            for &hook in HookType::ALL {
                let mut fields = json!({
                    "agent_id": "a".repeat(255), "agent_type": text, "model": text, "error": text,
                    "last_assistant_message": "secret words", "output": "secret words",
                });
                fields["message"] = json!({"content": text});
                let input = HookInput {
                    tool_name: Some(text.to_owned()),
                    tool_input: Some(json!({"file_path": text, "command": "secret words"})),
                    tool_output: Some(json!("secret words")),
                    prompt: Some(text.to_owned()),
                    ..input(hook, fields)
                };
                let line = line(event(&input, None, NOW).unwrap()).unwrap();
                assert!(line.len() < ReplayEvent::LINE_BYTES, "{hook}: {}", line.len());
                let line = String::from_utf8(line).unwrap();
                assert!(!line.contains("a8Kd") && !line.contains("secret words"), "{line}");
                assert!(!line.contains('\n'), "{line}");
            }
        }
    }

    #[test]
    fn a_session_is_kept_under_a_name_of_its_own() {
        #[track_caller]
        fn check(id: &str, expected: &str) {
            assert_eq!(session(id).unwrap().as_str(), expected, "{id:?}");
        }
        check("28aae1af-4301-4fb5-a5e0-695688bdc695", "28aae1af-4301-4fb5-a5e0-695688bdc695");
        let strange = ["a/b", "a_b ", "a\\b", "../a", "-a", "", "任务", &"x".repeat(300), "a\0"];
        let names: std::collections::BTreeSet<_> =
            strange.iter().map(|it| session(it).unwrap()).collect();
        assert_eq!(names.len(), strange.len(), "{names:?}");
        assert!(session("a/b").unwrap().as_str().starts_with("sa_b-"));
        assert_eq!(session("-a").unwrap().as_str().len(), "s-a-".len() + 8);
    }
}
