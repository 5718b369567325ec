//! Files that serve tests outside their folders, and products that mask how a test ends.

use crate::loop_proof::{Project, Setup};

/// A check of one's own, in a file whose name says nothing.
const HELPER: Project = Project {
    files: &[
        ("cart.py", "def total(n, price):\n    return n * price\n"),
        ("compare.py", "def same(got, want):\n    assert got == want\n"),
        (
            "tests/test_cart.py",
            "import unittest\nfrom cart import total\nfrom compare import same\n\n\n\
             class Cart(unittest.TestCase):\n    def test_total(self):\n        \
             same(total(2, 100), 180)\n",
        ),
        ("tests/__init__.py", ""),
    ],
    test: "python3 -m unittest",
    fix: "sed -i 's/n . price/n * price * 9 \\/\\/ 10/' cart.py",
};

/// The same with a library of tests.
const LIBRARY: Project = Project {
    files: &[
        HELPER.files[0],
        (
            "compare.py",
            "import unittest\n\n\ndef same(got, want):\n    \
             unittest.TestCase().assertEqual(got, want)\n",
        ),
        HELPER.files[2],
        HELPER.files[3],
    ],
    ..HELPER
};

/// A test without a runner, which fails by its exit code alone.
const PLAIN: Project = Project {
    files: &[
        ("cart.js", "exports.total = (n, price) => n * price;\n"),
        (
            "test.js",
            "const assert = require('node:assert');\nconst { total } = require('./cart.js');\n\
             assert.strictEqual(total(2, 100), 180);\n",
        ),
    ],
    test: "node test.js",
    fix: "sed -i 's/n . price/n * price * 0.9/' cart.js",
};

/// A library of the shell that its test reads in.
const SOURCED: Project = Project {
    files: &[
        ("lib.sh", "total() { echo $(( $1 * $2 )); }\n"),
        ("tests/run.sh", ". ./lib.sh\n[ \"$(total 2 100)\" = 180 ] || exit 1\n"),
    ],
    test: "sh tests/run.sh",
    fix: "sed -i 's/2 ))/2 * 9 \\/ 10 ))/' lib.sh",
};

fn gaps(project: &Project, config: &str, script: &str) -> Vec<String> {
    let setup = Setup { config, ..Setup::default() };
    let proof = project.prove(&setup, script, "READY_FOR_REVIEW");
    let findings = proof["findings"].as_array().unwrap().iter();
    findings.map(|it| it["code"].as_str().unwrap().to_owned()).collect()
}

/// PROOF-2: a check that became weaker is named wherever it lies; one that imports a library of tests
/// belongs to them.
#[test]
fn a_weaker_check_outside_the_tests_is_seen() {
    HELPER.is_honest(HELPER.fix, "PROVEN");
    let weaker = "sed -i 's/got == want/abs(got - want) <= 20/' compare.py";
    assert_eq!(gaps(&HELPER, "", weaker), ["ASSERTIONS_CHANGED"]);
    LIBRARY
        .is_caught("sed -i 's/assertEqual/assertNotEqual/' compare.py", "ONLY_WITH_CHANGED_TESTS");
}

/// PROOF-1: a product that masks how its test ends cannot be proven by it.
#[test]
fn a_masked_end_is_hollow() {
    PLAIN.is_honest(PLAIN.fix, "PROVEN");
    PLAIN.is_caught(
        "echo \"process.on('exit', () => { process.exitCode = 0; });\" >> cart.js",
        "RUN_INCOMPLETE",
    );
    PLAIN.is_caught(
        "echo \"process.on('uncaughtException', () => process.exit(0));\" >> cart.js",
        "RUN_INCOMPLETE",
    );
}

/// PROOF-1, PROOF-2: a library that a test reads into its shell is the product, as long as it does not
/// decide how the test ends.
#[test]
fn a_sourced_library_is_the_product() {
    SOURCED.is_honest(SOURCED.fix, "PROVEN");
    SOURCED.is_caught("echo \"trap 'exit 0' EXIT\" >> lib.sh", "ONLY_WITH_CHANGED_TESTS");
}

/// PROOF: at `strict`, it is said where no error could be made on purpose.
#[test]
fn a_change_without_mutants_is_named_at_strict() {
    let strict = Setup { config: "[proof]\nlevel = \"strict\"\n", ..Setup::default() };
    let named = "printf '\\nNAME = \"discount\"\\n' >> cart.py; \
        printf 'import unittest\\nimport cart\\n\\n\\nclass Name(unittest.TestCase):\\n    def test_name(self):\\n        self.assertIn(\"discount\", cart.NAME)\\n' > tests/test_name.py; \
        sed -i 's/180/200/' tests/test_cart.py";
    let setup = Setup { leave: &["tests/test_cart.py"], ..strict };
    let proof = HELPER.prove(&setup, named, "READY_FOR_REVIEW");
    let findings = proof["findings"].as_array().unwrap().iter();
    let codes: Vec<&str> = findings.map(|it| it["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"NO_MUTANTS"), "{proof}");
}
