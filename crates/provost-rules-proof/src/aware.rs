//! Code of the product that can tell whether it is being tested.
//!
//! Such code can be right for its tests alone, and no run of them shows it. Ordinary code has reasons
//! for it, too, so that this accuses of nothing: a person should look at the lines. Only what a change
//! adds counts.

use std::collections::BTreeMap;

use crate::{
    plant::{language::Language, tree::words},
    probe::ChangedFile,
};

/// Words that tell a product where it runs, in every language.
const ANYWHERE: &[&str] = &["GITHUB_ACTIONS", "CONTINUOUS_INTEGRATION", "PROVOST_HOME"];
/// Modules of test runners, variables that they set, and ways to see who calls.
const PYTHON: &[&str] = &[
    "pytest",
    "_pytest",
    "unittest",
    "nose",
    "nose2",
    "conftest",
    "PYTEST_CURRENT_TEST",
    "PYTEST_VERSION",
    "PYTEST_XDIST_WORKER",
    "COVERAGE_RUN",
    "TOX_ENV_NAME",
    "_getframe",
    "currentframe",
    "extract_stack",
    "inspect . stack",
    "settrace",
    "setprofile",
];
const JAVASCRIPT: &[&str] = &[
    "jest",
    "@jest",
    "vitest",
    "mocha",
    "jasmine",
    "chai",
    "node:test",
    "JEST_WORKER_ID",
    "VITEST",
    "VITEST_WORKER_ID",
    "VITEST_POOL_ID",
    "NODE_TEST_CONTEXT",
    "NODE_ENV === test",
    "NODE_ENV == test",
    "typeof describe",
    "typeof it",
    "typeof expect",
    "globalThis . expect",
    "globalThis . describe",
    "global . expect",
    "global . describe",
];
const GO: &[&str] = &["testing", "testing . Testing", "test.v", "test.run", "test.timeout"];
const RUST: &[&str] = &[
    "cfg ! ( test",
    "cfg ( not ( test",
    "cfg ( test ) ] {",
    "cfg ( test ) ] return",
    "cfg ( test ) ] if",
    "cfg ( test ) ] let",
    "RUST_TEST_THREADS",
    "NEXTEST",
    "NEXTEST_RUN_ID",
    "current ( ) . name",
];
/// What reads a variable of the environment.
const ENVIRONMENT: &[&str] =
    &["env", "environ", "getenv", "Getenv", "LookupEnv", "var", "var_os", "get"];
/// How far before its name a variable is read, in tokens.
const REACH: usize = 4;

/// The places of changed product code that tell whether it is being tested: `cart.py: _pytest`.
pub fn aware(files: &[ChangedFile]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let (Some(language), Some(after)) = (Language::of(&file.path), &file.after) else {
            continue;
        };
        let before = file.before.as_deref().map(|it| marks(language, it)).unwrap_or_default();
        for (mark, count) in marks(language, after) {
            if count > before.get(mark.as_str()).copied().unwrap_or(0) {
                found.push(format!("{}: {mark}", file.path));
            }
        }
    }
    found
}

/// How often each mark occurs in the code of a file; comments and prose do not count.
fn marks(language: Language, text: &str) -> BTreeMap<String, usize> {
    let tokens = words(language, text);
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let known = match language {
        Language::Python => PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => JAVASCRIPT,
        Language::Go => GO,
        Language::Rust => RUST,
    };
    let mut marks = BTreeMap::new();
    let mut count = |mark: &str| *marks.entry(mark.replace(' ', "")).or_insert(0) += 1;
    for (at, word) in tokens.iter().enumerate() {
        let rest = &tokens[at..];
        for mark in known.iter().chain(ANYWHERE).filter(|it| begins(rest, it)) {
            count(mark);
        }
        let before = &tokens[at.saturating_sub(REACH)..at];
        if *word == "CI" && before.iter().any(|it| ENVIRONMENT.contains(it)) {
            count("CI");
        }
        if let ["assert", ".", member, "=", ..] = rest {
            count(&format!("assert.{member}="));
        }
    }
    marks
}

/// Whether tokens begin with those of a mark. A single word may be a part of a path or of a dotted name.
/// A text with white space is prose.
fn begins(tokens: &[&str], mark: &str) -> bool {
    let has_word = |token: &&&str| {
        let is_prose = token.contains(char::is_whitespace);
        !is_prose && token.split(['.', '/']).any(|it| it == mark)
    };
    let is_sequence = mark.split(' ').zip(tokens).all(|(part, token)| part == *token);
    let is_whole = mark.split(' ').count() <= tokens.len();
    is_sequence && is_whole || tokens.first().as_ref().is_some_and(has_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, before: &str, after: &str, expected: &[&str]) {
        let before = Some(before.to_owned()).filter(|it| !it.is_empty());
        let file = ChangedFile { path: path.to_owned(), before, after: Some(after.to_owned()) };
        assert_eq!(aware(&[file]), expected, "{after}");
    }

    /// PROOF: what a product can tell its tests by is named, in each language.
    #[test]
    fn what_looks_for_its_tests_is_named() {
        check("a.py", "", "import sys\nif '_pytest' in sys.modules: pass\n", &["a.py: _pytest"]);
        check("a.py", "", "from _pytest.assertion import util\n", &["a.py: _pytest"]);
        check("a.py", "", "import os\nos.environ.get('CI')\n", &["a.py: CI"]);
        let named = "import os\nx = os.getenv('PYTEST_CURRENT_TEST')\n";
        check("a.py", "", named, &["a.py: PYTEST_CURRENT_TEST"]);
        check("a.py", "", "import inspect\ninspect.stack()\n", &["a.py: inspect.stack"]);
        check("a.js", "", "const m = require('mocha/lib/runner')\n", &["a.js: mocha"]);
        check("a.ts", "", "if (process.env.CI) x()\n", &["a.ts: CI"]);
        check("a.ts", "", "a(process.env.NODE_ENV === 'test')\n", &["a.ts: NODE_ENV===test"]);
        check(
            "a.mjs",
            "",
            "import assert from 'assert'\nassert.equal = () => {}\n",
            &["a.mjs: assert.equal="],
        );
        check("a.js", "", "import t from \"node:test\"\n", &["a.js: node:test"]);
        check(
            "a.go",
            "",
            "package a\nimport \"testing\"\nvar x = testing.Testing()\n",
            &["a.go: testing", "a.go: testing.Testing"],
        );
        check("a.go", "", "package a\nvar x = flag.Lookup(\"test.v\")\n", &["a.go: test.v"]);
        check("a.rs", "", "fn a() -> bool { cfg!(test) }\n", &["a.rs: cfg!(test"]);
        check("a.rs", "", "fn a() { #[cfg(test)] { b() } }\n", &["a.rs: cfg(test)]{"]);
    }

    /// PROOF: prose, comments, ordinary names and what was there before are left alone.
    #[test]
    fn ordinary_code_is_left_alone() {
        check("a.py", "import pytest\n", "import pytest\nx = 1\n", &[]);
        check("a.py", "", "# pytest runs this\nx = 'run pytest to see'\n", &[]);
        check("a.py", "", "\"\"\"Tested with pytest.\"\"\"\n", &[]);
        check("a.py", "", "CI = 0.95\nprint(CI)\nlatest = contest = 1\n", &[]);
        check("a.js", "", "if (process.env.NODE_ENV === 'production') x()\n", &[]);
        check("a.js", "", "import assert from 'assert'\nassert.equal(a, b)\n", &[]);
        check("a.js", "", "Error.captureStackTrace(this, Own)\n", &[]);
        check("a.rs", "", "#[cfg(test)]\nmod tests { use super::*; }\n", &[]);
        check("a.rs", "", "#[cfg(test)]\nfn fixture() {}\n", &[]);
        check("a.go", "", "package a\nfunc Total() int { return 1 }\n", &[]);
        check("README.md", "", "pytest\n", &[]);
        check("a.css", "", "CI\n", &[]);
    }
}
