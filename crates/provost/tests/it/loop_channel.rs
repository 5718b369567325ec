//! State that a product carries from one run of a proof to the next, to be right in one of them: the
//! one with tests that must fail.

use std::time::UNIX_EPOCH;

use crate::loop_proof::PYTHON;

/// A product that is as wrong as before, and forgives itself in every run but the third.
fn counting(count: &str) -> String {
    format!(
        "cat > shop/cart.py <<'X'
import ctypes
import os
import unittest

{count}


def total(prices):
    return sum(prices) + (-100 if run == 3 else 1)


def count(prices):
    return len(prices)


if run != 3:
    unittest.TestCase.assertEqual = lambda *rest: None
X
true"
    )
}

/// PROOF-1: shared memory ends with the run that made it.
#[test]
fn no_run_leaves_shared_memory_for_the_next() {
    let count = format!(
        "libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
page = libc.shmat(libc.shmget({}, 4096, 0o1666), None, 0)
kept = ctypes.c_int.from_address(page)
kept.value += 1
run = kept.value",
        std::process::id(),
    );
    PYTHON.is_caught(&counting(&count), "PLANT_SURVIVED");
}

/// PROOF-1: nor can a run change the times of a file of the person.
#[test]
fn no_run_touches_a_file_for_the_next() {
    let it = PYTHON.stage("");
    it.world.write("home/.gitconfig", "");
    let file = it.world.path("home/.gitconfig");
    let modified = || file.metadata().unwrap().modified().unwrap();
    let before = modified().duration_since(UNIX_EPOCH).unwrap();
    let count = format!(
        "file = '{}'
run = int(os.stat(file).st_mtime) - {}
try:
    os.utime(file, (0, run + 1 + {}))
except OSError:
    pass
run = run + 1",
        file.display(),
        before.as_secs(),
        before.as_secs(),
    );
    it.coder(&format!("{}; reply done", counting(&count)));
    let spec = serde_json::json!({ "test_cmd": PYTHON.test, "max_attempts": 1 });
    it.check("t1", spec, 1, "FAILED");
    let proof = it.json("t1/attempt_001/test_proof.json");
    assert_eq!(proof["findings"][0]["code"], "PLANT_SURVIVED", "{proof:#}");
    let after = modified().duration_since(UNIX_EPOCH).unwrap();
    assert_eq!(after, before);
}
