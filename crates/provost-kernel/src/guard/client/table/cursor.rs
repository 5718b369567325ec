//! Cursor: `hooks.json`. What is known of it comes from public pages; none could be observed.

use super::{LINE, field, gap};
use crate::guard::{
    HookType,
    client::{
        AgentProgram, Client, ClientEntry, Dialect, Events,
        FieldAt::Types,
        FieldValue::True,
        Gate, Grammar, Harness, HookShell, Install, InstallForm, KnownGap, Marks,
        Meaning::{Hook, Stop},
        Rewrite, Shape, Translation, TrialGate, UserFile,
    },
};

pub(super) static ENTRY: ClientEntry = ClientEntry {
    harness: Harness::Cursor,
    client: Client::Cursor,
    title: "Cursor",
    preset: "cursor",
    session_folder: None,
    dialect: Dialect::Cursor,
    events: Events {
        installed: &[
            ("preToolUse", Hook(HookType::PreToolUse)),
            ("beforeShellExecution", Hook(HookType::PreToolUse)),
            ("beforeMCPExecution", Hook(HookType::PreToolUse)),
            ("beforeReadFile", Hook(HookType::PreToolUse)),
            ("beforeTabFileRead", Hook(HookType::PreToolUse)),
            ("postToolUse", Hook(HookType::PostToolUse)),
            ("postToolUseFailure", Hook(HookType::PostToolUse)),
            ("beforeSubmitPrompt", Hook(HookType::KeywordDetector)),
            ("sessionStart", Hook(HookType::SessionStart)),
            ("sessionEnd", Hook(HookType::SessionEnd)),
            ("subagentStart", Hook(HookType::SubagentStart)),
            ("subagentStop", Hook(HookType::SubagentStop)),
            ("preCompact", Hook(HookType::PreCompact)),
            ("stop", Stop),
        ],
        // What comes after a tool has an event for every kind of tool besides the general one:
        // only that is asked for, or each call would be recorded twice.
        understood: &[
            ("afterShellExecution", Hook(HookType::PostToolUse)),
            ("afterMCPExecution", Hook(HookType::PostToolUse)),
            ("afterFileEdit", Hook(HookType::PostToolUse)),
            ("afterTabFileEdit", Hook(HookType::PostToolUse)),
        ],
        untyped: &["afterAgentResponse", "afterAgentThought"],
        untyped_by_type: &[],
    },
    marks: Some(Marks { fields: &["conversation_id"], are_always_sent: true }),
    translation: Some(&Translation {
        allows_byte_order_mark: true,
        roots: "workspace_roots",
        dropped: &["workspace_roots", "cursor_version", "user_email"],
        renamed: &[
            ("conversation_id", "session_id"),
            ("generation_id", "turn_id"),
            ("duration", "duration_ms"),
        ],
        events: &[
            (&["beforeShellExecution"], &[Rewrite::Call("Shell", &["command"])]),
            (
                &["afterShellExecution"],
                &[Rewrite::Call("Shell", &["command"]), Rewrite::Rename("output", "tool_response")],
            ),
            (
                &["beforeReadFile", "beforeTabFileRead"],
                &[Rewrite::Call("Read", &["file_path", "attachments"])],
            ),
            (
                &["afterFileEdit", "afterTabFileEdit"],
                &[Rewrite::Call("Edit", &["file_path", "edits"])],
            ),
            (&["beforeMCPExecution"], &[Rewrite::ParseInput]),
            (
                &["afterMCPExecution"],
                &[Rewrite::ParseInput, Rewrite::Rename("result_json", "tool_response")],
            ),
            (&["postToolUse"], &[Rewrite::Rename("tool_output", "tool_response")]),
            (
                &["postToolUseFailure"],
                &[
                    Rewrite::Rename("error_message", "error"),
                    Rewrite::Rename("failure_type", "error_type"),
                ],
            ),
            (
                &["subagentStart", "subagentStop"],
                &[
                    Rewrite::Rename("subagent_id", "agent_id"),
                    Rewrite::Rename("subagent_type", "agent_type"),
                    Rewrite::Rename("task", "prompt"),
                ],
            ),
            (
                &["stop"],
                &[
                    Rewrite::Rename("status", "stop_reason"),
                    Rewrite::Counted("loop_count", "stop_hook_active"),
                ],
            ),
        ],
    }),
    install: Install {
        user: UserFile { moved: &[], home: ".cursor/hooks.json" },
        project: ".cursor/hooks.json",
        trust: None,
        form: InstallForm::Entries {
            grammar: Grammar::Strict,
            shape: Shape::Flat,
            constants: &[("version", 1)],
            // No time is set: whether it is in seconds or in milliseconds is reported both ways,
            // and a wrong guess would refuse everything.
            fields: &[LINE, field("failClosed", True, Types(&[HookType::PreToolUse]))],
        },
        shell: HookShell::Posix,
        switches: &[],
    },
    gates: &[
        TrialGate {
            event: "preToolUse",
            gate: Gate::Tool,
            payload: r#"{"conversation_id": "provost-guard-test",
                "generation_id": "provost-guard-test", "hook_event_name": "@event",
                "workspace_roots": ["@folder"], "tool_name": "Shell",
                "tool_input": {"command": "@command"}, "cwd": "@folder"}"#,
        },
        TrialGate {
            event: "beforeShellExecution",
            gate: Gate::Tool,
            payload: r#"{"conversation_id": "provost-guard-test",
                "generation_id": "provost-guard-test", "hook_event_name": "@event",
                "workspace_roots": ["@folder"], "command": "@command", "cwd": "@folder"}"#,
        },
    ],
    gaps: &[gap(KnownGap::CursorUnobserved)],
    agent: AgentProgram {
        name: "cursor-agent",
        packages: &[],
        unguarded: &[],
        unguarded_here: &["--force", "-f"],
        unguarded_values: &[],
        configuration: &[(".cursor", "hooks.json")],
        configuration_names: &[],
        folders: &[".cursor"],
        secrets: &[],
        memories: &[],
        variables: &["CURSOR_AGENT"],
        roots: &[],
    },
    live: None,
};
