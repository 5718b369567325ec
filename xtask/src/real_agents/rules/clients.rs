//! How each client is started without a person, its own protection switched off or satisfied.

use super::{
    super::client::{CLIENTS, Client, OLDER},
    broken::Held,
};
use crate::failure::Failure;

/// A client as the guard meets it. `{base}` is the address of the model, `{prompt}` what it is to do.
#[derive(Debug)]
pub(super) struct Guarded {
    /// The name by which it is chosen.
    pub(super) name: &'static str,
    pub(super) client: &'static Client,
    pub(super) arguments: &'static [&'static str],
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// What lies in its home before the guard is installed.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// What it says where it begins no session, because its guard fails.
    pub(super) unstarted: Option<&'static str>,
    /// What it stops when the program of the guard is gone.
    pub(super) without_program: Held,
    /// What it stops when nobody may run the program of the guard.
    pub(super) without_right: Held,
    /// What it stops when the last entries of the audit chain are gone.
    pub(super) with_cut_chain: Held,
}

const PROMPT: &str = "{prompt}";

const CLAUDE: Guarded = Guarded {
    name: "claude",
    client: &CLIENTS[0],
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
    unstarted: None,
    without_program: Held::Everything,
    without_right: Held::Everything,
    with_cut_chain: Held::Everything,
};

const GUARDED: [Guarded; 5] = [
    CLAUDE,
    // `onFailure` came later.
    Guarded {
        name: "claude-2.1.197",
        client: &OLDER,
        without_program: Held::Nothing,
        without_right: Held::Nothing,
        ..CLAUDE
    },
    Guarded {
        name: "codex",
        client: &CLIENTS[1],
        arguments: &[
            "exec",
            "--json",
            "--color=never",
            "--skip-git-repo-check",
            "--sandbox=danger-full-access",
            "--model=scripted",
            "--config=model_provider=\"scripted\"",
            "--config=model_providers.scripted.name=\"scripted\"",
            "--config=model_providers.scripted.base_url=\"{base}/v1\"",
            "--config=model_providers.scripted.wire_api=\"responses\"",
            "--config=model_providers.scripted.env_key=\"OPENAI_API_KEY\"",
            "--config=analytics.enabled=false",
            "--config=check_for_update_on_startup=false",
            "--config=features.apps=false",
            "--config=features.plugins=false",
            "--",
            PROMPT,
        ],
        variables: &[("OPENAI_API_KEY", "none")],
        files: &[],
        unstarted: None,
        without_program: Held::Nothing,
        without_right: Held::Nothing,
        with_cut_chain: Held::Everything,
    },
    Guarded {
        name: "gemini",
        client: &CLIENTS[2],
        arguments: &[
            "--output-format=json",
            "--approval-mode=yolo",
            "--skip-trust",
            "--model=gemini-2.5-flash",
            "--prompt",
            PROMPT,
        ],
        // Its search for loops asks the model for a verdict, and tries for minutes to get one.
        variables: &[("GOOGLE_GEMINI_BASE_URL", "{base}"), ("GEMINI_API_KEY", "none")],
        files: &[(
            ".gemini/settings.json",
            r#"{
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
  "model": { "disableLoopDetection": true },
  "privacy": { "usageStatisticsEnabled": false },
  "security": { "auth": { "selectedType": "gemini-api-key" } }
}
"#,
        )],
        unstarted: Some("Agent execution blocked"),
        without_program: Held::Session,
        without_right: Held::Session,
        with_cut_chain: Held::Everything,
    },
    Guarded {
        name: "opencode",
        client: &CLIENTS[3],
        arguments: &["run", "--format=json", "--", PROMPT],
        variables: &[("SCRIPTED_API_KEY", "none")],
        files: &[(
            ".config/opencode/opencode.json",
            r#"{
  "autoupdate": false,
  "model": "scripted/scripted",
  "small_model": "scripted/scripted",
  "permission": { "bash": "allow", "edit": "allow", "external_directory": "allow", "doom_loop": "allow" },
  "provider": {
    "scripted": {
      "npm": "@ai-sdk/anthropic",
      "name": "scripted",
      "options": { "baseURL": "{base}/v1", "apiKey": "{env:SCRIPTED_API_KEY}" },
      "models": { "scripted": { "name": "scripted" } }
    }
  }
}
"#,
        )],
        unstarted: None,
        without_program: Held::Everything,
        without_right: Held::Everything,
        // It says when a tool is used, and nothing of a session: no head is stored after the orders of
        // a person, so that only what is missing before the last order is noticed.
        with_cut_chain: Held::Refused,
    },
];

/// The clients of these names, or all of them.
pub(super) fn choose(names: &[&str]) -> Result<Vec<&'static Guarded>, Failure> {
    if names.is_empty() {
        return Ok(GUARDED.iter().collect());
    }
    let find = |name: &&str| {
        GUARDED.iter().find(|it| it.name == *name).ok_or_else(|| {
            let known = GUARDED.iter().map(|it| it.name).collect::<Vec<_>>().join(", ");
            Failure::Unable(format!("unknown client `{name}`\nhint: the clients are {known}"))
        })
    };
    names.iter().map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing that a client is told leads it off this machine.
    #[test]
    fn every_address_is_the_one_of_the_model() {
        for it in &GUARDED {
            let texts = it.variables.iter().chain(it.files).map(|it| it.1);
            let all = texts.chain(it.arguments.iter().copied()).collect::<Vec<_>>().concat();
            assert!(all.contains("{base}") && !all.contains("://"), "{}", it.name);
            assert!(it.name.starts_with(it.client.name), "{}", it.name);
        }
        assert!(choose(&["clode"]).is_err());
        assert_eq!(choose(&["opencode"]).unwrap()[0].client.name, "opencode");
    }
}
