//! The presets, as data.
//!
//! Every flag stands in the help of the version that is named here, and every SUPPORTED row was
//! run with it, in the sandbox, against a scripted model. `docs/adapters.md` says what was seen.
//!
//! The settings of a repository have no effect on a coder, and its state is its own (ruling 96).
//! A judge has no tool that writes, and the settings of a folder have no effect on it. With these
//! flags nothing ran and nothing was told, in a folder whose evidence held hooks, servers, plugins,
//! skills and instruction files as `.txt`.

mod additions;

use super::{
    AnswerBy, LoginCheck, Part, Preset, PromptBy, answer,
    facts::{self, Report, Sign},
    session::{Named, Sessions},
    state::{AgentState, StateFile, StateKind},
};
use crate::support::{Support, SupportGap};

/// No agent's command line has a setting for the temperature, which a judge must have.
const JUDGE: Support = Support::partial(SupportGap::NoTemperature);

/// Codex says what it cost at its end only; its own cap, which it calls unstable, holds before.
const CODEX_TOKENS: Part = Part::Tokens(
    "--config=features.rollout_budget={enabled=true,limit_tokens=",
    ",reminder_at_remaining_tokens=[]}",
);

/// Every preset.
pub static ALL: [Preset; 6] = [CLAUDE_CODE, CODEX, GEMINI, OPENCODE, AIDER, CURSOR];

const CLAUDE_CODE: Preset = Preset {
    name: "claude-code",
    title: "Claude Code",
    program: "claude",
    login: Some(LoginCheck {
        arguments: &["auth", "status"],
        mend: "claude auth login",
        keys: &[],
        provider: None,
    }),
    coder: &[
        Part::Word("-p"),
        Part::Word("--output-format=stream-json"),
        // It prints events with this flag only.
        Part::Word("--verbose"),
        Part::Word("--permission-mode=acceptEdits"),
        Part::Word("--allowedTools=Bash"),
        Part::Word("--setting-sources=user"),
        Part::Word("--strict-mcp-config"),
        Part::Exchange("--add-dir="),
        Part::Usd("--max-budget-usd="),
        Part::Model("--model="),
        Part::Session("--resume="),
        Part::Added,
        Part::Word("--"),
        Part::Prompt(""),
    ],
    judge: &[
        Part::Word("-p"),
        Part::Word("--output-format=json"),
        Part::Word("--setting-sources=user"),
        Part::Word("--strict-mcp-config"),
        Part::Word("--tools=Read,Grep,Glob"),
        Part::Usd("--max-budget-usd="),
        Part::Model("--model="),
        Part::Added,
        Part::Word("--"),
        Part::Prompt(""),
    ],
    state: AgentState {
        folders: &[("CLAUDE_CONFIG_DIR", "claude")],
        files: &[
            StateFile {
                variable: "CLAUDE_CONFIG_DIR",
                home: ".claude",
                name: ".credentials.json",
                into: "claude",
                kind: StateKind::Login,
            },
            StateFile {
                variable: "CLAUDE_CONFIG_DIR",
                home: ".claude",
                name: "settings.json",
                into: "claude",
                kind: StateKind::Settings,
            },
        ],
    },
    sessions: Some(Sessions {
        folder: ["claude", "projects"],
        depth: 1,
        // It looks into every folder there.
        put: &["continued"],
        named: Named::Nothing,
    }),
    set_aside: &[],
    instructions: Some("CLAUDE.md"),
    variables: additions::CLAUDE_VARIABLES,
    providers: additions::CLAUDE_PROVIDERS,
    named_by: None,
    own_names: &["CLAUDE_*", "CLAUDECODE"],
    flags: additions::CLAUDE_FLAGS,
    settings: &[("DISABLE_AUTOUPDATER", "1")],
    judge_settings: &[],
    prompt: PromptBy::ArgumentOrFile,
    answer: AnswerBy::Request,
    said: answer::result,
    report: Report::Events(facts::claude),
    exits: &[],
    coder_support: Support::SUPPORTED,
    judge_support: JUDGE,
    checked: Some(("2.1.325", "2026-11-15")),
};

const CODEX: Preset = Preset {
    name: "codex",
    title: "Codex",
    program: "codex",
    // It says 1 for a person with a key or with a provider of their own (0.166.0).
    login: Some(LoginCheck {
        arguments: &["login", "status"],
        mend: "codex login",
        keys: &["CODEX_API_KEY", "OPENAI_API_KEY"],
        provider: Some("model_provider"),
    }),
    coder: &[
        Part::Word("exec"),
        Part::Word("--json"),
        Part::Word("--color=never"),
        Part::Word("--skip-git-repo-check"),
        // Its own sandbox cannot be set up inside provost's, and is needed only without it.
        Part::BySandbox {
            inside: "--sandbox=danger-full-access",
            outside: "--sandbox=workspace-write",
        },
        // A tree that is trusted has settings, hooks and servers of its own.
        Part::Word("--config"),
        Part::Tree("projects={", "={trust_level=\"untrusted\"}}"),
        // The files of a login shell set `PATH` anew, and what was prepared is not found any more.
        Part::Word("--config=allow_login_shell=false"),
        Part::Word("--output-last-message"),
        Part::AnswerFile,
        CODEX_TOKENS,
        Part::Model("--model="),
        Part::Added,
        // Behind every flag: by itself it knows fewer, and obeys those before it.
        Part::Resuming("resume"),
        Part::Word("--"),
        Part::Session(""),
        Part::Prompt(""),
    ],
    judge: &[
        Part::Word("exec"),
        Part::Word("--json"),
        Part::Word("--color=never"),
        Part::Word("--skip-git-repo-check"),
        Part::Word("--ephemeral"),
        Part::Word("--sandbox=read-only"),
        Part::Word("--disable"),
        Part::Word("hooks"),
        Part::Word("--disable"),
        Part::Word("multi_agent"),
        // What it judges by is in its folder, and goes nowhere.
        Part::Word("--config"),
        Part::Word("web_search=\"disabled\""),
        CODEX_TOKENS,
        Part::Model("--model="),
        Part::Added,
        Part::Word("--"),
        Part::Prompt(""),
    ],
    state: AgentState {
        folders: &[("CODEX_HOME", "codex")],
        files: &[
            StateFile {
                variable: "CODEX_HOME",
                home: ".codex",
                name: "auth.json",
                into: "codex",
                kind: StateKind::Login,
            },
            StateFile {
                variable: "CODEX_HOME",
                home: ".codex",
                name: "config.toml",
                into: "codex",
                kind: StateKind::Settings,
            },
            StateFile {
                variable: "CODEX_HOME",
                home: ".codex",
                name: "hooks.json",
                into: "codex",
                kind: StateKind::Settings,
            },
        ],
    },
    sessions: Some(Sessions {
        folder: ["codex", "sessions"],
        depth: 3,
        put: &[],
        named: Named::Rollout,
    }),
    set_aside: &[],
    instructions: Some("AGENTS.md"),
    variables: additions::CODEX_VARIABLES,
    providers: &[],
    named_by: additions::CODEX_NAMED_BY,
    own_names: &["CODEX_*"],
    flags: additions::CODEX_FLAGS,
    settings: &[],
    judge_settings: &[],
    // Its commands do not run in the sandbox of a judge: they need one of their own.
    prompt: PromptBy::ArgumentOrInput,
    answer: AnswerBy::Program,
    said: answer::codex,
    report: Report::Events(facts::codex),
    exits: &[],
    coder_support: Support::SUPPORTED,
    judge_support: JUDGE,
    checked: Some(("0.166.0", "2026-11-15")),
};

const GEMINI: Preset = Preset {
    name: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    login: None,
    coder: &[
        Part::Word("--output-format=json"),
        Part::Word("--approval-mode=yolo"),
        Part::Word("--skip-trust"),
        Part::Exchange("--include-directories="),
        Part::Model("--model="),
        Part::Added,
        Part::Prompt("--prompt="),
    ],
    judge: &[
        Part::Word("--output-format=json"),
        Part::Word("--approval-mode=plan"),
        Part::Word("--skip-trust"),
        Part::Model("--model="),
        Part::Added,
        Part::Prompt("--prompt="),
    ],
    state: AgentState {
        folders: &[("GEMINI_CLI_HOME", "gemini")],
        files: &[
            StateFile {
                variable: "GEMINI_CLI_HOME",
                home: "",
                name: ".gemini/oauth_creds.json",
                into: "gemini",
                kind: StateKind::Login,
            },
            StateFile {
                variable: "GEMINI_CLI_HOME",
                home: "",
                name: ".gemini/google_accounts.json",
                into: "gemini",
                kind: StateKind::Settings,
            },
            StateFile {
                variable: "GEMINI_CLI_HOME",
                home: "",
                name: ".gemini/settings.json",
                into: "gemini",
                kind: StateKind::Settings,
            },
        ],
    },
    sessions: None,
    set_aside: &[],
    instructions: None,
    variables: additions::GEMINI_VARIABLES,
    providers: additions::GEMINI_PROVIDERS,
    named_by: None,
    own_names: &["GEMINI_*"],
    flags: additions::GEMINI_FLAGS,
    settings: &[],
    judge_settings: &[],
    prompt: PromptBy::ArgumentOrFile,
    answer: AnswerBy::Request,
    said: answer::gemini,
    report: Report::Document(facts::gemini),
    // 41 is its own code for a missing login; 145 and 173 are the statuses 401 and 429, of which
    // an exit code keeps the lowest eight bits.
    exits: &[(41, Sign::NotAuthorised), (145, Sign::NotAuthorised), (173, Sign::Quota)],
    coder_support: Support::SUPPORTED,
    judge_support: JUDGE,
    checked: Some(("0.61.0", "2026-11-15")),
};

const OPENCODE: Preset = Preset {
    name: "opencode",
    title: "opencode",
    program: "opencode",
    login: None,
    coder: &[
        Part::Word("run"),
        Part::Word("--format=json"),
        Part::Word("--auto"),
        Part::Model("--model="),
        Part::Added,
    ],
    judge: &[
        Part::Word("run"),
        Part::Word("--format=json"),
        Part::Word("--pure"),
        Part::Model("--model="),
        Part::Added,
    ],
    state: AgentState {
        folders: &[
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_STATE_HOME", "state"),
        ],
        files: &[
            StateFile {
                variable: "XDG_DATA_HOME",
                home: ".local/share",
                name: "opencode/auth.json",
                into: "data",
                kind: StateKind::Login,
            },
            StateFile {
                variable: "XDG_CONFIG_HOME",
                home: ".config",
                name: "opencode/opencode.json",
                into: "config",
                kind: StateKind::Settings,
            },
            StateFile {
                variable: "XDG_CONFIG_HOME",
                home: ".config",
                name: "opencode/opencode.jsonc",
                into: "config",
                kind: StateKind::Settings,
            },
            StateFile {
                variable: "XDG_CONFIG_HOME",
                home: ".config",
                name: "opencode/plugins/provost.js",
                into: "config",
                kind: StateKind::Settings,
            },
        ],
    },
    // It runs the plugins that these name, also with `--pure` and without the project's settings.
    // It goes on in the same folder only, and waits for ever in another one.
    sessions: None,
    set_aside: &[".opencode", "opencode.json", "opencode.jsonc"],
    instructions: None,
    variables: additions::OPENCODE_VARIABLES,
    providers: &[],
    named_by: additions::OPENCODE_NAMED_BY,
    own_names: &["OPENCODE_*"],
    flags: additions::OPENCODE_FLAGS,
    settings: &[("OPENCODE_DISABLE_AUTOUPDATE", "1"), ("OPENCODE_DISABLE_PROJECT_CONFIG", "1")],
    judge_settings: &[(
        "OPENCODE_PERMISSION",
        r#"{"edit":"deny","bash":"deny","task":"deny","webfetch":"deny","websearch":"deny"}"#,
    )],
    // It puts quotation marks around an argument, and backslashes into it.
    prompt: PromptBy::Input,
    answer: AnswerBy::Request,
    said: answer::opencode,
    report: Report::Events(facts::opencode),
    exits: &[],
    coder_support: Support::SUPPORTED,
    judge_support: JUDGE,
    checked: Some(("1.18.33", "2026-11-15")),
};

const AIDER: Preset = Preset {
    name: "aider",
    title: "aider",
    program: "aider",
    login: None,
    coder: &[
        Part::Word("--message-file"),
        Part::PromptFile,
        Part::Word("--yes-always"),
        Part::Word("--no-auto-commits"),
        Part::Word("--no-dirty-commits"),
        Part::Word("--no-gitignore"),
        Part::Word("--no-check-update"),
        Part::Word("--no-show-release-notes"),
        Part::Word("--no-analytics"),
        Part::Word("--no-detect-urls"),
        Part::Word("--no-suggest-shell-commands"),
        Part::Word("--no-pretty"),
        Part::Word("--no-stream"),
        Part::Word("--map-tokens=0"),
        Part::Word("--chat-history-file=/dev/null"),
        Part::Word("--input-history-file=/dev/null"),
        Part::Model("--model="),
        Part::Added,
    ],
    judge: &[],
    state: AgentState::NONE,
    sessions: None,
    set_aside: &[],
    instructions: None,
    variables: additions::AIDER_VARIABLES,
    providers: &[],
    named_by: None,
    own_names: &["AIDER_*"],
    flags: additions::AIDER_FLAGS,
    settings: &[],
    judge_settings: &[],
    prompt: PromptBy::ArgumentOrFile,
    answer: AnswerBy::Nobody,
    said: answer::none,
    report: Report::Silent,
    exits: &[],
    coder_support: Support::partial(SupportGap::HidesFailures),
    judge_support: Support::unsupported(SupportGap::NoReport),
    checked: Some(("0.86.2", "2026-11-15")),
};

const CURSOR: Preset = Preset {
    name: "cursor",
    title: "Cursor",
    program: "cursor-agent",
    login: None,
    coder: &[
        Part::Word("-p"),
        Part::Word("--output-format=json"),
        Part::Word("--force"),
        Part::Model("--model="),
        Part::Added,
        Part::Word("--"),
        Part::Prompt(""),
    ],
    judge: &[
        Part::Word("-p"),
        Part::Word("--output-format=json"),
        Part::Model("--model="),
        Part::Added,
        Part::Word("--"),
        Part::Prompt(""),
    ],
    state: AgentState {
        folders: &[("CURSOR_CONFIG_DIR", "cursor"), ("XDG_CONFIG_HOME", "config")],
        files: &[
            StateFile {
                variable: "XDG_CONFIG_HOME",
                home: ".config",
                name: "cursor/auth.json",
                into: "config",
                kind: StateKind::Login,
            },
            StateFile {
                variable: "CURSOR_CONFIG_DIR",
                home: ".cursor",
                name: "cli-config.json",
                into: "cursor",
                kind: StateKind::Settings,
            },
            StateFile {
                variable: "CURSOR_CONFIG_DIR",
                home: ".cursor",
                name: "hooks.json",
                into: "cursor",
                kind: StateKind::Settings,
            },
        ],
    },
    sessions: None,
    set_aside: &[],
    instructions: None,
    variables: &["CURSOR_API_KEY"],
    providers: &[],
    named_by: None,
    own_names: &["CURSOR_*"],
    flags: &[],
    settings: &[],
    judge_settings: &[],
    prompt: PromptBy::ArgumentOrFile,
    answer: AnswerBy::Request,
    said: answer::result,
    report: Report::Silent,
    exits: &[],
    coder_support: Support::partial(SupportGap::NotInstalled),
    judge_support: Support::partial(SupportGap::NotInstalledNoTemperature),
    checked: None,
};
