//! Which agent a payload speaks of, and which file a call of a tool is about.

use provost_kernel::guard::HookInput;
use serde_json::Value;

/// An agent's id has at most this many characters.
const LONGEST_ID: usize = 255;

/// The keys under which tools are given a file.
const FILE_KEYS: [&str; 5] = ["file_path", "notebook_path", "absolute_path", "target_file", "path"];

/// The tools that change the file they are given, by their names in lower case.
const WRITERS: [&str; 11] = [
    "write",
    "edit",
    "multiedit",
    "notebookedit",
    "write_file",
    "replace",
    "create_file",
    "edit_file",
    "search_replace",
    "str_replace_editor",
    "str_replace_based_edit_tool",
];

/// Whose payload it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Author<'a> {
    /// An agent that another one started.
    Agent(&'a str),
    /// The agent that the person talks to.
    Main,
    /// An id that no client gives.
    Unknown,
}

/// Says whose payload it is.
pub(super) fn author(input: &HookInput) -> Author<'_> {
    match input.text("agent_id") {
        None => Author::Main,
        Some(id) if is_agent_id(id) => Author::Agent(id),
        Some(_) => Author::Unknown,
    }
}

/// The file that a tool was given, from the folder in which the agent works.
pub(super) fn file(input: &HookInput) -> Option<String> {
    let given = input.tool_input.as_ref()?;
    let path = FILE_KEYS.iter().find_map(|it| given.get(it).and_then(Value::as_str))?;
    Some(relative(path, input.directory.as_deref().unwrap_or_default())).filter(|it| !it.is_empty())
}

/// The file that a tool has changed, if it is a tool that changes files and did not fail.
pub(super) fn changed_file(input: &HookInput) -> Option<String> {
    let tool = input.tool_name.as_ref()?.to_lowercase();
    let tool = tool.strip_prefix("proxy_").unwrap_or(&tool);
    if !WRITERS.contains(&tool) || input.has("error") { None } else { file(input) }
}

/// How long the call took, if the client says so.
pub(super) fn duration(input: &HookInput) -> Option<u64> {
    input.fields.get("duration_ms").and_then(Value::as_u64)
}

fn is_agent_id(text: &str) -> bool {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b':' | b'-');
    (1..=LONGEST_ID).contains(&text.len()) && text.bytes().all(is_plain)
}

/// A path without detours, and without the folder if it lies in it. Nothing is looked up: the
/// name is for people.
fn relative(path: &str, folder: &str) -> String {
    let straight = straight(path);
    let folder = self::straight(folder);
    match straight.strip_prefix(&folder).and_then(|it| it.strip_prefix('/')) {
        Some(below) if !folder.is_empty() => below.to_owned(),
        Some(_) | None => straight,
    }
}

fn straight(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." if names.last().is_some_and(|it| *it != "..") => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", names.join("/"))
}

#[cfg(test)]
mod tests {
    use provost_kernel::guard::HookType;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_is_named_from_the_folder_of_the_agent() {
        #[track_caller]
        fn check(folder: &str, path: &str, expected: &str) {
            assert_eq!(relative(path, folder), expected, "{path:?} in {folder:?}");
        }
        check("/p", "/p/src/a.rs", "src/a.rs");
        check("/p/", "/p/./src//a.rs", "src/a.rs");
        check("/p", "/p/src/../a.rs", "a.rs");
        check("/p", "src/a.rs", "src/a.rs");
        check("/p", "/p-evil/a.rs", "/p-evil/a.rs");
        check("/p", "/p/../q/a.rs", "/q/a.rs");
        check("/p", "../a.rs", "../a.rs");
        check("/p", "../../a.rs", "../../a.rs");
        check("", "/a.rs", "/a.rs");
        check("/", "/a.rs", "/a.rs");
        check("/p", "", "");
    }

    #[test]
    fn only_a_tool_that_writes_changes_a_file() {
        let mut input = HookInput::empty(HookType::PostToolUse);
        input.directory = Some("/p".to_owned());
        input.tool_input = Some(json!({"file_path": "/p/a.rs", "content": "x"}));
        for (tool, expected) in [
            ("Write", Some("a.rs")),
            ("proxy_Edit", Some("a.rs")),
            ("replace", Some("a.rs")),
            ("Read", None),
            ("Bash", None),
        ] {
            input.tool_name = Some(tool.to_owned());
            assert_eq!(changed_file(&input).as_deref(), expected, "{tool}");
            assert_eq!(file(&input).as_deref(), Some("a.rs"), "{tool}");
        }
        input.tool_name = Some("Write".to_owned());
        input.fields.insert("error".to_owned(), json!("no"));
        assert_eq!(changed_file(&input), None, "it failed");
        input.tool_input = Some(json!({"file_path": 7}));
        assert_eq!(file(&input), None);
    }

    #[test]
    fn an_agent_is_known_by_an_id_that_clients_give() {
        #[track_caller]
        fn check(id: serde_json::Value, expected: &str) {
            let mut input = HookInput::empty(HookType::PostToolUse);
            input.fields.insert("agent_id".to_owned(), id.clone());
            let actual = match author(&input) {
                Author::Agent(_) => "agent",
                Author::Main => "main",
                Author::Unknown => "unknown",
            };
            assert_eq!(actual, expected, "{id}");
        }
        check(json!("a9fa68e61a23b0e76"), "agent");
        check(json!("team:worker-1_2"), "agent");
        check(json!("a".repeat(255)), "agent");
        check(json!("a".repeat(256)), "unknown");
        check(json!(""), "unknown");
        check(json!("../x"), "unknown");
        check(json!("a b"), "unknown");
        check(json!("a\n"), "unknown");
        assert_eq!(author(&HookInput::empty(HookType::PreToolUse)), Author::Main);
    }
}
