//! Programs that end well whatever they find, or that only show something.

use std::sync::LazyLock;

use provost_shell::{Invocation, Program, RedirectKind, Trait, Word};
use regex::Regex;

use super::{super::source::pattern, argument, has, is};

/// Whether it ends with 0 whatever was delivered.
pub(super) fn is_sure(invocation: &Invocation) -> bool {
    match invocation.program() {
        Some("exit" | "return") => {
            argument(invocation, 0).is_some_and(|it| it.parse::<i64>() == Ok(0))
        }
        Some("test" | "[" | "[[") => compares_constants(invocation),
        Some("diff" | "cmp") => compares_itself(invocation),
        Some("ls") => invocation.arguments().iter().all(is_flag),
        Some("jq") => has(invocation, "-n"),
        Some(program) => Program::of(program).is(Trait::Succeeds) || idles(program, invocation),
        // Variables that are set, and nothing that is run.
        None => invocation.words.is_empty(),
    }
}

/// Whether it only prints something that a reader would have to judge.
pub(super) fn is_shown(invocation: &Invocation) -> bool {
    let Some(program) = invocation.program() else { return false };
    match program {
        // What a program of awk ends with may be an answer.
        "awk" => !invocation.arguments().iter().any(|it| it.to_string().contains("exit")),
        "sed" => !invocation.arguments().iter().any(|it| it.to_string().contains('q')),
        "sort" => !["-c", "-C", "--check"].iter().any(|it| has(invocation, it)),
        "git" => {
            !["grep", "--check", "verify-commit", "verify-tag", "fsck", "merge-base", "cat-file"]
                .iter()
                .any(|it| has(invocation, it))
        }
        _ => Program::of(program).is_any(&[Trait::Views, Trait::Shows]),
    }
}

/// Whether it asks for the presence of something.
pub(super) fn looks(invocation: &Invocation) -> bool {
    is(invocation, Trait::Asks) && !is_sure(invocation)
}

fn is_flag(word: &Word) -> bool {
    word.text().is_some_and(|it| it.starts_with('-'))
}

/// `diff x x`.
fn compares_itself(invocation: &Invocation) -> bool {
    let mut operands = invocation.arguments().iter().filter(|it| !is_flag(it));
    match (operands.next().and_then(Word::text), operands.next().and_then(Word::text)) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    }
}

/// Whether an interpreter is given nothing to run, or nothing that could fail.
fn idles(program: &str, invocation: &Invocation) -> bool {
    const VERSION: [&str; 5] = ["-V", "-v", "-VV", "--version", "--help"];
    if !Program::of(program).is(Trait::Interprets) {
        return false;
    }
    let is_nothing = |it: &Word| it.text() == Some("/dev/null");
    let reads_nothing = invocation
        .redirects
        .iter()
        .any(|it| it.kind == RedirectKind::Read && is_nothing(&it.target));
    let shows_version = invocation.arguments().len() == 1
        && argument(invocation, 0).is_some_and(|it| VERSION.contains(&it));
    let is_bare = invocation.arguments().iter().all(is_flag);
    shows_version
        || (reads_nothing && is_bare)
        || invocation.arguments().iter().any(is_nothing)
        || (has(invocation, "-m") && has(invocation, "this"))
        || prints_only(invocation)
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
fn prints_only(invocation: &Invocation) -> bool {
    static PRINTS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"^(?:pass|\d+|import (?:sys|os|this)|(?:sys\.|process\.|os\.)?_?exit\(0?\)|(?:print|puts|echo|say|console\.(?:log|info))[\s(]+(?:"[^"]*"|'[^']*'|[\d.]*)\s*\)?)?$"#,
        )
    });
    let is_code = |word: &str| matches!(word, "-c" | "-e" | "-r" | "--eval" | "-p");
    argument(invocation, 0).is_some_and(is_code)
        && argument(invocation, 1)
            .is_some_and(|it| it.split([';', '\n']).all(|it| PRINTS.is_match(it.trim())))
}
