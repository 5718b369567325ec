//! What a person says beforehand: which tests may change, what is a test, and how much a green test
//! has to prove.

use serde_json::json;

use crate::{
    loop_proof::{PYTHON, Project, SHELL, Setup},
    loop_world::Loop,
};

/// The cart counts in tens now, and its test says so.
const BREAKING: &str = "sed -i 's/ + 1//; s/return len/return 10 * len/' shop/cart.py
    sed -i 's/, 2)$/, 20)/' tests/test_cart.py";
/// `count` is gone, and so is its test.
const REMOVAL: &str = "sed -i 's/ + 1//; /def count/,$d' shop/cart.py
    sed -i '/def test_count/,$d' tests/test_cart.py";

fn leave<'a>(paths: &'a [&'a str]) -> Setup<'a> {
    Setup { leave: paths, ..Setup::default() }
}

/// PROOF-2: with leave the named tests are the result's, and the old product decides.
#[test]
fn tests_that_may_change_may_change() {
    PYTHON.is_caught_with(&Setup::default(), BREAKING, "EXPECTATION_CHANGED");
    PYTHON.is_caught_with(&Setup::default(), REMOVAL, "TESTS_GONE");
    for paths in [&["tests/test_cart.py"], &["tests/"], &["**/test_*.py"]] {
        PYTHON.is_honest_with(&leave(paths), BREAKING, "SHOWN");
    }
    PYTHON.is_honest_with(&leave(&["tests/test_cart.py"]), REMOVAL, "SHOWN");
}

/// PROOF-2: leave for a test does not make it prove anything.
#[test]
fn leave_does_not_green_a_test_without_the_work() {
    let cheat = "sed -i 's/, 3)/, 4)/' tests/test_cart.py";
    PYTHON.is_caught_with(&leave(&["tests/test_cart.py"]), cheat, "GREENED_BY_TESTS");
    PYTHON.is_caught_with(&leave(&["tests/other.py"]), cheat, "ONLY_WITH_CHANGED_TESTS");
    let script = "echo true > check.sh";
    SHELL.is_caught_with(&leave(&["check.sh"]), script, "GREENED_BY_TESTS");
}

/// A leave for everything, or outside the repository, is refused when the task is created.
#[test]
fn a_leave_names_files() {
    for (pattern, problem) in [
        ("**", "names no file in particular"),
        ("./", "names no file in particular"),
        ("../other/test.py", "is not a path inside the repository"),
    ] {
        let ran = Loop::new().run("t1", json!({ "tests_may_change": [pattern] }));
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
        let text = ran.text();
        assert!(text.contains("tests_may_change[0]") && text.contains(problem), "{text}");
    }
}

/// The configuration of the base says what is a test and what is the product.
#[test]
fn classes_can_be_configured() {
    const GOLDEN: Project = Project {
        files: &[
            ("greet.sh", "echo hello\n"),
            ("golden/hello.txt", "hello world\n"),
            ("Makefile", "test:\n\tsh greet.sh | diff - golden/hello.txt\n"),
        ],
        test: "make test",
        fix: SHELL.fix,
    };
    const SPEC: Project = Project {
        files: &[
            ("spec/greet.sh", "echo hello\n"),
            ("Makefile", "test:\n\ttest \"$$(sh spec/greet.sh)\" = 'hello world'\n"),
        ],
        test: "make test",
        fix: "echo 'echo hello world' > spec/greet.sh",
    };
    let setup = Setup { config: "[proof]\ntests = [\"golden\"]\n", ..Setup::default() };
    GOLDEN.is_honest_with(&setup, GOLDEN.fix, "PROVEN");
    GOLDEN.is_caught_with(&setup, "echo hello > golden/hello.txt", "GREENED_BY_TESTS");

    SPEC.is_caught_with(&Setup::default(), SPEC.fix, "GREENED_BY_TESTS");
    let setup = Setup { config: "[proof]\nproduct = [\"spec/\"]\n", ..Setup::default() };
    SPEC.is_honest_with(&setup, SPEC.fix, "PROVEN");
}

/// `require = "shown"`: a test that is green with and without the work is not enough.
#[test]
fn more_than_holding_can_be_required() {
    const GREEN: Project = Project {
        files: &[
            ("greet.sh", "echo hello\n"),
            ("check.sh", "test \"$(sh greet.sh)\" = hello\n"),
            ("Makefile", "test:\n\tsh check.sh\n"),
        ],
        ..SHELL
    };
    let config = "[proof]\nrequire = \"shown\"\n";
    let setup = Setup { config, ..Setup::default() };
    let refactoring = "printf 'echo  hello\\n' > greet.sh";
    GREEN.is_honest_with(&Setup::default(), refactoring, "HOLDS");
    GREEN.is_caught_with(&setup, refactoring, "NOTHING_NEW");
    PYTHON.is_honest_with(&setup, PYTHON.fix, "PROVEN");
}
