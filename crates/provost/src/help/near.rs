//! Words that people type for a command of another name.
//!
//! Nothing is run by a guess: the word is refused, and what was probably meant is named.

use clap::Command;
use provost_kernel::TaskId;

use super::UsageError;

/// A word, and the commands that do what it says elsewhere, as they are typed.
const NEAR: &[(&[&str], &[&str])] = &[
    (&["status", "st", "state", "info"], &["ls", "show ID"]),
    (&["list", "tasks", "jobs", "queue", "ps"], &["ls"]),
    (&["cost", "spend", "spent", "usage", "budget"], &["ls", "show ID"]),
    (&["view", "get", "describe", "cat", "open", "inspect"], &["show ID"]),
    (&["log", "tail", "watch", "follow", "output", "attach"], &["logs ID -f"]),
    (&["history", "events"], &["logs ID", "audit verify"]),
    (&["changes", "change", "patch", "compare"], &["diff ID"]),
    (&["todo", "pending", "waiting", "notifications", "questions"], &["inbox"]),
    (&["why", "reason"], &["explain ID"]),
    (&["ui", "gui", "web", "browser", "dashboard", "page", "server"], &["serve"]),
    (&["telegram", "chat", "phone"], &["bot"]),
    (
        &["start", "new", "create", "add", "task", "fix", "make", "go", "begin", "work", "code"],
        &["do \"what should change\""],
    ),
    (&["continue", "unpause", "retry", "again", "restart"], &["resume ID"]),
    (&["stop", "cancel", "abort", "kill", "halt", "interrupt", "quit"], &["pause ID"]),
    (&["delete", "remove", "del", "drop", "rm"], &["rm ID", "reject ID --because TEXT", "gc"]),
    (&["clean", "cleanup", "prune", "purge"], &["gc"]),
    (
        &["merge", "apply", "commit", "push", "ship", "deliver", "pr", "take", "finish"],
        &["land ID"],
    ),
    (&["undo", "revert", "rollback", "unland"], &["land ID --undo"]),
    (&["ok", "yes", "lgtm", "confirm", "sign-off"], &["approve ID", "land ID"]),
    (&["no", "deny", "refuse", "decline"], &["reject ID --because TEXT"]),
    (&["review"], &["diff ID", "approve ID", "reject ID --because TEXT"]),
    (&["waive", "ignore", "allow"], &["accept ID FINDING --because TEXT"]),
    (&["reply", "respond", "say", "tell", "message"], &["answer ID TEXT"]),
    (&["instruct", "prompt", "modify", "amend"], &["edit ID --instruction TEXT"]),
    (&["set", "limit", "limits"], &["override ID max_attempts=N", "config show"]),
    (&["test", "tests", "prove", "verify", "ci", "validate"], &["verify", "check --help"]),
    (&["judge", "score", "grade"], &["rejudge ID", "show ID"]),
    (&["setup", "install", "configure", "onboard"], &["init"]),
    (&["settings", "preferences", "options", "cfg"], &["config show"]),
    (&["health", "diagnose", "login", "auth", "agents", "models"], &["doctor"]),
    (&["hooks", "protect", "policy"], &["guard --help"]),
    (&["plan", "stories", "prd", "epic"], &["story --help"]),
    (&["train", "rules"], &["learn --help"]),
    (&["try", "example", "tutorial", "tour"], &["demo"]),
    (&["version"], &["--version"]),
    (&["commands"], &["help all"]),
];

/// What was probably meant by a word that is not a command; none for a word that means nothing here.
/// Where a task is named after it, so it is in what was meant.
pub(crate) fn near(command: &Command, word: &str, task: Option<&TaskId>) -> Option<UsageError> {
    let lower = word.to_lowercase();
    let (_, meant) = NEAR.iter().find(|(words, _)| words.contains(&lower.as_str()))?;
    let exists = |typed: &&&str| {
        let first = typed.split(' ').next().unwrap_or_default();
        first.starts_with('-') || first == "help" || command.find_subcommand(first).is_some()
    };
    let id = task.map_or("ID", TaskId::as_str);
    let typed = |it: &str| {
        let words = it.split(' ').map(|it| if it == "ID" { id } else { it });
        words.collect::<Vec<_>>().join(" ")
    };
    let meant: Vec<String> =
        meant.iter().filter(exists).map(|it| format!("provost {}", typed(it))).collect();
    let command = word.to_owned();
    (!meant.is_empty()).then_some(UsageError::NearMiss { command, meant })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn a_near_miss_names_commands_that_exist() {
        let command = Cli::command();
        let mut seen = BTreeSet::new();
        for word in NEAR.iter().flat_map(|it| it.0) {
            assert!(seen.insert(word), "{word} stands twice");
            if command.find_subcommand(word).is_none() {
                assert!(near(&command, word, None).is_some(), "{word}");
            }
        }
        assert!(near(&command, "docter", None).is_none(), "a typo is the parser's");
    }
}
