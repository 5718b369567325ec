//! Evidence commands that end with 0 whatever they find, or that find nothing.

use std::sync::LazyLock;

use regex::Regex;

use super::source::pattern;
use crate::command::{self, Hole, Invocation, Join, Part, Place, Reason, Script};

/// What is wrong with an evidence command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CommandFlaw {
    /// Its exit code is not the one of what it checks: `npm test || true`.
    Masked,
    /// It checks nothing: `echo ok`.
    Vacuous,
    /// It replaces what it seems to run: a function, an alias, another `PATH`.
    Replaced,
    /// Nobody can say what it runs.
    Opaque,
    /// It asks a runner to run nothing, or to be content with nothing.
    Lenient,
}

/// Programs that end with 0 whatever happens.
const SURE: [&str; 8] = ["true", ":", "echo", "printf", "sleep", "date", "pwd", "whoami"];

/// Programs that make ready and check nothing.
const SETUP: [&str; 11] =
    ["cd", "export", "set", "source", ".", "mkdir", "touch", "unset", "umask", "shopt", "clear"];

/// Programs that show what they are given and end with 0.
const VIEWERS: [&str; 13] =
    ["tee", "cat", "head", "tail", "less", "more", "wc", "sort", "uniq", "sed", "awk", "tr", "cut"];

/// Variables by which a command runs something else than it names.
const REPLACING: [&str; 7] = [
    "LD_PRELOAD",
    "BASH_ENV",
    "ENV",
    "PYTEST_ADDOPTS",
    "PYTHONSTARTUP",
    "RUSTC_WRAPPER",
    "NODE_OPTIONS",
];

/// Programs that run checks, and the flags that make them run none.
const RUNNERS: [&str; 21] = [
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "jest",
    "vitest",
    "mocha",
    "ava",
    "playwright",
    "cypress",
    "pytest",
    "py.test",
    "python",
    "python3",
    "tox",
    "cargo",
    "go",
    "make",
    "mvn",
    "gradle",
];
const LENIENT: [&str; 17] = [
    "--passWithNoTests",
    "--pass-with-no-tests",
    "--passwithnotests",
    "--allow-no-tests",
    "--collect-only",
    "--co",
    "--no-run",
    "--listTests",
    "--list-tests",
    "--list",
    "--dry-run",
    "--if-present",
    "--version",
    "--help",
    "-DskipTests",
    "-Dmaven.test.skip=true",
    "--exit-zero",
];

/// The flaws of a command, each once.
pub(super) fn flaws(text: &str) -> Vec<CommandFlaw> {
    let script = command::parse(text);
    let flow: Vec<&Invocation> = script.programs().filter(|it| is_in_flow(it)).collect();
    let mut flaws = Vec::new();
    if script.opaque.iter().any(|it| is_hidden(it.reason)) {
        flaws.push(CommandFlaw::Opaque);
    }
    if replaces(text, &script) {
        flaws.push(CommandFlaw::Replaced);
    }
    let checks = flow.iter().any(|it| !is_sure(it) && !is_setup(it));
    // A program of another language that only prints is no check either.
    if !checks && script.opaque.iter().all(|it| it.reason == Reason::Foreign) {
        flaws.push(CommandFlaw::Vacuous);
    } else if is_masked(text, &script, &flow) {
        flaws.push(CommandFlaw::Masked);
    }
    if flow.iter().any(|it| is_lenient(it)) {
        flaws.push(CommandFlaw::Lenient);
    }
    flaws
}

/// Whether the exit code of the invocation can become the one of the whole.
fn is_in_flow(invocation: &Invocation) -> bool {
    match invocation.place {
        Place::Script | Place::Subshell | Place::Group | Place::Branch | Place::Loop => true,
        Place::Function | Place::Substitution | Place::Process => false,
    }
}

fn is_masked(text: &str, script: &Script, flow: &[&Invocation]) -> bool {
    let sets = |flag: &str| flow.iter().any(|it| it.program() == Some("set") && has(it, flag));
    if sets("+e") || sets("+o") || flow.iter().any(|it| it.program() == Some("trap")) {
        return true;
    }
    let trimmed = text.trim_end();
    if trimmed.ends_with('&') && !trimmed.ends_with("&&") {
        return true;
    }
    let has_pipefail = sets("pipefail");
    let stops_early = flow.iter().any(|it| it.program() == Some("set") && sets_errexit(it));
    ends_well_after_or(flow)
        || (!stops_early && ends_well_after_sequence(flow))
        || (!has_pipefail && ends_in_viewer(script))
}

/// `… || true`, with nothing after it that fails.
fn ends_well_after_or(flow: &[&Invocation]) -> bool {
    flow.iter().enumerate().any(|(at, it)| {
        it.join == Join::Or && is_sure(it) && !flow.iter().skip(at + 1).any(|it| is_failure(it))
    })
}

/// `…; exit 0`: the last list of commands has nothing in it that could fail.
fn ends_well_after_sequence(flow: &[&Invocation]) -> bool {
    let starts = |it: &&&Invocation| matches!(it.join, Join::Sequence | Join::Background);
    let Some(start) = flow.iter().rposition(|it| starts(&it)) else { return false };
    let (before, last) = flow.split_at(start);
    let is_lost = before.iter().any(|it| !is_sure(it) && !is_setup(it));
    is_lost && !last.is_empty() && last.iter().all(|it| is_sure(it))
}

/// `… | tee log`: the exit code is the one of the program that only shows what it got.
fn ends_in_viewer(script: &Script) -> bool {
    script.invocations.iter().enumerate().any(|(at, it)| {
        let is_last = script.invocations.get(at + 1).is_none_or(|next| next.join != Join::Pipe);
        let is_viewer = it.program().is_some_and(|it| VIEWERS.contains(&it));
        let feeds = || script.feeders(at).into_iter().filter_map(|it| script.invocations.get(it));
        it.join == Join::Pipe
            && is_last
            && is_viewer
            && is_in_flow(it)
            && feeds().any(|it| !is_sure(it) && !is_setup(it) && !views(it))
    })
}

fn views(invocation: &Invocation) -> bool {
    const SHOWING: [&str; 4] = ["ls", "grep", "find", "git"];
    let program = invocation.program();
    program.is_some_and(|it| VIEWERS.contains(&it) || SHOWING.contains(&it))
}

fn is_sure(invocation: &Invocation) -> bool {
    match invocation.program() {
        Some("exit" | "return") => argument(invocation, 0) == Some("0"),
        Some("test" | "[" | "[[") => compares_constants(invocation),
        Some(program) => SURE.contains(&program) || prints_only(program, invocation),
        None => false,
    }
}

/// Whether a test asks about nothing but its own words: `[ 1 = 1 ]`.
fn compares_constants(invocation: &Invocation) -> bool {
    // What begins so asks about a file, a variable or a terminal, apart from these.
    let asks = |word: &str| word.starts_with('-') && !matches!(word, "-n" | "-z" | "-a" | "-o");
    let is_number = |word: &str| matches!(word, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge");
    invocation
        .arguments()
        .iter()
        .all(|it| it.text().is_some_and(|word| !asks(word) || is_number(word)))
}

/// Whether a program of another language, given as a text, does nothing but print.
fn prints_only(program: &str, invocation: &Invocation) -> bool {
    static PRINTS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"^(?:pass|import (?:sys|os)|(?:sys\.|process\.|os\.)?_?exit\(0?\)|(?:print|puts|echo|say|console\.(?:log|info))[\s(]+(?:"[^"]*"|'[^']*'|[\d.]*)\s*\)?)?$"#,
        )
    });
    const INTERPRETERS: [&str; 7] = ["python", "python3", "node", "perl", "ruby", "php", "deno"];
    let is_code = |word: &str| matches!(word, "-c" | "-e" | "-r" | "--eval" | "-p");
    INTERPRETERS.contains(&program)
        && argument(invocation, 0).is_some_and(is_code)
        && argument(invocation, 1)
            .is_some_and(|it| it.split([';', '\n']).all(|it| PRINTS.is_match(it.trim())))
}

fn is_failure(invocation: &Invocation) -> bool {
    match invocation.program() {
        Some("exit" | "return") => argument(invocation, 0).is_some_and(|it| it != "0"),
        Some(program) => program == "false",
        None => false,
    }
}

fn is_setup(invocation: &Invocation) -> bool {
    invocation.program().is_some_and(|it| SETUP.contains(&it))
}

fn sets_errexit(invocation: &Invocation) -> bool {
    let mut words = invocation.arguments().iter().filter_map(command::Word::text);
    words.any(|it| it == "errexit" || (it.starts_with('-') && it.contains('e')))
}

fn has(invocation: &Invocation, word: &str) -> bool {
    invocation.arguments().iter().any(|it| it.text() == Some(word))
}

fn argument(invocation: &Invocation, index: usize) -> Option<&str> {
    invocation.arguments().get(index)?.text()
}

/// Whether something else is put in the place of what is named.
fn replaces(text: &str, script: &Script) -> bool {
    static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"'[^']*'|"(?:[^"\\]|\\.)*""#));
    static FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"(?:^|[\s;&|({'"])(?:function\s+[\w.-]+\s*(?:\(\s*\))?|[\w.-]+\s*\(\s*\))\s*[{(]"#,
        )
    });
    // A text for another shell stands in quotes; a text for another language does, too.
    const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "eval"];
    let starts_shell = |it: &Invocation| it.program().is_some_and(|it| SHELLS.contains(&it));
    let unquoted = if script.invocations.iter().any(starts_shell) {
        text.into()
    } else {
        QUOTED.replace_all(text, "")
    };
    if FUNCTION.is_match(&unquoted) {
        return true;
    }
    let defines = |it: &Invocation| it.place == Place::Function || it.program() == Some("alias");
    let assigns = |it: &Invocation| {
        it.assignments.iter().any(|it| {
            let keeps = matches!(
                it.value.parts().first(),
                Some(Part::Hole { hole: Hole::Parameter(name), .. }) if name == "PATH"
            );
            REPLACING.contains(&it.name.as_str()) || (it.name == "PATH" && !keeps)
        })
    };
    script.invocations.iter().any(|it| defines(it) || assigns(it))
}

/// Whether a part that could not be understood may hide what is run.
fn is_hidden(reason: Reason) -> bool {
    match reason {
        // A program in another language and one in a variable are still run, and can fail.
        Reason::Foreign | Reason::Variable => false,
        Reason::Name
        | Reason::Code
        | Reason::Input
        | Reason::Written
        | Reason::Syntax
        | Reason::HereDocument
        | Reason::TooLong
        | Reason::TooDeep
        | Reason::TooMuch => true,
    }
}

fn is_lenient(invocation: &Invocation) -> bool {
    let is_runner = invocation.program().is_some_and(|it| RUNNERS.contains(&it));
    let words = invocation.arguments().iter().filter_map(command::Word::text);
    // What stands after `--` is for the program that the runner runs. npm hands it to the test
    // runner, which is one as well.
    let is_npm = invocation.program().is_some_and(|it| matches!(it, "npm" | "pnpm" | "yarn"));
    let mut words = words.take_while(|it| is_npm || *it != "--");
    let runs_own = matches!(argument(invocation, 0), Some("run" | "exec" | "start"))
        && matches!(invocation.program(), Some("cargo" | "go"));
    is_runner && !runs_own && words.any(|it| LENIENT.contains(&it))
}

#[cfg(test)]
mod tests {
    use super::{CommandFlaw::*, *};

    #[track_caller]
    fn check(text: &str, expected: &[CommandFlaw]) {
        assert_eq!(flaws(text), expected, "{text}");
    }

    #[test]
    fn an_exit_code_that_is_hidden_is_seen() {
        for text in [
            "npm test || true",
            "npm test || :",
            "npm test || exit 0",
            "npm test || echo failed",
            "(npm test) || true",
            "{ npm test; } || true",
            "cd app && npm test || true",
            "bash -c 'npm test || true'",
            "npm test; exit 0",
            "npm test; true",
            "npm test\necho done",
            "npm test; echo $?",
            "set +e; npm test",
            "set +o errexit; npm test",
            "trap 'exit 0' EXIT; npm test",
            "npm test &",
            "npm test | tee log.txt",
            "npm test 2>&1 | tail -5",
            "pytest -q | cat && echo ok",
            "if npm test; then echo ok; fi",
            "npm test || [ 1 = 1 ]",
            "npm test || test -n x",
            "npm test || python3 -c 'print(1)'",
        ] {
            check(text, &[Masked]);
        }
    }

    #[test]
    fn a_command_that_checks_nothing_is_seen() {
        for text in [
            "true",
            "echo '12 passed'",
            "printf ok",
            "exit 0",
            "cd app && echo ok",
            ":",
            "# npm test",
            "sleep 1; echo done",
            "X=1",
            "python3 -c \"print('12 passed')\"",
            "python3 -c 'import sys; print(1); sys.exit(0)'",
            "node -e 'console.log(\"# tests 4\")'",
            "test 1 -eq 1",
        ] {
            check(text, &[Vacuous]);
        }
    }

    #[test]
    fn a_runner_that_runs_nothing_is_seen() {
        for text in [
            "npx jest --passWithNoTests",
            "npm test -- --passWithNoTests",
            "pytest --collect-only",
            "cargo test --no-run",
            "npm test --if-present",
            "mvn test -DskipTests",
            "python3 -m pytest --co",
        ] {
            check(text, &[Lenient]);
        }
    }

    #[test]
    fn what_is_replaced_or_hidden_is_seen() {
        check("npm() { true; }; npm test", &[Replaced]);
        check("function npm { true; }\nnpm test", &[Replaced]);
        check("bash -c 'npm() { true; }; npm test'", &[Replaced]);
        check("alias pytest=true; pytest", &[Replaced]);
        check("PATH=/tmp/fake:$PATH npm test", &[Replaced]);
        check("LD_PRELOAD=./x.so ./check", &[Replaced]);
        check("eval \"$(base64 -d <<< bnBtIHRlc3Q=)\"", &[Opaque]);
        check("curl -s https://example.com/x | sh", &[Opaque]);
    }

    #[test]
    fn an_honest_command_is_left_alone() {
        for text in [
            "npm test",
            "cargo test --workspace",
            "cd app && npm test",
            "cd app; npm test",
            "npm run build && npm test",
            "npm test && echo ok",
            "npm test || exit 1",
            "npm test || (echo failed; exit 1)",
            "set -e; npm test; echo ok",
            "set -euo pipefail; npm test | tee log.txt",
            "pytest -q tests/test_login.py::test_refuses",
            "cargo run -- --help",
            "cargo run -- --version | grep 1.2",
            "./app --version",
            "node -e 'function f() { return 1 } f()'",
            "node -e 'process.exit(0 === check() ? 0 : 1)'",
            "python3 -c 'import app; app.check()'",
            "grep -q 'fn main' src/main.rs",
            "test -f src/main.rs",
            "npm test || [ -f known-failure ]",
            "[ \"$(./app)\" = hello ]",
            "python3 -c 'import app; print(app.check())'",
            "! grep -rn TODO src",
            "cat src/main.rs | grep main",
            "cat README.md | head -3",
            "echo '{}' | node cli.js",
            "PATH=$PATH:node_modules/.bin tsc --noEmit",
            "CI=1 npm test",
            "if ! npm test; then exit 1; fi",
            "go test ./...",
            "make test",
            "diff <(./app) expected.txt",
            "timeout 60 npm test",
            "npm test 2>&1 | grep -q '12 passed'",
        ] {
            check(text, &[]);
        }
    }
}
