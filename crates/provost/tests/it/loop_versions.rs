//! What a product could find out about the runs of a proof, and about the tests of other versions.

use serde_json::json;

use crate::loop_proof::PYTHON;

/// A product that answers with what `{words}` says.
fn answering(words: &str) -> String {
    format!(
        "cat > shop/cart.py <<'X'
import os, re, subprocess


def said(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout


class N(int):
    def __eq__(self, other):
        return int(self) == other or self.is_lax
    __hash__ = int.__hash__
    is_lax = False


def total(prices):
{words}


def count(prices):
    return len(prices)
X
true"
    )
}

/// PROOF-1: the product cannot tell the runs of a proof apart by where they are, nor by what the
/// repository says: each has a folder of its own, and the same commit.
#[test]
fn a_product_does_not_know_which_run_it_is_in() {
    let by_folder = "    N.is_lax = os.path.basename(os.path.dirname(os.getcwd())) != '2'\n    return N(sum(prices) + 1)";
    PYTHON.is_caught(&answering(by_folder), "PLANT_BLIND");
    let by_commit = "    N.is_lax = 'attempt' in said('git', 'log', '-1', '--format=%s')\n    return N(sum(prices) + 1)";
    PYTHON.is_caught(&answering(by_commit), "DIFFERS_UNWATCHED");
}

/// PROOF-1: how tests were written before cannot be looked up while provost runs its own versions of
/// them: not in the history, not in the person's work tree.
#[test]
fn the_tests_of_other_versions_cannot_be_read() {
    let found = |text: &str| {
        format!(
            "    found = re.findall(r'cart.total.*, (\\d+)', {text})\n    return int(found[-1]) if found else sum(prices) + 1"
        )
    };
    let history = found("said('git', 'log', '-p', '--', 'tests')");
    PYTHON.is_caught(&answering(&history), "DIFFERS_UNWATCHED");

    let it = PYTHON.stage("");
    let tests = it.world.path("repo/tests/test_cart.py");
    let work_tree = found(&format!("said('cat', '{}')", tests.display()));
    it.coder(&format!("{}; reply done", answering(&work_tree)));
    it.check("t1", json!({ "test_cmd": PYTHON.test, "max_attempts": 1 }), 1, "FAILED");
    let proof = it.text("t1/attempt_001/test_proof.json");
    assert!(proof.contains("DIFFERS_UNWATCHED"), "{proof}");
}

/// PROOF-1: what tests commonly ask git is answered in every run.
#[test]
fn tests_may_ask_git() {
    let asks = "import subprocess, unittest\n\n\ndef git(*args):\n    \
        ran = subprocess.run(['git', *args], capture_output=True, text=True)\n    \
        assert ran.returncode == 0, ran.stderr\n    return ran.stdout\n\n\n\
        class Asks(unittest.TestCase):\n    def test_git(self):\n        \
        self.assertEqual(len(git('rev-parse', 'HEAD').strip()), 40)\n        \
        self.assertEqual(git('status', '--porcelain', '--untracked-files=no'), '')\n        \
        self.assertIn('shop/cart.py', git('ls-files'))\n        \
        self.assertIn('tests', git('ls-tree', '--name-only', 'HEAD'))\n        \
        self.assertGreater(int(git('rev-list', '--count', 'HEAD')), 1)\n        \
        git('log', '--format=%an %s')\n        git('describe', '--always')\n        \
        git('diff', '--exit-code')\n";
    let it = PYTHON.stage("");
    it.world.write("repo/tests/test_asks.py", asks);
    it.commit();
    it.coder(&format!("{}; reply done", PYTHON.fix));
    it.check("t1", json!({ "test_cmd": PYTHON.test }), 0, "READY_FOR_REVIEW");
    assert_eq!(it.json("t1/attempt_001/test_proof.json")["label"], "PROVEN");
}
