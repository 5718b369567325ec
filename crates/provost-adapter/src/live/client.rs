//! How each client is started without a person, and pointed at a model on this machine.

use provost_kernel::guard::Harness;

/// A client that can be driven.
///
/// Nothing of its hooks stands here: whether they are obeyed is what is to be found out. What the
/// client would ask a person about an ordinary command is answered beforehand, because the guard
/// and nobody else is to refuse.
#[derive(Debug, PartialEq, Eq)]
pub struct LiveClient {
    pub harness: Harness,
    /// The program, as it is found on `PATH`.
    pub program: &'static str,
    /// The npm package that it comes in.
    pub package: &'static str,
    /// Its arguments; `{base}` stands for the address of the model.
    arguments: &'static [&'static str],
    /// What it needs in its environment; `{base}` as above.
    variables: &'static [(&'static str, &'static str)],
    /// What must lie in its home before anything else does.
    pub files: &'static [(&'static str, &'static str)],
}

/// Where the address of the model goes.
const BASE: &str = "{base}";

/// What the client is told to do. The model has its own plan.
const PROMPT: &str = "Do what the script says.";

static CLAUDE: LiveClient = LiveClient {
    harness: Harness::Claude,
    program: "claude",
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
        ("ANTHROPIC_BASE_URL", BASE),
        ("ANTHROPIC_API_KEY", "none"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
    ],
    files: &[],
};

static CODEX: LiveClient = LiveClient {
    harness: Harness::Codex,
    program: "codex",
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
    variables: &[("OPENAI_API_KEY", "none"), ("HTTPS_PROXY", BASE), ("https_proxy", BASE)],
    files: &[],
};

static GEMINI: LiveClient = LiveClient {
    harness: Harness::Gemini,
    program: "gemini",
    package: "@google/gemini-cli",
    arguments: &[
        "--output-format=json",
        "--approval-mode=yolo",
        "--skip-trust",
        "--model=gemini-2.5-flash",
        "--prompt",
        PROMPT,
    ],
    variables: &[("GOOGLE_GEMINI_BASE_URL", BASE), ("GEMINI_API_KEY", "none")],
    // With an address of its own it takes itself for a gateway's client, unless it is told that it
    // logs in with a key.
    files: &[(
        ".gemini/settings.json",
        r#"{
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
  "privacy": { "usageStatisticsEnabled": false },
  "security": { "auth": { "selectedType": "gemini-api-key" } }
}
"#,
    )],
};

impl LiveClient {
    /// Every client that can be driven.
    pub const ALL: [&'static Self; 3] = [&CLAUDE, &CODEX, &GEMINI];

    /// How a client is driven; none when it cannot be.
    pub fn of(harness: Harness) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|it| it.harness == harness)
    }

    /// Its arguments, with the model at this address.
    pub(super) fn arguments(&self, base: &str) -> impl Iterator<Item = String> {
        self.arguments.iter().map(move |it| it.replace(BASE, base))
    }

    /// Its variables, with the model at this address.
    pub(super) fn variables(&self, base: &str) -> impl Iterator<Item = (String, String)> {
        self.variables.iter().map(move |(name, it)| ((*name).to_owned(), it.replace(BASE, base)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_is_sent_to_the_model_and_nowhere_else() {
        for client in LiveClient::ALL {
            let words: Vec<String> = client
                .arguments("http://127.0.0.1:9")
                .chain(client.variables("http://127.0.0.1:9").map(|(_, it)| it))
                .collect();
            let addresses: Vec<_> = words.iter().filter(|it| it.contains("://")).collect();
            assert!(!addresses.is_empty(), "{words:?}");
            let is_ours = |it: &&String| it.contains("http://127.0.0.1:9");
            assert!(addresses.iter().all(is_ours), "{addresses:?}");
            assert!(!words.iter().any(|it| it.contains(BASE)), "{words:?}");
        }
    }

    #[test]
    fn no_client_is_told_to_pass_over_its_hooks() {
        for client in LiveClient::ALL {
            for word in client.arguments("x") {
                assert!(!word.contains("hook"), "{word}");
            }
        }
    }

    #[test]
    fn a_client_that_cannot_be_driven_is_none() {
        assert_eq!(LiveClient::of(Harness::Claude).map(|it| it.program), Some("claude"));
        assert_eq!(LiveClient::of(Harness::Cursor), None);
        assert_eq!(LiveClient::of(Harness::Opencode), None);
    }
}
