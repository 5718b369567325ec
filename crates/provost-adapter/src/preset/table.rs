//! The presets, as data.
//!
//! Every flag stands in the help of the version that is named here, and every SUPPORTED row was
//! run with it, in the sandbox, against a scripted model. `docs/adapters.md` says what was seen.
//!
//! A judge has no tool that writes, and the settings of a folder have no effect on it. With these
//! flags nothing ran and nothing was told, in a folder whose evidence held hooks, servers, plugins,
//! skills and instruction files as `.txt`.

use super::{
    AnswerBy, Part, Preset, answer,
    facts::{self, Sign},
};
use crate::support::{Support, SupportGap};

/// No agent's command line has a setting for the temperature, which a judge must have.
const JUDGE: Support = Support::partial(SupportGap::NoTemperature);

/// Every preset.
pub static ALL: [Preset; 6] = [CLAUDE_CODE, CODEX, GEMINI, OPENCODE, AIDER, CURSOR];

const CLAUDE_CODE: Preset = Preset {
    name: "claude-code",
    title: "Claude Code",
    program: "claude",
    coder: &[
        Part::Word("-p"),
        Part::Word("--output-format=json"),
        Part::Word("--permission-mode=acceptEdits"),
        Part::Word("--allowedTools=Bash"),
        Part::Exchange("--add-dir="),
        Part::Model("--model="),
        Part::Word("--"),
        Part::Prompt(""),
    ],
    judge: &[
        Part::Word("-p"),
        Part::Word("--output-format=json"),
        Part::Word("--setting-sources=user"),
        Part::Word("--strict-mcp-config"),
        Part::Word("--tools=Read,Grep,Glob"),
        Part::Model("--model="),
        Part::Word("--"),
        Part::Prompt(""),
    ],
    folders: &[".claude"],
    variables: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CONFIG_DIR",
    ],
    settings: &[("DISABLE_AUTOUPDATER", "1")],
    judge_settings: &[],
    answer: AnswerBy::Request,
    said: answer::result,
    facts: facts::claude,
    exits: &[],
    coder_support: Support::SUPPORTED,
    judge_support: JUDGE,
    checked: Some(("2.1.325", "2026-11-15")),
};

const CODEX: Preset = Preset {
    name: "codex",
    title: "Codex",
    program: "codex",
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
        Part::Word("--output-last-message"),
        Part::AnswerFile,
        Part::Model("--model="),
        Part::Word("--"),
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
        Part::Model("--model="),
        Part::Word("--"),
        Part::Prompt(""),
    ],
    folders: &[".codex"],
    variables: &["CODEX_API_KEY", "OPENAI_API_KEY", "CODEX_HOME"],
    settings: &[],
    judge_settings: &[],
    answer: AnswerBy::Program,
    said: answer::codex,
    facts: facts::codex,
    exits: &[],
    coder_support: Support::SUPPORTED,
    judge_support: JUDGE,
    checked: Some(("0.166.0", "2026-11-15")),
};

const GEMINI: Preset = Preset {
    name: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    coder: &[
        Part::Word("--output-format=json"),
        Part::Word("--approval-mode=yolo"),
        Part::Word("--skip-trust"),
        Part::Exchange("--include-directories="),
        Part::Model("--model="),
        Part::Prompt("--prompt="),
    ],
    judge: &[
        Part::Word("--output-format=json"),
        Part::Word("--approval-mode=plan"),
        Part::Word("--skip-trust"),
        Part::Model("--model="),
        Part::Prompt("--prompt="),
    ],
    folders: &[".gemini"],
    variables: &[
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_CLOUD_LOCATION",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_GENAI_USE_VERTEXAI",
    ],
    settings: &[],
    judge_settings: &[],
    answer: AnswerBy::Request,
    said: answer::gemini,
    facts: facts::gemini,
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
    coder: &[
        Part::Word("run"),
        Part::Word("--format=json"),
        Part::Word("--auto"),
        Part::Model("--model="),
        Part::Word("--"),
        Part::Prompt(""),
    ],
    judge: &[
        Part::Word("run"),
        Part::Word("--format=json"),
        Part::Word("--pure"),
        Part::Model("--model="),
        Part::Word("--"),
        Part::Prompt(""),
    ],
    folders: &[
        ".cache/opencode",
        ".config/opencode",
        ".local/share/opencode",
        ".local/state/opencode",
    ],
    variables: &["ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"],
    settings: &[("OPENCODE_DISABLE_AUTOUPDATE", "1")],
    judge_settings: &[
        ("OPENCODE_DISABLE_PROJECT_CONFIG", "1"),
        (
            "OPENCODE_PERMISSION",
            r#"{"edit":"deny","bash":"deny","task":"deny","webfetch":"deny","websearch":"deny"}"#,
        ),
    ],
    answer: AnswerBy::Request,
    said: answer::opencode,
    facts: facts::opencode,
    exits: &[],
    coder_support: Support::SUPPORTED,
    judge_support: JUDGE,
    checked: Some(("1.18.33", "2026-11-15")),
};

const AIDER: Preset = Preset {
    name: "aider",
    title: "aider",
    program: "aider",
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
    ],
    judge: &[],
    folders: &[".aider"],
    variables: &[
        "ANTHROPIC_API_KEY",
        "DEEPSEEK_API_KEY",
        "GEMINI_API_KEY",
        "OPENAI_API_BASE",
        "OPENAI_API_KEY",
        "OPENROUTER_API_KEY",
    ],
    settings: &[],
    judge_settings: &[],
    answer: AnswerBy::Nobody,
    said: answer::none,
    facts: facts::none,
    exits: &[],
    coder_support: Support::partial(SupportGap::HidesFailures),
    judge_support: Support::unsupported(SupportGap::NoReport),
    checked: Some(("0.86.2", "2026-11-15")),
};

const CURSOR: Preset = Preset {
    name: "cursor",
    title: "Cursor",
    program: "cursor-agent",
    coder: &[
        Part::Word("-p"),
        Part::Word("--output-format=json"),
        Part::Word("--force"),
        Part::Model("--model="),
        Part::Word("--"),
        Part::Prompt(""),
    ],
    judge: &[
        Part::Word("-p"),
        Part::Word("--output-format=json"),
        Part::Model("--model="),
        Part::Word("--"),
        Part::Prompt(""),
    ],
    folders: &[".cursor", ".config/cursor"],
    variables: &["CURSOR_API_KEY"],
    settings: &[],
    judge_settings: &[],
    answer: AnswerBy::Request,
    said: answer::result,
    facts: facts::none,
    exits: &[],
    coder_support: Support::partial(SupportGap::NotInstalled),
    judge_support: Support::partial(SupportGap::NotInstalledNoTemperature),
    checked: None,
};
