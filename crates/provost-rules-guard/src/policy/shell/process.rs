//! Processes that are ended, variables that steer provost, and orders that are given to it.

use provost_kernel::guard::{Harness, client::AgentProgram};
use provost_shell::{Hole, Invocation, Join, Part as Piece, Place, Script, Word};

use super::{
    super::{
        action::Action,
        arguments::{Arguments, lead, program},
        builtin::BuiltIn::{
            AgentUnguarded, ProvostCommand, ProvostOrder, ProvostProcess, ShellDynamic, Sudo,
            SystemForkBomb, SystemKillAll, SystemPower,
        },
    },
    Part, ShellAnalyzer,
};

/// What an agent may ask provost, since it changes nothing.
const QUESTIONS: [&str; 14] = [
    "--help",
    "--version",
    "-V",
    "-h",
    "audit",
    "check",
    "completions",
    "doctor",
    "eval",
    "help",
    "list",
    "ls",
    "show",
    "status",
];

/// What only a person may tell provost.
const ORDERS: [&str; 9] =
    ["accept", "approve", "edit", "land", "override", "reindex", "reject", "reset", "review"];

/// What an agent says and asks about its story.
const STORY_TOOLS: [&str; 6] = ["declare", "get", "prompt", "status", "update", "verify"];

/// Options of provost itself that take the next word.
const VALUED: [&str; 2] = ["--home", "--lang"];
/// Options of provost that take none.
const FLAGS: [&str; 7] = ["--json", "--quiet", "-q", "--help", "-h", "--version", "-V"];

/// Judges a package that a runner such as `npx` starts, named by one of its first words.
pub(super) fn packaged(words: &[Word], action: &mut Action) {
    for (at, word) in words.iter().enumerate().take(4) {
        let text = lead(word);
        // `name@1.2.3`: the sign at the beginning is a part of the name.
        let end = text.char_indices().skip(1).find(|(_, it)| *it == '@').map(|(at, _)| at);
        let package = end.and_then(|it| text.get(..it)).unwrap_or(text);
        let rest = || Arguments::new(words.get(at + 1..).unwrap_or_default());
        let brings = |it: &AgentProgram| it.name == package || it.packages.contains(&package);
        if package == "provost" {
            return provost(rest(), action);
        }
        if let Some(client) = agents().find(|it| brings(it)) {
            return agent(client, rest(), action);
        }
    }
}

/// The clients, as programs that an agent may start.
fn agents() -> impl Iterator<Item = &'static AgentProgram> {
    Harness::entries().map(|it| &it.agent)
}

/// The client that is a program of this name.
pub(super) fn agent_named(name: &str) -> Option<&'static AgentProgram> {
    agents().find(|it| it.name == name)
}

/// Judges the switches of a client. One that gives up the protection of any client counts for all.
pub(super) fn agent(client: &AgentProgram, arguments: Arguments<'_>, action: &mut Action) {
    let texts: Vec<String> =
        arguments.words().iter().map(|it| it.to_string().to_ascii_lowercase()).collect();
    let is_switch = |it: &str| {
        let given = it.split('=').next().unwrap_or_default();
        given == "--unguarded"
            || client.unguarded_here.contains(&given)
            || agents().any(|it| it.unguarded.contains(&given))
    };
    // A value that is written apart is joined to its option; a prompt has blanks.
    let joined = texts.iter().zip(texts.iter().skip(1)).map(|(one, two)| format!("{one}={two}"));
    let says = |it: &str| {
        let is_object = it.contains('{');
        (is_object || !it.contains(char::is_whitespace))
            && agents()
                .flat_map(|it| it.unguarded_values)
                .any(|value| it.replace('"', "").contains(value))
    };
    if texts.iter().any(|it| is_switch(it))
        || texts.iter().cloned().chain(joined).any(|it| says(&it))
    {
        action.meet(AgentUnguarded);
    }
}

/// Judges `kill`.
pub(super) fn kill(part: &Part<'_>, arguments: Arguments<'_>, action: &mut Action) {
    if arguments.has("-l") || arguments.has("-L") {
        return;
    }
    let texts: Vec<&str> = arguments.words().iter().map(lead).collect();
    // The first `-1` may be a signal, if something comes after it.
    let targets = match texts.as_slice() {
        [signal, rest @ ..] if signal.starts_with('-') && *signal != "--" && !rest.is_empty() => {
            let takes_value = matches!(*signal, "-s" | "-n" | "--signal");
            rest.get(usize::from(takes_value)..).unwrap_or_default()
        }
        all => all,
    };
    // `0` is the group that the agent itself may be in.
    let is_all = targets.iter().any(|it| matches!(*it, "-1" | "0" | "-0"));
    if is_all && !(texts == ["0"] && is_at_the_end(part)) {
        action.meet(SystemKillAll);
    }
    if reaches_all(part) {
        action.meet(SystemKillAll);
    }
    // The parent of the shell is the agent, with whatever it has started.
    let is_parent = |it: &Word| {
        let is_it = |it: &Piece| matches!(it, Piece::Hole { hole: Hole::Parameter(name), .. } if name == "PPID");
        it.parts().iter().any(is_it)
    };
    if arguments.words().iter().any(is_parent) {
        action.meet(SystemKillAll);
    }
    let is_open = arguments.words().iter().any(|it| it.text().is_none());
    let names_provost = part.script.invocations.iter().any(|it| {
        it.words.iter().any(|word| word.to_string().to_ascii_lowercase().contains("provost"))
    });
    if is_open && names_provost {
        action.meet(ProvostProcess);
    }
}

/// `ps -e | xargs kill`: every process that is listed, without a choice among them.
fn reaches_all(part: &Part<'_>) -> bool {
    let Some(by) = part.invocation.launched_by else { return false };
    let feeders = super::stdin::of(part.script, by).programs;
    let is_choosing = |it: &&Invocation| {
        let has_pattern = |it: &Word| it.to_string().contains('/');
        program(it).as_deref() != Some("awk") || it.arguments().iter().any(has_pattern)
    };
    let feeders = feeders.iter().filter_map(|it| part.script.invocations.get(*it));
    let names: Vec<String> = feeders.filter(is_choosing).filter_map(program).collect();
    let chooses = ["awk", "egrep", "grep", "head", "pgrep", "rg", "sed", "tail"];
    let is_choice = |it: &String| chooses.contains(&it.as_str());
    names.iter().any(|it| it == "ps") && !names.iter().any(is_choice)
}

/// Whether a `trap` runs it when its own shell ends: a script takes its children with it.
fn is_at_the_end(part: &Part<'_>) -> bool {
    let by = part.invocation.launched_by.and_then(|it| part.script.invocations.get(it));
    let Some(by) = by.filter(|it| program(it).as_deref() == Some("trap")) else { return false };
    let ends = |it: &Word| {
        let name = it.text().map(|it| it.trim_start_matches("SIG"));
        name.is_some_and(|it| matches!(it, "0" | "EXIT" | "HUP" | "INT" | "QUIT" | "TERM"))
    };
    let signals = by.arguments().get(1..).unwrap_or_default();
    !signals.is_empty() && signals.iter().all(ends)
}

/// Judges a program that ends processes by their names.
pub(super) fn by_name(name: &str, arguments: Arguments<'_>, action: &mut Action) {
    if name == "killall5" {
        action.meet(SystemKillAll);
    }
    let is_pattern = name == "pkill" || arguments.has("-r") || arguments.has_long("--regexp");
    if name == "pkill" && (arguments.has("-v") || arguments.has_long("--inverse")) {
        action.meet(SystemKillAll);
    }
    let mut reaches_provost = false;
    for word in arguments.operands() {
        match word.text() {
            Some(pattern) => {
                let plain: String = pattern
                    .chars()
                    .filter(|it| it.is_alphanumeric())
                    .collect::<String>()
                    .to_lowercase();
                // A pattern of nothing but signs fits every name.
                reaches_provost |= plain.is_empty()
                    || plain.contains("provost")
                    || "provost".contains(&plain) && plain.len() > 3
                    || is_pattern && fits_provost(pattern);
            }
            None => action.meet(ShellDynamic),
        }
    }
    let is_by_user = ["-u", "-U", "--euid", "--uid", "--user"].iter().any(|it| arguments.has(it));
    let is_by_session = ["-s", "--session", "-t", "--terminal"].iter().any(|it| arguments.has(it));
    if reaches_provost || is_by_user || (is_by_session && name == "pkill") {
        action.meet(ProvostProcess);
    }
}

/// Whether a pattern fits the name or the beginning of the command line of provost.
///
/// What cannot be read as a pattern here may still be one there.
fn fits_provost(pattern: &str) -> bool {
    let read = regex::RegexBuilder::new(pattern).case_insensitive(true).size_limit(1 << 16).build();
    let lines = ["provost", "provost hook", "/usr/local/bin/provost hook"];
    read.map_or(true, |it| lines.iter().any(|line| it.is_match(line)))
}

/// Judges a program that starts and stops services.
pub(super) fn service(arguments: Arguments<'_>, action: &mut Action) {
    if matches!(
        arguments.first(),
        Some(
            "poweroff"
                | "reboot"
                | "halt"
                | "kexec"
                | "suspend"
                | "hibernate"
                | "rescue"
                | "emergency"
        )
    ) {
        action.meet(SystemPower);
    }
    if arguments.words().iter().any(|it| it.to_string().contains("provost")) {
        action.meet(ProvostProcess);
    }
}

pub(super) fn provost(arguments: Arguments<'_>, action: &mut Action) {
    let mut rest = arguments;
    loop {
        order(rest, action);
        // The value of an option in front is not an order; after an unknown option it may be.
        let front = rest.words().iter().position(|it| !FLAGS.contains(&lead(it)));
        let Some(at) = front else { break };
        let option = rest.words().get(at).map(lead).unwrap_or_default();
        let is_option = option.starts_with('-') && option != "--" && !option.contains('=');
        if !is_option {
            break;
        }
        rest = Arguments::new(rest.words().get(at + 2..).unwrap_or_default());
    }
    if arguments.has("--unguarded") {
        action.meet(AgentUnguarded);
    }
}

/// Judges the first operand as the order. What is known to be the value of an option is none.
fn order(arguments: Arguments<'_>, action: &mut Action) {
    let in_front = arguments.words().iter().map(lead).find(|it| !FLAGS.contains(it));
    if in_front.is_some_and(|it| VALUED.contains(&it)) {
        return;
    }
    let first = arguments.first();
    let second = first.and_then(|it| arguments.after(it).first());
    match (first, second) {
        (None, _) if arguments.words().iter().any(|it| it.text().is_none()) => {
            action.meet(ShellDynamic);
        }
        (None, _)
        | (Some("guard"), Some("explain" | "log" | "modes" | "status" | "statusline" | "test")) => {
        }
        (Some("guard" | "hook"), _)
        | (Some("audit"), Some("restart"))
        | (Some("story"), Some("import" | "rebase" | "stop" | "waive")) => {
            action.meet(ProvostCommand);
        }
        (Some("story"), Some(tool)) if STORY_TOOLS.contains(&tool) => {}
        (Some("doctor"), _) if arguments.has_long("--fix") => action.meet(ProvostCommand),
        (Some(order), _) if ORDERS.contains(&order) => action.meet(ProvostCommand),
        (Some(question), _) if QUESTIONS.contains(&question) => {}
        (Some(_), _) => action.meet(ProvostOrder),
    }
}

/// Programs that start another as somebody else, or inside what belongs to somebody else.
///
/// They need those rights and so do not gain them, but a folder or a rule of the guard means
/// nothing any more on the other side.
pub(super) fn rights(part: &Part<'_>, action: &mut Action) {
    let arguments = Arguments::of(part.invocation);
    let has_any =
        |names: &[&str]| names.iter().any(|it| arguments.has(it) || arguments.has_long(it));
    let gains = match program(part.invocation).as_deref() {
        Some("gosu" | "setuidgid" | "su-exec") => arguments.operands().nth(1).is_some(),
        Some("chpst") => arguments.has_letter("uU"),
        Some("setpriv") => has_any(&["--reuid", "--regid", "--ruid", "--euid", "--rgid", "--egid"]),
        Some("nsenter") => has_any(&["-t", "--target", "-a", "--all"]) || arguments.has_letter("t"),
        Some("machinectl") => matches!(arguments.first(), Some("shell" | "login")),
        _ => false,
    };
    if gains {
        action.meet(Sudo);
    }
}

/// A function that pipes into itself has no end.
pub(super) fn fork_bomb(look: &mut ShellAnalyzer<'_>, script: &Script) {
    let is_inner = |it: Place| matches!(it, Place::Function | Place::Group | Place::Subshell);
    let all = &script.invocations;
    let mut pairs = all.iter().zip(all.iter().skip(1));
    let bomb = pairs.find(|(one, two)| {
        let is_pair = one.words == two.words && one.words.len() == 1 && two.join == Join::Pipe;
        let is_started = all.iter().filter(|it| it.words == one.words).count() > 2;
        is_inner(one.place) && is_inner(two.place) && is_pair && is_started
    });
    if let Some((one, _)) = bomb {
        let mut action = Action::on(&one.shown());
        action.meet(SystemForkBomb);
        look.actions.push(action);
    }
}
