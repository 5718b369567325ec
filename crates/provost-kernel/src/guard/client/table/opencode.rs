//! opencode: a plugin file that is wholly ours, with the command line in one of its lines.

use super::{claude, gap};
use crate::guard::client::{
    AgentProgram, Client, ClientEntry, Dialect, Gate, Harness, HookShell, Install, InstallForm,
    KnownGap, TrialGate, UserFile,
};

pub(super) static ENTRY: ClientEntry = ClientEntry {
    harness: Harness::Opencode,
    client: Client::Plain,
    title: "opencode",
    preset: "opencode",
    session_folder: None,
    dialect: Dialect::Plain,
    // A plain caller passes on what it was told, so its names are Claude Code's.
    events: claude::EVENTS,
    marks: None,
    translation: None,
    install: Install {
        user: UserFile {
            moved: &[
                ("OPENCODE_CONFIG_DIR", "plugins/provost.js"),
                ("XDG_CONFIG_HOME", "opencode/plugins/provost.js"),
            ],
            home: ".config/opencode/plugins/provost.js",
        },
        project: ".opencode/plugins/provost.js",
        trust: None,
        form: InstallForm::Plugin {
            template: include_str!("opencode.js"),
            event: "tool.execute.before",
        },
        shell: HookShell::Posix,
        switches: &[],
    },
    gates: &[TrialGate {
        event: "tool.execute.before",
        gate: Gate::Tool,
        payload: r#"{"session_id": "provost-guard-test", "cwd": "@folder", "tool_name": "bash",
            "tool_input": {"command": "@command"}}"#,
    }],
    gaps: &[gap(KnownGap::OpencodePlugin), gap(KnownGap::OpencodeToolsOnly)],
    agent: AgentProgram {
        name: "opencode",
        packages: &["opencode-ai"],
        unguarded: &[],
        unguarded_here: &[],
        unguarded_values: &[],
        configuration: &[
            (".opencode", "plugin"),
            (".opencode", "plugins"),
            ("opencode", "plugin"),
            ("opencode", "plugins"),
        ],
        configuration_names: &["opencode.json"],
        folders: &[".opencode"],
        secrets: &[],
        memories: &[],
        variables: &["OPENCODE"],
        roots: &[],
    },
    live: None,
};
