//! What an agent is seen to do while it works: the files that it edits, the commands that it runs,
//! what it says.
//!
//! It is shown to a person and used for nothing else. An agent wrote it, so it comes on one line, of a
//! bounded length and without secrets; what would move the cursor is taken out where it is shown.

use std::path::Path;

use provost_kernel::shorten_to;
use provost_rules::secret;
use serde_json::Value;

/// One thing that an agent does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Writes a file; the lines are those that it says it adds and removes.
    Edits {
        path: String,
        added: Option<u64>,
        removed: Option<u64>,
    },
    /// Runs a command.
    Runs {
        command: String,
    },
    Says {
        text: String,
    },
}

/// The longest text that is shown of one activity.
const SHOWN: usize = 100;
/// More of a text is not even looked at.
const LOOKED_AT: usize = 16 << 10;

impl Activity {
    /// The same, as it may be shown: with paths below the tree that it works in.
    pub(super) fn shown(self, tree: &Path) -> Self {
        match self {
            Self::Edits { path, added, removed } => {
                let inside = Path::new(&path).strip_prefix(tree).ok().and_then(Path::to_str);
                let path = line(inside.unwrap_or(&path));
                Self::Edits { path, added, removed }
            }
            Self::Runs { command } => Self::Runs { command: line(&command) },
            Self::Says { text } => Self::Says { text: line(&text) },
        }
    }

    fn says(text: &Value) -> Option<Self> {
        let text = text.as_str().filter(|it| !it.trim().is_empty())?;
        Some(Self::Says { text: text.to_owned() })
    }

    fn runs(command: &Value) -> Option<Self> {
        Some(Self::Runs { command: command.as_str()?.to_owned() })
    }

    /// A file that gets these contents in place of those.
    fn edits(path: &Value, removed: &Value, added: &Value) -> Option<Self> {
        let path = path.as_str()?.to_owned();
        let (before, after) = (removed.as_str(), added.as_str());
        let (removed, added) = changed(before.unwrap_or_default(), after.unwrap_or_default());
        Some(Self::Edits { path, added: after.map(|_| added), removed: before.map(|_| removed) })
    }
}

/// Claude Code: a message with texts and tool calls.
pub(super) fn claude(event: &Value) -> Vec<Activity> {
    if event["type"] != "assistant" {
        return Vec::new();
    }
    let of_block = |block: &Value| {
        let input = &block["input"];
        match (block["type"].as_str()?, block["name"].as_str().unwrap_or_default()) {
            ("text", _) => Activity::says(&block["text"]),
            ("tool_use", "Bash") => Activity::runs(&input["command"]),
            ("tool_use", "Write") => {
                Activity::edits(&input["file_path"], &Value::Null, &input["content"])
            }
            ("tool_use", "Edit") => {
                Activity::edits(&input["file_path"], &input["old_string"], &input["new_string"])
            }
            ("tool_use", "NotebookEdit") => {
                Activity::edits(&input["notebook_path"], &Value::Null, &Value::Null)
            }
            (_, _) => None,
        }
    };
    items(&event["message"]["content"]).filter_map(of_block).collect()
}

/// Codex: an item that was started or completed.
pub(super) fn codex(event: &Value) -> Vec<Activity> {
    let item = &event["item"];
    match (event["type"].as_str(), item["type"].as_str()) {
        (Some("item.started"), Some("command_execution")) => {
            let command = item["command"].as_str().map(inner_command);
            command.map(|command| Activity::Runs { command }).into_iter().collect()
        }
        (Some("item.completed"), Some("file_change")) => items(&item["changes"])
            .filter_map(|it| Activity::edits(&it["path"], &Value::Null, &Value::Null))
            .collect(),
        (Some("item.completed"), Some("agent_message")) => {
            Activity::says(&item["text"]).into_iter().collect()
        }
        // Why it gives up, which it writes nowhere else.
        (Some("turn.failed"), _) => {
            Activity::says(&event["error"]["message"]).into_iter().collect()
        }
        (_, _) => Vec::new(),
    }
}

/// opencode: a text, or a tool call that has come to its end.
pub(super) fn opencode(event: &Value) -> Vec<Activity> {
    let part = &event["part"];
    let input = &part["state"]["input"];
    let found = match (event["type"].as_str(), part["tool"].as_str().unwrap_or_default()) {
        (Some("text"), _) => Activity::says(&part["text"]),
        // Why it gives up, which it writes nowhere else.
        (Some("error"), _) => Activity::says(&event["error"]["data"]["message"]),
        (Some("tool_use"), "bash") => Activity::runs(&input["command"]),
        (Some("tool_use"), "write") => {
            Activity::edits(&input["filePath"], &Value::Null, &input["content"])
        }
        (Some("tool_use"), "edit") => {
            Activity::edits(&input["filePath"], &input["oldString"], &input["newString"])
        }
        (_, _) => None,
    };
    found.into_iter().collect()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The command in a call of a shell, such as `/bin/bash -lc 'make test'`.
fn inner_command(line: &str) -> String {
    let words = shlex::split(line).unwrap_or_default();
    match words.as_slice() {
        [shell, flag, command] if shell.ends_with("sh") && flag.starts_with('-') => command.clone(),
        _ => line.to_owned(),
    }
}

/// How many lines one text has that the other one lacks, without those at both ends that they share.
fn changed(before: &str, after: &str) -> (u64, u64) {
    let (before, after): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let shortest = before.len().min(after.len());
    let same = |it: &(&&str, &&str)| it.0 == it.1;
    let first = before.iter().zip(&after).take_while(same).count();
    let last = before.iter().rev().zip(after.iter().rev()).take_while(same).count();
    let shared = first + last.min(shortest - first);
    ((before.len() - shared) as u64, (after.len() - shared) as u64)
}

/// A foreign text on one line, bounded and without secrets.
fn line(text: &str) -> String {
    let end = (0..=LOOKED_AT.min(text.len())).rev().find(|&it| text.is_char_boundary(it));
    let text = &text[..end.unwrap_or_default()];
    // Before the cut, so that no secret is cut in two.
    let text = secret::redact(text.as_bytes());
    let text = String::from_utf8_lossy(&text);
    let words: Vec<&str> = text.split_whitespace().collect();
    shorten_to(&words.join(" "), SHOWN)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn edits(path: &str, added: Option<u64>, removed: Option<u64>) -> Activity {
        Activity::Edits { path: path.to_owned(), added, removed }
    }

    fn runs(command: &str) -> Activity {
        Activity::Runs { command: command.to_owned() }
    }

    fn says(text: &str) -> Activity {
        Activity::Says { text: text.to_owned() }
    }

    #[track_caller]
    fn check(read: fn(&Value) -> Vec<Activity>, event: Value, expected: &[Activity]) {
        let found: Vec<_> = read(&event).into_iter().map(|it| it.shown(Path::new("/w"))).collect();
        assert_eq!(found, expected, "{event}");
    }

    /// What the programs really printed, shortened to what is read.
    #[test]
    fn what_each_program_does_is_read_from_its_events() {
        let message =
            |block: Value| json!({ "type": "assistant", "message": { "content": [block] } });
        let tool = |name: &str, input: Value| {
            message(json!({ "type": "tool_use", "name": name, "input": input }))
        };
        check(
            claude,
            message(json!({ "type": "text", "text": "All\ndone." })),
            &[says("All done.")],
        );
        check(claude, tool("Bash", json!({ "command": "make test" })), &[runs("make test")]);
        let input = json!({ "file_path": "/w/src/a.py", "old_string": "a\nb\n", "new_string": "a\nc\nd\n" });
        check(claude, tool("Edit", input), &[edits("src/a.py", Some(2), Some(1))]);
        let input = json!({ "file_path": "/elsewhere/a.py", "content": "a\nb\n" });
        check(claude, tool("Write", input), &[edits("/elsewhere/a.py", Some(2), None)]);
        check(claude, tool("Read", json!({ "file_path": "/w/a.py" })), &[]);

        let item = |kind: &str, item: Value| json!({ "type": kind, "item": item });
        let command =
            json!({ "type": "command_execution", "command": "/bin/bash -lc 'echo hi >> f.txt'" });
        check(codex, item("item.started", command.clone()), &[runs("echo hi >> f.txt")]);
        check(codex, item("item.completed", command), &[]);
        let change =
            json!({ "type": "file_change", "changes": [{ "path": "/w/g.txt", "kind": "add" }] });
        check(codex, item("item.completed", change), &[edits("g.txt", None, None)]);
        let said = json!({ "type": "agent_message", "text": "All done." });
        check(codex, item("item.completed", said), &[says("All done.")]);
        let failed = json!({ "type": "turn.failed", "error": { "message": "no key" } });
        check(codex, failed, &[says("no key")]);

        let tool = |name: &str, input: Value| json!({ "type": "tool_use", "part": { "tool": name, "state": { "input": input } } });
        check(opencode, json!({ "type": "text", "part": { "text": "hm" } }), &[says("hm")]);
        check(opencode, tool("bash", json!({ "command": "make" })), &[runs("make")]);
        let input = json!({ "filePath": "/w/g.txt", "oldString": "b\n", "newString": "b1\nb2\n" });
        check(opencode, tool("edit", input), &[edits("g.txt", Some(2), Some(1))]);
        let failed = json!({ "type": "error", "error": { "data": { "message": "no key" } } });
        check(opencode, failed, &[says("no key")]);
    }

    /// What an agent prints is foreign: one line, bounded, without secrets.
    #[test]
    fn a_text_is_one_bounded_line_without_secrets() {
        let long = says(&format!("{}\n\n{}", "word ".repeat(50), "x".repeat(1 << 20)));
        let Activity::Says { text } = long.shown(Path::new("/w")) else { panic!() };
        assert_eq!(text.chars().count(), SHOWN + 1);
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let Activity::Runs { command } = runs(&format!("deploy {token}")).shown(Path::new("/w"))
        else {
            panic!()
        };
        assert!(!command.contains(&token), "{command}");
        for event in [json!(null), json!({ "type": "assistant", "message": 1 }), json!([])] {
            for read in [claude, codex, opencode] {
                check(read, event.clone(), &[]);
            }
        }
    }

    #[test]
    fn shared_lines_are_not_changed_ones() {
        for (before, after, expected) in [
            ("", "", (0, 0)),
            ("", "a\nb", (0, 2)),
            ("a\nb", "", (2, 0)),
            ("a\nb\nc", "a\nx\nc", (1, 1)),
            ("a\na", "a\na\na", (0, 1)),
            ("a\na\na", "a", (2, 0)),
        ] {
            assert_eq!(changed(before, after), expected, "{before:?} {after:?}");
        }
    }
}
