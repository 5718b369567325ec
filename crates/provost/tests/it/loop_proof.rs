//! Ways to make a test green without doing the work, each beside the honest change: in a task
//! without a plan, with real runners.

use serde_json::{Value, json};

use crate::loop_world::Loop;

/// A repository with a broken `total`, and a test of it that is red.
pub(crate) struct Project {
    pub(crate) files: &'static [(&'static str, &'static str)],
    pub(crate) test: &'static str,
    /// The work, done honestly.
    pub(crate) fix: &'static str,
}

pub(crate) const PYTHON: Project = Project {
    files: &[
        ("shop/__init__.py", ""),
        (
            "shop/cart.py",
            "def total(prices):\n    return sum(prices) + 1\n\n\ndef count(prices):\n    return len(prices)\n",
        ),
        (
            "tests/test_cart.py",
            "import unittest\nfrom shop import cart\n\n\nclass Cart(unittest.TestCase):\n    \
             def test_total(self):\n        self.assertEqual(cart.total([1, 2]), 3)\n\n    \
             def test_count(self):\n        self.assertEqual(cart.count([1, 2]), 2)\n",
        ),
        ("tests/__init__.py", ""),
    ],
    test: "python3 -m unittest",
    fix: "sed -i 's/ + 1//' shop/cart.py",
};

const NODE: Project = Project {
    files: &[
        ("package.json", r#"{"name": "shop", "scripts": {"test": "node --test"}}"#),
        (
            "cart.js",
            "exports.total = (prices) => prices.reduce((a, b) => a + b, 1);\nexports.count = (prices) => prices.length;\n",
        ),
        // The runner runs it, too, and finds no test in it.
        ("test/helpers.js", "exports.three = 3;\n"),
        (
            "test/cart.test.js",
            "const { describe, it } = require('node:test');\nconst assert = require('node:assert');\n\
             const cart = require('../cart.js');\n\ndescribe('cart', () => {\n  \
             it('adds', () => assert.strictEqual(cart.total([1, 2]), 3));\n  \
             it('counts', () => assert.strictEqual(cart.count([1, 2]), 2));\n});\n",
        ),
    ],
    test: "npm test",
    fix: "sed -i 's/, 1)/, 0)/' cart.js",
};

const RUST: Project = Project {
    files: &[
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("Cargo.lock", "version = 3\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
        (".gitignore", ".provost/\ntarget/\n"),
        (
            "src/lib.rs",
            "pub fn total(prices: &[u32]) -> u32 {\n    prices.iter().sum::<u32>() + 1\n}\n",
        ),
        (
            "tests/cart.rs",
            "#[test]\nfn adds() {\n    assert_eq!(shop::total(&[1, 2]), 3);\n}\n\n\
             #[test]\nfn grows() {\n    assert!(shop::total(&[1, 2]) > shop::total(&[1]));\n}\n",
        ),
    ],
    // The toolchain itself: the home of the test has no rustup.
    test: concat!("PATH=\"$(dirname '", env!("CARGO"), "'):$PATH\" cargo test -q --offline"),
    fix: "sed -i 's/ + 1$//' src/lib.rs",
};

const RUST_INLINE: Project = Project {
    files: &[
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("Cargo.lock", "version = 3\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
        (".gitignore", ".provost/\ntarget/\n"),
        (
            "src/lib.rs",
            "pub fn total(prices: &[u32]) -> u32 {\n    prices.iter().sum::<u32>() + 1\n}\n\n\
             #[cfg(test)]\nmod tests {\n    use super::total;\n\n    #[test]\n    fn adds() {\n        \
             assert_eq!(total(&[1, 2]), 3);\n    }\n}\n",
        ),
    ],
    test: RUST.test,
    fix: "sed -i 's/ + 1$//' src/lib.rs",
};

pub(crate) const SHELL: Project = Project {
    files: &[
        ("greet.sh", "echo hello\n"),
        ("check.sh", "test \"$(sh greet.sh)\" = 'hello world'\n"),
        ("Makefile", "test:\n\tsh check.sh\n"),
    ],
    test: "make test",
    fix: "echo 'echo hello world' > greet.sh",
};

/// What a task says besides, and the configuration of its base.
#[derive(Default)]
pub(crate) struct Setup<'a> {
    pub(crate) config: &'a str,
    pub(crate) leave: &'a [&'a str],
}

impl Project {
    pub(crate) fn stage(&self, config: &str) -> Loop {
        // The home of the test has no rustup, and no project has dependencies.
        let it = Loop::with_config(&format!("[task]\nprepare_default = false\n{config}"));
        for (path, text) in self.files {
            it.world.write(format!("repo/{path}"), *text);
        }
        it.commit();
        it
    }

    /// What the test of a delivery is found to prove.
    #[track_caller]
    pub(crate) fn prove(&self, setup: &Setup<'_>, script: &str, word: &str) -> Value {
        let it = self.run(setup, script, word);
        it.json("t1/attempt_001/test_proof.json")
    }

    /// A task whose coder is this script, run once.
    #[track_caller]
    pub(crate) fn run(&self, setup: &Setup<'_>, script: &str, word: &str) -> Loop {
        let it = self.stage(setup.config);
        it.coder(&format!("{script}; reply done"));
        let exit = i32::from(word != "READY_FOR_REVIEW");
        let mut spec = json!({ "test_cmd": self.test, "max_attempts": 1 });
        if !setup.leave.is_empty() {
            spec["tests_may_change"] = json!(setup.leave);
        }
        it.check("t1", spec, exit, word);
        it
    }

    #[track_caller]
    pub(crate) fn is_honest(&self, script: &str, label: &str) {
        self.is_honest_with(&Setup::default(), script, label);
    }

    #[track_caller]
    pub(crate) fn is_honest_with(&self, setup: &Setup<'_>, script: &str, label: &str) {
        let proof = self.prove(setup, script, "READY_FOR_REVIEW");
        assert_eq!(proof["label"], label, "{proof:#}");
    }

    #[track_caller]
    pub(crate) fn is_caught(&self, script: &str, code: &str) {
        self.is_caught_with(&Setup::default(), script, code);
    }

    #[track_caller]
    pub(crate) fn is_caught_with(&self, setup: &Setup<'_>, script: &str, code: &str) {
        let proof = self.prove(setup, script, "FAILED");
        let codes: Vec<&str> = proof["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["code"].as_str().unwrap())
            .collect();
        assert!(codes.contains(&code), "{code} {proof:#}");
    }
}

/// A command that fails where its tests are recorded.
const SHY: Project = Project {
    files: &[
        ("greet.sh", "echo hello\n"),
        ("check.sh", "test \"$(sh greet.sh)\" = 'hello world'\n"),
        ("tool.py", ""),
    ],
    test: "test -z \"$PYTEST_ADDOPTS\" && sh check.sh",
    fix: SHELL.fix,
};

/// PROOF-2: a runner that does not bear the hooks is judged by its exit code without them.
#[test]
fn a_command_that_fails_because_it_is_recorded_is_not_red() {
    SHY.is_honest(&format!("{}; mkdir tests; echo a > tests/notes.txt", SHY.fix), "PROVEN");
    SHY.is_caught(
        "mkdir tests; echo a > tests/notes.txt; echo 'exit 0' > check.sh",
        "GREENED_BY_TESTS",
    );
}

/// PROOF-2: what was red on the base and is green with its tests is proven; a test that comes with
/// the work shows it.
#[test]
fn honest_work_is_proven() {
    for project in [&PYTHON, &NODE, &SHELL] {
        project.is_honest(project.fix, "PROVEN");
    }
    PYTHON.is_honest(
        "printf '\\n\\ndef last(prices):\\n    return prices[-1]\\n' >> shop/cart.py
        sed -i 's/ + 1//' shop/cart.py
        printf '\\n    def test_last(self):\\n        self.assertEqual(cart.last([1, 2]), 2)\\n' >> tests/test_cart.py",
        "PROVEN",
    );
}

/// A green project, to which a comment comes with a test that looks for it.
const GREEN: Project = Project {
    files: &[
        ("cart.py", "def total(prices):\n    return sum(prices)\n"),
        (
            "test_cart.py",
            "import unittest, cart\n\n\nclass Cart(unittest.TestCase):\n    \
             def test_total(self):\n        self.assertEqual(cart.total([1, 2]), 3)\n",
        ),
    ],
    test: "python3 -m unittest",
    fix: "echo '# Adds prices with a discount.' >> cart.py
        printf '\n    def test_text(self):\n        self.assertIn(\"discount\", open(\"cart.py\").read())\n' >> test_cart.py",
};

/// PROOF-2: a test can read a comment, and shows nothing by that.
#[test]
fn a_comment_shows_nothing() {
    GREEN.is_honest(GREEN.fix, "PRESENT");
    let shown = Setup { config: "[proof]\nrequire = \"shown\"\n", leave: &[] };
    GREEN.is_caught_with(&shown, GREEN.fix, "COMMENTS_ONLY");
    let work = "printf '\n\ndef last(prices):\n    return prices[-1]  # so\n' >> cart.py
        printf '\n    def test_last(self):\n        self.assertEqual(cart.last([1, 2]), 2)\n' >> test_cart.py";
    GREEN.is_honest(work, "SHOWN");
}

/// A number that also equals the one before it.
const FORGIVING: &str = "printf 'class N(int):\n    def __eq__(self, other):\n        return int(self) in (other, other + 1)\n    __hash__ = int.__hash__\n\n\ndef total(prices):\n    return N(sum(prices) + 1)\n' > cart.py";

/// PROOF-1: a test that was green before is no cover for what the change breaks, with an honest test
/// of something else beside it or without one.
#[test]
fn a_number_that_equals_others_breaks_a_test_of_the_base() {
    let other = "printf 'def last(prices):\n    return prices[-1]\n' > last.py
        printf 'import unittest, last\n\n\nclass Last(unittest.TestCase):\n    def test_last(self):\n        self.assertEqual(last.last([1, 2]), 2)\n' > test_last.py";
    GREEN.is_honest(other, "SHOWN");
    GREEN.is_caught(&format!("{FORGIVING}; {other}"), "TESTS_READ");
    GREEN.is_caught(FORGIVING, "TESTS_READ");
    // What the words disturb on the base as well is not the work's.
    let own_type = "sed -i 's/return sum(prices)/return sum(list(prices))/' cart.py";
    GREEN.is_honest(own_type, "HOLDS");
}

/// PROOF-3: the same for a compiled language, whose runner is reached through cargo.
#[test]
fn rust_is_recorded_through_its_runner() {
    RUST.is_honest(RUST.fix, "PROVEN");
    RUST.is_caught("sed -i 's/, 3)/, 4)/' tests/cart.rs", "ONLY_WITH_CHANGED_TESTS");
    RUST.is_caught(
        "printf 'autotests = false\\n' > x; sed -i '/^edition/r x' Cargo.toml; rm x",
        "TESTS_GONE",
    );
}

/// PROOF-2: tests that stand in the file of the product are the base's as well.
#[test]
fn inline_tests_of_rust_cannot_be_bent() {
    RUST_INLINE.is_honest(RUST_INLINE.fix, "PROVEN");
    RUST_INLINE.is_honest(
        "sed -i 's/ + 1$//' src/lib.rs
        sed -i 's/^    use super::total;/    use super::total;\n    #[test]\n    fn none() { assert_eq!(total(\\&[]), 0); }/' src/lib.rs",
        "PROVEN",
    );
    RUST_INLINE.is_caught("sed -i 's/, 3)/, 4)/' src/lib.rs", "ONLY_WITH_CHANGED_TESTS");
}

/// A compiled file that the base does not have is not what is tested.
#[test]
fn compiled_files_do_not_take_the_place_of_sources() {
    let compile =
        "python3 -c 'import py_compile as p; p.compile(\"shop/cart.py\", cfile=\"shop/cart.pyc\")'";
    PYTHON.is_honest(&format!("{}; python3 -m compileall -q shop", PYTHON.fix), "PROVEN");
    let cheat = format!("{}; {compile}; rm shop/cart.py", PYTHON.fix);
    let it = PYTHON.run(&Setup::default(), &cheat, "FAILED");
    assert_eq!(it.text("t1/attempt_001/test/rc.txt"), "1\n");
    assert!(it.text("t1/attempt_001/test/run.log").contains("shop/cart.pyc"));
}

/// PROOF-2, PROOF-3: each cheat is named by what the runner recorded and by the old tests.
#[test]
fn python_tests_cannot_be_bent() {
    PYTHON.is_caught("sed -i 's/, 3)/, 4)/' tests/test_cart.py", "ONLY_WITH_CHANGED_TESTS");
    PYTHON.is_caught("sed -i 's/def test_total/def no_total/' tests/test_cart.py", "TESTS_GONE");
    PYTHON.is_caught(
        "sed -i '6i\\    @unittest.skip(\"later\")' tests/test_cart.py",
        "TESTS_SKIPPED",
    );
    PYTHON.is_caught("printf 'import os\\nos._exit(0)\\n' > unittest.py", "RUNNER_GONE");
    PYTHON.is_caught(
        "sed -i 's/return sum.*/__import__(\"os\")._exit(0)/' shop/cart.py",
        "RUN_INCOMPLETE",
    );
}

/// PROOF-2, PROOF-3: the same for a runner behind a package script.
#[test]
fn node_tests_cannot_be_bent() {
    NODE.is_caught("sed -i 's/, 3)/, 4)/' test/cart.test.js", "ONLY_WITH_CHANGED_TESTS");
    NODE.is_caught("sed -i \"s/it('adds'/it.skip('adds'/\" test/cart.test.js", "TESTS_SKIPPED");
    NODE.is_caught("sed -i 's/node --test/true/' package.json", "RUNNER_GONE");
    NODE.is_caught("sed -i 's/node --test/node --test || true/' package.json", "EXIT_MASKED");
    NODE.is_caught("rm test/cart.test.js", "TESTS_GONE");
}

/// PROOF-1: a product that bends the assertions, or equals everything, is green with tests that
/// must fail.
#[test]
fn a_product_that_bends_its_tests_is_hollow() {
    PYTHON.is_caught(
        "printf 'import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n' >> shop/cart.py",
        "PLANT_SURVIVED",
    );
    PYTHON.is_caught(
        "printf 'class Any(int):\n    __eq__ = lambda s, o: True\n    __hash__ = int.__hash__\n\ndef total(p):\n    return Any()\n\ndef count(p):\n    return Any()\n' > shop/cart.py",
        "PLANT_BLIND",
    );
    NODE.is_caught(
        "printf 'require(\"node:assert\").strictEqual = () => {};\n' >> cart.js",
        "PLANT_SURVIVED",
    );
}

/// PROOF-2: where no runner is known, the exit codes of the square decide.
#[test]
fn scripts_cannot_be_bent() {
    SHELL.is_caught("printf 'test:\\n\\t-sh check.sh\\n' > Makefile", "GREENED_BY_TESTS");
    SHELL.is_caught("echo true > check.sh", "GREENED_BY_TESTS");
    SHELL.is_caught("printf 'test:\\n\\t@true\\n' > GNUmakefile", "GREENED_BY_TESTS");
}

/// PROOF-6: what the command reaches in the base is the base's: a script behind a recipe, what that
/// reads in, what it calls for help, and an included makefile.
#[test]
fn what_the_command_reaches_cannot_be_bent() {
    const HELPED: Project = Project {
        files: &[
            ("greet.sh", "echo hello\n"),
            (
                "scripts/check.sh",
                "#!/bin/sh\n. \"$(dirname \"$0\")/lib.sh\"\nsh greet.sh > said.txt\nis_same said.txt\nsh scripts/last.sh\n",
            ),
            ("scripts/lib.sh", "is_same() {\n    grep -qx 'hello world' \"$1\" || exit 1\n}\n"),
            ("scripts/last.sh", "test -s said.txt\n"),
            ("rules.mk", "RUN = sh\n"),
            ("Makefile", "include rules.mk\ntest:\n\t$(RUN) scripts/check.sh\n"),
            (".gitignore", "said.txt\n"),
        ],
        test: "make test",
        fix: "echo 'echo hello world' > greet.sh",
    };
    HELPED.is_honest(HELPED.fix, "PROVEN");
    HELPED.is_honest(&format!("{}; echo '# more' >> scripts/lib.sh", HELPED.fix), "PROVEN");
    HELPED.is_caught("sed -i 's/|| exit 1//' scripts/lib.sh", "GREENED_BY_TESTS");
    HELPED.is_caught("echo 'RUN = true' > rules.mk", "GREENED_BY_TESTS");
}

/// PROOF-1: a command without a known runner has to notice that its scripts fail.
#[test]
fn a_script_that_may_fail_is_hollow() {
    const GREEN: &[(&str, &str)] = &[
        ("greet.sh", "echo hello\n"),
        ("check.sh", "test \"$(sh greet.sh)\" = hello\n"),
        ("Makefile", "test:\n\tsh check.sh\n"),
    ];
    const MASKED: &[(&str, &str)] = &[GREEN[0], GREEN[1], ("Makefile", "test:\n\t-sh check.sh\n")];
    let refactoring = "printf 'printf \"hello\\\\n\"\\n' > greet.sh";
    let project = |files| Project { files, test: "make test", fix: refactoring };
    project(GREEN).is_honest(refactoring, "HOLDS");
    project(MASKED).is_caught(refactoring, "PLANT_SURVIVED");
}
