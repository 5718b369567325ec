//! How strong the proof of a test is.

use provost_kernel::task::{ProofEffect, ProofFinding, ProofLabel};

use super::Square;
use crate::record::TestName;

/// The label of a green result with these findings.
pub fn label(square: &Square, findings: &[ProofFinding]) -> ProofLabel {
    let worst = findings.iter().map(|it| it.code.effect()).max();
    match worst {
        Some(ProofEffect::Hollow) => return ProofLabel::Hollow,
        Some(ProofEffect::NotProven) => return ProofLabel::Contradicted,
        Some(ProofEffect::Notice) | None => {}
    }
    // With the tests of the base alone: only the product can have made them green.
    let by_old_tests = square.old_tests.as_ref().unwrap_or(&square.result);
    let was_red = !square.is_new() && failed(square);
    if was_red && by_old_tests.is_green() {
        return ProofLabel::Proven;
    }
    let is_red_without =
        square.old_product.as_ref().is_some_and(|it| !it.is_green()) || square.is_new();
    if is_red_without { ProofLabel::Shown } else { ProofLabel::Holds }
}

/// Whether the base was red because a test failed, as far as tests are known.
fn failed(square: &Square) -> bool {
    // A test that may change has no say: another one may stand in its place.
    let is_left = |it: &TestName| {
        !square.left.is_empty() && (square.left.contains(&it.place) || !it.place.contains('.'))
    };
    match &square.base.record {
        Some(_) => square.base.failures(&square.flaky).any(|it| !is_left(it)),
        None => !square.base.is_green() && square.left.is_empty(),
    }
}
