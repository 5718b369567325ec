//! What passes to each preset's program, and what may be added to its command line.
//!
//! Flags stand in the help of the version of the table; variables in the text of the program, or in
//! its documents. Names with a folder, a socket or a switch for tests are left out on purpose.

use crate::preset::addition::{
    Author,
    flags::{FlagValue, OwnFlag},
    named::NamedBy,
    variables::Provider,
};

pub(super) const CLAUDE_VARIABLES: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_BETAS",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_CUSTOM_MODEL_OPTION*",
    "ANTHROPIC_DEFAULT_*",
    "ANTHROPIC_MODEL",
    "ANTHROPIC_ORGANIZATION_ID",
    "ANTHROPIC_SMALL_FAST_MODEL",
    "ANTHROPIC_WORKSPACE_ID",
    "API_TIMEOUT_MS",
    "CLAUDE_CODE_CERT_STORE",
    "CLAUDE_CODE_CLIENT_CERT",
    "CLAUDE_CODE_CLIENT_KEY",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "CLAUDE_CODE_EFFORT_LEVEL",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "CLAUDE_CODE_MAX_RETRIES",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_PROXY_RESOLVES_HOSTS",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_VERTEX",
    "MAX_THINKING_TOKENS",
];

pub(super) const CLAUDE_PROVIDERS: &[Provider] = &[
    Provider {
        chosen_by: "CLAUDE_CODE_USE_BEDROCK",
        variables: &[
            "ANTHROPIC_BEDROCK_*",
            "ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION",
            "AWS_*",
            "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
        ],
        login: ".aws",
    },
    Provider {
        chosen_by: "CLAUDE_CODE_USE_ANTHROPIC_AWS",
        variables: &["ANTHROPIC_AWS_*", "AWS_*", "CLAUDE_CODE_SKIP_ANTHROPIC_AWS_AUTH"],
        login: ".aws",
    },
    Provider {
        chosen_by: "CLAUDE_CODE_USE_VERTEX",
        variables: &[
            "ANTHROPIC_VERTEX_*",
            "CLAUDE_CODE_SKIP_VERTEX_AUTH",
            "CLOUD_ML_REGION",
            "GCLOUD_PROJECT",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GOOGLE_CLOUD_PROJECT",
            "VERTEX_REGION_*",
        ],
        login: ".config/gcloud",
    },
    Provider {
        chosen_by: "CLAUDE_CODE_USE_FOUNDRY",
        variables: &[
            "ANTHROPIC_FOUNDRY_*",
            "AZURE_AUTHORITY_HOST",
            "AZURE_CLIENT_CERTIFICATE_PATH",
            "AZURE_CLIENT_ID",
            "AZURE_CLIENT_SECRET",
            "AZURE_FEDERATED_TOKEN_FILE",
            "AZURE_TENANT_ID",
            "CLAUDE_CODE_SKIP_FOUNDRY_AUTH",
        ],
        login: ".azure",
    },
];

pub(super) const CLAUDE_FLAGS: &[OwnFlag] = &[
    OwnFlag::text("--effort"),
    OwnFlag::text("--fallback-model"),
    OwnFlag::text("--autocompact"),
    OwnFlag::text("--max-turns"),
    OwnFlag::text("--disallowedTools"),
    OwnFlag::text("--disallowed-tools"),
    OwnFlag::switch("--disable-slash-commands"),
    OwnFlag::switch("--exclude-dynamic-system-prompt-sections"),
    OwnFlag::text("--betas").of_person(),
    OwnFlag::text("--append-system-prompt").of_person(),
];

pub(super) const CODEX_VARIABLES: &[&str] = &[
    "AZURE_OPENAI_API_KEY",
    "CODEX_ACCESS_TOKEN",
    "CODEX_API_KEY",
    "CODEX_CA_CERTIFICATE",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_ORGANIZATION",
    "OPENAI_PROJECT",
];

/// A provider in `config.toml` names the variable with its key.
pub(super) const CODEX_NAMED_BY: Option<NamedBy> =
    Some(NamedBy { before: "env_key=\"", after: '"' });

pub(super) const CODEX_FLAGS: &[OwnFlag] = &[
    OwnFlag {
        name: "--config",
        value: FlagValue::Settings(&[
            ("model_reasoning_effort", Author::Repository),
            ("model_reasoning_summary", Author::Repository),
            ("model_verbosity", Author::Repository),
            ("model_context_window", Author::Repository),
            ("model_auto_compact_token_limit", Author::Repository),
            ("service_tier", Author::Repository),
            ("model_provider", Author::Person),
            ("model_providers.*.name", Author::Person),
            ("model_providers.*.base_url", Author::Person),
            ("model_providers.*.env_key", Author::Person),
            ("model_providers.*.wire_api", Author::Person),
            ("model_providers.*.query_params", Author::Person),
            ("model_providers.*.http_headers", Author::Person),
            ("model_providers.*.env_http_headers", Author::Person),
            ("model_providers.*.request_max_retries", Author::Person),
            ("model_providers.*.stream_max_retries", Author::Person),
            ("model_providers.*.stream_idle_timeout_ms", Author::Person),
        ]),
        author: Author::Repository,
    },
    OwnFlag::switch("--oss").of_person(),
    OwnFlag::text("--local-provider").of_person(),
];

pub(super) const GEMINI_PROVIDERS: &[Provider] =
    &[Provider { chosen_by: "GOOGLE_GENAI_USE_VERTEXAI", variables: &[], login: ".config/gcloud" }];

pub(super) const GEMINI_VARIABLES: &[&str] = &[
    "GEMINI_API_KEY",
    "GEMINI_API_KEY_AUTH_MECHANISM",
    "GEMINI_CLI_CUSTOM_HEADERS",
    "GEMINI_MODEL",
    "GOOGLE_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_ACCESS_TOKEN",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_PROJECT_ID",
    "GOOGLE_CLOUD_QUOTA_PROJECT",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_GENAI_API_VERSION",
    "GOOGLE_GENAI_USE_GCA",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_VERTEX_BASE_URL",
];

pub(super) const GEMINI_FLAGS: &[OwnFlag] = &[OwnFlag::text("--allowed-mcp-server-names")];

pub(super) const OPENCODE_VARIABLES: &[&str] = &[
    "AI_GATEWAY_API_KEY",
    "ANTHROPIC_API_KEY",
    "AZURE_API_KEY",
    "AZURE_RESOURCE_NAME",
    "CEREBRAS_API_KEY",
    "COHERE_API_KEY",
    "DEEPSEEK_API_KEY",
    "FIREWORKS_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "MOONSHOT_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "TOGETHER_API_KEY",
    "XAI_API_KEY",
    "ZHIPU_API_KEY",
];

/// A text of `opencode.json` can stand for a variable.
pub(super) const OPENCODE_NAMED_BY: Option<NamedBy> = Some(NamedBy { before: "{env:", after: '}' });

pub(super) const OPENCODE_FLAGS: &[OwnFlag] = &[OwnFlag::text("--variant")];

pub(super) const AIDER_VARIABLES: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "DEEPSEEK_API_KEY",
    "GEMINI_API_KEY",
    "OPENAI_API_BASE",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
];

pub(super) const AIDER_FLAGS: &[OwnFlag] = &[
    OwnFlag::text("--edit-format"),
    OwnFlag::text("--reasoning-effort"),
    OwnFlag::text("--thinking-tokens"),
    OwnFlag::text("--weak-model"),
    OwnFlag::text("--editor-model"),
    OwnFlag::text("--timeout"),
];
