//! What a call of a tool does, by the tool and its input.
//!
//! The names are those that the clients use on the wire. An unknown tool is recorded, and
//! every text of its input is still held against what is protected.

pub(super) mod content;
mod far;
pub(super) mod powershell;
mod tool_commands;

use provost_rules::secret;
use serde_json::Value;

use self::tool_commands::ToolCommands;
use super::{
    action::{Action, bare_metadata_host, host_of, is_metadata, unescaped},
    builtin::BuiltIn::{
        self, DeleteOutside, DeleteRoot, DeleteSystem, HostMetadata, NetworkSend, PathOutside,
        PathSystem, SecretContent, ShellInteractive, SystemDevice, ToolUnknown, ToolUnreadable,
    },
    patch,
    path_zones::{ONE, PathZones, Zone, marked},
    protected::Access,
    shell::{ShellAnalyzer, interactive, shows_key},
};

/// A tool, by its name in lower case.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// What a tool is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Shell,
    Write,
    Patch,
    Read,
    /// It lists names, and opens no file.
    List,
    Web,
    /// It starts or steers agents, or keeps notes.
    Agent,
    Unknown,
}

impl Kind {
    /// The word by which a rule names all tools of a kind.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Write | Self::Patch => "write",
            Self::Read | Self::List => "read",
            Self::Web => "web",
            Self::Agent => "agent",
            Self::Unknown => "unknown",
        }
    }
}

impl Tool {
    pub(super) fn named(name: &str) -> Self {
        let lowered = name.to_lowercase();
        let name = lowered.strip_prefix("proxy_").unwrap_or(&lowered);
        Self { name: name.to_owned(), kind: kind(name) }
    }
}

fn kind(name: &str) -> Kind {
    match name {
        "bash" | "shell" | "shell_command" | "run_shell_command" | "local_shell" | "exec"
        | "exec_command" | "container.exec" | "unified_exec" | "write_stdin" | "powershell"
        | "execute_command" | "run_terminal_cmd" | "run_command" | "monitor" => Kind::Shell,
        "write"
        | "edit"
        | "multiedit"
        | "notebookedit"
        | "write_file"
        | "replace"
        | "create_file"
        | "edit_file"
        | "str_replace_editor"
        | "str_replace_based_edit_tool"
        | "search_replace"
        | "delete_file"
        | "delete" => Kind::Write,
        "apply_patch" | "patch" | "applypatch" => Kind::Patch,
        "read"
        | "read_file"
        | "read_many_files"
        | "notebookread"
        | "view_image"
        | "grep"
        | "search_file_content"
        | "grep_search"
        | "lsp" => Kind::Read,
        "glob" | "ls" | "list" | "list_directory" | "list_dir" | "file_search" => Kind::List,
        "webfetch" | "web_fetch" | "websearch" | "web_search" | "google_web_search" => Kind::Web,
        "agent" | "task" | "spawn_agent" | "todowrite" | "todoread" | "taskcreate"
        | "taskupdate" | "tasklist" | "taskget" | "taskoutput" | "taskstop" | "exitplanmode"
        | "enterplanmode" | "askuserquestion" | "ask_user" | "question" | "skill"
        | "activate_skill" | "toolsearch" | "killshell" | "killbash" | "bashoutput"
        | "update_plan" | "write_todos" | "save_memory" | "complete_task" | "wait"
        | "send_input" | "close_agent" | "slashcommand" | "sendmessage" => Kind::Agent,
        _ => Kind::Unknown,
    }
}

/// Takes a call apart.
pub(super) fn actions(zones: &PathZones, tool: &Tool, input: &Value) -> Vec<Action> {
    let mut actions = vec![Action::on(&tool.name)];
    match tool.kind {
        Kind::Shell => actions.extend(shell(zones, tool, input)),
        Kind::Write => actions.extend(files(zones, input, written_access(&tool.name))),
        Kind::Patch => actions.extend(patched(zones, input)),
        Kind::Read => actions.extend(files(zones, input, Access::Read)),
        Kind::List | Kind::Agent => {}
        Kind::Web => actions.push(web(zones, tool, input)),
        Kind::Unknown => actions.extend(unknown(zones, tool, input)),
    }
    actions
}

fn written_access(tool: &str) -> Access {
    if matches!(tool, "delete_file" | "delete") { Access::Delete } else { Access::Write }
}

/// A command, as one text or as an argument vector. Where there are several, each is judged.
fn shell(zones: &PathZones, tool: &Tool, input: &Value) -> Vec<Action> {
    let from = ["workdir", "dir_path", "cwd", "working_directory"]
        .iter()
        .find_map(|it| input.get(*it)?.as_str())
        .map_or_else(|| zones.directory.clone(), |it| zones.target_of(it).path);
    let mut look = ShellAnalyzer::new(zones);
    let mut commands = ToolCommands { look: &mut look, tool: &tool.name, from: &from };
    if commands.by_shell(input).is_none() {
        look.actions.push(unreadable());
    }
    if tool.name == "write_stdin" {
        typed(&mut look, input);
    }
    if input.get("tty") == Some(&Value::Bool(true)) {
        interactive::terminal(&mut look, input);
    }
    look.actions
}

/// Text that is typed into a program which runs. What the program makes of it cannot be seen: a person
/// is asked, unless it is refused as a command. Keys and short answers such as `y` pass.
fn typed(look: &mut ShellAnalyzer<'_>, input: &Value) {
    const ANSWERS: [&str; 2] = ["exit", "quit"];
    let text = input.get("chars").or_else(|| input.get("input")).and_then(Value::as_str);
    let text: String = text.unwrap_or_default().chars().filter(|it| !it.is_control()).collect();
    let text = text.trim();
    if text.chars().count() <= 3 || ANSWERS.contains(&text) {
        return;
    }
    let mut action = Action::on(text);
    action.meet(ShellInteractive);
    look.actions.push(action);
}

fn unreadable() -> Action {
    let mut action = Action::default();
    action.meet(ToolUnreadable);
    action
}

fn scan(text: &str, actions: &mut Vec<Action>) {
    if let Some(hit) = secret::scan(text.as_bytes()).first() {
        let mut action = Action::on(hit.kind);
        action.meet(SecretContent);
        actions.push(action);
    }
}

/// The files that a tool names by their keys, and the texts it puts into them.
fn files(zones: &PathZones, input: &Value, access: Access) -> Vec<Action> {
    let mut paths = Vec::new();
    let mut texts = Vec::new();
    visit(input, "", 0, &mut |key, text| {
        if is_path_key(key) {
            paths.push(text.to_owned());
        } else if !key.starts_with("old")
            && !matches!(key, "pattern" | "description" | "instruction")
        {
            texts.push(text.to_owned());
        }
    });
    let mut action = Action::on(paths.first().map(String::as_str).unwrap_or_default());
    // A search without a path looks through the project.
    if paths.is_empty() && (access != Access::Read || !has_key(input, "pattern")) {
        action.meet(ToolUnreadable);
    }
    for path in paths.iter().flat_map(|it| alternatives(it)) {
        touch(zones, &path, access, &mut action);
    }
    let mut actions = Vec::new();
    if access != Access::Read {
        contents(&texts, &mut action);
        actions.extend(paths.iter().flat_map(|it| content::judge(zones, it, &texts)));
    }
    actions.insert(0, action);
    actions
}

fn contents(texts: &[String], action: &mut Action) {
    let hit = texts.iter().find_map(|it| secret::scan(it.as_bytes()).into_iter().next());
    if let Some(hit) = hit {
        action.meet_with(SecretContent, hit.kind);
    }
}

/// How many names one pattern is written out into.
const MAX_ALTERNATIVES: usize = 64;

/// The names that a pattern such as `{.env,x}` stands for, and the pattern itself.
fn alternatives(path: &str) -> Vec<String> {
    let mut found = vec![path.to_owned()];
    let mut at = 0;
    while let Some(open) = found.get(at).cloned().filter(|_| found.len() < MAX_ALTERNATIVES) {
        at += 1;
        let Some((before, rest)) = open.rsplit_once('{') else { continue };
        let Some((inner, after)) = rest.split_once('}') else { continue };
        found.extend(inner.split(',').map(|it| format!("{before}{it}{after}")));
    }
    found
}

/// A pattern of a tool with marks, `[…]` among them.
fn pattern(path: &str) -> String {
    let marked = marked(path);
    let mut clean = String::with_capacity(marked.len());
    let mut rest = marked.as_str();
    while let Some((before, set)) = rest.split_once('[') {
        let Some((_, after)) = set.split_once(']') else { break };
        clean.push_str(before);
        clean.push(ONE);
        rest = after;
    }
    clean + rest
}

/// Notes what one path of a tool meets.
fn touch(zones: &PathZones, path: &str, access: Access, action: &mut Action) {
    let marked = pattern(path);
    let spelled = if access == Access::Read { &marked } else { path };
    let target = zones.target_of(path);
    let target = if access == Access::Delete { target } else { zones.through(target) };
    action.touch(target.path.clone(), access);
    let protected = zones
        .protects(&target.path, access)
        .or_else(|| zones.protects(&spelled.replace('\\', "/"), access))
        .or_else(|| zones.protects_below(&target.path).filter(|_| access == Access::Delete));
    if let Some(rule) = protected {
        action.meet_with(rule, path);
    }
    if let Some(rule) = misplaced(zones, &target.path, access) {
        action.meet_with(rule, path);
    }
}

fn misplaced(zones: &PathZones, path: &str, access: Access) -> Option<BuiltIn> {
    let (system, outside) = match access {
        Access::Read => return None,
        Access::Write => (PathSystem, PathOutside),
        Access::Delete => (DeleteSystem, DeleteOutside),
    };
    match zones.zone(path) {
        Zone::Device => Some(SystemDevice),
        Zone::System => Some(system),
        Zone::Outside if zones.is_own_of_client(path) => None,
        Zone::Outside => Some(outside),
        Zone::Whole if access == Access::Delete => Some(DeleteRoot),
        Zone::Whole | Zone::Inside | Zone::Temporary | Zone::Pseudo => None,
    }
}

fn patched(zones: &PathZones, input: &Value) -> Vec<Action> {
    let mut whole = String::new();
    visit(input, "", 0, &mut |_, text| {
        whole.push_str(text);
        whole.push('\n');
    });
    let changes = patch::changes(&whole);
    let added = [patch::added(&whole)];
    let written = changes.iter().filter(|it| !it.deletes);
    let mut actions = vec![patch_action(zones, &whole)];
    actions.extend(written.flat_map(|it| content::judge(zones, &it.path, &added)));
    actions
}

/// What a patch does.
pub(super) fn patch_action(zones: &PathZones, text: &str) -> Action {
    let changes = patch::changes(text);
    let first = changes.first().map(|it| it.path.as_str()).unwrap_or_default();
    let mut action = Action::on(first);
    if changes.is_empty() {
        action.meet(ToolUnreadable);
    }
    for change in &changes {
        let access = if change.deletes { Access::Delete } else { Access::Write };
        touch(zones, &change.path, access, &mut action);
    }
    contents(&[patch::added(text)], &mut action);
    action
}

fn web(zones: &PathZones, tool: &Tool, input: &Value) -> Action {
    let mut action = Action::default();
    let mut texts = Vec::new();
    visit(input, "", 0, &mut |key, text| {
        // What is searched for is a text; what is fetched need not say `http://`.
        let is_fetched = tool.name.contains("fetch") || is_address_key(key);
        for word in text.split(|it: char| it.is_whitespace() || "<>()\"'`,".contains(it)) {
            if let Some(path) = file_of(word) {
                touch(zones, &path, Access::Read, &mut action);
            }
            action.hosts.extend(host_of(word));
            action.hosts.extend(bare_metadata_host(word).filter(|_| is_fetched));
        }
        if action.subject.is_empty() {
            action.subject = text.into();
        }
        texts.push(text.to_owned());
    });
    contents(&texts, &mut action);
    if action.hosts.iter().any(|it| is_metadata(it)) {
        action.meet(HostMetadata);
    }
    if texts.iter().any(|it| it.contains("://") && shows_key(it)) {
        action.meet(NetworkSend);
    }
    action
}

/// The path in `file:///x`, in any case and with any number of slashes.
fn file_of(address: &str) -> Option<String> {
    let address = address.strip_prefix("view-source:").unwrap_or(address);
    let (scheme, rest) = address.split_once(':')?;
    let path = rest.strip_prefix("//localhost").unwrap_or(rest);
    let is_file = scheme.eq_ignore_ascii_case("file");
    is_file.then(|| format!("/{}", unescaped(path).trim_start_matches('/')))
}

/// An unknown tool: recorded, and refused where it names what is protected.
fn unknown(zones: &PathZones, tool: &Tool, input: &Value) -> Vec<Action> {
    let mut action = Action::on(&tool.name);
    action.meet(ToolUnknown);
    let mut look = ShellAnalyzer::new(zones);
    ToolCommands { look: &mut look, tool: &tool.name, from: &zones.directory }.by_unknown(input);
    let access = guessed_access(&tool.name);
    let mut texts = Vec::new();
    visit(input, "", 0, &mut |key, text| {
        action.hosts.extend(host_of(text));
        action.hosts.extend(bare_metadata_host(text).filter(|_| is_address_key(key)));
        let file = file_of(text);
        let is_path = text.len() < 4096 && !text.contains('\n') && !text.contains("://");
        if is_path || file.is_some() {
            let target = zones.target_of(file.as_deref().unwrap_or(text));
            if let Some(rule) = zones.protects(&target.path, Access::Write) {
                action.meet_with(rule, text);
            }
            // Whether another text is a path is a guess.
            let is_named = is_path_key(key) || file.is_some() || text.starts_with(['/', '~']);
            let misplaced = misplaced(zones, &target.path, access).filter(|_| is_named);
            if let Some(rule) = misplaced {
                action.meet_with(rule, text);
            }
            action.touch(target.path, access);
        }
        texts.push(text.to_owned());
    });
    contents(&texts, &mut action);
    if action.hosts.iter().any(|it| is_metadata(it)) {
        action.meet(HostMetadata);
    }
    action.meet_any(far::reaching(&tool.name, input, &texts));
    let mut actions = vec![action];
    actions.append(&mut look.actions);
    actions
}

/// What an unknown tool does to a path, by its name.
fn guessed_access(tool: &str) -> Access {
    let verb = tool.rsplit("__").next().unwrap_or_default();
    let is = |words: &[&str]| words.iter().any(|it| verb.contains(it));
    if is(&["delete", "remove", "rmdir", "unlink", "trash"]) || verb == "rm" {
        Access::Delete
    } else if is(&["append", "copy", "create", "edit", "mkdir", "move", "save", "write"]) {
        Access::Write
    } else {
        Access::Read
    }
}

fn is_address_key(key: &str) -> bool {
    matches!(key, "address" | "endpoint" | "host" | "hostname" | "uri" | "uris" | "url" | "urls")
}

fn is_path_key(key: &str) -> bool {
    matches!(
        key,
        "filepath"
            | "path"
            | "paths"
            | "absolutepath"
            | "notebookpath"
            | "dirpath"
            | "file"
            | "files"
            | "targetfile"
            | "targetdirectory"
            | "uri"
            | "include"
            | "glob"
            | "source"
            | "destination"
            | "filename"
            | "newpath"
            | "oldpath"
            | "relativeworkspacepath"
    )
}

fn has_key(input: &Value, wanted: &str) -> bool {
    input.get(wanted).is_some()
}

/// How deep an input is looked into; the parser of payloads allows no more.
const MAX_DEPTH: usize = 128;

/// Calls `each` for every text in an input, with its key in lower case and without `_`.
fn visit(value: &Value, key: &str, depth: usize, each: &mut impl FnMut(&str, &str)) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::String(text) => each(key, text),
        Value::Array(list) => list.iter().for_each(|it| visit(it, key, depth + 1, each)),
        Value::Object(map) => {
            for (key, value) in map {
                let key = key.to_lowercase().replace(['_', '-'], "");
                visit(value, &key, depth + 1, each);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
