//! Variables that steer provost, a client, or what a program loads before it begins.

use provost_shell::{Assignment, Word};

use super::{
    super::{
        action::Action,
        arguments::{Arguments, lead, program},
        builtin::BuiltIn::{AgentUnguarded, PackageForeign, ProvostVariable, ShellDynamic},
    },
    Part, packages, process,
};

/// What these name runs inside every program that comes after.
const SLIPS_IN: [&str; 8] = [
    "BASH_ENV",
    "DYLD_INSERT_LIBRARIES",
    "LD_AUDIT",
    "LD_PRELOAD",
    "LESSOPEN",
    "PROMPT_COMMAND",
    "PYTHONSTARTUP",
    "RUSTC_WRAPPER",
];

/// Variables whose value is options of an interpreter, and the options that load code.
const OPTIONS: [(&str, &[&str]); 5] = [
    ("JAVA_TOOL_OPTIONS", &["-agent", "-javaagent"]),
    ("NODE_OPTIONS", &["--experimental-loader", "--import", "--loader", "--require", "-r "]),
    ("PERL5OPT", &["-I", "-M", "-d"]),
    ("RUBYOPT", &["-I", "-r"]),
    ("_JAVA_OPTIONS", &["-agent", "-javaagent"]),
];

/// Variables that name folders or files of code; usual within a project, not in a temporary folder.
const FOLDERS: [&str; 6] = ["CLASSPATH", "ENV", "NODE_PATH", "PERL5LIB", "PYTHONPATH", "RUBYLIB"];

/// Where a client looks for its settings, and so for the guard.
const OF_CLIENTS: [&str; 8] = [
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "HOME",
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_DIR",
    "USERPROFILE",
    "XDG_CONFIG_HOME",
];

/// Programs that set variables, or take them away.
const TAKERS: [&str; 9] =
    ["declare", "env", "export", "local", "readonly", "set", "setenv", "typeset", "unset"];

/// Notes variables that steer, set before a program or by it.
pub(super) fn judge(part: &Part<'_>, action: &mut Action) {
    let name = program(part.invocation).unwrap_or_default();
    let assigned = &part.invocation.assignments;
    if assigned.iter().any(slips_in) {
        action.meet(ShellDynamic);
    }
    if assigned.iter().any(packages::sourced) {
        action.meet(PackageForeign);
    }
    let redirects = |it: &Assignment| OF_CLIENTS.contains(&it.name.as_str());
    let is_client = process::agent_named(&name).is_some();
    if is_client && (assigned.iter().any(redirects) || was_redirected(part)) {
        action.meet(AgentUnguarded);
    }
    let takes = TAKERS.contains(&name.as_str());
    let sets = |it: &str| {
        let (name, value) = it.split_once('=').unwrap_or((it, ""));
        takes.then(|| Assignment { name: name.to_owned(), value: Word::of_text(value) })
    };
    let reads = match name.as_str() {
        "read" | "mapfile" | "readarray" => true,
        "printf" => Arguments::of(part.invocation).has("-v"),
        _ => false,
    };
    let names = part.invocation.arguments().iter().any(|it| {
        let text = lead(it);
        let bare = text.trim_start_matches("--unset=").trim_start_matches("-u");
        let name = bare.split('=').next().unwrap_or_default();
        if let Some(assignment) = sets(bare) {
            action.meet_any(slips_in(&assignment).then_some(ShellDynamic));
            action.meet_any(packages::sourced(&assignment).then_some(PackageForeign));
        }
        steers(name)
    });
    if assigned.iter().any(|it| steers(&it.name)) || ((takes || reads) && names) {
        action.meet(ProvostVariable);
    }
}

/// Whether the line has set one of the variables by which a client finds its settings.
fn was_redirected(part: &Part<'_>) -> bool {
    let before = part.script.invocations.iter().take(part.index);
    let sets = |it: &str| it.split_once('=').is_some_and(|(name, _)| OF_CLIENTS.contains(&name));
    before.into_iter().any(|it| {
        let is_bare = it.words.is_empty() && it.launched_by.is_none();
        let is_set = it.assignments.iter().any(|it| OF_CLIENTS.contains(&it.name.as_str()));
        let exports = program(it).is_some_and(|it| TAKERS.contains(&it.as_str()));
        (is_bare && is_set) || (exports && it.arguments().iter().map(lead).any(sets))
    })
}

fn steers(name: &str) -> bool {
    (name.starts_with("PROVOST_") || name.starts_with("RDLOOP_")) && name != "PROVOST_LANG"
}

fn slips_in(assignment: &Assignment) -> bool {
    let name = assignment.name.as_str();
    let value = assignment.value.to_string();
    let loads = OPTIONS.iter().find(|(it, _)| *it == name).is_some_and(|(_, options)| {
        options
            .iter()
            .any(|it| value.trim_start().starts_with(it) || value.contains(&format!(" {it}")))
    });
    let is_temporary =
        |it: &str| ["/dev/shm", "/tmp", "/var/tmp"].iter().any(|folder| it.starts_with(folder));
    let is_away = FOLDERS.contains(&name) && value.split(':').any(is_temporary);
    // Whatever stands in it is expanded before each line that is traced.
    let is_trace = name == "PS4" && (value.contains("$(") || value.contains('`'));
    SLIPS_IN.contains(&name) || name.starts_with("GIT_CONFIG_") || loads || is_away || is_trace
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_loaded_before_a_program_begins_is_asked_about() {
        for (name, value, expected) in [
            ("NODE_OPTIONS", "--max-old-space-size=4096", false),
            ("NODE_OPTIONS", "--require /tmp/r.js", true),
            ("NODE_OPTIONS", "--trace-warnings --import data:text/javascript,x", true),
            ("PYTHONPATH", "src", false),
            ("PYTHONPATH", "/tmp/pp", true),
            ("PERL5OPT", "-ME", true),
            ("RUBYOPT", "-W0", false),
            ("ENV", "production", false),
            ("ENV", "/tmp/rc", true),
            ("PS4", "+ $(date) ", true),
            ("PS4", "+ ", false),
            ("LD_PRELOAD", "x.so", true),
            ("CI", "true", false),
        ] {
            let given = Assignment { name: name.to_owned(), value: Word::of_text(value) };
            assert_eq!(slips_in(&given), expected, "{name}={value}");
        }
    }
}
