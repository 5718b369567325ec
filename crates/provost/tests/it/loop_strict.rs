//! `[proof] level = "strict"`: do the tests notice each part of the change?

use crate::loop_proof::{PYTHON, Setup};

const STRICT: Setup<'static> = Setup { config: "[proof]\nlevel = \"strict\"\n", leave: &[] };

/// The fix, and a tax with a test of its own.
fn tax(assertion: &str) -> String {
    format!(
        "sed -i 's/ + 1//' shop/cart.py
        printf '\\n\\ndef tax(price):\\n    return price * 20 // 100 + 1\\n' >> shop/cart.py
        printf '\\n    def test_tax(self):\\n        {assertion}\\n' >> tests/test_cart.py"
    )
}

/// PROOF-1: a test that looks at nothing lives with every error in the changed lines.
#[test]
fn a_weak_test_does_not_notice_errors() {
    PYTHON.is_honest_with(&STRICT, PYTHON.fix, "PROVEN");
    PYTHON.is_honest_with(&STRICT, &tax("self.assertEqual(cart.tax(100), 21)"), "PROVEN");
    let weak = tax("self.assertIsNotNone(cart.tax(100))");
    PYTHON.is_honest_with(&Setup::default(), &weak, "PROVEN");
    PYTHON.is_caught_with(&STRICT, &weak, "MUTANTS_LIVE");
}

/// PROOF-1: a changed file that no test notices is named; a comment, a document and a refactoring
/// are not.
#[test]
fn a_change_that_no_test_notices_is_named() {
    let quiet = "sed -i 's/ + 1//' shop/cart.py
        echo '# The shop.' > shop/__init__.py
        echo A shop. > README.md";
    PYTHON.is_honest_with(&STRICT, quiet, "PROVEN");
    let extra = "sed -i 's/ + 1//' shop/cart.py
        printf 'def refund(price):\\n    return -price\\n' > shop/refund.py";
    PYTHON.is_honest_with(&Setup::default(), extra, "PROVEN");
    PYTHON.is_caught_with(&STRICT, extra, "CHANGE_UNNOTICED");
}
