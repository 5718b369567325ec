//! The commands that a call gives to a shell or to a program, in every form that a tool takes.

use serde_json::{Map, Value};

use super::{super::shell::ShellAnalyzer, patch_action, powershell, scan};

/// The keys under which a shell is given its command, in lower case and without `_`.
const OF_SHELL: [&str; 8] =
    ["argv", "chars", "cmd", "command", "commandline", "commands", "input", "script"];

/// The keys under which an unknown tool may be given one.
const OF_UNKNOWN: [&str; 10] = [
    "argv",
    "bash",
    "cmd",
    "command",
    "commandline",
    "commands",
    "exec",
    "script",
    "shell",
    "shellcommand",
];

/// The keys under which people are told something: a text may name a command there.
const PROSE: [&str; 14] = [
    "body",
    "comment",
    "content",
    "description",
    "message",
    "newtext",
    "note",
    "oldtext",
    "prompt",
    "question",
    "summary",
    "text",
    "thought",
    "title",
];

/// The keys under which code stands.
const CODE: [&str; 6] = ["code", "expression", "function", "program", "snippet", "source"];

/// The keys under which the words after the program's name stand.
const ARGUMENTS: [&str; 4] = ["args", "arguments", "argv", "parameters"];

/// The keys under which the program's name stands.
const PROGRAMS: [&str; 6] = ["bin", "binary", "executable", "name", "program", "tool"];

/// One tool, and where its commands run.
#[derive(Debug)]
pub(super) struct ToolCommands<'a, 'w> {
    pub(super) look: &'a mut ShellAnalyzer<'w>,
    pub(super) tool: &'a str,
    pub(super) from: &'a str,
}

impl ToolCommands<'_, '_> {
    /// Looks at what a shell is told; none if there is no command, or one that cannot be read.
    pub(super) fn by_shell(&mut self, input: &Value) -> Option<()> {
        let map = input.as_object()?;
        let given = map.iter().filter(|(key, value)| is_one(key, &OF_SHELL) && !value.is_null());
        let given: Vec<_> = given.collect();
        for (key, value) in &given {
            self.tell(value, words(map, key))?;
        }
        (!given.is_empty()).then_some(())
    }

    /// Looks at what an unknown tool may tell some shell, at any depth of its input.
    pub(super) fn by_unknown(&mut self, input: &Value) {
        let mut open = vec![input];
        while let Some(value) = open.pop() {
            match value {
                Value::Object(map) => {
                    for (key, value) in map {
                        self.entry(map, key, value);
                        open.push(value);
                    }
                }
                Value::Array(list) => open.extend(list),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
    }

    fn entry(&mut self, map: &Map<String, Value>, key: &str, value: &Value) {
        if is_one(key, &PROSE) {
            return;
        }
        self.suspect(key, value);
        if is_one(key, &OF_UNKNOWN) {
            // What is not a command stays a text like any other.
            let _read = self.tell(value, words(map, key));
        } else if is_one(key, &["sql"]) {
            self.statements(value, false);
        } else if is_one(key, &["queries", "query", "statement", "statements"]) {
            self.statements(value, true);
        }
        if is_one(key, &ARGUMENTS)
            && let Some(arguments) = strings(value).filter(|it| !it.is_empty())
        {
            // The tool may be the program itself, so that its words alone say what is done.
            let beside = map.iter().filter(|(key, _)| is_one(key, &PROGRAMS));
            let beside = beside.filter_map(|(_, value)| value.as_str());
            for name in self.tool.rsplit("__").take(2).chain(beside) {
                let argv = [vec![name.to_owned()], arguments.clone()].concat();
                self.look.argv(&argv, Some(self.from));
            }
        }
    }

    /// Looks at what may be a command or code, whatever its key is called; doubts mean nothing.
    fn suspect(&mut self, key: &str, value: &Value) {
        let lines = strings(value).filter(|it| it.len() > 1).map(|it| it.join("\n"));
        let Some(text) = value.as_str().map(str::to_owned).or(lines) else { return };
        if is_one(key, &CODE) {
            self.look.suspect_code(&text);
        } else if text.trim().contains(char::is_whitespace) {
            self.look.suspect(&text);
        } else if self.tool.contains("redis") && is_one(key, &OF_UNKNOWN) {
            self.look.suspect(&format!("redis-cli {text}"));
        }
    }

    /// Looks at statements of SQL; where the key says little, only at what begins like one.
    fn statements(&mut self, value: &Value, is_doubtful: bool) {
        let verbs = ["alter", "begin", "delete", "drop", "truncate", "update", "with"];
        let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for text in list.iter().filter_map(Value::as_str) {
            let first = text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
            if !is_doubtful || verbs.contains(&first.trim_end_matches(';')) {
                self.look.statements(text);
            }
        }
    }

    fn tell(&mut self, value: &Value, beside: Vec<String>) -> Option<()> {
        match value {
            Value::String(text) => {
                self.read(text);
                if !beside.is_empty() {
                    let program = text.split_whitespace().map(str::to_owned).collect();
                    self.look.argv(&[program, beside].concat(), Some(self.from));
                }
            }
            Value::Array(_) => self.list(&strings(value)?),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
        }
        Some(())
    }

    /// Several lines, a patch, or a program with its words.
    fn list(&mut self, argv: &[String]) {
        match argv {
            [first, ..] if first.trim().contains(char::is_whitespace) => {
                for it in argv {
                    self.read(it);
                }
            }
            [first, rest @ ..] if first == "apply_patch" => {
                let action = patch_action(self.look.zones, &rest.join("\n"));
                self.look.actions.push(action);
                // One text is the patch; what comes after it has no place there.
                for it in rest.iter().skip(1) {
                    self.read(it);
                }
            }
            _ => {
                scan(&argv.join(" "), &mut self.look.actions);
                self.look.argv(argv, Some(self.from));
            }
        }
    }

    /// Reads a text as a shell would, and as a terminal would hand it to one.
    fn read(&mut self, text: &str) {
        let is_asked = ["powershell", "pwsh"].iter().any(|it| self.tool.contains(it));
        let typed = typed(text);
        let other = (typed != text).then_some(typed.as_str());
        if text.trim_start().starts_with("*** Begin Patch") {
            let action = patch_action(self.look.zones, text);
            self.look.actions.push(action);
        }
        for reading in [Some(text), other].into_iter().flatten() {
            self.look.text(reading, Some(self.from));
            if let Some(translated) = powershell::translate(reading, is_asked) {
                self.look.text(&translated, Some(self.from));
            }
        }
    }
}

/// The words beside a command.
fn words(map: &Map<String, Value>, command: &str) -> Vec<String> {
    let mut beside = map.iter().filter(|(key, _)| *key != command);
    let found = beside.find(|(key, _)| is_one(key, &ARGUMENTS));
    found.and_then(|(_, value)| strings(value)).unwrap_or_default()
}

/// A text as it is left on the line when a terminal has obeyed its control signs.
fn typed(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(one) = rest.next() {
        match one {
            '\u{1b}' => {
                // `ESC [ … letter` and `ESC O letter`; any other is one sign long.
                if rest.next_if(|it| matches!(it, '[' | 'O')).is_some() {
                    while rest.next_if(|it| matches!(it, '0'..='9' | ';' | '?')).is_some() {}
                }
                rest.next();
            }
            '\u{8}' | '\u{7f}' => {
                line.pop();
            }
            '\n' | '\t' => line.push(one),
            // Whatever ends or throws away a line, a new one begins.
            _ if one.is_control() => line.push('\n'),
            _ => line.push(one),
        }
    }
    line
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|it| it.as_str().map(str::to_owned)).collect()
}

fn is_one(key: &str, keys: &[&str]) -> bool {
    keys.contains(&key.to_lowercase().replace(['_', '-'], "").as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_its_control_signs() {
        for (text, expected) in [
            ("ls\n", "ls\n"),
            ("\u{3}git status\n", "\ngit status\n"),
            ("\u{1b}[200~git status\u{1b}[201~\r", "git status\n"),
            ("rmx\u{7f} a", "rm a"),
            ("echo \u{15}rm a", "echo \nrm a"),
            ("\u{1b}", ""),
            ("\u{7f}", ""),
        ] {
            assert_eq!(typed(text), expected, "{text:?}");
        }
    }
}
