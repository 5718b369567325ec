//! What an unknown tool does elsewhere, as far as its name says so.

use serde_json::Value;

use super::{
    super::builtin::BuiltIn::{self, CloudChange, GitResetHard},
    has_key,
};

/// Words by which a tool says that what it does cannot be taken back.
const DESTRUCTIVE: [&str; 12] = [
    "delete",
    "destroy",
    "drop",
    "erase",
    "forcepush",
    "nuke",
    "purge",
    "teardown",
    "terminate",
    "truncate",
    "uninstall",
    "wipe",
];
/// What an agent keeps for itself, and a page that it has open: nothing of it is missed.
const OWN: [&str; 17] = [
    "attachment_draft",
    "browser",
    "cell",
    "comment",
    "cookie",
    "dialog",
    "draft",
    "dropbox_list",
    "entities",
    "label",
    "memory",
    "note",
    "observation",
    "playwright",
    "reaction",
    "relation",
    "session",
];

/// What a tool does elsewhere, by its name: `mcp__github__delete_branch`, `mcp__git__git_reset`.
pub(super) fn reaching(tool: &str, input: &Value, texts: &[String]) -> Option<BuiltIn> {
    let verb = tool.rsplit("__").next().unwrap_or_default();
    let says = |words: &[&str]| texts.iter().any(|it| words.contains(&it.to_lowercase().as_str()));
    let mut words = verb.split(['_', '-', '.', ':']);
    let destroys = words.any(|it| DESTRUCTIVE.iter().any(|word| begins_with(it, word)))
        || (verb.contains("remove") && LASTING.iter().any(|it| verb.contains(it)))
        || verb.contains("force_push")
        || (verb.contains("reset") && verb.contains("database"));
    let destroys =
        destroys || deeds(input).any(|it| DESTRUCTIVE.iter().any(|word| begins_with(&it, word)));
    let is_own = OWN.iter().any(|it| tool.contains(it)) || verb.contains("drag");
    // A file of this machine is judged by where it lies.
    let is_path = ["path", "file_path", "paths", "filepath", "source"];
    let is_elsewhere = ["branch", "bucket", "owner", "project", "project_id", "repo", "repository"];
    let is_local = is_path.iter().any(|it| has_key(input, it))
        && !is_elsewhere.iter().any(|it| has_key(input, it));
    if verb.contains("reset") && tool.contains("git") && says(&["hard", "--hard"]) {
        Some(GitResetHard)
    } else if (destroys && !is_own && !is_local)
        || (says(&["delete"]) && says(&["cluster", "database", "namespace", "project"]))
    {
        Some(CloudChange)
    } else {
        None
    }
}

/// What is missed by everybody once a tool has removed it.
const LASTING: [&str; 8] =
    ["bucket", "cluster", "database", "instance", "namespace", "project", "repository", "volume"];

/// Keys under which a tool is told what to do by a name.
const DEEDS: [&str; 5] = ["action", "method", "operation", "op", "verb"];

/// What a tool is told to do by a name: `DeleteDBCluster`.
fn deeds(input: &Value) -> impl Iterator<Item = String> {
    let map = input.as_object().into_iter().flatten();
    let named = map.filter(|(key, _)| DEEDS.contains(&key.to_ascii_lowercase().as_str()));
    named.filter_map(|(_, value)| value.as_str().map(str::to_ascii_lowercase))
}

/// Whether a word is a verb, alone or with what follows it: `delete`, `deletes`, `deletefile`.
fn begins_with(word: &str, verb: &str) -> bool {
    let rest = word.strip_prefix(verb);
    rest.is_some_and(|it| {
        verb != "drop"
            || !["box", "down", "let", "off", "zone"].iter().any(|end| it.starts_with(end))
    })
}
