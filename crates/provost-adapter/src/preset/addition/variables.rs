//! Which variables of the person's environment a preset's program gets.

use std::collections::BTreeMap;

use super::{AdditionError, Author, Shared, shown};
use crate::preset::{Preset, table};

/// Variables that pass where the person has chosen a provider.
#[derive(Debug)]
pub struct Provider {
    /// The variable that chooses it.
    pub chosen_by: &'static str,
    /// What passes then; a final `*` stands for any ending.
    pub variables: &'static [&'static str],
    /// Where its login lies, from the home.
    pub login: &'static str,
}

/// What is wrong with a name, whatever the preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harm {
    State,
    Loader,
    WayOut,
    Set,
}

/// Names that are never passed. A `*` at one end stands for anything there; the first that matches
/// decides.
const REFUSED: [(&str, Harm); 50] = [
    ("PROVOST_*", Harm::Set),
    ("PATH", Harm::Set),
    ("TMPDIR", Harm::Set),
    ("TMP", Harm::Set),
    ("TEMP", Harm::Set),
    ("PWD", Harm::Set),
    ("SHELL", Harm::Set),
    ("USER", Harm::Set),
    ("LOGNAME", Harm::Set),
    ("SSH_*", Harm::WayOut),
    ("DBUS_*", Harm::WayOut),
    ("XDG_RUNTIME_DIR", Harm::WayOut),
    ("GPG_AGENT_INFO", Harm::WayOut),
    ("DISPLAY", Harm::WayOut),
    ("WAYLAND_DISPLAY", Harm::WayOut),
    ("TMUX", Harm::WayOut),
    ("DOCKER_HOST", Harm::WayOut),
    ("*_SOCK", Harm::WayOut),
    ("*_SOCKET", Harm::WayOut),
    ("HOME", Harm::State),
    ("XDG_*", Harm::State),
    ("*_HOME", Harm::State),
    ("*_CONFIG_DIR", Harm::State),
    ("*_DATA_DIR", Harm::State),
    ("*_STATE_DIR", Harm::State),
    ("*_CACHE_DIR", Harm::State),
    ("LD_*", Harm::Loader),
    ("DYLD_*", Harm::Loader),
    ("GLIBC_TUNABLES", Harm::Loader),
    ("GCONV_PATH", Harm::Loader),
    ("GIT_*", Harm::Loader),
    ("BASH_*", Harm::Loader),
    ("ENV", Harm::Loader),
    ("IFS", Harm::Loader),
    ("PS4", Harm::Loader),
    ("PROMPT_COMMAND", Harm::Loader),
    ("ZDOTDIR", Harm::Loader),
    ("NODE_OPTIONS", Harm::Loader),
    ("NODE_PATH", Harm::Loader),
    ("NODE_REPL_*", Harm::Loader),
    ("BUN_*", Harm::Loader),
    ("PYTHON*", Harm::Loader),
    ("PERL*", Harm::Loader),
    ("RUBY*", Harm::Loader),
    ("*JAVA_OPTIONS", Harm::Loader),
    ("JAVA_TOOL_OPTIONS", Harm::Loader),
    ("EDITOR", Harm::Loader),
    ("VISUAL", Harm::Loader),
    ("*PAGER", Harm::Loader),
    ("BROWSER", Harm::Loader),
];

/// How many characters the name of a variable has at most.
const LONGEST: usize = 128;

impl Preset {
    /// Names of variables that pass by themselves: all of its own, and those of a provider that the
    /// person has chosen. Patterns are resolved by what is set.
    pub fn passing(&self, set: &BTreeMap<String, String>) -> Vec<String> {
        let chosen = self.chosen(set).flat_map(|it| it.variables);
        let patterns: Vec<&str> = self.variables.iter().chain(chosen).copied().collect();
        let passes = |name: &String| patterns.iter().any(|it| matches(it, name));
        set.keys().filter(|it| passes(it)).cloned().collect()
    }

    /// Where the logins of the providers lie that the person has chosen, from the home.
    pub fn logins(&self, set: &BTreeMap<String, String>) -> Vec<&'static str> {
        self.chosen(set).map(|it| it.login).collect()
    }

    /// The providers that the person has chosen.
    fn chosen(&self, set: &BTreeMap<String, String>) -> impl Iterator<Item = &'static Provider> {
        let is_set = |name: &str| set.get(name).is_some_and(|it| !it.is_empty());
        self.providers.iter().filter(move |it| is_set(it.chosen_by))
    }

    /// Whether a variable could pass by itself.
    pub(crate) fn may_pass(&self, name: &str) -> bool {
        let all = self.variables.iter().chain(self.providers.iter().flat_map(|it| it.variables));
        all.into_iter().any(|it| matches(it, name))
    }
}

/// Refuses a variable that may not be passed to a preset's program.
pub(super) fn check(preset: &Preset, name: &str, author: Author) -> Result<(), AdditionError> {
    if !is_name(name) {
        return Err(AdditionError::NotAName { name: shown(name) });
    }
    let known = preset.may_pass(name);
    // Systems differ in whether the case of a name counts.
    let upper = name.to_ascii_uppercase();
    let name = name.to_owned();
    let is_set = |(it, _): &&(&str, &str)| *it == upper;
    if preset.settings.iter().chain(preset.judge_settings).any(|it| is_set(&it)) {
        return Err(AdditionError::Set { name });
    }
    let is_folder = |it: &Preset| it.state.folders.iter().any(|(folder, _)| *folder == upper);
    if table::ALL.iter().any(is_folder) {
        return Err(AdditionError::State { name });
    }
    if author == Author::Repository {
        return Err(AdditionError::Shared(Shared::Variable { name }));
    }
    if known {
        return Ok(());
    }
    match REFUSED.iter().find(|(it, _)| matches(it, &upper)) {
        Some((_, Harm::State)) => Err(AdditionError::State { name }),
        Some((_, Harm::Loader)) => Err(AdditionError::Loader { name }),
        Some((_, Harm::WayOut)) => Err(AdditionError::WayOut { name }),
        Some((_, Harm::Set)) => Err(AdditionError::Set { name }),
        None if preset.own_names.iter().any(|it| matches(it, &upper)) => {
            let passing = preset.variables.to_vec();
            Err(AdditionError::Steers { name, title: preset.title, passing })
        }
        None => Ok(()),
    }
}

fn is_name(name: &str) -> bool {
    let is_word = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
    let starts = |it: u8| it.is_ascii_alphabetic() || it == b'_';
    name.len() <= LONGEST && name.bytes().next().is_some_and(starts) && name.bytes().all(is_word)
}

/// Whether a name fits a pattern with a `*` at one end at most.
fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(ending), _) => name.ends_with(ending),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first word of what is said about a name, for a person's own file.
    fn verdict(preset: &str, name: &str, author: Author) -> &'static str {
        match check(Preset::named(preset).unwrap(), name, author) {
            Ok(()) => "passes",
            Err(AdditionError::NotAName { .. }) => "no name",
            Err(AdditionError::State { .. }) => "state",
            Err(AdditionError::Loader { .. }) => "loader",
            Err(AdditionError::WayOut { .. }) => "way out",
            Err(AdditionError::Set { .. }) => "set",
            Err(AdditionError::Steers { .. }) => "steers",
            Err(AdditionError::Shared(_)) => "shared",
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn a_variable_passes_unless_it_undoes_something() {
        for (preset, name, expected) in [
            ("claude-code", "MY_GATEWAY_KEY", "passes"),
            ("claude-code", "my_gateway_key", "passes"),
            ("claude-code", "AWS_PROFILE", "passes"),
            ("claude-code", "ANTHROPIC_API_KEY", "passes"),
            ("claude-code", "ANTHROPIC_LOG", "passes"),
            ("codex", "COMPANY_TOKEN", "passes"),
            ("opencode", "AWS_SECRET_ACCESS_KEY", "passes"),
            ("claude-code", "CLAUDE_CONFIG_DIR", "state"),
            ("codex", "CLAUDE_CONFIG_DIR", "state"),
            ("claude-code", "CODEX_HOME", "state"),
            ("codex", "codex_home", "state"),
            ("codex", "CODEX_SQLITE_HOME", "state"),
            ("claude-code", "ANTHROPIC_CONFIG_DIR", "state"),
            ("claude-code", "HOME", "state"),
            ("opencode", "XDG_CONFIG_HOME", "state"),
            ("claude-code", "XDG_CONFIG_HOME", "state"),
            ("claude-code", "PATH", "set"),
            ("claude-code", "PROVOST_CLAIM", "set"),
            ("claude-code", "DISABLE_AUTOUPDATER", "set"),
            ("opencode", "OPENCODE_PERMISSION", "set"),
            ("opencode", "OPENCODE_DISABLE_PROJECT_CONFIG", "set"),
            ("claude-code", "LD_PRELOAD", "loader"),
            ("claude-code", "ld_preload", "loader"),
            ("claude-code", "NODE_OPTIONS", "loader"),
            ("claude-code", "BASH_ENV", "loader"),
            ("claude-code", "GIT_SSH_COMMAND", "loader"),
            ("opencode", "AWS_PAGER", "loader"),
            ("claude-code", "SSH_AUTH_SOCK", "way out"),
            ("claude-code", "ANTHROPIC_UNIX_SOCKET", "way out"),
            ("claude-code", "CLAUDE_CODE_SHELL_PREFIX", "steers"),
            ("claude-code", "CLAUDE_ENV_FILE", "steers"),
            ("opencode", "OPENCODE_CONFIG_CONTENT", "steers"),
            ("gemini", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "steers"),
            ("gemini", "GEMINI_SANDBOX", "steers"),
            ("codex", "CODEX_SANDBOX", "steers"),
            ("aider", "AIDER_AUTO_COMMITS", "steers"),
            ("claude-code", "", "no name"),
            ("claude-code", "A=B", "no name"),
            ("claude-code", "A B", "no name"),
            ("claude-code", "AWS_*", "no name"),
            ("claude-code", "1A", "no name"),
        ] {
            assert_eq!(verdict(preset, name, Author::Person), expected, "{preset} {name}");
            let shared = verdict(preset, name, Author::Repository);
            assert_ne!(shared, "passes", "{preset} {name}: a repository passes nothing");
        }
        let long = "A".repeat(LONGEST + 1);
        assert_eq!(verdict("codex", &long, Author::Person), "no name");
    }

    #[test]
    fn a_provider_s_variables_pass_where_it_is_chosen() {
        let check = |preset: &str, set: &[&str], expected: &[&str]| {
            let set = set.iter().map(|it| ((*it).to_owned(), "x".to_owned())).collect();
            let preset = Preset::named(preset).unwrap();
            assert_eq!(preset.passing(&set), expected, "{}", preset.name);
        };
        let cloud = ["AWS_PROFILE", "AWS_SECRET_ACCESS_KEY", "CLOUD_ML_REGION"];
        check("claude-code", &cloud, &[]);
        let bedrock = ["AWS_PROFILE", "CLAUDE_CODE_USE_BEDROCK", "CLOUD_ML_REGION"];
        check("claude-code", &bedrock, &["AWS_PROFILE", "CLAUDE_CODE_USE_BEDROCK"]);
        let vertex = ["AWS_PROFILE", "CLAUDE_CODE_USE_VERTEX", "CLOUD_ML_REGION"];
        check("claude-code", &vertex, &["CLAUDE_CODE_USE_VERTEX", "CLOUD_ML_REGION"]);
        check("codex", &["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HOME"], &["OPENAI_API_KEY"]);
        let logins = |preset: &str, set: &[&str]| {
            let set = set.iter().map(|it| ((*it).to_owned(), "1".to_owned())).collect();
            Preset::named(preset).unwrap().logins(&set)
        };
        assert_eq!(logins("claude-code", &cloud), [""; 0]);
        assert_eq!(logins("claude-code", &bedrock), [".aws"]);
        assert_eq!(logins("claude-code", &vertex), [".config/gcloud"]);
        assert_eq!(logins("gemini", &["GOOGLE_GENAI_USE_VERTEXAI"]), [".config/gcloud"]);
        assert_eq!(logins("codex", &bedrock), [""; 0]);
        let empty = [("CLAUDE_CODE_USE_BEDROCK", ""), ("AWS_PROFILE", "x")];
        let empty = empty.map(|(name, it)| (name.to_owned(), it.to_owned())).into();
        assert_eq!(
            Preset::named("claude-code").unwrap().passing(&empty),
            ["CLAUDE_CODE_USE_BEDROCK"]
        );
    }

    /// What passes by itself is nothing that would be refused in the configuration.
    #[test]
    fn the_lists_of_the_presets_pass_no_state() {
        for preset in &table::ALL {
            let provided = preset.providers.iter().flat_map(|it| it.variables);
            for name in preset.variables.iter().chain(provided) {
                let plain = name.trim_end_matches('*');
                let harm = REFUSED.iter().find(|(it, _)| matches(it, plain));
                assert!(harm.is_none(), "{}: {name}: {harm:?}", preset.name);
                let is_folder = |it: &Preset| it.state.folders.iter().any(|it| it.0 == plain);
                assert!(!table::ALL.iter().any(is_folder), "{}: {name}", preset.name);
            }
            for provider in preset.providers {
                assert!(preset.variables.contains(&provider.chosen_by), "{}", provider.chosen_by);
            }
        }
    }
}
