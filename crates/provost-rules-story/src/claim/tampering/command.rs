//! Evidence commands that end with 0 whatever they find, or that find nothing.

mod vacuous;

use std::{borrow::Cow, sync::LazyLock};

use provost_rules::ecosystem;
use provost_shell::{Hole, Invocation, Join, Part, Place, Program, Reason, Script, Trait};
use regex::Regex;

use self::vacuous::{is_shown, is_sure, looks};
use super::source::pattern;

/// What is wrong with an evidence command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CommandFlaw {
    /// Its exit code is not the one of what it checks: `npm test || true`.
    Masked,
    /// It checks nothing: `echo ok`.
    Vacuous,
    /// It replaces what it seems to run: a function, an alias, another `PATH`.
    Replaced,
    /// What it runs cannot be determined.
    Opaque,
    /// It asks a runner to run nothing, or to be content with nothing.
    Lenient,
}

/// Variables of every program by which a command runs something else than it names.
const REPLACING: [&str; 3] = ["LD_PRELOAD", "BASH_ENV", "ENV"];

/// Flags with which every runner runs nothing.
const LENIENT: [&str; 2] = ["--version", "--help"];

/// The flaws of a command, each once.
pub(super) fn flaws(text: &str) -> Vec<CommandFlaw> {
    let script = provost_shell::parse(text);
    let parts = script.invocations.iter().filter(|it| !it.is_prefix && is_in_flow(it));
    let flow: Vec<&Invocation> = parts.collect();
    let mut flaws = Vec::new();
    if script.opaque.iter().any(|it| is_hidden(it.reason)) {
        flaws.push(CommandFlaw::Opaque);
    }
    if replaces(text, &script) {
        flaws.push(CommandFlaw::Replaced);
    }
    let checks = flow.iter().any(|it| is_check(it) && !is_shown(it));
    // A program of another language that only prints checks nothing either.
    if !checks && script.opaque.iter().all(|it| it.reason == Reason::Foreign) {
        flaws.push(CommandFlaw::Vacuous);
    } else if is_masked(text, &script, &flow) {
        flaws.push(CommandFlaw::Masked);
    }
    if script.invocations.iter().any(|it| is_in_flow(it) && (is_lenient(it) || lets_go(it))) {
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
    let shells = || script.invocations.iter().filter(|it| is_shell(it));
    let has_pipefail = sets("pipefail") || shells().any(|it| has(it, "pipefail"));
    let stops_early = flow.iter().any(|it| it.program() == Some("set") && sets_errexit(it));
    is_negated(text, script)
        || ends_well_after_or(flow)
        || (!stops_early && (ends_well_after_sequence(flow) || loses_in_list(script, flow)))
        || ends_in_condition(text, flow)
        || flow.iter().any(|it| forgets(it))
        || (!has_pipefail && ends_in_viewer(script))
}

/// `… || true`, or something else that may end well, with nothing after it that fails. Two looks
/// at files may stand for each other.
fn ends_well_after_or(flow: &[&Invocation]) -> bool {
    flow.iter().enumerate().any(|(at, it)| {
        let before = flow.iter().take(at).rev();
        let starts = |it: &&&Invocation| matches!(it.join, Join::Sequence | Join::Background);
        let mut has_begun = false;
        let list = before.take_while(|it| !std::mem::replace(&mut has_begun, starts(it)));
        let is_choice = looks(it) && list.into_iter().all(|it| looks(it) || is_setup(it));
        it.join == Join::Or && !is_choice && !flow.iter().skip(at).any(|it| is_failure(it))
    })
}

/// `! make check`: it ends well where the check does not. Only the absence of something can be
/// asked for so, and only where the answer is not lost.
fn is_negated(text: &str, script: &Script) -> bool {
    static NEGATION: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r#"(?:^|[;&|({\n'"]|\b(?:then|do|else)\s)\s*!\s+(\S+)([^;&|\n]*)([;\n]\s*\S)?"#)
    });
    let text = unquoted(text, script);
    let mut found = NEGATION.captures_iter(&text);
    found.any(|it| {
        let program = it.get(1).map_or("", |it| it.as_str());
        !Program::of(program).is(Trait::Asks) || it.get(3).is_some()
    })
}

/// `sh -c 'make check; ls'`, `(make check; ls) && ls`: no shell stops at the first failure there.
fn loses_in_list(script: &Script, flow: &[&Invocation]) -> bool {
    flow.iter().enumerate().any(|(at, it)| {
        let is_inner = matches!(it.place, Place::Group | Place::Subshell);
        let shell = it.launched_by.and_then(|it| script.invocations.get(it));
        let stops = shell.is_some_and(sets_errexit);
        let is_same = |other: &&&Invocation| {
            (other.place, other.launched_by) == (it.place, it.launched_by) && is_check(other)
        };
        it.join == Join::Sequence
            && !is_setup(it)
            && (is_inner || shell.is_some_and(is_shell))
            && !stops
            && flow.iter().take(at).any(|it| is_same(&it))
    })
}

/// Whether the last thing is a condition, or stands under one, and nothing there fails.
fn ends_in_condition(text: &str, flow: &[&Invocation]) -> bool {
    static LOOP: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(?:while|until)\s+(?:IFS=\S*\s+)?(\S+)"));
    let Some(place) = flow.last().map(|it| it.place) else { return false };
    let fails = || flow.iter().any(|it| it.place == place && is_failure(it));
    let waits =
        || LOOP.captures_iter(text).any(|it| it.get(1).is_some_and(|it| it.as_str() != "read"));
    match place {
        Place::Branch => !fails(),
        Place::Loop => waits() && !fails(),
        Place::Script
        | Place::Subshell
        | Place::Group
        | Place::Function
        | Place::Substitution
        | Place::Process => false,
    }
}

/// Whether a program does not hand on the exit code of what it runs.
fn forgets(invocation: &Invocation) -> bool {
    match invocation.program() {
        Some("find") => {
            let runs = ["-exec", "-execdir", "-ok", "-okdir"].iter().any(|it| has(invocation, it));
            runs && !has(invocation, "+")
        }
        Some("script") => !has(invocation, "-e"),
        Some(_) | None => false,
    }
}

/// `…; exit 0`: the last list of commands has nothing in it that could fail.
fn ends_well_after_sequence(flow: &[&Invocation]) -> bool {
    let starts = |it: &&&Invocation| matches!(it.join, Join::Sequence | Join::Background);
    let Some(start) = flow.iter().rposition(|it| starts(&it)) else { return false };
    let (before, last) = flow.split_at(start);
    let is_lost = before.iter().any(|it| is_check(it));
    is_lost && !last.is_empty() && last.iter().all(|it| is_sure(it) || is_setup(it))
}

/// `… | tee log`: the exit code is the one of the program that only shows what it got.
fn ends_in_viewer(script: &Script) -> bool {
    script.invocations.iter().enumerate().any(|(at, it)| {
        let is_last = script.invocations.get(at + 1).is_none_or(|next| next.join != Join::Pipe);
        let is_viewer = is(it, Trait::Views);
        let feeds = || script.feeders(at).into_iter().filter_map(|it| script.invocations.get(it));
        it.join == Join::Pipe
            && is_last
            && is_viewer
            && is_in_flow(it)
            && feeds().any(|it| is_check(it) && !views(it))
    })
}

fn views(invocation: &Invocation) -> bool {
    const SHOWING: [&str; 4] = ["ls", "grep", "find", "git"];
    is(invocation, Trait::Views) || invocation.program().is_some_and(|it| SHOWING.contains(&it))
}

fn is_failure(invocation: &Invocation) -> bool {
    match invocation.program() {
        Some("exit" | "return") => argument(invocation, 0).is_some_and(|it| it != "0"),
        Some(program) => program == "false",
        None => false,
    }
}

/// Whether it can end badly, and is more than a preparation.
fn is_check(invocation: &Invocation) -> bool {
    !is_sure(invocation) && !is_setup(invocation)
}

fn is_shell(invocation: &Invocation) -> bool {
    is(invocation, Trait::IsShell)
}

fn is_setup(invocation: &Invocation) -> bool {
    is(invocation, Trait::Prepares)
}

/// Whether something is true of its program.
fn is(invocation: &Invocation, it: Trait) -> bool {
    invocation.program().is_some_and(|name| Program::of(name).is(it))
}

fn sets_errexit(invocation: &Invocation) -> bool {
    let mut words = invocation.arguments().iter().filter_map(provost_shell::Word::text);
    words.any(|it| {
        let letters = it.strip_prefix('-').filter(|it| !it.starts_with('-'));
        it == "errexit"
            || letters.is_some_and(|it| it.contains('e') && it.chars().all(char::is_alphabetic))
    })
}

fn has(invocation: &Invocation, word: &str) -> bool {
    invocation.arguments().iter().any(|it| it.text() == Some(word))
}

fn argument(invocation: &Invocation, index: usize) -> Option<&str> {
    invocation.arguments().get(index)?.text()
}

/// The text without what is quoted. A text for another shell stands in quotes; a text for another
/// language does, too.
fn unquoted<'a>(text: &'a str, script: &Script) -> Cow<'a, str> {
    static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"'[^']*'|"(?:[^"\\]|\\.)*""#));
    if script.invocations.iter().any(is_shell) { text.into() } else { QUOTED.replace_all(text, "") }
}

/// Whether something else is put in the place of what is named.
fn replaces(text: &str, script: &Script) -> bool {
    static FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"(?:^|[\s;&|({'"])(?:function\s+[\w.-]+\s*(?:\(\s*\))?|[\w.-]+\s*\(\s*\))\s*[{(]"#,
        )
    });
    if FUNCTION.is_match(&unquoted(text, script)) {
        return true;
    }
    let defines = |it: &Invocation| it.place == Place::Function || it.program() == Some("alias");
    let assigns = |it: &Invocation| {
        it.assignments.iter().any(|it| {
            let keeps = matches!(
                it.value.parts().first(),
                Some(Part::Hole { hole: Hole::Parameter(name), .. }) if name == "PATH"
            );
            let name = it.name.as_str();
            let is_replacing =
                REPLACING.contains(&name) || ecosystem::any(|it| &it.replacing_variables, name);
            is_replacing || (name == "PATH" && !keeps)
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

/// Whether a program may run nothing of what it is given, or does not wait for it.
fn lets_go(invocation: &Invocation) -> bool {
    let has_letter = |letter: char| {
        let mut words = invocation.arguments().iter().map_while(provost_shell::Word::text);
        words.any(|it| {
            let letters = it.strip_prefix('-').filter(|it| !it.starts_with('-'));
            letters.is_some_and(|it| it.contains(letter))
        })
    };
    match invocation.program() {
        Some("xargs") => has_letter('r') || has(invocation, "--no-run-if-empty"),
        Some("setsid") => has_letter('f') || has(invocation, "--fork"),
        Some("at" | "batch" | "daemonize" | "disown" | "coproc" | "systemd-run") => true,
        Some(_) | None => false,
    }
}

fn is_lenient(invocation: &Invocation) -> bool {
    let Some(program) = invocation.program() else { return false };
    let Some(ecosystem) = ecosystem::of_runner(program) else { return false };
    let has = |list: &[String], word: &str| list.iter().any(|it| it == word);
    // What stands after `--` is for the program that the runner runs, which may be a runner too.
    let forwards = has(&ecosystem.forwards_arguments, program);
    let words = invocation.arguments().iter().filter_map(provost_shell::Word::text);
    let mut words = words.take_while(|it| forwards || *it != "--");
    let runs_product = argument(invocation, 0).is_some_and(|it| has(&ecosystem.runs_product, it));
    let is_flag = |it: &str| LENIENT.contains(&it) || ecosystem::any(|it| &it.lenient_flags, it);
    !runs_product && words.any(is_flag)
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
            "npm test || [ -f known-failure ]",
            "sh tests/check.sh || test -f greet.sh",
            "! npm test",
            "! false",
            "cd app && ! npm test",
            "sh -c '! npm test'",
            "! grep -q TODO a; make check",
            "npm test; ls",
            "npm test; cd tests",
            "npm test; x=1",
            "npm test;exit 00",
            "npm test; wait",
            "npm test; id",
            "sh -c 'npm test; test -d tests'",
            "(npm test; test -d tests) && test -d tests",
            "while npm test; do break; done",
            "until ! npm test; do break; done",
            "if ! npm test; then true; fi",
            "if npm test; then test -d a; else test -d a; fi",
            "find . -name a -exec npm test \\;",
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
            "ls",
            "ls -la; id",
            "cat greet.sh",
            "cat README.md | head -3",
            "find . -name nothing",
            "git status",
            "git diff --quiet",
            "python3 -V",
            "node -v",
            "python3 -c '1'",
            "python3 -m this",
            "perl -e 1",
            "sh </dev/null",
            "sh -s </dev/null",
            "python3 /dev/null",
            "diff greet.sh greet.sh",
            "awk 'BEGIN{}'",
            "which sh",
            "seq 3",
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
            "xargs -r make check </dev/null",
            "setsid -f make check",
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
            "[ \"$(./app)\" = hello ]",
            "python3 -c 'import app; print(app.check())'",
            "! grep -rn TODO src",
            "cat src/main.rs | grep main",
            "test -f a.md || test -f b.md",
            "cd app && grep -q x a || grep -q x b",
            "bash -o pipefail -c 'make check | cat'",
            "sh -ec 'make; make check'",
            "(make check) && (make lint)",
            "(cd a && make check); (cd b && make check)",
            "for it in a b; do sh $it || exit 1; done",
            "until curl -s localhost; do sleep 1; done; make check",
            "if test -f a; then make check; else exit 1; fi",
            "case $(./app) in hello) ;; *) exit 1 ;; esac",
            "make check; r=$?; exit $r",
            "make fmt && git diff --exit-code",
            "git grep -q hello",
            "awk '/x/ {f = 1} END {exit !f}' a",
            "make -s check",
            "find . -name '*.sh' | xargs grep -q hello",
            "sh -n greet.sh",
            "diff a b",
            "test ! -e gone.txt",
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
