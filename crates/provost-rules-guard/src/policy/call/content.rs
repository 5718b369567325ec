//! Files that run by themselves: when a package is installed, a folder opened, a branch pushed.
//!
//! Whoever writes such a file has its commands run by somebody else later, so they are judged where
//! they are written. What a person wants to have in them is wide; only what takes data away, runs
//! what it fetches or decodes, or empties a home is refused. Other files may say what they like.

use provost_kernel::guard::policy::Effect;
use serde_json::Value;

use super::{
    super::{
        action::{Action, Found},
        builtin::BuiltIn::{
            self, AgentUnguarded, CodeDecoded, CodeDownloaded, DeleteOutside, DeleteRoot,
            DeleteSystem, HostMetadata, NetworkRaw, NetworkSend, ProvostCommand, SystemDevice,
            SystemDisk, SystemForkBomb, ToolUnreadable,
        },
        path_zones::PathZones,
        shell::ShellAnalyzer,
    },
    patch_action,
    tool_commands::ToolCommands,
};
use crate::scan::{self, Source};

/// What a file is to those who run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A file whose commands the scan of a repository finds.
    Scanned(Source),
    /// A configuration with commands in it.
    Json,
    /// A notebook, or one cell of it.
    Notebook,
    /// A program that a tool starts by itself.
    Program,
}

/// Configurations with commands in them, by the end of their path.
const CONFIGURATIONS: [&str; 12] = [
    ".devcontainer.json",
    ".devcontainer/devcontainer.json",
    ".lintstagedrc",
    ".lintstagedrc.json",
    ".mcp.json",
    ".vscode/mcp.json",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    "composer.json",
    "deno.json",
    "mcp.json",
    "nodemon.json",
];

/// Programs that a tool starts by itself.
const PROGRAMS: [&str; 8] = [
    "build.rs",
    "conftest.py",
    "gemfile",
    "rakefile",
    "setup.py",
    "sitecustomize.py",
    "usercustomize.py",
    "vagrantfile",
];

/// Folders of hooks, and startup files of shells.
const HOOKS: [&str; 4] = [".githooks/", ".husky/", "git-hooks/", ".devcontainer/"];
const STARTUP: [&str; 8] = [
    ".bash_profile",
    ".bashrc",
    ".envrc",
    ".profile",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    ".xprofile",
];

/// What counts in every such file.
const GRAVE: [BuiltIn; 12] = [
    AgentUnguarded,
    CodeDecoded,
    CodeDownloaded,
    DeleteRoot,
    DeleteSystem,
    HostMetadata,
    NetworkRaw,
    NetworkSend,
    ProvostCommand,
    SystemDevice,
    SystemDisk,
    SystemForkBomb,
];

/// What counts where the machine is thrown away afterwards: what leaves it.
const LEAVING: [BuiltIn; 2] = [NetworkRaw, NetworkSend];

/// Judges what is put into a file that runs by itself.
pub(in super::super) fn judge(zones: &PathZones, path: &str, texts: &[String]) -> Vec<Action> {
    let lowered = path.replace('\\', "/").to_ascii_lowercase();
    if is_patch(&lowered) {
        return patched(zones, texts);
    }
    let Some(kind) = kind(&lowered) else { return Vec::new() };
    let mut look = ShellAnalyzer::new(zones);
    for text in texts {
        read(&mut look, kind, &lowered, text);
    }
    let is_hosted =
        matches!(kind, Kind::Scanned(Source::Workflow | Source::Action | Source::GitLab));
    let mut actions = std::mem::take(&mut look.actions);
    for action in &mut actions {
        action.found.retain(|it| if is_hosted { LEAVING.contains(&it.rule) } else { is_grave(it) });
        action.paths.clear();
        action.words.clear();
    }
    actions.retain(|it| !it.found.is_empty());
    actions
}

/// Whether a file is one that is applied later.
pub(in super::super) fn is_patch(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| matches!(end, "diff" | "patch"))
}

/// What a patch would do to what is protected, once it is applied.
pub(in super::super) fn patched(zones: &PathZones, texts: &[String]) -> Vec<Action> {
    let is_refused = |it: &Found| it.rule.effect() == Effect::Deny && it.rule != ToolUnreadable;
    let action = |it: &String| {
        let mut action = patch_action(zones, it);
        action.found.retain(is_refused);
        action.paths.clear();
        action
    };
    texts.iter().map(action).filter(|it| !it.found.is_empty()).collect()
}

fn is_grave(found: &Found) -> bool {
    let says = |words: &[&str]| words.iter().any(|it| found.subject.contains(it));
    // A cache in the home is cleaned by many scripts.
    let is_home = found.rule == DeleteOutside && says(&["~", "HOME", "/home/", "/Users/"]);
    (GRAVE.contains(&found.rule) && found.rule.effect() >= Effect::Ask)
        || (is_home && !says(&["cache", "Cache", "/tmp"]))
}

fn kind(path: &str) -> Option<Kind> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_hook = HOOKS.iter().any(|it| path.starts_with(it) || path.contains(&format!("/{it}")));
    let is_in = |it: &str| path == it || path.ends_with(&format!("/{it}"));
    let has_end = |it: &str| name.rsplit_once('.').is_some_and(|(_, end)| end == it);
    if has_end("ipynb") {
        return Some(Kind::Notebook);
    }
    if CONFIGURATIONS.iter().any(|it| is_in(it)) {
        return Some(Kind::Json);
    }
    if STARTUP.contains(&name) || (is_hook && !has_end("json") && !has_end("md")) {
        return Some(Kind::Scanned(Source::Script));
    }
    if PROGRAMS.contains(&name) {
        return Some(Kind::Program);
    }
    match Source::of_name(path) {
        // An image is built on purpose, and a script is started on purpose.
        Some(Source::Dockerfile | Source::Script) | None => None,
        Some(source) => Some(Kind::Scanned(source)),
    }
}

/// Looks at one text: a whole file, or the part of it that is new.
fn read(look: &mut ShellAnalyzer<'_>, kind: Kind, path: &str, text: &str) {
    match kind {
        Kind::Scanned(Source::Script) => look.suspect(text),
        Kind::Scanned(source) => {
            let commands = scan::texts(source, path, text);
            if commands.is_empty() {
                fragment(look, text);
            }
            for it in commands {
                look.suspect(&it);
            }
            // All secrets at once are meant for somebody else.
            let sends = ["curl", "wget", "nc ", "http"].iter().any(|it| text.contains(it));
            let is_all = text.replace(' ', "").to_ascii_lowercase().contains("tojson(secrets)");
            if sends && is_all {
                let mut action = Action::on("toJSON(secrets)");
                action.meet(NetworkSend);
                look.actions.push(action);
            }
        }
        Kind::Json => match serde_json::from_str::<Value>(text) {
            Ok(value) => {
                let from = look.zones.directory.clone();
                ToolCommands { look, tool: "", from: &from }.by_unknown(&value);
            }
            Err(_) => fragment(look, text),
        },
        Kind::Notebook => notebook(look, text),
        Kind::Program => look.suspect_code_in(path, text),
    }
}

/// A part of a file: what stands in quotes, behind a colon, or on a line by itself.
fn fragment(look: &mut ShellAnalyzer<'_>, text: &str) {
    look.suspect_code(text);
}

/// The cells of a notebook: lines that begin with `!`, and cells that are scripts.
fn notebook(look: &mut ShellAnalyzer<'_>, text: &str) {
    let whole = serde_json::from_str::<Value>(text).ok();
    let cells = whole.as_ref().and_then(|it| it.get("cells")?.as_array());
    let sources: Vec<String> = match cells {
        Some(cells) => cells.iter().filter_map(|it| it.get("source")).map(joined).collect(),
        None => vec![text.to_owned()],
    };
    for source in sources {
        let (first, rest) = source.split_once('\n').unwrap_or((&source, ""));
        let is_script =
            ["%%bash", "%%script", "%%sh", "%%!"].iter().any(|it| first.starts_with(it));
        if is_script {
            look.suspect(rest);
            continue;
        }
        let magic = |it: &str| {
            let line = it.trim_start();
            ["!!", "!", "%sx ", "%system ", "%%system "]
                .iter()
                .find_map(|start| line.strip_prefix(start))
                .map(str::to_owned)
        };
        source.lines().filter_map(magic).for_each(|it| look.suspect(&it));
        let code: Vec<&str> = source.lines().filter(|it| magic(it).is_none()).collect();
        look.suspect_code_in("cell.py", &code.join("\n"));
    }
}

/// A text that may be a list of lines.
fn joined(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}
