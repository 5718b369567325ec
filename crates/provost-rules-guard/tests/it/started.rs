//! The policy against real bash: a line that makes bash start something that the policy would stop
//! must be stopped itself.

use provost_kernel::guard::policy::{Effect, Policy, ToolCall};
use provost_rules_guard::policy::rule;

use crate::{
    lines::{Lines, STUBS},
    sandbox::{Started, run},
};

/// How many lines are made up; with a seed of its own, so that they are others than the parser's.
const LINES: usize = 400;
const SEED: u64 = 77;

/// Lines that were let through once although they start what is refused.
const FOUND: &[&str] = &[
    "x='a[$(npm publish)]'; echo $((x))",
    "PS4='$(npm publish)'; set -x; :",
    "echo publish >l; xargs -a l npm",
    "printf 'publish\\0' | xargs -0 npm",
    "echo 'shutd${none}own now' >s; . ./s",
    "echo 'git ${none}reset --hard' >s; sh s",
    "declare -n r=x; x=git; $r push --force origin dev",
];

fn effect(command: &str, directory: &str) -> Effect {
    let call = ToolCall {
        root: Some("/srv/project".to_owned()),
        user_home: Some("/home/u".to_owned()),
        ..ToolCall::shell(command, directory)
    };
    rule(&Policy::default(), &call).effect
}

fn is_stopped(command: &str, directory: &str) -> bool {
    matches!(effect(command, directory), Effect::Ask | Effect::Deny)
}

/// What was started, as a command line of its own.
fn alone(started: &Started) -> String {
    let words = started.words.iter().map(|it| format!("'{}'", it.replace('\'', r"'\''")));
    words.collect::<Vec<_>>().join(" ")
}

/// Checks lines; answers with how many started something that is stopped.
#[track_caller]
fn check(lines: &[String]) -> usize {
    let mut n_dangerous = 0;
    let mut passed = Vec::new();
    for (line, all) in lines.iter().zip(run(lines, STUBS)) {
        let is_dangerous = |it: &&Started| is_stopped(&alone(it), &it.directory);
        if let Some(started) = all.iter().find(is_dangerous) {
            n_dangerous += 1;
            if !is_stopped(line, "/srv/project") {
                passed.push(format!("{started:?} in\n{line}\n"));
            }
        }
    }
    assert!(passed.is_empty(), "let through:\n{}", passed.join("\n"));
    n_dangerous
}

/// KEEP-4: rows that a comparison with real bash found.
#[test]
fn what_was_let_through_once_is_stopped() {
    let lines: Vec<String> = FOUND.iter().map(|&it| it.to_owned()).collect();
    assert_eq!(check(&lines), lines.len());
}

#[test]
fn a_line_that_starts_what_is_refused_is_refused() {
    let mut source = Lines::seeded(seed());
    let lines: Vec<String> = (0..LINES).map(|_| source.line()).collect();
    let n_dangerous = check(&lines);
    assert!(n_dangerous >= LINES / 3, "{n_dangerous}");
}

#[expect(clippy::disallowed_methods, reason = "other lines are asked for by a variable")]
fn seed() -> u64 {
    let asked = std::env::var("PROVOST_FUZZ_SEED").ok();
    asked.and_then(|it| it.parse().ok()).unwrap_or(SEED)
}
