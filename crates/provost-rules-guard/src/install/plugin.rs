//! A plugin file that is wholly ours, with the command line in one of its lines.

use provost_kernel::guard::{Client, HookType};

use super::{CommandLine, Hook, InstallError};

const PLACE: &str = "[\"@COMMAND@\"]";

/// How the line of the command starts.
const START: &str = "const COMMAND = ";

/// The plugin in place of a text, which must be a plugin of ours or nothing.
pub(super) fn install(
    template: &str,
    client: Client,
    text: Option<&str>,
    hook: &Hook,
) -> Result<String, InstallError> {
    match text {
        Some(text) if !text.trim().is_empty() && command(template, text).is_none() => {
            Err(InstallError::Foreign)
        }
        Some(_) | None => plugin(template, client, hook),
    }
}

/// The plugin for a hook.
pub(super) fn plugin(template: &str, client: Client, hook: &Hook) -> Result<String, InstallError> {
    of_words(template, &hook.words(client, HookType::PermissionRequest))
}

/// The command line of a plugin of ours; nothing if somebody else wrote it or changed it.
pub(super) fn command(template: &str, text: &str) -> Option<CommandLine> {
    let line = text.lines().find_map(|it| it.strip_prefix(START))?;
    let words: Vec<String> = serde_json::from_str(line.strip_suffix(';')?).ok()?;
    let command = CommandLine::Exec(words.clone());
    let is_unchanged = of_words(template, &words).is_ok_and(|it| it == text);
    (is_unchanged && command.is_ours()).then_some(command)
}

fn of_words(template: &str, words: &[String]) -> Result<String, InstallError> {
    let path = || words.first().cloned().unwrap_or_default();
    // Every JSON text is a JavaScript value.
    let words = serde_json::to_string(words).map_err(|_| InstallError::Path { path: path() })?;
    Ok(template.replacen(PLACE, &words, 1))
}

#[cfg(test)]
mod tests {
    use provost_kernel::guard::{Harness, client::InstallForm};

    use super::*;

    #[test]
    fn a_plugin_says_its_command_line_unless_it_was_changed() {
        let hook =
            Hook { program: "/a \"b\"\\/provost".to_owned(), home: Some("/h\u{2028}".to_owned()) };
        let InstallForm::Plugin { template, .. } = Harness::Opencode.entry().install.form else {
            panic!("opencode has a plugin")
        };
        let command = |text: &str| command(template, text);
        let text = plugin(template, Client::Plain, &hook).unwrap();
        let words = hook.words(Client::Plain, HookType::PermissionRequest);
        assert_eq!(command(&text), Some(CommandLine::Exec(words)));
        assert_eq!(command(&text.replace("throw", "return")), None);
        assert_eq!(command(&text.replace("/provost", "/other")), None);
        assert_eq!(command("export const Other = async () => ({});\n"), None);
        assert!(!text.contains('@'));
    }
}
