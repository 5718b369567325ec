//! Gemini CLI 0.61: `settings.json`, through a shell, with its times in milliseconds.

use super::{COMMAND_TYPE, LINE, PROMPT, field, gap};
use crate::guard::{
    HookType,
    client::{
        AgentProgram, Client, ClientEntry, Dialect, Events,
        FieldAt::All,
        FieldValue::{Number, Text},
        Gate, Grammar, Harness, HookShell, Install, InstallForm, KnownGap, Live, Marks,
        Meaning::{Hook, Stop},
        Shape, Switch, SwitchedOff, TrialGate, UserFile,
    },
};

pub(super) static ENTRY: ClientEntry = ClientEntry {
    harness: Harness::Gemini,
    client: Client::Gemini,
    title: "Gemini CLI",
    preset: "gemini",
    session_folder: Some("GEMINI_PROJECT_DIR"),
    dialect: Dialect::Gemini,
    events: Events {
        installed: &[
            ("BeforeTool", Hook(HookType::PreToolUse)),
            ("AfterTool", Hook(HookType::PostToolUse)),
            ("BeforeAgent", Hook(HookType::KeywordDetector)),
            ("AfterAgent", Stop),
            ("SessionStart", Hook(HookType::SessionStart)),
            ("SessionEnd", Hook(HookType::SessionEnd)),
            ("PreCompress", Hook(HookType::PreCompact)),
        ],
        understood: &[],
        untyped: &["BeforeModel", "AfterModel", "BeforeToolSelection", "Notification"],
        untyped_by_type: &[],
    },
    marks: Some(Marks { fields: &["timestamp"], are_always_sent: true }),
    translation: None,
    install: Install {
        user: UserFile {
            moved: &[("GEMINI_CLI_HOME", ".gemini/settings.json")],
            home: ".gemini/settings.json",
        },
        project: ".gemini/settings.json",
        trust: None,
        form: InstallForm::Entries {
            grammar: Grammar::Comments,
            shape: Shape::Groups,
            constants: &[],
            fields: &[
                // The name under which its people can switch a hook off.
                field("name", Text("provost"), All),
                COMMAND_TYPE,
                LINE,
                // When its time is up, the tool runs: so the hook gets plenty, and ends by itself
                // after 2 seconds.
                field("timeout", Number(30_000), All),
            ],
        },
        shell: HookShell::Bash,
        switches: &[
            Switch { key: "hooksConfig.enabled", off: SwitchedOff::Is(false) },
            Switch { key: "hooksConfig.disabled", off: SwitchedOff::Lists("provost") },
        ],
    },
    gates: &[TrialGate {
        event: "BeforeTool",
        gate: Gate::Tool,
        payload: r#"{"session_id": "provost-guard-test", "transcript_path": "", "cwd": "@folder",
            "hook_event_name": "@event", "timestamp": "2026-01-01T00:00:00.000Z",
            "tool_name": "run_shell_command", "tool_input": {"command": "@command"}}"#,
    }],
    gaps: &[gap(KnownGap::GeminiFailsOpen)],
    agent: AgentProgram {
        name: "gemini",
        packages: &["@google/gemini-cli"],
        unguarded: &["--yolo"],
        unguarded_here: &["-y"],
        unguarded_values: &["approval-mode=yolo"],
        configuration: &[(".gemini", "settings.json")],
        configuration_names: &[],
        folders: &[".gemini"],
        secrets: &[(".gemini", "oauth_creds.json")],
        memories: &[],
        variables: &["GEMINI_CLI", "GEMINI_SESSION_ID"],
        roots: &["GEMINI_PROJECT_DIR"],
    },
    live: Some(Live {
        package: "@google/gemini-cli",
        arguments: &[
            "--output-format=json",
            "--approval-mode=yolo",
            "--skip-trust",
            "--model=gemini-2.5-flash",
            "--prompt",
            PROMPT,
        ],
        variables: &[("GOOGLE_GEMINI_BASE_URL", "{base}"), ("GEMINI_API_KEY", "none")],
        // With an address of its own it takes itself for a gateway's client, unless it is told
        // that it logs in with a key.
        files: &[(
            ".gemini/settings.json",
            r#"{
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
  "privacy": { "usageStatisticsEnabled": false },
  "security": { "auth": { "selectedType": "gemini-api-key" } }
}
"#,
        )],
    }),
};
