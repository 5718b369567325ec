//! A real shell as the judge of the parser.
//!
//! Random texts are given to `bash` and to the parser. For texts of quotes alone both must make
//! the same words; for texts of any kind the parser must find whatever makes the shell run
//! `sudo`. The shell has no programs to run: its `PATH` is empty, and what it does not find is
//! noted by a function. So each text does no more than create files in a folder of its own.

#![expect(
    clippy::disallowed_methods,
    reason = "the shell that judges is started by the test, in a folder of its own"
)]

use std::{
    path::Path,
    process::{Command, Stdio},
};

use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use provost_shell::{Word, parse, privilege};

use crate::{privilege::REFUSED, properties::quote};

/// What random texts are made of.
const TOKENS: &[&str] = &[
    "sudo",
    "sudo ls",
    "su",
    "do",
    "'",
    "'",
    "\"",
    "\"",
    "\\",
    "\n",
    "\n",
    " ",
    " ",
    " ",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "(",
    ")",
    "$(",
    ")",
    "`",
    "`",
    "${",
    "}",
    "${x:-",
    "${x:+",
    "${x#",
    "{ ",
    "; }",
    "<<E",
    "<<'E'",
    "<<-E",
    "\nE\n",
    "\nE\n",
    "\n\tE\n",
    "E",
    "<<\\E",
    "#",
    " # ",
    "$x",
    "$y",
    "x=sudo",
    "x=su",
    "y=do",
    "x+=do",
    "$x$y",
    "\"$x\"",
    "echo ",
    "eval ",
    "eval '",
    "if ",
    "then ",
    "fi",
    "else ",
    "case x in x)",
    "case x in ",
    ";;",
    " esac",
    "for x in ",
    "; do ",
    "; done",
    "f() { ",
    "f ",
    "\"$@\"",
    "$1",
    "set -- ",
    "((",
    "))",
    "$((",
    "[[ ",
    " ]]",
    "<(",
    ">(",
    "< ",
    "> o",
    "2>&1",
    "$'",
    "\\x73",
    "udo",
    "*",
    "?",
    "[u]",
    "{su,",
    "}do",
    "{sudo,ls}",
    "!",
    "~",
    "=",
    "A=b ",
    "A=(",
    "${A[@]}",
    "exec ",
    "command ",
    "time ",
    "\\\n",
    "\t",
    "''",
    "\"\"",
    "$IFS",
    "<<<",
    "\\'",
    "\\\"",
    "\\$",
    "\\`",
    "$\"",
    "${#x}",
    "${!x}",
    "${x/a/b}",
    "unset x",
    "export ",
    "declare ",
    "trap 'sudo' EXIT",
    "function f ",
    "select x in ",
    "shift;",
];

/// Runs a property over the same random values every time, so that it never fails by chance.
fn run<S: Strategy>(
    cases: u32,
    strategy: &S,
    check: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let result = TestRunner::new_with_rng(config, rng).run(strategy, check);
    assert!(result.is_ok(), "{}", result.unwrap_err());
}

/// Runs a text in `bash` and gives back what it prints.
fn bash(text: &str, folder: &Path) -> Vec<u8> {
    let note = "() { case $1 in sudo) : > \"$FOUND\"; kill -KILL $$;; esac; }";
    let start = "ulimit -t 1 -f 1000; PATH=/nonexistent exec \"$BASH\" --norc -c \"$1\"";
    let output = Command::new("bash")
        .args(["--norc", "-c", start, "_", text])
        .env_clear()
        .env("FOUND", folder.join("found"))
        .env("FUNCNEST", "20")
        .env("LC_ALL", "C.UTF-8")
        .env("BASH_FUNC_command_not_found_handle%%", note)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    output.unwrap().stdout
}

#[test]
fn quoted_words_are_the_words_that_bash_makes() {
    let folder = tempfile::tempdir().unwrap();
    let part = prop_oneof![
        "[^'\\x00]{0,6}".prop_map(|it| format!("'{it}'")),
        "[^\"\\\\$`\\x00]{0,6}".prop_map(|it| format!("\"{it}\"")),
        "\\\\[^\\n\\x00]",
        "\"\\\\[^\\x00]\"",
        "\\$'[^'\\\\\\x00]{0,4}(\\\\[abefnrtvxu01-7'\"?\\\\][0-9a-d]{0,4})?'",
        "[a-zA-Z0-9_./:@%+-]{1,4}",
    ];
    let word = prop::collection::vec(part, 1..4).prop_map(|it| it.concat());
    let words = prop::collection::vec(word, 1..5);
    run(400, &words, |words| {
        let text = format!("printf '%s\\0' {}", words.join(" "));
        let script = parse(&text);
        let known: Option<Vec<&str>> =
            script.invocations[0].arguments()[1..].iter().map(Word::text).collect();
        let expected: Vec<String> = known.unwrap().iter().map(|it| format!("{it}\0")).collect();
        let printed = bash(&text, folder.path());
        prop_assert_eq!(String::from_utf8_lossy(&printed), expected.concat(), "{:?}", text);
        Ok(())
    });
}

/// LOOP-A3: whatever makes a real shell run `sudo` is refused.
#[test]
fn what_makes_bash_run_sudo_is_refused() {
    let token = || prop::sample::select(TOKENS);
    let soup = prop::collection::vec(token(), 1..14).prop_map(|it| it.concat());
    // Without a path in it, no text can reach a real program.
    let seeds: Vec<&str> = REFUSED.iter().filter(|it| !it.contains('/')).copied().collect();
    let changed = (prop::sample::select(seeds), any::<prop::sample::Index>(), token())
        .prop_map(|(text, at, token)| insert(text, at.index(text.len() + 1), token));
    let texts = prop_oneof![1 => soup, 4 => changed];
    let n_run = std::cell::Cell::new(0);
    run(800, &texts, |text| {
        let folder = tempfile::tempdir().unwrap();
        if text.contains('\0') {
            return Ok(());
        }
        bash(&text, folder.path());
        if folder.path().join("found").exists() {
            n_run.set(n_run.get() + 1);
            prop_assert!(privilege(&parse(&text)).is_some(), "{:?}", text);
        }
        Ok(())
    });
    // If the shell ran it too seldom, this would prove nothing.
    assert!(n_run.get() >= 100, "{}", n_run.get());
}

fn insert(text: &str, at: usize, token: &str) -> String {
    let at = (0..=at).rfind(|it| text.is_char_boundary(*it)).unwrap_or_default();
    format!("{}{token}{}", &text[..at], &text[at..])
}

/// A text that is given up outside and read to its end one level deeper, where it has more room.
#[test]
fn what_is_given_up_outside_may_be_read_inside() {
    crate::properties::command("{sudo,ls}''echo ".repeat(248).as_bytes());
}

proptest! {
    /// Any text in single quotes is one word with exactly that text.
    #[test]
    fn a_quoted_text_is_one_known_word(text in "[^\\x00\u{FDD0}]*") {
        let script = parse(&format!("x {}", quote(&text)));
        prop_assert_eq!(&script.opaque, &[]);
        prop_assert_eq!(script.invocations.len(), 1);
        let arguments: Vec<Option<&str>> =
            script.invocations[0].arguments().iter().map(Word::text).collect();
        prop_assert_eq!(arguments, [Some(text.as_str())]);
    }

    #[test]
    fn any_text_is_read_to_its_end(text in ".*") {
        crate::properties::command(text.as_bytes());
    }

    #[test]
    fn any_tokens_are_read_to_their_end(tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..40)) {
        crate::properties::command(tokens.concat().as_bytes());
    }

    /// The bound is part of the property: what is listed stands in proportion to the text.
    #[test]
    fn repetition_costs_no_more_than_its_length(
        tokens in prop::collection::vec(prop::sample::select(TOKENS), 1..4),
        times in 100..500_usize,
    ) {
        crate::properties::command(tokens.concat().repeat(times).as_bytes());
    }
}
