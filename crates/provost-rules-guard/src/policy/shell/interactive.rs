//! Interpreters and consoles that wait for input: what is typed there later, the guard does not see.

use provost_shell::{Invocation, Script};
use serde_json::Value;

use super::{
    super::{
        action::Action,
        arguments::{Arguments, program},
        builtin::BuiltIn::ShellInteractive,
    },
    ShellAnalyzer,
};

/// Interpreters that `-i` keeps waiting, and that wait by themselves at a terminal.
const INTERPRETERS: [&str; 14] = [
    "bash", "bun", "dash", "deno", "fish", "irb", "ksh", "lua", "node", "php", "pwsh", "python",
    "ruby", "zsh",
];

/// Consoles of other systems that wait for input at a terminal.
const CONSOLES: [&str; 14] = [
    "clickhouse-client",
    "ftp",
    "gdb",
    "ghci",
    "mongosh",
    "mysql",
    "psql",
    "rails",
    "redis-cli",
    "sftp",
    "sqlite3",
    "ssh",
    "telnet",
    "duckdb",
];

/// Notes an interpreter that is told to wait for input.
pub(super) fn judge(look: &mut ShellAnalyzer<'_>, script: &Script) {
    for it in &script.invocations {
        let arguments = Arguments::of(it);
        let waits = arguments.words().iter().take_while(|it| is_option(it.text()));
        let is_told =
            waits.filter_map(|it| it.text()).any(|it| it == "-i" || it == "--interactive");
        let name = program(it).unwrap_or_default();
        let is_irb = name == "irb" || arguments.words().iter().any(|it| it.text() == Some("irb"));
        if is_one(&name, &INTERPRETERS) && (is_told || is_irb) {
            note(look, it);
        }
    }
}

/// Notes a program that waits for input at the terminal which a tool opens for it.
pub(in super::super) fn terminal(look: &mut ShellAnalyzer<'_>, input: &Value) {
    let text = ["cmd", "command"].iter().find_map(|it| input.get(*it)?.as_str());
    let Some(text) = text else { return };
    for it in &provost_shell::parse(text).invocations {
        let name = program(it).unwrap_or_default();
        let arguments = Arguments::of(it);
        let is_bare = arguments.operands().next().is_none() && it.inline.is_none();
        let is_console = is_one(&name, &CONSOLES) && it.redirects.is_empty();
        if (is_one(&name, &INTERPRETERS) && is_bare) || is_console {
            note(look, it);
        }
    }
}

fn note(look: &mut ShellAnalyzer<'_>, invocation: &Invocation) {
    let mut action = Action::on(&invocation.shown());
    action.meet(ShellInteractive);
    look.actions.push(action);
}

fn is_option(text: Option<&str>) -> bool {
    text.is_some_and(|it| it.starts_with('-'))
}

/// Whether a name is one of a list, with a version or without: `python3.12`.
fn is_one(name: &str, names: &[&str]) -> bool {
    let plain = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    names.contains(&name) || names.contains(&plain)
}
