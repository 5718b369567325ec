//! Processes that are ended, variables that steer provost, and orders that are given to it.

use super::{
    super::{
        act::Act,
        arguments::{Arguments, lead, program},
        builtin::{
            AGENT_UNGUARDED, PROVOST_COMMAND, PROVOST_ORDER, PROVOST_PROCESS, PROVOST_VARIABLE,
            SHELL_DYNAMIC, SYSTEM_FORK_BOMB, SYSTEM_KILL_ALL, SYSTEM_POWER,
        },
    },
    Look, Part,
};
use crate::command::{Join, Place, Script};

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
const ORDERS: [&str; 5] = ["approve", "reject", "edit", "reset", "override"];

/// Switches by which an agent gives up its own protection.
const UNGUARDED: [&str; 6] = [
    "--dangerously-bypass-approvals-and-sandbox",
    "--dangerously-bypass-hook-trust",
    "--dangerously-skip-permissions",
    "--yolo",
    "--full-auto",
    "--unguarded",
];

/// Judges programs that end processes, and provost itself.
pub(super) fn judge(part: &Part<'_>, name: &str, act: &mut Act) {
    let arguments = Arguments::of(part.invocation);
    match name {
        "kill" => kill(part, arguments, act),
        "pkill" | "killall" | "killall5" | "taskkill" => by_name(name, arguments, act),
        "systemctl" | "service" | "launchctl" => service(arguments, act),
        "provost" => provost(arguments, act),
        _ => {
            if UNGUARDED.iter().any(|it| arguments.has(it)) {
                act.meet(&AGENT_UNGUARDED);
            }
        }
    }
}

fn kill(part: &Part<'_>, arguments: Arguments<'_>, act: &mut Act) {
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
    if targets.contains(&"-1") {
        act.meet(&SYSTEM_KILL_ALL);
    }
    let is_open = arguments.words().iter().any(|it| it.text().is_none());
    let names_provost = part.script.invocations.iter().any(|it| {
        it.words.iter().any(|word| word.to_string().to_ascii_lowercase().contains("provost"))
    });
    if is_open && names_provost {
        act.meet(&PROVOST_PROCESS);
    }
}

fn by_name(name: &str, arguments: Arguments<'_>, act: &mut Act) {
    if name == "killall5" {
        act.meet(&SYSTEM_KILL_ALL);
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
                    || "provost".contains(&plain) && plain.len() > 3;
            }
            None => act.meet(&SHELL_DYNAMIC),
        }
    }
    let is_by_user = ["-u", "-U", "--euid", "--uid", "--user"].iter().any(|it| arguments.has(it));
    if reaches_provost || is_by_user {
        act.meet(&PROVOST_PROCESS);
    }
}

fn service(arguments: Arguments<'_>, act: &mut Act) {
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
        act.meet(&SYSTEM_POWER);
    }
    if arguments.words().iter().any(|it| it.to_string().contains("provost")) {
        act.meet(&PROVOST_PROCESS);
    }
}

fn provost(arguments: Arguments<'_>, act: &mut Act) {
    let first = arguments.first();
    let second = first.and_then(|it| arguments.after(it).first());
    match (first, second) {
        (None, _) if arguments.words().iter().any(|it| it.text().is_none()) => {
            act.meet(&SHELL_DYNAMIC);
        }
        (None, _) | (Some("guard"), Some("explain" | "test" | "modes")) => {}
        (Some("guard" | "hook"), _) => act.meet(&PROVOST_COMMAND),
        (Some(order), _) if ORDERS.contains(&order) => act.meet(&PROVOST_COMMAND),
        (Some(question), _) if QUESTIONS.contains(&question) => {}
        (Some(_), _) => act.meet(&PROVOST_ORDER),
    }
    if arguments.has("--unguarded") {
        act.meet(&AGENT_UNGUARDED);
    }
}

/// Variables that provost is steered by, set or taken away.
pub(super) fn variables(part: &Part<'_>, act: &mut Act) {
    let steers = |name: &str| {
        (name.starts_with("PROVOST_") || name.starts_with("RDLOOP_")) && name != "PROVOST_LANG"
    };
    // What these name runs inside every program that comes after.
    let slips_in = |name: &str| {
        matches!(name, "BASH_ENV" | "DYLD_INSERT_LIBRARIES" | "LD_AUDIT" | "LD_PRELOAD")
            || name.starts_with("GIT_CONFIG_")
    };
    if part.invocation.assignments.iter().any(|it| slips_in(&it.name)) {
        act.meet(&SHELL_DYNAMIC);
    }
    let is_set = part.invocation.assignments.iter().any(|it| steers(&it.name));
    let takes = matches!(
        program(part.invocation).as_deref(),
        Some(
            "env"
                | "export"
                | "unset"
                | "declare"
                | "typeset"
                | "readonly"
                | "local"
                | "setenv"
                | "set"
        )
    );
    let reads = match program(part.invocation).as_deref() {
        Some("read" | "mapfile" | "readarray") => true,
        Some("printf") => Arguments::of(part.invocation).has("-v"),
        _ => false,
    };
    let names = part.invocation.arguments().iter().any(|it| {
        let text = lead(it);
        let bare = text.trim_start_matches("--unset=").trim_start_matches("-u");
        let name = bare.split('=').next().unwrap_or_default();
        if takes && slips_in(name) {
            act.meet(&SHELL_DYNAMIC);
        }
        steers(name)
    });
    if is_set || ((takes || reads) && names) {
        act.meet(&PROVOST_VARIABLE);
    }
}

/// A function that pipes into itself has no end.
pub(super) fn fork_bomb(look: &mut Look<'_>, script: &Script) {
    let is_inner = |it: Place| matches!(it, Place::Function | Place::Group | Place::Subshell);
    let all = &script.invocations;
    let mut pairs = all.iter().zip(all.iter().skip(1));
    let bomb = pairs.find(|(one, two)| {
        let is_pair = one.words == two.words && one.words.len() == 1 && two.join == Join::Pipe;
        let is_started = all.iter().filter(|it| it.words == one.words).count() > 2;
        is_inner(one.place) && is_inner(two.place) && is_pair && is_started
    });
    if let Some((one, _)) = bomb {
        let mut act = Act::on(&super::super::act::show(&one.shown()));
        act.meet(&SYSTEM_FORK_BOMB);
        look.acts.push(act);
    }
}
