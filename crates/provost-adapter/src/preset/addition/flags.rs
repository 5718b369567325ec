//! Which flags may be added to the command line of a preset.
//!
//! The list of a preset is its allow-list: a flag that is not on it could be one that a later version
//! of the program has learned, and that undoes what provost sets.

use super::{AdditionError, Author, Shared, shown};
use crate::preset::Preset;

/// A flag that may be added.
#[derive(Debug)]
pub struct OwnFlag {
    /// With its dashes.
    pub name: &'static str,
    pub value: FlagValue,
    /// Who may add it: this author, and a nearer one.
    pub author: Author,
}

/// What stands after the `=` of a flag.
#[derive(Debug)]
pub enum FlagValue {
    /// The flag has no value.
    Switch,
    Text,
    /// `KEY=VALUE`; these keys are allowed. A `*` stands for one name between two dots.
    Settings(&'static [(&'static str, Author)]),
}

impl OwnFlag {
    /// A flag with a value that a repository may choose.
    pub(crate) const fn text(name: &'static str) -> Self {
        Self { name, value: FlagValue::Text, author: Author::Repository }
    }

    /// A flag without a value that a repository may choose.
    pub(crate) const fn switch(name: &'static str) -> Self {
        Self { name, value: FlagValue::Switch, author: Author::Repository }
    }

    /// The same flag for people only.
    pub(crate) const fn of_person(self) -> Self {
        Self { author: Author::Person, ..self }
    }

    fn form(&self) -> String {
        match self.value {
            FlagValue::Switch => self.name.to_owned(),
            FlagValue::Text => format!("{}=…", self.name),
            FlagValue::Settings(_) => format!("{}=KEY=…", self.name),
        }
    }
}

/// Refuses a word that may not be added to a preset's command line.
pub(super) fn check(preset: &Preset, word: &str, author: Author) -> Result<(), AdditionError> {
    let title = preset.title;
    let allowed = || preset.flags.iter().map(OwnFlag::form).collect();
    let (flag, value) = match word.split_once('=') {
        Some((flag, value)) => (flag, Some(value)),
        None => (word, None),
    };
    if !is_flag(flag) {
        return Err(AdditionError::NotAFlag { word: shown(word), title, allowed: allowed() });
    }
    let Some(known) = preset.flags.iter().find(|it| it.name == flag) else {
        return Err(AdditionError::Flag { flag: shown(flag), title, allowed: allowed() });
    };
    let flag = flag.to_owned();
    match (&known.value, value) {
        (FlagValue::Switch, Some(_)) => return Err(AdditionError::Value { flag }),
        (FlagValue::Text | FlagValue::Settings(_), None | Some("")) => {
            return Err(AdditionError::NoValue { flag });
        }
        (FlagValue::Switch, None) | (FlagValue::Text, Some(_)) => {}
        (FlagValue::Settings(keys), Some(value)) => {
            return check_setting(preset, flag, value, keys, author);
        }
    }
    if known.author > author { Err(AdditionError::Shared(Shared::Flag { flag })) } else { Ok(()) }
}

fn check_setting(
    preset: &Preset,
    flag: String,
    setting: &str,
    keys: &[(&'static str, Author)],
    author: Author,
) -> Result<(), AdditionError> {
    let key = setting.split_once('=').map_or(setting, |(key, _)| key);
    let known = keys.iter().find(|(it, _)| is_key(it, key));
    match known {
        Some((_, needed)) if *needed > author => {
            Err(AdditionError::Shared(Shared::Flag { flag: format!("{flag}={key}") }))
        }
        Some(_) if !setting.contains('=') => {
            Err(AdditionError::NoValue { flag: format!("{flag}={key}") })
        }
        Some(_) => Ok(()),
        None => {
            let allowed = keys.iter().map(|(it, _)| *it).collect();
            Err(AdditionError::Setting { flag, key: shown(key), title: preset.title, allowed })
        }
    }
}

/// Whether a flag chooses the model, for which there is a key of its own.
pub(super) fn is_model(flag: &str) -> bool {
    matches!(flag, "--model" | "-m")
}

fn is_flag(word: &str) -> bool {
    let Some(name) = word.strip_prefix('-') else { return false };
    let name = name.strip_prefix('-').unwrap_or(name);
    name.bytes().next().is_some_and(|it| it.is_ascii_alphabetic())
        && name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-' || it == b'_')
}

/// Whether a dotted key fits a pattern. Quotes and blanks do not belong to a key here: they would be
/// other keys to the program.
fn is_key(pattern: &str, key: &str) -> bool {
    let is_plain = |it: &str| {
        !it.is_empty()
            && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_' || it == b'-')
    };
    let (wanted, given): (Vec<&str>, Vec<&str>) =
        (pattern.split('.').collect(), key.split('.').collect());
    wanted.len() == given.len()
        && wanted.iter().zip(&given).all(|(want, it)| is_plain(it) && (*want == "*" || want == it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::table;

    fn verdict(preset: &str, word: &str, author: Author) -> &'static str {
        match check(Preset::named(preset).unwrap(), word, author) {
            Ok(()) => "allowed",
            Err(AdditionError::NotAFlag { .. }) => "no flag",
            Err(AdditionError::Flag { .. }) => "refused",
            Err(AdditionError::Setting { .. }) => "no setting",
            Err(AdditionError::NoValue { .. }) => "no value",
            Err(AdditionError::Value { .. }) => "value",
            Err(AdditionError::Shared(_)) => "shared",
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn a_flag_is_allowed_only_by_its_list() {
        for (preset, word, person, repository) in [
            ("claude-code", "--effort=high", "allowed", "allowed"),
            ("claude-code", "--disallowedTools=WebFetch", "allowed", "allowed"),
            ("claude-code", "--append-system-prompt=Be brief.", "allowed", "shared"),
            ("claude-code", "--disable-slash-commands", "allowed", "allowed"),
            ("claude-code", "--disable-slash-commands=x", "value", "value"),
            ("claude-code", "--effort", "no value", "no value"),
            ("claude-code", "--effort=", "no value", "no value"),
            ("claude-code", "--dangerously-skip-permissions", "refused", "refused"),
            ("claude-code", "--permission-mode=bypassPermissions", "refused", "refused"),
            ("claude-code", "--allowedTools=Bash", "refused", "refused"),
            ("claude-code", "--setting-sources=project", "refused", "refused"),
            ("claude-code", "--settings={}", "refused", "refused"),
            ("claude-code", "--mcp-config=x", "refused", "refused"),
            ("claude-code", "--plugin-url=x", "refused", "refused"),
            ("claude-code", "--output-format=text", "refused", "refused"),
            ("claude-code", "--max-budget-usd=99", "refused", "refused"),
            ("claude-code", "--resume=x", "refused", "refused"),
            ("claude-code", "--model=x", "refused", "refused"),
            ("claude-code", "-c", "refused", "refused"),
            ("claude-code", "--", "no flag", "no flag"),
            ("claude-code", "-", "no flag", "no flag"),
            ("claude-code", "high", "no flag", "no flag"),
            ("claude-code", "", "no flag", "no flag"),
            ("claude-code", "--effort high", "no flag", "no flag"),
            ("claude-code", "--EFFORT=high", "refused", "refused"),
            ("codex", "--config=model_reasoning_effort=high", "allowed", "allowed"),
            ("codex", "--config=model_provider=mine", "allowed", "shared"),
            (
                "codex",
                "--config=model_providers.mine.base_url=\"http://g/v1\"",
                "allowed",
                "shared",
            ),
            (
                "codex",
                "--config=model_providers.mine={auth={command=\"x\"}}",
                "no setting",
                "no setting",
            ),
            (
                "codex",
                "--config=model_providers.mine.auth.command=\"x\"",
                "no setting",
                "no setting",
            ),
            ("codex", "--config=model_providers.mine.auth=\"x\"", "no setting", "no setting"),
            ("codex", "--config=\"model_provider\"=x", "no setting", "no setting"),
            ("codex", "--config=sandbox_mode=danger-full-access", "no setting", "no setting"),
            ("codex", "--config=mcp_servers.x.command=y", "no setting", "no setting"),
            ("codex", "--config=projects={}", "no setting", "no setting"),
            ("codex", "--config=features.hooks=false", "no setting", "no setting"),
            ("codex", "--config=model_verbosity", "no value", "no value"),
            ("codex", "--sandbox=danger-full-access", "refused", "refused"),
            ("codex", "--dangerously-bypass-approvals-and-sandbox", "refused", "refused"),
            ("codex", "-c", "refused", "refused"),
            ("codex", "--oss", "allowed", "shared"),
            ("gemini", "--yolo", "refused", "refused"),
            ("gemini", "--policy=x", "refused", "refused"),
            ("opencode", "--variant=high", "allowed", "allowed"),
            ("opencode", "--attach=http://x", "refused", "refused"),
            ("opencode", "--share", "refused", "refused"),
            ("aider", "--reasoning-effort=high", "allowed", "allowed"),
            ("aider", "--auto-commits", "refused", "refused"),
            ("cursor", "--force", "refused", "refused"),
        ] {
            assert_eq!(verdict(preset, word, Author::Person), person, "{preset} {word}");
            assert_eq!(verdict(preset, word, Author::Repository), repository, "{preset} {word}");
        }
    }

    /// A list holds nothing that provost sets by itself.
    #[test]
    fn no_list_has_a_flag_of_the_preset_s_own_command_line() {
        use crate::preset::Part;
        for preset in &table::ALL {
            for flag in preset.flags {
                assert!(flag.name.starts_with("--") && is_flag(flag.name), "{}", flag.name);
                let is_own = |part: &Part| {
                    let is_settings = matches!(flag.value, FlagValue::Settings(_));
                    let (Part::Word(word) | Part::Model(word) | Part::Usd(word)) = part else {
                        return false;
                    };
                    word.split('=').next() == Some(flag.name) && !is_settings
                };
                let own = preset.coder.iter().chain(preset.judge).find(|it| is_own(it));
                assert!(own.is_none(), "{}: {}", preset.name, flag.name);
            }
        }
    }
}
