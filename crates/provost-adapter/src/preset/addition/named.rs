//! Variables that the person's own settings of a program name: the key of a gateway, as a rule.
//!
//! The settings are copied into the agent's private folder; without the variable that they name, the
//! program would be told of a key that it does not have.

use std::{collections::BTreeMap, path::Path};

use super::{Author, variables};
use crate::{
    preset::{Preset, state::StateKind},
    select::{AdapterConfig, Selected},
};

/// How settings name a variable: by what stands before its name and after it.
#[derive(Debug)]
pub struct NamedBy {
    /// Blanks in a line do not count.
    pub before: &'static str,
    pub after: char,
}

/// How many variables settings can name.
const MOST: usize = 16;

impl Selected {
    /// The same adapter, with the variables that the person's settings of its program name.
    #[must_use]
    pub fn with_named_variables(mut self, set: &BTreeMap<String, String>) -> Self {
        if let AdapterConfig::Preset { preset, variables, .. } = &mut self.config
            && let Some(preset) = Preset::named(preset)
        {
            variables.extend(named(preset, set));
        }
        self
    }
}

/// The names in the person's settings of a preset that may be passed to it.
fn named(preset: &Preset, set: &BTreeMap<String, String>) -> Vec<String> {
    let (Some(by), Some(home)) = (&preset.named_by, set.get("HOME")) else { return Vec::new() };
    let settings = preset.state.files.iter().filter(|it| it.kind == StateKind::Settings);
    let texts = settings.filter_map(|it| {
        // What is not there, or cannot be read, names nothing.
        std::fs::read_to_string(it.source(Path::new(home), set)).ok()
    });
    let names = texts.flat_map(|text| names_in(&text, by));
    names.filter(|it| variables::check(preset, it, Author::Person).is_ok()).take(MOST).collect()
}

fn names_in(text: &str, by: &NamedBy) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim_start).filter(|it| !it.starts_with('#')) {
        let line: String = line.split_whitespace().collect();
        for (at, _) in line.match_indices(by.before) {
            let is_whole =
                !line[..at].ends_with(|it: char| it.is_ascii_alphanumeric() || it == '_');
            let rest = &line[at + by.before.len()..];
            if let (true, Some((name, _))) = (is_whole, rest.split_once(by.after)) {
                found.push(name.to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(home: &Path) -> BTreeMap<String, String> {
        [("HOME".to_owned(), home.display().to_string())].into()
    }

    /// A provider of the person's own, in the settings of Codex and of opencode.
    #[test]
    fn the_key_of_a_gateway_is_named_by_the_settings() {
        let check = |preset: &str, file: &str, text: &str, expected: &[&str]| {
            let folder = tempfile::tempdir().unwrap();
            let at = folder.path().join(file);
            #[expect(clippy::disallowed_methods, reason = "a test makes the files that it reads")]
            std::fs::create_dir_all(at.parent().unwrap())
                .and_then(|()| std::fs::write(&at, text))
                .unwrap();
            let preset = Preset::named(preset).unwrap();
            assert_eq!(named(preset, &set(folder.path())), expected, "{text}");
        };
        let codex = ".codex/config.toml";
        check("codex", codex, "[model_providers.x]\nenv_key = \"COMPANY_KEY\"\n", &["COMPANY_KEY"]);
        check("codex", codex, "model_providers.x={env_key=\"A\",name=\"x\"}\n", &["A"]);
        check("codex", codex, "# env_key = \"A\"\nother_env_key = \"B\"\n", &[]);
        check("codex", codex, "env_key = \"LD_PRELOAD\"\nenv_key = \"CODEX_HOME\"\n", &[]);
        check("codex", codex, "env_key = \"A B\"\nenv_key = \"\"\nenv_key = A\n", &["AB"]);
        let opencode = ".config/opencode/opencode.json";
        let text = "{\"provider\":{\"x\":{\"options\":{\"apiKey\": \"{env:COMPANY_KEY}\"}}}}";
        check("opencode", opencode, text, &["COMPANY_KEY"]);
        check("opencode", opencode, "{env:HOME} {env:", &[]);
        check("claude-code", ".claude/settings.json", "{env:A} env_key=\"B\"", &[]);
        let folder = tempfile::tempdir().unwrap();
        assert!(named(Preset::named("codex").unwrap(), &set(folder.path())).is_empty());
    }
}
