//! Claude Code 2.1.325: `settings.json`, without a shell, and with its own switch for failing
//! closed.

use super::{COMMAND_TYPE, PROMPT, field, gap};
use crate::guard::{
    HookType,
    client::{
        AgentProgram, Client, ClientEntry, Dialect, Events,
        FieldAt::{All, Types},
        FieldValue::{Arguments, Number, Program, Text},
        Gate, Grammar, Harness, HookShell, Install, InstallForm, KnownGap, Live, Marks,
        Meaning::{Hook, Setup, Stop},
        Shape, Switch, SwitchedOff, TrialGate, UserFile, VersionedGap,
    },
};

pub(super) static ENTRY: ClientEntry = ClientEntry {
    harness: Harness::Claude,
    client: Client::Claude,
    title: "Claude Code",
    preset: "claude-code",
    session_folder: Some("CLAUDE_PROJECT_DIR"),
    dialect: Dialect::Claude,
    events: EVENTS,
    marks: Some(Marks { fields: &["effort", "prompt_id"], are_always_sent: false }),
    translation: None,
    install: Install {
        user: UserFile {
            moved: &[("CLAUDE_CONFIG_DIR", "settings.json")],
            home: ".claude/settings.json",
        },
        // The file of this person in this repository, which git is told to ignore.
        project: ".claude/settings.local.json",
        trust: None,
        form: InstallForm::Entries {
            grammar: Grammar::Strict,
            shape: Shape::Groups,
            constants: &[],
            fields: &[
                COMMAND_TYPE,
                field("command", Program, All),
                field("args", Arguments, All),
                // Our own deadline is 2 seconds; a machine under load gets some more.
                field("timeout", Number(10), All),
                // What a client does with a hook that failed is its own choice, except here.
                field(
                    "onFailure",
                    Text("block"),
                    Types(&[HookType::PreToolUse, HookType::PermissionRequest]),
                ),
            ],
        },
        shell: HookShell::Posix,
        switches: &[Switch { key: "disableAllHooks", off: SwitchedOff::Is(true) }],
    },
    gates: &[
        TrialGate { event: "PreToolUse", gate: Gate::Tool, payload: CALL },
        TrialGate { event: "PermissionRequest", gate: Gate::Permission, payload: CALL },
    ],
    gaps: &[
        VersionedGap { gap: KnownGap::ClaudeFailsOpen, closed_in: Some([2, 1, 295]) },
        gap(KnownGap::ClaudeSilence),
        gap(KnownGap::ClaudeUnattended),
    ],
    agent: AgentProgram {
        name: "claude",
        packages: &["@anthropic-ai/claude-code"],
        unguarded: &[
            "--allow-dangerously-skip-permissions",
            "--bare",
            "--dangerously-skip-permissions",
            "--setting-sources",
            "--settings",
        ],
        unguarded_here: &["--safe-mode"],
        unguarded_values: &["bypasspermissions", "disableallhooks"],
        configuration: &[
            (".claude", "settings.json"),
            (".claude", "hooks"),
            ("etc", "claude-code"),
        ],
        configuration_names: &[],
        folders: &[".claude"],
        secrets: &[(".claude", ".credentials.json"), (".claude", "settings.local.json")],
        memories: &[".claude/plans", ".claude/projects", ".claude/todos"],
        variables: &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"],
        roots: &["CLAUDE_PROJECT_DIR"],
    },
    live: Some(Live {
        package: "@anthropic-ai/claude-code",
        arguments: &[
            "-p",
            "--output-format=json",
            "--allowedTools=Bash",
            "--model=sonnet",
            "--",
            PROMPT,
        ],
        variables: &[
            ("ANTHROPIC_BASE_URL", "{base}"),
            ("ANTHROPIC_API_KEY", "none"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
        ],
        files: &[],
    }),
};

pub(super) const EVENTS: Events = Events {
    installed: &[
        ("PreToolUse", Hook(HookType::PreToolUse)),
        ("PermissionRequest", Hook(HookType::PermissionRequest)),
        ("PostToolUse", Hook(HookType::PostToolUse)),
        ("PostToolUseFailure", Hook(HookType::PostToolUse)),
        ("UserPromptSubmit", Hook(HookType::KeywordDetector)),
        ("SessionStart", Hook(HookType::SessionStart)),
        ("SessionEnd", Hook(HookType::SessionEnd)),
        ("Stop", Stop),
        ("SubagentStart", Hook(HookType::SubagentStart)),
        ("SubagentStop", Hook(HookType::SubagentStop)),
        ("PreCompact", Hook(HookType::PreCompact)),
        ("Setup", Setup),
    ],
    understood: &[],
    untyped: &[
        "PostToolBatch",
        "Notification",
        "UserPromptExpansion",
        "StopFailure",
        "PostCompact",
        "PreModelSwitch",
        "PostModelSwitch",
        "PermissionDenied",
        "TeammateIdle",
        "TaskCreated",
        "TaskCompleted",
        "Elicitation",
        "ElicitationResult",
        "ConfigChange",
        "WorktreeCreate",
        "WorktreeRemove",
        "InstructionsLoaded",
        "CwdChanged",
        "FileChanged",
        "DirectoryAdded",
        "MessageDisplay",
    ],
    untyped_by_type: &[],
};

const CALL: &str = r#"{"session_id": "provost-guard-test", "transcript_path": "",
    "cwd": "@folder", "prompt_id": "provost-guard-test", "permission_mode": "default",
    "hook_event_name": "@event", "tool_name": "Bash", "tool_input": {"command": "@command"}}"#;
