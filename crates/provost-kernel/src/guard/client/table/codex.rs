//! Codex 0.166: `hooks.json`, through a login shell. A hook that is not trusted does not run.

use super::{COMMAND_TYPE, LINE, PROMPT, field, gap};
use crate::guard::{
    HookType,
    client::{
        AgentProgram, Client, ClientEntry, Dialect, Events,
        FieldAt::{Event, Except},
        FieldValue::Number,
        Gate, Grammar, Harness, HookShell, Install, InstallForm, KnownGap, Live, Marks,
        Meaning::{Hook, Stop},
        Shape, TrialGate, UserFile,
    },
};

pub(super) static ENTRY: ClientEntry = ClientEntry {
    harness: Harness::Codex,
    client: Client::Codex,
    title: "Codex",
    preset: "codex",
    session_folder: None,
    dialect: Dialect::Codex,
    events: Events {
        installed: &[
            ("PreToolUse", Hook(HookType::PreToolUse)),
            ("PermissionRequest", Hook(HookType::PermissionRequest)),
            ("PostToolUse", Hook(HookType::PostToolUse)),
            ("PreCompact", Hook(HookType::PreCompact)),
            ("SessionStart", Hook(HookType::SessionStart)),
            ("SessionEnd", Hook(HookType::SessionEnd)),
            ("UserPromptSubmit", Hook(HookType::KeywordDetector)),
            ("SubagentStart", Hook(HookType::SubagentStart)),
            ("SubagentStop", Hook(HookType::SubagentStop)),
            ("Stop", Stop),
        ],
        understood: &[],
        untyped: &["PostCompact"],
        // Its older notification.
        untyped_by_type: &["agent-turn-complete"],
    },
    marks: Some(Marks { fields: &["turn_id"], are_always_sent: false }),
    translation: None,
    install: Install {
        user: UserFile { moved: &[("CODEX_HOME", "hooks.json")], home: ".codex/hooks.json" },
        project: ".codex/hooks.json",
        trust: Some(UserFile {
            moved: &[("CODEX_HOME", "config.toml")],
            home: ".codex/config.toml",
        }),
        form: InstallForm::Entries {
            grammar: Grammar::Strict,
            shape: Shape::Groups,
            constants: &[],
            fields: &[
                COMMAND_TYPE,
                LINE,
                // When its time is up, the tool runs: so the hook gets plenty, and ends by itself
                // after 2 seconds.
                field("timeout", Number(30), Except("SessionEnd")),
                // More is cut to this, with a warning.
                field("timeout", Number(3), Event("SessionEnd")),
            ],
        },
        shell: HookShell::Login,
        switches: &[],
    },
    gates: &[
        TrialGate { event: "PreToolUse", gate: Gate::Tool, payload: CALL },
        TrialGate { event: "PermissionRequest", gate: Gate::Permission, payload: CALL },
    ],
    gaps: &[
        gap(KnownGap::CodexFailsOpen),
        gap(KnownGap::CodexTrust),
        gap(KnownGap::CodexProjects),
        gap(KnownGap::CodexUnattended),
    ],
    agent: AgentProgram {
        name: "codex",
        packages: &["@openai/codex"],
        unguarded: &[
            "--dangerously-bypass-approvals-and-sandbox",
            "--dangerously-bypass-hook-trust",
            "--full-auto",
        ],
        unguarded_here: &[],
        unguarded_values: &[
            "danger-full-access",
            "disable=hooks",
            "features.codex_hooks=false",
            "features.hooks=false",
        ],
        configuration: &[(".codex", "hooks.json"), (".codex", "config.toml")],
        configuration_names: &[],
        folders: &[".codex"],
        secrets: &[(".codex", "auth.json")],
        memories: &[".codex/memories"],
        variables: &["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID"],
        roots: &[],
    },
    live: Some(Live {
        package: "@openai/codex",
        arguments: &[
            "exec",
            "--json",
            "--color=never",
            "--skip-git-repo-check",
            // Its own sandbox cannot be set up inside ours, and would protect the canary.
            "--sandbox=danger-full-access",
            "--model=scripted",
            "--config=model_provider=\"scripted\"",
            "--config=model_providers.scripted.name=\"scripted\"",
            "--config=model_providers.scripted.base_url=\"{base}/v1\"",
            "--config=model_providers.scripted.wire_api=\"responses\"",
            "--config=model_providers.scripted.env_key=\"OPENAI_API_KEY\"",
            // What it would ask its makers on the way.
            "--config=analytics.enabled=false",
            "--config=check_for_update_on_startup=false",
            "--config=features.apps=false",
            "--config=features.plugins=false",
            "--config=otel.metrics_exporter=\"none\"",
            "--",
            PROMPT,
        ],
        // Whatever else it wants to reach is answered here as well, with a refusal.
        variables: &[
            ("OPENAI_API_KEY", "none"),
            ("HTTPS_PROXY", "{base}"),
            ("https_proxy", "{base}"),
        ],
        files: &[],
    }),
};

const CALL: &str = r#"{"session_id": "provost-guard-test", "turn_id": "provost-guard-test",
    "transcript_path": null, "cwd": "@folder", "hook_event_name": "@event", "model": "none",
    "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": "@command"}}"#;
