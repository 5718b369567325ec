//! Files outside the folders of tests that serve the tests alone: what they say decides what a test
//! accepts, so that a change of them is a change of the tests.

use provost_shell::parse;

use crate::{
    plant::{language::Language, tree::words},
    probe::{ChangedFile, changed_lines},
};

/// Libraries of tests, as sources import them.
const PYTHON: &[&str] = &["pytest", "_pytest", "unittest", "nose", "nose2"];
const JAVASCRIPT: &[&str] =
    &["node:test", "vitest", "jest", "@jest/globals", "mocha", "chai", "jasmine"];
const GO: &[&str] = &["testing"];
/// What changes how the shell that reads a script ends, or what it finds by a name.
const BENDING: [&str; 9] =
    ["trap", "alias", "exec", "kill", "enable", "unset", "hash", "shopt", "builtin"];
/// Names that scripts compare with: a new definition of one decides every comparison.
const COMPARING: [&str; 20] = [
    "[", "[[", "test", "exit", "return", "true", "false", "diff", "cmp", "grep", "egrep", "expr",
    "echo", "printf", "cat", "sh", "bash", "sed", "awk", "set",
];

/// Whether a source of the base imports a library of tests.
pub fn imports_tests(path: &str, text: &str) -> bool {
    let Some(language) = Language::of(path) else { return false };
    let libraries = match language {
        Language::Python => PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => JAVASCRIPT,
        Language::Go => GO,
        // Tests of Rust import nothing.
        Language::Rust => return false,
    };
    let words = words(language, text);
    let before = |at: usize| at.checked_sub(1).and_then(|it| words.get(it)).map(String::as_str);
    words.iter().enumerate().any(|(at, word)| {
        let word = word.as_str();
        let is_library = libraries.contains(&word);
        let is_imported = match language {
            Language::Python => matches!(before(at), Some("import" | "from" | ",")),
            Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Go
            | Language::Rust => true,
        };
        is_library && is_imported
    })
}

/// Whether the lines that a change adds to a script, which tests read into their own shell, say how that
/// shell ends or what it compares with.
pub fn bends_shell(before: &str, after: &str) -> bool {
    let changed = changed_lines(before, after);
    let lines = after.lines().zip(1_u32..).filter(|(_, n)| changed.iter().any(|it| it.contains(n)));
    let added: Vec<&str> = lines.map(|it| it.0).collect();
    added.iter().any(|it| defines(it)) || runs_bending(&added.join("\n"))
}

fn runs_bending(text: &str) -> bool {
    parse(text).invocations.iter().any(|it| {
        let words: Vec<&str> = it.words.iter().filter_map(|it| it.text()).collect();
        match words.as_slice() {
            ["exit"] | ["exit", "0", ..] => true,
            [program, ..] => BENDING.contains(program),
            [] => false,
        }
    })
}

/// Whether a line defines a function of a name that scripts compare with, or sets where programs are
/// found.
fn defines(line: &str) -> bool {
    let line = line.trim_start();
    let name = line.strip_prefix("function ").unwrap_or(line).trim_start();
    let end = name.find(|it: char| it == '(' || it.is_whitespace()).unwrap_or(name.len());
    let is_function = line.starts_with("function ") || name[end..].trim_start().starts_with("()");
    is_function && COMPARING.contains(&&name[..end]) || line.contains("PATH=")
}

/// Whether tests name a file of data that no code of the product names.
pub fn is_read_by_tests_alone<'t>(
    path: &str,
    tests: impl IntoIterator<Item = &'t String>,
    product: impl IntoIterator<Item = &'t String>,
) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    tests.into_iter().any(|it| it.contains(name))
        && !product.into_iter().any(|it| it.contains(name))
}

/// The changed files that have lost or changed a line which asserts something.
pub fn changed_assertions(files: &[ChangedFile]) -> Vec<String> {
    let is_weaker = |it: &&ChangedFile| {
        let (Some(before), Some(language)) = (&it.before, Language::of(&it.path)) else {
            return false;
        };
        let after = it.after.as_deref().unwrap_or_default();
        let gone = changed_lines(after, before);
        let lines = before.lines().zip(1_u32..);
        let gone = lines.filter(|(_, n)| gone.iter().any(|it| it.contains(n)));
        gone.map(|it| it.0.trim()).any(|it| asserts(language, it))
    };
    files.iter().filter(is_weaker).map(|it| it.path.clone()).collect()
}

/// Whether a line asserts something, as tests of its language do.
fn asserts(language: Language, line: &str) -> bool {
    let begins = |words: &[&str]| words.iter().any(|it| line.starts_with(it));
    match language {
        Language::Python => begins(&["assert ", "assert(", "raise AssertionError"]),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            begins(&["assert.", "assert(", "expect("])
        }
        Language::Rust => begins(&["assert!", "assert_eq!", "assert_ne!"]),
        Language::Go => begins(&["t.Fatal", "t.Error"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PROOF-2: what imports a library of tests serves tests, wherever it lies.
    #[test]
    fn a_library_of_tests_is_known_by_its_import() {
        let check = |path: &str, text: &str, expected: bool| {
            assert_eq!(imports_tests(path, text), expected, "{path}: {text}");
        };
        check("shop/support.py", "import os, pytest\n", true);
        check("shop/support.py", "from unittest import mock\n", true);
        check("shop/cart.py", "# import pytest\nx = 'pytest'\n", false);
        check("internal/check/check.go", "package check\n\nimport \"testing\"\n", true);
        check("lib/check.js", "const { expect } = require('chai');\n", true);
        check("lib/cart.js", "const assert = require('assert');\n", false);
        check("src/check.rs", "assert_eq!(1, 1);\n", false);
        check("notes.md", "import pytest\n", false);
    }

    /// PROOF-1: a script that is read into the shell of its test cannot say how that one ends.
    #[test]
    fn a_script_that_bends_its_reader_is_known() {
        let check = |added: &str, expected: bool| {
            let before = "total() { echo $(( $1 * $2 )); }\n";
            let after = format!("{before}{added}\n");
            assert_eq!(bends_shell(before, &after), expected, "{added}");
        };
        check("trap 'exit 0' EXIT", true);
        check("exit 0", true);
        check("[() { return 0; }", true);
        check("function test { :; }", true);
        check("alias diff=true", true);
        check("PATH=/x:$PATH", true);
        check("die() { echo \"$1\" >&2; exit 1; }", false);
        check("discount() { echo $(( $1 * 9 / 10 )); }", false);
        check("if [ \"$1\" -gt 100 ]; then discount \"$1\"; fi", false);
        assert!(!bends_shell("trap x EXIT\na\n", "trap x EXIT\nb\n"), "it was there before");
    }

    #[test]
    fn data_that_only_tests_name_is_theirs() {
        let tests = ["json.load(open('data/cases.json'))".to_owned()];
        let product = ["open('data/rates.json')".to_owned()];
        assert!(is_read_by_tests_alone("data/cases.json", &tests, &product));
        assert!(!is_read_by_tests_alone("data/rates.json", &tests, &product));
        assert!(!is_read_by_tests_alone("data/cases.json", &tests, &tests));
    }

    #[test]
    fn an_assertion_that_is_gone_is_named() {
        let check = |path: &str, before: &str, after: &str, expected: &[&str]| {
            let own = |it: &str| Some(it.to_owned());
            let file =
                ChangedFile { path: path.to_owned(), before: own(before), after: own(after) };
            assert_eq!(changed_assertions(&[file]), expected, "{path}");
        };
        check("a.py", "assert a == b\n", "assert abs(a - b) < 20\n", &["a.py"]);
        check("a.py", "x = 1\n", "assert x\nx = 1\n", &[]);
        check("a.py", "assert x\ny = 1\n", "assert x\ny = 2\n", &[]);
        check("a.rs", "    assert_eq!(a, b);\n", "    assert!(a >= b);\n", &["a.rs"]);
        check("a.js", "assert.equal(a, b)\n", "", &["a.js"]);
    }
}
