//! opencode: a plugin file that is wholly ours, with the command line in one of its lines.

use provost_kernel::guard::{Client, HookType};

use super::{CommandLine, Hook, InstallError};

/// The plugin, with a place for the command line.
const TEMPLATE: &str = include_str!("provost.js");

const PLACE: &str = "[\"@COMMAND@\"]";

/// How the line of the command starts.
const START: &str = "const COMMAND = ";

/// The plugin for a hook.
pub(super) fn plugin(hook: &Hook) -> Result<String, InstallError> {
    of_words(&hook.words(Client::Plain, HookType::PermissionRequest))
}

/// The command line of a plugin of ours; nothing if somebody else wrote it or changed it.
pub(super) fn command(text: &str) -> Option<CommandLine> {
    let line = text.lines().find_map(|it| it.strip_prefix(START))?;
    let words: Vec<String> = serde_json::from_str(line.strip_suffix(';')?).ok()?;
    let command = CommandLine::Exec(words.clone());
    let is_unchanged = of_words(&words).is_ok_and(|it| it == text);
    (is_unchanged && command.is_ours()).then_some(command)
}

fn of_words(words: &[String]) -> Result<String, InstallError> {
    let path = || words.first().cloned().unwrap_or_default();
    // Every JSON text is a JavaScript value.
    let words = serde_json::to_string(words).map_err(|_| InstallError::Path { path: path() })?;
    Ok(TEMPLATE.replacen(PLACE, &words, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_says_its_command_line_unless_it_was_changed() {
        let hook = Hook { program: "/a \"b\"\\/provost".to_owned(), home: "/h\u{2028}".to_owned() };
        let text = plugin(&hook).unwrap();
        let words = hook.words(Client::Plain, HookType::PermissionRequest);
        assert_eq!(command(&text), Some(CommandLine::Exec(words)));
        assert_eq!(command(&text.replace("throw", "return")), None);
        assert_eq!(command(&text.replace("/provost", "/other")), None);
        assert_eq!(command("export const Other = async () => ({});\n"), None);
        assert!(!text.contains('@'));
    }
}
