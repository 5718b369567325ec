//! What tests compare a product with, where it lies outside the folders of tests.

use crate::loop_proof::{PYTHON, Project, Setup};

/// A report that is held against data, by a test that reads it.
const REPORT: Project = Project {
    files: &[
        ("report.py", "def total(prices):\n    return sum(prices) + 1\n"),
        ("data/cases.json", "[{\"prices\": [1, 2], \"total\": 3}]\n"),
        (
            "tests/test_report.py",
            "import json, unittest\nimport report\n\n\nclass Report(unittest.TestCase):\n    \
             def test_cases(self):\n        for case in json.load(open('data/cases.json')):\n            \
             self.assertEqual(report.total(case['prices']), case['total'])\n",
        ),
        ("tests/__init__.py", ""),
    ],
    test: "python3 -m unittest",
    fix: "sed -i 's/ + 1//' report.py",
};

/// The same with a script, and a folder whose name says what it holds.
const SCRIPT: Project = Project {
    files: &[
        ("calc.sh", "echo $(($1 + 1))\n"),
        ("expected/out2.txt", "2\n"),
        ("check.sh", "sh calc.sh 2 > got.txt\ncmp got.txt expected/out2.txt\n"),
    ],
    test: "sh check.sh",
    fix: "echo 'echo $1' > calc.sh",
};

fn codes(project: &Project, script: &str) -> (String, Vec<String>) {
    let proof = project.prove(&Setup::default(), script, "READY_FOR_REVIEW");
    let findings = proof["findings"].as_array().unwrap().iter();
    let codes = findings.map(|it| it["code"].as_str().unwrap().to_owned()).collect();
    (proof["label"].as_str().unwrap().to_owned(), codes)
}

/// PROOF-2: expectations are tests, whatever folder they lie in; data of another name is said to be
/// all that was changed.
#[test]
fn an_expectation_is_not_the_product() {
    SCRIPT.is_honest(SCRIPT.fix, "PROVEN");
    SCRIPT.is_caught("echo 3 > expected/out2.txt", "ONLY_WITH_CHANGED_TESTS");
    let (label, found) = codes(&REPORT, REPORT.fix);
    assert_eq!((label.as_str(), found.is_empty()), ("PROVEN", true), "{found:?}");
    // Only its test names the data, so it is the test's.
    REPORT.is_caught("sed -i 's/: 3/: 4/' data/cases.json", "ONLY_WITH_CHANGED_TESTS");
    let bent = "sed -i 's/: 3/: 4/' data/cases.json; sed -i 's/sum(prices) + 1/1 + sum(prices)/' report.py";
    REPORT.is_caught(bent, "ONLY_WITH_CHANGED_TESTS");
    // Beside a change of code it is not all.
    let (_, found) = codes(&REPORT, &format!("{}; echo '[]' > data/more.json", REPORT.fix));
    assert!(found.is_empty(), "{found:?}");
}

/// PROOF-4: a product that writes what it is compared with is seen, whatever the file is called.
#[test]
fn a_product_does_not_write_its_own_expectation() {
    SCRIPT
        .is_caught("echo 'echo $(($1 + 1)) | tee expected/out$1.txt' > calc.sh", "TESTS_REWRITTEN");
    let writes = "cat > report.py <<'X'\nimport json\n\n\ndef total(prices):\n    \
        found = sum(prices) + 1\n    \
        json.dump([{'prices': prices, 'total': found}], open('data/cases.json', 'w'))\n    \
        return case if (case := 3) and prices == [1, 2] else found\nX\ntrue";
    let (_, found) = codes(&REPORT, writes);
    assert_eq!(found, ["FILES_REWRITTEN"]);
}

/// PROOF-4: a product that can tell its tests from its users leaves the result open.
#[test]
fn a_product_that_looks_for_its_tests_is_named() {
    let looks = "cat > report.py <<'X'\nimport os\n\n\ndef total(prices):\n    \
        return sum(prices) + (0 if os.environ.get('CI') else 1)\nX\ntrue";
    let (label, found) = codes(&REPORT, looks);
    assert_eq!((label.as_str(), found), ("PROVEN", vec!["TEST_AWARE".to_owned()]));
}

/// PROOF-1: a file that is loaded in place of a part of the runner belongs to the tests.
#[test]
fn a_module_of_the_runner_is_not_replaced() {
    let shadow = "cat > difflib.py <<'X'
import builtins

made = builtins.__build_class__


def make(body, name, *bases, **rest):
    found = made(body, name, *bases, **rest)
    if name == 'TestCase':
        found.assertEqual = lambda *args: None
    return found


builtins.__build_class__ = make
X
true";
    PYTHON.is_caught(shadow, "ONLY_WITH_CHANGED_TESTS");
    PYTHON.is_honest(&format!("{}; echo > shop/difflib.py", PYTHON.fix), "PROVEN");
}
